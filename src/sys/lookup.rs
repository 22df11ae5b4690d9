//! Finds the device of a [`Spec`] in sysfs and by reading headers: no udev, no blkid.
//!
//! What is there is looked at anew each time; what was read from a device is kept as long as the
//! device is the same, so that waiting for one that is late costs little.

mod disk;
mod id;
mod sameness;

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use disk::{Disk, Mark};
use nix::libc;
pub use sameness::Sameness;

use super::console;
use crate::model::volume::medium::Medium;
use crate::model::volume::partition::{self, Partition};
use crate::model::volume::raid;
use crate::model::volume::spec::Spec;
use crate::model::volume::superblock::{self, Kind, Superblock};

/// Reads of one look at a device, each of at most [`superblock`]'s 4 KiB.
const READS_MAX: u32 = 64;

/// Between two looks at a device that cannot be read, at first; then twice as long each time. It may come to its
/// senses, and each error is a line in the kernel's log.
const PAUSE: Duration = Duration::from_millis(200);
/// How often that doubles.
const DOUBLINGS_MAX: u32 = 5;
/// How much longer than a look that failed is waited until the next: it took as long as the kernel tried.
const PATIENCE: u32 = 4;

/// A device that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its node, or the image file.
    pub path: PathBuf,
    /// Other devices that the same words describe: copies of the disk, perhaps.
    pub others: Vec<PathBuf>,
}

/// A device's number, or a file's of its file system.
type Identity = (u64, u64);

/// Where devices are looked for, and what is known of them.
pub struct Lookup {
    class: PathBuf,
    nodes: PathBuf,
    /// [`PAUSE`].
    pause: Duration,
    known: RefCell<Vec<Known>>,
}

/// What was read from a device.
struct Known {
    name: String,
    /// Which device that was: names are given anew.
    mark: Mark,
    superblock: Option<Superblock>,
    /// How often it could not be read, one after the other.
    failures: u32,
    /// When it is looked at again, unless it could be read.
    again: Instant,
    /// That it is a part of something was told.
    is_told: bool,
}

impl Default for Lookup {
    fn default() -> Self {
        Self::at("/sys/class/block".into(), "/dev".into())
    }
}

impl Lookup {
    fn at(class: PathBuf, nodes: PathBuf) -> Self {
        Self { class, nodes, pause: PAUSE, known: RefCell::default() }
    }

    /// The device that is meant, if it is there by now.
    pub fn find(&self, spec: &Spec) -> Option<Found> {
        let alone = |path: PathBuf| Found { path, others: Vec::new() };
        match spec {
            Spec::Path(path) if Path::new(path).exists() => return Some(alone(path.into())),
            Spec::Id(name) => {
                let link = self.nodes.join("disk/by-id").join(name);
                if let Ok(path) = link.canonicalize() {
                    return Some(alone(path));
                }
            }
            _ => {}
        }
        let disks = disk::all(&self.class);
        let matching: Vec<&Disk> = disks.iter().filter(|disk| self.is_meant(disk, spec)).collect();
        let names: Vec<&str> = matching.iter().flat_map(|disk| [disk.name.as_str(), disk.whole_name()]).collect();
        // The parts of a mirror show what the mirror shows; it is the mirror that is meant.
        let top = matching.iter().filter(|disk| !disk.is_below(&names, &self.class));
        let mut paths = top.map(|disk| self.node(disk));
        Some(Found { path: paths.next()?, others: paths.collect() })
    }

    /// The node of a disk: of a mapping the one that bears its name, which tables of mounts are to show.
    fn node(&self, disk: &Disk) -> PathBuf {
        let named = disk.attribute("dm/name").map(|name| self.nodes.join("mapper").join(name));
        named.filter(|path| path.exists()).unwrap_or_else(|| self.nodes.join(&disk.node))
    }

    /// A device by its number, or a file by its file system's and its own.
    fn identity(&self, spec: &Spec) -> Option<Identity> {
        let metadata = std::fs::metadata(self.find(spec)?.path).ok()?;
        let device = (metadata.rdev(), 0);
        Some(if metadata.rdev() == 0 { (metadata.dev(), metadata.ino()) } else { device })
    }

    /// What is on a device or in an image file.
    pub fn superblock(path: &Path) -> Option<Superblock> {
        superblock::probe(&mut Reader::open(path)?)
    }

    #[inline(never)]
    fn is_meant(&self, disk: &Disk, spec: &Spec) -> bool {
        match spec {
            Spec::Path(path) => disk.has_path(path),
            Spec::Id(name) => id::of(disk).iter().any(|id| id == name),
            Spec::PartUuid(uuid) => self.has_part_uuid(disk, uuid),
            Spec::PartLabel(label) => self.has_part_label(disk, label),
            Spec::Uuid(uuid) => self.holds(disk, &|block| block.uuid.as_ref() == Some(uuid)),
            Spec::Label(label) => self.holds(disk, &|block| block.label.as_ref() == Some(label)),
            Spec::LuksUuid(start) => self.holds(disk, &|block| {
                let is_luks = matches!(block.kind, Kind::Luks1 | Kind::Luks2);
                is_luks && block.uuid.as_ref().is_some_and(|uuid| uuid.starts_with(start))
            }),
        }
    }

