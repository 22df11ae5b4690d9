//! Device-mapper's control device: which targets the kernel has, and which mappings.

use std::fs::{self, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use nix::libc::{dev_t, ioctl, makedev};
use nix::sys::stat::{Mode, SFlag, mknod};

use crate::model::volume::policy::Version;
use crate::model::volume::target;

/// Where the nodes are.
const FOLDER: &str = "/dev/mapper";

/// Bytes of `struct dm_ioctl` (include/uapi/linux/dm-ioctl.h).
const HEADER: usize = 312;
/// Room for the answer: some thirty targets of some thirty bytes.
const BUFFER: usize = 16 * 1024;

/// `_IOWR(0xfd, NR, struct dm_ioctl)`: 32 bits, whatever type the C library takes it in.
const fn request(number: u8) -> u32 {
    nix::request_code_readwrite!(0xfd, number, HEADER) as u32
}

const DM_DEV_REMOVE: u32 = request(4);
const DM_DEV_STATUS: u32 = request(7);
const DM_TABLE_STATUS: u32 = request(12);
const DM_LIST_VERSIONS: u32 = request(13);
const DM_GET_TARGET_VERSION: u32 = request(17);

// The same on every architecture that there is a target for.
const _: () = assert!(DM_LIST_VERSIONS == 0xc138_fd0d);

/// Where the interesting fields of the header are.
const DATA_SIZE: usize = 12;
const DATA_START: usize = 16;
const OPEN_COUNT: usize = 24;
const FLAGS: usize = 28;
const DEV: usize = 40;
const NAME: usize = 48;
const UUID: usize = 176;

/// Bytes of a name (`DM_NAME_LEN`) and of a UUID (`DM_UUID_LEN`), the NUL included.
const NAME_LEN: usize = 128;
const UUID_LEN: usize = 129;

/// `DM_STATUS_TABLE_FLAG`: the table, and not how it goes.
const STATUS_TABLE: u32 = 1 << 4;

/// `DM_ACTIVE_PRESENT_FLAG`.
const ACTIVE_PRESENT: u32 = 1 << 5;

/// A mapping, working or half-made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Who made it of what, as its maker spells that; may be empty.
    pub uuid: String,
    /// Whether it has a table by which data is read and written.
    pub has_table: bool,
    /// How many hold it open.
    pub open_count: u32,
    /// The block device's number.
    pub number: dev_t,
}

impl Mapping {
    /// Whether libcryptsetup made it of the volume whose header has this UUID: its own are `CRYPT-`, the format,
    /// the UUID without dashes, and the name (`dm_prepare_uuid` in lib/libdevmapper.c).
    pub fn is_of(&self, uuid: &str) -> bool {
        let bare = uuid.replace('-', "");
        !bare.is_empty() && self.uuid.starts_with("CRYPT-") && self.uuid.split('-').nth(2) == Some(&bare)
    }

    /// Whether libcryptsetup made it by this name.
    fn is_called(&self, name: &str) -> bool {
        let rest = self.uuid.strip_prefix("CRYPT-").and_then(|rest| rest.strip_suffix(name));
        rest.is_some_and(|rest| rest.ends_with('-'))
    }
}

/// The name of a volume's mapping that libcryptsetup made, from sysfs: the first one there is.
pub fn first() -> Option<String> {
    first_below(Path::new("/sys/class/block"))
}

