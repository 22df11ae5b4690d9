//! What is on a device, by its first bytes: kind, UUID and label, as blkid tells them.
//!
//! Only what a volume, or a file system with a key or header on it, can be known by. Each probe names
//! the specification it follows; `superblock/tests.rs` proves them on what the real tools write.

mod filesystem;
mod luks;

use super::medium::{Block, Medium};

/// Bytes from the beginning in which all superblocks but btrfs's lie.
const HEAD: usize = 4096;

/// What a superblock belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// LUKS1.
    Luks1,
    /// LUKS2.
    Luks2,
    /// BitLocker.
    Bitlocker,
    /// The hashes of dm-verity.
    Verity,
    /// ext2, ext3 or ext4.
    Ext,
    /// XFS.
    Xfs,
    /// btrfs.
    Btrfs,
    /// F2FS.
    F2fs,
    /// FAT of any width.
    Vfat,
    /// exFAT.
    Exfat,
    /// squashfs, which has neither UUID nor label.
    Squashfs,
    /// EROFS.
    Erofs,
}

impl Kind {
    /// What mount(2) calls the file system; `None` where there is none.
    pub const fn filesystem(self) -> Option<&'static str> {
        Some(match self {
            Self::Luks1 | Self::Luks2 | Self::Bitlocker | Self::Verity => return None,
            Self::Ext => "ext4",
            Self::Xfs => "xfs",
            Self::Btrfs => "btrfs",
            Self::F2fs => "f2fs",
            Self::Vfat => "vfat",
            Self::Exfat => "exfat",
            Self::Squashfs => "squashfs",
            Self::Erofs => "erofs",
        })
    }
}

/// A superblock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superblock {
    /// What it belongs to.
    pub kind: Kind,
    /// In lower case, and FAT's as `abcd-1234`.
    pub uuid: Option<String>,
    /// The label.
    pub label: Option<String>,
    /// LUKS2's subsystem label.
    pub subsystem: Option<String>,
    /// LUKS2: the first of the two headers is damaged, this is the second.
    pub is_second: bool,
}

impl Superblock {
    #[inline(never)]
    fn new(kind: Kind, uuid: Option<String>, label: Option<String>) -> Self {
        let uuid = uuid.map(|uuid| uuid.to_ascii_lowercase());
        Self { kind, uuid, label, subsystem: None, is_second: false }
    }
}

/// Looks for a superblock. The volume's before the file systems': a header at the very beginning is
/// what was written last, and remains of a file system may lie behind it.
#[inline(never)]
pub fn probe<M: Medium>(medium: &mut M) -> Option<Superblock> {
    let mut head = vec![0; HEAD.min(usize::try_from(medium.size()).unwrap_or(HEAD))];
    if !medium.read(0, &mut head) {
        return None;
    }
    let head = Block(&head);
    luks::first(head)
        .or_else(|| bitlocker(medium, head))
        .or_else(|| verity(head))
        .or_else(|| filesystem::probe(medium, head))
        .or_else(|| luks::second(medium))
}

/// BitLocker (the layout is that of libbde's documentation and lib/bitlk/bitlk.c): its volume's GUID
/// stands in the first of three metadata blocks, as blkid tells it.
fn bitlocker<M: Medium>(medium: &mut M, head: Block<'_>) -> Option<Superblock> {
    const IDENTIFIER: &str = "4967d63b-2e29-4ad8-8399-f6a339e3d001";
    let offset = if head.has(3, b"-FVE-FS-") {
        160
    } else if head.has(3, b"MSWIN4.1") {
        424
    } else {
        return None;
    };
    // Windows Vista's has no such identifier, and its metadata lie elsewhere.
    let is_known = head.guid(offset).is_some_and(|guid| guid == IDENTIFIER);
    if !is_known {
        return (offset == 160).then(|| Superblock::new(Kind::Bitlocker, None, None));
    }
    let metadata = medium.bytes::<128>(head.u64(offset + 16));
    let uuid = metadata.as_ref().filter(|bytes| bytes.starts_with(b"-FVE-FS-")).and_then(|bytes| Block(bytes).guid(80));
    Some(Superblock::new(Kind::Bitlocker, uuid, None))
}

/// dm-verity (lib/verity/verity.c, `struct verity_sb`).
fn verity(head: Block<'_>) -> Option<Superblock> {
    let fits = head.has(0, b"verity\0\0") && head.u32(8) == 1;
    fits.then(|| Superblock::new(Kind::Verity, head.uuid(16), None))
}

#[cfg(test)]
mod tests;
