//! Fingers: rolling, sliding, holding.

use super::*;
use crate::model::noise::Noise;
use crate::model::prompt::finger::Order;
use crate::model::prompt::plan::Place;

impl Bench {
    fn choices(&self) -> String {
        self.session.view().choices.map_or_else(String::new, |choices| choices.characters.into_iter().collect())
    }

    /// Where a choice of the key that is held is.
    fn choice(&self, character: char) -> Point {
        let (plan, view) = (self.session.plan().unwrap(), self.session.view());
        let choices = view.choices.unwrap();
        let at = choices.characters.iter().position(|other| *other == character).unwrap();
        plan.choices(&plan.layers[view.layer][choices.key], choices.characters.len())[at].center()
    }

    fn hold_key(&mut self, press: Press, ms: u64) -> Point {
        let at = self.at(press);
        self.finger(1, Phase::Down, at);
        assert_eq!(self.pass(ms), []);
        at
    }
}

#[test]
fn two_fingers_and_three_that_overlap_lose_nothing() {
    let mut bench = Bench::ready(3);
    let at: Vec<Point> = "abc".chars().map(|character| bench.at(Press::Character(character))).collect();
    for up in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
        for (contact, at) in (0..).zip(&at) {
            bench.finger(contact, Phase::Down, *at);
        }
        up.iter().for_each(|contact| drop(bench.finger(*contact as u32, Phase::Up, at[*contact])));
        assert_eq!(bench.text(), "abc", "{up:?}");
        bench.session.secret.wipe();
    }
}

#[test]
fn whatever_fingers_roll_in_whatever_order_all_is_typed_in_order() {
    let mut noise = Noise::new(0x1234_5677);
    let mut random = move |end: usize| noise.below(end as u64) as usize;
    let mut bench = Bench::ready(3);
    for _ in 0..500 {
        let (mut down, mut wanted, mut next) = (Vec::new(), String::new(), 0);
        while wanted.len() < 40 || !down.is_empty() {
            let more = wanted.len() < 40;
            if more && (down.is_empty() || (down.len() < 5 && random(2) == 0)) {
                let character = char::from(b'a' + random(26) as u8);
                let at = bench.at(Press::Character(character));
                bench.finger(next, Phase::Down, at);
                down.push((next, at));
                wanted.push(character);
                next += 1;
            } else {
                let (contact, at) = down.remove(random(down.len()));
                bench.finger(contact, Phase::Up, at);
            }
            bench.now_ms += 10;
        }
        assert_eq!(bench.text(), wanted);
        bench.session.secret.wipe();
    }
}

#[test]
fn shift_under_a_finger_counts_as_long_as_it_is_there() {
    let mut bench = Bench::ready(3);
    let shift = bench.at(Press::Shift);
    bench.finger(7, Phase::Down, shift);
    let a = bench.at(Press::Character('a'));
    for contact in [1, 2, 3] {
        bench.now_ms += 500;
        bench.finger(contact, Phase::Down, a);
        bench.finger(contact, Phase::Up, a);
    }
    assert_eq!(bench.text(), "AAA");
    bench.finger(7, Phase::Up, shift);
    bench.type_keys("b");
    assert_eq!(bench.text(), "AAAb");
    // Rolled over it: for one letter.
    bench.finger(7, Phase::Down, shift);
    bench.finger(1, Phase::Down, a);
    bench.finger(7, Phase::Up, shift);
    bench.finger(1, Phase::Up, a);
    bench.type_keys("c");
    assert_eq!(bench.text(), "AAAbAc");
}

#[test]
fn a_key_that_is_held_offers_more() {
    let mut bench = Bench::ready(3);
    let at = bench.hold_key(Press::Character('e'), 499);
    assert_eq!(bench.choices(), "");
    bench.pass(1);
    assert!(bench.choices().starts_with("eèé"), "{}", bench.choices());
    assert_eq!(bench.session.view().pressed, Some(Spot::Choice(0)));
    bench.finger(1, Phase::Move, bench.choice('é'));
    assert_eq!(bench.session.view().pressed, Some(Spot::Choice(2)));
    assert_eq!(bench.text(), "");
    bench.finger(1, Phase::Up, at);
    assert_eq!((bench.text().as_str(), bench.choices().as_str()), ("é", ""));
}

#[test]
fn a_slow_press_types_what_is_on_the_key() {
    let mut bench = Bench::ready(3);
    let at = bench.hold_key(Press::Character('e'), 700);
    bench.finger(1, Phase::Move, at + Point::new(9, 5));
    bench.finger(1, Phase::Up, at);
    assert_eq!(bench.text(), "e");
    // Gone to another and back.
    bench.hold_key(Press::Character('e'), 700);
    bench.finger(1, Phase::Move, bench.choice('ê'));
    bench.finger(1, Phase::Move, at);
    bench.finger(1, Phase::Up, at);
    assert_eq!(bench.text(), "ee");
}

