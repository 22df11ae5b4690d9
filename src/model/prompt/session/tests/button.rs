//! Buttons: two of the machine's own are enough, a game pad is easier.

use super::*;

const VOLUME_DOWN: u16 = 114;
const VOLUME_UP: u16 = 115;
const POWER: u16 = 116;
const SOUTH: u16 = 0x130;
const EAST: u16 = 0x131;
const NORTH: u16 = 0x133;
const WEST: u16 = 0x134;
const START: u16 = 0x13b;
const UP: u16 = 0x220;
const DOWN: u16 = 0x221;
const LEFT: u16 = 0x222;
const RIGHT: u16 = 0x223;

/// Somebody who looks at the screen and presses buttons.
struct Hand {
    bench: Bench,
    presses: usize,
}

impl Hand {
    fn new() -> Self {
        Self { bench: Bench::ready(3), presses: 0 }
    }

    fn press(&mut self, code: u16, ms: u64) -> Vec<Action> {
        self.presses += 1;
        self.bench.hold(code, ms)
    }

    fn spot(&self) -> Option<Spot> {
        self.bench.session.view().focus
    }

    /// Where the focus is.
    fn at(&self) -> Point {
        let (plan, view) = (self.bench.session.plan().unwrap(), self.bench.session.view());
        plan.place(view.sheet, view.layer, view.focus.expect("a focus")).unwrap().face.center()
    }

    /// What the focus is on.
    fn on(&self) -> Press {
        let (plan, view) = (self.bench.session.plan().unwrap(), self.bench.session.view());
        plan.place(view.sheet, view.layer, view.focus.expect("a focus")).unwrap().press
    }

    /// Goes to a key with the two volume keys.
    fn go(&mut self, press: Press) {
        let to = self.bench.at(press);
        if self.spot().is_none() {
            self.press(VOLUME_UP, 50);
        }
        while (self.at().y - to.y).abs() > 20 {
            self.press(VOLUME_DOWN, 50);
            assert!(self.presses < 1000);
        }
        while self.at().x < to.x && self.on() != press {
            self.press(VOLUME_UP, 50);
        }
        if self.on() != press {
            // Back as far as it needs: held, it goes on.
            self.bench.stroke(VOLUME_DOWN, Stroke::Press);
            self.presses += 1;
            while self.on() != press {
                self.bench.pass(10);
            }
            self.bench.stroke(VOLUME_DOWN, Stroke::Release);
            self.bench.now_ms += 50;
        }
        assert_eq!(self.on(), press);
    }

    fn tap(&mut self, press: Press) -> Vec<Action> {
        self.go(press);
        self.press(VOLUME_UP, 700)
    }

    fn go_by_pad(&mut self, press: Press) {
        if self.spot().is_none() {
            self.press(DOWN, 50);
        }
        let to = self.bench.at(press);
        while self.on() != press {
            let way = to - self.at();
            let code = match () {
                () if way.y > 20 => DOWN,
                () if way.y < -20 => UP,
                () if way.x > 0 => RIGHT,
                () => LEFT,
            };
            self.press(code, 50);
            assert!(self.presses < 1000, "never gets from {:?} to {press:?}", self.on());
        }
    }
}

fn layer(name: &str) -> Press {
    Press::Layer(Layout::parse("us", US).unwrap().find(name).unwrap())
}

#[test]
fn two_buttons_type_a_whole_passphrase() {
    let mut hand = Hand::new();
    for press in [
        Press::Shift,
        Press::Character('K'),
        Press::Character('e'),
        Press::Character('y'),
        layer("digits"),
        Press::Character('7'),
        layer("symbols"),
        Press::Character('~'),
        layer("digits"),
        layer("lower"),
        Press::Character(' '),
        Press::Character('z'),
    ] {
        assert_eq!(hand.tap(press), []);
    }
    assert_eq!(hand.bench.text(), "Key7~ z");
    assert_eq!(hand.tap(Press::Enter), [Action::Unlock { length: 7 }]);
    // Thirteen keys, presses of them included.
    assert!((40..=75).contains(&hand.presses), "{} presses", hand.presses);
}

