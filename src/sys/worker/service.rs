//! What the worker process does: finds volumes, reads their headers, and opens them.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv, send};

use super::super::attachment::Attachment;
use super::super::crypt::{self, Activation, Volume};
use super::super::key::{self, Outcome};
use super::super::known::Known;
use super::super::locked::Locked;
use super::super::lookup::Lookup;
use super::super::{block, console, dm, memory};
use crate::error::{Error, Exit};
use crate::model::volume::failure::Failure;
use crate::model::volume::key::{Header, Key};
use crate::model::volume::message::{MESSAGE_MAX, Opened, Ready, Report, Request};
use crate::model::volume::policy::{Decision, Facts, Version, decide};
use crate::model::volume::spec::Spec;
use crate::model::volume::task::{Kind, Task};

/// How often a device is looked for that is not there yet, at first and after a while.
const LOOK_EVERY: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];
/// When the while is over.
const HASTE: Duration = Duration::from_secs(10);

pub(super) type Answer = Result<Report, Failure>;

/// The worker's side of the socket, and all that it works on.
pub(super) struct Service<'a> {
    tasks: &'a [Task],
    typed: &'a Locked,
    known: &'a Known,
    socket: &'a OwnedFd,
    lookup: Lookup,
    current: Option<Current<'a>>,
}

/// The volume that is to be opened.
struct Current<'a> {
    task: &'a Task,
    volume: Volume,
    device: PathBuf,
    /// Of the mapping; empty if only the passphrase is checked.
    name: String,
    /// Keys whose devices are not there yet.
    late: Vec<Key>,
    started: Instant,
    /// What holds the header.
    _header: Option<Attachment>,
}

impl<'a> Service<'a> {
    pub(super) fn new(tasks: &'a [Task], typed: &'a Locked, known: &'a Known, socket: &'a OwnedFd) -> Self {
        Self { tasks, typed, known, socket, lookup: Lookup::default(), current: None }
    }

    /// Answers requests until the other end is gone.
    pub(super) fn run(mut self) {
        crypt::catch_errors();
        loop {
            let pause = self.current.as_ref().and_then(Current::pause);
            if pause.is_some_and(|pause| !self.has_request(pause)) {
                match self.try_late() {
                    Some(report) if !self.tell(&report) => return,
                    _ => continue,
                }
            }
            let Some(request) = self.next() else { return };
            let answer = match request {
                Request::Load { volume } => self.load(volume),
                Request::Unlock { length } => match self.unlock(length) {
                    Some(answer) => answer,
                    None => continue,
                },
            };
            if !self.tell(&answer.unwrap_or_else(Report::Failed)) {
                return;
            }
        }
    }

    fn tell(&self, report: &Report) -> bool {
        send(self.socket.as_raw_fd(), &report.encode(), MsgFlags::MSG_NOSIGNAL).is_ok()
    }

    /// Waits for a request so long; also the other end's going is one.
    fn has_request(&self, pause: Duration) -> bool {
        let mut ready = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        let pause = PollTimeout::try_from(pause).unwrap_or(PollTimeout::MAX);
        poll(&mut ready, pause) != Ok(0)
    }

    /// Waits for a request; `None` when the other end is gone, or talks nonsense.
    fn next(&self) -> Option<Request> {
        let mut bytes = [0; MESSAGE_MAX];
        loop {
            match recv(self.socket.as_raw_fd(), &mut bytes, MsgFlags::empty()) {
                Err(Errno::EINTR) => {}
                Ok(count) if count > 0 => return bytes.get(..count).and_then(Request::decode),
                Ok(_) | Err(_) => return None,
            }
        }
    }

    /// Finds a volume, reads its header, and opens it if that needs nobody.
    fn load(&mut self, volume: u8) -> Answer {
        self.current = None;
        let task = self.tasks.get(usize::from(volume)).ok_or(Failure::Other(-(Errno::EINVAL as i32)))?;
        if let Kind::Verity(volume) = &task.kind {
            return self.verify(task, volume);
        }
        let mut current = self.begin(task)?;
        if !current.name.is_empty() {
            // What a worker that was killed has left.
            current.volume.deactivate(&current.name)?;
            if crypt::is_active(&current.name) {
                return current.is_open_already();
            }
        }
        if let Ok(report) = current.open(None, false) {
            return Ok(report);
        }
        let mut last = None;
        for passphrase in self.known.all().filter(|_| task.entry.refuses_wrong_keys()) {
            match current.open(Some(passphrase), false) {
                Ok(report) => return Ok(report),
                Err(failure) => last = Some(failure),
            }
        }
        for key in current.keys() {
            match self.try_key(&mut current, &key) {
                Ok(report) => return Ok(report),
                Err(failure) => last = failure.or(last),
            }
        }
        if task.entry.tries_empty()
            && let Ok(report) = current.open(Some(b""), false)
        {
            return Ok(report);
        }
        let answer = if task.asks { Ok(Report::Ready(current.ready())) } else { Err(last.unwrap_or_else(keyless)) };
        self.current = Some(current);
        if task.asks { answer } else { self.wait_for_keys(answer) }
    }

