//! Signals as a descriptor to read (signalfd).

use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::error::{Error, Exit, Result};

// What a signalfd gives for each signal (include/uapi/linux/signalfd.h).
const _: () = assert!(size_of::<nix::libc::signalfd_siginfo>() == 128);

/// The signals that ask the program to stop.
const STOP: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];
/// The signals by which a terminal would stop a program that has taken the screen.
const FREEZE: [Signal; 3] = [Signal::SIGTSTP, Signal::SIGTTIN, Signal::SIGTTOU];

/// The signals that [`block`] holds back: those that stop, those that freeze, and the end of a child.
pub fn set() -> SigSet {
    STOP.into_iter().chain(FREEZE).chain([Signal::SIGCHLD]).collect()
}

/// Whether a signal asks the program to stop.
pub fn stops(signal: Signal) -> bool {
    STOP.contains(&signal)
}

/// Holds the signals back, in this process and in those forked from it, until they are read.
///
/// # Errors
/// Never on Linux with these signals.
pub fn block() -> Result<()> {
    // Whoever started this program may have ignored it: then no child's end would be told.
    // SAFETY: the default action runs no code of this program.
    let _ = unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl) };
    set().thread_block().map_err(|errno| Error::os(Exit::Parameters, "block signals", errno))
}

/// Lets the signals through again.
pub fn unblock() {
    // Fails only for a signal that does not exist.
    let _ = set().thread_unblock();
}

/// Blocked signals, readable.
pub struct Signals {
    fd: SignalFd,
}

impl Signals {
    /// Makes the signals of [`set`] readable. They must be blocked.
    ///
    /// # Errors
    /// [`Exit::Memory`] when the kernel has no room.
    pub fn new() -> Result<Self> {
        let fd = SignalFd::with_flags(&set(), SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK);
        Ok(Self { fd: fd.map_err(|errno| Error::os(Exit::Memory, "create a signalfd", errno))? })
    }

    /// Reads one signal: true when it asks to stop, false for the end of a child; `None` when there
    /// is none left.
    pub fn stop(&mut self) -> Option<bool> {
        loop {
            return match self.fd.read_signal() {
                Ok(info) => info.map(|info| STOP.iter().any(|signal| *signal as u32 == info.ssi_signo)),
                Err(Errno::EINTR) => continue,
                Err(_) => None,
            };
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
