//! Real keymaps, what each key of them types, and noise.

use super::*;
use crate::model::noise::Noise;
use crate::model::prompt::keymap::{ALT, file};

const GERMAN: &[u8] = include_bytes!("../../../../../tests/keymap/de-latin1.bmap");
const FRENCH: &[u8] = include_bytes!("../../../../../tests/keymap/fr-latin9.bmap");
const GREEK: &[u8] = include_bytes!("../../../../../tests/keymap/gr-utf8.bmap");
const INTERNATIONAL: &[u8] = include_bytes!("../../../../../tests/keymap/us-intl.iso15.bmap");
const DEBIAN_GERMAN: &[u8] = include_bytes!("../../../../../tests/keymap/debian-de.bmap");
const DEBIAN_RUSSIAN: &[u8] = include_bytes!("../../../../../tests/keymap/debian-ru.bmap");

const KEY_ESC: u16 = 1;
const KEY_BACKSPACE: u16 = 14;
const KEY_TAB: u16 = 15;
const KEY_ENTER: u16 = 28;
const KEY_LEFTCTRL: u16 = 29;
const KEY_A: u16 = 30;
const KEY_LEFTSHIFT: u16 = 42;
const KEY_RIGHTSHIFT: u16 = 54;
const KEY_LEFTALT: u16 = 56;
const KEY_SPACE: u16 = 57;
const KEY_NUMLOCK: u16 = 69;
const KEY_KPENTER: u16 = 96;
const KEY_RIGHTALT: u16 = 100;
const SHIFT_KEY: u16 = KEY_LEFTSHIFT;

fn keyboard(file: &[u8]) -> Keyboard {
    Keyboard::new(file::parse(file).unwrap())
}

/// What chords mean: each is keys that go down in turn and come up in turn.
fn meant(keyboard: &mut Keyboard, chords: &[&[u16]]) -> Vec<Meaning> {
    let mut meanings = Vec::new();
    for chord in chords {
        let down = chord.iter().map(|code| (*code, Stroke::Press));
        let up = chord.iter().rev().map(|code| (*code, Stroke::Release));
        for (code, stroke) in down.chain(up) {
            meanings.extend(keyboard.key(code, stroke).into_iter().flatten());
        }
    }
    meanings
}

/// The text of chords that mean nothing but characters.
fn typed(keyboard: &mut Keyboard, chords: &[&[u16]]) -> String {
    let character = |meaning: Meaning| match meaning {
        Meaning::Character(character) => character,
        other => panic!("{other:?}"),
    };
    meant(keyboard, chords).into_iter().map(character).collect()
}

#[test]
fn german_letters() {
    let mut german = keyboard(GERMAN);
    let chords: &[&[u16]] = &[&[12], &[40], &[SHIFT_KEY, 40], &[21], &[44], &[KEY_RIGHTALT, 16]];
    assert_eq!(typed(&mut german, chords), "ßäÄzy@");
    assert_eq!(typed(&mut german, &[&[41], &[18], &[13], &[18], &[SHIFT_KEY, 13], &[SHIFT_KEY, 30]]), "êéÀ");
    // The keypad of a German keyboard.
    assert_eq!(typed(&mut german, &[&[82], &[83], &[71]]), "0,7");
}

#[test]
fn french_accents_and_caps_lock() {
    let mut french = keyboard(FRENCH);
    assert_eq!(typed(&mut french, &[&[26], &[18], &[SHIFT_KEY, 26], &[22], &[3], &[10], &[16], &[30]]), "êüéçaq");
    assert_eq!(typed(&mut french, &[&[KEY_RIGHTALT, 18], &[SHIFT_KEY, 2]]), "€1");
    // What looks like a sign is a LETTER on this keyboard, and Caps Lock turns it over.
    assert_eq!(typed(&mut french, &[&[KEY_CAPSLOCK], &[2], &[16], &[43], &[SHIFT_KEY, 16]]), "1Aµa");
    assert!(french.caps_lock());
    assert_eq!(typed(&mut french, &[&[26], &[18]]), "Ê");
    assert_eq!(typed(&mut french, &[&[KEY_CAPSLOCK], &[2]]), "&");
}