    /// Nobody can be asked: waits for keys whose devices are late.
    fn wait_for_keys(&mut self, mut answer: Answer) -> Answer {
        while let Some(pause) = self.current.as_ref().and_then(Current::pause) {
            if self.has_request(pause) {
                break;
            }
            if let Some(report) = self.try_late() {
                answer = Ok(report);
                break;
            }
        }
        answer
    }

    /// Finds the devices and reads the header.
    fn begin(&self, task: &'a Task) -> Result<Current<'a>, Failure> {
        let device = self.find(&task.entry.device, task)?;
        if !is_disk(&device) {
            return Err(Failure::NotVolume);
        }
        // libcryptsetup makes the last part of its lock folder's path and no more.
        let _ = std::fs::create_dir_all(Path::new("/run"));
        let (header, attachment) = self.header(task)?;
        let volume = Volume::load(&device, header.as_deref(), &task.entry.options)?;
        for note in volume.notes() {
            console::print(&format!("{}: {note}", task.title()));
        }
        let name = match task.test_passphrase {
            true => String::new(),
            false => task.entry.name(volume.uuid().as_deref()).ok_or_else(nameless)?,
        };
        let started = Instant::now();
        Ok(Current { task, volume, device, name, late: Vec::new(), started, _header: attachment })
    }

    /// Where a detached header is, and what must stay mounted for it.
    fn header(&self, task: &Task) -> Result<(Option<PathBuf>, Option<Attachment>), Failure> {
        Ok(match &task.entry.options.header {
            None => (None, None),
            Some(Header::Device(device)) => (Some(self.find(device, task)?), None),
            Some(Header::File(place)) => match &place.device {
                None => (Some(PathBuf::from(&place.path)), None),
                Some(device) => {
                    let device = self.find(device, task)?;
                    let attachment = Attachment::new(&device, place.filesystem.as_deref());
                    let attachment = attachment.map_err(|error| Failure::told(&error))?;
                    (Some(attachment.path(&place.path)), Some(attachment))
                }
            },
        })
    }

    /// Waits for a device.
    pub(super) fn find(&self, spec: &Spec, task: &Task) -> Result<PathBuf, Failure> {
        let started = Instant::now();
        loop {
            if let Some(found) = self.lookup.find(spec) {
                if let [other, ..] = found.others.as_slice() {
                    let (taken, other) = (found.path.display(), other.display());
                    console::print(&format!("{spec} is {taken} and also {other}; taking the first"));
                }
                return Ok(found.path);
            }
            let waited = started.elapsed();
            if task.device_timeout_s().is_some_and(|seconds| waited >= Duration::from_secs(seconds.into())) {
                return Err(Failure::Missing);
            }
            std::thread::sleep(look_every(waited));
        }
    }

    /// Tries a key that may have come by now; `None` as long as none opens.
    fn try_late(&mut self) -> Option<Report> {
        let mut current = self.current.take()?;
        let late = core::mem::take(&mut current.late);
        for key in late {
            if let Ok(report) = self.try_key(&mut current, &key) {
                return Some(report);
            }
        }
        if current.task.key_timeout_s().is_some_and(|seconds| current.started.elapsed().as_secs() >= seconds.into()) {
            current.late.clear();
        }
        self.current = Some(current);
        None
    }

    /// Tries a key. `None` as failure if there is none to try.
    fn try_key(&self, current: &mut Current<'_>, key: &Key) -> Result<Report, Option<Failure>> {
        let (material, error) = match key::read(key, &current.task.entry.options, &self.lookup, !current.task.asks) {
            Outcome::Read(material) => (Some(material), None),
            Outcome::Late => {
                current.late.push(key.clone());
                return Err(None);
            }
            // Places by custom are empty as a rule.
            Outcome::Absent(_) if current.has_customary_keys() => return Err(None),
            Outcome::Absent(error) | Outcome::Failed(error) => (None, Some(error)),
        };
        let opened = match (&material, &error) {
            (Some(material), _) => current.open(Some(material.bytes()), true),
            (None, Some(error)) => Err(Failure::told(error)),
            (None, None) => return Err(None),
        };
        opened.map_err(|failure| {
            // Where somebody is asked instead, the console has the reason.
            if current.task.asks {
                console::print(&format!("a key of {} does not open it: {}", current.task.title(), failure.text()));
            }
            Some(failure)
        })
    }

    /// Tries what was typed. `None` if a late key has opened the volume meanwhile, which was told.
    fn unlock(&mut self, length: u32) -> Option<Answer> {
        let current = self.current.take()?;
        // SAFETY: the prompt does not write to it until it has the report.
        let typed = unsafe { self.typed.bytes() };
        let typed = typed.get(..length as usize).unwrap_or(typed);
        let answer = current.open(Some(typed), false);
        match &answer {
            Ok(_) => self.known.keep(typed),
            Err(failure) if failure.can_retry() => self.current = Some(current),
            // Nothing more is to be heard of it: the prompt may be at the next volume by then.
            Err(_) => {}
        }
        Some(answer)
    }
}

impl Current<'_> {
    /// How long until a late key is looked for; `None` where there is none.
    fn pause(&self) -> Option<Duration> {
        (!self.late.is_empty()).then(|| look_every(self.started.elapsed()))
    }

