//! The volumes of a session: the worker that opens them, and what has become of each.

use super::super::console;
use super::super::dm::{self, Mapping};
use super::super::known::Known;
use super::super::locked::Locked;
use super::super::poll::Poll;
use super::super::status;
use super::super::worker::Worker;
use super::WORKER;
use crate::error::{Error, Result};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{Opened, Ready, Report, Request};
use crate::model::volume::outcome::Outcome;
use crate::model::volume::policy::{Facts, decide};
use crate::model::volume::task::Task;

/// A worker that dies this often before it can be asked anything will not live.
const DEATHS_MAX: u32 = 3;

/// What there is to open, and the memory that goes with it.
#[derive(Clone, Copy)]
pub struct Volumes<'a> {
    /// One after the other.
    pub tasks: &'a [Task],
    /// What is typed.
    pub typed: &'a Locked,
    /// What has opened a volume before.
    pub known: &'a Known,
}

/// Where they stand.
pub(super) struct Opening<'a> {
    volumes: Volumes<'a>,
    /// None until there is a picture.
    worker: Option<Worker>,
    /// How often it died without having been ready.
    deaths: u32,
    /// The one that is opened now.
    current: usize,
    /// What is known of it; its name tells when somebody else opens it.
    ready: Ready,
    /// The worker tries a passphrase: a mapping that appears is its own.
    is_trying: bool,
    /// The worker has nothing more to say of it.
    is_settled: bool,
    outcomes: Vec<Outcome>,
}

impl<'a> Opening<'a> {
    pub(super) fn new(volumes: Volumes<'a>) -> Self {
        let outcomes = vec![Outcome::Pending; volumes.tasks.len()];
        let (worker, ready) = (None, Ready::default());
        Self { volumes, worker, deaths: 0, current: 0, ready, is_trying: false, is_settled: false, outcomes }
    }

    /// Locks the memory for passphrases and starts a worker. Before anything can be typed, and before there is
    /// a process that shares it.
    pub(super) fn begin(&mut self, poll: &Poll) -> Result<()> {
        self.volumes.typed.lock();
        self.volumes.known.lock();
        self.start(poll)
    }

    /// Starts a worker and lets it begin. One that is gone is noticed when its report is read.
    pub(super) fn start(&mut self, poll: &Poll) -> Result<()> {
        let worker = Worker::start(self.volumes.tasks, self.volumes.typed, self.volumes.known)?;
        poll.add(&worker, WORKER)?;
        self.worker = Some(worker);
        self.load();
        Ok(())
    }

    fn load(&mut self) {
        self.note(Outcome::Waiting);
        (self.ready, self.is_trying, self.is_settled) = (Ready::default(), false, false);
        // A name that is given is known before the header is.
        self.ready.name =
            self.task().filter(|task| !task.test_passphrase).and_then(|task| task.entry.name(None)).unwrap_or_default();
        self.send(Request::Load { volume: self.current as u8 });
    }

    /// A worker that is gone is noticed when its report is read.
    fn send(&self, request: Request) {
        let _ = self.worker.as_ref().map(|worker| worker.send(request));
    }

