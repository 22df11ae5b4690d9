//! What is drawn, and how little.

use super::*;
use crate::model::frame::Frame;
use crate::model::logo::Logo;
use crate::model::noise::Noise;
use crate::model::prompt::battery::Battery;
use crate::model::prompt::layout::{Press, US};
use crate::model::prompt::plan::Panel;
use crate::model::prompt::view::{Choices, Shift, Spot, Tone};
use crate::model::theme::{DARK, MONO, THEMES};

fn view() -> View {
    View {
        title: "Unlock /dev/vda".into(),
        layout: "US".into(),
        ready: true,
        enabled: true,
        battery: Some(Battery { percent: 83, charging: true }),
        ..View::default()
    }
}

fn views() -> Vec<View> {
    let busy = View { enabled: false, working: Some(7), message: "Unlocking".into(), characters: 9, ..view() };
    vec![
        view(),
        View { pressed: Some(Spot::Key(3)), characters: 5, ..view() },
        View { pressed: Some(Spot::Key(12)), characters: 4, battery: None, ..view() },
        View { pressed: Some(Spot::Key(29)), characters: 1, layout: "DE".into(), ..view() },
        View { layer: 1, shift: Shift::Once { since_ms: 0 }, characters: 500, pressed: Some(Spot::Key(0)), ..view() },
        View { layer: 1, shift: Shift::Lock, caps_lock: true, characters: 500, ..view() },
        View { layer: 3, tries_left: Some(2), caps_lock: true, characters: 500, ..view() },
        View { message: "Wrong passphrase".into(), tone: Tone::Alarm, tries_left: Some(1), ..view() },
        View { working: Some(8), busy_s: Some(12), ..busy.clone() },
        busy,
        View { title: "\u{10ffff}".repeat(300), message: "x".repeat(4000), tone: Tone::Alarm, ..view() },
    ]
}

/// Layouts to choose from.
const NAMES: [&str; 30] = ["us"; 30];
/// What may have been typed, by the number of edits.
const TYPED: [&str; 7] = [
    "",
    "x",
    "correct horse",
    "\u{e4}\u{20ac}\u{301}",
    "a \u{5d0}\u{5d1} 12 b",
    "\u{200c}\u{6f22}\u{1f600}",
    "long enough to scroll: \u{5d0}\u{5d1} 0123456789 0123456789 0123456789 0123456789",
];

struct Easel {
    layout: Layout,
    plan: Plan,
    theme: Theme,
    logo: Option<Logo>,
}

impl Easel {
    fn new(width: u32, height: u32, theme: Theme) -> Self {
        let layout = Layout::parse("us", US).unwrap();
        let panel = Panel { size: Size::new(width, height), millimetres: (0, 0) };
        Self { plan: Plan::new(panel, &layout, &NAMES).unwrap(), layout, theme, logo: None }
    }

    fn whole(&self, view: &View) -> Frame {
        let mut frame = Frame::new(self.plan.size);
        self.draw(&mut frame, view, None);
        frame
    }

    /// Draws, and gives how many pixels were touched.
    fn draw(&self, frame: &mut Frame, view: &View, shown: Option<&View>) -> u32 {
        frame.take_damage();
        let typed = if view.revealed { TYPED[view.edits as usize % TYPED.len()] } else { "" };
        let Ok(()) = draw(frame, (&self.theme, self.logo.as_ref()), (&self.plan, &self.layout), (view, typed), shown);
        frame.take_damage().iter().map(|area| area.size.width * area.size.height).sum()
    }
}

