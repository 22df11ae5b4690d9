//! Mounts of PID 1: the kernel's own file systems, and the root.

use std::fs;
use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};

use crate::error::{Error, Exit, Result};
use crate::model::boot::filesystem::{Flag, Flags};

/// Mounts /dev, /proc, /sys and /run; gives back what did not work. What is there already is fine.
pub fn kernel_filesystems() -> Vec<Error> {
    let nothing = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let table = [
        ("/dev", "devtmpfs", MsFlags::MS_NOSUID, "mode=0755"),
        ("/proc", "proc", nothing, ""),
        ("/sys", "sysfs", nothing, ""),
        ("/run", "tmpfs", MsFlags::MS_NOSUID | MsFlags::MS_NODEV, "mode=0755"),
    ];
    let mut errors = Vec::new();
    for (target, kind, flags, data) in table {
        if let Err(error) = fs::create_dir_all(target) {
            errors.push(Error::io(Exit::Device, format!("make {target}"), &error));
        }
        match mount(Some(kind), target, Some(kind), flags, Some(data)) {
            Ok(()) | Err(Errno::EBUSY) => {}
            Err(errno) => errors.push(Error::os(Exit::Device, format!("mount {kind} on {target}"), errno)),
        }
    }
    errors
}

/// How the root ended up mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// Its file system type.
    pub kind: String,
    /// Whether it can be written; false also where the device would not have it.
    pub rw: bool,
}

/// Mounts `device` on `target`, which is made if it is missing: the first of `types` that takes it.
///
/// # Errors
/// [`Exit::Device`] with the error that says most and the types that were tried.
pub fn root(device: &str, target: &Path, types: &[String], options: &Flags, rw: bool) -> Result<Mounted> {
    let failed = |errno: Errno, tried: &str| {
        let action = format!("mount {device} as the root ({tried})");
        Error::os(Exit::Device, action, errno)
    };
    fs::create_dir_all(target)
        .map_err(|error| Error::io(Exit::Device, format!("make {}", target.display()), &error))?;
    if types.is_empty() {
        return Err(failed(Errno::ENODEV, "no type to try")
            .hint("the kernel knows no file system for block devices: add its module to the image"));
    }
    let data = Some(options.data.as_str()).filter(|data| !data.is_empty());
    let common = options.flags.iter().fold(MsFlags::empty(), |flags, flag| flags | bit(*flag));
    let mut worst = None;
    for kind in types {
        let attempt = |rw: bool| {
            let flags = if rw { common } else { common | MsFlags::MS_RDONLY };
            mount(Some(device), target, Some(kind.as_str()), flags, data).map(|()| rw)
        };
        let result = attempt(rw).or_else(|errno| match errno {
            // A mapping that was opened read-only.
            Errno::EACCES | Errno::EROFS if rw => attempt(false),
            errno => Err(errno),
        });
        match result {
            Ok(rw) => return Ok(Mounted { kind: kind.clone(), rw }),
            // EINVAL: not of this type. ENODEV: a type that the kernel lacks.
            Err(errno) if worst.is_none() || !matches!(errno, Errno::EINVAL | Errno::ENODEV) => worst = Some(errno),
            Err(_) => {}
        }
    }
    Err(failed(worst.unwrap_or(Errno::EINVAL), &format!("tried {}", types.join(", "))))
}

/// Unmounts the root before the machine ends its run: clean if nothing holds it. The sync that
/// follows serves the rest.
pub fn release(target: &Path) {
    let _ = umount2(target, MntFlags::empty());
}

const fn bit(flag: Flag) -> MsFlags {
    match flag {
        Flag::NoAtime => MsFlags::MS_NOATIME,
        Flag::NoDirAtime => MsFlags::MS_NODIRATIME,
        Flag::RelAtime => MsFlags::MS_RELATIME,
        Flag::StrictAtime => MsFlags::MS_STRICTATIME,
        Flag::LazyTime => MsFlags::MS_LAZYTIME,
        Flag::NoSuid => MsFlags::MS_NOSUID,
        Flag::NoDev => MsFlags::MS_NODEV,
        Flag::NoExec => MsFlags::MS_NOEXEC,
        Flag::Sync => MsFlags::MS_SYNCHRONOUS,
        Flag::DirSync => MsFlags::MS_DIRSYNC,
    }
}