    fn task(&self) -> Option<&'a Task> {
        self.volumes.tasks.get(self.current)
    }

    fn note(&mut self, outcome: Outcome) {
        if let Some(place) = self.outcomes.get_mut(self.current) {
            *place = outcome;
        }
        if self.task().is_some_and(|task| !task.test_passphrase) {
            status::publish(&self.lines());
        }
    }

    /// What became of each volume, as JSON.
    pub(super) fn lines(&self) -> String {
        self.volumes.tasks.iter().zip(&self.outcomes).map(|(task, outcome)| outcome.line(&task.title())).collect()
    }

    /// Lets the worker try what was typed.
    pub(super) fn unlock(&mut self, length: u32) {
        self.is_trying = true;
        self.send(Request::Unlock { length });
    }

    /// Goes on with the next volume, after this error or an opened one. A worker that is busy with this one
    /// would report of it later on.
    pub(super) fn next(&mut self, poll: &Poll, error: Option<Error>) -> Result<()> {
        if let Some(error) = error.filter(|_| !self.is_over()) {
            self.note(Outcome::Failed { exit: error.exit(), text: error.to_string() });
        }
        self.current += 1;
        self.deaths = 0;
        if self.is_settled {
            self.load();
            return Ok(());
        }
        self.leave(poll);
        self.start(poll)
    }

    fn is_open(&self) -> bool {
        matches!(self.outcomes.get(self.current), Some(Outcome::Opened(_)))
    }

    fn is_over(&self) -> bool {
        self.is_open() || matches!(self.outcomes.get(self.current), Some(Outcome::Failed { .. }))
    }

    /// Ends the worker.
    fn leave(&mut self, poll: &Poll) {
        if let Some(worker) = self.worker.take() {
            poll.remove(&worker);
            drop(worker);
            dm::clear(&self.ready.name);
        }
    }

    /// The session is over, with this error for the volume that was not opened.
    pub(super) fn end(&mut self, error: Option<&Error>) {
        if let Some(error) = error.filter(|_| !self.is_open()) {
            self.note(Outcome::Failed { exit: error.exit(), text: error.to_string() });
        }
        self.worker = None;
        // Nobody else would find what a worker has left that was killed while it made a mapping.
        dm::clear(&self.ready.name);
        self.volumes.known.wipe();
    }

    /// What the worker reports.
    pub(super) fn read(&mut self, poll: &Poll) -> Option<Report> {
        let mut report = self.worker.as_ref().and_then(Worker::receive)?;
        // It was told already, and what is told twice would count for the next volume.
        if self.is_open() {
            return None;
        }
        self.is_trying = false;
        match &report {
            Report::Opened(opened) => {
                tell(opened);
                self.is_settled = true;
                self.note(Outcome::Opened(opened.clone()));
            }
            Report::Ready(ready) => {
                (self.deaths, self.ready) = (0, ready.clone());
                self.note(Outcome::Asking);
            }
            Report::Failed(Failure::Died { .. }) => {
                // No report comes from it any more.
                self.worker.iter().for_each(|worker| poll.remove(worker));
                self.deaths += 1;
                if self.deaths > DEATHS_MAX {
                    self.note(failed(&Failure::NoWorker));
                    report = Report::Failed(Failure::NoWorker);
                }
            }
            Report::Failed(failure) if !failure.can_retry() => {
                self.is_settled = true;
                self.note(failed(failure));
            }
            Report::Failed(_) => {}
        }
        Some(report)
    }

    /// Something happened to a mapping. If the volume is open now, and not by this program's worker, that is
    /// as good.
    pub(super) fn look(&mut self) -> Option<Report> {
        let name = Some(self.ready.name.clone()).filter(|name| !name.is_empty())?;
        let mapping = dm::mapping(&name)?;
        let report = self.see(&mapping)?;
        // Whoever opens it may be about to, but this program's caller mounts it at once.
        dm::make_node(&name, &mapping);
        Some(report)
    }

    fn see(&mut self, mapping: &Mapping) -> Option<Report> {
        if self.is_trying || self.is_open() || !mapping.has_table {
            return None;
        }
        let name = &self.ready.name;
        let task = self.task()?;
        // Before the header is read nothing tells whose mapping it is; the worker finds out.
        if !mapping.is_of(&self.ready.uuid) {
            return None;
        }
        let decision = decide(&Facts::default(), task.entry.options.wish);
        let (name, device) = (name.clone(), task.entry.device.to_string());
        let opened = Opened { decision, effective: None, name, device, is_old: true };
        tell(&opened);
        self.note(Outcome::Opened(opened.clone()));
        Some(Report::Opened(opened))
    }
}

fn failed(failure: &Failure) -> Outcome {
    Outcome::Failed { exit: failure.exit(), text: failure.text() }
}

fn tell(opened: &Opened) {
    opened.text().iter().for_each(|text| console::print(text));
}

#[cfg(test)]
mod tests {
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::process::Command;

    use nix::sys::socket::{AddressFamily, MsgFlags, Shutdown, SockFlag, SockType, send, shutdown, socketpair};
    use nix::unistd::Pid;

    use super::*;
    use crate::error::Exit;
    use crate::model::volume::entry::Entry;
    use crate::model::volume::origin::Origin;
    use crate::model::volume::policy::{Decision, Flags, Reason};
    use crate::model::volume::spec::Spec;

    const UUID: &str = "3f1a0000-0000-4000-8000-0000000000aa";

    /// Two volumes; the process that would open them is one that does nothing.
    struct Bench {
        tasks: Vec<Task>,
        typed: Locked,
        known: Known,
        poll: Poll,
    }

