//! Memory for a picture.

use core::num::NonZeroUsize;
use core::ptr::NonNull;

use nix::errno::Errno;
use nix::libc::c_void;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::model::frame::Memory;

/// What one large page holds on most machines. Elsewhere it is as good a place to begin as any.
const LARGE: usize = 2 << 20;

/// Black pixels, in memory that no process forked from this one has: it would be copied page by page
/// as soon as something is drawn.
pub struct Pixels {
    map: NonNull<c_void>,
    mapped: usize,
    start: NonNull<u32>,
    length: usize,
}

impl Pixels {
    /// So many pixels.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new(length: usize) -> nix::Result<Self> {
        let bytes = length.checked_mul(size_of::<u32>()).ok_or(Errno::ENOMEM)?;
        // A rest that fills most of a large page is given one; less would be a waste.
        let rest = bytes % LARGE;
        let useful = if rest > LARGE / 2 { bytes - rest + LARGE } else { bytes };
        let mapped = useful.checked_add(LARGE).and_then(NonZeroUsize::new).ok_or(Errno::ENOMEM)?;
        // SAFETY: a new anonymous mapping replaces nothing.
        let map = unsafe {
            mmap_anonymous(None, mapped, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_PRIVATE)
        }?;
        let before = (map.as_ptr() as usize).next_multiple_of(LARGE) - map.as_ptr() as usize;
        // SAFETY: `before` is less than LARGE, which is how much larger the mapping is than what is used
        // of it, so this is inside; neither call changes what is in it. Where they fail, drawing takes longer.
        let start = unsafe {
            let start = map.byte_add(before);
            let _ = madvise(start, useful, MmapAdvise::MADV_HUGEPAGE);
            let _ = madvise(map, mapped.get(), MmapAdvise::MADV_DONTFORK);
            start.cast()
        };
        Ok(Self { map, mapped: mapped.get(), start, length })
    }
}

impl Memory for Pixels {
    fn words(&self) -> &[u32] {
        // SAFETY: mapped, aligned to more than a word, initialised to zero by the kernel, and written
        // through `words_mut` only. The mapping lives as long as `self`, which is borrowed.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as for `words`, and `self` is borrowed for this slice alone.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Pixels {
    fn drop(&mut self) {
        // SAFETY: made by `new` in this length, and no slice of it is left.
        let _ = unsafe { munmap(self.map, self.mapped) };
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
            assert_eq!(address % LARGE, 0);
            for at in [address, address + (length * 4).saturating_sub(1)] {
                assert!(flags(at).iter().any(|flag| flag == "dc"), "{:?}", flags(at));
            }
        }
        assert_eq!(Pixels::new(usize::MAX).err(), Some(Errno::ENOMEM));
    }
}