#[test]
fn all_of_a_wide_key_is_its_own_character() {
    let mut bench = Bench::ready(3);
    bench.session.set_panel(Panel { size: Size::new(1280, 800), millimetres: (0, 0) }).unwrap();
    let at = bench.hold_key(Press::Character('e'), 700);
    let face = bench.session.plan().unwrap().layers[0].iter().find(|key| key.face.contains(at)).unwrap().face;
    // Cells of choices are narrower here: right above this place is another one.
    let edge = face.top_left + Point::new(face.size.width as i32 - 2, 1);
    let choices = bench.choices().chars().count();
    let key = bench.session.plan().unwrap().layers[0].iter().find(|key| key.face == face).unwrap();
    let first = bench.session.plan().unwrap().choices(key, choices)[0];
    assert!(!first.columns().contains(&edge.x));
    bench.finger(1, Phase::Move, edge);
    bench.finger(1, Phase::Up, edge);
    assert_eq!(bench.text(), "e");
}

#[test]
fn choosing_is_taken_back_far_away_and_done_by_the_next_finger() {
    let mut bench = Bench::ready(3);
    let at = bench.hold_key(Press::Character('e'), 500);
    bench.finger(1, Phase::Move, Point::new(360, 200));
    assert_eq!(bench.session.view().pressed, None);
    bench.finger(1, Phase::Up, at);
    assert_eq!(bench.text(), "");
    bench.hold_key(Press::Character('e'), 500);
    bench.finger(1, Phase::Move, bench.choice('è'));
    let b = bench.at(Press::Character('b'));
    bench.finger(2, Phase::Down, b);
    assert_eq!(bench.text(), "è");
    bench.finger(1, Phase::Up, at);
    bench.finger(2, Phase::Up, b);
    assert_eq!(bench.text(), "èb");
}

#[test]
fn choices_of_capitals_are_capitals_and_use_shift_up() {
    let mut bench = Bench::ready(3);
    bench.tap(Press::Shift);
    let at = bench.hold_key(Press::Character('E'), 500);
    bench.finger(1, Phase::Move, bench.choice('É'));
    bench.finger(1, Phase::Up, at);
    bench.type_keys("b");
    assert_eq!(bench.text(), "Éb");
}

#[test]
fn what_cannot_be_something_else_waits_for_nothing() {
    let mut bench = Bench::ready(3);
    let idle_ms = bench.session.deadline_ms();
    let layout = bench.session.layout();
    let is_plain = |key: &&Place| matches!(key.press, Press::Character(_)) && key.alternatives(layout).is_empty();
    let plain = bench.session.plan().unwrap().layers[0].iter().find(is_plain).expect("a key of one character").press;
    for press in [plain, Press::Enter, Press::Shift, Press::Clear, Press::Power, Press::Hide] {
        let at = bench.at(press);
        bench.finger(1, Phase::Down, at);
        assert_eq!(bench.session.deadline_ms(), idle_ms, "{press:?}");
        bench.finger(1, Phase::Cancel, at);
    }
}

#[test]
fn backspace_repeats_faster_and_faster_and_characters_do_not() {
    let mut bench = Bench::ready(3);
    for character in "0123456789".repeat(6).chars() {
        bench.send(Event::Text(character));
    }
    let at = bench.at(Press::Backspace);
    bench.finger(1, Phase::Down, at);
    let mut left = Vec::new();
    for ms in [399, 1, 59, 1, 540, 999, 1, 24, 25] {
        bench.pass(ms);
        left.push(60 - bench.characters());
    }
    // 400, 460, every 60 to 1960; the one at 2020 is the first of the fast ones.
    assert_eq!(left, [0, 1, 1, 2, 11, 27, 27, 28, 29]);
    bench.finger(1, Phase::Up, at);
    assert_eq!(60 - bench.characters(), 29, "lifting takes no more");
    bench.tap(Press::Backspace);
    assert_eq!(60 - bench.characters(), 30);
    // Off it, none.
    bench.finger(1, Phase::Down, at);
    bench.finger(1, Phase::Move, Point::new(5, 5));
    bench.pass(3000);
    assert_eq!(60 - bench.characters(), 30);
    bench.session.secret.wipe();
    let at = bench.hold_key(Press::Character('.'), 5000);
    bench.finger(1, Phase::Up, at);
    assert_eq!(bench.text(), ".");
}

