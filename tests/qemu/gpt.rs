//! A disk with a GUID partition table (UEFI specification, chapter 5), made without a partitioning program.

const SECTOR: usize = 512;
/// Partitions begin here and at multiples of it; as much is left at the end.
const ALIGNMENT: usize = 1 << 20;
/// Entries of the table, and bytes of each.
const ENTRIES: usize = 128;
const ENTRY: usize = 128;
const TABLE: usize = ENTRIES * ENTRY / SECTOR;
/// "Linux filesystem data", 0fc63daf-8483-4772-8e79-3d69d8477de4.
const LINUX: [u8; 16] =
    [0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47, 0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4];

/// The disk: partitions one after the other, by name and content.
pub(crate) fn disk(parts: &[(&str, &Vec<u8>)]) -> Vec<u8> {
    let numbered: Vec<_> = (1..).zip(parts).map(|(number, (name, content))| (guid(number), *name, *content)).collect();
    disk_of(&numbered)
}

/// The same with the partitions' own GUIDs.
pub(crate) fn disk_of(parts: &[([u8; 16], &str, &Vec<u8>)]) -> Vec<u8> {
    let (mut disk, mut table) = (vec![0; ALIGNMENT], Vec::new());
    for (guid, name, content) in parts {
        let first = disk.len() / SECTOR;
        disk.extend_from_slice(content);
        let last = disk.len() / SECTOR - 1;
        disk.resize(disk.len().next_multiple_of(ALIGNMENT), 0);
        let mut entry = LINUX.to_vec();
        entry.extend(guid);
        entry.extend([first, last, 0].iter().flat_map(|value| (*value as u64).to_le_bytes()));
        entry.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        entry.resize(ENTRY, 0);
        table.extend(entry);
    }
    table.resize(ENTRIES * ENTRY, 0);
    disk.resize(disk.len() + ALIGNMENT, 0);
    let end = disk.len() / SECTOR - 1;
    put(&mut disk, 0, &protection(end));
    put(&mut disk, 1, &header((1, end, 2), &table));
    put(&mut disk, 2, &table);
    put(&mut disk, end - TABLE, &table);
    put(&mut disk, end, &header((end, 1, end - TABLE), &table));
    disk
}

fn put(disk: &mut [u8], sector: usize, bytes: &[u8]) {
    disk[sector * SECTOR..][..bytes.len()].copy_from_slice(bytes);
}

fn guid(number: u8) -> [u8; 16] {
    let mut guid = [0x5e; 16];
    guid[15] = number;
    guid
}

/// A boot record of one partition, for programs that know no other table.
fn protection(end: usize) -> Vec<u8> {
    let mut record = vec![0; SECTOR];
    record[450] = 0xee;
    record[454..458].copy_from_slice(&1_u32.to_le_bytes());
    record[458..462].copy_from_slice(&(end as u32).to_le_bytes());
    record[510..].copy_from_slice(&[0x55, 0xaa]);
    record
}

/// The header at a sector, with where the other one is and where its table begins.
fn header((own, other, table_at): (usize, usize, usize), table: &[u8]) -> Vec<u8> {
    let end = own.max(other);
    let mut header = b"EFI PART\0\0\x01\0\x5c\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    let places = [own, other, 2 + TABLE, end - TABLE - 1];
    header.extend(places.iter().flat_map(|value| (*value as u64).to_le_bytes()));
    header.extend(guid(0));
    header.extend((table_at as u64).to_le_bytes());
    header.extend([ENTRIES as u32, ENTRY as u32, checksum(table)].iter().flat_map(|value| value.to_le_bytes()));
    let sum = checksum(&header);
    header[16..20].copy_from_slice(&sum.to_le_bytes());
    header
}

/// CRC-32 as Ethernet has it.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}
