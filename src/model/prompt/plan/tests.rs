//! Every panel gets a plan in which nothing is clipped, overlaps or is out of reach.

use super::*;
use crate::error::Exit;
use crate::model::prompt::layout::US;

/// Less than the smallest label needs.
const FACE_MIN: Size = Size::new(14, 13);
/// More layouts than fit on a small panel.
const NAMES: [&str; 48] = ["us"; 48];

fn layout() -> Layout {
    Layout::parse("us", US).unwrap()
}

fn plan(width: u32, height: u32, millimetres: (u32, u32)) -> Result<Plan> {
    Plan::new(Panel { size: Size::new(width, height), millimetres }, &layout(), &NAMES)
}

fn inside(outer: Rectangle, inner: Rectangle) -> bool {
    outer.intersection(&inner) == inner
}

fn pixels(area: Rectangle) -> u32 {
    area.size.width * area.size.height
}

/// Sizes of panels from the smallest to a wall, odd ones among them, and those that people have.
fn sizes() -> Vec<(u32, u32)> {
    let mut sizes = Vec::new();
    for width in (160..=4096).step_by(131) {
        sizes.extend((120..=4096).step_by(142).map(|height| (width, height)));
    }
    for (width, height) in [
        (160, 128),
        (240, 240),
        (320, 240),
        (480, 320),
        (800, 480),
        (480, 800),
        (1920, 480),
        (720, 1440),
        (1080, 2400),
        (800, 1280),
        (1366, 768),
        (1920, 1080),
        (2560, 1600),
        (3840, 2160),
        (3440, 1440),
        (4096, 4096),
    ] {
        sizes.extend([(width, height), (height, width)].into_iter().filter(|(width, _)| *width >= 160));
    }
    sizes
}

/// A plan without claims of the panel's size, and with those of densities that panels have.
fn plans() -> impl Iterator<Item = (String, Plan)> {
    sizes().into_iter().flat_map(|(width, height)| {
        [0, 60, 96, 160, 300, 550].into_iter().map(move |dpi| {
            let mm = |pixels: u32| (pixels * 254).checked_div(dpi * 10).unwrap_or(0);
            (format!("{width}x{height} at {dpi} dpi"), plan(width, height, (mm(width), mm(height))).unwrap())
        })
    })
}

#[test]
fn nothing_is_clipped_and_nothing_overlaps() {
    for (name, plan) in plans() {
        let panel = Rectangle::new(Point::zero(), plan.size);
        for sheet in [Sheet::Keys, Sheet::Hidden] {
            let stack = plan.stack(sheet);
            let keyboard = if sheet == Sheet::Hidden { Rectangle::zero() } else { plan.keyboard };
            let controls = plan.controls(sheet).iter();
            let corners = controls.filter(|place| [Press::Hide, Press::Power].contains(&place.press));
            let parts = [stack.title, stack.field, stack.message, keyboard, plan.status];
            let parts: Vec<Rectangle> = parts.into_iter().chain(corners.map(|place| place.touch)).collect();
            for (at, part) in parts.iter().enumerate() {
                assert!(inside(panel, *part) || part.is_zero_sized(), "{name}: {part:?} is clipped");
                for other in &parts[at + 1..] {
                    assert!(part.intersection(other).is_zero_sized(), "{name}: {part:?} on {other:?}");
                }
            }
            assert!(stack.title.size.height >= 13 && stack.title_line == stack.title.size.height, "{name}");
            assert!(stack.field.size.height >= 14, "{name}");
            assert!(stack.message.size.height >= 33 && stack.message_line >= 13, "{name}: {:?}", stack.message);
            assert!(stack.message_line <= stack.title_line, "{name}");
        }
    }
}

