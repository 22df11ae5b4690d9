//! Partition tables: the UUID and name of a partition that the kernel has found already.
//!
//! Kernels before 6.13 tell a partition's name and number in its uevent, and not its UUID.

use super::medium::{Block, Medium};

/// What a table says of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// `PARTUUID=`, in lower case.
    pub uuid: Option<String>,
    /// `PARTLABEL=`; only GPT has one.
    pub label: Option<String>,
}

/// Finds partition `number` (from 1) in the table of a disk whose logical sectors have `sector` bytes.
pub fn find<M: Medium>(medium: &mut M, sector: u32, number: u32) -> Option<Partition> {
    if !matches!(sector, 512..=65536) || !sector.is_power_of_two() || number == 0 {
        return None;
    }
    let sector = u64::from(sector);
    let last = (medium.size() / sector).saturating_sub(1);
    let first = medium.bytes::<512>(0)?;
    if !is_protective(Block(&first)) {
        return mbr(Block(&first), number);
    }
    // The second table ends the disk.
    match (gpt(medium, sector, 1, number), gpt(medium, sector, last, number)) {
        // In most cases they are the same, and 16 KiB need not be read.
        (Some((one, entries)), Some((two, _))) if one == two || entries.are_whole(medium) => Some(one),
        (_, Some((two, _))) => Some(two),
        (Some((one, _)), None) => Some(one),
        (None, None) => mbr(Block(&first), number),
    }
}

/// Whether a GPT counts, by the MBR before it: a disk that was partitioned anew may still have the old one
/// (block/partitions/efi.c, `is_pmbr_valid`).
fn is_protective(mbr: Block<'_>) -> bool {
    let is_gpt = |at: usize| mbr.at::<1>(at + 4) == [0xee] && mbr.u32(at + 8) == 1;
    mbr.u16(510) == 0xaa55 && [446, 462, 478, 494].into_iter().any(is_gpt)
}

/// Where a table's entries lie, and their checksum.
struct Entries {
    offset: u64,
    length: u64,
    checksum: u32,
}

impl Entries {
    /// Whether they are as they were written: the kernel takes the second table where those of the first are not.
    fn are_whole<M: Medium>(&self, medium: &mut M) -> bool {
        const CHUNK: u64 = 4096;
        let mut register = u32::MAX;
        let mut bytes = [0; CHUNK as usize];
        let mut done = 0;
        while done < self.length.min(ENTRIES_MAX) {
            let length = (self.length - done).min(CHUNK);
            let Some(part) = bytes.get_mut(..length as usize) else { return false };
            if !medium.read(self.offset.saturating_add(done), part) {
                return false;
            }
            register = crc(register, part);
            done += length;
        }
        !register == self.checksum
    }
}

/// Bytes of entries that are looked at. Tables have 16 KiB.
const ENTRIES_MAX: u64 = 64 << 10;

/// UEFI specification, §5.3. The kernel has checked the entries; the header's checksum tells which of
/// the two copies it may have taken.
fn gpt<M: Medium>(medium: &mut M, sector: u64, header_sector: u64, number: u32) -> Option<(Partition, Entries)> {
    let bytes = medium.bytes::<512>(header_sector.checked_mul(sector)?)?;
    let header = Block(&bytes);
    let length = usize::try_from(header.u32(12)).ok().filter(|length| (92..=512).contains(length))?;
    if !header.has(0, b"EFI PART") || header.u64(24) != header_sector || checksum(&bytes, length) != header.u32(16) {
        return None;
    }
    let (first, count, size) = (header.u64(72), header.u32(80), u64::from(header.u32(84)));
    if number > count || !(128..=4096).contains(&size) {
        return None;
    }
    let offset = first.checked_mul(sector)?;
    let entries = Entries { offset, length: u64::from(count) * size, checksum: header.u32(88) };
    let bytes = medium.bytes::<128>(offset.checked_add(u64::from(number - 1) * size)?)?;
    let entry = Block(&bytes);
    // Without a type it is not used.
    entry.guid(0)?;
    Some((Partition { uuid: entry.guid(16), label: entry.utf16(56, 36) }, entries))
}

/// CRC-32 of the header with its own field taken as zero.
fn checksum(header: &[u8], length: usize) -> u32 {
    let (before, rest) = header.get(..length).unwrap_or(header).split_at_checked(16).unwrap_or_default();
    let (_, after) = rest.split_at_checked(4).unwrap_or_default();
    !crc(crc(crc(u32::MAX, before), &[0; 4]), after)
}

