//! `fbunlock init`: PID 1 of an initramfs of one file.
//!
//! Mounts what the kernel offers, loads modules, has the volume opened, mounts the root, becomes its
//! init. PID 1 must not end: nothing here returns, and what may fail badly runs in a child.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;

use crate::cmd::unlock::{self, volumes};
use crate::error::{Error, Exit, Result};
use crate::model::boot::cmdline::{self, Word};
use crate::model::boot::{Boot, CONFIG_FILE, MODULES_FILE, OnFailure, config, filesystem, retry_pause_s};
use crate::model::initramfs::{NEW_ROOT, release_of};
use crate::model::modules::name_of;
use crate::model::modules::parameter::{blacklisted, parameters};
use crate::model::prompt::hardware::Hardware;
use crate::model::scanout::demand::Demand;
use crate::model::volume;
use crate::sys::child;
use crate::sys::dm;
use crate::sys::log::Log;
use crate::sys::lookup::Lookup;
use crate::sys::power::End;
use crate::sys::{module, mount, power, stdio, switch_root};

/// Seconds to wait for the root's device if nobody says how long.
const ROOT_TIMEOUT_S: u32 = 10;
/// How often it is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a message stands before the machine is switched off or started again.
const READING_S: u64 = 10;

/// Whether this process is PID 1 of an initramfs; that of a container is not.
pub fn is_here() -> bool {
    std::process::id() == 1 && switch_root::on_rootfs().unwrap_or(false)
}

/// What every process but PID 1 is told.
pub fn refusal() -> Error {
    Error::new(Exit::Parameters, "init", "only process 1 of an initramfs can be init")
}

/// Runs as PID 1; ends as the root's init, or by switching the machine off. `arguments` are the
/// words that the kernel handed on, and are handed on to the root's init.
pub fn run(arguments: &[OsString]) -> ! {
    let mut log = Log::default();
    let errors = mount::kernel_filesystems();
    let attached = stdio::attach();
    log.open();
    for error in errors.iter().chain(attached.as_ref().err()) {
        log.error(&error.to_string());
    }
    let line = volumes::text("/proc/cmdline");
    let words = cmdline::words(&line);
    let boot = settings(&words, &mut log);
    load_modules(&words, &mut log);
    let mut state = State::default();
    loop {
        let error = reach(&boot, &mut state, arguments, &mut log);
        fail(&boot, state, &error, &mut log);
    }
}

/// How far the way to the root has been gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    opened: bool,
    mounted: bool,
    /// The initramfs's files are gone.
    gone: bool,
}

