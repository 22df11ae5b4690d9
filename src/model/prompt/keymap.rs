//! Hardware keyboards: from key codes to characters.
//!
//! Key codes are those of include/uapi/linux/input-event-codes.h.

/// What a key of a hardware keyboard means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Types a character.
    Character(char),
    /// Takes the last character away.
    Backspace,
    /// Takes everything away.
    Clear,
    /// Tries the passphrase.
    Enter,
    /// Takes the next character away.
    Delete,
    /// One character to the left.
    Left,
    /// One character to the right.
    Right,
    /// Before the first character.
    Home,
    /// Behind the last one.
    End,
    /// Shows or hides what was typed.
    Reveal,
    /// Ends the prompt, where whoever started it allows that.
    Cancel,
}

/// Which modifiers are held or locked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    left_shift: bool,
    right_shift: bool,
    left_control: bool,
    right_control: bool,
    caps_lock: bool,
}

const KEY_BACKSPACE: u16 = 14;
const KEY_ENTER: u16 = 28;
const KEY_LEFTCTRL: u16 = 29;
const KEY_LEFTSHIFT: u16 = 42;
const KEY_RIGHTSHIFT: u16 = 54;
const KEY_SPACE: u16 = 57;
const KEY_CAPSLOCK: u16 = 58;
const KEY_KPENTER: u16 = 96;
const KEY_RIGHTCTRL: u16 = 97;

/// Runs of neighbouring key codes of a US keyboard: the first code, then what they type.
const US: [(u16, &str, &str); 5] = [
    (2, "1234567890-=", "!@#$%^&*()_+"),
    (16, "qwertyuiop[]", "QWERTYUIOP{}"),
    (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    (86, "<", ">"),
];
/// The keypad, with Num Lock on: KEY_KPASTERISK, KEY_KP7 to KEY_KPDOT, KEY_KPSLASH.
const KEYPAD: [(u16, &str); 3] = [(55, "*"), (71, "789-456+1230."), (98, "/")];

impl Modifiers {
    /// Notes a key going down or up; true when it is a modifier and means nothing else.
    pub fn note(&mut self, code: u16, down: bool) -> bool {
        match code {
            KEY_LEFTSHIFT => self.left_shift = down,
            KEY_RIGHTSHIFT => self.right_shift = down,
            KEY_LEFTCTRL => self.left_control = down,
            KEY_RIGHTCTRL => self.right_control = down,
            KEY_CAPSLOCK => self.caps_lock ^= down,
            _ => return false,
        }
        true
    }

    /// Whether a key modifies others while it is held, and does nothing else.
    pub fn is_held(code: u16) -> bool {
        matches!(code, KEY_LEFTSHIFT | KEY_RIGHTSHIFT | KEY_LEFTCTRL | KEY_RIGHTCTRL)
    }

    /// Whether Caps Lock is on.
    pub fn caps_lock(&self) -> bool {
        self.caps_lock
    }

    fn shift(&self) -> bool {
        self.left_shift || self.right_shift
    }

    fn control(&self) -> bool {
        self.left_control || self.right_control
    }
}

/// What a US keyboard means by a key that goes down or repeats; `None` for keys without a meaning.
pub fn us(code: u16, modifiers: Modifiers) -> Option<Meaning> {
    match code {
        KEY_BACKSPACE => return Some(Meaning::Backspace),
        KEY_ENTER | KEY_KPENTER => return Some(Meaning::Enter),
        KEY_SPACE => return Some(Meaning::Character(' ')),
        _ => {}
    }
    let pick = |first: u16, keys: &str| keys.chars().nth(usize::from(code.checked_sub(first)?));
    let plain = US.iter().find_map(|(first, plain, _)| pick(*first, plain));
    if modifiers.control() {
        // Ctrl-U empties the line, as on every tty.
        return (plain == Some('u')).then_some(Meaning::Clear);
    }
    // Caps Lock turns letters over and nothing else.
    let letter = plain.is_some_and(|character| character.is_ascii_lowercase());
    if modifiers.shift() ^ (modifiers.caps_lock && letter)
        && let Some(shifted) = US.iter().find_map(|(first, _, shifted)| pick(*first, shifted))
    {
        return Some(Meaning::Character(shifted));
    }
    plain.or_else(|| KEYPAD.iter().find_map(|(first, keys)| pick(*first, keys))).map(Meaning::Character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(code: u16, held: &[u16]) -> Option<Meaning> {
        let mut modifiers = Modifiers::default();
        for key in held {
            assert!(modifiers.note(*key, true));
        }
        us(code, modifiers)
    }

    #[test]
    fn ascii_is_complete() {
        for wanted in ' '..='~' {
            let found = (1..=255).any(|code| {
                [&[][..], &[KEY_LEFTSHIFT]].iter().any(|held| typed(code, held) == Some(Meaning::Character(wanted)))
            });
            assert!(found, "no key types {wanted:?}");
        }
    }

    #[test]
    fn codes_are_the_kernels() {
        let cases = [
            (30, 'a'),
            (44, 'z'),
            (25, 'p'),
            (26, '['),
            (41, '`'),
            (43, '\\'),
            (53, '/'),
            (11, '0'),
            (82, '0'),
            (71, '7'),
        ];
        for (code, character) in cases {
            assert_eq!(typed(code, &[]), Some(Meaning::Character(character)), "{code}");
        }
        assert_eq!(typed(40, &[KEY_RIGHTSHIFT]), Some(Meaning::Character('"')));
        assert_eq!(typed(1, &[]), None);
        assert_eq!(typed(59, &[]), None);
        assert_eq!(typed(0xffff, &[]), None);
    }

    #[test]
    fn caps_lock_turns_letters_only() {
        assert_eq!(typed(30, &[KEY_CAPSLOCK]), Some(Meaning::Character('A')));
        assert_eq!(typed(30, &[KEY_CAPSLOCK, KEY_LEFTSHIFT]), Some(Meaning::Character('a')));
        assert_eq!(typed(2, &[KEY_CAPSLOCK]), Some(Meaning::Character('1')));
        assert_eq!(typed(30, &[KEY_CAPSLOCK, KEY_CAPSLOCK]), Some(Meaning::Character('a')));
    }

    #[test]
    fn either_shift_may_go_first() {
        let mut modifiers = Modifiers::default();
        modifiers.note(KEY_LEFTSHIFT, true);
        modifiers.note(KEY_RIGHTSHIFT, true);
        modifiers.note(KEY_LEFTSHIFT, false);
        assert_eq!(us(30, modifiers), Some(Meaning::Character('A')));
    }

    #[test]
    fn control_u_clears_and_others_type_nothing() {
        assert_eq!(typed(22, &[KEY_LEFTCTRL]), Some(Meaning::Clear));
        assert_eq!(typed(46, &[KEY_RIGHTCTRL]), None);
    }
}
