//! What is drawn, and how little.

use super::*;
use crate::model::frame::Frame;
use crate::model::logo::Logo;
use crate::model::prompt::battery::Battery;
use crate::model::prompt::layout::{Press, US};
use crate::model::prompt::plan::Panel;
use crate::model::prompt::view::{Shift, Spot, Tone};
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
        Self { plan: Plan::new(panel, &layout).unwrap(), layout, theme, logo: None }
    }

    fn whole(&self, view: &View) -> Frame {
        let mut frame = Frame::new(self.plan.size);
        self.draw(&mut frame, view, None);
        frame
    }

    /// Draws, and gives how many pixels were touched.
    fn draw(&self, frame: &mut Frame, view: &View, shown: Option<&View>) -> u32 {
        frame.take_damage();
        let Ok(()) = draw(frame, (&self.theme, self.logo.as_ref()), (&self.plan, &self.layout), view, shown);
        frame.take_damage().iter().map(|area| area.size.width * area.size.height).sum()
    }
}

#[test]
fn parts_make_the_whole() {
    for (width, height) in [(720, 1440), (1280, 800), (320, 240), (480, 320), (1404, 1872)] {
        let easel = Easel::new(width, height, DARK);
        for view in views() {
            let mut frame = Frame::new(easel.plan.size);
            let mut from = 0;
            for part in parts(&easel.plan) {
                assert_eq!((part.top_left, part.size.width), (Point::new(0, from), width), "{width}x{height}");
                from += part.size.height as i32;
                let style = (&easel.theme, easel.logo.as_ref());
                draw_part(&mut frame, style, (&easel.plan, &easel.layout), &view, part).unwrap();
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
        assert!(damage < 4.6, "{width}x{height}: {damage:.2} %");
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
        let Ok(plan) =
            Plan::new(Panel { size: Size::new(width, height), millimetres: (0, 0) }, &Layout::parse("us", US).unwrap())
        else {
            continue;
        };
        let layout = Layout::parse("us", US).unwrap();
        let (logo, view) = (logo(), view());
        let scene = Scene { theme: &DARK, logo: Some(&logo), plan: &plan, layout: &layout, view: &view };
        for size in [logo.size(), Size::new(4000, 9), Size::new(3, 3000)] {
            let Some((corner, scale)) = emblem::place(scene, size) else { continue };
            let area = Rectangle::new(corner, scale.size());
            let told = format!("{size:?} on {width}x{height}: {area:?}");
            let end = area.bottom_right().unwrap();
            assert!(corner.x >= 0 && corner.y >= 0 && end.x < width as i32 && end.y < plan.title.top_left.y, "{told}");
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
    assert!(rows.len() > 20 && rows.iter().all(|y| (*y as i32) < easel.plan.title.top_left.y), "{rows:?}");
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
            let least = on.len() / 32;
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
            let popover = Popover::of(Scene { theme, logo: None, plan, layout, view: &view });
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
            let calm = Scene { theme: &MONO, logo: None, plan, layout, view: &view };
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