#[test]
fn a_machine_that_was_busy_does_not_delete_what_it_missed() {
    let mut bench = Bench::ready(3);
    "0123456789".chars().for_each(|character| drop(bench.send(Event::Text(character))));
    let at = bench.at(Press::Backspace);
    bench.finger(1, Phase::Down, at);
    bench.now_ms += 1900;
    bench.send(Event::Tick);
    bench.send(Event::Tick);
    assert_eq!(bench.characters(), 9);
    // A tap that was read late is a tap.
    bench.finger(1, Phase::Up, at);
    bench.finger(1, Phase::Down, at);
    bench.now_ms += 1900;
    bench.finger(1, Phase::Up, at);
    assert_eq!(bench.characters(), 8);
}

#[test]
fn the_space_bar_drags_the_caret_and_types_when_tapped() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abcdef");
    let space = bench.at(Press::Character(' '));
    let key = bench.session.plan().unwrap().key_height as i32;
    let (far, step) = (key * 2 / 3, key / 3);
    bench.finger(1, Phase::Down, space);
    bench.finger(1, Phase::Move, space - Point::new(far - 1, 0));
    bench.finger(1, Phase::Up, space - Point::new(far - 1, 0));
    assert_eq!(bench.text(), "abcdef ");
    bench.finger(1, Phase::Down, space);
    for (way, caret) in [(far, 7), (far + step, 6), (far + 3 * step + 1, 4), (far + step, 6), (far + 90 * step, 0)] {
        bench.finger(1, Phase::Move, space - Point::new(way, 3));
        assert_eq!(bench.session.view().caret, caret, "{way}");
    }
    // Wherever it lifts, nothing is typed.
    bench.finger(1, Phase::Up, bench.at(Press::Character('q')));
    bench.type_keys("x");
    assert_eq!(bench.text(), "xabcdef ");
    // Up from the bar is no drag: it corrects.
    let v = bench.at(Press::Character('v'));
    bench.finger(1, Phase::Down, space);
    bench.finger(1, Phase::Move, Point::new(space.x, v.y));
    bench.finger(1, Phase::Move, v);
    bench.finger(1, Phase::Up, v);
    assert_eq!(bench.text(), "xvabcdef ");
}

#[test]
fn the_next_layout_is_a_tap_away_and_any_a_hold() {
    let mut bench = Bench::ready(3);
    let edition = bench.session.edition();
    bench.type_keys("a");
    bench.tap(Press::Next);
    assert_eq!((bench.session.view().layout.as_str(), bench.session.layout().name()), ("DE", "de"));
    assert_ne!(bench.session.edition(), edition, "keys are elsewhere");
    bench.type_keys("ü");
    bench.tap(Press::Next);
    assert_eq!(bench.session.layout().name(), "us");
    let at = bench.hold_key(Press::Next, 499);
    assert_eq!(bench.sheet(), Sheet::Keys);
    bench.pass(1);
    assert_eq!(bench.sheet(), Sheet::Layouts(0));
    bench.finger(1, Phase::Up, at);
    assert_eq!((bench.sheet(), bench.session.layout().name()), (Sheet::Layouts(0), "us"));
    bench.tap(Press::Pick(1));
    assert_eq!((bench.sheet(), bench.session.layout().name()), (Sheet::Keys, "de"));
    let at = bench.hold_key(Press::Next, 500);
    bench.finger(1, Phase::Up, at);
    bench.tap(Press::Back);
    assert_eq!((bench.sheet(), bench.text().as_str()), (Sheet::Keys, "aü"));
}

#[test]
fn every_layout_can_be_chosen_on_the_smallest_panel() {
    for (width, height) in [(160, 120), (240, 240), (320, 240), (240, 320)] {
        let panel = Panel { size: Size::new(width, height), millimetres: (0, 0) };
        let (mut bench, mut chosen) = (Bench::ready(3), Vec::new());
        let count = bench.session.plan().unwrap().names.len();
        assert!(count > 45, "{count}");
        for number in 0..count {
            bench.session.set_panel(panel).unwrap();
            bench.session.obey(Order::Picker);
            let shown = |bench: &Bench| {
                let (plan, sheet) = (bench.session.plan().unwrap(), bench.sheet());
                plan.keys(sheet, 0).iter().any(|place| place.press == Press::Pick(number))
            };
            let mut pages = 1;
            while !shown(&bench) {
                assert_eq!((bench.tap(Press::More), bench.text().as_str()), (None, ""));
                pages += 1;
                assert!(pages < 10, "{number} is nowhere");
            }
            bench.tap(Press::Pick(number));
            assert_eq!(bench.sheet(), Sheet::Keys);
            chosen.push(bench.session.layout().name().to_owned());
        }
        // The first page comes after the last one, and is where one begins.
        bench.session.obey(Order::Picker);
        let pages = bench.session.plan().unwrap().layouts.len();
        assert!(pages > 1, "{width}x{height}");
        let seen: Vec<Sheet> = (0..=pages).map(|_| (bench.sheet(), bench.tap(Press::More)).0).collect();
        assert_eq!((seen[0], seen[pages]), (Sheet::Layouts(0), Sheet::Layouts(0)));
        assert_eq!(seen[pages - 1], Sheet::Layouts(pages - 1));
        bench.tap(Press::Back);
        assert_eq!(bench.sheet(), Sheet::Keys);
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen.len(), count);
    }
}