#[test]
fn a_dead_key_alone_twice_and_before_a_stranger() {
    let mut french = keyboard(FRENCH);
    assert_eq!(typed(&mut french, &[&[26]]), "");
    assert_eq!(french.dead(), Some('^'));
    assert_eq!(typed(&mut french, &[&[KEY_SPACE]]), "^");
    assert_eq!(french.dead(), None);
    assert_eq!(typed(&mut french, &[&[26], &[26], &[18]]), "^e");
    assert_eq!(typed(&mut french, &[&[26], &[34]]), "^g");
    assert_eq!(typed(&mut french, &[&[26], &[SHIFT_KEY, 26], &[18]]), "^ë");
    assert_eq!(meant(&mut french, &[&[26], &[KEY_ENTER]]), [Meaning::Character('^'), Meaning::Enter]);
    // It is taken back before what was typed.
    assert_eq!(meant(&mut french, &[&[26], &[KEY_BACKSPACE]]), []);
    assert_eq!(meant(&mut french, &[&[KEY_BACKSPACE]]), [Meaning::Backspace]);
    assert_eq!(typed(&mut french, &[&[18]]), "e");
}

#[test]
fn american_with_dead_keys() {
    let mut american = keyboard(INTERNATIONAL);
    assert_eq!(typed(&mut american, &[&[40], &[30], &[SHIFT_KEY, 40], &[22], &[SHIFT_KEY, 7], &[24]]), "áüô");
    assert_eq!(typed(&mut american, &[&[40], &[KEY_SPACE], &[KEY_RIGHTALT, 18]]), "'€");
}

#[test]
fn greek_by_a_lock_of_altgr_and_compose() {
    let mut greek = keyboard(GREEK);
    assert_eq!(typed(&mut greek, &[&[30], &[KEY_LEFTALT, KEY_LEFTSHIFT], &[30], &[SHIFT_KEY, 30]]), "aαΑ");
    assert!(greek.group() && !greek.caps_lock());
    // The other way round while it is held.
    assert_eq!(typed(&mut greek, &[&[KEY_RIGHTALT, 30]]), "a");
    assert_eq!(typed(&mut greek, &[&[KEY_LEFTALT, KEY_LEFTSHIFT], &[30]]), "a");
    assert!(!greek.group());
    let compose: &[u16] = &[KEY_LEFTCTRL, 52];
    assert_eq!(typed(&mut greek, &[compose, &[31], &[31], compose, &[30], &[18], compose, &[34], &[35]]), "ßægh");
    assert_eq!(meant(&mut greek, &[compose, &[KEY_BACKSPACE], &[30]]), [Meaning::Character('a')]);
}

#[test]
fn russian_by_both_locks_of_debian() {
    let mut russian = keyboard(DEBIAN_RUSSIAN);
    let group: &[u16] = &[KEY_LEFTALT, KEY_LEFTSHIFT];
    assert_eq!(typed(&mut russian, &[&[34], group, &[34], &[SHIFT_KEY, 34], &[41]]), "gпПё");
    assert!(russian.group());
    assert_eq!(typed(&mut russian, &[&[KEY_CAPSLOCK], &[34], &[SHIFT_KEY, 34], &[2]]), "Пп1");
    assert!(russian.group() && russian.caps_lock());
    assert_eq!(typed(&mut russian, &[group, &[34]]), "G");
    assert!(!russian.group() && russian.caps_lock());
    assert_eq!(meant(&mut russian, &[group, &[KEY_ENTER], group]), [Meaning::Enter]);
    russian.set_caps_lock(false);
    assert_eq!(typed(&mut russian, &[&[34]]), "g");
}

#[test]
fn caps_lock_by_another_lock() {
    let mut german = keyboard(DEBIAN_GERMAN);
    assert_eq!(typed(&mut german, &[&[12], &[40], &[KEY_RIGHTALT, 18], &[41], &[18]]), "ßä€ê");
    german.set_caps_lock(true);
    assert!(german.caps_lock() && !german.group());
    assert_eq!(typed(&mut german, &[&[40], &[2], &[SHIFT_KEY, 40]]), "Ä1ä");
    assert_eq!(typed(&mut german, &[&[KEY_CAPSLOCK], &[40]]), "ä");
    assert!(!german.caps_lock());
}

#[test]
fn us_is_always_there() {
    let mut russian = keyboard(DEBIAN_RUSSIAN);
    assert_eq!(typed(&mut russian, &[&[KEY_LEFTALT, KEY_LEFTSHIFT], &[34], &[KEY_F2], &[34]]), "пg");
    assert!(russian.is_us() && !russian.group());
    assert_eq!(typed(&mut russian, &[&[KEY_CAPSLOCK], &[34], &[KEY_F2]]), "G");
    assert!(!russian.is_us() && russian.caps_lock());
    assert_eq!(typed(&mut russian, &[&[34]]), "G");
    // The machine's keymap may be told anew.
    assert_eq!(typed(&mut russian, &[&[KEY_F2]]), "");
    russian.set_keymap(file::parse(DEBIAN_RUSSIAN).unwrap());
    assert!(russian.is_us());
    russian.set_keymap(file::parse(GERMAN).unwrap());
    assert!(!russian.is_us());
    russian.set_keymap(file::parse(DEBIAN_RUSSIAN).unwrap());
    // Alt and F2 would change terminals elsewhere.
    assert_eq!(typed(&mut russian, &[&[KEY_LEFTALT, KEY_F2]]), "");
    assert!(!russian.is_us());
}

