//! dm-crypt without a header: all is as it is said, and nothing tells a wrong key from the right one.

use core::ptr;

use super::handle::text;
use super::{Activation, Failure, Handle, Note, Step, Volume, check, ffi};
use crate::model::volume::cipher::Cipher;
use crate::model::volume::option::Options;

// The defaults of cryptsetup 2.7 and later (docs/v2.7.0-ReleaseNotes).
const CIPHER: &str = "aes-xts-plain64";
const KEY_BITS: u32 = 256;
const HASH: &str = "sha256";
/// Bytes of a sector.
const SECTOR_SIZE: u32 = 512;

/// Says which defaults were used, since older ones open the same volume to noise.
pub(super) fn note(options: &Options) -> Option<Note> {
    let said =
        [(options.cipher.is_some(), "cipher"), (options.key_bits.is_some(), "size"), (options.hash.is_some(), "hash")];
    let missing: Vec<&str> = said.iter().filter(|(is_said, _)| !is_said).map(|(_, name)| *name).collect();
    (!missing.is_empty()).then(|| Note::Defaults { missing: missing.join(", ") })
}

/// Makes the mapping `name`.
///
/// # Safety
/// As for [`Volume::activate`].
pub(super) unsafe fn activate(
    volume: &Volume,
    name: &str,
    (key, length): super::activation::Key,
    is_key_file: bool,
    activation: &Activation,
) -> Result<Handle, Failure> {
    let options = &volume.options;
    let cipher = Cipher::parse(options.cipher.as_deref().unwrap_or(CIPHER));
    let (cipher, mode) = (text(cipher.name)?, text(cipher.mode)?);
    let key_bytes = options.key_bits.unwrap_or(KEY_BITS) / 8;
    let hash = options.hash.as_deref().unwrap_or(HASH);
    // A key file is the key itself.
    let is_hashed = !is_key_file && hash != "plain";
    if is_key_file && length < key_bytes as usize {
        return Err(Failure::ShortKey { bytes: key_bytes });
    }
    let hash = text(hash)?;
    let mut parameters = ffi::crypt_params_plain {
        hash: if is_hashed { hash.as_ptr() } else { ptr::null() },
        offset: options.offset_sectors.unwrap_or(0),
        skip: options.skip_sectors.unwrap_or(0),
        size: 0,
        sector_size: options.sector_size.unwrap_or(SECTOR_SIZE),
    };
    let length = if is_key_file { key_bytes as usize } else { length };
    // Each try has a handle of its own: the library takes the parameters once.
    let handle = Handle::new(&volume.device, None)?;
    // SAFETY: the strings and the structure live until the call returns, and the library copies them. For
    // this type it writes nothing to the device.
    let formatted = unsafe {
        ffi::crypt_format(
            handle.raw(),
            ffi::CRYPT_PLAIN.as_ptr().cast(),
            cipher.as_ptr(),
            mode.as_ptr(),
            ptr::null(),
            ptr::null(),
            key_bytes as usize,
            ptr::from_mut(&mut parameters).cast(),
        )
    };
    check(Step::Activate, formatted)?;
    let name = text(name)?;
    // SAFETY: the handle has its parameters, and the caller vouches for the key.
    let activated = unsafe {
        ffi::crypt_activate_by_passphrase(
            handle.raw(),
            name.as_ptr(),
            ffi::CRYPT_ANY_SLOT,
            key,
            length,
            activation.bits(volume),
        )
    };
    check(Step::Activate, activated)?;
    Ok(handle)
}
