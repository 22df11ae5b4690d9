//! Whether two names mean one device, found out without waiting for a disk that hangs.
//!
//! It is asked before there is a picture, and a read from a sick disk may take minutes: a process of its own looks,
//! and what it has not found out in time nobody knows.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{ForkResult, fork, pipe2};

use super::super::worker::close_all_but;
use super::{Identity, Lookup};
use crate::model::volume::spec::Spec;

/// How long the process has.
const WITHIN: Duration = Duration::from_millis(1500);

/// Bytes of an answer: whether it was found, and the two numbers.
const ANSWER: usize = 17;

/// Some devices by their names, in order, and what they turned out to be.
pub struct Sameness(Vec<(String, Option<Identity>)>);

impl Sameness {
    /// Looks for all of them. Only for a process with one thread.
    pub fn of<'a>(specs: impl Iterator<Item = &'a Spec>) -> Self {
        let lookup = Lookup::default();
        Self::found(specs, WITHIN, &|spec| lookup.identity(spec))
    }

    pub(super) fn found<'a>(
        specs: impl Iterator<Item = &'a Spec>,
        within: Duration,
        identity: &dyn Fn(&Spec) -> Option<Identity>,
    ) -> Self {
        // In order. A tree would be 17 kB of program.
        let mut named = Vec::<(String, &Spec)>::new();
        for spec in specs {
            let name = spec.to_string();
            if let Err(at) = named.binary_search_by(|(other, _)| other.cmp(&name)) {
                named.insert(at, (name, spec));
            }
        }
        let work = |writer: OwnedFd| {
            let mut writer = File::from(writer);
            named.iter().try_for_each(|(_, spec)| writer.write_all(&encode(identity(spec)))).is_ok()
        };
        let answers = if named.is_empty() { Vec::new() } else { survey(work, within) };
        let mut answers = answers.chunks_exact(ANSWER).map(decode);
        Self(named.into_iter().map(|(name, _)| (name, answers.next().flatten())).collect())
    }

    /// Whether both are one device; `None` while one of them is not there.
    pub fn tell(&self, one: &Spec, two: &Spec) -> Option<bool> {
        Some(self.identity(one)? == self.identity(two)?)
    }

    /// Whether it was found.
    pub fn is_there(&self, spec: &Spec) -> bool {
        self.identity(spec).is_some()
    }

    fn identity(&self, spec: &Spec) -> Option<Identity> {
        let name = spec.to_string();
        let at = self.0.binary_search_by(|(other, _)| other.cmp(&name)).ok()?;
        self.0.get(at)?.1
    }
}

fn encode(identity: Option<Identity>) -> [u8; ANSWER] {
    let mut bytes = [0; ANSWER];
    if let Some((one, two)) = identity {
        let all = [1].into_iter().chain(one.to_ne_bytes()).chain(two.to_ne_bytes());
        bytes.iter_mut().zip(all).for_each(|(place, byte)| *place = byte);
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<Identity> {
    let (found, rest) = bytes.split_first()?;
    let (one, rest) = rest.split_first_chunk()?;
    let two = rest.first_chunk()?;
    (*found == 1).then_some((u64::from_ne_bytes(*one), u64::from_ne_bytes(*two)))
}

/// What a process writes within that time. It is not waited for longer, for one in a disk's driver does not even end
/// when it is killed.
fn survey(work: impl FnOnce(OwnedFd) -> bool, within: Duration) -> Vec<u8> {
    let Ok((reader, writer)) = pipe2(OFlag::O_CLOEXEC) else { return Vec::new() };
    // SAFETY: the caller's process has one thread, so the child may do all that the parent may.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => {
            let _ = set_pdeathsig(Signal::SIGKILL);
            // Others wait for the end of what the parent has open.
            close_all_but(&writer);
            core::mem::forget(reader);
            let done = work(writer);
            // SAFETY: ends the process without running the parent's clean-up a second time.
            unsafe { libc::_exit((!done).into()) }
        }
        Ok(ForkResult::Parent { child }) => {
            drop(writer);
            let answers = read(reader, Instant::now() + within);
            let _ = kill(child, Signal::SIGKILL);
            // It may need a moment. One that hangs is init's, or the guardian's, when this process is gone.
            for _ in 0..20 {
                if waitpid(child, Some(WaitPidFlag::WNOHANG)).is_ok_and(|status| status.pid().is_some()) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            answers
        }
        Err(_) => Vec::new(),
    }
}

/// All that comes until the other end is gone, or the time is over.
fn read(reader: OwnedFd, ends: Instant) -> Vec<u8> {
    let mut reader = File::from(reader);
    let mut answers = Vec::new();
    let mut bytes = [0; 1024];
    loop {
        let left = ends.saturating_duration_since(Instant::now());
        let mut ready = [PollFd::new(reader.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)) {
            Err(Errno::EINTR) => continue,
            Ok(0) | Err(_) => return answers,
            Ok(_) => {}
        }
        match reader.read(&mut bytes) {
            Ok(count) if count > 0 => answers.extend_from_slice(bytes.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return answers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_is_unknown_and_nobody_waits() {
        let specs: Vec<Spec> = ["a", "b", "c"].map(|name| Spec::Path(format!("/{name}"))).to_vec();
        let identity = |spec: &Spec| {
            if spec.to_string() == "/b" {
                std::thread::sleep(Duration::from_secs(60));
            }
            Some((7, 0))
        };
        let started = Instant::now();
        let same = Sameness::found(specs.iter(), Duration::from_millis(100), &identity);
        assert!(started.elapsed() < Duration::from_secs(10));
        assert_eq!(
            (same.is_there(&specs[0]), same.is_there(&specs[1]), same.is_there(&specs[2])),
            (true, false, false)
        );
        assert_eq!(same.tell(&specs[0], &specs[1]), None);
    }

    #[test]
    fn many_are_told_apart() {
        let specs: Vec<Spec> = (0..2000).map(|number| Spec::Label(format!("{}", number / 2))).collect();
        let identity = |spec: &Spec| match spec {
            Spec::Label(text) => {
                text.parse::<u64>().ok().filter(|number| number % 3 != 0).map(|number| (u64::MAX, number / 2))
            }
            _ => None,
        };
        let same = Sameness::found(specs.iter(), Duration::from_secs(20), &identity);
        let tell = |one: &str, two: &str| same.tell(&Spec::Label(one.into()), &Spec::Label(two.into()));
        assert_eq!(tell("1", "1"), Some(true));
        assert_eq!(tell("4", "5"), Some(true));
        assert_eq!(tell("5", "7"), Some(false));
        assert_eq!((tell("1", "3"), tell("1", "absent")), (None, None));
    }
}