    impl Bench {
        fn new() -> Self {
            let task = |path: &str| {
                let entry = Entry::new(Spec::parse(path).unwrap(), Origin::Argument);
                Task { test_passphrase: true, ..Task::new(entry) }
            };
            let tasks = vec![task("/a"), task("/b")];
            Self { tasks, typed: Locked::new(64).unwrap(), known: Known::new().unwrap(), poll: Poll::new().unwrap() }
        }

        fn opening(&self) -> (Opening<'_>, OwnedFd) {
            let volumes = Volumes { tasks: &self.tasks, typed: &self.typed, known: &self.known };
            let mut opening = Opening::new(volumes);
            let pair = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC);
            let (ours, theirs) = pair.unwrap();
            // Dropping the worker ends it, and waits for it.
            let process = Command::new("sleep").arg("60").spawn().map(|child| child.id().cast_signed()).unwrap();
            let worker = Worker::of(Pid::from_raw(process), ours);
            self.poll.add(&worker, WORKER).unwrap();
            opening.worker = Some(worker);
            (opening, theirs)
        }
    }

    fn opened() -> Report {
        let decision = Decision { flags: Flags::default(), reason: Reason::Asked };
        let (name, device) = ("root".into(), "/a".into());
        Report::Opened(Opened { decision, effective: None, name, device, is_old: false })
    }

    fn say(worker: &OwnedFd, report: &Report) {
        send(worker.as_raw_fd(), &report.encode(), MsgFlags::empty()).unwrap();
    }

    #[test]
    fn a_volume_is_told_to_be_open_once_whoever_sees_it_first() {
        let bench = Bench::new();
        let ready = Report::Ready(Ready { name: "root".into(), uuid: UUID.into(), ..Ready::default() });
        let uuid = format!("CRYPT-LUKS2-{}-root", UUID.replace('-', ""));
        let mapping = Mapping { uuid, has_table: true, open_count: 0, number: 0 };
        for is_seen_first in [true, false] {
            let (mut opening, worker) = bench.opening();
            say(&worker, &ready);
            assert_eq!(opening.read(&bench.poll), Some(ready.clone()));
            say(&worker, &opened());
            let told = [(); 2].map(|()| {
                let seen = is_seen_first.then(|| opening.see(&mapping)).flatten();
                seen.or_else(|| opening.read(&bench.poll)).or_else(|| opening.see(&mapping))
            });
            assert!(matches!(&told[0], Some(Report::Opened(opened)) if opened.is_old == is_seen_first));
            assert_eq!(told[1], None);
            say(&worker, &Report::Failed(Failure::WrongPassphrase));
            assert_eq!(opening.read(&bench.poll), None);
            assert_eq!(opening.lines().lines().next().map(|line| line.contains("open")), Some(true));
        }
    }

    #[test]
    fn a_volume_that_is_passed_over_is_told_with_its_own_error() {
        let bench = Bench::new();
        let (mut opening, worker) = bench.opening();
        say(&worker, &Report::Failed(Failure::WrongPassphrase));
        assert_eq!(opening.read(&bench.poll), Some(Report::Failed(Failure::WrongPassphrase)));
        // What goes on is the same process.
        opening.is_settled = true;
        let error = Error::new(Exit::Passphrase, "unlock /a", Failure::WrongPassphrase.text());
        opening.next(&bench.poll, Some(error)).unwrap();
        let lines = opening.lines();
        assert!(lines.starts_with("{\"volume\":\"/a\",\"status\":\"failed\",\"exit\":2,"), "{lines}");
        assert!(lines.ends_with("{\"volume\":\"/b\",\"status\":\"waiting\"}\n"), "{lines}");
    }

    #[test]
    fn a_worker_that_will_not_live_is_told_as_what_it_is() {
        let bench = Bench::new();
        let (mut opening, worker) = bench.opening();
        opening.deaths = DEATHS_MAX;
        // Not dropped: a program that another test starts may have a copy for a moment.
        shutdown(worker.as_raw_fd(), Shutdown::Both).unwrap();
        assert_eq!(opening.read(&bench.poll), Some(Report::Failed(Failure::NoWorker)));
        assert!(opening.lines().contains("\"exit\":3"));
        // The next volume has its own chances.
        opening.is_settled = true;
        opening.next(&bench.poll, None).unwrap();
        assert_eq!(opening.deaths, 0);
    }
}
