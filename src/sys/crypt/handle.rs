//! A handle of the library, and what the library has to say.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Failure, INVALID, Note, Step, ffi};
use crate::sys::console;

/// The library's `struct crypt_device`.
pub(super) struct Handle(*mut ffi::crypt_device);

impl Handle {
    /// A handle for a device, whose header may lie elsewhere. Nothing of it is read.
    pub(super) fn new(device: &Path, header: Option<&Path>) -> Result<Self, Failure> {
        let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(|_| Failure::Missing);
        let device = path(device)?;
        let mut handle = ptr::null_mut();
        let result = match header {
            // SAFETY: the library writes a handle through the first pointer when it returns 0, and
            // copies the path.
            None => unsafe { ffi::crypt_init(&mut handle, device.as_ptr()) },
            Some(header) => {
                let header = path(header)?;
                // SAFETY: as above, with two paths.
                unsafe { ffi::crypt_init_data_device(&mut handle, header.as_ptr(), device.as_ptr()) }
            }
        };
        check(Step::Load, result)?;
        Ok(Self(handle))
    }

    /// The pointer, which is valid as long as this object.
    pub(super) const fn raw(&self) -> *mut ffi::crypt_device {
        self.0
    }

    /// Reads a header of the type `kind` (a C string), or of any LUKS.
    pub(super) fn load(&self, kind: Option<&[u8]>) -> Result<(), Failure> {
        let kind = kind.map_or(ptr::null(), |kind| kind.as_ptr().cast());
        // SAFETY: the handle is the library's own; these types take no parameters.
        check(Step::Load, unsafe { ffi::crypt_load(self.0, kind, ptr::null_mut()) }).map(|_| ())
    }

    /// Does something while `watch` hears all that the library says.
    pub(super) fn watched<T>(&self, watch: &mut Watch, action: impl FnOnce(&Self) -> T) -> T {
        // SAFETY: the callback takes a pointer to a watch, which lives until it is taken back below.
        unsafe { ffi::crypt_set_log_callback(self.0, Some(hear), ptr::from_mut(watch).cast()) };
        // SAFETY: takes a number. Without it the library says nothing of repairs.
        unsafe { ffi::crypt_set_debug_level(ffi::CRYPT_DEBUG_ALL) };
        let result = action(self);
        // SAFETY: as above; no callback leaves the common one.
        unsafe { ffi::crypt_set_debug_level(ffi::CRYPT_DEBUG_NONE as c_int) };
        // SAFETY: a null callback is the library's own for none.
        unsafe { ffi::crypt_set_log_callback(self.0, None, ptr::null_mut()) };
        result
    }

    /// Does something while nobody hears what the library says.
    pub(super) fn silenced<T>(&self, action: impl FnOnce(&Self) -> T) -> T {
        // SAFETY: the callback takes no pointer.
        unsafe { ffi::crypt_set_log_callback(self.0, Some(ignore), ptr::null_mut()) };
        let result = action(self);
        // SAFETY: a null callback is the library's own for none.
        unsafe { ffi::crypt_set_log_callback(self.0, None, ptr::null_mut()) };
        result
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle came from crypt_init and is not used again.
        unsafe { ffi::crypt_free(self.0) };
    }
}

/// Notes the repair of a header. It is the library's words alone that tell of it
/// (lib/luks2/luks2_disk_metadata.c); `tests/format.rs` proves that they are still these.
#[derive(Default)]
pub(super) struct Watch {
    /// The first header, then the second one: damaged, and not repaired.
    damaged: [bool; 2],
    failed: [bool; 2],
}

impl Watch {
    fn hear(&mut self, message: &str) {
        for (at, which) in ["Primary", "Secondary"].into_iter().enumerate() {
            if let Some(rest) = message.strip_prefix(which).and_then(|rest| rest.strip_prefix(" LUKS2 header ")) {
                // The library repairs only when it has taken another lock, and begins anew for that.
                if rest.starts_with("requires recovery") {
                    (self.damaged[at], self.failed[at]) = (true, false);
                }
                self.failed[at] |= rest.starts_with("recovery failed");
            }
        }
        if message.starts_with("Disabling header auto-recovery") || message.contains("cannot auto-recover") {
            self.failed = [true; 2];
        }
    }

    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        let (damaged, failed) = (self.damaged, self.failed);
        let note = move |at: usize| Note::Damaged { is_second: at == 1, is_repaired: !failed[at] };
        (0..2).filter(move |at| damaged[*at]).map(note)
    }
}

/// Has the library's errors printed like those of fbunlock itself.
pub fn catch_errors() {
    // SAFETY: a null handle sets the default; the callback is a function of this program and takes
    // no user pointer.
    unsafe { ffi::crypt_set_log_callback(ptr::null_mut(), Some(print), ptr::null_mut()) };
}

/// Passes the library's errors on. They hold no secrets, and are more exact than a number.
unsafe extern "C" fn print(level: c_int, message: *const c_char, _: *mut c_void) {
    if level == ffi::CRYPT_LOG_ERROR as c_int && !message.is_null() {
        // SAFETY: the library gives a string that lives until this returns.
        let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
        // Some have two lines.
        console::print(&message.trim_end().replace('\n', " "));
    }
}

unsafe extern "C" fn ignore(_: c_int, _: *const c_char, _: *mut c_void) {}

unsafe extern "C" fn hear(level: c_int, message: *const c_char, watch: *mut c_void) {
    if level == ffi::CRYPT_LOG_DEBUG && !message.is_null() {
        // SAFETY: the library gives back the pointer that `watched` gave it, and nothing else uses the
        // watch meanwhile; and a string that lives until this returns.
        let (watch, message) = unsafe { (&mut *watch.cast::<Watch>(), CStr::from_ptr(message)) };
        watch.hear(message.to_str().unwrap_or_default());
    }
    // SAFETY: the library's own arguments.
    unsafe { print(level, message, ptr::null_mut()) };
}

/// What a return value of the library means.
pub(super) fn check(step: Step, result: c_int) -> Result<c_int, Failure> {
    if result < 0 { Err(Failure::of(step, result)) } else { Ok(result) }
}

/// Text as the library takes it.
pub(super) fn text(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| INVALID)
}

/// A copy of the library's text; `None` for null.
///
/// # Safety
/// The pointer is null, or that of a string that lives until this returns.
pub(super) unsafe fn string(pointer: *const c_char) -> Option<String> {
    // SAFETY: what the caller vouches for.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
