//! `/run/fbunlock/status`: where each volume stands, for other programs.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process;

const FOLDER: &str = "/run/fbunlock";

/// Puts `lines` in place of what stood there. Readers find the old or the new, whole. Nobody is locked out for
/// want of it: where `/run` cannot be written, nothing happens.
pub fn publish(lines: &str) {
    let _ = publish_in(Path::new(FOLDER), lines);
}

fn publish_in(folder: &Path, lines: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Of its own, should another one write at the same time; and nothing that stands there is written through.
    let fresh = folder.join(format!("status.{}", process::id()));
    let _ = fs::remove_file(&fresh);
    let mut file = File::options().write(true).create_new(true).mode(0o644).open(&fresh)?;
    let written = file.write_all(lines.as_bytes()).and_then(|()| fs::rename(&fresh, folder.join("status")));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_stands_there_is_replaced_and_never_written_through() {
        let folder = std::env::temp_dir().join(format!("fbunlock-status-{}", process::id()));
        let other = folder.join("other");
        fs::create_dir_all(&folder).unwrap();
        fs::write(&other, "mine").unwrap();
        let names = ["status".into(), "status.new".into(), format!("status.{}", process::id())];
        names.iter().for_each(|name| symlink(&other, folder.join(name)).unwrap());
        publish_in(&folder, "lines\n").unwrap();
        publish_in(&folder, "more lines\n").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        assert_eq!(fs::read_to_string(folder.join("status")).unwrap(), "more lines\n");
        assert!(fs::symlink_metadata(folder.join("status")).unwrap().is_file());
        assert!(fs::symlink_metadata(folder.join(&names[2])).is_err(), "nothing is left");
        fs::remove_dir_all(folder.as_path()).unwrap();
        // A file where the folder should be: nothing happens.
        fs::write(&folder, "").unwrap();
        assert!(publish_in(&folder, "").is_err());
        fs::remove_file(folder).unwrap();
    }
}
