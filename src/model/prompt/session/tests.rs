//! Whole sessions, event by event, against nothing but the state machine.

mod button;
mod edit;
mod power;
mod time;
mod touch;
mod volumes;

use embedded_graphics::prelude::{Point, Size};

use super::*;
use crate::model::prompt::census::Census;
use crate::model::prompt::decoder::Phase;
use crate::model::prompt::layout::{Press, US};
use crate::model::prompt::view::{Shift, Spot, View};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{Opened, Ready, Report};
use crate::model::volume::policy::{Decision, Flags, Reason};

/// A second layout.
const DE: &str = "layer lower abc upper\nq w e r t z u i o p ü\na s d f g h j k l ö ä\n\
    shift y x c v b n m ß backspace\ndigits:1.5 , next space:5 . enter\nlayer upper ABC = lower\nhold e é\n\
    layer digits ?123\n1 2 3 4 5 6 7 8 9 0\n@ # % & - + ( ) / backspace\nlower:1.5 , next space:5 . enter";

struct Bench {
    session: Session,
    now_ms: u64,
}

impl Bench {
    fn new(tries: u32) -> Self {
        let config = Self::config();
        Self::with(Config { question: Question { tries, ..config.question }, ..config })
    }

    fn config() -> Config {
        let (volume, device) = ("/dev/vda".into(), "/dev/vda".into());
        Config { question: Question { volume, device, timeout_ms: 60_000, ..Question::default() }, ..Config::default() }
    }

    fn with(config: Config) -> Self {
        let secret = Secret::new(Box::leak(Box::new([0; 64])));
        let names = ["us", "de"].map(String::from);
        let files = [("us", US), ("de", DE)].map(|(name, text)| (name.into(), text.into()));
        let (layouts, _) = Catalogue::new(&names, &files).unwrap();
        let mut session = Session::new(config, layouts, secret, 0);
        session.set_panel(Panel { size: Size::new(720, 1440), millimetres: (0, 0) }).unwrap();
        Self { session, now_ms: 0 }
    }

    fn ready(tries: u32) -> Self {
        Self::new(tries).readied()
    }

    fn readied(mut self) -> Self {
        assert_eq!(self.send(Event::Report(Report::Ready(Ready::default()))), None);
        self
    }

    /// The worker says that the volume is open.
    fn open(&mut self) -> Option<Action> {
        let decision = Decision { flags: Flags::default(), reason: Reason::Rotating };
        let (name, device) = ("root".into(), "/dev/vda".into());
        let opened = Opened { decision, effective: Some(Flags::default()), name, device, is_old: false };
        self.send(Event::Report(Report::Opened(opened)))
    }

    fn without_timeout() -> Config {
        let config = Self::config();
        Config { question: Question { timeout_ms: 0, ..config.question }, ..config }
    }

    fn send(&mut self, event: Event) -> Option<Action> {
        self.session.update(self.now_ms, event)
    }

    fn at(&self, press: Press) -> Point {
        let (plan, view) = (self.session.plan().unwrap(), self.session.view());
        let mut places = plan.keys(view.sheet, view.layer).iter().chain(plan.controls(view.sheet));
        places.find(|place| place.press == press).unwrap_or_else(|| panic!("{press:?} is not shown")).face.center()
    }

    fn finger(&mut self, contact: u32, phase: Phase, at: Point) -> Option<Action> {
        self.send(Event::Touch { contact, phase, at })
    }

    fn tap(&mut self, press: Press) -> Option<Action> {
        let at = self.at(press);
        assert_eq!(self.finger(1, Phase::Down, at), None);
        self.finger(1, Phase::Up, at)
    }

    fn type_keys(&mut self, text: &str) {
        for character in text.chars() {
            assert_eq!(self.tap(Press::Character(character)), None);
        }
    }

    /// Lets time go by as the loop does: with a tick at every deadline.
    fn pass(&mut self, ms: u64) -> Vec<Action> {
        let (end_ms, mut actions, mut ticks) = (self.now_ms + ms, Vec::new(), 0);
        while let Some(due_ms) = self.session.deadline_ms().filter(|due_ms| *due_ms <= end_ms) {
            self.now_ms = due_ms.max(self.now_ms);
            actions.extend(self.send(Event::Tick));
            if matches!(actions.last(), Some(Action::Finish(_))) {
                return actions;
            }
            ticks += 1;
            assert!(ticks < 10 + ms, "it ticks and ticks and gets nowhere");
        }
        self.now_ms = end_ms;
        actions
    }

