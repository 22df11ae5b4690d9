//! libcryptsetup. All of it is called in the worker process: the library is not thread-safe, and it
//! keeps the volume key in the keyring of the thread that derived it.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libcryptsetup_rs_sys as ffi;
use nix::errno::Errno;

use super::{console, memory};
use crate::model::volume::failure::{Failure, Step};
use crate::model::volume::policy::Flags;

// What the library fills in, by its header for this very target: pointers narrow, numbers do not.
const _: () = {
    const POINTER: usize = size_of::<*const c_char>();
    assert!(size_of::<ffi::crypt_pbkdf_type>() == (2 * POINTER + 20).next_multiple_of(POINTER));
    assert!(core::mem::offset_of!(ffi::crypt_pbkdf_type, max_memory_kb) == 2 * POINTER + 8);
    assert!(core::mem::offset_of!(ffi::crypt_active_device, size) == 16);
    assert!(core::mem::offset_of!(ffi::crypt_active_device, flags) == 24);
};

/// A device with a LUKS header that has been read.
pub struct Volume {
    device: *mut ffi::crypt_device,
}

impl Volume {
    /// Reads the header of the device or image file at `path`.
    ///
    /// # Errors
    /// [`Failure::NotVolume`] where there is none, or what reading the device failed with.
    pub fn load(path: &Path, _: Option<&Path>, _: &crate::model::volume::option::Options) -> Result<Self, Failure> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Failure::Missing)?;
        let mut device = ptr::null_mut();
        // SAFETY: the library writes a handle through the first pointer when it returns 0, and
        // copies the path.
        check(Step::Load, unsafe { ffi::crypt_init(&mut device, path.as_ptr()) })?;
        let volume = Self { device };
        // SAFETY: the handle is the library's own. No type means LUKS1 or LUKS2, which take no
        // parameters.
        check(Step::Load, unsafe { ffi::crypt_load(volume.device, ptr::null(), ptr::null_mut()) })?;
        Ok(volume)
    }

    /// KiB that the most expensive keyslot asks for; 0 without Argon2.
    pub fn memory_kib(&self) -> u64 {
        // SAFETY: the handle is loaded, so it has a type, which is a string of the library's own.
        let slots = unsafe { ffi::crypt_keyslot_max(ffi::crypt_get_type(self.device)) };
        (0..slots).filter_map(|slot| self.keyslot_kib(slot)).max().unwrap_or(0)
    }

    fn keyslot_kib(&self, slot: c_int) -> Option<u64> {
        let mut pbkdf = ffi::crypt_pbkdf_type {
            type_: ptr::null(),
            hash: ptr::null(),
            time_ms: 0,
            iterations: 0,
            max_memory_kb: 0,
            parallel_threads: 0,
            flags: 0,
        };
        // SAFETY: the library fills in the structure; its strings are not used here.
        let result = unsafe { ffi::crypt_keyslot_get_pbkdf(self.device, slot, &mut pbkdf) };
        (result == 0).then_some(u64::from(pbkdf.max_memory_kb))
    }

    /// The header's UUID.
    pub fn uuid(&self) -> Option<String> {
        // SAFETY: the handle is loaded; the string is the library's and is copied at once.
        let uuid = unsafe { ffi::crypt_get_uuid(self.device) };
        // SAFETY: as above.
        (!uuid.is_null()).then(|| unsafe { CStr::from_ptr(uuid) }.to_string_lossy().into_owned())
    }

    /// Tries a passphrase or key on every keyslot. With a `name`, the mapping is made.
    ///
    /// # Errors
    /// [`Failure::WrongPassphrase`] when no keyslot opens, or what went wrong.
    pub fn activate(&self, name: Option<&str>, key: &[u8], options: Options) -> Result<(), Failure> {
        let name = name.map(CString::new).transpose().map_err(|_| Failure::Other(-(Errno::EINVAL as i32)))?;
        let name = name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        // SAFETY: the handle is loaded, the name is a string or null, and the key a slice. The library
        // copies all of them.
        let result = unsafe {
            ffi::crypt_activate_by_passphrase(
                self.device,
                name,
                ffi::CRYPT_ANY_SLOT,
                key.as_ptr().cast(),
                key.len(),
                options.bits(),
            )
        };
        check(Step::Activate, result).map(|_| ()).map_err(|failure| match failure {
            Failure::Memory { .. } => {
                Failure::Memory { needed_kib: self.memory_kib(), free_kib: memory::available_kib().unwrap_or(0) }
            }
            other => other,
        })
    }

    /// The performance flags that the kernel has for the mapping `name`.
    pub fn effective(&self, name: &str) -> Option<Flags> {
        let name = CString::new(name).ok()?;
        let mut active = ffi::crypt_active_device { offset: 0, iv_offset: 0, size: 0, flags: 0 };
        // SAFETY: the handle is loaded, the name is a string, and the library fills in the structure.
        let result = unsafe { ffi::crypt_get_active_device(self.device, name.as_ptr(), &mut active) };
        (result == 0).then_some(Flags {
            no_read_workqueue: active.flags & ffi::CRYPT_ACTIVATE_NO_READ_WORKQUEUE != 0,
            no_write_workqueue: active.flags & ffi::CRYPT_ACTIVATE_NO_WRITE_WORKQUEUE != 0,
        })
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        // SAFETY: the handle came from crypt_init and is not used again.
        unsafe { ffi::crypt_free(self.device) };
    }
}

/// How a mapping is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Read-only.
    pub readonly: bool,
    /// Discards are let through.
    pub allow_discards: bool,
    /// The performance flags.
    pub flags: Flags,
}

impl Options {
    fn bits(self) -> u32 {
        [
            (self.readonly, ffi::CRYPT_ACTIVATE_READONLY),
            (self.allow_discards, ffi::CRYPT_ACTIVATE_ALLOW_DISCARDS),
            (self.flags.no_read_workqueue, ffi::CRYPT_ACTIVATE_NO_READ_WORKQUEUE),
            (self.flags.no_write_workqueue, ffi::CRYPT_ACTIVATE_NO_WRITE_WORKQUEUE),
        ]
        .into_iter()
        .fold(0, |bits, (wanted, bit)| if wanted { bits | bit } else { bits })
    }
}

/// Has the library's errors printed like those of fbunlock itself.
pub fn catch_errors() {
    // SAFETY: a null handle sets the default; the callback is a function of this program and takes
    // no user pointer.
    unsafe { ffi::crypt_set_log_callback(ptr::null_mut(), Some(log), ptr::null_mut()) };
}

/// Whether a mapping called `name` is there. Also makes device-mapper's control node, where udev
/// does not.
pub fn is_active(name: &str) -> bool {
    let Ok(name) = CString::new(name) else { return false };
    // SAFETY: the library takes no handle for a question about a name alone.
    let status = unsafe { ffi::crypt_status(ptr::null_mut(), name.as_ptr()) };
    matches!(status, ffi::crypt_status_info_CRYPT_ACTIVE | ffi::crypt_status_info_CRYPT_BUSY)
}

fn check(step: Step, result: c_int) -> Result<c_int, Failure> {
    if result < 0 { Err(Failure::of(step, result)) } else { Ok(result) }
}

/// Passes the library's errors on. They hold no secrets, and are more exact than a number.
unsafe extern "C" fn log(level: c_int, message: *const c_char, _: *mut c_void) {
    if level == ffi::CRYPT_LOG_ERROR as c_int && !message.is_null() {
        // SAFETY: the library gives a string that lives until this returns.
        let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
        console::print(message.trim_end());
    }
}