#[test]
fn keys_share_the_keyboard_out_among_them() {
    for (name, plan) in plans() {
        for layer in &plan.layers {
            for (at, key) in layer.iter().enumerate() {
                assert!(inside(plan.keyboard, key.touch), "{name}: {key:?}");
                assert!(inside(key.touch, key.face), "{name}: {key:?}");
                let Size { width, height } = key.face.size;
                assert!(width >= FACE_MIN.width && height >= FACE_MIN.height, "{name}: {key:?}");
                for other in &layer[at + 1..] {
                    assert!(key.touch.intersection(&other.touch).is_zero_sized(), "{name}: {key:?} on {other:?}");
                }
            }
            // None overlaps and all are inside: without holes when their areas add up.
            assert_eq!(layer.iter().map(|key| pixels(key.touch)).sum::<u32>(), pixels(plan.keyboard), "{name}");
        }
    }
}

#[test]
fn controls_are_where_nothing_else_is() {
    let (mut corners, mut both) = (0, 0);
    for (name, plan) in plans() {
        let panel = Rectangle::new(Point::zero(), plan.size);
        let presses = |sheet| plan.controls(sheet).iter().map(|place| place.press).collect::<Vec<_>>();
        assert_eq!(presses(Sheet::Keys), presses(Sheet::Hidden), "{name}");
        assert_eq!(presses(Sheet::Keys)[0], Press::Reveal, "{name}");
        for sheet in [Sheet::Keys, Sheet::Layouts(0), Sheet::Power, Sheet::Hidden] {
            let (stack, controls) = (plan.stack(sheet), plan.controls(sheet));
            for (at, control) in controls.iter().enumerate() {
                assert!(inside(panel, control.touch) && inside(control.touch, control.face), "{name}: {control:?}");
                if [Press::Reveal, Press::Clear].contains(&control.press) {
                    assert!(inside(stack.field, control.face), "{name}: {control:?}");
                    // Typing needs most of the field.
                    assert!((control.face.top_left.x as u32) > plan.size.width / 2, "{name}");
                }
                let others = controls[at + 1..].iter().chain(plan.keys(sheet, 0)).map(|place| place.touch);
                for other in others.chain([stack.title, stack.message]) {
                    assert!(control.touch.intersection(&other).is_zero_sized(), "{name}: {control:?} on {other:?}");
                }
                let spot = plan.spot_at(sheet, 0, control.face.center());
                assert_eq!(spot, Some(Spot::Control(at)), "{name}");
                assert_eq!(plan.place(sheet, 0, Spot::Control(at)), Some(control), "{name}");
            }
        }
        both += u32::from(presses(Sheet::Keys).contains(&Press::Clear));
        corners += u32::from(presses(Sheet::Keys).contains(&Press::Power));
        let short = plan.size.width.min(plan.size.height);
        assert!(short >= 300 || !presses(Sheet::Keys).contains(&Press::Hide), "{name}");
        let is_common = [(720, 1440), (1080, 2400), (1366, 768), (1920, 1080), (800, 480), (480, 800)]
            .contains(&(plan.size.width, plan.size.height));
        assert!(
            !is_common || !name.ends_with("at 0 dpi") || presses(Sheet::Keys).len() == 4,
            "{name}: {:?}",
            presses(Sheet::Keys)
        );
    }
    assert!(corners > 3000 && both > 4000, "{corners} {both}");
}