#[test]
fn parts_make_the_whole() {
    for (width, height) in [(720, 1440), (1280, 800), (320, 240), (480, 320), (1404, 1872), (600, 1024)] {
        let easel = Easel::new(width, height, DARK);
        for view in views() {
            let mut frame = Frame::new(easel.plan.size);
            let mut from = 0;
            for part in parts(&easel.plan, view.sheet) {
                assert_eq!((part.top_left, part.size.width), (Point::new(0, from), width), "{width}x{height}");
                from += part.size.height as i32;
                let style = (&easel.theme, easel.logo.as_ref());
                draw_part(&mut frame, style, (&easel.plan, &easel.layout), (&view, ""), part).unwrap();
                assert_eq!(frame.take_damage(), [part], "{width}x{height}");
            }
            assert_eq!(from, height as i32);
            assert!(frame.pixels() == easel.whole(&view).pixels(), "{width}x{height}: {}", view.message);
        }
    }
}

#[test]
fn the_difference_drawn_is_the_whole_drawn_anew() {
    for (width, height) in [(160, 120), (240, 240), (360, 720), (1280, 800)] {
        for (name, theme) in THEMES.into_iter().filter(|(name, _)| width < 300 || *name == "dark") {
            let mut easel = Easel::new(width, height, theme);
            easel.logo = Some(logo());
            let whole: Vec<Frame> = views().iter().map(|view| easel.whole(view)).collect();
            for (from, start) in views().iter().zip(&whole) {
                for (at, to) in views().iter().enumerate() {
                    let mut frame = start.clone();
                    let damage = easel.draw(&mut frame, to, Some(from));
                    assert!(frame.pixels() == whole[at].pixels(), "{width}x{height} {name}, to {at}");
                    assert!(from != to || damage == 0);
                }
            }
        }
    }
}

/// What may change.
struct Change(Noise);

impl Change {
    fn below(&mut self, end: usize) -> usize {
        self.0.below(end as u64) as usize
    }

