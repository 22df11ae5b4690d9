//! Keymap files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Exit, Result};
use crate::model::prompt::keymap::{Keymap, file};

/// More bytes than a file of all 256 tables has.
const BYTES_MAX: u64 = 1 << 17;

/// Reads a file in the format `bkeymap`; also gives its bytes.
///
/// # Errors
/// [`Exit::Parameters`] with the file, the place in it and what is wrong.
pub fn read(path: &Path) -> Result<(Keymap, Vec<u8>)> {
    let action = || format!("read the keymap {}", path.display());
    let mut bytes = Vec::new();
    // A file may never end.
    let read = File::open(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
    read.map_err(|error| Error::io(Exit::Parameters, action(), &error))?;
    let keymap = file::parse(&bytes).map_err(|problem| Error::new(Exit::Parameters, action(), problem.to_string()))?;
    Ok((keymap, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_name() {
        let refused = |path: &str| read(Path::new(path)).unwrap_err().to_string();
        assert_eq!(refused("/nope"), "read the keymap /nope: No such file or directory (ENOENT)");
        assert_eq!(refused("/dev/null"), "read the keymap /dev/null: byte 0: it does not begin with \"bkeymap\"");
        assert_eq!(refused("/dev/zero"), "read the keymap /dev/zero: byte 0: it does not begin with \"bkeymap\"");
    }
}
