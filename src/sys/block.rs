//! What kind of disk is under a device, from sysfs.

use std::fs;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::libc::{self, dev_t};
use nix::sys::stat::{major, minor};

/// Stacks of devices are not higher than this; a loop among links would be.
const DEPTH_MAX: u32 = 16;

/// Properties of the disks under a device, all of them taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disks {
    /// Whether any rotates; `None` where sysfs does not say.
    pub rotational: Option<bool>,
    /// Whether any is zoned.
    pub zoned: bool,
}

/// Looks at the disks under `device`, through partitions and stacked devices.
pub fn disks(device: &Path) -> Disks {
    let Ok(metadata) = fs::metadata(device) else { return Disks::default() };
    if !metadata.file_type().is_block_device() {
        return Disks::default();
    }
    let number = format!("{}:{}", major(metadata.rdev()), minor(metadata.rdev()));
    below(&Path::new("/sys/dev/block").join(number))
}

/// Whether something else holds the block device `device` for itself: a mapping, a mount, a RAID.
pub fn is_claimed(device: &Path) -> bool {
    let opened = fs::File::options().read(true).custom_flags(libc::O_EXCL | libc::O_CLOEXEC).open(device);
    opened.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
}

/// Bytes of a block device or image file; `None` where it cannot be told.
pub fn size(path: &Path) -> Option<u64> {
    fs::File::open(path).and_then(|mut file| file.seek(SeekFrom::End(0))).ok()
}

/// Whether the block device of this number lies directly above `device`.
pub fn is_above(number: dev_t, device: &Path) -> bool {
    let Ok(below) = fs::metadata(device) else { return false };
    let text = format!("{}:{}", major(below.rdev()), minor(below.rdev()));
    let slaves = format!("/sys/dev/block/{}:{}/slaves", major(number), minor(number));
    let is_it = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("dev")).is_ok_and(|dev| dev.trim() == text);
    fs::read_dir(slaves).is_ok_and(|entries| entries.flatten().any(is_it))
}

/// The disks under the block device whose folder in sysfs is `folder`.
fn below(folder: &Path) -> Disks {
    let mut disks = Disks::default();
    visit(folder, DEPTH_MAX, &mut disks);
    disks
}

fn visit(folder: &Path, depth: u32, disks: &mut Disks) {
    // The link's target tells a partition's disk apart from its own folder.
    let Ok(folder) = fs::canonicalize(folder) else { return };
    // What lies below a partition's disk is known of the disk alone.
    let is_partition = folder.join("partition").exists();
    let Some(disk) = (if is_partition { folder.parent() } else { Some(folder.as_path()) }) else { return };
    let lower: Vec<PathBuf> = fs::read_dir(disk.join("slaves"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    if !lower.is_empty() {
        if depth > 0 {
            lower.iter().for_each(|folder| visit(folder, depth - 1, disks));
        }
        return;
    }
    let read = |name: &str| fs::read_to_string(disk.join("queue").join(name)).ok();
    if let Some(rotational) = read("rotational") {
        let any = disks.rotational.unwrap_or(false) || rotational.trim() == "1";
        disks.rotational = Some(any);
    }
    disks.zoned |= read("zoned").is_some_and(|zoned| zoned.trim() != "none");
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A sysfs of two disks, a partition and a mapping over both.
    fn tree() -> PathBuf {
        let root = std::env::temp_dir().join(format!("fbunlock-block-{}", std::process::id()));
        for (disk, rotational, zoned) in
            [("sda", "1\n", "none\n"), ("nvme0n1", "0\n", "none\n"), ("sdz", "0\n", "host-managed\n")]
        {
            let queue = root.join(disk).join("queue");
            fs::create_dir_all(&queue).unwrap();
            fs::write(queue.join("rotational"), rotational).unwrap();
            fs::write(queue.join("zoned"), zoned).unwrap();
        }
        let partition = root.join("nvme0n1/nvme0n1p2");
        fs::create_dir_all(partition.join("slaves")).unwrap();
        fs::write(partition.join("partition"), "2\n").unwrap();
        fs::create_dir_all(root.join("dm-0/slaves")).unwrap();
        let _ = symlink(&partition, root.join("dm-0/slaves/nvme0n1p2"));
        let _ = symlink(root.join("sda"), root.join("dm-0/slaves/sda"));
        // A RAID over the rotating disk that itself says nothing of the kind, and a partition on it.
        fs::create_dir_all(root.join("md0/slaves")).unwrap();
        let _ = symlink(root.join("sda"), root.join("md0/slaves/sda"));
        fs::create_dir_all(root.join("md0/queue")).unwrap();
        fs::write(root.join("md0/queue/rotational"), "0\n").unwrap();
        fs::create_dir_all(root.join("md0/md0p1")).unwrap();
        fs::write(root.join("md0/md0p1/partition"), "1\n").unwrap();
        fs::create_dir_all(root.join("loop/slaves")).unwrap();
        let _ = symlink(root.join("loop"), root.join("loop/slaves/loop"));
        root
    }

    #[test]
    fn leaves_decide() {
        let root = tree();
        let cases = [
            ("sda", Some(true), false),
            ("nvme0n1", Some(false), false),
            ("nvme0n1/nvme0n1p2", Some(false), false),
            ("dm-0", Some(true), false),
            ("md0", Some(true), false),
            ("md0/md0p1", Some(true), false),
            ("sdz", Some(false), true),
            ("loop", None, false),
            ("absent", None, false),
        ];
        for (name, rotational, zoned) in cases {
            assert_eq!(below(&root.join(name)), Disks { rotational, zoned }, "{name}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn files_are_no_disks() {
        assert_eq!(disks(Path::new("/dev/null")), Disks::default());
        assert_eq!(disks(Path::new("/nonexistent")), Disks::default());
    }
}