    fn stroke(&mut self, code: u16, stroke: Stroke) -> Option<Action> {
        self.send(Event::Key { code, stroke })
    }

    /// Holds a key or button for so long, and tells all that it asked for.
    fn hold(&mut self, code: u16, ms: u64) -> Vec<Action> {
        let mut actions = Vec::from_iter(self.stroke(code, Stroke::Press));
        actions.extend(self.pass(ms));
        actions.extend(self.stroke(code, Stroke::Release));
        self.now_ms += 50;
        actions
    }

    fn text(&self) -> String {
        self.session.secret.text().into()
    }

    fn sheet(&self) -> Sheet {
        self.session.view().sheet
    }

    fn characters(&self) -> usize {
        self.session.view().characters
    }

    fn fail(&mut self, failure: Failure) -> View {
        let died = matches!(failure, Failure::Died { .. });
        let action = self.send(Event::Report(Report::Failed(failure)));
        assert_eq!(action, died.then_some(Action::Restart));
        self.session.view()
    }
}

#[test]
fn a_passphrase_by_touch() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    assert_eq!(bench.tap(Press::Enter), Some(Action::Unlock { length: 3 }));
    assert!(bench.session.view().working.is_some());
    assert_eq!(bench.open(), Some(Action::Finish(Ok(()))));
    assert_eq!(bench.characters(), 0);
}

#[test]
fn shift_is_for_one_letter_and_twice_for_all() {
    let mut bench = Bench::ready(3);
    bench.tap(Press::Shift);
    bench.type_keys("A");
    bench.type_keys("b");
    bench.tap(Press::Shift);
    bench.tap(Press::Shift);
    bench.type_keys("AB");
    bench.tap(Press::Shift);
    bench.now_ms += 10_000;
    bench.tap(Press::Shift);
    bench.now_ms += 401;
    bench.tap(Press::Shift);
    bench.type_keys("c");
    assert_eq!(bench.characters(), 5);
}

#[test]
fn symbols_are_two_layers_away() {
    let mut bench = Bench::ready(3);
    let layer = |name| Press::Layer(Layout::parse("us", US).unwrap().find(name).unwrap());
    bench.tap(layer("digits"));
    bench.type_keys("1@");
    bench.tap(layer("symbols"));
    bench.type_keys("~");
    bench.tap(layer("digits"));
    bench.tap(layer("lower"));
    bench.type_keys("q");
    assert_eq!(bench.characters(), 4);
}

#[test]
fn rolling_fingers_lose_nothing() {
    let mut bench = Bench::ready(3);
    let (a, b) = (bench.at(Press::Character('a')), bench.at(Press::Character('b')));
    bench.finger(1, Phase::Down, a);
    bench.finger(2, Phase::Down, b);
    assert_eq!(bench.characters(), 1);
    bench.finger(1, Phase::Up, a);
    bench.finger(2, Phase::Up, b);
    assert_eq!(bench.characters(), 2);
}

#[test]
fn sliding_corrects_and_leaving_takes_back() {
    let mut bench = Bench::ready(3);
    let (a, enter) = (bench.at(Press::Character('a')), bench.at(Press::Enter));
    bench.finger(1, Phase::Down, enter);
    bench.finger(1, Phase::Move, a);
    assert_eq!(bench.finger(1, Phase::Up, a), None);
    assert_eq!(bench.characters(), 1);
    bench.finger(1, Phase::Down, a);
    bench.finger(1, Phase::Move, Point::new(5, 5));
    bench.finger(1, Phase::Up, Point::new(5, 5));
    bench.finger(1, Phase::Down, Point::new(5, 5));
    bench.finger(1, Phase::Move, a);
    bench.finger(1, Phase::Up, a);
    assert_eq!(bench.characters(), 1);
}

