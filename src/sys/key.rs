//! Key material in files, on devices and on standard input.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::libc;
use zeroize::Zeroize;

use super::attachment::Attachment;
use super::locked::Locked;
use super::lookup::Lookup;
use crate::error::{Error, Exit, Result};
use crate::model::prompt::secret::CAPACITY;
use crate::model::volume::key::{Key, Place};
use crate::model::volume::option::Options;

/// Bytes that a key file may have, as for cryptsetup (`--keyfile-size`, 8192 KiB).
const BYTES_MAX: usize = 8 << 20;

/// In place of a path: standard input.
const STANDARD_INPUT: &str = "-";

/// What became of an attempt to read a key.
pub enum Outcome {
    /// It is read.
    Read(Material),
    /// The device that has it is not there yet.
    Late,
    /// There is no such file.
    Absent(Error),
    /// It cannot be read.
    Failed(Error),
}

/// Key material. Dropping it wipes it.
pub struct Material {
    bytes: &'static mut [u8],
    length: usize,
}

impl Material {
    /// The key, byte for byte.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl Drop for Material {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

/// Reads a key; `options` says which part of its file it is. `may_hang` lets it come out of a pipe, which may
/// never happen: whoever could be asked instead would wait for it.
pub fn read(key: &Key, options: &Options, lookup: &Lookup, may_hang: bool) -> Outcome {
    let skipped = options.key_file_offset.unwrap_or(0);
    let size = options.key_file_size;
    let (path, from, size, _attachment) = match key {
        Key::Ask | Key::Random => return Outcome::Absent(Error::new(Exit::Parameters, "read a key", "there is none")),
        Key::File(Place { path, device: None, .. }) => (PathBuf::from(path), skipped, size, None),
        Key::File(Place { path, device: Some(device), filesystem }) => {
            let Some(found) = lookup.find(device) else { return Outcome::Late };
            match Attachment::new(&found.path, filesystem.as_deref()) {
                Ok(attachment) => (attachment.path(path), skipped, size, Some(attachment)),
                Err(error) => return Outcome::Failed(error),
            }
        }
        Key::Bytes { device, offset, size: whole } => {
            let Some(found) = lookup.find(device) else { return Outcome::Late };
            (found.path, offset.saturating_add(skipped), size.or(*whole), None)
        }
    };
    let is_pipe = || std::fs::metadata(&path).is_ok_and(|metadata| metadata.file_type().is_fifo());
    if !may_hang && is_pipe() {
        let action = format!("read {}", path.display());
        return Outcome::Failed(Error::new(
            Exit::Parameters,
            action,
            "it is a pipe, and nothing may ever come out of it",
        ));
    }
    match part(&path, from, size) {
        Ok(material) => Outcome::Read(material),
        Err(error) if error.errno() == Some(nix::errno::Errno::ENOENT) => Outcome::Absent(error),
        Err(error) => Outcome::Failed(error),
    }
}

/// Reads `size` bytes, or up to the end, into locked memory and into no other.
fn part(path: &Path, from: u64, size: Option<u64>) -> Result<Material> {
    let failed = |error: &std::io::Error| Error::io(Exit::Parameters, format!("read {}", path.display()), error);
    // The library's own standard input keeps what it reads.
    let stdin = || std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let is_stdin = path == Path::new(STANDARD_INPUT);
    let open = || File::options().read(true).custom_flags(libc::O_CLOEXEC | libc::O_NOCTTY).open(path);
    let mut file = if is_stdin { stdin() } else { open() }.map_err(|error| failed(&error))?;
    skip(&mut file, from).map_err(|error| failed(&error))?;
    let wanted = size.map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let mut locked = Locked::new(wanted.unwrap_or_else(|| room_for(&file)).clamp(CAPACITY, BYTES_MAX + 1))?;
    locked.lock();
    let Some(bytes) = locked.take() else { return Err(Error::new(Exit::Memory, "take the key's memory", "in use")) };
    let mut material = Material { bytes, length: 0 };
    let room = wanted.unwrap_or(usize::MAX).min(material.bytes.len());
    while let Some(rest) = material.bytes.get_mut(material.length..room).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(count) => material.length += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    let action = || format!("read {}", path.display());
    match wanted {
        _ if material.length > BYTES_MAX => {
            Err(Error::new(Exit::Parameters, action(), format!("more than {BYTES_MAX} bytes")))
        }
        Some(wanted) if material.length < wanted => {
            let text = format!("{} bytes of the {wanted} that the key has", material.length);
            Err(Error::new(Exit::Parameters, action(), text))
        }
        _ => Ok(material),
    }
}

/// Goes to where the key begins; a pipe can only be read up to there.
fn skip(file: &mut File, from: u64) -> std::io::Result<()> {
    if from == 0 || file.seek(SeekFrom::Current(from.cast_signed())).is_ok() {
        return Ok(());
    }
    std::io::copy(&mut file.take(from), &mut std::io::sink()).map(|_| ())
}

/// Bytes of a buffer for a key file: one more than it has, so that one that fits is told from one
/// that is too long. What is no plain file does not say how long it is, nor do those of /proc.
fn room_for(file: &File) -> usize {
    let metadata = file.metadata().ok().filter(|metadata| metadata.is_file() && metadata.len() > 0);
    metadata.map_or(BYTES_MAX, |metadata| usize::try_from(metadata.len()).unwrap_or(BYTES_MAX)).min(BYTES_MAX) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str, bytes: &[u8]) -> Self {
            let path = std::env::temp_dir().join(format!("fbunlock-key-{}-{name}", std::process::id()));
            std::fs::write(&path, bytes).unwrap();
            Self(path)
        }

