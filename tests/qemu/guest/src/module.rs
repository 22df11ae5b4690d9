//! Loading kernel modules.

use std::fs::{self, File};
use std::path::PathBuf;

use nix::errno::Errno;
use nix::kmod::{ModuleInitFlags, finit_module};

use crate::Console;

/// Loads all of a folder in the order of their names.
pub fn load(folder: &str, console: &Console) {
    let mut paths: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => return,
    };
    paths.sort();
    for path in paths {
        let loaded = File::open(&path).map_err(|error| error.to_string()).and_then(|file| {
            match finit_module(&file, c"", ModuleInitFlags::empty()) {
                Ok(()) | Err(Errno::EEXIST) => Ok(()),
                Err(errno) => Err(errno.to_string()),
            }
        });
        if let Err(error) = loaded {
            console.say(&format!("load {}: {error}", path.display()));
        }
    }
}
