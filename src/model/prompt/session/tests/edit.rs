//! The caret, and who may read what was typed.

use super::*;
use crate::model::prompt::keymap::Meaning;

impl Bench {
    fn mean(&mut self, meanings: &[Meaning]) {
        for meaning in meanings {
            assert_eq!(self.session.mean(*meaning), None);
        }
    }

    fn shown(&self) -> (usize, usize, bool, String) {
        let view = self.session.view();
        (view.characters, view.caret, view.revealed, self.session.typed().into())
    }
}

#[test]
fn a_caret_goes_through_what_was_typed() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    bench.mean(&[Meaning::Left, Meaning::Left]);
    bench.type_keys("x");
    assert_eq!((bench.text().as_str(), bench.session.view().caret), ("axbc", 2));
    bench.mean(&[Meaning::Delete, Meaning::Home, Meaning::Delete, Meaning::Backspace]);
    assert_eq!((bench.text().as_str(), bench.session.view().caret), ("xc", 0));
    bench.mean(&[Meaning::End, Meaning::Right, Meaning::Backspace]);
    assert_eq!((bench.text().as_str(), bench.session.view().caret), ("x", 1));
    bench.mean(&[Meaning::Clear]);
    assert_eq!(bench.shown(), (0, 0, false, String::new()));
}

#[test]
fn a_hardware_keyboard_edits() {
    const TAB: u16 = 15;
    let mut bench = Bench::ready(3);
    let keys = |bench: &mut Bench, codes: &[u16]| {
        for code in codes {
            assert_eq!(bench.hold(*code, 20), []);
        }
    };
    // a, b, left, x.
    keys(&mut bench, &[30, 48, 105, 45]);
    assert_eq!(bench.text(), "axb");
    // Home, delete, end, backspace.
    keys(&mut bench, &[102, 111, 107, 14]);
    assert_eq!(bench.text(), "x");
    keys(&mut bench, &[TAB]);
    assert_eq!(bench.session.typed(), "x");
    keys(&mut bench, &[TAB]);
    assert_eq!(bench.session.typed(), "");
    bench.stroke(29, Stroke::Press);
    keys(&mut bench, &[22]);
    bench.stroke(29, Stroke::Release);
    assert_eq!(bench.text(), "");
    keys(&mut bench, &[30, 1]);
    assert_eq!(bench.text(), "a", "Esc is not for everybody");
    bench.session.config.cancel = true;
    assert!(matches!(bench.hold(1, 20)[..], [Action::Finish(Err(_))]));
}

#[test]
fn every_change_is_counted_and_nothing_else() {
    let mut bench = Bench::ready(3);
    let mut edits = vec![bench.session.view().edits];
    for meaning in [
        Meaning::Backspace,
        Meaning::Character('a'),
        Meaning::Left,
        Meaning::Character('a'),
        Meaning::Delete,
        Meaning::Delete,
        Meaning::Clear,
        Meaning::Clear,
    ] {
        bench.mean(&[meaning]);
        edits.push(bench.session.view().edits);
    }
    assert_eq!(edits, [0, 0, 1, 1, 2, 3, 3, 4, 4]);
}

#[test]
fn a_tap_shows_it_and_another_hides_it() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    assert_eq!(bench.shown(), (3, 3, false, String::new()));
    bench.tap(Press::Reveal);
    assert_eq!(bench.shown(), (3, 3, true, "abc".into()));
    bench.tap(Press::Reveal);
    assert!(!bench.session.view().revealed);
    bench.mean(&[Meaning::Reveal]);
    assert!(bench.session.view().revealed);
}

#[test]
fn a_finger_shows_it_as_long_as_it_stays() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    let at = bench.at(Press::Reveal);
    bench.finger(1, Phase::Down, at);
    bench.pass(299);
    assert!(!bench.session.view().revealed);
    bench.pass(1);
    assert_eq!(bench.session.typed(), "abc");
    bench.pass(5000);
    assert!(bench.session.view().revealed);
    bench.finger(1, Phase::Up, at);
    assert!(!bench.session.view().revealed);
    // Slid off, gone, or another finger comes: it is hidden, too.
    for end in [Phase::Move, Phase::Cancel, Phase::Down] {
        bench.finger(1, Phase::Down, at);
        bench.pass(400);
        assert!(bench.session.view().revealed);
        bench.finger(if end == Phase::Down { 2 } else { 1 }, end, Point::new(360, 300));
        assert!(!bench.session.view().revealed, "{end:?}");
        bench.finger(1, Phase::Up, at);
    }
    assert_eq!(bench.text(), "abc");
}

