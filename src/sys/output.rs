//! A file that is written whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Exit, Result};

/// Writes `bytes` to a new file beside `path` and gives it the name `path` when all of it is on the
/// disk. A link is followed; what is not a regular file is never replaced.
///
/// # Errors
/// [`Exit::Parameters`]; `path` is then as it was, and nothing is left beside it.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: io::Error| Error::io(Exit::Parameters, format!("write {}", path.display()), &error);
    let target = match fs::canonicalize(path) {
        Ok(target) if target.is_file() => target,
        Ok(_) => {
            let action = format!("write {}", path.display());
            return Err(Error::new(Exit::Parameters, action, "not a regular file"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(failed(error)),
    };
    let beside = beside(&target).map_err(failed)?;
    let file = OpenOptions::new().write(true).create_new(true).open(&beside).map_err(failed)?;
    fill(file, bytes).and_then(|()| fs::rename(&beside, &target)).map_err(|error| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// A hidden name in the same folder, so that the rename stays on one file system.
fn beside(target: &Path) -> io::Result<PathBuf> {
    let Some(name) = target.file_name() else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    Ok(target.with_file_name(hidden))
}

/// Whole or not at all.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_folders_are_refused() {
        for path in ["/dev/null", "/"] {
            let error = replace(Path::new(path), b"x").unwrap_err();
            assert!(error.to_string().ends_with("not a regular file"), "{error}");
        }
    }

    #[test]
    fn a_missing_folder_is_told() {
        let error = replace(Path::new("/nonexistent/image"), b"x").unwrap_err();
        assert_eq!(error.to_string(), "write /nonexistent/image: No such file or directory (ENOENT)");
    }
}
