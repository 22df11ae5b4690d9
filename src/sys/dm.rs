//! Device-mapper's control device: which targets the kernel has.

use std::fs::OpenOptions;
use std::os::fd::AsRawFd;

use nix::libc::ioctl;

use crate::model::volume::policy::Version;
use crate::model::volume::target;

/// Bytes of `struct dm_ioctl` (include/uapi/linux/dm-ioctl.h).
const HEADER: usize = 312;
/// Room for the answer: some thirty targets of some thirty bytes.
const BUFFER: usize = 16 * 1024;
/// `_IOWR(0xfd, 13, struct dm_ioctl)`: 32 bits, whatever type the C library takes it in.
const DM_LIST_VERSIONS: u32 = nix::request_code_readwrite!(0xfd, 13, HEADER) as u32;

// The same on every architecture that there is a target for.
const _: () = assert!(DM_LIST_VERSIONS == 0xc138_fd0d);

/// Where the interesting fields of the header are.
const DATA_SIZE: usize = 12;
const DATA_START: usize = 16;

/// The version of a target; `None` where there is no device-mapper or no such target.
pub fn target_version(name: &str) -> Option<Version> {
    let control = OpenOptions::new().read(true).write(true).open("/dev/mapper/control").ok()?;
    // The kernel reads and writes 64-bit fields in it.
    let mut buffer = vec![0_u64; BUFFER / 8];
    {
        let bytes = bytes(&mut buffer);
        put(bytes, 0, 4);
        put(bytes, DATA_SIZE, BUFFER as u32);
        put(bytes, DATA_START, HEADER as u32);
    }
    // SAFETY: the kernel writes at most `data_size` bytes, which is the buffer's size.
    let result = unsafe { ioctl(control.as_raw_fd(), DM_LIST_VERSIONS as _, buffer.as_mut_ptr()) };
    if result != 0 {
        return None;
    }
    let bytes = bytes(&mut buffer);
    let start = u32::from_ne_bytes(bytes.get(DATA_START..DATA_START + 4)?.try_into().ok()?);
    target::version(bytes.get(start as usize..)?, name)
}

fn bytes(buffer: &mut [u64]) -> &mut [u8] {
    // SAFETY: any bytes are valid numbers and the other way round, and bytes need no alignment.
    unsafe { core::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), size_of_val(buffer)) }
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(place) = bytes.get_mut(at..at + 4) {
        place.copy_from_slice(&value.to_ne_bytes());
    }
}
