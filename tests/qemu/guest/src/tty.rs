//! Modes of the virtual terminal (include/uapi/linux/kd.h).

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

mod ioctl {
    nix::ioctl_read_bad!(kdgetmode, 0x4B3B, i32);
    nix::ioctl_read_bad!(kdgkbmode, 0x4B44, i32);
    nix::ioctl_write_int_bad!(kdsetmode, 0x4B3A);
}

const KD_GRAPHICS: i32 = 1;

fn tty() -> io::Result<std::fs::File> {
    OpenOptions::new().read(true).write(true).custom_flags(nix::libc::O_NOCTTY).open("/dev/tty0")
}

/// Display and keyboard mode in words, such as `text keyboard=unicode`.
pub fn modes() -> io::Result<String> {
    let tty = tty()?;
    let (mut display, mut keyboard) = (-1, -1);
    // SAFETY: both calls write one int to the address given (drivers/tty/vt/vt_ioctl.c).
    unsafe {
        ioctl::kdgetmode(tty.as_raw_fd(), &raw mut display)?;
        ioctl::kdgkbmode(tty.as_raw_fd(), &raw mut keyboard)?;
    }
    let display = match display {
        0 => "text",
        KD_GRAPHICS => "graphics",
        _ => "unknown",
    };
    let keyboard = match keyboard {
        0 => "raw",
        1 => "xlate",
        2 => "mediumraw",
        3 => "unicode",
        4 => "off",
        _ => "unknown",
    };
    Ok(format!("{display} keyboard={keyboard}"))
}

/// Keeps the text console's cursor out of the picture.
pub fn set_graphics() -> io::Result<()> {
    let tty = tty()?;
    // SAFETY: the argument is a plain number, no memory is touched.
    unsafe { ioctl::kdsetmode(tty.as_raw_fd(), KD_GRAPHICS) }?;
    Ok(())
}