#[test]
fn sheets_are_in_the_keyboards_place() {
    for (name, plan) in plans() {
        let pages = (0..plan.layouts.len()).map(Sheet::Layouts);
        for sheet in pages.chain([Sheet::Power]) {
            let places = plan.keys(sheet, 0);
            for (at, place) in places.iter().enumerate() {
                assert!(inside(plan.keyboard, place.touch) && inside(place.touch, place.face), "{name}: {place:?}");
                let Size { width, height } = place.face.size;
                assert!(width >= 28 && height >= FACE_MIN.height, "{name}: {place:?}");
                for other in &places[at + 1..] {
                    assert!(place.touch.intersection(&other.touch).is_zero_sized(), "{name}: {place:?} on {other:?}");
                }
            }
        }
        let mut picked = 0;
        for page in &plan.layouts {
            let presses: Vec<_> = page.iter().map(|place| place.press).collect();
            let is_pick = |press: &&Press| matches!(press, Press::Pick(_));
            let others: &[Press] = if plan.layouts.len() > 1 { &[Press::More, Press::Back] } else { &[Press::Back] };
            let (picks, rest) = presses.split_at(presses.iter().take_while(is_pick).count());
            assert_eq!(rest, others, "{name}");
            assert!(!picks.is_empty(), "{name}");
            assert!((picked..).zip(picks).all(|(at, press)| *press == Press::Pick(at)), "{name}");
            picked += picks.len();
            assert_eq!(page.iter().map(|place| pixels(place.touch)).sum::<u32>(), pixels(plan.keyboard), "{name}");
        }
        // Whoever cannot choose a layout may not be able to type.
        assert_eq!(picked, NAMES.len(), "{name}");
        let is_large = plan.size.width.min(plan.size.height) >= 500 && name.ends_with("at 0 dpi");
        assert!(plan.layouts.len() <= if is_large { 2 } else { 7 }, "{name}: {} pages", plan.layouts.len());
        let presses: Vec<_> = plan.power.iter().map(|place| place.press).collect();
        assert_eq!(presses, [Press::Back, Press::PowerOff], "{name}");
    }
    let few = Panel { size: Size::new(480, 800), millimetres: (0, 0) };
    for count in 0..NAMES.len() {
        let plan = Plan::new(few, &layout(), &NAMES[..count]).unwrap();
        let [page] = &plan.layouts[..] else { panic!("{count} on more than one page") };
        assert_eq!(page.len(), count + 1);
        let covered: u32 = page.iter().map(|key| pixels(key.touch)).sum();
        assert_eq!(covered, pixels(plan.keyboard), "{count}");
    }
}

#[test]
fn alternatives_are_above_the_finger_and_on_the_panel() {
    for (name, plan) in plans() {
        let panel = Rectangle::new(Point::zero(), plan.size);
        for key in plan.layers.iter().take(1).flatten() {
            for count in [0, 1, 2, 5, 9, 13, 18] {
                let cells = plan.choices(key, count);
                assert_eq!(cells.len(), count, "{name}");
                let finger = key.face.center();
                for (at, cell) in cells.iter().enumerate() {
                    assert!(inside(panel, *cell) && pixels(*cell) > 0, "{name}: {cell:?} of {key:?}");
                    assert!(cell.size.width >= 14 && cell.size.height >= 11, "{name}: {cell:?}");
                    assert!(cell.intersection(&key.face).is_zero_sized(), "{name}: {cell:?} on {key:?}");
                    for other in &cells[at + 1..] {
                        assert!(cell.intersection(other).is_zero_sized(), "{name}: {cell:?} on {other:?}");
                    }
                    // The first is the nearest.
                    assert!(!cell.columns().contains(&finger.x) || at % count.div_ceil(2) == 0, "{name}: {cell:?}");
                }
                if let Some(first) = cells.first() {
                    assert!(first.columns().contains(&finger.x), "{name}: {first:?} above {key:?}");
                    assert_eq!(first.bottom_right().unwrap().y + 1, key.face.top_left.y, "{name}");
                }
            }
        }
    }
}

#[test]
fn a_fifth_row_comes_where_fingers_and_prompt_have_room() {
    let has = |pixels: (u32, u32), millimetres: (u32, u32)| {
        let plan = plan(pixels.0, pixels.1, millimetres).unwrap();
        plan.layers[0][0].press == Press::Character('1')
    };
    for (pixels, millimetres) in [
        ((720, 1440), (65, 130)),
        ((1080, 2400), (68, 151)),
        ((800, 480), (154, 86)),
        ((1366, 768), (309, 173)),
        ((1920, 1080), (531, 299)),
        ((1920, 1200), (216, 135)),
    ] {
        assert!(has(pixels, millimetres), "{pixels:?}");
    }
    // Sideways in a hand, and a toy.
    for (pixels, millimetres) in [((1440, 720), (130, 65)), ((240, 240), (27, 27)), ((480, 320), (73, 49))] {
        assert!(!has(pixels, millimetres), "{pixels:?}");
    }
    for (name, plan) in plans() {
        let (first, layout) = (&plan.layers[0], layout());
        let hints = first.iter().filter_map(|place| place.hint).collect::<String>();
        let digits = "1234567890";
        let has = first[0].press == Press::Character('1');
        assert_eq!(hints, if has { "" } else { digits }, "{name}");
        let e = first.iter().find(|place| place.press == Press::Character('e')).unwrap();
        assert_eq!(e.alternatives(&layout)[0], if has { 'è' } else { '3' }, "{name}");
        assert!(plan.layers[2].iter().all(|place| place.hint.is_none()), "{name}");
    }
}

