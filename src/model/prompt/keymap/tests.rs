//! The tables, and the US keyboard.

use super::keyboard::Keyboard;
use super::*;
use crate::model::prompt::decoder::Stroke;

const US: &[u8] = include_bytes!("../../../../tests/keymap/us.bmap");

#[test]
fn us_types_what_console_data_says() {
    let (ours, theirs) = (Keymap::us(), file::parse(US).unwrap());
    for modifiers in [0, SHIFT] {
        for code in (1..=57).chain([71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 86, 96, 98]) {
            // Backspace sends one of two characters that mean the same.
            if code != 14 {
                assert_eq!(ours.entry(modifiers, code), theirs.entry(modifiers, code), "{modifiers} {code}");
            }
        }
    }
}

#[test]
fn ascii_is_complete() {
    for wanted in ' '..='~' {
        let found = (1..=127).any(|code| {
            [0, SHIFT]
                .iter()
                .any(|modifiers| Keymap::us().entry(*modifiers, code).and_then(Entry::character) == Some(wanted))
        });
        assert!(found, "no key types {wanted:?}");
    }
}

#[test]
fn keys_without_a_meaning_have_none() {
    let mut keyboard = Keyboard::default();
    for code in [0, 59, 99, 119, 127, 128, 255, 256, 0x1ff, 0xffff] {
        assert_eq!(keyboard.key(code, Stroke::Press), [None, None], "{code}");
    }
}

#[test]
fn equal_tables_are_kept_once() {
    let mut keymap = Keymap::empty();
    for modifiers in 0..=u8::MAX {
        keymap.set(modifiers, &[0x0061 + u16::from(modifiers % 3); KEYS]);
    }
    assert_eq!(keymap.tables.len(), 3);
    assert_eq!(keymap.entry(255, 5), Some(Entry::Character('a')));
    assert_eq!(keymap.entry(254, 127), Some(Entry::Character('c')));
    assert_eq!(keymap.entry(254, 128), None);
    assert!(keymap.has(7) && !Keymap::empty().has(7));
}

#[test]
fn every_accent_of_latin_1_is_there_once() {
    let keymap = Keymap::us();
    assert_eq!(keymap.accents().len(), 68);
    assert_eq!(keymap.combine('^', 'e'), Some('ê'));
    assert_eq!(keymap.combine('s', 's'), Some('ß'));
    assert_eq!(keymap.combine('^', 'x'), None);
    for accent in keymap.accents() {
        let pair = |other: &&Accent| (other.accent, other.base) == (accent.accent, accent.base);
        assert_eq!(keymap.accents().iter().filter(pair).count(), 1, "{accent:?}");
    }
}
