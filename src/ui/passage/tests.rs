//! Nothing is lost that there is room for, and what is lost is told.

use super::*;
use crate::model::prompt::layout::{Layout, Press, US};
use crate::model::prompt::plan::{Panel, Plan};
use crate::model::volume::failure::Failure;

fn room(width: u32, height: u32) -> Size {
    Size::new(width, height)
}

fn is_inside(passage: &Passage, room: Size) -> bool {
    passage.lines.len() as u32 * passage.face.pitch() <= room.height
        && passage.lines.iter().all(|line| passage.face.width(line) <= room.width)
}

/// All failures that can be told, with what a session adds.
fn failures() -> Vec<String> {
    let mut failures = Failure::all();
    failures.extend([
        Failure::Memory { needed_kib: 0, free_kib: 0 },
        Failure::Died { signal: 9 },
        Failure::Died { signal: 0 },
        Failure::Died { signal: 11 },
        Failure::Other(-71),
    ]);
    let mut failures: Vec<String> = failures.iter().map(Failure::text).collect();
    failures.push("Wrong passphrase. 12 tries left".into());
    failures.push("No touch screen, keyboard or pointer found. Connect one".into());
    failures.push("No touch screen, keyboard or pointer found. Volume up chooses keys".into());
    failures.push("Volume up: next key. Down: next row. Hold up: press. Hold down: back".into());
    failures.push("The machine could not be switched off".into());
    for text in ["Wrong passphrase. 12 tries left", "Caps Lock is on", "Only a number pad found. It types digits"] {
        failures.push(format!("{text}\nUS keyboard. F2 changes back"));
    }
    failures.push("Waiting for /dev/disk/by-label/cryptroot\u{2026}".into());
    failures
}

#[test]
fn no_failure_is_cut_on_any_panel() {
    let layout = Layout::parse("us", US).unwrap();
    for (width, height) in
        [(160, 120), (160, 128), (176, 220), (240, 240), (320, 240), (240, 320), (480, 320), (800, 480), (720, 1440)]
    {
        let plan = Plan::new(Panel { size: Size::new(width, height), millimetres: (0, 0) }, &layout, &[]).unwrap();
        for text in failures() {
            let passage = Passage::wrapped(&text, plan.above.message.size, plan.above.message_line);
            assert!(is_inside(&passage, plan.above.message.size), "{width}x{height}: {passage:?}");
            let shown: String = passage.lines.concat();
            let letters = |text: &str| text.replace([' ', '\n'], "");
            assert_eq!(letters(&shown), letters(&text), "{width}x{height}");
        }
    }
}

#[test]
fn lines_break_at_spaces() {
    let text = "some words that need more than a line";
    let passage = Passage::wrapped(text, room(150, 60), 60);
    assert!(passage.lines.len() > 1 && is_inside(&passage, room(150, 60)), "{passage:?}");
    assert_eq!(passage.lines.join(" "), text);
    let larger = Passage::wrapped(text, room(150, 120), 60);
    assert!(larger.face.height() > passage.face.height());
    assert_eq!(Passage::wrapped(text, room(9000, 300), 30).face, Face::fitting("", room(9000, 30)));
}

#[test]
fn lines_are_about_as_long() {
    let face = Face::fitting("", room(0, 30));
    let text = "Not enough memory: the keyslot needs 1.0 GiB, 292 MiB is free";
    let width = face.width("Not enough memory: the keyslot needs 1.0 GiB, 292 MiB is") + 1;
    assert_eq!(super::lines(face, text, (width, 9), false).last(), Some(&"free"));
    let passage = Passage::wrapped(text, room(width, 60), 30);
    assert_eq!(passage.lines, ["Not enough memory: the keyslot", "needs 1.0 GiB, 292 MiB is free"]);
}

#[test]
fn line_ends_and_spaces_are_kept_where_they_matter() {
    let face = Face::fitting("", room(0, 30));
    let lines = |text, width: u32| super::lines(face, text, (width, u32::MAX), false);
    assert_eq!(lines("one two  three", face.width("one two")), ["one two", "three"]);
    assert_eq!(lines("one\ntwo", 9000), ["one", "two"]);
    assert_eq!(lines("one\n\ntwo\n", 9000), ["one", "", "two", ""]);
    for text in ["", " ", "a  b ", " a"] {
        assert_eq!(lines(text, 9000), [text]);
    }
    assert_eq!(lines("unbreakable word", face.width("word")), ["unbreakable", "word"]);
    assert_eq!(lines("a unbreakable", face.width("word")), ["a", "unbreakable"]);
}

