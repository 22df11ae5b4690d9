//! Volumes of every format, hash and cipher, on image files: what `cryptsetup` opens, opens here, too.
//!
//! `made` makes its images with cryptsetup; `kept` takes those that cryptsetup's own tests keep, from the
//! source archive that `sysroot/build` has fetched. `tests/units` runs this with the static libraries.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "format/kept.rs"]
mod kept;
#[path = "format/made.rs"]
mod made;
#[path = "format/mapped.rs"]
mod mapped;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use fbunlock::model::volume::failure::Failure;
use fbunlock::model::volume::option::Options;
use fbunlock::sys::crypt::{Activation, Volume};

/// libcryptsetup is not thread-safe, and tests run in threads.
static ONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A folder of files for one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fbunlock-format-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("create a folder");
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file of so many zeros.
    fn blank(&self, name: &str, length: u64) -> PathBuf {
        let path = self.path(name);
        fs::File::create(&path).and_then(|file| file.set_len(length)).expect("make a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Reads the header as crypttab's `words` say.
fn load(image: &Path, header: Option<&Path>, words: &str) -> Result<Volume, Failure> {
    let (options, problems) = Options::read(words);
    assert_eq!(problems, [""; 0], "{words}");
    Volume::load(image, header, &options)
}

/// Tries a passphrase.
fn test(volume: &Volume, passphrase: &[u8]) -> Result<(), Failure> {
    // SAFETY: the passphrase lives until the call returns.
    unsafe { volume.activate(None, (passphrase.as_ptr().cast(), passphrase.len()), false, &Activation::default()) }
}

fn open(image: &Path, words: &str, passphrase: &[u8]) -> Result<(), Failure> {
    test(&load(image, None, words)?, passphrase)
}

/// Runs cryptsetup with the passphrase on standard input; whether it succeeded.
fn cryptsetup(arguments: &[&str], passphrase: &[u8]) -> bool {
    let mut command = Command::new("cryptsetup");
    command.env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()));
    command.args(["--batch-mode"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().expect("start cryptsetup (package cryptsetup-bin)");
    // One that wants no passphrase may be gone already.
    let _ = running.stdin.take().expect("a pipe").write_all(passphrase);
    running.wait().expect("wait for cryptsetup").success()
}

/// `path` as an argument.
fn word(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}
