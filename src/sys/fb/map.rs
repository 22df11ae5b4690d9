//! The device's memory, mapped: for the few drivers that cannot be written by calls.

use core::ffi::c_void;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use std::fs::File;

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap, munmap};

/// Memory of the device.
pub(super) struct Map {
    start: NonNull<c_void>,
    length: usize,
    /// Bytes before the first pixel.
    inset: usize,
}

impl Map {
    /// Maps `length` bytes from the first pixel on, which is `inset` bytes into its page.
    pub(super) fn new(file: &File, inset: usize, length: usize) -> nix::Result<Self> {
        let length = length.checked_add(inset).ok_or(Errno::EINVAL)?;
        let size = NonZeroUsize::new(length).ok_or(Errno::EINVAL)?;
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping replaces nothing; the driver backs `smem_len` bytes, and `length`
        // was checked against it.
        let start = unsafe { mmap(None, size, protection, MapFlags::MAP_SHARED, file, 0) }?;
        // A worker that is started later must not hold on to the device's memory: it would keep the
        // driver from making room for its successor. Where this fails, it lives a little longer.
        // SAFETY: the mapping made above, in its whole length; what is in it is not changed.
        let _ = unsafe { madvise(start, length, MmapAdvise::MADV_DONTFORK) };
        Ok(Self { start, length, inset })
    }

    /// From the first pixel on.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping lives as long as `self`, which is borrowed. The hardware only reads it.
        let bytes = unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.length) };
        bytes.get_mut(self.inset..).unwrap_or(&mut [])
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: made by `new` in this length, and no slice of it is left.
        let _ = unsafe { munmap(self.start, self.length) };
    }
}
