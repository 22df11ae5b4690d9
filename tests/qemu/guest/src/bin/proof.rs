//! /sbin/init of the encrypted root: reports what the unlocker left behind, then switches off.
//!
//! Each line on the console begins with `proof: `; the last one is `proof: done`. That this program
//! runs at all is the main proof: it exists nowhere but inside the encrypted volume.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use guest::{Console, dm, tty};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, setns, unshare};

fn main() {
    let mount_errors = guest::mount_kernel_filesystems();
    let console = Console::open("proof");
    for error in mount_errors {
        console.say(&error);
    }
    let marker = fs::read_to_string("/etc/marker").unwrap_or_else(|error| error.to_string());
    let root = root_mount().unwrap_or_else(|error| error.to_string());
    let kind = root.split(' ').nth(1).unwrap_or("unknown");
    console.say(&format!("root={kind} marker={}", marker.trim()));
    console.say(&format!("mounts / {root}"));
    match dm::tables() {
        Ok(lines) => lines.iter().for_each(|line| console.say(&format!("table {line}"))),
        Err(error) => console.say(&format!("table unreadable: {error}")),
    }
    for line in fs::read_to_string(guest::command::STATUS).unwrap_or_default().lines() {
        console.say(&format!("status {line}"));
    }
    for disk in guest::disks() {
        console.say(&format!("disk {disk}"));
    }
    match tty::modes() {
        Ok(modes) => console.say(&format!("tty mode {modes}")),
        Err(error) => console.say(&format!("tty mode unreadable: {error}")),
    }
    console.say(&format!("serial line {}", tty::serial()));
    if let Some(device) = commands() {
        guest::command::run_all(&device, &console);
    }
    // Those of the commands, too.
    for error in kernel_errors() {
        console.say(&format!("kernel error {error}"));
    }
    // Last, for it takes the root away from under this program.
    match leftovers() {
        Ok(files) if files.is_empty() => console.say("rootfs leftovers none"),
        Ok(files) => console.say(&format!("rootfs leftovers {}", files.join(" "))),
        Err(error) => console.say(&format!("rootfs leftovers unknown: {error}")),
    }
    console.say("done");
    guest::power_off();
}

/// The disk with commands to run, if the kernel command line names one.
fn commands() -> Option<String> {
    let line = fs::read_to_string("/proc/cmdline").ok()?;
    line.split_whitespace().find_map(|word| word.strip_prefix("proof.commands=").map(str::to_owned))
}

/// Source, file system and options of what is mounted at `/`: the last such line counts.
fn root_mount() -> std::io::Result<String> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let line = mounts.lines().rfind(|line| line.split(' ').nth(1) == Some("/"));
    let words: Vec<&str> = line.unwrap_or("").split(' ').collect();
    Ok(match words[..] {
        [source, _, kind, options, ..] => format!("{source} {kind} {options}"),
        _ => "nothing is mounted at /".to_owned(),
    })
}

/// Lines of the kernel's log of level error or worse that are about disks and ciphers: a flag that the kernel
/// does not know shows up here and nowhere else.
fn kernel_errors() -> Vec<String> {
    let mut errors = Vec::new();
    let log = File::options().read(true).custom_flags(nix::libc::O_NONBLOCK).open("/dev/kmsg");
    let Ok(mut log) = log else { return vec!["/dev/kmsg does not open".to_owned()] };
    let mut record = [0; 8192];
    // One record per read: `PRIORITY,SEQUENCE,TIME,…;TEXT`; EAGAIN at the end.
    while let Ok(length @ 1..) = log.read(&mut record) {
        let record = String::from_utf8_lossy(&record[..length]);
        let Some((head, text)) = record.split_once(';') else { continue };
        let level = head.split(',').next().and_then(|word| word.parse::<u32>().ok()).map(|word| word & 7);
        if level.is_some_and(|level| level <= 3) {
            errors.push(text.lines().next().unwrap_or("").to_owned());
        }
        // What went wrong before is the firmware's or the emulator's.
        if text.starts_with("Run ") && text.trim_end().ends_with(" as init process") {
            errors.clear();
        }
    }
    errors
}

/// Files of the initramfs that still occupy memory below the real root.
///
/// After switch_root the first rootfs lies hidden below `/`. In a mount namespace of our own the real
/// root is detached; entering that namespace again then puts `/` onto what is underneath
/// (fs/namespace.c, mntns_install).
fn leftovers() -> Result<Vec<String>, String> {
    let failed = |what: &'static str| move |errno: nix::Error| format!("{what}: {errno}");
    unshare(CloneFlags::CLONE_NEWNS).map_err(failed("unshare"))?;
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).map_err(failed("make private"))?;
    let namespace = File::open("/proc/self/ns/mnt").map_err(|error| format!("open namespace: {error}"))?;
    umount2("/", MntFlags::MNT_DETACH).map_err(failed("detach /"))?;
    setns(&namespace, CloneFlags::CLONE_NEWNS).map_err(failed("setns"))?;
    if Path::new("/etc/marker").exists() {
        return Err("still on the real root".to_owned());
    }
    let mut files = Vec::new();
    collect(Path::new("/"), &mut files).map_err(|error| format!("read: {error}"))?;
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path().display().to_string());
        }
    }
    Ok(())
}