    fn is(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn spot(&mut self, plan: &Plan, sheet: Sheet, layer: usize) -> Option<Spot> {
        let (keys, controls) = (plan.keys(sheet, layer).len(), plan.controls(sheet).len());
        match self.below(4) {
            0 if keys > 0 => Some(Spot::Key(self.below(keys))),
            1 => Some(Spot::Control(self.below(controls))),
            2 => Some(Spot::Choice(self.below(5))),
            _ => None,
        }
    }

    /// `view` with some of its parts changed.
    fn change(&mut self, plan: &Plan, view: &View) -> View {
        let mut view = view.clone();
        for _ in 0..=self.below(3) {
            match self.below(14) {
                0 => view.layer = self.below(plan.layers.len()),
                1 => view.shift = [Shift::Off, Shift::Once { since_ms: 0 }, Shift::Lock][self.below(3)],
                2 => {
                    view.sheet =
                        [Sheet::Keys, Sheet::Layouts(0), Sheet::Layouts(1), Sheet::Power, Sheet::Hidden][self.below(5)]
                }
                3 => view.choices = None,
                4 => view.focus = self.spot(plan, view.sheet, view.layer),
                5 => {
                    let point = Point::new(self.below(4000) as i32 - 20, self.below(4000) as i32 - 20);
                    let size = Point::new(plan.size.width as i32 + 40, plan.size.height as i32 + 40);
                    view.cursor = Some(Point::new(point.x % size.x, point.y % size.y)).filter(|_| !self.is(4));
                }
                6 => view.message = ["", "Caps Lock is on", "Wrong passphrase. 2 tries left"][self.below(3)].into(),
                7 => view.tries_left = [None, Some(1), Some(12)][self.below(3)],
                8 => view.caps_lock = self.is(2),
                9 => view.enabled = !self.is(3),
                10 => view.layout = ["US", "GERMAN"][self.below(2)].into(),
                11 => view.battery = [None, Some(Battery { percent: 5, charging: false })][self.below(2)],
                _ => {
                    let at = self.below(TYPED.len());
                    view.revealed = self.is(2);
                    (view.edits, view.characters) = (at as u32, TYPED[at].chars().count());
                    view.caret = self.below(view.characters + 1);
                }
            }
        }
        view.pressed = self.spot(plan, view.sheet, view.layer);
        if let (Sheet::Keys, Some(Spot::Choice(_))) = (view.sheet, view.pressed) {
            let key = self.below(plan.keys(view.sheet, view.layer).len());
            let characters = "e\u{e9}\u{ea}\u{eb}\u{e8}".chars().collect();
            view.choices = view.choices.or(Some(Choices { key, characters }));
        } else {
            view.choices = None;
        }
        view
    }
}

#[test]
fn any_change_drawn_is_the_whole_drawn_anew() {
    let mut noise = Change(Noise::new(0x2545_f491));
    for (width, height, rounds) in [(160, 120, 300), (240, 240, 200), (480, 640, 50), (900, 640, 25)] {
        for (name, theme) in THEMES {
            let easel = Easel::new(width, height, theme);
            let mut view = view();
            let mut frame = easel.whole(&view);
            for round in 0..rounds {
                let next = noise.change(&easel.plan, &view);
                let damage = easel.draw(&mut frame, &next, Some(&view));
                assert!(next != view || damage == 0, "{width}x{height} {name}, round {round}");
                assert!(frame.pixels() == easel.whole(&next).pixels(), "{width}x{height} {name}, round {round}");
                view = next;
            }
        }
    }
}

#[test]
fn a_mouse_damages_where_it_was_and_where_it_is() {
    let easel = Easel::new(1280, 800, DARK);
    let at = |x, y| View { cursor: Some(Point::new(x, y)), characters: 3, ..view() };
    let mut frame = easel.whole(&at(300, 600));
    let arrow = easel.draw(&mut frame, &at(600, 700), Some(&at(300, 600)));
    assert!((200..2 * 65 * 65).contains(&arrow), "{arrow}");
    // What happens elsewhere leaves it alone.
    let typed = View { characters: 4, ..at(600, 700) };
    let (alone, both) = (
        easel.draw(
            &mut easel.whole(&View { cursor: None, ..at(0, 0) }),
            &View { cursor: None, ..typed.clone() },
            Some(&View { cursor: None, ..at(0, 0) }),
        ),
        easel.draw(&mut frame, &typed, Some(&at(600, 700))),
    );
    assert_eq!(alone, both);
}

#[test]
fn the_focus_and_a_choice_are_seen_in_every_theme() {
    for (name, theme) in THEMES {
        let easel = Easel::new(480, 800, theme);
        let plain = easel.whole(&view());
        let differing =
            |frame: &Frame| frame.pixels().iter().zip(plain.pixels()).filter(|(one, other)| one != other).count();
        let spots = (0..easel.plan.layers[0].len()).map(Spot::Key).chain((0..4).map(Spot::Control));
        for spot in spots {
            let place = easel.plan.place(Sheet::Keys, 0, spot).unwrap();
            let seen = differing(&easel.whole(&View { focus: Some(spot), ..view() }));
            let around = 2 * (place.face.size.width + place.face.size.height) as usize;
            assert!(seen > around, "{name}, {spot:?}: {seen} pixels, not {around}");
        }
        let choices = |number| View {
            pressed: Some(Spot::Choice(number)),
            choices: Some(Choices { key: 12, characters: vec!['e', 'f', 'g'] }),
            ..view()
        };
        let (one, other) = (easel.whole(&choices(0)), easel.whole(&choices(2)));
        let moved = one.pixels().iter().zip(other.pixels()).filter(|(one, other)| one != other).count();
        let cell = easel.plan.choices(&easel.plan.layers[0][12], 3)[0].size;
        assert!(moved > (cell.width * cell.height) as usize, "{name}: {moved}");
        // Both cells and nothing else.
        let damage = easel.draw(&mut easel.whole(&choices(0)), &choices(2), Some(&choices(0)));
        assert!(damage <= 2 * cell.width * cell.height, "{name}: {damage}");
    }
}

#[test]
fn a_pressed_key_damages_little() {
    let calm = View { tries_left: Some(2), ..view() };
    let wrong = View { message: "Wrong passphrase. 2 tries left".into(), tone: Tone::Alarm, ..view() };
    for (width, height) in [(1080, 2400), (1280, 800)] {
        let easel = Easel::new(width, height, DARK);
        let share = |pixels: u32| f64::from(pixels) * 100.0 / f64::from(width * height);
        for (layer, characters) in (0..easel.plan.layers.len()).flat_map(|layer| [(layer, 0), (layer, 5)]) {
            let up = View { layer, characters, ..calm.clone() };
            let mut frame = easel.whole(&up);
            let keys = easel.plan.layers[layer].len();
            for at in 0..keys {
                let down = View { pressed: Some(Spot::Key(at)), ..up.clone() };
                let slid = View { pressed: Some(Spot::Key((at + 1) % keys)), ..up.clone() };
                let typed = View { characters: characters + 1, ..up.clone() };
                let steps = [(&up, &down), (&down, &slid), (&slid, &down), (&down, &typed), (&typed, &up)];
                for (step, (from, to)) in steps.into_iter().enumerate() {
                    let damage = share(easel.draw(&mut frame, to, Some(from)));
                    // Sliding lets one key go and presses another.
                    let most = if step == 1 || step == 2 { 6.0 } else { 3.0 };
                    assert!(damage < most, "{width}x{height}, layer {layer}, key {at}, step {step}: {damage:.2} %");
                }
            }
        }
        // The first key after a wrong passphrase takes the message away, too, when it is let go. What it
        // said of tries moves into the field.
        let wrong = View { pressed: Some(Spot::Key(12)), ..wrong.clone() };
        let damage = share(easel.draw(&mut easel.whole(&wrong), &View { characters: 1, ..calm.clone() }, Some(&wrong)));
        println!("{damage}");
        assert!(damage < 4.7, "{width}x{height}: {damage:.2} %");
    }
}

/// A picture with edges, colours and holes.
fn logo() -> Logo {
    Logo::parse(include_bytes!("../../../tests/logo.qoi")).unwrap()
}

#[test]
fn a_logo_is_above_the_title_and_covers_nothing() {
    let mut shown = 0;
    for (width, height) in
        (160..1400).step_by(137).flat_map(|width| [(width, width * 2), (width, width * 2 / 3), (width, 320)])
    {
        let Ok(plan) = Plan::new(
            Panel { size: Size::new(width, height), millimetres: (0, 0) },
            &Layout::parse("us", US).unwrap(),
            &[],
        ) else {
            continue;
        };
        let layout = Layout::parse("us", US).unwrap();
        let (logo, view) = (logo(), view());
        let scene = Scene { theme: &DARK, logo: Some(&logo), plan: &plan, layout: &layout, view: &view, typed: "" };
        for size in [logo.size(), Size::new(4000, 9), Size::new(3, 3000)] {
            let Some((corner, scale)) = emblem::place(scene, size) else { continue };
            let area = Rectangle::new(corner, scale.size());
            let told = format!("{size:?} on {width}x{height}: {area:?}");
            let end = area.bottom_right().unwrap();
            assert!(
                corner.x >= 0 && corner.y >= 0 && end.x < width as i32 && end.y < plan.above.title.top_left.y,
                "{told}"
            );
            assert!(scale.size().width <= size.width && scale.size().height <= size.height, "{told}");
            let battery = supply::area(scene).unwrap_or_default();
            assert!(area.intersection(&battery).is_zero_sized(), "{told}");
            shown += 1;
        }
    }
    assert!(shown > 20, "{shown}");
    // It takes the padlock's place, and no more than the rows above the title changes.
    let mut easel = Easel::new(360, 720, DARK);
    let without = easel.whole(&view());
    easel.logo = Some(logo());
    let with = easel.whole(&view());
    let differing = (0..720).filter(|y| with.row(0, *y, 360) != without.row(0, *y, 360));
    let rows: Vec<usize> = differing.collect();
    assert!(rows.len() > 20 && rows.iter().all(|y| (*y as i32) < easel.plan.above.title.top_left.y), "{rows:?}");
}

#[test]
fn what_moves_damages_little_and_not_at_all_on_paper() {
    for theme in [DARK, MONO] {
        let easel = Easel::new(1080, 2400, theme);
        let step = |step, busy_s| View {
            working: Some(step),
            busy_s,
            message: "Unlocking\u{2026}".into(),
            enabled: false,
            ..view()
        };
        let mut frame = easel.whole(&step(1, None));
        let pixels = easel.draw(&mut frame, &step(2, None), Some(&step(1, None)));
        assert!(if theme.motion { (500..8000).contains(&pixels) } else { pixels == 0 }, "{pixels}");
    }
}

#[test]
fn mono_has_no_greys() {
    let mut easel = Easel::new(360, 720, MONO);
    easel.logo = Some(logo());
    for view in views() {
        assert!(easel.whole(&view).pixels().iter().all(|pixel| [0, 0xff_ffff].contains(pixel)));
    }
}

#[test]
fn keys_that_do_nothing_look_so_in_every_theme() {
    for (name, theme) in THEMES {
        let easel = Easel::new(480, 800, theme);
        let (on, off) = (easel.whole(&view()), easel.whole(&View { enabled: false, ..view() }));
        for place in &easel.plan.layers[0] {
            let pixels = |frame: &Frame| -> Vec<u32> {
                let (x, width) = (place.face.top_left.x as usize, place.face.size.width as usize);
                place.face.rows().flat_map(|y| frame.row(x, y as usize, width).to_vec()).collect()
            };
            let (on, off) = (pixels(&on), pixels(&off));
            let differing = on.iter().zip(&off).filter(|(on, off)| on != off).count();
            // On paper, and of keys that do something else, only outline and label can fade.
            let least = on.len() / 48;
            assert!(differing >= least, "{name}, {place:?}: {differing} of {} pixels", on.len());
        }
    }
}

#[test]
fn a_pressed_character_is_seen_above_the_finger() {
    for (width, height) in [(240, 240), (480, 800), (1280, 800)] {
        let easel = Easel::new(width, height, DARK);
        let Easel { plan, layout, theme, .. } = &easel;
        for (at, place) in plan.layers[0].iter().enumerate().step_by(4) {
            let view = View { pressed: Some(Spot::Key(at)), ..view() };
            let popover = Popover::of(Scene { theme, logo: None, plan, layout, view: &view, typed: "" });
            let Press::Character('!'..) = place.press else {
                assert!(popover.is_none());
                continue;
            };
            let Some(popover) = popover else { panic!("{width}x{height}: no popover above {place:?}") };
            let (up, down) = (easel.whole(&self::view()), easel.whole(&view));
            let differ = |y: i32| {
                let row = |frame: &Frame| frame.row(0, y as usize, width as usize).to_vec();
                row(&up) != row(&down)
            };
            let above = popover.area().top_left.y.max(0)..place.face.top_left.y;
            assert!(above.filter(|y| differ(*y)).count() > plan.key_height as usize / 2, "{width}x{height}");
            let calm = Scene { theme: &MONO, logo: None, plan, layout, view: &view, typed: "" };
            assert!(Popover::of(calm).is_none(), "nothing pops up on paper");
            // All that differs is in its area or the key.
            let inside = |x: i32, y: i32| {
                let at = Point::new(x, y);
                popover.area().contains(at) || place.face.contains(at)
            };
            let outside = (0..height as i32 * width as i32).map(|at| (at % width as i32, at / width as i32));
            let strange = outside
                .filter(|(x, y)| !inside(*x, *y))
                .find(|(x, y)| up.row(*x as usize, *y as usize, 1) != down.row(*x as usize, *y as usize, 1));
            assert_eq!(strange, None, "{width}x{height}");
        }
    }
}
