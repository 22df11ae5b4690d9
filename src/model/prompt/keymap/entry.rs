//! One entry of a table: what a key does.

use super::Meaning;

/// What a value of KDGKBENT stands for (the types KT_… and keys K_… of include/uapi/linux/keyboard.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing, or nothing that concerns a prompt.
    Nothing,
    /// A character, or a control character.
    Character(char),
    /// A letter, which Caps Lock turns over.
    Letter(char),
    /// Enter, and the keys that move or take away.
    Means(Meaning),
    /// Turns letters over, or back.
    CapsLock,
    /// Turns letters over, however often it is pressed.
    CapsOn,
    /// Makes digits of the keypad's arrows, or arrows of its digits.
    NumLock,
    /// The next character is an accent.
    Compose,
    /// A key of the keypad that types.
    Pad(u8),
    /// An accent that waits for a character.
    Dead(char),
    /// Holds a modifier, by its number.
    Shift(u8),
    /// A digit of a character's number; those above 9 are hexadecimal ones.
    Ascii(u8),
    /// Turns a modifier over for good.
    Lock(u8),
    /// Turns a modifier over for the next key, and holds it.
    Sticky(u8),
}

/// What the dead keys of KT_DEAD type (`ret_diacr` of drivers/tty/vt/keyboard.c).
const DEAD: &[u8] = b"`'^~\",_U.*=cki#o!?+-)(:n;$@";

/// What CapsShift holds, by its number: Shift, and no Caps Lock.
pub(super) const CAPS_SHIFT: u8 = 8;

impl Entry {
    /// Reads a value.
    pub fn of(value: u16) -> Self {
        let [kind, low] = value.to_be_bytes();
        match kind {
            0 => Self::Character(char::from(low)),
            1 => match low {
                20 => Self::Means(Meaning::Home),
                22 => Self::Means(Meaning::Delete),
                23 => Self::Means(Meaning::End),
                // F1 to F12, and what only a console has.
                _ => Self::Nothing,
            },
            2 => match low {
                1 => Self::Means(Meaning::Enter),
                7 => Self::CapsLock,
                8 | 19 => Self::NumLock,
                13 => Self::CapsOn,
                14 => Self::Compose,
                _ => Self::Nothing,
            },
            3 => match low {
                14 => Self::Means(Meaning::Enter),
                _ => Self::Pad(low),
            },
            4 => DEAD.get(usize::from(low)).map_or(Self::Nothing, |accent| Self::Dead(char::from(*accent))),
            6 => match low {
                1 => Self::Means(Meaning::Left),
                2 => Self::Means(Meaning::Right),
                _ => Self::Nothing,
            },
            7 if low <= CAPS_SHIFT => Self::Shift(low),
            9 if low < 26 => Self::Ascii(low),
            10 if low < 8 => Self::Lock(low),
            11 => Self::Letter(char::from(low)),
            12 if low < 8 => Self::Sticky(low),
            13 => Self::Dead(char::from(low)),
            // KT_CONS, KT_META, KT_BRL; and the last one is no Unicode, whose table would end there.
            5 | 7..=10 | 12 | 14 | 15 => Self::Nothing,
            _ => unicode(value).map_or(Self::Nothing, Self::Character),
        }
    }

    /// Its character, if it types one.
    pub fn character(self) -> Option<char> {
        match self {
            Self::Character(character) | Self::Letter(character) => Some(character),
            _ => None,
        }
    }

    /// The bit of the modifier that it holds or turns over.
    pub fn modifier(self) -> Option<u8> {
        match self {
            Self::Shift(CAPS_SHIFT) => Some(super::SHIFT),
            Self::Shift(number) | Self::Lock(number) | Self::Sticky(number) => Some(1 << number),
            _ => None,
        }
    }
}

/// The character of a value that is none of the types. The kernel turns its upper bits over, so that
/// what has a type is told from what is Unicode.
pub(super) fn unicode(value: u16) -> Option<char> {
    char::from_u32(u32::from(value ^ 0xf000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_kernels() {
        let cases = [
            (0x0b61, Entry::Letter('a')),
            (0x00df, Entry::Character('ß')),
            (0xd0ac, Entry::Character('€')),
            (0xf401, Entry::Character('Ё')),
            (0x0200, Entry::Nothing),
            (0x0201, Entry::Means(Meaning::Enter)),
            (0x020e, Entry::Compose),
            (0x0114, Entry::Means(Meaning::Home)),
            (0x0101, Entry::Nothing),
            (0x0602, Entry::Means(Meaning::Right)),
            (0x0305, Entry::Pad(5)),
            (0x0402, Entry::Dead('^')),
            (0x0d5e, Entry::Dead('^')),
            (0x041a, Entry::Dead('@')),
            (0x041b, Entry::Nothing),
            (0x0708, Entry::Shift(8)),
            (0x0709, Entry::Nothing),
            (0x0841, Entry::Nothing),
            (0x0914, Entry::Ascii(20)),
            (0x0a06, Entry::Lock(6)),
            (0x0a08, Entry::Nothing),
            (0x0f41, Entry::Nothing),
            (0x2800, Entry::Nothing),
        ];
        for (value, entry) in cases {
            assert_eq!(Entry::of(value), entry, "{value:04x}");
        }
        assert_eq!(Entry::Shift(8).modifier(), Some(1));
        assert_eq!(Entry::Lock(7).modifier(), Some(128));
    }

    #[test]
    fn every_value_can_be_read() {
        for value in 0..=u16::MAX {
            let _ = Entry::of(value).modifier();
        }
    }
}
