//! A block device as sysfs shows it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Stacks of devices are not higher than this; a loop among links would be.
const DEPTH_MAX: u32 = 16;

/// Bytes of the sectors that sysfs counts in, whatever the disk's are.
const SYSFS_SECTOR: u64 = 512;

/// Which device it is: folder, sequence number, length.
pub(super) type Mark = (u64, Option<String>, u64);

/// A disk, a partition or a mapping.
pub(super) struct Disk {
    /// The kernel's name.
    pub(super) name: String,
    /// The node's path below `/dev`.
    pub(super) node: String,
    /// Its own folder, not the link in the class.
    pub(super) folder: PathBuf,
    /// Its length in bytes.
    pub(super) size: u64,
    /// The number of a partition.
    pub(super) partition: Option<u32>,
    uevent: String,
}

/// All that have a node and something on them, in the order of their names.
pub(super) fn all(class: &Path) -> Vec<Disk> {
    let mut disks: Vec<Disk> = Vec::new();
    for entry in fs::read_dir(class).into_iter().flatten().flatten() {
        let Some(disk) = Disk::read(&entry.path()) else { continue };
        // `sdb` before `sdaa`, `p2` before `p10`. They are few, and the library's sort is 8 KiB of code.
        let later = |other: &Disk| (other.name.len(), &other.name) > (disk.name.len(), &disk.name);
        let at = disks.iter().position(later).unwrap_or(disks.len());
        disks.insert(at, disk);
    }
    disks
}

impl Disk {
    fn read(link: &Path) -> Option<Self> {
        let folder = fs::canonicalize(link).ok()?;
        let name = folder.file_name()?.to_str()?.to_owned();
        // Paths of a multipath NVMe namespace have none.
        if !folder.join("dev").exists() {
            return None;
        }
        let size = text(&folder.join("size"))?.parse::<u64>().ok()?.saturating_mul(SYSFS_SECTOR);
        let uevent = fs::read_to_string(folder.join("uevent")).unwrap_or_default();
        let partition = text(&folder.join("partition")).and_then(|number| number.parse().ok());
        let mut disk = Self { name, node: String::new(), folder, size, partition, uevent };
        // A `!` stands for the `/` of `cciss/c0d0`.
        disk.node = disk.uevent("DEVNAME").map_or_else(|| disk.name.replace('!', "/"), str::to_owned);
        // No medium, or a loop device without its file.
        (size > 0).then_some(disk)
    }

    /// A line of the uevent.
    #[inline(never)]
    pub(super) fn uevent(&self, key: &str) -> Option<&str> {
        let mut lines = self.uevent.lines().filter_map(|line| line.split_once('='));
        lines.find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// A file of its folder, in one line.
    #[inline(never)]
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        text(&self.folder.join(name)).filter(|text| !text.is_empty())
    }

    /// A file of its folder that is no text.
    pub(super) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(name)).ok()
    }

    /// The disk that a partition is of.
    pub(super) fn whole(&self) -> Option<Self> {
        if self.partition.is_none() { Self::read(&self.folder) } else { Self::read(self.folder.parent()?) }
    }

    /// Bytes of a logical sector.
    pub(super) fn sector(&self) -> u32 {
        self.attribute("queue/logical_block_size").and_then(|size| size.parse().ok()).unwrap_or(512)
    }

    /// Which device this is, beyond its name: one that was plugged in anew has another folder, and another
    /// file in a loop device another sequence number (since 5.15).
    pub(super) fn mark(&self) -> Mark {
        let folder = fs::metadata(&self.folder).map_or(0, |metadata| metadata.ino());
        (folder, self.uevent("DISKSEQ").map(str::to_owned), self.size)
    }

    /// Whether it is not to be read: memory; drives that cannot be asked whether they hold anything,
    /// and fill the kernel's log with errors if they do not; and a suspended mapping, from which a
    /// read would come back only when somebody resumes it.
    pub(super) fn is_idle(&self) -> bool {
        let digits_after = |start: &str| {
            let rest = self.name.strip_prefix(start);
            rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        ["ram", "zram", "fd", "sr"].into_iter().any(digits_after)
            || self.attribute("dm/suspended").as_deref() == Some("1")
    }

    /// Whether a path that is not there means this one: without udev there are no links.
    pub(super) fn has_path(&self, path: &str) -> bool {
        if let Some(numbers) = path.strip_prefix("/dev/block/") {
            return self.attribute("dev").as_deref() == Some(numbers);
        }
        let Some(mapping) = self.attribute("dm/name") else { return false };
        let Some(rest) = path.strip_prefix("/dev/") else { return false };
        match rest.strip_prefix("mapper/") {
            Some(name) => name == mapping,
            // LVM joins group and volume by a dash, and doubles the dashes within them.
            None => rest.split_once('/').is_some_and(|(group, volume)| {
                format!("{}-{}", group.replace('-', "--"), volume.replace('-', "--")) == mapping
            }),
        }
    }

    /// The kernel's name of the disk that it is, or is a partition of.
    pub(super) fn whole_name(&self) -> &str {
        let whole = self.partition.and_then(|_| self.folder.parent()?.file_name()?.to_str());
        whole.unwrap_or(&self.name)
    }

    /// Whether one of the named devices is made of this one, or of the disk that this is a partition of: what is
    /// over a whole disk, such as multipath, shows the partitions again.
    pub(super) fn is_below(&self, names: &[&str], class: &Path) -> bool {
        let whole = self.partition.and_then(|_| self.folder.parent());
        [Some(self.folder.as_path()), whole]
            .into_iter()
            .flatten()
            .any(|folder| holders(folder, names, class, DEPTH_MAX))
    }
}

fn holders(folder: &Path, names: &[&str], class: &Path, depth: u32) -> bool {
    let entries = fs::read_dir(folder.join("holders")).into_iter().flatten().flatten();
    let mut above = entries.filter_map(|entry| entry.file_name().into_string().ok());
    above.any(|name| {
        names.contains(&name.as_str()) || (depth > 0 && holders(&class.join(&name), names, class, depth - 1))
    })
}

fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}