    /// Kernels since 6.13 tell the UUID.
    fn has_part_uuid(&self, disk: &Disk, uuid: &str) -> bool {
        match disk.uevent("PARTUUID") {
            Some(told) => told.eq_ignore_ascii_case(uuid),
            None => self.partition(disk).is_some_and(|partition| partition.uuid.as_deref() == Some(uuid)),
        }
    }

    /// The kernel tells seven bits of each character and nothing of the others (block/partitions/efi.c,
    /// `utf16_le_to_7bit`): `zwölf` comes as `zwvlf`.
    fn has_part_label(&self, disk: &Disk, label: &str) -> bool {
        match disk.uevent("PARTNAME") {
            Some(told) if label.is_ascii() => told == label,
            _ => self.partition(disk).is_some_and(|partition| partition.label.as_deref() == Some(label)),
        }
    }

    /// What the table of the disk says of a partition.
    #[inline(never)]
    fn partition(&self, disk: &Disk) -> Option<Partition> {
        let number = disk.partition?;
        let whole = disk.whole()?;
        let mut reader = Reader::open(&self.nodes.join(&whole.node))?;
        // A node's own length is 0.
        reader.size = whole.size;
        partition::find(&mut reader, whole.sector(), number)
    }

    #[inline(never)]
    fn holds(&self, disk: &Disk, is_it: &dyn Fn(&Superblock) -> bool) -> bool {
        if disk.is_idle() {
            return false;
        }
        let mark = disk.mark();
        let mut known = self.known.borrow_mut();
        let at = known.iter().position(|known| known.name == disk.name);
        let same = at.map(|at| known.swap_remove(at)).filter(|known| known.mark == mark);
        let mut entry = match same {
            Some(known) if known.failures == 0 || Instant::now() < known.again => known,
            same => self.look(disk, mark, same.map_or(0, |known| known.failures)),
        };
        let found = entry.superblock.as_ref().is_some_and(is_it);
        let is_part = found && self.is_part(disk);
        if is_part && !entry.is_told {
            console::print(&format!("{} is a part of a RAID; the whole is looked for", disk.node));
            entry.is_told = true;
        }
        known.push(entry);
        found && !is_part
    }

    /// Whether it is a part of a RAID that is to be assembled first.
    fn is_part(&self, disk: &Disk) -> bool {
        let reader = Reader::open(&self.nodes.join(&disk.node));
        reader.is_some_and(|reader| raid::is_part(&mut Reader { size: disk.size, ..reader }))
    }

    /// Reads the device, which failed so often before.
    fn look(&self, disk: &Disk, mark: Mark, failures: u32) -> Known {
        let started = Instant::now();
        let mut reader = Reader::open(&self.nodes.join(&disk.node));
        let superblock = reader.as_mut().and_then(|reader| {
            reader.size = disk.size;
            superblock::probe(reader)
        });
        let failed = reader.is_none_or(|reader| reader.has_failed);
        let pause = self.pause * (1 << failures.min(DOUBLINGS_MAX)) + started.elapsed() * PATIENCE;
        let (name, failures) = (disk.name.clone(), if failed { failures + 1 } else { 0 });
        Known { name, mark, superblock, failures, again: Instant::now() + pause, is_told: false }
    }
}

/// A device or file that is read a little.
pub(super) struct Reader {
    file: File,
    size: u64,
    left: u32,
    has_failed: bool,
}

impl Reader {
    /// Without O_NONBLOCK a drive would wait for its medium, or pull in its tray. Closing what was
    /// opened for reading makes no event that others would wait for.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
        let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
        let size = file.metadata().ok()?.len();
        // A block device has no length of its own: its end is found by reading there.
        Some(Self { file, size: if size == 0 { u64::MAX } else { size }, left: READS_MAX, has_failed: false })
    }
}

impl Medium for Reader {
    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool {
        let ends = offset.checked_add(buffer.len() as u64);
        if self.left == 0 || self.has_failed || ends.is_none_or(|end| end > self.size) {
            return false;
        }
        self.left -= 1;
        match self.file.read_exact_at(buffer, offset) {
            Ok(()) => true,
            Err(error) => {
                // One try is enough: a dying disk takes half a minute for each.
                self.has_failed |= error.kind() != std::io::ErrorKind::UnexpectedEof;
                false
            }
        }
    }

    fn size(&self) -> u64 {
        self.size
    }
}

#[cfg(test)]
mod tests;