fn first_below(class: &Path) -> Option<String> {
    let read = |folder: &Path, file: &str| fs::read_to_string(folder.join(file)).ok();
    let is_ours = |folder: &Path| read(folder, "dm/uuid").is_some_and(|uuid| uuid.starts_with("CRYPT-"));
    // dm-integrity below dm-crypt, and all but the last of several ciphers, are only parts of a volume.
    let is_part = |folder: &Path| {
        let holders = fs::read_dir(folder.join("holders")).into_iter().flatten().flatten();
        holders.into_iter().any(|holder| is_ours(&class.join(holder.file_name())))
    };
    let number = |path: PathBuf| {
        let digits = path.file_name()?.to_str()?.strip_prefix("dm-")?;
        Some((digits.parse::<u32>().ok()?, path.clone()))
    };
    let entries = fs::read_dir(class).ok()?.flatten().map(|entry| entry.path());
    let mut folders: Vec<(u32, PathBuf)> = entries.filter_map(number).collect();
    folders.sort();
    let mut volumes = folders.iter().map(|(_, folder)| folder).filter(|folder| is_ours(folder) && !is_part(folder));
    volumes.find_map(|folder| read(folder, "dm/name")).map(|name| name.trim_end().to_owned())
}

/// Whether the kernel has device-mapper, and its control device is there.
pub fn is_there() -> bool {
    OpenOptions::new().read(true).write(true).open("/dev/mapper/control").is_ok()
}

/// The version of a target; `None` where there is no device-mapper or no such target. Kernels since 5.5
/// load the target's module to find out.
pub fn target_version(name: &str) -> Option<Version> {
    let mut buffer = Buffer::new(name)?;
    if !buffer.ask(DM_GET_TARGET_VERSION) {
        buffer = Buffer::new("")?;
        if !buffer.ask(DM_LIST_VERSIONS) {
            return None;
        }
    }
    let bytes = buffer.bytes();
    let start = number(bytes, DATA_START)?;
    target::version(bytes.get(start as usize..)?, name)
}

/// The mapping called `name`; `None` where there is none, or no device-mapper.
pub fn mapping(name: &str) -> Option<Mapping> {
    let mut buffer = Buffer::new(name)?;
    if !buffer.ask(DM_DEV_STATUS) {
        return None;
    }
    let bytes = buffer.bytes();
    // huge_encode_dev() in include/linux/kdev_t.h.
    let dev = u64::from(number(bytes, DEV)?) | u64::from(number(bytes, DEV + 4)?) << 32;
    let major = (dev >> 8 & 0xfff) as u32;
    let minor = (dev & 0xff | dev >> 12 & 0xf_ff00) as u32;
    let uuid = bytes.get(UUID..UUID + UUID_LEN)?.split(|byte| *byte == 0).next()?;
    Some(Mapping {
        uuid: String::from_utf8_lossy(uuid).into_owned(),
        has_table: number(bytes, FLAGS)? & ACTIVE_PRESENT != 0,
        open_count: number(bytes, OPEN_COUNT)?,
        number: makedev(major, minor),
    })
}

/// The first target of the mapping called `name`: its kind, and its parameters. Not for targets that have keys.
pub fn table(name: &str) -> Option<(String, String)> {
    let mut buffer = Buffer::new(name)?;
    put(buffer.bytes(), FLAGS, &STATUS_TABLE.to_ne_bytes());
    if !buffer.ask(DM_TABLE_STATUS) {
        return None;
    }
    let bytes = buffer.bytes();
    let start = number(bytes, DATA_START)?;
    target::table(bytes.get(start as usize..)?)
}

/// Removes a mapping, and its node where libdevmapper has made one. Returns whether it is gone.
pub fn remove(name: &str) -> bool {
    let is_gone = Buffer::new(name).is_some_and(|mut buffer| buffer.ask(DM_DEV_REMOVE));
    if is_gone {
        // With udev it is gone already.
        let _ = fs::remove_file(Path::new(FOLDER).join(name));
    }
    is_gone
}

/// Makes the node of a mapping, as libdevmapper does where there is no udev, if it is not there.
pub fn make_node(name: &str, mapping: &Mapping) {
    let path = Path::new(FOLDER).join(name);
    if !path.exists() {
        // EEXIST: udev is at it. Else whoever mounts it says what is missing.
        let _ = mknod(&path, SFlag::S_IFBLK, Mode::S_IRUSR | Mode::S_IWUSR, mapping.number);
    }
}

