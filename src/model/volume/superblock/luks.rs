//! LUKS1 and LUKS2 headers (LUKS2 on-disk format specification, §2.1). Their numbers are big-endian.

use super::super::medium::{Block, Medium};
use super::{Kind, Superblock};

/// Where the second header may begin, in bytes: the first one's size decides, and that is what is
/// lost when the second is needed.
const SECOND_OFFSETS: [u64; 9] =
    [0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000];

const UUID: (usize, usize) = (168, 40);

/// A header at the beginning.
pub(super) fn first(head: Block<'_>) -> Option<Superblock> {
    if !head.has(0, b"LUKS\xba\xbe") {
        return None;
    }
    match u16::from_be_bytes(head.at(6)) {
        1 => Some(Superblock::new(Kind::Luks1, text(head, UUID), None)),
        2 => Some(luks2(head)),
        _ => None,
    }
}

/// LUKS2's second header, where the first is lost.
pub(super) fn second<M: Medium>(medium: &mut M) -> Option<Superblock> {
    SECOND_OFFSETS.iter().find_map(|offset| {
        let bytes = medium.bytes::<512>(*offset)?;
        let header = Block(&bytes);
        // It says where it lies itself, so that a copy of it within the data is not taken for one.
        let fits = header.has(0, b"SKUL\xba\xbe\x00\x02") && u64::from_be_bytes(header.at(256)) == *offset;
        fits.then(|| Superblock { is_second: true, ..luks2(header) })
    })
}

fn luks2(header: Block<'_>) -> Superblock {
    let subsystem = text(header, (208, 48));
    Superblock { subsystem, ..Superblock::new(Kind::Luks2, text(header, UUID), text(header, (24, 48))) }
}

fn text(header: Block<'_>, (offset, length): (usize, usize)) -> Option<String> {
    header.text(offset, length).map(str::to_owned)
}