#[test]
fn keys_have_a_pleasant_shape_and_the_prompt_room() {
    for (name, plan) in plans() {
        let letter = plan.layers[0][0].face.size;
        let shape = letter.width as f32 / letter.height as f32;
        let is_tall = plan.size.height * 2 >= plan.size.width * 3;
        assert!((0.6..=2.1).contains(&shape), "{name}: {letter}");
        let share = plan.keyboard.size.height as f32 / plan.size.height as f32;
        assert!(share <= if is_tall { 0.5 } else { 0.62 }, "{name}: {share}");
        // Thumbs reach: at the lower edge, but for a margin.
        let below = plan.size.height as i32 - plan.keyboard.bottom_right().unwrap().y - 1;
        assert!(below as u32 <= plan.size.width / 20 + 4, "{name}: {below} px below the keyboard");
    }
}

#[test]
fn tiny_panels_are_refused() {
    for (width, height) in [(3, 3), (0, 0), (159, 500), (500, 119)] {
        assert_eq!(plan(width, height, (0, 0)).unwrap_err().exit(), Exit::NoDisplay);
    }
}

/// Height and width of the letter keys and width of the keyboard, in millimetres.
fn measured(pixels: (u32, u32), millimetres: (u32, u32)) -> (f32, f32, f32) {
    let plan = plan(pixels.0, pixels.1, millimetres).unwrap();
    let px_per_mm = Panel { size: plan.size, millimetres }.px_per_mm();
    let letter = plan.layers[0][0].touch.size;
    (plan.key_height as f32 / px_per_mm, letter.width as f32 / px_per_mm, plan.keyboard.size.width as f32 / px_per_mm)
}

#[test]
fn fingers_hit_keys_on_devices_that_exist() {
    for (name, pixels, millimetres) in [
        ("Librem 5", (720, 1440), (65, 130)),
        ("PinePhone", (720, 1440), (68, 136)),
        ("phone", (1080, 2400), (68, 151)),
        ("phone sideways", (1440, 720), (130, 65)),
        ("Steam Deck", (1280, 800), (151, 95)),
        ("Duet", (1920, 1200), (216, 135)),
        ("Duet upright", (1200, 1920), (135, 216)),
        ("Pi", (800, 480), (154, 86)),
        ("laptop", (1366, 768), (309, 173)),
        ("24\"", (1920, 1080), (531, 299)),
        ("27\" 4K", (3840, 2160), (597, 336)),
        ("34\"", (3440, 1440), (797, 333)),
    ] {
        let (height, width, whole) = measured(pixels, millimetres);
        assert!(height >= 7.0, "{name}: keys of {height} mm");
        assert!(width >= 6.2, "{name}: columns of {width} mm");
        assert!(height <= 17.0 && width <= 26.0, "{name}: keys of {width} x {height} mm");
        assert!(whole <= 260.0, "{name}: {whole} mm");
    }
}

#[test]
fn text_has_the_same_height_in_millimetres_however_dense_the_panel() {
    let line = |pixels: (u32, u32), mm: (u32, u32)| {
        let plan = plan(pixels.0, pixels.1, mm).unwrap();
        plan.above.title_line as f32 * mm.0 as f32 / pixels.0 as f32
    };
    let phones = [line((720, 1440), (65, 130)), line((1080, 2160), (65, 130)), line((1440, 2880), (65, 130))];
    assert!(phones.iter().all(|mm| (4.8..=5.8).contains(mm)), "{phones:?}");
    let monitors = [line((1920, 1080), (597, 336)), line((2560, 1440), (597, 336)), line((3840, 2160), (597, 336))];
    assert!(monitors.iter().all(|mm| (12.0..=14.0).contains(mm)), "{monitors:?}");
}