    fn keys(&self) -> Vec<Key> {
        self.task.entry.keys(&self.name)
    }

    /// Nobody has named a key: those tried are where one may be.
    fn has_customary_keys(&self) -> bool {
        matches!(self.task.entry.key, None | Some(Key::Ask))
    }

    fn ready(&self) -> Ready {
        Ready {
            memory_kib: self.volume.memory_kib(),
            free_kib: memory::available_kib().unwrap_or(0),
            name: self.name.clone(),
            uuid: self.volume.uuid().unwrap_or_default(),
        }
    }

    fn opened(&self, decision: Decision, is_old: bool) -> Report {
        let effective = if self.name.is_empty() { None } else { self.volume.effective(&self.name) };
        let (name, device) = (self.name.clone(), self.device.display().to_string());
        Report::Opened(Opened { decision, effective, name, device, is_old })
    }

    /// Somebody else was faster, if the mapping of that name is this volume's.
    fn is_open_already(&self) -> Answer {
        match dm::mapping(&self.name).filter(|mapping| self.volume.is(mapping, &self.name)) {
            Some(mapping) => {
                // Whoever made it may have been killed before it had one.
                dm::make_node(&self.name, &mapping);
                Ok(self.opened(self.decide(), true))
            }
            None => Err(Failure::Exists),
        }
    }

    /// Keeps the flags in the header, if that is wanted. The volume is open, whatever comes of it.
    fn persist(&self, decision: Decision) {
        let options = &self.task.entry.options;
        let flags = decision.lasting(self.volume.stored().0, options.wish);
        if self.task.persistent
            && !self.task.test_passphrase
            && let Err(failure) = self.volume.persist(flags, options.discards)
        {
            console::print(&format!("{}: the flags are not stored: {}", self.task.title(), failure.text()));
        }
    }

    /// Tries a passphrase, or what was in a key file; without either what tokens name.
    fn open(&self, key: Option<&[u8]>, is_key_file: bool) -> Answer {
        let options = &self.task.entry.options;
        let decision = if self.name.is_empty() { decide(&Facts::default(), options.wish) } else { self.decide() };
        let readonly = options.readonly == Some(true);
        let activation = Activation { readonly, discards: options.discards, flags: decision.flags };
        let name = Some(self.name.as_str()).filter(|name| !name.is_empty());
        let activated = match key {
            // SAFETY: the slice lives until the call returns.
            Some(key) => unsafe {
                self.volume.activate(name, (key.as_ptr().cast(), key.len()), is_key_file, &activation)
            },
            None => self.volume.activate_by_token(name, &activation),
        };
        match activated {
            Ok(()) => {
                self.persist(decision);
                Ok(self.opened(decision, false))
            }
            Err(Failure::Exists) => self.is_open_already(),
            Err(failure) => Err(failure),
        }
    }

    fn decide(&self) -> Decision {
        let disks = block::disks(&self.device);
        let facts = Facts {
            kernel: kernel(),
            dm_crypt: dm::target_version("crypt"),
            rotational: disks.rotational,
            zoned: disks.zoned,
            stored: self.volume.stored().0,
        };
        decide(&facts, self.task.entry.options.wish)
    }
}

/// The version of the running kernel.
pub(super) fn kernel() -> Option<Version> {
    let names = nix::sys::utsname::uname().ok()?;
    Version::of_kernel(names.release().to_str()?, names.version().to_str()?)
}

/// Whether the library may open it: it does so before it looks, and the other end of a pipe may never be opened.
pub(super) fn is_disk(path: &Path) -> bool {
    let kind = std::fs::metadata(path).map(|metadata| metadata.file_type());
    !kind.is_ok_and(|kind| !kind.is_block_device() && !kind.is_file())
}

fn look_every(waited: Duration) -> Duration {
    LOOK_EVERY[usize::from(waited > HASTE)]
}

fn keyless() -> Failure {
    Failure::told(&Error::new(Exit::Parameters, "find a key", "there is none, and nobody may be asked"))
}

fn nameless() -> Failure {
    Failure::told(&Error::new(
        Exit::Parameters,
        "name the mapping",
        "the volume has no UUID to call it by; give a name",
    ))
}
