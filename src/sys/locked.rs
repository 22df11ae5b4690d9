//! Memory for the passphrase: locked, kept out of dumps, and shared with the worker process.

use core::num::NonZeroUsize;
use core::ptr::NonNull;

use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mlock, mmap_anonymous};

use crate::error::{Error, Exit, Result};

/// A buffer that lives as long as the process, and that a process forked from it sees too.
pub struct Locked {
    start: NonNull<u8>,
    length: usize,
    taken: bool,
}

impl Locked {
    /// A buffer of `length` zero bytes, to be [locked](Locked::lock) before anything is put into it.
    ///
    /// # Errors
    /// [`Exit::Memory`] when there is no memory.
    pub fn new(length: usize) -> Result<Self> {
        let size = NonZeroUsize::new(length).unwrap_or(NonZeroUsize::MIN);
        // SAFETY: a new anonymous mapping replaces nothing.
        let start =
            unsafe { mmap_anonymous(None, size, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_SHARED) }
                .map_err(|errno| Error::os(Exit::Memory, "map memory for the passphrase", errno))?;
        Ok(Self { start: start.cast(), length: size.get(), taken: false })
    }

    /// Locks it into memory and keeps it out of dumps, in this process and those forked later. Where it
    /// cannot be locked (RLIMIT_MEMLOCK), it is used all the same: an initramfs has no swap.
    pub fn lock(&self) {
        let start = self.start.cast();
        // SAFETY: the mapping made by `new`, in its whole length; neither call changes what is in it.
        unsafe {
            let _ = mlock(start, self.length);
            let _ = madvise(start, self.length, MmapAdvise::MADV_DONTDUMP);
        }
    }

    /// The buffer, to be written by this process alone. A second call gives none.
    pub fn take(&mut self) -> Option<&'static mut [u8]> {
        if core::mem::replace(&mut self.taken, true) {
            return None;
        }
        // SAFETY: the mapping is never unmapped, is initialised to zero, and `taken` sees to it that
        // there is only one such slice in this process. The other process reads it only between a
        // request and its report, when this one does not write.
        Some(unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) })
    }

    /// What is in it.
    ///
    /// # Safety
    /// Nobody may write to it while the slice is in use, this process or another.
    pub unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is as long as that, initialised, and never unmapped; the caller vouches for the rest.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// The same, to be written.
    ///
    /// # Safety
    /// Nobody may read or write it in another way while the slice is in use, this process or another.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn bytes_mut(&self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::flags;
    use super::*;

    #[test]
    fn zero_bytes_that_are_given_out_once() {
        let mut locked = Locked::new(2048).unwrap();
        let buffer = locked.take().unwrap();
        assert_eq!(buffer.len(), 2048);
        assert!(buffer.iter().all(|byte| *byte == 0));
        assert!(locked.take().is_none());
        locked.lock();
        let flags = flags(buffer.as_ptr() as usize);
        for flag in ["lo", "dd", "sh"] {
            assert!(flags.iter().all(|flags| flags.iter().any(|known| known == flag)), "{flag}: {flags:?}");
        }
    }
}
