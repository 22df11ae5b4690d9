//! File systems.

use super::super::medium::{Block, Medium};
use super::{Kind, Superblock};

/// Looks for each of them.
pub(super) fn probe<M: Medium>(medium: &mut M, head: Block<'_>) -> Option<Superblock> {
    xfs(head)
        .or_else(|| head.has(0, b"hsqs").then(|| Superblock::new(Kind::Squashfs, None, None)))
        .or_else(|| ext(head))
        .or_else(|| f2fs(head))
        .or_else(|| erofs(head))
        .or_else(|| btrfs(medium))
        .or_else(|| exfat(medium, head))
        .or_else(|| vfat(medium, head))
}

/// fs/xfs/libxfs/xfs_format.h, `struct xfs_dsb`.
fn xfs(head: Block<'_>) -> Option<Superblock> {
    head.has(0, b"XFSB").then(|| Superblock::new(Kind::Xfs, head.uuid(32), owned(head.text(108, 12))))
}

/// fs/ext4/ext4.h, `struct ext4_super_block`, at 1024.
fn ext(head: Block<'_>) -> Option<Superblock> {
    let found = head.u16(1024 + 56) == 0xef53;
    found.then(|| Superblock::new(Kind::Ext, head.uuid(1024 + 104), owned(head.text(1024 + 120, 16))))
}

/// include/linux/f2fs_fs.h, `struct f2fs_super_block`, at 1024.
fn f2fs(head: Block<'_>) -> Option<Superblock> {
    let found = head.u32(1024) == 0xf2f5_2010;
    found.then(|| Superblock::new(Kind::F2fs, head.uuid(1024 + 108), head.utf16(1024 + 124, 512)))
}

/// fs/erofs/erofs_fs.h, `struct erofs_super_block`, at 1024.
fn erofs(head: Block<'_>) -> Option<Superblock> {
    let found = head.u32(1024) == 0xe0f5_e1e2;
    found.then(|| Superblock::new(Kind::Erofs, head.uuid(1024 + 48), owned(head.text(1024 + 64, 16))))
}

/// include/uapi/linux/btrfs_tree.h, `struct btrfs_super_block`, at 64 KiB.
fn btrfs<M: Medium>(medium: &mut M) -> Option<Superblock> {
    let bytes = medium.bytes::<1024>(0x1_0000)?;
    let block = Block(&bytes);
    let found = block.has(64, b"_BHRfS_M");
    found.then(|| Superblock::new(Kind::Btrfs, block.uuid(32), owned(block.text(299, 256))))
}

/// Microsoft's exFAT specification, §3.1 and §7.3. The label is an entry of the root folder.
fn exfat<M: Medium>(medium: &mut M, head: Block<'_>) -> Option<Superblock> {
    if !head.has(3, b"EXFAT   ") || head.u16(510) != 0xaa55 {
        return None;
    }
    let [sector_shift, cluster_shift] = head.at(108);
    let label = if (9..=12).contains(&sector_shift) && cluster_shift <= 25 - sector_shift {
        let cluster = u64::from(head.u32(96)).saturating_sub(2) << cluster_shift;
        let offset = (u64::from(head.u32(88)) + cluster) << sector_shift;
        let entries = medium.bytes::<512>(offset);
        entries.as_ref().and_then(|bytes| {
            let entry = bytes.chunks_exact(32).find(|entry| entry.first() == Some(&0x83))?;
            let length = usize::from(*entry.get(1)?).min(11);
            Block(entry).utf16(2, length)
        })
    } else {
        None
    };
    Some(Superblock::new(Kind::Exfat, Some(serial(head.u32(100))), label))
}

/// Microsoft's FAT specification, version 1.03. Newer labels stand in the root folder, and the boot
/// sector keeps what it was made with.
fn vfat<M: Medium>(medium: &mut M, head: Block<'_>) -> Option<Superblock> {
    let sector = u64::from(head.u16(11));
    let is_wide = head.has(82, b"FAT32   ");
    let is_known = is_wide || head.has(54, b"FAT12   ") || head.has(54, b"FAT16   ") || head.has(54, b"FAT     ");
    if head.u16(510) != 0xaa55 || !is_known || !matches!(sector, 512 | 1024 | 2048 | 4096) {
        return None;
    }
    let [cluster_sectors, .., tables] = head.at::<4>(13);
    let reserved = u64::from(head.u16(14));
    let extended = if is_wide { 67 } else { 39 };
    let table_sectors = if is_wide { u64::from(head.u32(36)) } else { u64::from(head.u16(22)) };
    let behind_tables = reserved + u64::from(tables) * table_sectors;
    // FAT32's root folder is a chain of clusters; its first one holds the label in practice.
    let root_cluster = if is_wide { u64::from(head.u32(44)).saturating_sub(2) } else { 0 };
    let root = (behind_tables + root_cluster * u64::from(cluster_sectors)) * sector;
    let entries = medium.bytes::<512>(root);
    let in_root = entries.as_ref().and_then(|bytes| root_label(bytes));
    let label = in_root.or_else(|| short_name(head, extended + 4)).filter(|label| label != "NO NAME");
    Some(Superblock::new(Kind::Vfat, Some(serial(head.u32(extended))), label))
}

/// The entry that has the attribute of a label alone, among those before the end of the folder.
fn root_label(entries: &[u8]) -> Option<String> {
    let used = entries.chunks_exact(32).take_while(|entry| entry.first() != Some(&0));
    let mut labels = used.filter(|entry| entry.first() != Some(&0xe5) && entry.get(11).is_some_and(|a| a & 0x3f == 8));
    short_name(Block(labels.next()?), 0)
}

/// Eleven bytes, filled up with blanks.
#[inline(never)]
fn short_name(block: Block<'_>, offset: usize) -> Option<String> {
    let label = String::from_utf8_lossy(&block.at::<11>(offset)).trim_end_matches([' ', '\0']).to_owned();
    Some(label).filter(|label| !label.is_empty())
}

#[inline(never)]
fn serial(number: u32) -> String {
    format!("{:04x}-{:04x}", number >> 16, number & 0xffff)
}

#[inline(never)]
fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}
