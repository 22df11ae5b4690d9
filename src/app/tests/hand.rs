//! What hands do, and what they are told: light, lamp, pulse, picture.

use super::*;
use crate::model::prompt::catalogue::Catalogue;
use crate::model::prompt::census::Census;
use crate::model::prompt::view::Sheet;

#[test]
fn the_power_key_puts_the_light_out_and_back_on() {
    let key = |code, stroke| Event::Key { code, stroke };
    let tap = |code| vec![key(code, Stroke::Press), key(code, Stroke::Release)];
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default())), Event::Text('a')]);
    fake.script.push_back(tap(116));
    // It wakes, and the next press puts it out again; a volume key wakes as well, and shows no focus.
    fake.in_the_dark = vec![tap(116), tap(116), tap(115), vec![Event::Text('\n'), Event::Stop]];
    let mut session = session();
    run(&mut fake, &mut session).unwrap_err();
    assert_eq!(fake.lights, [Light::Dark, Light::Full, Light::Dark, Light::Full]);
    assert_eq!((fake.unlocks.as_slice(), session.view().focus), (&[1][..], None));
}

#[test]
fn the_sleep_key_puts_the_light_out_for_longer_than_it_is_held() {
    let key = |stroke| Event::Key { code: 142, stroke };
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default()))]);
    fake.script.push_back(vec![key(Stroke::Press)]);
    fake.in_the_dark = vec![vec![key(Stroke::Release)], vec![Event::Battery(None)], vec![Event::Stop]];
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(fake.lights, [Light::Dark]);
}

#[test]
fn a_machine_is_switched_off_behind_a_blank_panel() {
    let key = |stroke| Event::Key { code: 116, stroke };
    let mut fake = Fake::new(Some(PHONE));
    let ready = Event::Report(Report::Ready(Ready::default()));
    fake.script.push_back(vec![ready, key(Stroke::Press)]);
    // The deadlines lead there.
    let mut session = session();
    let mut hurried = Hurried { fake: &mut fake, until_ms: 1500, waits: 0 };
    run(&mut hurried, &mut session).unwrap_err();
    assert_eq!((session.view().sheet, fake.lines.contains(&"off".into())), (Sheet::Power, false));
    let plan = session.plan().unwrap();
    let at = plan.power.iter().find(|place| place.press == Press::PowerOff).unwrap().face.center();
    let corner = plan.controls(Sheet::Keys).iter().find(|place| place.press == Press::Power).unwrap().face.center();
    let tap = |at| [Phase::Down, Phase::Up].map(|phase| Event::Touch { contact: 0, phase, at });
    fake.script.push_back([[key(Stroke::Release), Event::Text('a')], tap(corner), tap(at)].concat());
    fake.script.push_back(vec![Event::Text('b'), Event::Text('\n')]);
    fake.script.push_back(vec![Event::Stop]);
    let presents = fake.presents;
    run(&mut fake, &mut session).unwrap_err();
    assert!(fake.lines.contains(&"off".into()));
    assert!(fake.lines.contains(&"Unlock /dev/vda: Switch the machine off?".into()), "{:?}", fake.lines);
    // Where that did not work it goes on: a picture, blank, a picture, busy, blank.
    assert_eq!((fake.presents - presents, fake.unlocks.as_slice()), (5, &[1][..]));
    assert!(
        fake.lines.contains(
            &"Unlock /dev/vda: The machine could not be switched off: type the passphrase and press Enter".into()
        ),
        "{:?}",
        fake.lines
    );
}

#[test]
fn each_key_of_the_screen_is_felt() {
    let mut probe = session();
    probe.set_panel(PHONE).unwrap();
    let letter = |character| {
        let keys = &probe.plan().unwrap().layers[0];
        keys.iter().find(|place| place.press == Press::Character(character)).unwrap().face.center()
    };
    let touch = |contact, phase, at| Event::Touch { contact, phase, at };
    let (q, w) = (letter('q'), letter('w'));
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default()))]);
    // Down and up at once, rolled, and slid.
    fake.script.push_back(vec![touch(0, Phase::Down, q), touch(0, Phase::Up, q)]);
    fake.script.push_back(vec![touch(0, Phase::Down, q)]);
    fake.script.push_back(vec![touch(1, Phase::Down, w), touch(0, Phase::Up, q)]);
    fake.script.push_back(vec![touch(1, Phase::Move, q), touch(1, Phase::Up, q)]);
    fake.script.push_back(vec![Event::Text('a'), Event::Stop]);
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(fake.pulses, 3);
}

