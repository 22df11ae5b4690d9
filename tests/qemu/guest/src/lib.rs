//! What both guest programs share: being PID 1, and talking to the serial console.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};

pub mod command;
pub mod dm;
pub mod hash;
pub mod module;
pub mod palette;
pub mod picture;
pub mod prompt;
pub mod tty;
pub mod uinput;

/// Mounts /dev, /proc and /sys where nothing is mounted yet.
pub fn mount_kernel_filesystems() -> Vec<String> {
    let mut errors = Vec::new();
    for (kind, target, probe) in
        [("devtmpfs", "/dev", "/dev/null"), ("proc", "/proc", "/proc/self"), ("sysfs", "/sys", "/sys/block")]
    {
        if Path::new(probe).exists() {
            continue;
        }
        // Fails where it exists or the root is read-only; the mount below tells.
        let _ = fs::create_dir(target);
        if let Err(errno) = mount(Some(kind), target, Some(kind), MsFlags::empty(), None::<&str>) {
            errors.push(format!("mount {kind} on {target}: {errno}"));
        }
    }
    errors
}

/// The serial line, whatever else is a console; one line per write so that lines of several threads
/// never mix.
pub struct Console {
    file: Option<File>,
    prefix: &'static str,
}

impl Console {
    /// Opens it; every line begins with `prefix`.
    pub fn open(prefix: &'static str) -> Self {
        let file = OpenOptions::new().write(true).custom_flags(nix::libc::O_NOCTTY).open(tty::SERIAL);
        Self { file: file.ok(), prefix }
    }

    /// Writes one line. Whoever waits for it on the other side notices when it is missing.
    pub fn say(&self, text: &str) {
        if let Some(mut file) = self.file.as_ref() {
            let _ = file.write_all(format!("{}: {text}\n", self.prefix).as_bytes());
        }
    }
}

/// `rotational` of every disk that is not a mapping, a loop or a ramdisk: `vda rotational=1`.
pub fn disks() -> Vec<String> {
    let mut lines = Vec::new();
    let Ok(entries) = fs::read_dir("/sys/block") else { return lines };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if ["dm-", "loop", "ram"].iter().any(|skip| name.starts_with(skip)) {
            continue;
        }
        let rotational = fs::read_to_string(entry.path().join("queue/rotational"));
        let rotational = rotational.unwrap_or_else(|error| error.to_string());
        lines.push(format!("{name} rotational={}", rotational.trim()));
    }
    lines.sort();
    lines
}

/// Switches the machine off. Comes back only when the kernel refuses.
pub fn power_off() {
    nix::unistd::sync();
    let _ = reboot(RebootMode::RB_POWER_OFF);
}
