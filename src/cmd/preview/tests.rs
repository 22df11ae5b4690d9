//! Pictures read back, and keys looked for in them.

use super::keys::quoted;
use super::*;
use crate::model::prompt::decoder::Phase;

fn options(width: u32, height: u32) -> Options {
    Options { size: Size::new(width, height), ..Options::default() }
}

fn image(options: &Options) -> Image {
    Image::of(&session(options).unwrap(), options).unwrap()
}

#[test]
fn sizes_are_two_numbers() {
    assert_eq!(size("720x1440"), Some(Size::new(720, 1440)));
    for wrong in ["", "720", "x", "720x", "x1440", "0x5", "5x0", "-1x5", "+5x5", "5x5x5", "99999x5", "5 x5"] {
        assert_eq!(size(wrong), None, "{wrong:?}");
    }
}

#[test]
fn every_state_is_another_picture() {
    let mut seen: Vec<(&str, Vec<u8>)> = Vec::new();
    for (name, state) in STATES {
        let rgb = image(&Options { state, ..options(320, 480) }).rgb;
        if let Some((other, _)) = seen.iter().find(|(_, other)| *other == rgb) {
            panic!("{name} looks like {other}");
        }
        seen.push((name, rgb));
    }
}

#[test]
fn what_is_read_back_is_what_was_drawn() {
    let folder = std::env::temp_dir().join(format!("fbunlock-preview-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("out.png");
    for rotation in Rotation::ALL {
        let options = Options { rotation, output: Some(path.clone()), ..options(200, 300) };
        run(&options).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (200, 300, png::ColorType::Rgb));
        assert!(rgb == image(&options).rgb, "{rotation:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_turned_picture_is_the_upright_one_turned() {
    let upright = image(&options(300, 200));
    for (rotation, size) in [(Rotation::Clockwise, (200, 300)), (Rotation::Counterclockwise, (200, 300))] {
        let turned = image(&Options { rotation, ..options(size.0, size.1) });
        for y in 0..200_usize {
            for x in 0..300_usize {
                let (to_x, to_y) = if rotation == Rotation::Clockwise { (199 - y, x) } else { (y, 299 - x) };
                let (from, to) = ((y * 300 + x) * 3, (to_y * 200 + to_x) * 3);
                assert_eq!(upright.rgb[from..from + 3], turned.rgb[to..to + 3], "{rotation:?} {x},{y}");
            }
        }
    }
}

/// The colours in a rectangle of a picture, how often each.
fn colors(image: &Image, area: &serde_json::Value) -> std::collections::HashMap<[u8; 3], usize> {
    let number = |name: &str| area[name].as_u64().unwrap() as usize;
    let mut found = std::collections::HashMap::new();
    for y in number("y")..number("y") + number("height") {
        for x in number("x")..number("x") + number("width") {
            let at = (y * image.size.width as usize + x) * 3;
            *found.entry([image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]]).or_default() += 1;
        }
    }
    found
}

#[test]
fn every_key_has_its_label_in_its_rectangle() {
    let states =
        [("lower", State::Prompt), ("upper", State::Shift), ("digits", State::Digits), ("symbols", State::Symbols)];
    for (rotation, width, height) in
        [(Rotation::Upright, 480, 800), (Rotation::Clockwise, 480, 800), (Rotation::UpsideDown, 640, 400)]
    {
        for (layer, state) in states {
            let options = Options { rotation, state, ..options(width, height) };
            let session = session(&options).unwrap();
            let image = Image::of(&session, &options).unwrap();
            let json: serde_json::Value = serde_json::from_str(&keys(&session, turn(&options))).unwrap();
            let shown: Vec<_> = json.as_array().unwrap().iter().filter(|key| key["layer"] == layer).collect();
            assert!(shown.len() > 30, "{layer}");
            let mut pictures = Vec::new();
            for key in shown {
                let found = colors(&image, &key["face"]);
                let mut counts: Vec<(usize, [u8; 3])> = found.iter().map(|(color, count)| (*count, *color)).collect();
                counts.sort_unstable_by(|a, b| b.cmp(a));
                // Most is the key, and what is of another brightness on it is its label.
                let bright = |color: [u8; 3]| color.iter().map(|part| u32::from(*part)).sum::<u32>();
                let ground = bright(counts[0].1);
                let label: usize =
                    counts.iter().filter(|(_, color)| bright(*color) > ground + 150).map(|(count, _)| count).sum();
                assert!(label > 4, "{rotation:?} {layer} {}: {counts:?}", key["label"]);
                pictures.push((key["label"].as_str().unwrap(), counts));
            }
            // Different labels look different.
            for (at, (label, counts)) in pictures.iter().enumerate() {
                let other = pictures[..at].iter().find(|(_, other)| other == counts);
                assert!(other.is_none(), "{label} looks like {other:?}");
            }
        }
    }
}

#[test]
fn labels_are_told_as_they_are() {
    let options = options(480, 800);
    let json: serde_json::Value = serde_json::from_str(&keys(&session(&options).unwrap(), turn(&options))).unwrap();
    let labels: Vec<&str> = json.as_array().unwrap().iter().map(|key| key["label"].as_str().unwrap()).collect();
    for label in ["\"", "\\", "space", "enter", "shift", "backspace", "?123", "=\\<", "\u{20ac}", "q"] {
        assert!(labels.contains(&label), "{label}");
    }
    assert_eq!(quoted("\u{1}\u{7f}\u{9f}"), r#""\u0001\u007f\u009f""#);
}

#[test]
fn taps_at_the_told_places_type() {
    let options = Options { rotation: Rotation::Counterclockwise, ..options(480, 800) };
    let mut session = session(&options).unwrap();
    let json: serde_json::Value = serde_json::from_str(&keys(&session, turn(&options))).unwrap();
    for label in ["h", "i", "enter"] {
        let key = json.as_array().unwrap().iter().find(|key| key["layer"] == "lower" && key["label"] == label).unwrap();
        let number = |name: &str| key["touch"][name].as_i64().unwrap() as i32;
        let middle = Point::new(number("x") + number("width") / 2, number("y") + number("height") / 2);
        let at = turn(&options).to_frame(middle);
        for phase in [Phase::Down, Phase::Up] {
            session.update(9000, Event::Touch { contact: 0, phase, at });
        }
    }
    let view = session.view();
    assert_eq!((view.characters, view.working.is_some()), (2, true));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |options: &Options| run(options).unwrap_err();
    assert_eq!(refused(&options(100, 100)).exit(), Exit::NoDisplay);
    let layout = refused(&Options { layout: "klingon".into(), ..Options::default() });
    assert_eq!(
        (layout.exit(), layout.to_string().as_str()),
        (Exit::Parameters, "find layout \"klingon\": there is no layout of this name")
    );
    let output = refused(&Options { output: Some("/nowhere/out.png".into()), ..options(160, 120) });
    assert_eq!(output.exit(), Exit::Parameters);
    assert!(output.to_string().starts_with("write /nowhere/out.png: No such file"), "{output}");
}
