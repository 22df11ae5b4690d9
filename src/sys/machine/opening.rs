//! The volumes of a session: the worker that opens them, and what has become of each.

use super::super::known::Known;
use super::super::locked::Locked;
use super::super::poll::Poll;
use super::super::status;
use super::super::worker::Worker;
use super::super::{console, dm};
use super::WORKER;
use crate::error::{Exit, Result};
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

    /// Goes on with the next volume. A worker that is busy with this one would report of it later on.
    pub(super) fn next(&mut self, poll: &Poll) -> Result<()> {
        if !matches!(self.outcomes.get(self.current), Some(Outcome::Opened(_) | Outcome::Failed { .. })) {
            self.note(Outcome::Failed { exit: Exit::TimedOut, text: "nobody answered in time".into() });
        }
        self.current += 1;
        if self.is_settled {
            self.load();
            return Ok(());
        }
        self.leave(poll);
        self.start(poll)
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
    pub(super) fn end(&mut self, error: Option<(Exit, String)>) {
        if let Some((exit, text)) = error {
            self.note(Outcome::Failed { exit, text });
        }
        self.worker = None;
        // Nobody else would find what a worker has left that was killed while it made a mapping.
        dm::clear(&self.ready.name);
        self.volumes.known.wipe();
    }

    /// What the worker reports.
    pub(super) fn read(&mut self, poll: &Poll) -> Option<Report> {
        let mut report = self.worker.as_ref().and_then(Worker::receive)?;
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
                    report = Report::Failed(Failure::NoWorker);
                }
            }
            Report::Failed(failure) if !failure.can_retry() => {
                self.is_settled = true;
                self.note(Outcome::Failed { exit: failure.exit(), text: failure.text() });
            }
            Report::Failed(_) => {}
        }
        Some(report)
    }

    /// Something happened to a mapping. If the volume is open now, and not by this program's worker, that is
    /// as good.
    pub(super) fn look(&mut self) -> Option<Report> {
        let name = Some(&self.ready.name).filter(|name| !name.is_empty() && !self.is_trying)?;
        let mapping = dm::mapping(name).filter(|mapping| mapping.has_table)?;
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

fn tell(opened: &Opened) {
    opened.text().iter().for_each(|text| console::print(text));
}