#[test]
fn it_is_hidden_when_it_is_sent_refused_not_looked_at_or_left_alone() {
    let mut bench = Bench::ready(3);
    let reveal = |bench: &mut Bench| {
        bench.type_keys("abc");
        bench.tap(Press::Reveal);
        assert!(bench.session.view().revealed);
    };
    reveal(&mut bench);
    bench.tap(Press::Enter);
    assert_eq!((bench.session.view().revealed, bench.session.typed()), (false, ""));
    bench.fail(Failure::Memory { needed_kib: 2, free_kib: 1 });
    assert_eq!((bench.session.view().revealed, bench.text().as_str()), (false, "abc"));
    bench.tap(Press::Enter);
    bench.fail(Failure::WrongPassphrase);
    reveal(&mut bench);
    // Typed on the console meanwhile, by somebody else.
    bench.send(Event::Report(Report::Failed(Failure::WrongPassphrase)));
    bench.type_keys("a");
    assert!(!bench.session.view().revealed);
    reveal(&mut bench);
    bench.session.look_away();
    bench.session.set_panel(Panel { size: Size::new(720, 1440), millimetres: (0, 0) }).unwrap();
    assert!(!bench.session.view().revealed);
    reveal(&mut bench);
    bench.pass(29_999);
    assert!(bench.session.view().revealed);
    bench.pass(1);
    assert!(!bench.session.view().revealed);
}

#[test]
fn who_does_not_want_it_shown_never_sees_it() {
    let mut bench = Bench::with(Config { reveal: false, ..Bench::config() }).readied();
    bench.type_keys("abc");
    bench.mean(&[Meaning::Reveal]);
    assert_eq!(bench.shown(), (3, 3, false, String::new()));
    let at = bench.at(Press::Reveal);
    bench.tap(Press::Reveal);
    bench.finger(1, Phase::Down, at);
    bench.pass(1000);
    assert_eq!(bench.shown(), (3, 3, false, String::new()));
}

#[test]
fn the_length_can_be_a_secret_too() {
    let mut bench = Bench::with(Config { hide_length: true, ..Bench::config() }).readied();
    let mut seen = vec![bench.shown()];
    for meaning in [Meaning::Character('a'), Meaning::Character('b'), Meaning::Left, Meaning::Backspace] {
        bench.mean(&[meaning]);
        seen.push(bench.shown());
    }
    let hidden = (8, 8, false, String::new());
    assert_eq!(seen, [(0, 0, false, String::new()), hidden.clone(), hidden.clone(), hidden.clone(), hidden.clone()]);
    bench.mean(&[Meaning::Reveal]);
    assert_eq!(bench.shown(), (1, 0, true, "b".into()));
    bench.mean(&[Meaning::Reveal, Meaning::Delete]);
    assert_eq!(bench.shown().0, 0);
}

#[test]
fn cancelling_is_for_those_who_are_allowed_to() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    bench.mean(&[Meaning::Cancel]);
    assert_eq!(bench.send(Event::Text('\u{1b}')), None);
    assert_eq!(bench.text(), "abc");
    let mut bench = Bench::with(Config { cancel: true, ..Bench::config() }).readied();
    let Some(Action::Finish(Err(error))) = bench.send(Event::Text('\u{1b}')) else { panic!("not by the console") };
    assert_eq!(error.exit(), Exit::Cancelled);
    let mut bench = Bench::with(Config { cancel: true, ..Bench::config() }).readied();
    bench.type_keys("abc");
    let Some(Action::Finish(Err(error))) = bench.session.mean(Meaning::Cancel) else { panic!("still running") };
    assert_eq!((error.exit(), error.to_string().as_str()), (Exit::Cancelled, "unlock: cancelled"));
    assert_eq!(bench.text(), "");
}

#[test]
fn what_is_at_its_end_can_be_ended_sooner() {
    for input in 0..3 {
        let mut bench = Bench::new(3);
        bench.fail(Failure::NotVolume);
        let end = |bench: &mut Bench| match input {
            0 => bench.stroke(30, Stroke::Press),
            1 => bench.send(Event::Text('x')),
            _ => bench.finger(1, Phase::Down, Point::new(1, 1)),
        };
        // Whoever was typing has not read it.
        bench.now_ms += 499;
        assert_eq!(end(&mut bench), None);
        bench.now_ms += 1;
        let Some(Action::Finish(Err(error))) = end(&mut bench) else { panic!("still running") };
        assert_eq!(error.exit(), Exit::Device);
    }
    let mut bench = Bench::new(3);
    bench.fail(Failure::NotVolume);
    assert!(matches!(bench.pass(4000)[..], [Action::Finish(Err(_))]));
}