#[test]
fn two_buttons_reach_everything_in_a_few_presses() {
    let shown = Hand::new();
    let (plan, view) = (shown.bench.session.plan().unwrap(), shown.bench.session.view());
    let places = plan.keys(view.sheet, view.layer).iter().chain(plan.controls(view.sheet));
    let presses: Vec<Press> = places.map(|place| place.press).collect();
    assert!(presses.contains(&Press::Power) && presses.contains(&Press::Clear));
    let mut all = 0;
    for press in &presses {
        let mut hand = Hand::new();
        hand.press(VOLUME_UP, 50);
        hand.presses = 0;
        hand.go(*press);
        assert!(hand.presses <= 15, "{press:?} takes {}", hand.presses);
        all += hand.presses;
    }
    assert!(all / presses.len() <= 6, "{all} for {}", presses.len());
}

#[test]
fn reading_order_goes_through_everything_and_back() {
    let mut hand = Hand::new();
    assert_eq!((hand.spot(), hand.bench.session.view().message.as_str()), (None, ""));
    hand.press(VOLUME_UP, 50);
    // The first press only shows where one is, and what to do.
    assert_eq!(hand.on(), Press::Character('1'));
    assert!(hand.bench.session.view().message.starts_with("Volume up: next key. Down: next row"));
    let (start, mut seen) = (hand.spot(), vec![hand.spot()]);
    loop {
        hand.press(VOLUME_UP, 50);
        if hand.spot() == start {
            break;
        }
        assert!(!seen.contains(&hand.spot()), "{:?} twice", hand.on());
        seen.push(hand.spot());
    }
    let plan = hand.bench.session.plan().unwrap();
    assert_eq!(seen.len(), plan.layers[0].len() + plan.controls(Sheet::Keys).len());
    for spot in seen.iter().rev() {
        hand.press(VOLUME_DOWN, 600);
        assert_eq!(hand.spot(), *spot);
    }
    assert_eq!(hand.bench.text(), "");
}

#[test]
fn held_it_goes_back_faster_and_faster() {
    let mut hand = Hand::new();
    let count = |ms: u64| {
        let mut hand = Hand::new();
        hand.press(VOLUME_UP, 50);
        hand.press(VOLUME_DOWN, 50);
        hand.press(VOLUME_DOWN, 50);
        hand.press(VOLUME_DOWN, 50);
        let start = hand.spot();
        hand.press(VOLUME_DOWN, ms);
        let mut steps = 0;
        while hand.spot() != start {
            hand.press(VOLUME_UP, 50);
            steps += 1;
        }
        steps
    };
    let steps: Vec<i32> = [599, 600, 749, 750, 1650, 1799, 1800, 1860].map(count).to_vec();
    // Below 600 ms it is a short press, to the next row: from the first key of one, many to go.
    assert_eq!(steps[1..], [1, 1, 2, 8, 8, 9, 10]);
    // The kernel's own repeats count for nothing.
    hand.press(VOLUME_UP, 50);
    let at = hand.spot();
    hand.bench.stroke(VOLUME_DOWN, Stroke::Press);
    for _ in 0..50 {
        hand.bench.stroke(VOLUME_DOWN, Stroke::Repeat);
    }
    assert_eq!(hand.spot(), at);
    // Nor do they put off what holding leads to.
    for _ in 0..17 {
        hand.bench.pass(40);
        hand.bench.stroke(VOLUME_DOWN, Stroke::Repeat);
    }
    assert_ne!(hand.spot(), at);
}

