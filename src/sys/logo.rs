//! The file of the picture above the title.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Exit, Result};
use crate::model::logo::{FILE_MAX, Logo};

/// Reads a file as it is, and never more of it than a logo may have.
///
/// # Errors
/// [`Exit::Parameters`].
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |error: &std::io::Error| Error::io(Exit::Parameters, format!("read {}", path.display()), error);
    let refuse = |cause: &str| Err(Error::new(Exit::Parameters, format!("read {}", path.display()), cause));
    // A device or a pipe might never end, or never begin.
    if !fs::metadata(path).map_err(|error| failed(&error))?.is_file() {
        return refuse("it is no plain file");
    }
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(|error| failed(&error))?.take(FILE_MAX as u64 + 1);
    file.read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() > FILE_MAX { refuse("it is larger than 6 MiB") } else { Ok(bytes) }
}

/// The picture of a file.
///
/// # Errors
/// [`Exit::Parameters`] with what is wrong with it.
pub fn load(path: &Path) -> Result<Logo> {
    let refuse = |cause| Error::new(Exit::Parameters, format!("show {}", path.display()), cause);
    Logo::parse(&read(path)?).map_err(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_logo_is_told() {
        let told = |path: &str| load(Path::new(path)).err().unwrap().to_string();
        assert_eq!(told("/nonexistent.qoi"), "read /nonexistent.qoi: No such file or directory (ENOENT)");
        assert_eq!(told("/dev/zero"), "read /dev/zero: it is no plain file");
        assert_eq!(told("/proc/self/cmdline"), "show /proc/self/cmdline: it is neither a QOI nor a BMP file");
        let huge = std::env::temp_dir().join(format!("fbunlock-logo-{}", std::process::id()));
        File::create(&huge).unwrap().set_len(1 << 40).unwrap();
        let told = told(huge.to_str().unwrap());
        fs::remove_file(&huge).unwrap();
        assert!(told.ends_with("it is larger than 6 MiB"), "{told}");
    }
}
