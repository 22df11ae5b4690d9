//! Modes of the virtual terminal (include/uapi/linux/kd.h) and of the serial line.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::thread;
use std::time::Duration;

use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};

/// The serial line.
pub const SERIAL: &str =
    if cfg!(any(target_arch = "x86_64", target_arch = "x86")) { "/dev/ttyS0" } else { "/dev/ttyAMA0" };
/// [`all_modes`] while nobody asks for a passphrase.
pub const AT_REST: &str = "text keyboard=unicode console=cooked";

mod ioctl {
    nix::ioctl_read_bad!(kdgetmode, 0x4B3B, i32);
    nix::ioctl_read_bad!(kdgkbmode, 0x4B44, i32);
    nix::ioctl_write_int_bad!(kdsetmode, 0x4B3A);
    nix::ioctl_write_int_bad!(kdskbmode, 0x4B45);
    nix::ioctl_write_int_bad!(vt_activate, 0x5606);
}

/// How long another terminal stays in front.
const AWAY: Duration = Duration::from_secs(1);
/// How long a switch takes at most, or is tried again.
const SWITCH: Duration = Duration::from_millis(100);

const KD_TEXT: i32 = 0;
const KD_GRAPHICS: i32 = 1;
const K_UNICODE: i32 = 3;

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

/// [`modes`], and [`serial`]: `text keyboard=unicode console=cooked`.
pub fn all_modes() -> String {
    let modes = modes().unwrap_or_else(|error| error.to_string());
    format!("{modes} console={}", serial())
}

/// How the serial line is set: `cooked` with echo and line by line, `raw` without both.
pub fn serial() -> String {
    let serial = OpenOptions::new().read(true).custom_flags(nix::libc::O_NOCTTY).open(SERIAL);
    match serial.and_then(|file| Ok(tcgetattr(file)?.local_flags)) {
        Ok(flags) if flags.contains(LocalFlags::ICANON | LocalFlags::ECHO) => "cooked".to_owned(),
        Ok(flags) if !flags.intersects(LocalFlags::ICANON | LocalFlags::ECHO) => "raw".to_owned(),
        Ok(_) => "mixed".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Brings everything to [`AT_REST`].
pub fn reset() -> io::Result<()> {
    let tty = tty()?;
    // SAFETY: the arguments are plain numbers, no memory is touched.
    unsafe {
        ioctl::kdskbmode(tty.as_raw_fd(), K_UNICODE)?;
        ioctl::kdsetmode(tty.as_raw_fd(), KD_TEXT)?;
    }
    let serial = OpenOptions::new().read(true).custom_flags(nix::libc::O_NOCTTY).open(SERIAL)?;
    let mut flags = tcgetattr(&serial)?;
    flags.local_flags |= LocalFlags::ICANON | LocalFlags::ECHO;
    Ok(tcsetattr(&serial, SetArg::TCSANOW, &flags)?)
}

/// Does to the prompt what a careless program does: puts its terminal into text mode, brings another
/// one in front, writes on it, and goes back.
pub fn away_and_back() -> io::Result<()> {
    let tty = tty()?;
    let mut other = OpenOptions::new().write(true).custom_flags(nix::libc::O_NOCTTY).open("/dev/tty2")?;
    // The prompt may put its terminal back into graphics mode first, and then nothing is switched.
    let show = |number: i32| -> io::Result<()> {
        while fs::read_to_string("/sys/class/tty/tty0/active")?.trim() != format!("tty{number}") {
            // SAFETY: the arguments are plain numbers, no memory is touched.
            unsafe {
                ioctl::kdsetmode(tty.as_raw_fd(), KD_TEXT)?;
                ioctl::vt_activate(tty.as_raw_fd(), number)?;
            }
            thread::sleep(SWITCH);
        }
        Ok(())
    };
    show(2)?;
    other.write_all(b"Another terminal.\r\n")?;
    thread::sleep(AWAY);
    show(1)
}

/// Lets the text console draw over whatever there is.
pub fn set_text() -> io::Result<()> {
    let tty = tty()?;
    // SAFETY: the argument is a plain number, no memory is touched.
    unsafe { ioctl::kdsetmode(tty.as_raw_fd(), KD_TEXT) }?;
    Ok(())
}

/// Keeps the text console's cursor out of the picture.
pub fn set_graphics() -> io::Result<()> {
    let tty = tty()?;
    // SAFETY: the argument is a plain number, no memory is touched.
    unsafe { ioctl::kdsetmode(tty.as_raw_fd(), KD_GRAPHICS) }?;
    Ok(())
}
