//! Reads device-mapper tables through the ioctl itself (include/uapi/linux/dm-ioctl.h), so that the
//! proof rests on the kernel and not on the library that made the mapping.

use std::fs::{self, OpenOptions};
use std::io;
use std::mem::{offset_of, size_of};
use std::os::fd::AsRawFd;

const DM_STATUS_TABLE_FLAG: u32 = 1 << 4;
const DM_BUFFER_FULL_FLAG: u32 = 1 << 8;
const SPACE: usize = 4096;

/// `struct dm_ioctl`, followed by room for the answer.
#[repr(C)]
struct DmIoctl {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    target_count: u32,
    open_count: i32,
    flags: u32,
    event_nr: u32,
    padding: u32,
    dev: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    data: [u8; 7],
}

#[repr(C)]
struct Request {
    head: DmIoctl,
    answer: [u8; SPACE],
}

const _: () = assert!(size_of::<DmIoctl>() == 312);
const _: () = assert!(offset_of!(DmIoctl, name) == 48);
const _: () = assert!(offset_of!(DmIoctl, uuid) == 176);
const _: () = assert!(offset_of!(Request, answer) == 312);

/// Size of `struct dm_target_spec`: sector_start and length (u64), status (i32), next (u32),
/// target_type (16 bytes); the parameters follow as a C string.
const TARGET_SPEC: usize = 40;

// The size in the request's number is that of the head alone.
nix::ioctl_readwrite!(dm_dev_create, 0xfd, 3, DmIoctl);
nix::ioctl_readwrite!(dm_dev_remove, 0xfd, 4, DmIoctl);
nix::ioctl_readwrite!(dm_table_status, 0xfd, 12, DmIoctl);

/// `NAME: START LENGTH TARGET PARAMETERS` of every mapping, the way dmsetup prints it. Fields that
/// may hold a key are replaced by `keyring` or `hidden`.
pub fn tables() -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    for name in names()? {
        lines.extend(table(&name)?);
    }
    Ok(lines)
}

/// The names of all mappings, also of those without a table.
pub fn names() -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir("/sys/block")?.flatten() {
        if let Ok(name) = fs::read_to_string(entry.path().join("dm/name")) {
            names.push(name.trim().to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Makes a mapping without a table: what is left of an activation that was killed.
pub fn create(name: &str, uuid: &str) -> io::Result<()> {
    let mut request = Request::new(name, 0)?;
    request.head.uuid[..uuid.len()].copy_from_slice(uuid.as_bytes());
    let control = control()?;
    // SAFETY: as in `table`.
    unsafe { dm_dev_create(control.as_raw_fd(), (&raw mut request).cast::<DmIoctl>()) }?;
    Ok(())
}

/// Removes a mapping and its node.
pub fn remove(name: &str) -> io::Result<()> {
    let mut request = Request::new(name, 0)?;
    let control = control()?;
    // SAFETY: as in `table`.
    unsafe { dm_dev_remove(control.as_raw_fd(), (&raw mut request).cast::<DmIoctl>()) }?;
    // There is no udev that would.
    let _ = fs::remove_file(format!("/dev/mapper/{name}"));
    Ok(())
}

fn control() -> io::Result<fs::File> {
    OpenOptions::new().read(true).write(true).open("/dev/mapper/control")
}

impl Request {
    fn new(name: &str, flags: u32) -> io::Result<Self> {
        let mut request = Self {
            head: DmIoctl {
                version: [4, 0, 0],
                data_size: size_of::<Self>() as u32,
                data_start: size_of::<DmIoctl>() as u32,
                target_count: 0,
                open_count: 0,
                flags,
                event_nr: 0,
                padding: 0,
                dev: 0,
                name: [0; 128],
                uuid: [0; 129],
                data: [0; 7],
            },
            answer: [0; SPACE],
        };
        if name.len() >= request.head.name.len() {
            return Err(io::Error::other("name too long"));
        }
        request.head.name[..name.len()].copy_from_slice(name.as_bytes());
        Ok(request)
    }
}

fn table(name: &str) -> io::Result<Vec<String>> {
    let mut request = Request::new(name, DM_STATUS_TABLE_FLAG)?;
    let control = control()?;
    // SAFETY: the kernel reads and writes data_size bytes at the address, and `Request` is that
    // large, `#[repr(C)]`, and holds only integers. The pointer is derived from the whole struct.
    unsafe { dm_table_status(control.as_raw_fd(), (&raw mut request).cast::<DmIoctl>()) }?;
    if request.head.flags & DM_BUFFER_FULL_FLAG != 0 {
        return Err(io::Error::other("table longer than the buffer"));
    }
    let start = request.head.data_start as usize - size_of::<DmIoctl>();
    Ok(parse(name, request.head.target_count, &request.answer[start..]))
}

fn parse(name: &str, targets: u32, answer: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = 0;
    for _ in 0..targets {
        let Some(spec) = answer.get(at..at + TARGET_SPEC) else { break };
        let number = |from: usize, bytes: usize| {
            spec[from..from + bytes].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let kind = text(&spec[24..]);
        let parameters = hide_key(&kind, &text(&answer[at + TARGET_SPEC..]));
        lines.push(format!("{name}: {} {} {kind} {parameters}", number(0, 8), number(8, 8)));
        // `next` counts from the beginning of the answer (DM_TABLE_STATUS).
        at = number(20, 4) as usize;
    }
    lines
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// A crypt table's second word is the key: `:64:logon:…` names one in the keyring, hexadecimal
/// digits are the key itself.
fn hide_key(kind: &str, parameters: &str) -> String {
    if kind != "crypt" {
        return parameters.to_owned();
    }
    let mut words: Vec<&str> = parameters.split(' ').collect();
    if let Some(key) = words.get_mut(1) {
        *key = if key.starts_with(':') { "keyring" } else { "hidden" };
    }
    words.join(" ")
}
