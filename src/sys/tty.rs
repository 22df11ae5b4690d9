//! The virtual terminal behind the picture: graphics mode, so that the kernel's console draws
//! nothing, and a keyboard that is off, so that what is typed does not reach a shell.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;

use nix::libc::c_int;

/// The terminal in front, then the first one.
const PATHS: [&str; 2] = ["/dev/tty0", "/dev/tty1"];

/// Holds the name of the terminal in front, such as `tty1`
/// (Documentation/ABI/testing/sysfs-tty).
const ACTIVE: &str = "/sys/class/tty/tty0/active";
const NAME_MAX: usize = 16;

/// Before the number of a terminal: the characters that it shows (vcs(4)).
const SHOWN: &str = "/dev/vcs";

// Numbers from include/uapi/linux/kd.h.
nix::ioctl_read_bad! {
    #[doc = "KDGETMODE."]
    kdgetmode, 0x4b3b, c_int
}
nix::ioctl_write_int_bad! {
    #[doc = "KDSETMODE."]
    kdsetmode, 0x4b3a
}
nix::ioctl_read_bad! {
    #[doc = "KDGKBMODE."]
    kdgkbmode, 0x4b44, c_int
}
nix::ioctl_write_int_bad! {
    #[doc = "KDSKBMODE."]
    kdskbmode, 0x4b45
}
const KD_GRAPHICS: c_int = 1;
const K_OFF: c_int = 4;

/// Whether a descriptor is a virtual terminal: what is typed on one comes from input devices.
pub fn is_virtual(fd: &impl AsFd) -> bool {
    let mut keyboard = 0;
    // SAFETY: the call writes one int, to where one is.
    unsafe { kdgkbmode(fd.as_fd().as_raw_fd(), &mut keyboard) }.is_ok()
}

fn front(active: &File) -> Option<String> {
    let mut bytes = [0; NAME_MAX];
    let count = active.read_at(&mut bytes, 0).ok()?;
    Some(String::from_utf8_lossy(bytes.get(..count)?).trim().to_owned())
}

/// A terminal and the modes that it had when it was opened.
pub struct Terminal {
    file: File,
    mode: c_int,
    keyboard: c_int,
    /// Its name, and the file that tells the name of the one in front.
    front: Option<(String, File)>,
    /// The characters that it shows.
    shown: Option<File>,
}

impl Terminal {
    /// Opens the terminal; `None` where the kernel has none, which is no fault.
    pub fn open() -> Option<Self> {
        PATHS.iter().find_map(|path| {
            let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
            let (mut mode, mut keyboard) = (0, 0);
            // SAFETY: both calls write one int, to where one is.
            unsafe {
                kdgetmode(file.as_raw_fd(), &mut mode).ok()?;
                kdgkbmode(file.as_raw_fd(), &mut keyboard).ok()?;
            }
            let front = File::open(ACTIVE).ok().and_then(|active| Some((front(&active)?, active)));
            let number = front.as_ref().and_then(|(name, _)| name.strip_prefix("tty"));
            let shown = number.and_then(|number| File::open(format!("{SHOWN}{number}")).ok());
            Some(Self { file, mode, keyboard, front, shown })
        })
    }

    /// Whether it is in front. Where the kernel does not tell, it is.
    pub fn is_front(&self) -> bool {
        self.front.as_ref().is_none_or(|(name, active)| front(active).is_none_or(|now| now == *name))
    }

    /// What is notified when another one comes in front.
    pub fn active(&self) -> Option<&File> {
        self.front.as_ref().map(|(_, active)| active)
    }

    /// What is notified when characters are drawn on it, as they are when it is put into text mode
    /// (`do_unblank_screen`, drivers/tty/vt/vt.c), until [`Terminal::look`].
    pub fn shown(&self) -> Option<&File> {
        self.shown.as_ref()
    }

    /// Ends a notification; false where it cannot.
    pub fn look(&self) -> bool {
        // What is shown does not matter.
        self.shown.as_ref().is_none_or(|shown| shown.read_at(&mut [0], 0).is_ok())
    }

    /// Whether the kernel's console draws nothing on it.
    pub fn is_graphics(&self) -> bool {
        let mut mode = 0;
        // SAFETY: the call writes one int, to where one is.
        unsafe { kdgetmode(self.file.as_raw_fd(), &mut mode) }.is_err() || mode == KD_GRAPHICS
    }

    /// Turns the keyboard off, then the console's drawing.
    pub fn enter(&self) {
        self.set(KD_GRAPHICS, K_OFF);
    }

    /// Gives the modes back that it had.
    pub fn restore(&self) {
        self.set(self.mode, self.keyboard);
    }

    fn set(&self, mode: c_int, keyboard: c_int) {
        // A terminal that cannot be switched shows the console's text over the prompt, and no more.
        // SAFETY: both calls take a number and no pointer.
        unsafe {
            let _ = kdskbmode(self.file.as_raw_fd(), keyboard);
            let _ = kdsetmode(self.file.as_raw_fd(), mode);
        }
    }
}