/// Removes what is left of a mapping called `name` whose maker, libcryptsetup, was killed before it had a table.
pub fn clear(name: &str) {
    let is_left = |left: &Mapping| !left.has_table && left.open_count == 0 && left.is_called(name);
    if mapping(name).is_some_and(|mapping| is_left(&mapping)) {
        remove(name);
    }
}

/// What goes to the kernel and comes back: it reads and writes 64-bit fields in it.
struct Buffer(Vec<u64>);

impl Buffer {
    /// A question about `name`; `None` for one that no mapping or target can have.
    fn new(name: &str) -> Option<Self> {
        let mut buffer = Self(vec![0; BUFFER / 8]);
        let bytes = buffer.bytes();
        put(bytes, 0, &4_u32.to_ne_bytes());
        put(bytes, DATA_SIZE, &(BUFFER as u32).to_ne_bytes());
        put(bytes, DATA_START, &(HEADER as u32).to_ne_bytes());
        put(bytes, NAME, name.as_bytes());
        (name.len() < NAME_LEN && !name.contains(['\0', '/'])).then_some(buffer)
    }

    /// Asks; whether the kernel answered.
    fn ask(&mut self, request: u32) -> bool {
        let Ok(control) = OpenOptions::new().read(true).write(true).open("/dev/mapper/control") else { return false };
        // SAFETY: the kernel writes at most `data_size` bytes, which is the buffer's size.
        unsafe { ioctl(control.as_raw_fd(), request as _, self.0.as_mut_ptr()) == 0 }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: any bytes are valid numbers and the other way round, and bytes need no alignment.
        unsafe { core::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), size_of_val(self.0.as_slice())) }
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_told_apart() {
        let uuid = "CRYPT-LUKS2-3f1a00000000400080000000000000aa-root-3f".to_owned();
        let mut mapping = Mapping { uuid, has_table: true, open_count: 0, number: 0 };
        assert!(mapping.is_of("3f1a0000-0000-4000-8000-0000000000aa"));
        for other in ["3f1a", "", "root", "-", "3f"] {
            assert!(!mapping.is_of(other), "{other}");
        }
        for (name, is_called) in [("root-3f", true), ("3f", true), ("f", false), ("root", false)] {
            assert_eq!(mapping.is_called(name), is_called, "{name}");
        }
        mapping.uuid = "LVM-x-3f1a".into();
        assert!(!mapping.is_called("3f1a"));
        assert!(!mapping.is_of("3f1a"));
    }

    #[test]
    fn the_first_of_the_librarys_mappings_is_found() {
        let class = std::env::temp_dir().join(format!("fbunlock-dm-{}", std::process::id()));
        let mappings = [
            ("dm-0", "LVM-aa", "vg-root"),
            ("dm-10", "CRYPT-LUKS2-d-d", "d"),
            ("dm-2", "CRYPT-SUBDEV-b-b_dif", "b_dif"),
            ("dm-3", "CRYPT-LUKS2-b-b", "b"),
        ];
        for (node, uuid, name) in mappings {
            let folder = class.join(node).join("dm");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("uuid"), uuid)
                .and_then(|()| fs::write(folder.join("name"), format!("{name}\n")))
                .unwrap();
        }
        fs::create_dir_all(class.join("sda")).unwrap();
        fs::create_dir_all(class.join("dm-2/holders/dm-3")).unwrap();
        // What lies on a volume is none of its parts.
        fs::create_dir_all(class.join("dm-3/holders/dm-0")).unwrap();
        assert_eq!(first_below(&class).as_deref(), Some("b"));
        fs::remove_dir_all(&class).unwrap();
        assert_eq!(first_below(&class), None);
    }

    #[test]
    fn names_that_nothing_can_have_are_not_asked_for() {
        assert!(Buffer::new(&"x".repeat(127)).is_some());
        for name in ["x".repeat(128), "a/b".into(), "a\0b".into()] {
            assert!(Buffer::new(&name).is_none(), "{name:?}");
            assert_eq!(mapping(&name), None);
            assert!(!remove(&name));
        }
    }
}
