//! Passphrases that have opened a volume, to be tried on the next one.
//!
//! Locked memory that the worker processes of one session share: it outlives the one that is killed
//! because somebody cancels. Only workers write and read it, and there is one at a time.

use zeroize::Zeroize;

use super::locked::Locked;
use crate::error::Result;

/// Bytes for all of them. What does not fit is asked for again.
const CAPACITY: usize = 8192;
/// Bytes of the length before each.
const PREFIX: usize = 2;

/// The passphrases: each behind its length, 0 at the end.
pub struct Known(Locked);

impl Known {
    /// None so far.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn new() -> Result<Self> {
        Locked::new(CAPACITY).map(Self)
    }

    /// Locks the memory, before anything is put into it.
    pub fn lock(&self) {
        self.0.lock();
    }

    /// Takes one more, unless it is there already.
    pub fn keep(&self, passphrase: &[u8]) {
        let (mut at, mut known) = (0, false);
        for one in self.all() {
            known |= one == passphrase;
            at += PREFIX + one.len();
        }
        let Ok(length) = u16::try_from(passphrase.len()) else { return };
        // SAFETY: the slice that `all` gave is gone, and no other process writes.
        let bytes = unsafe { self.0.bytes_mut() };
        let Some(place) = bytes.get_mut(at..at + PREFIX + passphrase.len()).filter(|_| !known && length > 0) else {
            return;
        };
        let (prefix, text) = place.split_at_mut(PREFIX);
        text.copy_from_slice(passphrase);
        prefix.copy_from_slice(&length.to_le_bytes());
    }

    /// All of them, the first one first.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        // SAFETY: the mapping is initialised, and no other process writes.
        let mut rest = unsafe { self.0.bytes() };
        core::iter::from_fn(move || {
            let (prefix, after) = rest.split_first_chunk::<PREFIX>()?;
            let (text, next) = after.split_at_checked(u16::from_le_bytes(*prefix).into())?;
            rest = next;
            (!text.is_empty()).then_some(text)
        })
    }

    /// Forgets them. No worker may be running.
    pub fn wipe(&self) {
        // SAFETY: no slice is in use, for there is no worker.
        unsafe { self.0.bytes_mut() }.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_kept_once_until_there_is_no_room() {
        let known = Known::new().unwrap();
        assert_eq!(known.all().count(), 0);
        for passphrase in [&b"one"[..], b"two", b"one", b"", &[7; 2048], &[8; 8192], &[9; 70_000]] {
            known.keep(passphrase);
        }
        let all: Vec<&[u8]> = known.all().collect();
        assert_eq!(all, [&b"one"[..], b"two", &[7; 2048]]);
        known.keep(&[6; CAPACITY - 2048 - 6 - 4 * PREFIX]);
        assert_eq!(known.all().count(), 4);
        known.keep(b"x");
        assert_eq!(known.all().count(), 4);
        known.wipe();
        assert_eq!(known.all().count(), 0);
        // SAFETY: nobody else has it.
        assert!(unsafe { known.0.bytes() }.iter().all(|byte| *byte == 0));
    }
}
