//! The system console on the three standard descriptors of PID 1.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;

use nix::sys::stat::{fstat, makedev};
use nix::unistd::dup2;

use crate::error::{Error, Exit, Result};

/// Puts `/dev/console` on descriptors 0, 1 and 2 where they lead nowhere.
///
/// The kernel opens it there if the initramfs has the node (init/main.c, `console_on_rootfs`). If
/// not, the standard library has opened `/dev/null` instead before `main`.
///
/// # Errors
/// [`Exit::NoDisplay`] if the console cannot be opened.
pub fn attach() -> Result<()> {
    let null = makedev(1, 3);
    let lost = |fd: &i32| fstat(*fd).map_or(true, |stat| stat.st_rdev == null);
    let lost: Vec<i32> = (0..3).filter(lost).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let console = open().map_err(|error| Error::io(Exit::NoDisplay, "open /dev/console", &error))?;
    for fd in lost {
        dup2(console.as_raw_fd(), fd)
            .map_err(|errno| Error::os(Exit::NoDisplay, format!("put /dev/console on descriptor {fd}"), errno))?;
    }
    Ok(())
}

/// A console that cannot be read, such as netconsole's, can still be written.
fn open() -> std::io::Result<File> {
    let both = OpenOptions::new().read(true).write(true).open("/dev/console");
    both.or_else(|_| OpenOptions::new().write(true).open("/dev/console"))
}