#[test]
fn held_longer_a_key_offers_more_and_buttons_choose() {
    let mut hand = Hand::new();
    hand.go(Press::Character('e'));
    hand.press(VOLUME_UP, 600 + 500);
    let choices = |hand: &Hand| hand.bench.session.view().choices.map_or(0, |choices| choices.characters.len());
    assert!(choices(&hand) > 3);
    assert_eq!(hand.bench.text(), "");
    for (code, ms, choice) in [(VOLUME_UP, 50, 1), (VOLUME_UP, 50, 2), (VOLUME_DOWN, 600, 1), (VOLUME_DOWN, 50, 2)] {
        hand.press(code, ms);
        assert_eq!(hand.bench.session.view().pressed, Some(Spot::Choice(choice)));
    }
    hand.press(VOLUME_UP, 600);
    assert_eq!((hand.bench.text().as_str(), choices(&hand)), ("é", 0));
    // A finger that comes chooses nothing.
    hand.press(VOLUME_UP, 1100);
    assert!(choices(&hand) > 3);
    hand.bench.type_keys("b");
    assert_eq!((hand.bench.text().as_str(), hand.spot()), ("éb", None));
}

#[test]
fn a_held_backspace_repeats() {
    let mut hand = Hand::new();
    "0123456789".chars().for_each(|character| drop(hand.bench.send(Event::Text(character))));
    hand.go(Press::Backspace);
    hand.press(VOLUME_UP, 600 + 400 + 60);
    assert_eq!(hand.bench.characters(), 8);
    hand.press(VOLUME_UP, 700);
    assert_eq!(hand.bench.characters(), 7);
}

#[test]
fn the_power_key_presses_what_has_the_focus() {
    let mut hand = Hand::new();
    assert_eq!(hand.press(POWER, 50), [Action::Blank]);
    hand.go(Press::Character('e'));
    assert_eq!(hand.press(POWER, 50), []);
    assert_eq!(hand.press(POWER, 1400), []);
    assert_eq!(hand.bench.text(), "ee");
    hand.go(Press::Enter);
    assert_eq!(hand.press(POWER, 50), [Action::Unlock { length: 2 }]);
}

#[test]
fn another_layer_leaves_the_focus_at_its_place() {
    for buttons in [&[VOLUME_UP][..], &[POWER]] {
        let mut hand = Hand::new();
        for name in ["digits", "symbols", "digits", "lower"] {
            hand.go(layer(name));
            let at = hand.at();
            buttons.iter().for_each(|code| drop(hand.press(*code, if *code == POWER { 50 } else { 700 })));
            let away = hand.at() - at;
            assert!(away.x.abs() < 40 && away.y.abs() < 10, "{name}: {away}");
        }
    }
}

#[test]
fn the_focus_goes_when_it_is_not_needed_and_is_where_it_was_afterwards() {
    let mut hand = Hand::new();
    hand.go(Press::Character('g'));
    hand.bench.pass(59_000);
    assert!(hand.spot().is_some());
    hand.press(VOLUME_UP, 50);
    assert_eq!(hand.on(), Press::Character('h'));
    hand.bench.session.config.question.timeout_ms = 0;
    hand.bench.pass(60_000);
    assert_eq!(hand.spot(), None);
    assert_eq!(hand.press(POWER, 50), [Action::Blank]);
    hand.press(VOLUME_DOWN, 50);
    assert_eq!(hand.on(), Press::Character('h'));
    hand.bench.type_keys("a");
    assert_eq!(hand.spot(), None);
    // On another panel it is on the same key.
    hand.press(VOLUME_DOWN, 50);
    hand.bench.session.set_panel(Panel { size: Size::new(1280, 800), millimetres: (0, 0) }).unwrap();
    assert_eq!(hand.on(), Press::Character('h'));
    hand.press(VOLUME_UP, 50);
    assert_eq!(hand.on(), Press::Character('j'));
}

#[test]
fn a_hidden_keyboard_comes_back_for_buttons() {
    let mut hand = Hand::new();
    hand.bench.send(Event::Devices(Census::of(0, 1)));
    assert_eq!((hand.bench.sheet(), hand.spot()), (Sheet::Hidden, None));
    hand.press(VOLUME_UP, 50);
    assert_eq!((hand.bench.sheet(), hand.on()), (Sheet::Keys, Press::Character('1')));
}

