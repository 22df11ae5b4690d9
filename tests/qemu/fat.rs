//! A FAT12 file system (Microsoft's specification of 2000) with one file, as a stick with a key has it.

const SECTOR: usize = 512;
/// One mebibyte, in clusters of one sector.
const SECTORS: usize = 2048;
const TABLE: usize = 6;
const ROOT: usize = 14;
/// Boot sector, two tables, root folder.
const DATA: usize = 1 + 2 * TABLE + ROOT;

/// The disk: one file, `key`.
pub(crate) fn disk(label: &str, key: &[u8]) -> Vec<u8> {
    let mut disk = vec![0; SECTORS * SECTOR];
    let mut put = |at: usize, bytes: &[u8]| disk[at..][..bytes.len()].copy_from_slice(bytes);
    let label = format!("{label:<11}");
    let word = |value: usize| (value as u16).to_le_bytes();
    put(0, b"\xeb\x3c\x90MSDOS5.0");
    // Bytes a sector, sectors a cluster, reserved sectors, tables, entries of the root, sectors in all.
    put(11, &[&word(SECTOR)[..], &[1], &word(1), &[2], &word(ROOT * SECTOR / 32), &word(SECTORS)].concat());
    // A disk that stays; sectors of a table, of a track, heads.
    put(21, &[&[0xf8][..], &word(TABLE), &word(32), &word(64)].concat());
    put(36, &[&[0x80, 0, 0x29, 0x5e, 0xed, 0xfa, 0x12][..], label.as_bytes(), b"FAT12   "].concat());
    put(510, &[0x55, 0xaa]);
    for table in [1, 1 + TABLE] {
        // The file is one cluster, the first one there is: number 2.
        put(table * SECTOR, &[0xf8, 0xff, 0xff, 0xff, 0x0f]);
    }
    let mut entries = [[0; 32]; 2];
    entries[0][..11].copy_from_slice(label.as_bytes());
    entries[0][11] = 0x08;
    entries[1][..11].copy_from_slice(b"KEY        ");
    // An archived file, its name in small letters.
    (entries[1][11], entries[1][12]) = (0x20, 0x08);
    entries[1][26..28].copy_from_slice(&word(2));
    entries[1][28..].copy_from_slice(&(key.len() as u32).to_le_bytes());
    put((1 + 2 * TABLE) * SECTOR, entries.as_flattened());
    put(DATA * SECTOR, key);
    disk
}
