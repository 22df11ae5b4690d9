//! Memory for a picture.

use core::num::NonZeroUsize;
use core::ptr::NonNull;

use nix::errno::Errno;
use nix::libc::c_void;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::model::frame::Memory;

/// Black pixels, in memory that no process forked from this one has: it would be copied page by page
/// as soon as something is drawn.
pub struct Pixels {
    start: NonNull<c_void>,
    bytes: NonZeroUsize,
    length: usize,
}

impl Pixels {
    /// So many pixels.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new(length: usize) -> nix::Result<Self> {
        let bytes = length.max(1).checked_mul(size_of::<u32>()).and_then(NonZeroUsize::new).ok_or(Errno::ENOMEM)?;
        // SAFETY: a new anonymous mapping replaces nothing.
        let start = unsafe {
            mmap_anonymous(None, bytes, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_PRIVATE)
        }?;
        // SAFETY: the mapping made above, in its whole length; neither call changes what is in it. Where
        // they fail, something takes longer.
        unsafe {
            // All of a large page would be cleared before the first row can be drawn.
            let _ = madvise(start, bytes.get(), MmapAdvise::MADV_NOHUGEPAGE);
            let _ = madvise(start, bytes.get(), MmapAdvise::MADV_DONTFORK);
        }
        Ok(Self { start, bytes, length })
    }
}

impl Memory for Pixels {
    fn words(&self) -> &[u32] {
        // SAFETY: mapped, aligned to a page, initialised to zero by the kernel, and written
        // through `words_mut` only. The mapping lives as long as `self`, which is borrowed.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr().cast(), self.length) }
    }

    fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as for `words`, and `self` is borrowed for this slice alone.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.length) }
    }
}

impl Drop for Pixels {
    fn drop(&mut self) {
        // SAFETY: made by `new` in this length, and no slice of it is left.
        let _ = unsafe { munmap(self.start, self.bytes.get()) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::flags;
    use super::*;

    #[test]
    fn black_ones_that_no_child_has() {
        for length in [0, 1, 640 * 480, 1280 * 800, 1440 * 2960] {
            let mut pixels = Pixels::new(length).unwrap();
            assert_eq!(pixels.words().len(), length);
            assert!(pixels.words().iter().all(|pixel| *pixel == 0));
            pixels.words_mut().fill(7);
            assert!(pixels.words().iter().all(|pixel| *pixel == 7));
            let address = pixels.words().as_ptr() as usize;
            for at in [address, address + (length * 4).saturating_sub(1)] {
                let flags = flags(at);
                assert!(flags.iter().all(|flags| flags.iter().any(|flag| flag == "dc")), "{flags:?}");
            }
        }
        assert_eq!(Pixels::new(usize::MAX).err(), Some(Errno::ENOMEM));
    }
}
