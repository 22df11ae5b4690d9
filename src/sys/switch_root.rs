//! Leaves the initramfs for the real root and becomes its init.
//!
//! Order as in Documentation/filesystems/ramfs-rootfs-initramfs.rst: rootfs can be neither unmounted
//! nor pivoted, so its files are deleted, the new root is moved over it, and init is executed.

use std::ffi::{CString, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::statfs::statfs;
use nix::unistd::{AccessFlags, access, chdir, chroot, execv};

use super::child::{self, Ended};
use crate::error::{Error, Exit, Result};

/// Mounts that move along.
const MOVED: [&str; 4] = ["/dev", "/proc", "/sys", "/run"];

/// `statfs` types of a rootfs (include/uapi/linux/magic.h): `RAMFS_MAGIC` and `TMPFS_MAGIC`.
const ROOTFS: [u32; 2] = [0x8584_58f6, 0x0102_1994];

/// A failure, and whether the initramfs is still whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What failed.
    pub error: Error,
    /// False once its files may be gone: there is no going back to the prompt.
    pub whole: bool,
}

/// Finds the first of `inits` (absolute paths, as seen from the new root) that can be executed.
///
/// # Errors
/// [`Exit::Device`] if there is none.
pub fn find_init(new_root: &Path, inits: &[String]) -> Result<usize> {
    // In a child, so that absolute links are followed as the new root sees them.
    let ended = child::run(|| {
        if chroot(new_root).is_err() {
            return u8::MAX;
        }
        let found = inits.iter().position(|init| access(init.as_str(), AccessFlags::X_OK).is_ok());
        found.and_then(|index| u8::try_from(index).ok()).unwrap_or(u8::MAX)
    })?;
    match ended {
        Ended::Status(index) if index != i32::from(u8::MAX) => usize::try_from(index).ok(),
        _ => None,
    }
    .filter(|index| *index < inits.len())
    .ok_or_else(|| {
        let cause = format!("none of {} can be executed there", inits.join(", "));
        Error::new(Exit::Device, "find an init on the root", cause)
    })
}

/// Moves the mounts, deletes the initramfs, makes `new_root` the root and executes the first of
/// `inits` that the kernel takes, with `arguments`. Comes back only on failure.
pub fn switch_root(new_root: &Path, inits: &[String], arguments: &[OsString]) -> Failure {
    let device = match check(new_root) {
        Ok(device) => device,
        Err(error) => return Failure { error, whole: true },
    };
    for mount_point in MOVED {
        carry(mount_point, new_root);
    }
    let error = enter(new_root, device).err().unwrap_or_else(|| execute(inits, arguments));
    Failure { error, whole: false }
}

/// The device number of `/`, if `/` is a rootfs of which `new_root` is no part: deleting is right
/// nowhere else.
fn check(new_root: &Path) -> Result<u64> {
    let refuse = |cause: &str| Error::new(Exit::Device, "switch to the root", cause);
    let device = |path: &Path| {
        let metadata = fs::metadata(path);
        metadata.map(|metadata| metadata.dev()).map_err(|error| {
            let action = format!("look at {}", path.display());
            Error::io(Exit::Device, action, &error)
        })
    };
    if std::process::id() != 1 || !on_rootfs().map_err(|errno| Error::os(Exit::Device, "look at /", errno))? {
        return Err(refuse("this is no initramfs"));
    }
    let old = device(Path::new("/"))?;
    if old == device(new_root)? {
        return Err(refuse("nothing is mounted there"));
    }
    Ok(old)
}

/// Whether `/` is the file system that the kernel unpacked an initramfs into.
///
/// # Errors
/// What statfs(2) says.
pub fn on_rootfs() -> nix::Result<bool> {
    let kind = statfs("/")?;
    // The field's width and sign are the C library's; the numbers have 32 bits.
    Ok(ROOTFS.contains(&(kind.filesystem_type().0 as u32)))
}

/// Moves a mount to its place in the new root. Where that has none, it goes: a read-only root is
/// not written to, and a link could lead back here.
fn carry(mount_point: &str, new_root: &Path) {
    let target = new_root.join(mount_point.trim_start_matches('/'));
    let place = fs::symlink_metadata(&target).is_ok_and(|metadata| metadata.is_dir());
    let none: Option<&str> = None;
    if !place || mount(Some(mount_point), &target, none, MsFlags::MS_MOVE, none).is_err() {
        // Not mounted is as good as unmounted.
        let _ = umount2(mount_point, MntFlags::MNT_DETACH);
    }
}

fn enter(new_root: &Path, device: u64) -> Result<()> {
    let failed = |action: &str, errno| Error::os(Exit::Device, action.to_owned(), errno);
    chdir(new_root).map_err(|errno| failed("enter the root", errno))?;
    clear(Path::new("/"), device);
    let none: Option<&str> = None;
    mount(Some("."), "/", none, MsFlags::MS_MOVE, none).map_err(|errno| failed("move the root to /", errno))?;
    chroot(".").and_then(|()| chdir("/")).map_err(|errno| failed("make it the root", errno))
}

/// Deletes what lies in `folder` on the file system `device`, to give its memory back. What cannot
/// be deleted stays.
fn clear(folder: &Path, device: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    for path in paths {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.dev() != device => {}
            Ok(metadata) if metadata.is_dir() => {
                clear(&path, device);
                let _ = fs::remove_dir(&path);
            }
            _ => {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

fn execute(inits: &[String], arguments: &[OsString]) -> Error {
    // SAFETY: no handler is installed. Rust's start ignores SIGPIPE, and whoever is executed would
    // inherit that.
    let _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) };
    let arguments: Vec<CString> =
        arguments.iter().filter_map(|argument| CString::new(argument.as_bytes()).ok()).collect();
    let mut failure = Error::new(Exit::Device, "execute init", "none is named");
    for init in inits {
        let Ok(path) = CString::new(init.as_bytes()) else { continue };
        let mut words = vec![path.clone()];
        words.extend(arguments.iter().cloned());
        let errno = match execv(&path, &words) {
            Ok(never) => match never {},
            Err(errno) => errno,
        };
        // The first that is there says most.
        if errno != Errno::ENOENT || failure.errno().is_none() {
            failure = Error::os(Exit::Device, format!("execute {init}"), errno);
        }
    }
    failure
}
