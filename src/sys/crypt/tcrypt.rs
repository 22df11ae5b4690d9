//! TrueCrypt and VeraCrypt: the header is read with the passphrase, and is only noise to any other.

use core::ffi::{c_char, c_uint};
use core::ptr;
use std::ffi::CString;
use std::path::Path;

use super::handle::text;
use super::{Activation, Failure, Handle, Step, Volume, check, diagnosis, ffi};

/// Tries the passphrase, and makes the mapping `name` if there is one.
///
/// # Safety
/// As for [`Volume::activate`].
pub(super) unsafe fn activate(
    volume: &Volume,
    name: Option<&str>,
    (key, length): super::activation::Key,
    activation: &Activation,
) -> Result<Handle, Failure> {
    let tcrypt = &volume.options.tcrypt;
    if tcrypt.key_files.iter().any(|file| !Path::new(file).exists()) {
        return Err(Failure::NoKeyFile);
    }
    let files: Result<Vec<CString>, Failure> = tcrypt.key_files.iter().map(|file| text(file)).collect();
    let files = files?;
    let mut files: Vec<*const c_char> = files.iter().map(|file| file.as_ptr()).collect();
    let hash = volume.options.hash.as_deref().map(text).transpose()?;
    let cipher = volume.options.cipher.as_deref().map(text).transpose()?;
    let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
    let flag = |wanted, bit| if wanted { bit } else { 0 };
    let mut parameters = ffi::crypt_params_tcrypt {
        passphrase: key,
        passphrase_size: length,
        keyfiles: files.as_mut_ptr(),
        keyfiles_count: files.len() as c_uint,
        hash_name: pointer(&hash),
        cipher: pointer(&cipher),
        mode: ptr::null(),
        key_size: 0,
        flags: ffi::CRYPT_TCRYPT_LEGACY_MODES
            | flag(tcrypt.hidden, ffi::CRYPT_TCRYPT_HIDDEN_HEADER)
            | flag(tcrypt.system, ffi::CRYPT_TCRYPT_SYSTEM_HEADER)
            | flag(tcrypt.veracrypt != Some(false), ffi::CRYPT_TCRYPT_VERA_MODES),
        veracrypt_pim: tcrypt.pim.unwrap_or(0),
    };
    let handle = Handle::new(&volume.device, volume.header.as_deref())?;
    // SAFETY: the caller vouches for the passphrase; all else lives until the call returns, and the library
    // forgets its pointers then.
    let loaded = unsafe {
        ffi::crypt_load(handle.raw(), ffi::CRYPT_TCRYPT.as_ptr().cast(), ptr::from_mut(&mut parameters).cast())
    };
    check(Step::Activate, loaded).map_err(|failure| match &volume.options.hash {
        // Nothing was tried if the one hash that was asked for is not there.
        Some(hash) if failure == Failure::WrongPassphrase && diagnosis::lacks(hash) => Failure::NoHash(hash.clone()),
        _ => failure,
    })?;
    if let Some(name) = name {
        let name = text(name)?;
        let bits = activation.bits(volume);
        // SAFETY: the handle is loaded and holds the key; none is given.
        let activated = unsafe { ffi::crypt_activate_by_volume_key(handle.raw(), name.as_ptr(), ptr::null(), 0, bits) };
        check(Step::Activate, activated)?;
    }
    Ok(handle)
}
