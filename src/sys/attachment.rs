//! File systems on other devices that hold a key or a header, mounted where only this process sees them.
//!
//! They go with the process: whatever kills it, nothing stays mounted.

use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc;
use nix::mount::{MntFlags, MsFlags, mount, umount2};

use super::lookup::Lookup;
use crate::error::{Error, Exit, Result};
use crate::model::boot::filesystem;

/// Where they are mounted, one over the other.
const FOLDER: &str = "/run/fbunlock/device";

/// A mounted file system. Dropping it unmounts it.
pub struct Attachment(());

impl Attachment {
    /// Mounts what is on `device`, read-only: `wanted` is the file system to try, if somebody has said so.
    ///
    /// # Errors
    /// [`Exit::Device`] where that is none the kernel knows.
    pub fn new(device: &Path, wanted: Option<&str>) -> Result<Self> {
        let failed = |errno| Error::os(Exit::Device, format!("mount {}", device.display()), errno);
        alone().map_err(failed)?;
        std::fs::create_dir_all(FOLDER).map_err(|error| Error::io(Exit::Device, format!("make {FOLDER}"), &error))?;
        let found = Lookup::superblock(device).and_then(|superblock| superblock.kind.filesystem());
        let known = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
        let types = filesystem::types(wanted.or(found), &known);
        let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        let mut errno = Errno::ENODEV;
        for kind in &types {
            match mount(Some(device), FOLDER, Some(kind.as_str()), flags, None::<&str>) {
                Ok(()) => return Ok(Self(())),
                Err(other) => errno = other,
            }
        }
        let error = failed(errno);
        // The type is known and the kernel has no such type.
        Err(if errno == Errno::ENODEV { error.hint("the kernel lacks its file system: add its module") } else { error })
    }

    /// Where a file of it is, by its path from the root of the file system.
    pub fn path(&self, path: &str) -> PathBuf {
        Path::new(FOLDER).join(path.trim_start_matches('/'))
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        let _ = umount2(FOLDER, MntFlags::MNT_DETACH);
    }
}

/// Gives this process a table of mounts of its own.
fn alone() -> nix::Result<()> {
    // SAFETY: takes a number. Paths that are in use here mean the same afterwards.
    Errno::result(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    // Otherwise mounts would still go out to others where systemd shares them.
    match mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_SLAVE, None::<&str>) {
        // The root of an initramfs is no mount point of its own.
        Ok(()) | Err(Errno::EINVAL) => Ok(()),
        Err(errno) => Err(errno),
    }
}
