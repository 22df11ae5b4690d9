//! Which volumes there are to open: everything that speaks of them, read and put together.

use std::cell::OnceCell;
use std::fs;

use crate::cmd::unlock::Options;
use crate::error::{Error, Exit, Result};
use crate::model::boot::cmdline::{apply, words};
use crate::model::boot::{Boot, CONFIG_FILE, config};
use crate::model::volume::cmdline;
use crate::model::volume::crypttab;
use crate::model::volume::entry::Entry;
use crate::model::volume::key::Key;
use crate::model::volume::merge::{Said, Sources, merge};
use crate::model::volume::option;
use crate::model::volume::origin::{Origin, Warning};
use crate::model::volume::policy::Wish;
use crate::model::volume::spec::Spec;
use crate::model::volume::task::{Task, order};
use crate::model::volume::verity::{self, Verity};
use crate::sys::lookup::Sameness;
use crate::sys::{console, switch_root};

/// Volumes that one prompt asks for: their number is a byte of a message.
const VOLUMES_MAX: usize = 256;
/// Lines of tables that are looked at, to find those that are needed: each is compared with all others.
const LINES_MAX: usize = 4 * VOLUMES_MAX;

/// What the settings of a config say of a volume.
pub fn said(boot: &Boot) -> Said {
    let (read, write) = (boot.no_read_workqueue.unwrap_or_default(), boot.no_write_workqueue.unwrap_or_default());
    let mut options = option::Options {
        readonly: boot.readonly,
        discards: boot.allow_discards,
        wish: Wish { read, write, ..Wish::default() },
        tries: boot.tries,
        timeout_s: boot.timeout_s,
        device_timeout_s: boot.device_timeout_s,
        ..option::Options::default()
    };
    let (words, problems) = option::Options::read(boot.options.as_deref().unwrap_or_default());
    problems.iter().for_each(|problem| console::print(&Origin::Config.warning(problem).to_string()));
    options.fill(&words);
    let device = boot.device.as_deref().and_then(Spec::parse);
    let entries = device.map(|device| {
        let mut entry = Entry::new(device, Origin::Config);
        entry.name = Some(boot.name().to_owned());
        entry.key = boot.key_file.as_deref().and_then(Key::parse);
        entry
    });
    Said { entries: entries.into_iter().collect(), options }
}

/// What a text file says, or nothing where there is none. One byte that is no text costs itself and not the file.
pub fn text(path: &str) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| {
        if error.kind() != std::io::ErrorKind::NotFound {
            console::print(&Error::io(Exit::Parameters, format!("read {path}"), &error).to_string());
        }
        Vec::new()
    });
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What the config file and its words on the kernel command line say, for a program that is not PID 1.
fn config_said(line: &str) -> Said {
    let mut boot = Boot::default();
    for problem in config::read(&mut boot, &text(CONFIG_FILE)) {
        console::print(&format!("{CONFIG_FILE}: {problem}"));
    }
    // Only words of its own count: `root=` and its kin are another program's here.
    let own: Vec<_> = words(line).into_iter().filter(|word| word.key.starts_with("fbunlock.")).collect();
    for problem in apply(&mut boot, &own) {
        console::print(&problem);
    }
    said(&boot)
}

/// The volumes in the order in which they are opened. What is wrong with what speaks of them is told, and the
/// rest counts.
///
/// # Errors
/// [`Exit::Parameters`] if there is none, or none of a name that is asked for.
pub fn tasks(options: &Options) -> Result<Vec<Task>> {
    let line = text("/proc/cmdline");
    let (mut tables, mut warnings) = (Vec::new(), Vec::new());
    for file in [crypttab::INITRAMFS_FILE, crypttab::FILE] {
        let (entries, more) = crypttab::read(&text(file), file);
        tables.extend(entries);
        warnings.extend(more);
    }
    if tables.len() > LINES_MAX {
        console::print(&format!("more than {LINES_MAX} lines of crypttab; the rest is left out"));
        tables.truncate(LINES_MAX);
    }
    let config = options.config.clone().unwrap_or_else(|| config_said(&line));
    let command_line = cmdline::read(&words(&line), switch_root::on_rootfs().unwrap_or(false));
    let mut sources = Sources { arguments: options.said.clone(), command_line, config, tables };
    let (checked, more) = checked(options, &mut sources, verity::table::FILE);
    warnings.extend(more);
    for name in &options.names {
        if checked.iter().any(|volume| volume.name == *name) {
            continue;
        }
        let entry = named(name, &sources)?;
        sources.arguments.entries.push(entry);
    }
    if let Some(key) = &options.key {
        sources.arguments.entries.iter_mut().for_each(|entry| entry.key = Some(key.clone()));
    }
    let is_closed = !(options.names.is_empty() && options.verity.is_empty());
    let (entries, more) = match is_closed && sources.arguments.entries.is_empty() {
        // All that is asked for is to be checked, and nothing to be decrypted.
        true => (Vec::new(), Vec::new()),
        false => {
            let same = OnceCell::new();
            merge(&sources, |one, two| same.get_or_init(|| Sameness::of(devices(&sources))).tell(one, two))
        }
    };
    warnings.extend(more);
    warnings.iter().for_each(|warning| console::print(&warning.to_string()));
    if entries.is_empty() && checked.is_empty() {
        return Err(Error::new(Exit::Parameters, "unlock", "no volume is given")
            .hint("say --device, or fbunlock.device= on the kernel command line, or write /etc/crypttab"));
    }
    // What is checked must not be left out for the name of what is not.
    if let Some(name) = checked
        .iter()
        .find_map(|volume| entries.iter().filter_map(|entry| entry.name(None)).find(|name| *name == volume.name))
    {
        let text = format!("two volumes are called \"{}\"", name.escape_debug());
        return Err(Error::new(Exit::Parameters, "unlock", text).hint("give the encrypted one another name"));
    }
    let mut tasks: Vec<Task> = entries.into_iter().map(|entry| task(entry, options)).collect();
    tasks.extend(checked.into_iter().map(|volume| {
        let mut task = Task { test_passphrase: options.test_passphrase, ..Task::verity(volume) };
        let (high, own, low) = (&sources.arguments.options, &mut task.entry.options, &sources.config.options);
        own.device_timeout_s = high.device_timeout_s.or(own.device_timeout_s).or(low.device_timeout_s);
        own.nofail = high.nofail.or(own.nofail);
        task
    }));
    let mut tasks = order(tasks);
    if let Some((first, others)) = tasks.get(VOLUMES_MAX..).and_then(<[Task]>::split_first) {
        // One line, for there may be thousands and a serial line is slow.
        let text =
            format!("more than {VOLUMES_MAX} volumes; {} and {} others are left out", first.title(), others.len());
        console::print(&text);
    }
    tasks.truncate(VOLUMES_MAX);
    Ok(tasks)
}

