//! The system console on the three standard descriptors of PID 1.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;

use nix::unistd::dup2;

use crate::error::{Error, Exit, Result};

/// Puts `/dev/console` on descriptors 0, 1 and 2.
///
/// The kernel has opened it there if the initramfs has the node (init/main.c, `console_on_rootfs`),
/// the standard library `/dev/null` if not. Either way this one is better: the initramfs's node is
/// deleted later, and a terminal without a name confuses those who come after.
///
/// # Errors
/// [`Exit::NoDisplay`] if the console cannot be opened; the descriptors are then as they were.
pub fn attach() -> Result<()> {
    let console = open().map_err(|error| Error::io(Exit::NoDisplay, "open /dev/console", &error))?;
    for fd in 0..3 {
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
