//! The process that opens the volume.
//!
//! A process and not a thread, since libcryptsetup is not thread-safe, Argon2 cannot be cancelled,
//! and when the kernel kills it for want of memory the prompt lives on and says so.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getppid};

use super::crypt::{self, Activation, Volume};
use super::locked::Locked;
use super::{block, dm, memory, signal};
use crate::error::{Error, Exit, Result};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{MESSAGE_MAX, Report, Request};
use crate::model::volume::option::Options;
use crate::model::volume::policy::{Decision, Facts, Flags, Version, decide};
use crate::model::volume::task::Task;

/// How often a device is looked for that is not there yet.
const LOOK_EVERY: Duration = Duration::from_millis(50);
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
    /// Starts a process that waits for requests: first to read the header of `task`, then about the
    /// passphrase in `buffer`. It answers each with a [`Report`].
    ///
    /// # Errors
    /// [`Exit::Memory`] when no process can be made.
    pub fn start(task: &Task, buffer: &Locked) -> Result<Self> {
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
                    Task::serve(task, buffer, &theirs);
                }
                // SAFETY: ends the process without running the parent's clean-up a second time.
                unsafe { libc::_exit(0) }
            }
        }
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
        // ESRCH and ECHILD: it is gone already.
        let _ = kill(self.process, Signal::SIGKILL);
        let _ = self.ended();
    }
}

/// Closes everything that the child has from its parent but the console and its socket: grabbed
/// input devices would stay grabbed as long as it lives.
fn close_all_but(socket: &OwnedFd) {
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

/// Waits for a request; `None` when the other end is gone, or talks nonsense.
fn next(socket: &OwnedFd) -> Option<Request> {
    let mut bytes = [0; MESSAGE_MAX];
    loop {
        match recv(socket.as_raw_fd(), &mut bytes, MsgFlags::empty()) {
            Err(Errno::EINTR) => {}
            Ok(count) if count > 0 => return bytes.get(..count).and_then(Request::decode),
            Ok(_) | Err(_) => return None,
        }
    }
}

impl Task {
    /// What the worker process does until the other end is gone.
    fn serve(&self, buffer: &Locked, socket: &OwnedFd) {
        let tell = |report: &Report| send(socket.as_raw_fd(), &report.encode(), MsgFlags::MSG_NOSIGNAL).is_ok();
        if next(socket) != Some(Request::Load) {
            return;
        }
        let volume = match self.load() {
            Ok(volume) => volume,
            Err(failure) => {
                tell(&Report::Failed(failure));
                return;
            }
        };
        if !tell(&Report::Ready { memory_kib: volume.memory_kib() }) {
            return;
        }
        while let Some(Request::Unlock { length }) = next(socket) {
            let length = (length as usize).min(buffer.length());
            let report = self.open(&volume, buffer, length).unwrap_or_else(Report::Failed);
            if !tell(&report) {
                return;
            }
        }
    }

    /// Waits for the device and reads its header.
    fn load(&self) -> core::result::Result<Volume, Failure> {
        crypt::catch_errors();
        if !self.test_passphrase && crypt::is_active(&self.name) {
            return Err(Failure::Exists);
        }
        let end = Instant::now() + Duration::from_secs(self.device_timeout_s.into());
        while !self.device.exists() {
            if Instant::now() >= end {
                return Err(Failure::Missing);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        // libcryptsetup makes the last part of its lock folder's path and no more.
        let _ = std::fs::create_dir_all(Path::new("/run"));
        Volume::load(&self.device, None, &Options::default())
    }

    fn open(&self, volume: &Volume, buffer: &Locked, length: usize) -> core::result::Result<Report, Failure> {
        let stored = volume.stored().0;
        let decision = if self.test_passphrase { decide(&Facts::default(), self.wish) } else { self.decide(stored) };
        let discards = self.allow_discards.then_some(true);
        let activation = Activation { readonly: self.readonly, discards, flags: decision.flags };
        let name = (!self.test_passphrase).then_some(self.name.as_str());
        // SAFETY: `length` was limited to the buffer's, which is mapped as long as the process lives,
        // and the prompt does not write to it until it has the report.
        unsafe { volume.activate(name, (buffer.start(), length), false, &activation) }?;
        let effective = name.and_then(|name| volume.effective(name));
        Ok(Report::Opened { decision, effective })
    }

    fn decide(&self, stored: Flags) -> Decision {
        let disks = block::disks(&self.device);
        let names = nix::sys::utsname::uname().ok();
        let facts = Facts {
            kernel: names.and_then(|uname| Version::of_kernel(uname.release().to_str()?, uname.version().to_str()?)),
            dm_crypt: dm::target_version("crypt"),
            rotational: disks.rotational,
            zoned: disks.zoned,
            stored,
        };
        decide(&facts, self.wish)
    }
}
