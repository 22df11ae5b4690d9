//! The power key, the question that it asks, and what becomes of a machine that is left alone.

use super::*;
use crate::model::prompt::keymap::Meaning;

const POWER: u16 = 116;
const SLEEP: u16 = 142;

#[test]
fn a_short_press_puts_the_light_out_when_it_ends() {
    let mut bench = Bench::ready(3);
    assert_eq!(bench.stroke(POWER, Stroke::Press), None);
    assert_eq!(bench.pass(1499), []);
    assert_eq!(bench.stroke(POWER, Stroke::Release), Some(Action::Blank));
    assert_eq!(bench.hold(SLEEP, 50), [Action::Blank]);
    // What woke it was not told.
    assert_eq!(bench.stroke(POWER, Stroke::Release), None);
}

#[test]
fn a_long_press_asks_and_another_one_means_it() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    bench.stroke(POWER, Stroke::Press);
    assert_eq!(bench.pass(1500), []);
    assert_eq!((bench.sheet(), bench.session.view().message.as_str()), (Sheet::Power, "Switch the machine off?"));
    // However long it is held, and when it is let go: no more than a question.
    assert_eq!(bench.pass(8000), []);
    assert_eq!(bench.stroke(POWER, Stroke::Release), None);
    assert_eq!((bench.sheet(), bench.text().as_str()), (Sheet::Power, "abc"));
    assert_eq!(bench.hold(POWER, 1500), [Action::PowerOff]);
    assert_eq!((bench.sheet(), bench.text().as_str()), (Sheet::Keys, ""));
    // It may fail.
    bench.session.stay();
    assert_eq!(bench.session.view().message, "The machine could not be switched off");
    bench.type_keys("de");
    assert_eq!(bench.tap(Press::Enter), Some(Action::Unlock { length: 2 }));
}

#[test]
fn a_question_can_be_answered_or_left() {
    let ask = || {
        let mut bench = Bench::ready(3);
        bench.type_keys("abc");
        bench.tap(Press::Power);
        assert_eq!(bench.sheet(), Sheet::Power);
        bench
    };
    let mut bench = ask();
    assert_eq!(bench.tap(Press::PowerOff), Some(Action::PowerOff));
    let mut bench = ask();
    assert_eq!((bench.tap(Press::Back), bench.sheet(), bench.text().as_str()), (None, Sheet::Keys, "abc"));
    let mut bench = ask();
    assert_eq!((bench.tap(Press::Power), bench.sheet()), (None, Sheet::Keys));
    // What was said before is said again.
    let mut bench = ask();
    bench.tap(Press::Back);
    bench.tap(Press::Enter);
    let message = bench.fail(Failure::WrongPassphrase).message;
    bench.tap(Press::Power);
    assert_ne!(bench.session.view().message, message);
    bench.tap(Press::Back);
    assert_eq!(bench.session.view().message, message);
    let mut bench = ask();
    assert_eq!(bench.pass(9999), []);
    assert_eq!(bench.sheet(), Sheet::Power);
    bench.finger(1, Phase::Down, Point::new(360, 1400));
    assert_eq!(bench.pass(9999), []);
    assert_eq!(bench.sheet(), Sheet::Power);
    assert_eq!(bench.pass(1), []);
    assert_eq!(bench.sheet(), Sheet::Keys);
    // Who types does not want it. Enter and Esc may be meant as an answer, and do nothing else.
    for (meaning, text) in [(Meaning::Enter, "abc"), (Meaning::Cancel, "abc"), (Meaning::Character('d'), "abcd")] {
        let mut bench = Bench { session: ask().session, now_ms: 0 };
        bench.session.config.cancel = true;
        assert_eq!(bench.session.mean(meaning), None);
        assert_eq!((bench.sheet(), bench.text().as_str()), (Sheet::Keys, text));
    }
    // Nobody sees it, nobody answers it.
    let mut bench = ask();
    bench.session.look_away();
    assert_eq!(bench.sheet(), Sheet::Keys);
}

