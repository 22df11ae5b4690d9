//! Parts of RAIDs whose metadata lie at the end: they begin with what the whole begins with.
//!
//! Who opened the volume on one part of a mirror and wrote to it would tear the mirror apart.

use super::medium::{Block, Medium};

/// `MD_SB_MAGIC` (include/uapi/linux/raid/md_p.h).
const MAGIC: u32 = 0xa92b_4efc;

/// Bytes that sectors are counted in there.
const SECTOR: u64 = 512;

/// Whether it is a part of a RAID of the kernel's (metadata 0.90 and 1.0), or of Intel's firmware. Other metadata
/// lie at the beginning, before the data.
pub fn is_part<M: Medium>(medium: &mut M) -> bool {
    let size = medium.size();
    is_old(medium, size) || is_new(medium, size) || is_intel(medium, size)
}

/// Metadata 0.90: in the last whole 64 KiB (`MD_NEW_SIZE_SECTORS`), in the byte order of whoever made them.
fn is_old<M: Medium>(medium: &mut M, size: u64) -> bool {
    let bytes = (size & !0xffff).checked_sub(0x1_0000).and_then(|offset| medium.bytes::<512>(offset));
    bytes.is_some_and(|bytes| {
        let block = Block(&bytes);
        let is_magic = |magic: u32| [magic, magic.swap_bytes()].contains(&MAGIC);
        is_magic(block.u32(0)) && block.u32(4) == 0
    })
}

/// Metadata 1.0: at least 8 KiB before the end, and they say where (drivers/md/md.c, `super_1_load`).
fn is_new<M: Medium>(medium: &mut M, size: u64) -> bool {
    let place = (size / SECTOR).checked_sub(16).map(|sector| sector & !7);
    let bytes = place.and_then(|sector| medium.bytes::<512>(sector * SECTOR));
    bytes.zip(place).is_some_and(|(bytes, sector)| {
        let block = Block(&bytes);
        block.u32(0) == MAGIC && block.u32(4) == 1 && block.u64(144) == sector
    })
}

/// Intel's, in the last sector but one (mdadm, super-intel.c).
fn is_intel<M: Medium>(medium: &mut M, size: u64) -> bool {
    let bytes = size.checked_sub(2 * SECTOR).and_then(|offset| medium.bytes::<512>(offset));
    bytes.is_some_and(|bytes| Block(&bytes).has(0, b"Intel Raid ISM Cfg Sig. "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    fn is(size: usize, parts: &[(usize, &[u8])]) -> bool {
        let mut image = vec![0; size];
        parts.iter().for_each(|(at, bytes)| image[*at..*at + bytes.len()].copy_from_slice(bytes));
        is_part(&mut image.as_slice())
    }

    #[test]
    fn each_kind_where_it_lies() {
        let (little, big) = (MAGIC.to_le_bytes(), MAGIC.to_be_bytes());
        let size = 200 << 10;
        assert!(!is(size, &[]));
        assert!(is(size, &[(128 << 10, &little), ((128 << 10) + 8, &[90])]));
        assert!(is(size, &[(128 << 10, &big)]));
        // Of metadata 1.x that lie there by chance.
        assert!(!is(size, &[(128 << 10, &little), ((128 << 10) + 4, &[1])]));
        let new = (size - 8192, size - 8192 + 4, size - 8192 + 144);
        let sector = ((size as u64 - 8192) / 512).to_le_bytes();
        assert!(is(size, &[(new.0, &little), (new.1, &[1]), (new.2, &sector)]));
        assert!(!is(size, &[(new.0, &little), (new.1, &[1]), (new.2, &[8])]));
        assert!(!is(size, &[(new.0, &little), (new.1, &[2]), (new.2, &sector)]));
        // A size that is no whole number of 4 KiB.
        let odd = size + 3 * 512;
        assert!(is(odd, &[(new.0, &little), (new.1, &[1]), (new.2, &sector)]));
        assert!(is(size, &[(size - 1024, b"Intel Raid ISM Cfg Sig. 1.0.00")]));
        assert!(!is(size, &[(size - 512, b"Intel Raid ISM Cfg Sig. 1.0.00")]));
    }

    #[test]
    fn small_and_odd_sizes_end() {
        let mut noise = Noise::new(1_442_695_040_888_963_407);
        for size in (0..9000).chain(65_500..65_600) {
            let image: Vec<u8> = core::iter::repeat_with(|| noise.draw() as u8).take(size).collect();
            assert!(!is_part(&mut image.as_slice()), "{size}");
        }
    }
}