#[test]
fn wrong_passphrases_are_told_and_counted() {
    let mut bench = Bench::ready(2);
    bench.tap(Press::Shift);
    bench.tap(Press::Shift);
    bench.type_keys("AB");
    bench.tap(Press::Enter);
    let view = bench.fail(Failure::WrongPassphrase);
    assert_eq!((view.layer, view.shift), (0, Shift::Off));
    assert_eq!((view.message.as_str(), view.tone), ("Wrong passphrase. One try left", Tone::Alarm));
    assert_eq!((view.characters, view.enabled), (0, true));
    bench.type_keys("a");
    assert_eq!(bench.session.view().message, "");
    bench.tap(Press::Enter);
    assert!(!bench.fail(Failure::WrongPassphrase).enabled);
    bench.now_ms = bench.session.deadline_ms().unwrap();
    let Some(Action::Finish(Err(error))) = bench.send(Event::Tick) else { panic!("still running") };
    assert_eq!(error.exit(), Exit::Passphrase);
}

#[test]
fn without_a_limit_tries_never_end() {
    let mut bench = Bench::ready(0);
    for _ in 0..50 {
        bench.type_keys("a");
        assert_eq!(bench.tap(Press::Enter), Some(Action::Unlock { length: 1 }));
        assert!(bench.fail(Failure::WrongPassphrase).enabled);
    }
}

#[test]
fn want_of_memory_keeps_what_was_typed() {
    let mut bench = Bench::ready(1);
    bench.type_keys("abc");
    bench.tap(Press::Enter);
    let view = bench.fail(Failure::Memory { needed_kib: 1 << 20, free_kib: 1 << 10 });
    assert_eq!(view.characters, 3);
    assert_eq!(bench.tap(Press::Enter), Some(Action::Unlock { length: 3 }));
    // A worker that was killed starts anew, and what happened stays to be read.
    bench.fail(Failure::Died { signal: 9 });
    bench.send(Event::Report(Report::Ready(Ready::default())));
    assert!(bench.session.view().message.contains("memory"));
    assert_eq!(bench.tap(Press::Enter), Some(Action::Unlock { length: 3 }));
    // Enter waits for it.
    assert!(bench.fail(Failure::Died { signal: 9 }).message.contains("memory"));
    assert_eq!(bench.tap(Press::Enter), None);
    let action = bench.send(Event::Report(Report::Ready(Ready::default())));
    assert_eq!(action, Some(Action::Unlock { length: 3 }));
}

#[test]
fn enter_before_the_device_is_there_waits_for_it() {
    let mut bench = Bench::new(3);
    bench.type_keys("abc");
    assert_eq!(bench.tap(Press::Enter), None);
    let action = bench.send(Event::Report(Report::Ready(Ready::default())));
    assert_eq!(action, Some(Action::Unlock { length: 3 }));
}

#[test]
fn who_goes_on_typing_before_the_device_is_there_has_not_sent_it() {
    for change in [Press::Backspace, Press::Character('d')] {
        let mut bench = Bench::new(3);
        bench.type_keys("abc");
        bench.tap(Press::Enter);
        bench.tap(change);
        assert_eq!(bench.send(Event::Report(Report::Ready(Ready::default()))), None, "{change:?}");
        assert!(matches!(bench.tap(Press::Enter), Some(Action::Unlock { .. })));
    }
}

#[test]
fn a_hopeless_failure_is_shown_before_the_end() {
    let mut bench = Bench::new(3);
    let view = bench.fail(Failure::NotVolume);
    assert_eq!((view.message.as_str(), view.enabled), ("This is not a LUKS volume", false));
    assert_eq!(bench.send(Event::Tick), None);
    bench.now_ms = bench.session.deadline_ms().unwrap();
    let Some(Action::Finish(Err(error))) = bench.send(Event::Tick) else { panic!("still running") };
    assert_eq!(error.exit(), Exit::Device);
    assert_eq!(error.to_string(), "unlock /dev/vda: This is not a LUKS volume");
}

