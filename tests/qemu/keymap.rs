//! Keymaps of the guest's kernel, loaded before fbunlock starts as distributions do.
//!
//! The kernel unpacks a second archive behind the product's. Its `/keymap` starts as PID 1, loads what is
//! there, or tells what the kernel has, and becomes the product's `/init`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::case::{Case, Keymap};
use crate::cpio::Archive;
use crate::failure::{Context, Result};

/// Added to the kernel's command line.
const CMDLINE: &str = " rdinit=/keymap";

/// A file of `tests/keymap`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keymap").join(format!("{name}.bmap"))
}

/// What the guest says of the kernel's own keymap: lines of a number and more of them.
pub(crate) const TOLD: &str = "keymap: ";
/// The last one.
pub(crate) const END: &str = "end";

/// Adds the keymap that the case has for the kernel to an initramfs, and gives what the kernel's command
/// line needs for it.
pub(crate) fn append(case: &Case, guests: &Path, file: &Path) -> Result<&'static str> {
    let read = |path: &Path| fs::read(path).context(format_args!("read {}", path.display()));
    let mut archive = Archive::default();
    match case.keymap {
        Keymap::Untouched | Keymap::File(_) => return Ok(""),
        Keymap::Told => {}
        Keymap::Loaded(name, accents) => {
            archive.file("keymap-tables", &read(&path(name))?);
            let accents: Vec<u8> = accents.as_flattened().iter().flat_map(|c| u32::from(*c).to_le_bytes()).collect();
            archive.file("keymap-accents", &accents);
        }
    }
    archive.file("keymap", &read(&guests.join("keymap"))?);
    archive.folder("keymap-dev");
    let mut image = fs::OpenOptions::new().append(true).open(file).context(format_args!("open {}", file.display()))?;
    image.write_all(&archive.finish()).context(format_args!("append to {}", file.display()))?;
    Ok(CMDLINE)
}
