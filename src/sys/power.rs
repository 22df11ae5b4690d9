//! Switches the machine off or starts it again: `reboot(2)`.

use nix::errno::Errno;
use nix::sys::reboot::{RebootMode, reboot};
use nix::unistd::sync;

/// What becomes of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Power off; halt where that cannot be done.
    PowerOff,
    /// Start again.
    Reboot,
}

/// Writes out what is buffered and ends the machine's run. Comes back only on failure.
pub fn end(how: End) -> Errno {
    sync();
    let mode = match how {
        End::PowerOff => RebootMode::RB_POWER_OFF,
        End::Reboot => RebootMode::RB_AUTOBOOT,
    };
    match reboot(mode) {
        Ok(never) => match never {},
        Err(errno) => errno,
    }
}