#[test]
fn a_hardware_keyboard_types_and_its_enter_does_not_repeat() {
    let mut bench = Bench::ready(3);
    let key = |code, stroke| Event::Key { code, stroke };
    bench.send(key(42, Stroke::Press));
    bench.send(key(30, Stroke::Press));
    bench.send(key(30, Stroke::Release));
    bench.send(key(42, Stroke::Release));
    assert_eq!(bench.characters(), 1);
    assert_eq!(bench.send(key(28, Stroke::Repeat)), None);
    bench.send(key(58, Stroke::Press));
    assert_eq!(bench.session.view().message, "Caps Lock is on");
    bench.send(key(58, Stroke::Release));
    bench.send(key(58, Stroke::Press));
    assert_eq!(bench.session.view().message, "");
    assert_eq!(bench.send(key(28, Stroke::Press)), Some(Action::Unlock { length: 1 }));
}

#[test]
fn the_console_types_too() {
    let mut bench = Bench::ready(3);
    for character in "ax\u{7f}b\u{15}y\u{17}abc\u{1b}".chars() {
        assert_eq!(bench.send(Event::Text(character)), None);
    }
    assert_eq!(bench.send(Event::Text('\n')), Some(Action::Unlock { length: 3 }));
}

#[test]
fn a_busy_session_types_nothing() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    bench.tap(Press::Enter);
    bench.tap(Press::Character('a'));
    bench.send(Event::Text('x'));
    assert_eq!(bench.characters(), 3);
    assert_eq!(bench.send(Event::Text('\n')), None);
}

#[test]
fn nobody_at_the_screen_ends_the_session() {
    let mut bench = Bench::ready(3);
    bench.now_ms = 30_000;
    bench.type_keys("a");
    assert_eq!(bench.session.deadline_ms(), Some(90_000));
    bench.now_ms = 89_999;
    assert_eq!(bench.send(Event::Tick), None);
    bench.now_ms = 90_000;
    let Some(Action::Finish(Err(error))) = bench.send(Event::Tick) else { panic!("still running") };
    assert_eq!(error.exit(), Exit::TimedOut);
    assert_eq!(bench.characters(), 0);
}

#[test]
fn no_input_device_is_told() {
    let mut bench = Bench::ready(3);
    bench.send(Event::Devices(Census::of(0, 0)));
    assert!(bench.session.view().message.starts_with("No touch screen"));
    bench.send(Event::Devices(Census::of(0, 1)));
    assert_eq!(bench.session.view().message, "");
    // Nobody is to connect what is not needed.
    let keypad = Census { keypads: 1, ..Census::default() };
    bench.send(Event::Devices(keypad));
    let view = bench.session.view();
    assert_eq!((view.message.as_str(), view.tone), ("Only a number pad found. It types digits", Tone::Calm));
    assert!(view.ready && view.sheet == Sheet::Keys);
    bench.send(Event::Devices(Census { pointing: 1, ..keypad }));
    assert_eq!(bench.session.view().message, "");
    bench.send(Event::Devices(Census { media: 1, ..Census::default() }));
    assert!(bench.session.view().message.ends_with("Volume up chooses keys"));
    assert!(bench.session.view().ready);
    bench.hold(115, 50);
    assert!(bench.session.view().message.starts_with("Volume up: next key"));
}

#[test]
fn an_empty_passphrase_is_not_tried() {
    let mut bench = Bench::ready(1);
    assert_eq!(bench.tap(Press::Enter), None);
    assert_eq!(bench.session.view().message, "Type the passphrase first");
    let mut bench = Bench::ready(3);
    bench.type_keys("a");
    bench.tap(Press::Enter);
    let message = bench.fail(Failure::WrongPassphrase).message;
    assert_eq!(bench.tap(Press::Enter), None);
    assert_eq!(bench.session.view().message, message);
}

#[test]
fn a_signal_ends_it_at_any_time() {
    for mut bench in [Bench::new(3), Bench::ready(3)] {
        bench.type_keys("abc");
        let Some(Action::Finish(Err(error))) = bench.send(Event::Stop) else { panic!("still running") };
        assert_eq!((error.exit(), bench.characters()), (Exit::Cancelled, 0));
    }
}

