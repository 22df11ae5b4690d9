//! Bytes typed on a terminal: characters out of UTF-8, escape sequences left out.

/// What follows ESC within this time belongs to it: longer than a slow line needs for a byte, and shorter than
/// a finger for the next key.
const ESCAPE_MS: u64 = 50;
/// What the key of that name sends.
const ESC: u8 = 0x1b;

/// Puts characters together from bytes as they come.
#[derive(Debug, Default)]
pub struct Terminal {
    partial: [u8; 4],
    length: usize,
    escape: Escape,
    /// When a sequence that goes on no further is none.
    due_ms: Option<u64>,
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
    /// When [`Terminal::tick`] is to be called.
    pub fn due_ms(&self) -> Option<u64> {
        self.due_ms
    }

    /// Time goes by: an ESC that nothing followed was the key of that name, and is told. What comes next is
    /// none of a sequence.
    pub fn tick(&mut self, now_ms: u64) -> Option<char> {
        self.due_ms.take_if(|due_ms| *due_ms <= now_ms)?;
        let escape = core::mem::take(&mut self.escape);
        (escape == Escape::Start).then_some(char::from(ESC))
    }

    /// Takes a byte that is read now, and tells a character that is whole. Bytes that are no UTF-8 are dropped.
    pub fn feed(&mut self, now_ms: u64, byte: u8, tell: &mut dyn FnMut(char)) {
        // It may have waited to be read: what can be the rest of a sequence is none of the passphrase.
        if self.escape == Escape::Start && !matches!(byte, b'[' | b'O') {
            self.tick(now_ms).into_iter().for_each(&mut *tell);
        }
        self.take(byte).into_iter().for_each(tell);
        self.due_ms = (self.escape != Escape::None).then(|| now_ms.saturating_add(ESCAPE_MS));
    }

    fn take(&mut self, byte: u8) -> Option<char> {
        match (self.escape, byte) {
            // Pressed twice, it is that key, too.
            (Escape::None | Escape::Start, ESC) => {
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

    /// Keeps what was told.
    #[derive(Default)]
    struct Line {
        terminal: Terminal,
        told: String,
    }

    impl Line {
        fn feed(&mut self, now_ms: u64, bytes: &[u8]) {
            for byte in bytes {
                self.terminal.feed(now_ms, *byte, &mut |character| self.told.push(character));
            }
        }

        fn tick(&mut self, now_ms: u64) {
            self.told.extend(self.terminal.tick(now_ms));
        }
    }

    fn typed(bytes: &[u8]) -> String {
        let mut line = Line::default();
        line.feed(0, bytes);
        line.told
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
    fn the_escape_key_is_told_after_a_while_and_does_not_eat_the_next_one() {
        let mut line = Line::default();
        line.feed(1000, b"\x1b");
        line.tick(1049);
        assert_eq!((line.told.as_str(), line.terminal.due_ms()), ("", Some(1050)));
        line.tick(1050);
        line.tick(9000);
        assert_eq!((line.told.as_str(), line.terminal.due_ms()), ("\x1b", None));
        line.feed(9010, b"s");
        // Twice, and without a look at the clock between it and the next key.
        line.feed(10_000, b"\x1b");
        line.feed(10_020, b"\x1b");
        line.feed(10_200, b"t[O");
        assert_eq!(line.told, "\x1bs\x1bt[O");
    }

    #[test]
    fn a_sequence_that_comes_byte_by_byte_is_none_of_the_passphrase() {
        let mut line = Line::default();
        for (now_ms, byte) in (1000..).step_by(30).zip(b"\x1b[1;5C") {
            line.tick(now_ms);
            line.feed(now_ms, &[*byte]);
        }
        assert_eq!((line.told.as_str(), line.terminal.due_ms()), ("", None));
        // Whoever reads was busy.
        for (now_ms, byte) in (2000..).step_by(300).zip(b"\x1b[A") {
            line.feed(now_ms, &[*byte]);
        }
        assert_eq!(line.told, "");
        // One that breaks off eats nothing, and is no Escape.
        line.feed(4000, b"\x1b[1");
        line.tick(4050);
        line.feed(4060, b"a");
        assert_eq!(line.told, "a");
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