#[test]
fn two_buttons_turn_the_pages() {
    let mut bench = Bench::ready(3);
    bench.session.set_panel(Panel { size: Size::new(160, 120), millimetres: (0, 0) }).unwrap();
    bench.session.obey(Order::Picker);
    let on = |bench: &Bench| {
        let (plan, view) = (bench.session.plan().unwrap(), bench.session.view());
        plan.place(view.sheet, view.layer, view.focus.unwrap()).unwrap().press
    };
    bench.hold(115, 50);
    while on(&bench) != Press::More {
        bench.hold(115, 50);
    }
    bench.hold(115, 700);
    assert_eq!((bench.sheet(), on(&bench)), (Sheet::Layouts(1), Press::More));
}

#[test]
fn another_layout_starts_with_its_first_layer() {
    let mut bench = Bench::ready(3);
    bench.tap(Press::Shift);
    bench.tap(Press::Shift);
    bench.tap(Press::Next);
    let view = bench.session.view();
    assert_eq!((view.layer, view.shift), (0, Shift::Off));
    // A finger that comes down before the key is let go lands on the new keys.
    let next = bench.at(Press::Next);
    bench.finger(1, Phase::Down, next);
    bench.finger(2, Phase::Down, Point::new(30, next.y - 350));
    let pressed = bench.session.view().pressed.unwrap();
    assert_eq!(bench.session.layout().name(), "us");
    assert!(bench.session.plan().unwrap().place(Sheet::Keys, 0, pressed).is_some());
}

#[test]
fn the_keyboard_can_be_put_away_and_any_touch_brings_it_back() {
    let mut bench = Bench::ready(3);
    bench.type_keys("ab");
    bench.tap(Press::Hide);
    assert_eq!((bench.sheet(), bench.session.view().pressed), (Sheet::Hidden, None));
    bench.finger(1, Phase::Down, Point::new(360, 1300));
    assert_eq!(bench.sheet(), Sheet::Keys);
    bench.finger(1, Phase::Up, Point::new(360, 1300));
    assert_eq!(bench.text(), "ab");
    bench.type_keys("c");
    // Its own control brings it back as well, and the others work meanwhile.
    bench.tap(Press::Hide);
    bench.tap(Press::Reveal);
    assert_eq!((bench.sheet(), bench.session.typed()), (Sheet::Hidden, "abc"));
    bench.tap(Press::Hide);
    assert_eq!(bench.sheet(), Sheet::Keys);
}

#[test]
fn a_keyboard_that_comes_puts_it_away() {
    let mut bench = Bench::ready(3);
    let count = |bench: &mut Bench, pointing, keyboards| {
        bench.send(Event::Devices(Census::of(pointing, keyboards)));
        bench.sheet()
    };
    assert_eq!(count(&mut bench, 1, 1), Sheet::Keys);
    // What a finger was on is gone.
    let a = bench.at(Press::Character('a'));
    bench.finger(1, Phase::Down, a);
    assert_eq!(count(&mut bench, 1, 2), Sheet::Hidden);
    bench.finger(1, Phase::Up, a);
    assert_eq!(bench.text(), "");
    assert_eq!(count(&mut bench, 1, 1), Sheet::Keys);
    assert_eq!(count(&mut bench, 1, 2), Sheet::Hidden);
    bench.finger(1, Phase::Down, a);
    bench.finger(1, Phase::Up, a);
    assert_eq!((bench.sheet(), bench.text().as_str()), (Sheet::Keys, ""));
}

#[test]
fn each_press_is_felt_once() {
    let mut bench = Bench::ready(3);
    assert_eq!(bench.session.presses(), 0);
    bench.type_keys("ab");
    bench.tap(Press::Reveal);
    assert_eq!(bench.session.presses(), 3);
    let (a, b) = (bench.at(Press::Character('a')), bench.at(Press::Character('b')));
    bench.finger(1, Phase::Down, a);
    bench.finger(1, Phase::Move, b);
    bench.finger(1, Phase::Up, b);
    bench.finger(1, Phase::Down, Point::new(360, 300));
    assert_eq!(bench.session.presses(), 4);
}

#[test]
fn a_pointer_is_shown_once_it_was_moved() {
    let mut bench = Bench::ready(3);
    let at = Some(Point::new(5, 6));
    for hover in [at, None, at] {
        bench.send(Event::Hover(hover));
        assert_eq!(bench.session.view().cursor, hover);
    }
    bench.session.look_away();
    assert_eq!(bench.session.view().cursor, None);
}
