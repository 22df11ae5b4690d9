//! A parent that only waits: whatever becomes of the prompt, the terminal is given back, and a
//! prompt that crashed starts again.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl::{set_dumpable, set_pdeathsig};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getpid, getppid, pipe};

use super::backlight::Backlights;
use super::console::{self, Console};
use super::memory::Spared;
use super::signal;
use super::tty::Terminal;
use crate::error::{Error, Exit, Result};

/// A prompt that crashes this often will not work the next time either.
const CRASHES_MAX: u32 = 3;

/// How a child ended.
enum End {
    /// With the session's result.
    Result(Result<()>),
    /// By a signal or a panic.
    Crash(String),
}

/// Runs `session` in a child process and returns its result. Signals that ask to stop are passed
/// on to it. As PID 1, it also reaps orphans meanwhile.
///
/// # Errors
/// What the session ended with, or [`Exit::Memory`] when it crashed again and again.
pub fn run(session: impl Fn() -> Result<()>) -> Result<()> {
    signal::block()?;
    let _spared = Spared::begin();
    let result = watch(&session);
    signal::unblock();
    result
}

/// Starts the session, anew after a crash, and cleans up after each.
fn watch(session: &impl Fn() -> Result<()>) -> Result<()> {
    let terminal = Terminal::open();
    let modes = Console::saved();
    let mut backlights = None;
    let mut crashes = 0;
    loop {
        let mut stopped = false;
        let end = once(session, &mut stopped, &mut backlights);
        if let Some(terminal) = &terminal {
            terminal.restore();
        }
        if let Some(modes) = &modes {
            console::restore(modes);
        }
        backlights.iter().for_each(Backlights::restore);
        match end? {
            End::Result(result) => return result,
            // Not every part of the program waits for it in a way of its own.
            End::Crash(_) if stopped => return Err(Error::new(Exit::Cancelled, "unlock", "stopped by a signal")),
            End::Crash(how) => {
                crashes += 1;
                let error = Error::new(Exit::Memory, "ask for the passphrase", how);
                if crashes == CRASHES_MAX {
                    return Err(error);
                }
                console::print(&format!("{error}; starting again"));
            }
        }
    }
}

fn once(session: &impl Fn() -> Result<()>, stopped: &mut bool, backlights: &mut Option<Backlights>) -> Result<End> {
    let failed = |errno| Error::os(Exit::Memory, "start the prompt's process", errno);
    let (reader, writer) = pipe().map_err(failed)?;
    let parent = getpid();
    // SAFETY: this program has one thread, so the child may do all that the parent may.
    match unsafe { fork() }.map_err(failed)? {
        ForkResult::Child => {
            drop(reader);
            // A guardian that is killed gives nothing back any more: then the prompt must.
            let _ = set_pdeathsig(Signal::SIGTERM);
            // No core file and no debugger shall see the passphrase.
            let _ = set_dumpable(false);
            let code = if getppid() == parent { tell(writer, &session()) } else { Exit::Cancelled.code() };
            // SAFETY: ends the process without running the parent's clean-up a second time.
            unsafe { libc::_exit(code.into()) }
        }
        ForkResult::Parent { child } => {
            drop(writer);
            // Beside the prompt, which is not to wait for it: that one lights what is dark, which would stay
            // lit in any case, and changes nothing else within a second.
            backlights.get_or_insert_with(Backlights::saved);
            let status = wait(child, stopped);
            Ok(end(status, reader))
        }
    }
}

/// Writes the error's words for the parent, and returns its code. Whole messages fit into a pipe.
fn tell(writer: OwnedFd, result: &Result<()>) -> u8 {
    match result {
        Ok(()) => Exit::Success.code(),
        Err(error) => {
            // A parent that is gone reads nothing, and the code tells the most.
            let _ = File::from(writer).write_all(error.to_string().as_bytes());
            error.exit().code()
        }
    }
}

fn end(status: WaitStatus, reader: OwnedFd) -> End {
    let code = match status {
        WaitStatus::Exited(_, code) => u8::try_from(code).ok().and_then(Exit::from_code),
        _ => None,
    };
    match (code, status) {
        (Some(Exit::Success), _) => End::Result(Ok(())),
        (Some(exit), _) => {
            let mut text = String::new();
            // What cannot be read leaves the code, which is told in any case.
            let _ = File::from(reader).read_to_string(&mut text);
            End::Result(Err(Error::told(exit, text)))
        }
        (None, WaitStatus::Signaled(_, signal, _)) => End::Crash(format!("killed by {signal}")),
        (None, _) => End::Crash("ended unexpectedly".into()),
    }
}

/// Waits for the child to end, and for nothing else.
fn wait(child: Pid, stopped: &mut bool) -> WaitStatus {
    loop {
        match signal::set().wait() {
            Ok(signal) if signal::stops(signal) => {
                *stopped = true;
                // ESRCH: it ends already. One that somebody has stopped has to go on for that.
                let _ = kill(child, Signal::SIGTERM);
                let _ = kill(child, Signal::SIGCONT);
            }
            Ok(_) | Err(_) => {}
        }
        // One signal may stand for several children: orphans come to PID 1.
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(status) if status.pid() == Some(child) => return status,
                Ok(WaitStatus::StillAlive) => break,
                Ok(_) | Err(Errno::EINTR) => {}
                // Somebody else has waited for it: how it ended is not known.
                Err(_) => return WaitStatus::Exited(child, i32::from(u8::MAX)),
            }
        }
    }
}
