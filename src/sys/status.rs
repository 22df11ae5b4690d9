//! `/run/fbunlock/status`: where each volume stands, for other programs.

use std::fs;
use std::path::Path;

const FOLDER: &str = "/run/fbunlock";

/// Puts `lines` in place of what stood there. Readers find the old or the new, whole. Nobody is locked out for
/// want of it: where `/run` cannot be written, nothing happens.
pub fn publish(lines: &str) {
    let folder = Path::new(FOLDER);
    let fresh = folder.join("status.new");
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&fresh, lines));
    let _ = written.and_then(|()| fs::rename(&fresh, folder.join("status")));
}
