//! Bytes typed on a terminal: characters out of UTF-8, escape sequences left out.

/// Puts characters together from bytes as they come.
#[derive(Debug, Default)]
pub struct Terminal {
    partial: [u8; 4],
    length: usize,
    escape: Escape,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// After ESC.
    Start,
    /// At the start of a control sequence (ECMA-48, 5.4).
    First,
    /// Within it, up to its final byte.
    Rest,
    /// One more byte: after ESC O, and after ESC [ [, which the Linux console sends for F1 to F5.
    Last,
}

impl Terminal {
    /// Nothing more came at once. What begins with ESC comes in one piece, so an ESC at the end was
    /// the key of that name, and the next character is one of the passphrase.
    pub fn pause(&mut self) {
        if self.escape == Escape::Start {
            self.escape = Escape::None;
        }
    }

    /// Takes a byte; a character when it is whole. Bytes that are no UTF-8 are dropped.
    pub fn feed(&mut self, byte: u8) -> Option<char> {
        match (self.escape, byte) {
            (Escape::None, 0x1b) => {
                self.escape = Escape::Start;
                self.length = 0;
                return None;
            }
            (Escape::None, _) => {}
            _ => {
                self.escape = match (self.escape, byte) {
                    (Escape::Start, b'[') => Escape::First,
                    (Escape::Start, b'O') | (Escape::First, b'[') => Escape::Last,
                    // Escape and a character, what Alt sends, is none of the passphrase either.
                    (Escape::Start | Escape::Last, _) | (_, 0x40..=0x7e) => Escape::None,
                    _ => Escape::Rest,
                };
                return None;
            }
        }
        if byte & 0xc0 != 0x80 {
            self.length = 0;
        }
        let place = self.partial.get_mut(self.length)?;
        *place = byte;
        self.length += 1;
        let character = core::str::from_utf8(self.partial.get(..self.length)?).ok()?.chars().next()?;
        self.partial = [0; 4];
        self.length = 0;
        Some(character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(bytes: &[u8]) -> String {
        let mut terminal = Terminal::default();
        bytes.iter().filter_map(|byte| terminal.feed(*byte)).collect()
    }

    #[test]
    fn characters_of_every_length() {
        assert_eq!(typed("aß€😀\r".as_bytes()), "aß€😀\r");
    }

    #[test]
    fn arrows_and_function_keys_type_nothing() {
        assert_eq!(typed(b"a\x1b[Ab\x1bOPc\x1b[1;5Cd\x1bxe\x1b[[Af\x1b[15~g"), "abcdefg");
    }

    #[test]
    fn the_escape_key_does_not_eat_the_next_one() {
        let mut terminal = Terminal::default();
        assert_eq!(terminal.feed(0x1b), None);
        terminal.pause();
        assert_eq!(terminal.feed(b's'), Some('s'));
        assert_eq!(terminal.feed(0x1b), None);
        assert_eq!(terminal.feed(b'['), None);
        terminal.pause();
        assert_eq!(terminal.feed(b'A'), None);
    }

    #[test]
    fn broken_utf8_is_dropped() {
        assert_eq!(typed(b"a\xffb\xc3c\x80\x80\x80\x80\x80\x80d\xe2\x82"), "abcd");
        for first in 0..=255 {
            for second in 0..=255 {
                let _ = typed(&[first, second, b'x', first]);
            }
        }
    }
}