#[test]
fn a_game_pad_types_a_whole_passphrase() {
    let mut hand = Hand::new();
    for press in ["K", "e", "y"].map(|text| Press::Character(text.chars().next().unwrap())) {
        if press == Press::Character('K') {
            hand.press(NORTH, 50);
            assert_eq!(hand.bench.session.view().layer, 1);
        }
        hand.go_by_pad(press);
        assert_eq!(hand.press(SOUTH, 50), []);
    }
    hand.press(SOUTH, 50);
    assert_eq!(hand.bench.text(), "Keyy");
    hand.press(EAST, 50);
    assert_eq!(hand.bench.text(), "Key");
    for press in [layer("digits"), Press::Character('7'), layer("symbols"), Press::Character('~')] {
        hand.go_by_pad(press);
        hand.press(SOUTH, 50);
    }
    assert_eq!(hand.bench.text(), "Key7~");
    assert_eq!(hand.bench.session.view().message, "", "a pad needs no rule");
    assert_eq!(hand.press(START, 50), [Action::Unlock { length: 5 }]);
    assert!((30..=65).contains(&hand.presses), "{} presses", hand.presses);
}

#[test]
fn both_codes_of_a_pads_upper_button_shift() {
    for code in [NORTH, WEST] {
        let mut hand = Hand::new();
        hand.press(code, 50);
        assert_eq!(hand.bench.session.view().layer, 1, "{code:#x}");
    }
}

#[test]
fn a_pad_goes_over_the_edges_and_repeats() {
    let mut hand = Hand::new();
    hand.press(RIGHT, 50);
    assert_eq!(hand.on(), Press::Character('1'));
    hand.press(LEFT, 50);
    assert_eq!(hand.on(), Press::Character('0'));
    hand.press(RIGHT, 50);
    hand.press(RIGHT, 400 + 150);
    assert_eq!(hand.on(), Press::Character('4'));
    // Wide keys in between do not lose the column.
    hand.go_by_pad(Press::Character('b'));
    hand.press(DOWN, 50);
    assert_eq!(hand.on(), Press::Character(' '));
    hand.press(UP, 50);
    assert_eq!(hand.on(), Press::Character('b'));
    hand.bench.type_keys("abcdef");
    hand.press(EAST, 400 + 150 + 150);
    assert_eq!(hand.bench.text(), "ab");
}

#[test]
fn choices_of_a_pad_are_given_up_by_its_back_button() {
    let mut hand = Hand::new();
    hand.go_by_pad(Press::Character('e'));
    hand.press(SOUTH, 500);
    hand.press(RIGHT, 50);
    hand.press(EAST, 50);
    assert_eq!((hand.bench.session.view().choices, hand.bench.text().as_str()), (None, ""));
    hand.press(SOUTH, 500);
    hand.press(RIGHT, 50);
    hand.press(SOUTH, 50);
    assert_eq!(hand.bench.text(), "è");
}

#[test]
fn nothing_is_pressed_while_the_worker_is_busy() {
    let mut hand = Hand::new();
    hand.go(Press::Character('e'));
    hand.press(VOLUME_UP, 700);
    hand.press(START, 50);
    for code in [VOLUME_UP, VOLUME_DOWN, SOUTH, EAST, NORTH, START, RIGHT] {
        assert_eq!(hand.press(code, 700), []);
    }
    assert_eq!((hand.bench.text().as_str(), hand.spot()), ("e", None));
    // One that was held before does nothing after it.
    hand.bench.stroke(VOLUME_UP, Stroke::Press);
    hand.bench.fail(Failure::Memory { needed_kib: 2, free_kib: 1 });
    hand.bench.stroke(VOLUME_UP, Stroke::Release);
    assert_eq!(hand.bench.text(), "e");
}
