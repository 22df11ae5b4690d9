//! The colours that a framebuffer's numbers stand for (FBIOGETCMAP of include/uapi/linux/fb.h).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

const ENTRIES: usize = 256;

/// `struct fb_cmap`.
#[repr(C)]
pub struct Cmap {
    start: u32,
    len: u32,
    colors: [*mut u16; 4],
}

mod ioctl {
    nix::ioctl_read_bad!(fbiogetcmap, 0x4604, super::Cmap);
}

/// Red, green and blue of each number in `numbers`, one byte each.
pub fn colors(framebuffer: &File, numbers: &[u8]) -> io::Result<Vec<u8>> {
    let mut entries = [[0_u16; ENTRIES]; 3];
    let [red, green, blue] = &mut entries;
    let colors = [red.as_mut_ptr(), green.as_mut_ptr(), blue.as_mut_ptr(), std::ptr::null_mut()];
    let mut map = Cmap { start: 0, len: ENTRIES as u32, colors };
    // SAFETY: the kernel writes as many entries as the structure says, and each list has them.
    unsafe { ioctl::fbiogetcmap(framebuffer.as_raw_fd(), &mut map) }?;
    let color = |number: &u8| entries.map(|entries| (entries[usize::from(*number)] >> 8) as u8);
    Ok(numbers.iter().flat_map(color).collect())
}