/// The config, overruled by the kernel command line. Whatever is wrong with either is told and
/// passed over.
fn settings(words: &[Word<'_>], log: &mut Log) -> Boot {
    let mut boot = Boot::default();
    match fs::read(CONFIG_FILE) {
        Ok(bytes) => {
            for problem in config::read(&mut boot, &String::from_utf8_lossy(&bytes)) {
                log.error(&format!("{CONFIG_FILE}: {problem}"));
            }
        }
        Err(error) => log.warn(&Error::io(Exit::Parameters, format!("read {CONFIG_FILE}"), &error).to_string()),
    }
    for problem in cmdline::apply(&mut boot, words) {
        log.error(&problem);
    }
    // As systemd-fstab-generator does: whoever names the root's hash wants that root.
    if boot.root.is_none() && volume::cmdline::read(words, true).verity.iter().any(|volume| volume.name == "root") {
        boot.root = Some("/dev/mapper/root".into());
    }
    boot
}

/// Loads the listed modules in their order. None is worth failing for: hardware that is not there
/// gives `ENODEV`, and what is really missed is told by what misses it.
fn load_modules(words: &[Word<'_>], log: &mut Log) {
    let list = fs::read_to_string(MODULES_FILE).unwrap_or_default();
    let running = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    if let Some(release) = release_of(&list).filter(|release| *release != running.trim()) {
        let running = running.trim();
        log.error(&format!("the image's modules are for kernel {release}, this is {running}; write a new image"));
    }
    let mut loaded = 0;
    for path in list.lines().filter(|line| !line.is_empty()) {
        let name = name_of(path).unwrap_or_default();
        if blacklisted(words, &name) {
            log.info(&format!("module {name}: on modprobe.blacklist"));
            continue;
        }
        match module::load(Path::new(path), &parameters(words, &name)) {
            Ok(()) => loaded += 1,
            Err(errno) => {
                let text = Error::os(Exit::Device, format!("load module {name}"), errno).to_string();
                // Damaged, of another kernel, or not signed: a new image helps. All else is hardware.
                match errno {
                    Errno::ENOEXEC | Errno::EKEYREJECTED | Errno::EIO => log.error(&text),
                    _ => log.info(&text),
                }
            }
        }
    }
    log.info(&format!("{loaded} modules loaded"));
}

/// Goes on from where `state` stands. Comes back only on failure.
fn reach(boot: &Boot, state: &mut State, arguments: &[OsString], log: &mut Log) -> Error {
    let mut way = || -> Result<Error> {
        if !state.opened {
            unlock::run(&options(boot))?;
            state.opened = true;
        }
        if !state.mounted {
            mount_root(boot, log)?;
            state.mounted = true;
        }
        let inits = boot.inits();
        let first = switch_root::find_init(Path::new(NEW_ROOT), &inits)?;
        if let Some(wanted) = boot.init.as_ref().filter(|_| first > 0) {
            log.error(&format!("init={wanted} cannot be executed on the root; looking for another"));
        }
        let inits = inits.get(first..).unwrap_or_default();
        let failure = switch_root::switch_root(Path::new(NEW_ROOT), inits, arguments);
        state.gone = !failure.whole;
        Ok(failure.error)
    };
    way().unwrap_or_else(|error| error)
}

/// What asks and what opens are processes of their own.
fn options(boot: &Boot) -> unlock::Options {
    let default = unlock::Options::default();
    unlock::Options {
        config: Some(volumes::said(boot)),
        display: Demand {
            framebuffer: boot.framebuffer.clone().unwrap_or(default.display.framebuffer),
            rotate: boot.rotate.unwrap_or(default.display.rotate),
            refresh: boot.refresh.unwrap_or(default.display.refresh),
            timeout_s: boot.display_timeout_s.unwrap_or(default.display.timeout_s),
        },
        dim_after_s: boot.dim_after_s.unwrap_or(default.dim_after_s),
        blank_after_s: boot.blank_after_s.unwrap_or(default.blank_after_s),
        power_off_after_s: boot.power_off_after_s.unwrap_or(default.power_off_after_s),
        layout: boot.layout.iter().flat_map(|names| names.split(',')).map(str::to_owned).collect(),
        keyboard: boot.keyboard.unwrap_or(default.keyboard),
        reveal: boot.reveal.unwrap_or(default.reveal),
        hide_length: boot.hide_length.unwrap_or(default.hide_length),
        cancel: boot.cancel.unwrap_or(default.cancel),
        hardware: Hardware { input: boot.input.clone(), haptics: boot.haptics.unwrap_or(default.hardware.haptics) },
        theme: boot.theme,
        logo: boot.logo.as_ref().map(PathBuf::from),
        keymap: boot.keymap.as_ref().map(PathBuf::from),
        ..default
    }
}

fn mount_root(boot: &Boot, log: &mut Log) -> Result<()> {
    let root = root(boot, log)?;
    let known = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    let types = filesystem::types(boot.rootfstype.as_deref(), &known);
    let flags = filesystem::flags(boot.rootflags.as_deref().unwrap_or_default());
    let rw = boot.rw.or(flags.rw).unwrap_or(false);
    let mounted = mount::root(&root, Path::new(NEW_ROOT), &types, &flags, rw)?;
    if rw && !mounted.rw {
        log.warn(&format!("{root} cannot be written: mounted read-only"));
    }
    log.info(&format!("mounted {root} ({})", mounted.kind));
    Ok(())
}

/// The device to mount as the root, once it is there: as `root=` says, or else the mapping of the first volume.
fn root(boot: &Boot, log: &mut Log) -> Result<String> {
    let wanted = boot.root();
    if let Some(word) = boot.root.as_deref().filter(|_| wanted.is_none()) {
        log.warn(&format!("root={word} names no device; taking the mapping"));
    }
    let Some(wanted) = wanted else {
        let name = boot.mapping().map(str::to_owned).or_else(dm::first);
        let name = name.ok_or_else(|| Error::new(Exit::Device, "find the root", "there is no mapping"))?;
        return Ok(format!("/dev/mapper/{name}"));
    };
    let end = Instant::now() + Duration::from_secs(boot.device_timeout_s.unwrap_or(ROOT_TIMEOUT_S).into());
    let lookup = Lookup::default();
    loop {
        match lookup.find(&wanted) {
            Some(found) => return Ok(found.path.display().to_string()),
            None if Instant::now() < end => sleep(LOOK_EVERY),
            None => return Err(Error::new(Exit::Device, format!("find the root {wanted}"), "there is no such device")),
        }
    }
}

/// Says what failed and what follows, and does that. Comes back to try again.
fn fail(boot: &Boot, state: State, error: &Error, log: &mut Log) {
    log.error(&error.to_string());
    match boot.on_failure.unwrap_or_default().possible(state.gone) {
        OnFailure::Retry => {
            log.error("trying again");
            sleep(Duration::from_secs(retry_pause_s(error.exit())));
        }
        OnFailure::Wait => {
            log.error("the machine stands still now; switch it off when you have read this");
            stand_still();
        }
        OnFailure::PowerOff => end(End::PowerOff, "switching off", state, log),
        OnFailure::Reboot => end(End::Reboot, "starting again", state, log),
    }
}

fn end(how: End, what: &str, state: State, log: &mut Log) -> ! {
    log.error(&format!("{what} in {READING_S} s"));
    sleep(Duration::from_secs(READING_S));
    if state.mounted && !state.gone {
        mount::release(Path::new(NEW_ROOT));
    }
    let errno = power::end(how);
    log.error(&Error::os(Exit::Device, what.to_owned(), errno).to_string());
    stand_still();
}

/// Reaps what is left of other processes, and stays.
fn stand_still() -> ! {
    loop {
        child::reap();
        sleep(Duration::from_secs(60));
    }
}

/// What is decided, not what is done: that needs a machine to boot.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scanout::orientation;
    use crate::model::scanout::turn::Rotation;

    #[test]
    fn settings_become_options() {
        let mut boot = Boot::default();
        let pairs = [
            ("device", "/dev/vda"),
            ("name", "crypt"),
            ("tries", "0"),
            ("allow_discards", "yes"),
            ("rotate", "90"),
            ("display_timeout", "3"),
            ("blank_after", "600"),
            ("input", "a: swap"),
            ("haptics", "on"),
            ("keymap", "/etc/fbunlock/keymap"),
            ("layout", "de,fr"),
            ("reveal", "no"),
        ];
        for (key, value) in pairs {
            boot.set(key, value).unwrap();
        }
        let options = options(&boot);
        let said = options.config.unwrap();
        assert_eq!(said.entries[0].device.to_string(), "/dev/vda");
        assert_eq!(said.entries[0].name.as_deref(), Some("crypt"));
        assert_eq!((said.options.tries, said.options.discards), (Some(0), Some(true)));
        let defaults = unlock::Options::default();
        let turned = Demand { rotate: orientation::Wish::Fixed(Rotation::Clockwise), timeout_s: 3, ..defaults.display };
        assert_eq!(options.display, turned);
        assert_eq!((options.dim_after_s, options.blank_after_s), (defaults.dim_after_s, 600));
        assert_eq!((options.hardware.input.to_string().as_str(), options.hardware.haptics), ("a: swap", true));
        assert_eq!(options.keymap, Some("/etc/fbunlock/keymap".into()));
        assert_eq!((options.layout, options.reveal, options.cancel), (vec!["de".into(), "fr".into()], false, false));
    }
}
