//! The process that opens the volume.
//!
//! A process and not a thread, since libcryptsetup is not thread-safe, Argon2 cannot be cancelled,
//! and when the kernel kills it for want of memory the prompt lives on and says so.

mod service;
mod verity;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getppid};

use service::Service;

use super::known::Known;
use super::locked::Locked;
use super::{memory, signal};
use crate::error::{Error, Exit, Result};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{MESSAGE_MAX, Report, Request};
use crate::model::volume::task::Task;

/// How long the end of a process is waited for that has closed its socket or was killed.
const END_WITHIN: Duration = Duration::from_millis(100);
/// Descriptors that are closed one by one where the kernel cannot close a range (before 5.9).
const DESCRIPTORS_MAX: u32 = 1024;

/// A running worker. Dropping it kills it.
pub struct Worker {
    process: Pid,
    socket: OwnedFd,
}

impl Worker {
    /// Starts a process that waits for requests: to find one of the `tasks`, and then about the passphrase
    /// in `typed`. It answers each with a [`Report`], and tells of a volume that could be opened meanwhile.
    ///
    /// # Errors
    /// [`Exit::Memory`] when no process can be made.
    pub fn start(tasks: &[Task], typed: &Locked, known: &Known) -> Result<Self> {
        let failed = |verb: &str, errno| Error::os(Exit::Memory, format!("{verb} the unlock process"), errno);
        // Datagrams that keep their borders, on a line that tells when the other end is gone.
        let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)
            .map_err(|errno| failed("connect", errno))?;
        let parent = nix::unistd::getpid();
        // SAFETY: this program has one thread, so the child may do all that the parent may.
        match unsafe { fork() }.map_err(|errno| failed("start", errno))? {
            ForkResult::Parent { child } => Ok(Self { process: child, socket: ours }),
            ForkResult::Child => {
                drop(ours);
                close_all_but(&theirs);
                // When the prompt dies, nobody is there to use what this process finds out.
                let _ = set_pdeathsig(Signal::SIGKILL);
                if getppid() == parent {
                    memory::go_first();
                    signal::unblock();
                    Service::new(tasks, typed, known, &theirs).run();
                }
                // SAFETY: ends the process without running the parent's clean-up a second time.
                unsafe { libc::_exit(0) }
            }
        }
    }

    /// A process that something else has started.
    #[cfg(test)]
    pub const fn of(process: Pid, socket: OwnedFd) -> Self {
        Self { process, socket }
    }

    /// Sends a request.
    ///
    /// # Errors
    /// When the worker is gone; its end is told by [`Worker::receive`] as well.
    pub fn send(&self, request: Request) -> Result<()> {
        let sent = send(self.socket.as_raw_fd(), &request.encode(), MsgFlags::MSG_NOSIGNAL);
        sent.map(|_| ()).map_err(|errno| Error::os(Exit::Memory, "ask the unlock process", errno))
    }

    /// Receives a report, without waiting. A worker that is gone, or talks nonsense, has died.
    pub fn receive(&self) -> Option<Report> {
        let mut bytes = [0; MESSAGE_MAX];
        match recv(self.socket.as_raw_fd(), &mut bytes, MsgFlags::MSG_DONTWAIT) {
            Err(Errno::EAGAIN | Errno::EINTR) => None,
            Ok(count) if count > 0 => Some(Report::decode(bytes.get(..count)?).unwrap_or_else(|| self.died())),
            Ok(_) | Err(_) => Some(self.died()),
        }
    }

    /// Receives a report, waiting for it.
    pub fn wait(&self) -> Report {
        let mut bytes = [0; MESSAGE_MAX];
        loop {
            match recv(self.socket.as_raw_fd(), &mut bytes, MsgFlags::empty()) {
                Err(Errno::EINTR) => {}
                Ok(count) if count > 0 => {
                    let report = bytes.get(..count).and_then(Report::decode);
                    return report.unwrap_or_else(|| self.died());
                }
                Ok(_) | Err(_) => return self.died(),
            }
        }
    }

    fn died(&self) -> Report {
        // It may still be there if it talks nonsense; then it must not be waited for in vain.
        let ended = self.ended();
        if ended.is_none() {
            let _ = kill(self.process, Signal::SIGKILL);
        }
        let signal = match ended.or_else(|| self.ended()) {
            Some(WaitStatus::Signaled(_, signal, _)) => signal as u8,
            _ => 0,
        };
        Report::Failed(Failure::Died { signal })
    }

    /// How the process ended, within [`END_WITHIN`]. One that hangs in a sick disk's driver does not
    /// end even when it is killed, and must not take the prompt with it.
    fn ended(&self) -> Option<WaitStatus> {
        let end = Instant::now() + END_WITHIN;
        loop {
            match waitpid(self.process, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) if Instant::now() < end => std::thread::sleep(Duration::from_millis(1)),
                Ok(WaitStatus::StillAlive) => return None,
                Err(Errno::EINTR) => {}
                result => return result.ok(),
            }
        }
    }
}

impl AsFd for Worker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // One that is gone was waited for, and its number may be another's by now.
        if waitpid(self.process, Some(WaitPidFlag::WNOHANG)) == Ok(WaitStatus::StillAlive) {
            let _ = kill(self.process, Signal::SIGKILL);
            let _ = self.ended();
        }
    }
}

/// Closes everything that the child has from its parent but the console and its socket: grabbed
/// input devices would stay grabbed as long as it lives.
pub(super) fn close_all_but(socket: &OwnedFd) {
    let keep = socket.as_raw_fd().cast_unsigned();
    let close = |first: u32, last: u32| {
        if first <= last {
            // SAFETY: takes numbers. No object of the parent that owns a closed descriptor is used
            // or dropped in this process, which ends by _exit.
            let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
            if result != 0 {
                for descriptor in first..=last.min(DESCRIPTORS_MAX) {
                    // SAFETY: as above.
                    unsafe { libc::close(descriptor.cast_signed()) };
                }
            }
        }
    };
    close(3, keep.saturating_sub(1));
    close(keep.saturating_add(1).max(3), u32::MAX);
}
