//! What happens to the display while the prompt is up: drivers are loaded or taken away, other
//! programs use it.
//!
//! The kernel unpacks a second archive behind the product's. Its `/late` starts as PID 1, leaves a
//! child behind, and becomes the product's `/init`.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::case::Case;
use crate::cpio::Archive;
use crate::failure::{Context, Result};
use crate::module;

#[path = "guest/src/hash.rs"]
#[allow(unreachable_pub)] // The guest's library exports it.
mod hash;

/// Added to the kernel's command line.
pub(crate) const CMDLINE: &str = " rdinit=/late";
/// In place of a module: takes the driver off what virtio-gpu drives.
pub(crate) const UNBIND: &str = "/sys/bus/virtio/drivers/virtio_gpu";
/// In place of a module: says what the framebuffer's memory holds, again and again.
pub(crate) const READ: &str = "read";
/// In place of a module: brings another terminal in front, and the prompt's again.
pub(crate) const SWITCH: &str = "switch";
/// In place of a module: holds the display for some seconds, as a boot splash does.
pub(crate) const MASTER: &str = "master";
/// In place of a module: makes input devices, and uses them as the case's script says.
pub(crate) const SCRIPT: &str = "script";
/// In place of a module: puts the prompt's terminal into text mode.
pub(crate) const TEXT: &str = "text";
/// In place of a module: pulls the monitor out of the first card, as far as the kernel knows.
pub(crate) const UNPLUG: &str = "unplug";
/// In place of a module: says how often the prompt's processes ran in some seconds.
pub(crate) const COUNT: &str = "count";
/// In place of a module: runs the program with the words of the case's script.
pub(crate) const OPEN: &str = "open";
/// In place of a module: kills the process that opens the volume.
pub(crate) const KILL_WORKER: &str = "kill-worker";
/// The device whose coming the child waits for: no driver of the image knows it.
pub(crate) const TRIGGER: &str = "edu";
/// What the child says at last.
pub(crate) const DONE: &str = "late: done";

/// What is said of a framebuffer that holds `bytes`.
pub(crate) fn picture(bytes: &[u8]) -> String {
    format!("late: picture {:016x}", hash::hash(bytes))
}

/// Adds the case's late modules to an initramfs.
pub(crate) fn append(case: &Case, passphrase: &str, guests: &Path, modules: &Path, file: &Path) -> Result<()> {
    let late = guests.join("late");
    let mut archive = Archive::default();
    archive.file("late", &fs::read(&late).context(format_args!("read {}", late.display()))?);
    archive.folder("late-modules");
    let actions = [UNBIND, READ, SWITCH, MASTER, SCRIPT, TEXT, UNPLUG, COUNT, OPEN, KILL_WORKER];
    let names: Vec<&str> = case.late.iter().copied().filter(|name| !actions.contains(name)).collect();
    if let Some(action) = case.late.iter().find(|name| actions.contains(name)) {
        archive.file("late-action", action.as_bytes());
    }
    archive.file("late-script", (case.script)(case, passphrase)?.as_bytes());
    for (number, (name, content)) in module::closure(modules, &names)?.iter().enumerate() {
        archive.file(&format!("late-modules/{number:03}-{name}"), content);
    }
    let mut image = fs::OpenOptions::new().append(true).open(file).context(format_args!("open {}", file.display()))?;
    image.write_all(&archive.finish()).context(format_args!("append to {}", file.display()))
}