#[test]
fn a_device_that_is_late_is_told_to_be_waited_for() {
    let mut bench = Bench::new(3);
    assert_eq!(bench.session.view().message, "");
    bench.now_ms = bench.session.deadline_ms().unwrap();
    bench.send(Event::Tick);
    assert_eq!(bench.session.view().message, "Waiting for /dev/vda\u{2026}");
    // From now on only the timeout is due.
    assert_eq!(bench.session.deadline_ms(), Some(60_000));
    bench.send(Event::Report(Report::Ready(Ready::default())));
    assert_eq!((bench.session.view().message.as_str(), bench.session.view().ready), ("", true));
}

#[test]
fn tries_left_do_not_vanish_with_the_message() {
    let mut bench = Bench::ready(3);
    assert_eq!(bench.session.view().tries_left, None);
    bench.type_keys("a");
    bench.tap(Press::Enter);
    // The message tells it.
    let view = bench.fail(Failure::WrongPassphrase);
    assert_eq!((view.message.as_str(), view.tries_left), ("Wrong passphrase. 2 tries left", None));
    bench.type_keys("a");
    assert_eq!(bench.session.view().tries_left, Some(2));
    bench.tap(Press::Enter);
    assert_eq!(bench.session.view().tries_left, Some(2));
    assert_eq!(bench.fail(Failure::Memory { needed_kib: 9, free_kib: 1 }).tries_left, Some(2));
    let mut bench = Bench::ready(0);
    bench.type_keys("a");
    bench.tap(Press::Enter);
    bench.fail(Failure::WrongPassphrase);
    bench.type_keys("a");
    assert_eq!(bench.session.view().tries_left, None);
}

#[test]
fn a_busy_worker_is_counted_for_when_it_takes_long() {
    let mut bench = Bench::ready(3);
    bench.type_keys("a");
    bench.tap(Press::Enter);
    let start_ms = bench.now_ms;
    let mut seen = Vec::new();
    while bench.now_ms < start_ms + 7000 {
        bench.now_ms = bench.session.deadline_ms().unwrap();
        assert_eq!(bench.send(Event::Tick), None);
        let view = bench.session.view();
        assert_eq!(view.working.map(u64::from), Some((bench.now_ms - start_ms) / STEP_MS));
        if seen.last() != Some(&view.busy_s) {
            seen.push(view.busy_s);
        }
    }
    assert_eq!(seen, [None, Some(5), Some(6), Some(7)]);
    assert_eq!(bench.fail(Failure::WrongPassphrase).busy_s, None);
}

#[test]
fn battery_caps_lock_and_layout_are_shown() {
    let mut bench = Bench::ready(3);
    let battery = Battery { percent: 40, charging: false };
    bench.send(Event::Battery(Some(battery)));
    bench.send(Event::Key { code: 58, stroke: Stroke::Press });
    let view = bench.session.view();
    assert_eq!((view.battery, view.caps_lock, view.layout.as_str()), (Some(battery), true, "US"));
    bench.send(Event::Battery(None));
    assert_eq!(bench.session.view().battery, None);
}

#[test]
fn a_keymap_tells_what_keys_type() {
    use crate::model::prompt::keymap::file;

    let mut bench = Bench::ready(0);
    let french = file::parse(include_bytes!("../../../../tests/keymap/fr-latin9.bmap")).unwrap();
    assert_eq!(bench.send(Event::Keymap(Box::new(french))), None);
    let mut press = |code| bench.send(Event::Key { code, stroke: Stroke::Press });
    // `^`, `e`: one character of two bytes. `^`, Enter: one of one byte, and the try.
    assert_eq!((press(26), press(18), press(26)), (None, None, None));
    assert_eq!(press(28), Some(Action::Unlock { length: 3 }));
    bench.send(Event::Report(Report::Failed(Failure::WrongPassphrase)));
    // Whatever else is to be said.
    let mut stroke = |code| {
        for stroke in [Stroke::Press, Stroke::Release] {
            bench.send(Event::Key { code, stroke });
        }
        bench.session.view().message
    };
    assert_eq!(stroke(60), "Wrong passphrase\nUS keyboard. F2 changes back");
    assert_eq!(stroke(60), "Wrong passphrase");
    assert_eq!((stroke(16), stroke(60)), (String::new(), "US keyboard. F2 changes back".into()));
    assert_eq!(stroke(58), "Caps Lock is on\nUS keyboard. F2 changes back");
    assert_eq!(stroke(28), "Unlocking\u{2026}");
}