/// CRC-32 with reflected bits, without what it begins and ends with.
fn crc(register: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(register, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

/// The disk's signature and the number make the UUID (block/partitions/msdos.c, `set_info`).
fn mbr(block: Block<'_>, number: u32) -> Option<Partition> {
    let signature = block.u32(440);
    let found = block.u16(510) == 0xaa55 && signature != 0;
    found.then(|| Partition { uuid: Some(format!("{signature:08x}-{number:02x}")), label: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    const SECTOR: usize = 512;

    fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
        image[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// A header, for entries that are there already.
    fn header(image: &mut [u8], at: u64, entries: u64, sector: usize) {
        let start = at as usize * sector;
        put(image, start, b"EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00");
        put(image, start + 24, &at.to_le_bytes());
        put(image, start + 72, &entries.to_le_bytes());
        put(image, start + 80, &4_u32.to_le_bytes());
        put(image, start + 84, &128_u32.to_le_bytes());
        let crc = !crc(u32::MAX, &image[entries as usize * sector..][..4 * 128]);
        put(image, start + 88, &crc.to_le_bytes());
        let crc = checksum(&image[start..], 92);
        put(image, start + 16, &crc.to_le_bytes());
    }

    /// A disk of 64 sectors with two partitions of four.
    fn disk(sector: usize) -> Vec<u8> {
        let mut image = vec![0; 64 * sector];
        put(&mut image, 450, &[0xee, 0, 0, 0, 1, 0, 0, 0]);
        put(&mut image, 510, &[0x55, 0xaa]);
        for table in [2, 60] {
            for (index, name) in [(0, "EFI"), (2, "rööt 😀")] {
                let at = table * sector + index * 128;
                put(&mut image, at, &[1; 16]);
                let guid: Vec<u8> = (0..16).map(|byte| byte + 16 * index as u8).collect();
                put(&mut image, at + 16, &guid);
                let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
                put(&mut image, at + 56, &wide);
            }
        }
        header(&mut image, 1, 2, sector);
        header(&mut image, 63, 60, sector);
        image
    }

    #[test]
    fn gpt_of_both_sector_sizes() {
        for sector in [512, 4096] {
            let image = disk(sector);
            let mut medium = image.as_slice();
            let found = find(&mut medium, sector as u32, 3).unwrap();
            assert_eq!(found.uuid.as_deref(), Some("23222120-2524-2726-2829-2a2b2c2d2e2f"));
            assert_eq!(found.label.as_deref(), Some("rööt 😀"));
            assert_eq!(find(&mut medium, sector as u32, 1).unwrap().label.as_deref(), Some("EFI"));
            for none in [0, 2, 5, u32::MAX] {
                assert_eq!(find(&mut medium, sector as u32, none), None, "{none}");
            }
        }
    }

    #[test]
    fn the_second_table_serves_when_the_first_is_damaged() {
        let mut image = disk(SECTOR);
        // The first entry would be that at the beginning of the disk.
        put(&mut image, 0, &[1; 32]);
        image[SECTOR + 72] = 0;
        assert_eq!(find(&mut image.as_slice(), 512, 1).unwrap().label.as_deref(), Some("EFI"));
        image[63 * SECTOR + 72] = 0;
        assert_eq!(find(&mut image.as_slice(), 512, 1), None);
    }

    #[test]
    fn damaged_entries_of_the_first_table_do_not_count() {
        let mut image = disk(SECTOR);
        // The third partition's name, in one bit.
        image[2 * SECTOR + 2 * 128 + 56] ^= 1;
        assert_eq!(find(&mut image.as_slice(), 512, 3).unwrap().label.as_deref(), Some("rööt 😀"));
        // Nor do those of the second one.
        let mut image = disk(SECTOR);
        image[60 * SECTOR + 2 * 128 + 56] ^= 1;
        assert_eq!(find(&mut image.as_slice(), 512, 3).unwrap().label.as_deref(), Some("rööt 😀"));
    }

    #[test]
    fn mbr_counts_from_its_signature() {
        let mut image = vec![0; 1024];
        put(&mut image, 440, &[0x78, 0x56, 0x34, 0x12]);
        assert_eq!(find(&mut image.as_slice(), 512, 5), None);
        put(&mut image, 510, &[0x55, 0xaa]);
        assert_eq!(find(&mut image.as_slice(), 512, 5).unwrap().uuid.as_deref(), Some("12345678-05"));
        assert_eq!(find(&mut image.as_slice(), 512, 26).unwrap().uuid.as_deref(), Some("12345678-1a"));
    }

    #[test]
    fn what_a_gpt_left_behind_does_not_count() {
        let mut image = disk(SECTOR);
        // Partitioned anew, with an MBR and the second table still there.
        put(&mut image, 440, &[0x78, 0x56, 0x34, 0x12]);
        image[450] = 0x83;
        image[SECTOR + 72] = 0;
        assert_eq!(find(&mut image.as_slice(), 512, 1).unwrap().uuid.as_deref(), Some("12345678-01"));
        // A hybrid one: the kernel takes the GPT.
        put(&mut image, 466, &[0xee, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(find(&mut image.as_slice(), 512, 1).unwrap().label.as_deref(), Some("EFI"));
    }

    #[test]
    fn the_checksum_is_the_known_one() {
        // Of the digits 1 to 9 it is 0xcbf43926.
        assert_eq!(!crc(u32::MAX, b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn damaged_tables_end() {
        let whole = disk(SECTOR);
        let mut noise = Noise::new(7_046_029_254_386_353_131);
        let mut random = move || noise.draw() as usize;
        for _ in 0..5_000 {
            let mut image = whole.clone();
            for _ in 0..1 + random() % 8 {
                let at = SECTOR + random() % SECTOR;
                image[at] = random() as u8;
            }
            // Also with a checksum that fits the damage.
            let crc = checksum(&image[SECTOR..2 * SECTOR], 92);
            put(&mut image, SECTOR + 16, &crc.to_le_bytes());
            image.truncate(random() % image.len());
            let _ = find(&mut image.as_slice(), [512, 4096, 0, 513][random() % 4], (random() % 300) as u32);
        }
    }
}
