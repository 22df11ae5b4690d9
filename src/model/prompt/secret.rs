//! The passphrase while it is typed: one fixed buffer, never copied, wiped when done.

use zeroize::Zeroize;

/// Bytes a passphrase may have. cryptsetup's own prompt takes 512 characters; UTF-8 needs up to
/// four bytes for each.
pub const CAPACITY: usize = 2048;

/// Text in a buffer that somebody else owns, locks and shares.
///
/// It has no `Debug`, no `Clone` and no way to make a `String` of it.
pub struct Secret {
    buffer: &'static mut [u8],
    length: usize,
}

impl Secret {
    /// An empty passphrase in `buffer`, which is wiped first.
    pub fn new(buffer: &'static mut [u8]) -> Self {
        buffer.zeroize();
        Self { buffer, length: 0 }
    }

    /// Appends a character in UTF-8; false when it does not fit.
    pub fn push(&mut self, character: char) -> bool {
        let end = self.length + character.len_utf8();
        match self.buffer.get_mut(self.length..end) {
            Some(place) => {
                character.encode_utf8(place);
                self.length = end;
                true
            }
            None => false,
        }
    }

    /// Takes the last character away; false when there is none.
    pub fn pop(&mut self) -> bool {
        let Some(typed) = self.buffer.get(..self.length) else { return false };
        // A character starts at each byte that is not a continuation byte (RFC 3629).
        let Some(start) = typed.iter().rposition(|byte| byte & 0xc0 != 0x80) else { return false };
        if let Some(last) = self.buffer.get_mut(start..self.length) {
            last.zeroize();
        }
        self.length = start;
        true
    }

    /// Takes everything away and overwrites it.
    pub fn wipe(&mut self) {
        self.buffer.zeroize();
        self.length = 0;
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
        let typed = self.buffer.get(..self.length).unwrap_or(&[]);
        typed.iter().filter(|byte| *byte & 0xc0 != 0x80).count()
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

    fn secret(capacity: usize) -> Secret {
        Secret::new(Box::leak(vec![0xaa; capacity].into_boxed_slice()))
    }

    #[test]
    fn characters_of_every_length_come_and_go() {
        let mut secret = secret(16);
        for character in ['a', 'ß', '€', '😀'] {
            assert!(secret.push(character));
        }
        assert_eq!((secret.characters(), secret.len()), (4, 10));
        for left in (0..4).rev() {
            assert!(secret.pop());
            assert_eq!(secret.characters(), left);
        }
        assert!(!secret.pop());
        assert!(secret.buffer.iter().all(|byte| *byte == 0), "what was deleted is still there");
    }

    #[test]
    fn a_full_buffer_refuses_whole_characters() {
        let mut secret = secret(4);
        assert!(secret.push('€'));
        assert!(!secret.push('€'));
        assert!(secret.push('x'));
        assert!(!secret.push('y'));
        assert_eq!(secret.len(), 4);
    }

    #[test]
    fn wiping_leaves_nothing() {
        let mut secret = secret(8);
        for _ in 0..8 {
            assert!(secret.push('x'));
        }
        secret.wipe();
        assert!(secret.is_empty());
        assert!(secret.buffer.iter().all(|byte| *byte == 0));
    }
}