#[test]
fn either_shift_may_go_first() {
    let mut keyboard = Keyboard::default();
    let strokes = [
        (KEY_LEFTSHIFT, Stroke::Press),
        (KEY_RIGHTSHIFT, Stroke::Press),
        (KEY_LEFTSHIFT, Stroke::Release),
        (KEY_A, Stroke::Press),
        (KEY_RIGHTSHIFT, Stroke::Release),
        (KEY_A, Stroke::Press),
    ];
    let meanings: Vec<_> = strokes.iter().flat_map(|(code, stroke)| keyboard.key(*code, *stroke)).flatten().collect();
    assert_eq!(meanings, [Meaning::Character('A'), Meaning::Character('a')]);
    // The same key of two keyboards.
    let strokes = [Stroke::Press, Stroke::Press, Stroke::Release].map(|stroke| keyboard.key(KEY_LEFTSHIFT, stroke));
    assert_eq!(strokes, [NOTHING; 3]);
    assert_eq!(typed(&mut keyboard, &[&[KEY_A]]), "A");
    keyboard.key(KEY_LEFTSHIFT, Stroke::Release);
    assert_eq!(typed(&mut keyboard, &[&[KEY_A]]), "a");
}

#[test]
fn control_edits_as_on_a_terminal() {
    for mut keyboard in [Keyboard::default(), keyboard(GERMAN), keyboard(DEBIAN_GERMAN), keyboard(INTERNATIONAL)] {
        let control = |code| [KEY_LEFTCTRL, code];
        let chords: [&[u16]; 11] = [
            &control(22),
            &control(17),
            &control(30),
            &control(18),
            &control(35),
            &[KEY_BACKSPACE],
            &[KEY_ENTER],
            &[KEY_KPENTER],
            &[KEY_TAB],
            &[KEY_ESC],
            &control(50),
        ];
        use Meaning::{Backspace, Cancel, Clear, End, Enter, Home, Reveal};
        let wanted = [Clear, Clear, Home, End, Backspace, Backspace, Enter, Enter, Reveal, Cancel, Enter];
        assert_eq!(meant(&mut keyboard, &chords), wanted);
        assert_eq!(meant(&mut keyboard, &[&control(46), &control(32)]), []);
    }
}

#[test]
fn keys_move_and_the_keypad_does_without_num_lock() {
    for mut keyboard in [Keyboard::default(), keyboard(GREEK), keyboard(DEBIAN_RUSSIAN)] {
        use Meaning::{Delete, End, Home, Left, Right};
        assert_eq!(meant(&mut keyboard, &[&[105], &[106], &[102], &[107], &[111]]), [Left, Right, Home, End, Delete]);
        assert_eq!(meant(&mut keyboard, &[&[103], &[108], &[104], &[109], &[110], &[59], &[88]]), []);
        assert_eq!(typed(&mut keyboard, &[&[71], &[75], &[78], &[98], &[55]]), "74+/*");
        let pad: [&[u16]; 9] =
            [&[KEY_NUMLOCK], &[75], &[77], &[71], &[79], &[83], &[76], &[KEY_KPENTER], &[KEY_NUMLOCK]];
        assert_eq!(meant(&mut keyboard, &pad), [Left, Right, Home, End, Delete, Meaning::Enter]);
        assert_eq!(typed(&mut keyboard, &[&[79], &[74]]), "1-");
    }
}

#[test]
fn numbers_make_characters() {
    let mut keyboard = Keyboard::default();
    // Alt and 2 2 3; AltGr and d f; nothing that controls.
    assert_eq!(typed(&mut keyboard, &[&[KEY_LEFTALT, 80, 80, 81], &[KEY_A]]), "ßa");
    assert_eq!(typed(&mut keyboard, &[&[KEY_RIGHTALT, 32, 33]]), "ß");
    assert_eq!(typed(&mut keyboard, &[&[KEY_LEFTALT, 79, 81], &[KEY_LEFTALT, 73, 73, 73, 73, 73, 73, 73]]), "");
}