#[test]
fn a_finger_that_comes_down_as_the_question_comes_is_no_answer() {
    let mut bench = Bench::ready(3);
    let (corner, off) = (bench.at(Press::Power), bench.session.plan().unwrap().power[1].face.center());
    // One thumb rests on the corner, and the other one types.
    bench.finger(1, Phase::Down, corner);
    assert_eq!(bench.finger(2, Phase::Down, off), None);
    assert_eq!(bench.sheet(), Sheet::Power);
    assert_eq!((bench.finger(1, Phase::Up, corner), bench.finger(2, Phase::Up, off)), (None, None));
    assert_eq!(bench.sheet(), Sheet::Power);
    assert_eq!(bench.tap(Press::PowerOff), Some(Action::PowerOff));
}

#[test]
fn two_buttons_ask_and_stand_on_the_answer_that_changes_nothing() {
    let mut bench = Bench::ready(3);
    bench.hold(115, 50);
    bench.hold(POWER, 1500);
    let on = |bench: &Bench| {
        let (plan, view) = (bench.session.plan().unwrap(), bench.session.view());
        plan.place(view.sheet, view.layer, view.focus.unwrap()).unwrap().press
    };
    assert_eq!(on(&bench), Press::Back);
    bench.hold(115, 50);
    assert_eq!(on(&bench), Press::PowerOff);
    assert_eq!(bench.hold(115, 700), [Action::PowerOff]);
    // Asked anew, it is on the first answer again.
    bench.hold(POWER, 1500);
    assert_eq!(on(&bench), Press::Back);
}

#[test]
fn a_focus_that_was_put_away_on_the_answer_is_not_on_it_the_next_time() {
    let mut bench = Bench::ready(3);
    bench.hold(115, 50);
    bench.hold(POWER, 1500);
    bench.hold(115, 50);
    bench.tap(Press::Back);
    bench.tap(Press::Power);
    bench.hold(115, 50);
    assert_eq!(bench.hold(115, 700), []);
    assert_eq!(bench.sheet(), Sheet::Keys);
}

#[test]
fn a_machine_that_is_busy_can_be_switched_off() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    bench.tap(Press::Enter);
    assert!(!bench.session.view().enabled);
    assert_eq!(bench.hold(POWER, 1500), []);
    assert!(bench.session.view().enabled);
    assert_eq!(bench.tap(Press::PowerOff), Some(Action::PowerOff));
    assert!(!bench.session.view().enabled);
    // And not while it says why it ends.
    let mut bench = Bench::new(3);
    bench.fail(Failure::NotVolume);
    bench.now_ms += 100;
    assert_eq!(bench.hold(POWER, 1600), []);
    assert_eq!(bench.sheet(), Sheet::Keys);
}

fn left_alone() -> Bench {
    Bench::with(Config { power_off_after_ms: 20_000, ..Bench::without_timeout() }).readied()
}

#[test]
fn a_machine_that_is_left_alone_is_switched_off() {
    let mut bench = left_alone();
    bench.pass(15_000);
    bench.type_keys("abc");
    assert_eq!(bench.pass(19_999), []);
    assert_eq!(bench.pass(1), [Action::PowerOff]);
    assert_eq!(bench.text(), "");
    // Where that cannot be done it is not tried all the time.
    assert_eq!(bench.pass(19_999), []);
    assert_eq!(bench.pass(1), [Action::PowerOff]);
    let mut bench = Bench::with(Bench::without_timeout()).readied();
    assert_eq!(bench.pass(1 << 40), []);
    assert_eq!(bench.session.deadline_ms(), None);
}

#[test]
fn work_is_not_interrupted() {
    let mut bench = Bench { session: left_alone().session, now_ms: 0 };
    bench.type_keys("abc");
    assert_eq!(bench.tap(Press::Enter), Some(Action::Unlock { length: 3 }));
    assert_eq!(bench.pass(100_000), []);
    bench.fail(Failure::WrongPassphrase);
    // From the answer on, for somebody may have waited for it.
    assert_eq!(bench.pass(19_999), []);
    assert_eq!(bench.pass(1), [Action::PowerOff]);
    let mut bench = Bench::with(Config { power_off_after_ms: 20_000, ..Bench::without_timeout() });
    assert_eq!(bench.pass(100_000), []);
    let mut bench = bench.readied();
    assert_eq!(bench.pass(19_999), []);
    assert_eq!(bench.pass(1), [Action::PowerOff]);
}
