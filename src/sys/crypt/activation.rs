//! Opening: a key is tried, and the mapping made.

use core::ffi::{c_char, c_int};
use core::ptr;

use nix::errno::Errno;

use super::handle::text;
use super::{Failure, INVALID, Step, Volume, check, ffi, plain, tcrypt};
use crate::model::volume::option::Format;
use crate::model::volume::policy::Flags;
use crate::sys::{diagnosis, memory};

/// Where a key lies, and its bytes.
pub(super) type Key = (*const c_char, usize);

/// The tokens whose passphrase the kernel's keyring has. No others are asked: they would want programs,
/// devices or a PIN.
const KEYRING_TOKEN: &[u8] = b"luks2-keyring\0";

/// How a mapping is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activation {
    /// Read-only.
    pub readonly: bool,
    /// Whether discards are let through; `None` leaves it to the header.
    pub discards: Option<bool>,
    /// The performance flags, all of them: those of the header that are not among them are overruled.
    pub flags: Flags,
}

impl Activation {
    /// The library's bits.
    pub(super) fn bits(&self, volume: &Volume) -> u32 {
        let stored = volume.stored_bits();
        let mut wanted = volume.overlaid(stored, self.flags, self.discards);
        if volume.has_integrity() {
            // dm-integrity below has no discards, and the library refuses to be asked for them.
            wanted &= !ffi::CRYPT_ACTIVATE_ALLOW_DISCARDS;
        }
        if stored & !wanted != 0 {
            wanted |= ffi::CRYPT_ACTIVATE_IGNORE_PERSISTENT;
        }
        if self.readonly { wanted | ffi::CRYPT_ACTIVATE_READONLY } else { wanted }
    }
}

impl Volume {
    /// Tries the key, on the keyslot that was asked for or on every one. With a `name`, the mapping is
    /// made. `is_key_file` says that the key is a file's and was not typed, which counts for volumes
    /// without header.
    ///
    /// # Safety
    /// As many bytes as `key` says must be readable where it says until the call returns.
    ///
    /// # Errors
    /// [`Failure::WrongPassphrase`] when no keyslot opens, or what went wrong.
    pub unsafe fn activate(
        &self,
        name: Option<&str>,
        key: (*const c_char, usize),
        is_key_file: bool,
        activation: &Activation,
    ) -> Result<(), Failure> {
        let activated = match (self.format, name) {
            (Format::Plain, None) => return Err(Failure::Untestable),
            // SAFETY: what the caller vouches for.
            (Format::Plain, Some(name)) => unsafe { plain::activate(self, name, key, is_key_file, activation) },
            // SAFETY: as above.
            (Format::Tcrypt, _) => unsafe { tcrypt::activate(self, name, key, activation) },
            // SAFETY: as above.
            _ => return unsafe { self.activate_loaded(name, key, activation) },
        };
        activated.map(|_| ()).map_err(|failure| self.explain(failure, name))
    }

    /// # Safety
    /// As for [`Volume::activate`].
    unsafe fn activate_loaded(
        &self,
        name: Option<&str>,
        (key, length): Key,
        activation: &Activation,
    ) -> Result<(), Failure> {
        let text = name.map(text).transpose()?;
        let pointer = text.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        let bits = activation.bits(self);
        let attempt = |name| {
            // SAFETY: the handle is loaded, the name is a string or null, and the caller vouches for the
            // passphrase. The library copies all of them.
            unsafe { ffi::crypt_activate_by_passphrase(self.handle.raw(), name, self.keyslot(), key, length, bits) }
        };
        let mut result = attempt(pointer);
        // Of BitLocker's protectors the last one decides what failed, whether it was meant or not. Without a
        // mapping to be made, it was the key.
        if self.format == Format::Bitlocker && result == -(Errno::EINVAL as c_int) {
            let is_key = pointer.is_null() || attempt(ptr::null()) < 0;
            result = if is_key { -(Errno::EPERM as c_int) } else { result };
        }
        check(Step::Activate, result).map(|_| ()).map_err(|failure| match self.explain(failure, name) {
            // Nothing outside stands in the way. If the key cannot be had without a mapping either, it is the header.
            INVALID if self.format == Format::Luks => {
                let is_header = pointer.is_null() || attempt(ptr::null()) == -(Errno::EINVAL as c_int);
                if is_header { Failure::Damaged } else { INVALID }
            }
            failure => failure,
        })
    }

