//! Loads a kernel module: `finit_module(2)`.

use std::ffi::CString;
use std::fs::File;
use std::path::Path;

use nix::errno::Errno;
use nix::kmod::{ModuleInitFlags, finit_module};

/// Loads the module in the file `path` with `parameters` (`name=value name=value`). Loaded already
/// is fine, as is built in.
///
/// # Errors
/// The kernel's error number; `ENOEXEC` for a module of another kernel, `ENODEV` where the hardware
/// is missing.
pub fn load(path: &Path, parameters: &str) -> Result<(), Errno> {
    let file = File::open(path).map_err(|error| error.raw_os_error().map_or(Errno::EIO, Errno::from_raw))?;
    let parameters = CString::new(parameters).map_err(|_| Errno::EINVAL)?;
    match finit_module(&file, &parameters, ModuleInitFlags::empty()) {
        Ok(()) | Err(Errno::EEXIST) => Ok(()),
        Err(errno) => Err(errno),
    }
}
