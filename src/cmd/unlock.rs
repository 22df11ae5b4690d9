//! `fbunlock unlock`: asks for the passphrase of a volume and opens it.

pub mod layout;
pub mod volumes;

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::app;
use crate::error::{Error, Exit, Result};
use crate::model::boot::LAYOUTS_DIR;
use crate::model::logo::Logo;
use crate::model::prompt::hardware::Hardware;
use crate::model::prompt::idle;
use crate::model::prompt::keymap::Keymap;
use crate::model::prompt::secret::{CAPACITY, Secret};
use crate::model::prompt::session::{Config, Question, Session};
use crate::model::prompt::showing::Showing;
use crate::model::scanout::demand::Demand;
use crate::model::theme::Wish;
use crate::model::volume::failure::Failure;
use crate::model::volume::key::Key;
use crate::model::volume::merge::Said;
use crate::model::volume::message::{Report, Request};
use crate::model::volume::outcome::Outcome;
use crate::model::volume::task::{Kind, Task};
use crate::model::volume::verity::Verity;
use crate::sys::known::Known;
use crate::sys::locked::Locked;
use crate::sys::lookup::Sameness;
use crate::sys::machine::{Machine, Volumes};
use crate::sys::worker::Worker;
use crate::sys::{console, dm, guard, keymap_file, logo, signal, status};

/// Wrong passphrases allowed if nobody says how many.
const TRIES: u32 = 3;

/// What `unlock` was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What the arguments say of volumes.
    pub said: Said,
    /// Volumes that are asked for by the names that something else gives them.
    pub names: Vec<String>,
    /// The dm-verity volumes of the arguments.
    pub verity: Vec<Verity>,
    /// What the config says of volumes; `None` where its file has not been read.
    pub config: Option<Said>,
    /// The key of the volumes that the arguments name.
    pub key: Option<Key>,
    /// Only check the passphrase.
    pub test_passphrase: bool,
    /// Keep the flags in the header.
    pub persistent: bool,
    /// Somebody can be asked.
    pub asks: bool,
    /// Say on standard output, as JSON, what became of each volume.
    pub json: bool,
    /// What is asked of the display.
    pub display: Demand,
    /// Seconds without input after which the light is dimmed; 0 means never.
    pub dim_after_s: u32,
    /// Seconds without input after which the display is switched off; 0 means never.
    pub blank_after_s: u32,
    /// Seconds without input after which the machine is switched off; 0 means never.
    pub power_off_after_s: u32,
    /// Layouts of the keyboard on the screen, by name or file, the first one first.
    pub layout: Vec<String>,
    /// Whether that keyboard is shown.
    pub keyboard: Showing,
    /// Whether what was typed can be shown.
    pub reveal: bool,
    /// Whether nobody is to see how much was typed.
    pub hide_length: bool,
    /// Whether Esc ends it.
    pub cancel: bool,
    /// What is asked of the input devices.
    pub hardware: Hardware,
    /// The colours.
    pub theme: Wish,
    /// The picture above the title.
    pub logo: Option<PathBuf>,
    /// A keymap file to use in place of the kernel's keymap.
    pub keymap: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            said: Said::default(),
            names: Vec::new(),
            verity: Vec::new(),
            config: None,
            key: None,
            test_passphrase: false,
            persistent: false,
            asks: true,
            json: false,
            display: Demand::default(),
            dim_after_s: 60,
            blank_after_s: 0,
            power_off_after_s: 0,
            layout: Vec::new(),
            keyboard: Showing::default(),
            reveal: true,
            hide_length: false,
            cancel: false,
            hardware: Hardware::default(),
            theme: Wish::default(),
            logo: None,
            keymap: None,
        }
    }
}

/// Asks and opens. Returns when the volumes are open.
///
/// # Errors
/// Everything that [`Exit`](crate::error::Exit) lists, with the exit code that fits.
pub fn run(options: &Options) -> Result<()> {
    // Looking at disks may hang or crash, and the process that waits for this one must not.
    guard::run(|| {
        // Nothing reads signals yet: one is to end it.
        signal::unblock();
        let tasks = volumes::tasks(options)?;
        let asks = tasks.iter().any(|task| task.asks);
        // Where nobody is asked for anything, whoever is there is to see what is waited for.
        let is_watched = asks || (options.asks && is_awaited(&tasks));
        signal::block()?;
        if is_watched {
            let (lines, result) = ask(&tasks, options)?;
            // Where nobody is asked, it goes on without a display.
            if asks || result.as_ref().err().map(Error::exit) != Some(Exit::NoDisplay) {
                publish(&tasks, &lines, options);
                return result;
            }
        }
        open(&tasks, options)
    })
}