#[test]
fn a_turned_panel_is_as_dense() {
    let upright = plan(720, 1440, (65, 130)).unwrap();
    assert_eq!(plan(720, 1440, (130, 65)).unwrap(), upright);
}

#[test]
fn a_layer_of_fewer_rows_has_higher_keys() {
    let text = "layer pin 123\n1 2 3 4 5\nbackspace 6 7 8 enter\nlayer all abc\na b\nc d\ne f\npin backspace enter";
    let layout = Layout::parse("pin", text).unwrap();
    let plan = Plan::new(Panel { size: Size::new(480, 800), millimetres: (0, 0) }, &layout, &[]).unwrap();
    for layer in &plan.layers {
        assert_eq!(layer.iter().map(|key| pixels(key.touch)).sum::<u32>(), pixels(plan.keyboard));
    }
    assert!(plan.layers[0][0].face.size.height > 2 * plan.key_height - 9);
}

#[test]
fn a_touch_finds_the_key_it_is_on() {
    let plan = plan(720, 1440, (0, 0)).unwrap();
    for (layer, keys) in plan.layers.iter().enumerate() {
        for (at, key) in keys.iter().enumerate() {
            assert_eq!(plan.spot_at(Sheet::Keys, layer, key.face.center()), Some(Spot::Key(at)));
        }
    }
    assert_eq!(plan.spot_at(Sheet::Keys, 0, plan.above.title.center()), None);
    assert_eq!(plan.spot_at(Sheet::Hidden, 0, plan.layers[0][0].face.center()), None);
    assert_eq!(plan.spot_at(Sheet::Keys, 9, plan.layers[0][0].face.center()), None);
    // The thumb that misses the last row by the panel's edge, and the one left of `a`.
    assert!(plan.spot_at(Sheet::Keys, 0, Point::new(360, 1439)).is_some());
    let a = plan.layers[0].iter().position(|key| key.press == Press::Character('a')).unwrap();
    assert_eq!(plan.spot_at(Sheet::Keys, 0, Point::new(0, plan.layers[0][a].face.center().y)), Some(Spot::Key(a)));
}

#[test]
fn every_built_in_layout_fits_on_every_panel() {
    use crate::model::prompt::layouts;

    let sizes = [(160, 120), (240, 240), (320, 480), (480, 800), (1440, 720), (1080, 2400), (1366, 768), (2560, 1600)];
    for name in layouts::names() {
        let layout = Layout::parse(name, layouts::find(name).unwrap()).unwrap();
        for (width, height) in sizes {
            let panel = Panel { size: Size::new(width, height), millimetres: (0, 0) };
            let plan = Plan::new(panel, &layout, &NAMES).unwrap();
            for (layer, keys) in layout.layers().iter().zip(&plan.layers) {
                let told = format!("{name} {} on {width}x{height}", layer.name);
                for (at, key) in keys.iter().enumerate() {
                    assert!(inside(plan.keyboard, key.touch) && inside(key.touch, key.face), "{told}: {key:?}");
                    let Size { width, height } = key.face.size;
                    // Five rows on the smallest panel are low.
                    assert!(width >= 11 && height >= 10, "{told}: {key:?}");
                    for other in &keys[at + 1..] {
                        assert!(key.touch.intersection(&other.touch).is_zero_sized(), "{told}: {key:?} on {other:?}");
                    }
                    // Its own character first, as it is shown.
                    let cells = plan.choices(key, key.alternatives(&layout).len() + 1);
                    let on_panel = |cell: &Rectangle| inside(Rectangle::new(Point::zero(), plan.size), *cell);
                    assert!(cells.iter().all(on_panel), "{told}: {key:?}");
                }
            }
        }
    }
}
