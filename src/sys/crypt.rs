//! libcryptsetup. All of it is called in the worker process: the library is not thread-safe, and it
//! keeps the volume key in the keyring of the thread that derived it.

mod activation;
mod effect;
mod handle;
mod header;
mod keyslot;
mod plain;
mod tcrypt;
mod verity;

use core::ffi::{c_char, c_int};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use libcryptsetup_rs_sys as ffi;
use nix::errno::Errno;

pub use activation::Activation;
pub use effect::is_active;
pub use handle::catch_errors;
pub use verity::{Places, Tree};

use self::handle::{Handle, Watch, check, string};
use super::diagnosis;
use super::lookup::Reader;
use crate::model::volume::failure::{Failure, Step};
use crate::model::volume::note::Note;
use crate::model::volume::option::{Format, Options};
use crate::model::volume::superblock::{self, Kind};

// What the library fills in, by its header for this very target: pointers narrow, numbers do not.
const _: () = {
    const POINTER: usize = size_of::<*const c_char>();
    assert!(size_of::<ffi::crypt_pbkdf_type>() == (2 * POINTER + 20).next_multiple_of(POINTER));
    assert!(core::mem::offset_of!(ffi::crypt_pbkdf_type, max_memory_kb) == 2 * POINTER + 8);
    assert!(core::mem::offset_of!(ffi::crypt_active_device, size) == 16);
    assert!(core::mem::offset_of!(ffi::crypt_active_device, flags) == 24);
};

/// A device whose header has been read, where it has one that needs no passphrase.
pub struct Volume {
    handle: Handle,
    format: Format,
    device: PathBuf,
    header: Option<PathBuf>,
    options: Options,
    notes: Vec<Note>,
}

impl Volume {
    /// Reads what is on the device or image file `device`, or in `header`: what `options` say, or else
    /// LUKS or BitLocker, whichever is there. TrueCrypt's header is read with the passphrase.
    ///
    /// # Errors
    /// [`Failure::NotVolume`] where there is none, [`Failure::Damaged`], [`Failure::NoKeyslot`],
    /// [`Failure::Keyslot`], [`Failure::Reencrypting`], or what reading the device failed with.
    pub fn load(device: &Path, header: Option<&Path>, options: &Options) -> Result<Self, Failure> {
        let place = header.unwrap_or(device);
        for path in [place, device] {
            let kind = fs::metadata(path).map_err(|_| Failure::Missing)?.file_type();
            // The library opens before it looks, and the other end of a pipe may never be opened.
            if !kind.is_block_device() && !kind.is_file() {
                return Err(Failure::NotVolume);
            }
        }
        let found = Reader::open(place).and_then(|mut reader| superblock::probe(&mut reader));
        let is_bitlocker = found.as_ref().is_some_and(|found| found.kind == Kind::Bitlocker);
        let format = options.format.unwrap_or(if is_bitlocker { Format::Bitlocker } else { Format::Luks });
        let mut volume = Self {
            handle: Handle::new(device, header)?,
            format,
            device: device.to_owned(),
            header: header.map(Path::to_owned),
            options: options.clone(),
            notes: Vec::new(),
        };
        volume.read().map_err(|failure| match failure {
            Failure::NotVolume | Failure::Unreadable => diagnosis::header(failure, place, format, found.as_ref()),
            other => other,
        })?;
        Ok(volume)
    }

    fn read(&mut self) -> Result<(), Failure> {
        match self.format {
            Format::Luks => {
                let mut watch = Watch::default();
                // No type means LUKS1 or LUKS2.
                let loaded = self.handle.watched(&mut watch, |handle| handle.load(None));
                self.notes.extend(watch.notes());
                loaded?;
                self.look_at_keyslots()
            }
            Format::Bitlocker => self.handle.load(Some(ffi::CRYPT_BITLK)),
            Format::FileVault => self.handle.load(Some(ffi::CRYPT_FVAULT2)).map_err(|failure| match failure {
                Failure::Unsupported => Failure::NotBuiltIn(Format::FileVault),
                other => other,
            }),
            Format::Plain => {
                self.notes.extend(plain::note(&self.options));
                Ok(())
            }
            Format::Tcrypt => {
                self.notes.extend((!diagnosis::has_kernel_ciphers()).then_some(Note::NoKernelCiphers));
                Ok(())
            }
        }
    }

    /// What is on the device.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// What is worth telling, before anybody is asked.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The header's UUID; `None` where there is none.
    pub fn uuid(&self) -> Option<String> {
        // SAFETY: the handle is the library's own; the string is, too, and is copied here.
        unsafe { string(ffi::crypt_get_uuid(self.handle.raw())) }.filter(|uuid| !uuid.is_empty())
    }

    /// The one keyslot to use, or any.
    fn keyslot(&self) -> c_int {
        self.options.keyslot.and_then(|slot| c_int::try_from(slot).ok()).unwrap_or(ffi::CRYPT_ANY_SLOT)
    }
}

/// An argument that the library would not take.
const INVALID: Failure = Failure::Other(-(Errno::EINVAL as i32));
