//! The passphrase while it is typed: one fixed buffer, never copied, wiped when done.

use zeroize::Zeroize;

/// Bytes a passphrase may have. cryptsetup's own prompt takes 512 characters; UTF-8 needs up to
/// four bytes for each.
pub const CAPACITY: usize = 2048;

/// Text in a buffer that somebody else owns, locks and shares, and a caret in it.
///
/// It has no `Debug`, no `Clone` and no way to make a `String` of it.
pub struct Secret {
    buffer: &'static mut [u8],
    length: usize,
    /// Bytes before the caret, which is always between two characters.
    caret: usize,
}

impl Secret {
    /// An empty passphrase in `buffer`, which is wiped first.
    pub fn new(buffer: &'static mut [u8]) -> Self {
        buffer.zeroize();
        Self { buffer, length: 0, caret: 0 }
    }

    /// Puts a character in UTF-8 before the caret; false when it does not fit.
    pub fn insert(&mut self, character: char) -> bool {
        let (start, room) = (self.caret, character.len_utf8());
        let (end, length) = (start + room, self.length + room);
        if length > self.buffer.len() {
            return false;
        }
        self.buffer.copy_within(start..self.length, end);
        if let Some(place) = self.buffer.get_mut(start..end) {
            character.encode_utf8(place);
        }
        (self.length, self.caret) = (length, end);
        true
    }

    /// Takes the character before the caret away; false when there is none.
    pub fn backspace(&mut self) -> bool {
        let end = self.caret;
        self.left() && self.cut(end)
    }

    /// Takes the character behind the caret away; false when there is none.
    pub fn delete(&mut self) -> bool {
        let start = self.caret;
        if !self.right() {
            return false;
        }
        let end = core::mem::replace(&mut self.caret, start);
        self.cut(end)
    }

    /// Closes the gap from the caret to `end`, and overwrites what the text no longer reaches to.
    fn cut(&mut self, end: usize) -> bool {
        self.buffer.copy_within(end..self.length, self.caret);
        let length = self.length.saturating_sub(end - self.caret);
        if let Some(freed) = self.buffer.get_mut(length..self.length) {
            freed.zeroize();
        }
        self.length = length;
        true
    }

    /// Moves the caret before the character before it; false at the beginning.
    pub fn left(&mut self) -> bool {
        let before = self.buffer.get(..self.caret).unwrap_or(&[]);
        // A character starts at each byte that is not a continuation byte (RFC 3629).
        let start = before.iter().rposition(|byte| byte & 0xc0 != 0x80);
        start.is_some_and(|start| {
            self.caret = start;
            true
        })
    }

    /// Moves the caret behind the character behind it; false at the end.
    pub fn right(&mut self) -> bool {
        let behind = self.buffer.get(self.caret..self.length).unwrap_or(&[]);
        if behind.is_empty() {
            return false;
        }
        let next = behind.iter().skip(1).position(|byte| byte & 0xc0 != 0x80);
        self.caret = next.map_or(self.length, |at| self.caret + 1 + at);
        true
    }

    /// Moves the caret before all characters.
    pub fn home(&mut self) {
        self.caret = 0;
    }

    /// Moves the caret behind all characters.
    pub fn end(&mut self) {
        self.caret = self.length;
    }

    /// Takes everything away and overwrites it.
    pub fn wipe(&mut self) {
        self.buffer.zeroize();
        (self.length, self.caret) = (0, 0);
    }

    /// Bytes typed.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Characters typed.
    pub fn characters(&self) -> usize {
        self.text().chars().count()
    }

    /// Characters before the caret.
    pub fn caret(&self) -> usize {
        self.text().get(..self.caret).map_or(0, |before| before.chars().count())
    }

    /// What is typed, for somebody who wants to read it on the screen.
    pub fn text(&self) -> &str {
        self.buffer.get(..self.length).and_then(|typed| core::str::from_utf8(typed).ok()).unwrap_or_default()
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    fn secret(capacity: usize) -> Secret {
        Secret::new(Box::leak(vec![0xaa; capacity].into_boxed_slice()))
    }

    #[test]
    fn characters_of_every_length_come_and_go() {
        let mut secret = secret(16);
        for character in ['a', 'ß', '€', '😀'] {
            assert!(secret.insert(character));
        }
        assert_eq!((secret.characters(), secret.len()), (4, 10));
        for left in (0..4).rev() {
            assert!(secret.backspace());
            assert_eq!(secret.characters(), left);
        }
        assert!(!secret.backspace());
        assert!(secret.buffer.iter().all(|byte| *byte == 0), "what was deleted is still there");
    }

    #[test]
    fn a_full_buffer_refuses_whole_characters() {
        let mut secret = secret(4);
        assert!(secret.insert('€'));
        assert!(!secret.insert('€'));
        secret.home();
        assert!(secret.insert('x'));
        assert!(!secret.insert('y'));
        assert_eq!((secret.len(), secret.text()), (4, "x€"));
    }

    #[test]
    fn wiping_leaves_nothing() {
        let mut secret = secret(8);
        for _ in 0..8 {
            assert!(secret.insert('x'));
        }
        secret.wipe();
        assert!(secret.is_empty());
        assert!(secret.buffer.iter().all(|byte| *byte == 0));
    }

    /// The same done to a row of characters, which is slow and plain.
    #[test]
    fn random_edits_are_those_of_a_plain_text() {
        const CAPACITY: usize = 40;
        let (mut secret, mut model, mut caret) = (secret(CAPACITY), Vec::<char>::new(), 0);
        let mut random = Noise::new(0x9e37_79b9);
        for step in 0..100_000 {
            let noise = random.draw() as u32;
            let typed = ['a', 'ß', '€', '😀', ' ', 'é'][noise as usize / 16 % 6];
            let fits = model.iter().map(|c| c.len_utf8()).sum::<usize>() + typed.len_utf8() <= CAPACITY;
            let (done, expected) = match noise % 13 {
                0..=4 => {
                    if fits {
                        model.insert(caret, typed);
                        caret += 1;
                    }
                    (secret.insert(typed), fits)
                }
                5 | 6 => {
                    let some = caret > 0;
                    if some {
                        caret -= 1;
                        model.remove(caret);
                    }
                    (secret.backspace(), some)
                }
                7 => {
                    let some = caret < model.len();
                    if some {
                        model.remove(caret);
                    }
                    (secret.delete(), some)
                }
                8 | 9 => {
                    let some = caret > 0;
                    caret -= usize::from(some);
                    (secret.left(), some)
                }
                10 => {
                    let some = caret < model.len();
                    caret += usize::from(some);
                    (secret.right(), some)
                }
                11 => {
                    caret = 0;
                    secret.home();
                    (true, true)
                }
                _ => {
                    caret = model.len();
                    secret.end();
                    (true, true)
                }
            };
            assert_eq!(done, expected, "step {step}");
            let text: String = model.iter().collect();
            assert_eq!((secret.text(), secret.caret(), secret.characters()), (text.as_str(), caret, model.len()));
            assert!(secret.buffer[secret.len()..].iter().all(|byte| *byte == 0), "step {step}: something is left over");
        }
    }
}