/// All devices that are named.
fn devices(sources: &Sources) -> impl Iterator<Item = &Spec> {
    let line = &sources.command_line;
    let all = [&sources.arguments.entries, &line.entries, &line.details, &sources.config.entries, &sources.tables];
    all.into_iter().flatten().map(|entry| &entry.device)
}

/// The dm-verity volumes: those of the arguments, or else, unless the arguments name other volumes, those of the kernel
/// command line and of the table.
#[inline(never)]
fn checked(options: &Options, sources: &mut Sources, file: &str) -> (Vec<Verity>, Vec<Warning>) {
    let line = &mut sources.command_line;
    let table = if line.without_veritytab { String::new() } else { text(file) };
    let (table, warnings) = verity::table::read(&table, file);
    let mut volumes = verity::merge(core::mem::take(&mut line.verity), table, &options.names);
    if !(options.names.is_empty() && options.verity.is_empty() && options.said.entries.is_empty()) {
        volumes.retain(|volume| options.names.contains(&volume.name));
    }
    volumes.extend(options.verity.iter().cloned());
    (volumes, warnings)
}

fn task(entry: Entry, options: &Options) -> Task {
    let asks = options.asks && !entry.options.headless;
    Task { test_passphrase: options.test_passphrase, persistent: options.persistent, asks, ..Task::new(entry) }
}

/// What is said of a volume that is asked for by its name, even if it is not opened by itself.
fn named(name: &str, sources: &Sources) -> Result<Entry> {
    let all = sources.command_line.entries.iter().chain(&sources.config.entries).chain(&sources.tables);
    let found = all.clone().find(|entry| entry.name(None).as_deref() == Some(name));
    let mut entry = found.cloned().ok_or_else(|| {
        let text = format!("nothing speaks of a volume called \"{}\"", name.escape_debug());
        Error::new(Exit::Parameters, "unlock", text)
            .hint("write a device such as UUID=… or a path, or mend /etc/crypttab")
    })?;
    entry.origins.insert(0, Origin::Argument);
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_costs_itself() {
        let path = std::env::temp_dir().join(format!("fbunlock-text-{}", std::process::id()));
        let path = path.to_str().unwrap();
        fs::write(path, b"# caf\xe9\nroot UUID=3f1a none luks\n").unwrap();
        let (entries, warnings) = crypttab::read(&text(path), path);
        fs::remove_file(path).unwrap();
        assert_eq!((entries.len(), warnings.len()), (1, 0));
        assert_eq!(text(path), "");
    }

    #[test]
    fn a_byte_that_is_no_text_costs_no_table_of_hashes() {
        let path = std::env::temp_dir().join(format!("fbunlock-veritytab-{}", std::process::id()));
        let path = path.to_str().unwrap();
        let line = format!("usr /dev/a /dev/b {}\n", "0a".repeat(32));
        fs::write(path, [b"# caf\xe9\n", line.as_bytes()].concat()).unwrap();
        let named = |sources: &mut Sources| checked(&Options::default(), sources, path).0.len();
        assert_eq!(named(&mut Sources::default()), 1);
        let mut sources = Sources::default();
        sources.command_line.without_veritytab = true;
        assert_eq!(named(&mut sources), 0);
        fs::remove_file(path).unwrap();
    }
}
