//! A kernel's modules folder on the build host: depmod's tables and the files, unpacked.
//!
//! Unpacked here and not by the kernel, so that an image also serves kernels without
//! `CONFIG_MODULE_DECOMPRESS` and packs better as a whole. `tests/image.rs` proves it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Exit, Result};
use crate::model::modules::{Tables, Texts};

/// The largest module there is, with debug information, has a quarter of this. A damaged file must not
/// eat the memory of the build host.
const MODULE_MAX: u64 = 512 << 20;

/// A folder such as `/lib/modules/6.1.0-50-amd64`.
#[derive(Debug)]
pub struct ModuleTree {
    folder: PathBuf,
    release: String,
}

impl ModuleTree {
    /// Opens a folder; its name is the kernel's release.
    ///
    /// # Errors
    /// [`Exit::Parameters`] if it is no folder, or has no name that can stand in an image.
    pub fn open(folder: &Path) -> Result<Self> {
        let action = || format!("open {}", folder.display());
        // A link such as `current` is followed: its target's name is the release.
        let real = fs::canonicalize(folder).map_err(|error| Error::io(Exit::Parameters, action(), &error))?;
        if !real.is_dir() {
            return Err(Error::new(Exit::Parameters, action(), "not a folder"));
        }
        // The list of modules in the image has one path a line.
        let plain = |name: &&str| !name.contains(char::is_control);
        let Some(release) = real.file_name().and_then(|name| name.to_str()).filter(plain) else {
            return Err(Error::new(Exit::Parameters, action(), "has no plain name"));
        };
        Ok(Self { folder: folder.to_owned(), release: release.to_owned() })
    }

    /// The kernel's release, as `uname -r` gives it.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// Reads depmod's tables. Only modules.dep has to be there.
    ///
    /// # Errors
    /// [`Exit::Parameters`] if one cannot be read or modules.dep is broken.
    pub fn tables(&self) -> Result<Tables> {
        let dep = self.text("modules.dep")?.ok_or_else(|| {
            let action = format!("open {}", self.folder.join("modules.dep").display());
            Error::new(Exit::Parameters, action, "No such file or directory")
                .hint("run depmod -b ROOT VERSION, where ROOT holds lib/modules/VERSION")
        })?;
        let builtin = self.text("modules.builtin")?.unwrap_or_default();
        let softdep = self.text("modules.softdep")?.unwrap_or_default();
        let alias = self.text("modules.alias")?.unwrap_or_default();
        Tables::parse(&Texts { dep: &dep, builtin: &builtin, softdep: &softdep, alias: &alias })
    }

    /// Reads a module by its path in the folder and unpacks it; the path comes back without the
    /// suffix of the packing.
    ///
    /// # Errors
    /// [`Exit::Parameters`] if the file cannot be read, is damaged, or is packed in another way
    /// than xz or zstd.
    pub fn module(&self, path: &str) -> Result<(String, Vec<u8>)> {
        let file = self.folder.join(path);
        let action = || format!("read {}", file.display());
        let told = |error| Error::io(Exit::Parameters, action(), &error);
        // A pipe would be waited for.
        if !fs::metadata(&file).map_err(told)?.is_file() {
            return Err(Error::new(Exit::Parameters, action(), "not a regular file"));
        }
        let bytes = fs::File::open(&file).and_then(limited).map_err(told)?;
        let failed = |cause: String| Error::new(Exit::Parameters, format!("unpack {}", file.display()), cause);
        match path.rsplit_once('.') {
            Some((_, "ko")) => Ok((path.to_owned(), bytes)),
            Some((plain, "xz")) => {
                let unpacked = unxz(&bytes).map_err(|error| failed(error.to_string()))?;
                Ok((plain.to_owned(), unpacked))
            }
            Some((plain, "zst")) => Ok((plain.to_owned(), unzstd(&bytes).map_err(failed)?)),
            _ => Err(failed("neither .ko nor .ko.xz nor .ko.zst".to_owned()).hint("unpack the modules and run depmod")),
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        let path = self.folder.join(name);
        match fs::read(&path) {
            // Aliases come from drivers' sources and are not all UTF-8.
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let action = format!("read {}", path.display());
                Err(Error::io(Exit::Parameters, action, &error))
            }
        }
    }
}

/// Reads to the end, but no more than a module can have.
fn limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MODULE_MAX + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        0..=MODULE_MAX => Ok(bytes),
        _ => Err(io::Error::other(format!("more than {} MiB", MODULE_MAX >> 20))),
    }
}

/// The library checks the CRC of every block and of the index.
fn unxz(bytes: &[u8]) -> io::Result<Vec<u8>> {
    limited(lzma_rust2::XzReader::new(bytes, true))
}

/// The library computes the frame's checksum and leaves the comparison to its user.
fn unzstd(bytes: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|error| error.to_string())?;
    let unpacked = limited(&mut decoder).map_err(|error| error.to_string())?;
    let stored = decoder.decoder.get_checksum_from_data();
    if stored.is_some() && stored != decoder.decoder.get_calculated_checksum() {
        return Err("the checksum does not fit".to_owned());
    }
    Ok(unpacked)
}