    /// Tries what nobody has to be asked for: the passphrases that tokens in the header name and the kernel's
    /// keyring has, and the clear key of a BitLocker volume whose protection is suspended. All other tokens are
    /// left alone.
    ///
    /// # Errors
    /// [`Failure::NoKeyslot`] where there is no such token or no such key, [`Failure::WrongPassphrase`]
    /// where the key opens nothing, [`Failure::NoKeyring`], or what went wrong.
    pub fn activate_by_token(&self, name: Option<&str>, activation: &Activation) -> Result<(), Failure> {
        if self.format == Format::Bitlocker {
            // SAFETY: no key is given, and nothing is read of it.
            let opened = unsafe { self.activate_loaded(name, (ptr::null(), 0), activation) };
            return opened.map_err(|failure| match failure {
                Failure::WrongPassphrase => Failure::NoKeyslot,
                other => other,
            });
        }
        if !self.has_keyring_token() {
            return Err(Failure::NoKeyslot);
        }
        if !diagnosis::has_keyring() {
            return Err(Failure::NoKeyring);
        }
        let text = name.map(text).transpose()?;
        // SAFETY: the handle is loaded, the strings live until the call returns, and no PIN is given.
        let result = unsafe {
            ffi::crypt_activate_by_token_pin(
                self.handle.raw(),
                text.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
                KEYRING_TOKEN.as_ptr().cast(),
                ffi::CRYPT_ANY_TOKEN,
                ptr::null(),
                0,
                ptr::null_mut(),
                activation.bits(self),
            )
        };
        match check(Step::Activate, result) {
            Err(Failure::NoKeyslot) => Err(Failure::NoKeyslot),
            other => other.map(|_| ()).map_err(|failure| self.explain(failure, name)),
        }
    }

    /// Whether the header has a token for the kernel's keyring.
    fn has_keyring_token(&self) -> bool {
        let mut kind = ptr::null();
        // LUKS2 has so many at most.
        self.is_luks2()
            && (0..32).any(|token| {
                // SAFETY: the handle is loaded; the library checks the number, and gives a string of its own.
                let status = unsafe { ffi::crypt_token_status(self.handle.raw(), token, &mut kind) };
                status == ffi::crypt_token_info_CRYPT_TOKEN_INTERNAL
                // SAFETY: written by the call above, as its result says.
                && unsafe { super::string(kind) }.is_some_and(|kind| KEYRING_TOKEN.starts_with(kind.as_bytes()))
            })
    }

    /// Whether the data is authenticated by dm-integrity below.
    pub(super) fn has_integrity(&self) -> bool {
        if !self.is_luks2() {
            return false;
        }
        // SAFETY: the structure is numbers and null pointers, for all of which zero stands.
        let mut integrity: ffi::crypt_params_integrity = unsafe { core::mem::zeroed() };
        // SAFETY: the handle is loaded, or has no type; the library fills in the structure.
        let result = unsafe { ffi::crypt_get_integrity_info(self.handle.raw(), &mut integrity) };
        result == 0 && integrity.tag_size > 0
    }

    /// What a failure is really about.
    fn explain(&self, failure: Failure, name: Option<&str>) -> Failure {
        if let Failure::Memory { .. } = failure {
            let free_kib = memory::available_kib().unwrap_or(0);
            return Failure::Memory { needed_kib: self.memory_kib(), free_kib };
        }
        let mut ciphers = self.ciphers();
        ciphers.extend(self.options.cipher.clone());
        // SAFETY: the handle is loaded, or has no type: the answers are 0 then.
        let (offset_sectors, sector_size) =
            unsafe { (ffi::crypt_get_data_offset(self.handle.raw()), ffi::crypt_get_sector_size(self.handle.raw())) };
        let scene = diagnosis::Scene {
            device: &self.device,
            format: self.format,
            is_mapped: name.is_some(),
            ciphers,
            hashes: self.hashes(),
            has_integrity: self.has_integrity(),
            has_locks: self.uuid().is_some(),
            offset_bytes: self.options.offset_sectors.unwrap_or(offset_sectors).saturating_mul(512),
            sector_size: self.options.sector_size.unwrap_or(u32::try_from(sector_size).unwrap_or(0)),
        };
        scene.explain(failure)
    }
}
