//! Kernel modules that are loaded while the prompt is up, and drivers that are taken away: they take
//! each other's place then.
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
pub(crate) const UNBIND: &str = "-virtio_gpu";
/// In place of a module: says what the framebuffer's memory holds, again and again.
pub(crate) const READ: &str = "-read";
/// The device whose coming the child waits for: no driver of the image knows it.
pub(crate) const TRIGGER: &str = "edu";
/// What the child says at last.
pub(crate) const DONE: &str = "late: done";

/// What is said of a framebuffer that holds `bytes`.
pub(crate) fn picture(bytes: &[u8]) -> String {
    format!("late: picture {:016x}", hash::hash(bytes))
}

/// Adds the case's late modules to an initramfs.
pub(crate) fn append(case: &Case, guests: &Path, modules: &Path, file: &Path) -> Result<()> {
    let late = guests.join("late");
    let mut archive = Archive::default();
    archive.file("late", &fs::read(&late).context(format_args!("read {}", late.display()))?);
    archive.folder("late-modules");
    let (unbound, loaded): (Vec<&str>, Vec<&str>) = case.late.iter().partition(|name| name.starts_with('-'));
    if unbound.contains(&READ) {
        archive.file("late-read", b"");
    } else if let Some(name) = unbound.first() {
        archive.file("late-unbind", format!("/sys/bus/virtio/drivers/{}", &name[1..]).as_bytes());
    }
    for (number, (name, content)) in module::closure(modules, &loaded)?.iter().enumerate() {
        archive.file(&format!("late-modules/{number:03}-{name}"), content);
    }
    let mut image = fs::OpenOptions::new().append(true).open(file).context(format_args!("open {}", file.display()))?;
    image.write_all(&archive.finish()).context(format_args!("append to {}", file.display()))
}
