//! A short pulse that can be felt (Documentation/input/ff.rst).

use std::os::fd::{AsFd, AsRawFd};

use nix::libc::c_ulong;

use crate::model::prompt::code::FF_RUMBLE;

/// How long it is felt.
const LENGTH_MS: u16 = 20;
/// How strongly, of 65535.
const STRENGTH: u16 = 0xc000;

/// `struct ff_effect` (include/uapi/linux/input.h) in words of 16 bits: type, id, direction, two of the
/// trigger, length, delay, one of padding, and then what depends on the type, which holds a pointer.
const WORDS: usize = if size_of::<c_ulong>() == 8 { 24 } else { 22 };
type Words = [u16; WORDS];

const _: () = assert!(size_of::<Words>() == if size_of::<c_ulong>() == 8 { 48 } else { 44 });

nix::ioctl_write_ptr! {
    #[doc = "EVIOCSFF."]
    eviocsff, b'E', 0x80, Words
}

/// Gives the device the effect, and tells the number that it plays it under; `None` if it cannot.
pub(super) fn upload(fd: &impl AsFd) -> Option<u16> {
    let mut words: Words = [0; WORDS];
    let [kind, id, _, _, _, length, _, _, strong, weak, ..] = &mut words;
    // With -1 the kernel chooses a number, and writes it there.
    (*kind, *id, *length) = (FF_RUMBLE, u16::MAX, LENGTH_MS);
    (*strong, *weak) = (STRENGTH, STRENGTH);
    let place: *mut Words = &mut words;
    // SAFETY: the ioctl's number holds the structure's size; the kernel reads no more than that, and
    // writes the second word, through a pointer that may be written through.
    unsafe { eviocsff(fd.as_fd().as_raw_fd(), place) }.ok()?;
    words.get(1).copied()
}