        fn part(&self, options: &str) -> core::result::Result<Vec<u8>, String> {
            let key = Key::File(Place::file(self.0.to_str().unwrap()));
            match read(&key, &Options::read(options).0, &Lookup::default(), true) {
                Outcome::Read(material) => Ok(material.bytes().to_vec()),
                Outcome::Absent(error) | Outcome::Failed(error) => Err(error.to_string()),
                Outcome::Late => Err("late".into()),
            }
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_part_of_a_file_is_the_key() {
        let file = Temporary::new("part", b"0123456789\n");
        assert_eq!(file.part(""), Ok(b"0123456789\n".to_vec()));
        assert_eq!(file.part("keyfile-offset=3"), Ok(b"3456789\n".to_vec()));
        assert_eq!(file.part("keyfile-offset=3,keyfile-size=4"), Ok(b"3456".to_vec()));
        assert_eq!(file.part("keyfile-size=11"), Ok(b"0123456789\n".to_vec()));
        assert!(file.part("keyfile-size=12").unwrap_err().ends_with("11 bytes of the 12 that the key has"));
        assert_eq!(file.part("keyfile-offset=99"), Ok(Vec::new()));
    }

    #[test]
    fn a_file_that_hides_its_length_is_read_whole() {
        let file = Temporary(PathBuf::from("/proc/self/smaps"));
        assert!(file.part("").unwrap().len() > CAPACITY + 1);
        core::mem::forget(file);
    }

    #[test]
    fn what_is_too_long_or_not_there_is_told() {
        let file = Temporary::new("long", &vec![7; BYTES_MAX + 1]);
        assert!(file.part("").unwrap_err().ends_with("more than 8388608 bytes"));
        assert_eq!(file.part("keyfile-size=8388608").map(|bytes| bytes.len()), Ok(BYTES_MAX));
        let path = file.0.clone();
        drop(file);
        let key = Key::File(Place::file(path.to_str().unwrap()));
        let absent = read(&key, &Options::default(), &Lookup::default(), false);
        assert!(matches!(absent, Outcome::Absent(error) if error.to_string().contains("ENOENT")));
        let late = Key::parse("/key:UUID=00000000-1111-2222-3333-444444444444").unwrap();
        assert!(matches!(read(&late, &Options::default(), &Lookup::default(), false), Outcome::Late));
    }

    #[test]
    fn nobody_who_can_be_asked_waits_for_a_pipe() {
        let path = std::env::temp_dir().join(format!("fbunlock-key-{}-pipe", std::process::id()));
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let key = Key::File(Place::file(path.to_str().unwrap()));
        let outcome = read(&key, &Options::default(), &Lookup::default(), false);
        std::fs::remove_file(path).unwrap();
        assert!(matches!(outcome, Outcome::Failed(error) if error.to_string().contains("it is a pipe")));
    }
}