/// Whether any is checked and not decrypted, and what it lies on is not there yet.
fn is_awaited(tasks: &[Task]) -> bool {
    let devices = || tasks.iter().filter(|task| task.kind != Kind::Encrypted).flat_map(Task::devices);
    let found = Sameness::of(devices());
    devices().any(|device| !found.is_there(device))
}

fn question(task: &Task) -> Question {
    Question {
        volume: task.title(),
        device: task.awaited(),
        tries: task.entry.options.tries.unwrap_or(TRIES),
        timeout_ms: u64::from(task.entry.options.timeout_s.unwrap_or(0)) * 1000,
        test: task.test_passphrase,
        is_optional: task.is_optional(),
    }
}

/// One prompt, in a process of its own: what became of each volume as JSON, and how it ended.
fn ask(tasks: &[Task], options: &Options) -> Result<(String, Result<()>)> {
    let (mut typed, known) = (Locked::new(CAPACITY)?, Known::new()?);
    let secret = typed.take().ok_or_else(|| Error::new(Exit::Memory, "take the passphrase's memory", "in use"))?;
    let mut questions: VecDeque<Question> = tasks.iter().map(question).collect();
    let config = Config {
        question: questions.pop_front().unwrap_or_default(),
        later: questions,
        power_off_after_ms: u64::from(options.power_off_after_s) * 1000,
        reveal: options.reveal,
        hide_length: options.hide_length,
        cancel: options.cancel,
        keyboard: options.keyboard,
    };
    let (layouts, warnings) = layout::catalogue(&options.layout, Path::new(LAYOUTS_DIR))?;
    warnings.iter().for_each(|warning| console::print(&warning.to_string()));
    let session = Session::new(config, layouts, Secret::new(secret), 0).in_theme(options.theme);
    let mut session = session.under_logo(options.logo.as_deref().and_then(logo));
    let idle = idle::Config {
        dim_after_ms: u64::from(options.dim_after_s) * 1000,
        blank_after_ms: u64::from(options.blank_after_s) * 1000,
    };
    let keymap = options.keymap.as_deref().and_then(keymap);
    let hardware = options.hardware.clone();
    let volumes = Volumes { tasks, typed: &typed, known: &known };
    let mut machine = Machine::new(volumes, &options.display, (idle, keymap, hardware))?;
    let result = app::run(&mut machine, &mut session);
    let error = result.as_ref().err().or(session.passed_over());
    Ok((machine.end(error), result))
}

/// The prompt is as good without one.
fn logo(path: &Path) -> Option<Logo> {
    logo::load(path).map_err(|error| console::print(&format!("{error}; there is no logo"))).ok()
}

/// Reads a keymap file. With a broken one the kernel's keymap is better than no prompt.
fn keymap(path: &Path) -> Option<Keymap> {
    match keymap_file::read(path) {
        Ok((keymap, _)) => Some(keymap),
        Err(error) => {
            console::print(&format!("{error}; using the kernel's keymap"));
            None
        }
    }
}

/// Opens them without asking anybody.
fn open(tasks: &[Task], options: &Options) -> Result<()> {
    // Nothing else goes on in this process: a signal may end it, and the worker with it. A file may
    // never end, or never begin.
    signal::unblock();
    let (typed, known) = (Locked::new(CAPACITY)?, Known::new()?);
    let mut worker = Worker::start(tasks, &typed, &known)?;
    let mut lines = String::new();
    let mut result = Ok(());
    for (volume, task) in tasks.iter().enumerate() {
        // One that is gone already is told by what it reports.
        let _ = worker.send(Request::Load { volume: volume as u8 });
        let outcome = match worker.wait() {
            Report::Opened(opened) => {
                opened.text().iter().for_each(|text| console::print(text));
                Outcome::Opened(opened)
            }
            // Nobody is asked, so there is no such report.
            Report::Ready(_) => continue,
            Report::Failed(failure) => {
                if matches!(failure, Failure::Died { .. }) {
                    task.entry.name(None).iter().for_each(|name| dm::clear(name));
                    worker = Worker::start(tasks, &typed, &known)?;
                }
                let error = Error::new(failure.exit(), format!("unlock {}", task.title()), failure.text());
                let outcome = Outcome::Failed { exit: error.exit(), text: error.to_string() };
                if task.is_optional() {
                    console::print(&error.to_string());
                } else {
                    result = Err(error);
                }
                outcome
            }
        };
        lines.push_str(&outcome.line(&task.title()));
        if result.is_err() {
            break;
        }
    }
    publish(tasks, &lines, options);
    result
}

fn publish(tasks: &[Task], lines: &str, options: &Options) {
    if tasks.iter().any(|task| !task.test_passphrase) {
        status::publish(lines);
    }
    if options.json {
        // Whoever has read enough of it hangs up, which is no fault.
        let _ = std::io::stdout().write_all(lines.as_bytes());
    }
}
