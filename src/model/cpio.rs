//! Writes a cpio archive in the "newc" format, the form an initramfs has
//! (Documentation/driver-api/early-userspace/buffer-format.rst).
//!
//! Equal input gives equal bytes: inode numbers count up from 1, owner is 0:0, and the one
//! modification time is the caller's.

use crate::error::{Error, Exit, Result};

/// Names are handed to the kernel in a buffer of `PATH_MAX` bytes, the NUL included
/// (init/initramfs.c, `do_header`: a longer name skips the entry without a word).
const NAME_MAX_BYTES: usize = 4096 - 1;

const S_IFCHR: u32 = 0o020_000;
const S_IFDIR: u32 = 0o040_000;
const S_IFREG: u32 = 0o100_000;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// An empty directory; what lies in it comes as entries of its own, later.
    Directory,
    /// A regular file and its content.
    File(&'a [u8]),
    /// A character device.
    Character {
        /// Major number of the device.
        major: u32,
        /// Minor number of the device.
        minor: u32,
    },
}

/// An archive that grows in memory.
#[derive(Clone, Debug)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
    mtime_s: u32,
}

impl Archive {
    /// An empty archive whose entries all carry `mtime_s`, seconds since 1970.
    pub const fn new(mtime_s: u32) -> Self {
        Self { bytes: Vec::new(), entries: 0, mtime_s }
    }

    /// Appends an entry: `name` is relative, without `.` or `..`; `mode` holds the nine permission
    /// bits. The kernel makes no parent directories, so they come first.
    ///
    /// # Errors
    /// [`Exit::Parameters`] for a name or a size that the format or the kernel cannot hold.
    pub fn add(&mut self, name: &str, mode: u32, entry: Entry<'_>) -> Result<()> {
        let refuse = |cause: &str| Err(Error::new(Exit::Parameters, format!("add {name:?} to the archive"), cause));
        if name.len() > NAME_MAX_BYTES {
            return refuse("the name is longer than 4095 bytes");
        }
        let odd = |part: &str| matches!(part, "" | "." | "..");
        if name.contains('\0') || name.split('/').any(odd) {
            return refuse("not a plain relative path");
        }
        if name == TRAILER {
            return refuse("the name marks the end of an archive");
        }
        let (kind, links, data, major, minor): (u32, u32, &[u8], u32, u32) = match entry {
            Entry::Directory => (S_IFDIR, 2, &[], 0, 0),
            Entry::File(data) => (S_IFREG, 1, data, 0, 0),
            Entry::Character { major, minor } => (S_IFCHR, 1, &[], major, minor),
        };
        let Ok(size) = u32::try_from(data.len()) else {
            return refuse("4 GiB and larger do not fit the format");
        };
        let Some(number) = self.entries.checked_add(1) else {
            return refuse("too many entries");
        };
        self.entries = number;
        self.header(&Header { ino: number, mode: kind | (mode & 0o777), links, size, major, minor, name });
        self.bytes.extend_from_slice(data);
        self.pad(4);
        Ok(())
    }

    /// Number of entries so far, the trailer apart.
    pub const fn entries(&self) -> u32 {
        self.entries
    }

    /// Ends the archive and gives its bytes, a multiple of 512 as cpio(1) writes them.
    pub fn finish(mut self) -> Vec<u8> {
        self.mtime_s = 0;
        self.header(&Header { ino: 0, mode: 0, links: 1, size: 0, major: 0, minor: 0, name: TRAILER });
        self.pad(512);
        self.bytes
    }