#[test]
fn lamps_follow_caps_lock_and_new_keyboards_are_told() {
    let caps = |stroke| Event::Key { code: 58, stroke };
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Text('a')]);
    fake.script.push_back(vec![caps(Stroke::Press), caps(Stroke::Release)]);
    fake.script.push_back(vec![Event::Text('a')]);
    fake.script.push_back(vec![Event::Devices(Census::of(1, 2))]);
    fake.script.push_back(vec![caps(Stroke::Press), Event::Stop]);
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(fake.lamps, [true, true]);
}

#[test]
fn another_layout_is_drawn_whole() {
    let other = ("xx".into(), "layer one abc\na b next\nenter backspace".into());
    let (layouts, _) = Catalogue::new(&["us", "xx"].map(String::from), &[other]).unwrap();
    let question = Question { volume: "/dev/vda".into(), ..Question::default() };
    let config = Config { question, ..Config::default() };
    let secret = Secret::new(Box::leak(Box::new([0; 64])));
    let mut session = Session::new(config, layouts, secret, 0);
    session.set_panel(PHONE).unwrap();
    let next = session.plan().unwrap().layers[0].iter().find(|place| place.press == Press::Next).unwrap();
    let at = next.face.center();
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default()))]);
    fake.script.push_back(vec![Event::Touch { contact: 0, phase: Phase::Down, at }]);
    fake.script.push_back(vec![Event::Touch { contact: 0, phase: Phase::Up, at }]);
    let mut still = Still(fake);
    run(&mut still, &mut session).unwrap_err();
    assert_eq!(session.layout().name(), "xx");
    let whole = picture(&session).unwrap();
    assert!(still.0.panel_pixels == whole.pixels(), "something of the other layout is left");
}

/// A machine that is stopped by a failure, so that the last picture stays.
struct Still(Fake);

impl Platform for Still {
    fn now_ms(&mut self) -> u64 {
        self.0.now_ms()
    }
    fn panel(&self) -> Option<Panel> {
        self.0.panel()
    }
    fn wait(&mut self, deadline_ms: Option<u64>, events: &mut Events) -> Result<()> {
        if self.0.script.is_empty() {
            self.0.panel = None;
            return Err(Error::new(Exit::NoDisplay, "wait", "gone"));
        }
        self.0.wait(deadline_ms, events)
    }
    fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()> {
        // The blank one at the end is not looked at.
        if self.0.panel.is_some() { self.0.present(frame, damage) } else { Ok(()) }
    }
    fn print(&mut self, line: &str) {
        self.0.print(line);
    }
    fn act(&mut self, action: Action) -> Result<()> {
        self.0.act(action)
    }
}

#[test]
fn in_the_dark_no_finger_types_and_nothing_moves() {
    let plan = Plan::new(PHONE, &Layout::parse("us", US).unwrap(), &[]).unwrap();
    let letter = plan.layers[0].iter().find(|place| place.press == Press::Character('a')).unwrap();
    let touch = |phase| Event::Touch { contact: 0, phase, at: letter.face.center() };
    let mut fake = Fake::new(Some(PHONE));
    fake.idle = idle::Config { dim_after_ms: 0, blank_after_ms: 3000 };
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default())), Event::Text('b'), touch(Phase::Down)]);
    // Lifted in the dark, or by what wakes: neither is a key.
    fake.in_the_dark = vec![vec![touch(Phase::Up), Event::Text('\n')]];
    let mut session = session();
    let mut hurried = Hurried { fake: &mut fake, until_ms: 10_000, waits: 0 };
    run(&mut hurried, &mut session).unwrap_err();
    let waits = hurried.waits;
    assert_eq!(fake.unlocks, [1]);
    // Busy from second 3 on, lit until 6: with all that moves some thirty times, and dark after that.
    assert!((30..50).contains(&waits), "woke {waits} times");
}
