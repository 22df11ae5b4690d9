//! `fbunlock unlock`: asks for the passphrase of a volume and opens it.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use zeroize::Zeroize;

use crate::app;
use crate::error::{Error, Exit, Result};
use crate::model::logo::Logo;
use crate::model::prompt::idle;
use crate::model::prompt::layout::{Layout, US};
use crate::model::prompt::secret::{CAPACITY, Secret};
use crate::model::prompt::session::{Config, Session};
use crate::model::scanout::demand::Demand;
use crate::model::theme::Wish;
use crate::model::volume::message::{Report, Request};
use crate::model::volume::task::Task;
use crate::sys::locked::Locked;
use crate::sys::machine::Machine;
use crate::sys::worker::Worker;
use crate::sys::{console, guard, logo, signal};

/// Bytes that a key file may have, as for cryptsetup (`--keyfile-size`, 8192 KiB).
const KEY_FILE_MAX: usize = 8 << 20;

/// What `unlock` was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The volume, and how it is opened.
    pub task: Task,
    /// Read the passphrase from this file instead of asking.
    pub key_file: Option<PathBuf>,
    /// Wrong passphrases allowed; 0 means no limit.
    pub tries: u32,
    /// Seconds without any input after which the prompt gives up; 0 means never.
    pub timeout_s: u32,
    /// What is asked of the display.
    pub display: Demand,
    /// Seconds without input after which the light is dimmed; 0 means never.
    pub dim_after_s: u32,
    /// Seconds without input after which the display is switched off; 0 means never.
    pub blank_after_s: u32,
    /// The colours.
    pub theme: Wish,
    /// The picture above the title.
    pub logo: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            task: Task { device_timeout_s: 10, ..Task::default() },
            key_file: None,
            tries: 3,
            timeout_s: 0,
            display: Demand::default(),
            dim_after_s: 60,
            blank_after_s: 0,
            theme: Wish::default(),
            logo: None,
        }
    }
}

/// Asks and opens. Returns when the volume is open.
///
/// # Errors
/// Everything that [`Exit`] lists, with the exit code that fits.
pub fn run(options: &Options) -> Result<()> {
    guard::run(|| match &options.key_file {
        Some(file) => open_with(options, file),
        None => ask(options),
    })
}

/// One prompt, in a process of its own.
fn ask(options: &Options) -> Result<()> {
    let mut buffer = Locked::new(CAPACITY)?;
    let secret = buffer.take().ok_or_else(|| Error::new(Exit::Memory, "take the passphrase's memory", "in use"))?;
    let config = Config {
        volume: options.task.device.display().to_string(),
        tries: options.tries,
        timeout_ms: u64::from(options.timeout_s) * 1000,
        test: options.task.test_passphrase,
    };
    let layout = Layout::parse("us", US)?;
    let session = Session::new(config, layout, Secret::new(secret), 0).in_theme(options.theme);
    let mut session = session.under_logo(options.logo.as_deref().and_then(logo));
    let idle = idle::Config {
        dim_after_ms: u64::from(options.dim_after_s) * 1000,
        blank_after_ms: u64::from(options.blank_after_s) * 1000,
    };
    let mut machine = Machine::new(&options.task, &buffer, &options.display, idle)?;
    app::run(&mut machine, &mut session)
}

/// The prompt is as good without one.
fn logo(path: &Path) -> Option<Logo> {
    logo::load(path).map_err(|error| console::print(&format!("{error}; there is no logo"))).ok()
}

/// Tries what is in a file, byte for byte, without asking anybody.
fn open_with(options: &Options, file: &Path) -> Result<()> {
    // Nothing else goes on in this process: a signal may end it, and the worker with it. A file may
    // never end, or never begin.
    signal::unblock();
    let mut buffer = Locked::new(room_for(file))?;
    buffer.lock();
    let place = buffer.take().unwrap_or(&mut []);
    let length = read(file, place)?;
    let worker = Worker::start(&options.task, &buffer)?;
    worker.send(Request::Load)?;
    let report = match worker.wait() {
        Report::Ready { .. } => {
            worker.send(Request::Unlock { length })?;
            worker.wait()
        }
        other => other,
    };
    place.zeroize();
    match report {
        Report::Failed(failure) => {
            let action = format!("unlock {}", options.task.device.display());
            Err(Error::new(failure.exit(), action, failure.text()))
        }
        Report::Ready { .. } | Report::Opened { .. } => Ok(()),
    }
}

/// Bytes of a buffer for a key file: one more than it has, so that one that fits is told from one
/// that is too long. What is no plain file does not say how long it is.
fn room_for(path: &Path) -> usize {
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    let length = metadata.map_or(KEY_FILE_MAX, |metadata| usize::try_from(metadata.len()).unwrap_or(KEY_FILE_MAX));
    length.clamp(CAPACITY, KEY_FILE_MAX) + 1
}

/// Reads a key file into the buffer, and into no other; `-` is standard input.
fn read(path: &Path, place: &mut [u8]) -> Result<u32> {
    let failed = |error: &std::io::Error| Error::io(Exit::Parameters, format!("read {}", path.display()), error);
    // The library's own standard input keeps what it reads.
    let stdin = || std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let file = if path == Path::new("-") { stdin() } else { File::open(path) };
    let mut file = file.map_err(|error| failed(&error))?;
    let mut length = 0;
    while let Some(rest) = place.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => return Ok(length as u32),
            Ok(count) => length += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    place.zeroize();
    Err(Error::new(Exit::Parameters, format!("read {}", path.display()), format!("more than {KEY_FILE_MAX} bytes")))
}