#[test]
fn long_words_break_behind_joints_and_else_anywhere() {
    let face = Face::fitting("", room(0, 30));
    let lines = |text, width: &str| super::lines(face, text, (face.width(width), u32::MAX), true);
    assert_eq!(lines("/dev/disk/by-label/root", "/dev/disk/by"), ["/dev/disk/", "by-label/", "root"]);
    assert_eq!(lines("Waiting for /dev/disk", "Waiting for"), ["Waiting for", "/dev/disk"]);
    assert_eq!(lines("aaaaaaaaaa", "aaaa"), ["aaaa", "aaaa", "aa"]);
    assert_eq!(lines("mmm", "i"), ["m", "m", "m"]);
    // A word stays whole in a face that is not much smaller.
    let passage = Passage::wrapped("partition-123", room(face.width("partition-1"), 90), 30);
    assert_eq!(passage.lines, ["partition-123"]);
}

#[test]
fn what_is_too_much_is_cut_at_the_end() {
    let passage = Passage::wrapped(&"word ".repeat(99), room(100, 30), 30);
    assert!(passage.lines.len() == 2 && passage.lines[1].ends_with(ELLIPSIS), "{passage:?}");
    assert!(is_inside(&passage, room(100, 30)));
    let passage = Passage::wrapped(&"unbreakable".repeat(20), room(100, 30), 30);
    assert!(passage.lines.len() == 2 && passage.lines[1].ends_with(ELLIPSIS), "{passage:?}");
    for (width, height) in [(0, 0), (1, 9), (9, 1), (40, 12)] {
        let passage = Passage::wrapped(&"word ".repeat(99), room(width, height), 30);
        assert!(passage.lines.len() == 1 && passage.lines[0].ends_with(ELLIPSIS), "{passage:?}");
    }
}

#[test]
fn a_long_title_shows_both_its_ends() {
    let title = "Unlock /dev/disk/by-partuuid/0f3a8b9c-6a5e-4f0e-9d3c-7b1f2d4e6a88";
    for (width, height) in [(144, 13), (216, 19), (648, 59), (1700, 60)] {
        let passage = Passage::line(title, room(width, height));
        let [line] = &passage.lines[..] else { panic!("{passage:?}") };
        assert!(passage.face.width(line) <= width && passage.face.height() <= height, "{line}");
        assert!(line.starts_with("Unlock") && line.ends_with("6a88"), "{line}");
        assert_eq!(line.contains(ELLIPSIS), line != title);
    }
    assert_eq!(Passage::line(title, room(1700, 60)).lines, [title]);
    let short = Passage::line("Unlock root", room(648, 59));
    assert_eq!((short.lines, short.face), (vec!["Unlock root".into()], Face::fitting("", room(648, 59))));
    for width in [0, 1, 9] {
        assert_eq!(Passage::line(title, room(width, 30)).lines, [ELLIPSIS]);
    }
}

#[test]
fn labels_fit_their_keys_on_every_panel() {
    let layout = Layout::parse("us", US).unwrap();
    let sides = [160, 176, 200, 240, 320, 480, 720, 1080, 1440, 2160, 3000, 4096];
    let sizes = sides.iter().flat_map(|width| sides.iter().map(move |height| room(*width, *height)));
    for size in sizes.chain([room(160, 120), room(160, 128), room(320, 120), room(4096, 120)]) {
        for part in [u32::MAX, 3, 6, 18] {
            let millimetres = (size.width / part, size.height / part);
            let plan = Plan::new(Panel { size, millimetres }, &layout, &[]).unwrap();
            for place in plan.layers.iter().flatten() {
                let label = match place.press {
                    Press::Character(character) => character.to_string(),
                    Press::Layer(layer) => layout.layers()[layer].label.clone(),
                    // Icons fill a key however small it is.
                    _ => continue,
                };
                let (face, key) = (Face::fitting(&label, place.face.size), place.face.size);
                let fits = face.width(&label) <= key.width && face.height() <= key.height;
                assert!(fits, "{size} {millimetres:?}: {label:?} on {key}");
            }
        }
    }
}

#[test]
fn lines_are_in_the_order_in_which_they_are_drawn() {
    let whole = room(9000, 30);
    assert_eq!(Passage::line("Unlock \u{5d0}\u{5d1}", whole).lines, ["Unlock \u{5d1}\u{5d0}"]);
    assert_eq!(Passage::wrapped("\u{5d0}\u{5d1} x", whole, 30).lines, ["\u{5d1}\u{5d0} x"]);
    // Lines are broken first: the first word is in the first line.
    let narrow = room(Face::SMALLEST.width("\u{5d0}\u{5d1}"), 30);
    assert_eq!(
        Passage::wrapped("\u{5d0}\u{5d1} \u{5d2}\u{5d3}", narrow, 30).lines,
        ["\u{5d1}\u{5d0}", "\u{5d3}\u{5d2}"]
    );
}