    fn header(&mut self, header: &Header<'_>) {
        self.bytes.extend_from_slice(b"070701");
        // `add` has checked the length; the trailer's is constant.
        let name_size = u32::try_from(header.name.len() + 1).unwrap_or(u32::MAX);
        // ino mode uid gid nlink mtime filesize maj min rmaj rmin namesize chksum
        for field in [
            header.ino,
            header.mode,
            0,
            0,
            header.links,
            self.mtime_s,
            header.size,
            0,
            0,
            header.major,
            header.minor,
            name_size,
            0,
        ] {
            self.bytes.extend_from_slice(format!("{field:08X}").as_bytes());
        }
        self.bytes.extend_from_slice(header.name.as_bytes());
        self.bytes.push(0);
        self.pad(4);
    }

    /// Every header is a multiple of four from the start of the archive, so the length will do.
    fn pad(&mut self, multiple: usize) {
        let length = self.bytes.len().next_multiple_of(multiple);
        self.bytes.resize(length, 0);
    }
}

const TRAILER: &str = "TRAILER!!!";

struct Header<'a> {
    ino: u32,
    mode: u32,
    links: u32,
    size: u32,
    major: u32,
    minor: u32,
    name: &'a str,
}

/// The bytes of an archive against the format's document, field by field.
#[cfg(test)]
mod tests {
    use super::*;

    fn field(bytes: &[u8], at: usize, index: usize) -> u32 {
        let from = at + 6 + 8 * index;
        u32::from_str_radix(std::str::from_utf8(&bytes[from..from + 8]).unwrap(), 16).unwrap()
    }

    #[test]
    fn file_has_header_name_and_padded_data() {
        let mut archive = Archive::new(7);
        archive.add("init", 0o755, Entry::File(b"hello")).unwrap();
        let bytes = archive.finish();
        assert_eq!(&bytes[..6], b"070701");
        let fields: Vec<u32> = (0..13).map(|index| field(&bytes, 0, index)).collect();
        assert_eq!(fields, [1, 0o100_755, 0, 0, 1, 7, 5, 0, 0, 0, 0, 5, 0]);
        assert_eq!(&bytes[110..116], b"init\0\0", "110 + 5 pads to 116");
        assert_eq!(&bytes[116..124], b"hello\0\0\0");
        assert_eq!(&bytes[124..130], b"070701");
        assert_eq!(&bytes[124 + 110..124 + 121], b"TRAILER!!!\0");
        assert_eq!(bytes.len(), 512);
    }

    #[test]
    fn device_and_directory_carry_type_and_numbers() {
        let mut archive = Archive::new(0);
        archive.add("dev", 0o755, Entry::Directory).unwrap();
        let tty = Entry::Character { major: 5, minor: 1 };
        archive.add("dev/console", 0o600, tty).unwrap();
        let bytes = archive.finish();
        assert_eq!(field(&bytes, 0, 1), 0o040_755);
        assert_eq!(field(&bytes, 0, 4), 2);
        let second = 116; // 110 + "dev\0" = 114
        assert_eq!(field(&bytes, second, 0), 2);
        assert_eq!(field(&bytes, second, 1), 0o020_600);
        assert_eq!(field(&bytes, second, 9), 5);
        assert_eq!(field(&bytes, second, 10), 1);
    }

    #[test]
    fn names_that_would_be_lost_are_refused() {
        let long = "a/".repeat(2048) + "b";
        for name in ["", "/init", "a//b", "a/../b", ".", "a\0b", "TRAILER!!!", &long] {
            let mut archive = Archive::new(0);
            let error = archive.add(name, 0o644, Entry::Directory).unwrap_err();
            assert_eq!(error.exit(), Exit::Parameters, "{name:?}");
            assert_eq!(archive.entries(), 0);
        }
        let longest = "a/".repeat(2047) + "b";
        let mut archive = Archive::new(0);
        assert!(archive.add(&longest, 0o644, Entry::Directory).is_ok());
    }

    #[test]
    fn equal_input_gives_equal_bytes() {
        let make = || {
            let mut archive = Archive::new(1);
            archive.add("a", 0o644, Entry::File(&[1; 1000])).unwrap();
            archive.finish()
        };
        assert_eq!(make(), make());
    }
}