#[test]
fn characters_repeat_and_enter_does_not() {
    let mut keyboard = keyboard(GERMAN);
    let mut again = |code| {
        let first = keyboard.key(code, Stroke::Press);
        let second = keyboard.key(code, Stroke::Repeat);
        keyboard.key(code, Stroke::Release);
        (first, second)
    };
    for code in [KEY_A, KEY_BACKSPACE, KEY_SPACE, 105, 106, 111, 71] {
        let (first, second) = again(code);
        assert!(first != NOTHING && first == second, "{code}");
    }
    for code in [KEY_ENTER, KEY_KPENTER, KEY_TAB, KEY_ESC, 102, 107] {
        let (first, second) = again(code);
        assert!(first != NOTHING && second == NOTHING, "{code}");
    }
    for code in [41, KEY_CAPSLOCK, KEY_NUMLOCK] {
        assert_eq!(again(code), (NOTHING, NOTHING));
    }
    assert!(keyboard.caps_lock());
    assert_eq!(keyboard.dead(), Some('^'));
}

#[test]
fn a_sticky_key_counts_for_one_key() {
    let mut keymap = Keymap::us();
    let mut table = [0x0200; crate::model::prompt::keymap::KEYS];
    (table[30], table[31], table[42]) = (0x0061, 0x0c00, 0x0700);
    keymap.set(0, &table);
    (table[30], table[31]) = (0x0041, 0x0c00);
    keymap.set(SHIFT, &table);
    let mut keyboard = Keyboard::new(keymap);
    assert_eq!(typed(&mut keyboard, &[&[31], &[30], &[30], &[31, 30, 30], &[30]]), "AaAAa");
    assert_eq!(typed(&mut keyboard, &[&[31], &[31], &[30]]), "a");
}

#[test]
fn a_lock_into_nowhere_is_none() {
    let mut keymap = Keymap::us();
    let mut table = [0x0200; crate::model::prompt::keymap::KEYS];
    (table[30], table[31]) = (0x0061, 0x0a05);
    keymap.set(0, &table);
    let mut keyboard = Keyboard::new(keymap);
    assert_eq!(typed(&mut keyboard, &[&[31], &[30]]), "a");
    assert!(!keyboard.group());
}

#[test]
fn caps_shift_ends_caps_lock() {
    let mut keymap = Keymap::us();
    let mut table = [0x0200; crate::model::prompt::keymap::KEYS];
    (table[30], table[42], table[58]) = (0x0b61, 0x0708, 0x020d);
    keymap.set(0, &table);
    let mut keyboard = Keyboard::new(keymap);
    assert_eq!(typed(&mut keyboard, &[&[58], &[58], &[30], &[42, 30], &[30]]), "AAa");
}

#[test]
fn a_keymap_that_comes_late_leaves_the_hands_alone() {
    let mut keyboard = Keyboard::default();
    keyboard.key(KEY_LEFTSHIFT, Stroke::Press);
    keyboard.key(KEY_CAPSLOCK, Stroke::Press);
    keyboard.set_keymap(file::parse(GERMAN).unwrap());
    assert!(keyboard.caps_lock());
    assert_eq!(typed(&mut keyboard, &[&[40], &[2]]), "ä!");
    keyboard.key(KEY_LEFTSHIFT, Stroke::Release);
    assert_eq!(typed(&mut keyboard, &[&[40]]), "Ä");
}

#[test]
fn whatever_is_pressed_nothing_is_stuck_in_the_end() {
    let mut noise = Noise::new(88_172_645_463_325_252);
    let mut random = move || noise.draw();
    let files = [GERMAN, FRENCH, GREEK, INTERNATIONAL, DEBIAN_GERMAN, DEBIAN_RUSSIAN];
    let mut keyboards: Vec<Keyboard> = files.iter().map(|file| keyboard(file)).chain([Keyboard::default()]).collect();
    // And one of noise, in which everything there is happens.
    let mut noise = Keymap::us();
    for modifiers in 0..=ALT {
        let mut table = [0; crate::model::prompt::keymap::KEYS];
        table.fill_with(|| random() as u16 & 0x0fff);
        noise.set(modifiers, &table);
    }
    keyboards.push(Keyboard::new(noise));
    for keyboard in &mut keyboards {
        for _ in 0..200 {
            let mut down = Vec::new();
            for _ in 0..random() % 200 {
                let code = (random() % 300) as u16;
                match random() % 3 {
                    0 => {
                        keyboard.key(code, Stroke::Press);
                        down.push(code);
                    }
                    1 => {
                        keyboard.key(code, Stroke::Repeat);
                    }
                    _ => {
                        keyboard.key(code, Stroke::Release);
                        down.retain(|other| *other != code);
                    }
                }
            }
            for code in down {
                keyboard.key(code, Stroke::Release);
            }
            // Pressed twice without being let go, which no device does, is let go twice.
            for code in (0..300).flat_map(|code| [code; HELD_MAX]) {
                keyboard.key(code, Stroke::Release);
            }
            assert_eq!((keyboard.holds(), keyboard.held.len()), (0, 0));
            assert!(keyboard.keymap.has(keyboard.lock), "no way back from {}", keyboard.lock);
        }
    }
}
