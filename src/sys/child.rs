//! A child process that does one thing and whose end the parent waits for, reaping all others.
//!
//! PID 1 runs what may fail in one: a panic, a kill or a lack of memory there ends the child and not
//! the machine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::{ForkResult, fork};

use crate::error::{Error, Exit, Result};

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Status(i32),
    /// By this signal.
    Signal(Signal),
}

/// Runs `work` in a child and waits for its end; the child's exit status is what `work` returns.
/// Other children that end meanwhile, orphans that PID 1 was given, are reaped.
///
/// Only for a process with one thread.
///
/// # Errors
/// [`Exit::Memory`] if there can be no child.
pub fn run(work: impl FnOnce() -> u8) -> Result<Ended> {
    // SAFETY: PID 1, the one caller, starts no threads, so the child holds no lock whose owner is
    // gone and may go on as any program.
    let fork = unsafe { fork() };
    match fork.map_err(|errno| Error::os(Exit::Memory, "fork", errno))? {
        ForkResult::Child => {
            // The parent's frames above this one are not the child's to return to.
            let status = catch_unwind(AssertUnwindSafe(work)).unwrap_or(101);
            // SAFETY: `_exit` touches no memory of ours. The parent's exit handlers are not run.
            unsafe { libc::_exit(i32::from(status)) }
        }
        ForkResult::Parent { child } => loop {
            match wait() {
                Ok(WaitStatus::Exited(pid, status)) if pid == child => return Ok(Ended::Status(status)),
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == child => return Ok(Ended::Signal(signal)),
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(Error::os(Exit::Memory, "wait for a child", errno)),
            }
        },
    }
}

/// Reaps every child, present ones as they end; comes back when there is none.
pub fn reap() {
    while !matches!(wait(), Err(Errno::ECHILD)) {}
}
