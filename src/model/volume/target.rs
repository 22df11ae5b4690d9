//! What the kernel says of device-mapper targets: their versions (DM_LIST_VERSIONS), and tables of them
//! (DM_TABLE_STATUS).

use super::policy::Version;

/// Finds the version of a target in what the ioctl returned after its header.
///
/// The data is a chain of `struct dm_target_versions` (include/uapi/linux/dm-ioctl.h): the offset
/// of the next one or 0, three numbers, and the name, ended by a zero byte.
pub fn version(data: &[u8], target: &str) -> Option<Version> {
    let mut at = 0_usize;
    loop {
        let entry = data.get(at..)?;
        let number = |index: usize| {
            let bytes = entry.get(index * 4..index * 4 + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().ok()?))
        };
        let name = entry.get(16..)?.split(|byte| *byte == 0).next()?;
        if name == target.as_bytes() {
            return Some(Version(number(1)?, number(2)?, number(3)?));
        }
        match number(0)? {
            0 => return None,
            next => at = at.checked_add(next as usize)?,
        }
    }
}

/// Where kind and parameters lie behind a `struct dm_target_spec` (include/uapi/linux/dm-ioctl.h).
const TARGET_TYPE: core::ops::Range<usize> = 24..40;

/// Reads the first target of a table from what the ioctl returned after its header: its kind and its parameters.
pub fn table(data: &[u8]) -> Option<(String, String)> {
    let text = |bytes: &[u8]| {
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    Some((text(data.get(TARGET_TYPE)?), text(data.get(TARGET_TYPE.end..)?)))
}

/// Whether a table of dm-verity has this root hash (Documentation/admin-guide/device-mapper/verity.rst). One that
/// lets corrupt data pass counts only if it `may_ignore` that.
pub fn has_root_hash(table: &str, root_hash: &[u8], may_ignore: bool) -> bool {
    let mut words = table.split_ascii_whitespace();
    let is_same = words.nth(8).and_then(super::verity::root_hash).as_deref() == Some(root_hash);
    is_same && (may_ignore || words.all(|word| word != "ignore_corruption"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(next: u32, version: [u32; 3], name: &str) -> Vec<u8> {
        let mut bytes: Vec<u8> = [next].iter().chain(&version).flat_map(|number| number.to_ne_bytes()).collect();
        bytes.extend(name.bytes());
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    fn list() -> Vec<u8> {
        let mut list = entry(24, [1, 24, 0], "crypt");
        list.extend(entry(0, [1, 4, 0], "linear"));
        list
    }

    #[test]
    fn targets_are_found() {
        assert_eq!(version(&list(), "crypt"), Some(Version(1, 24, 0)));
        assert_eq!(version(&list(), "linear"), Some(Version(1, 4, 0)));
        assert_eq!(version(&list(), "verity"), None);
        assert_eq!(version(&[], "crypt"), None);
    }

    #[test]
    fn damaged_lists_end() {
        let whole = list();
        for length in 0..whole.len() {
            let _ = version(&whole[..length], "linear");
        }
        for at in 0..whole.len() {
            for value in [0, 1, 8, 127, 255] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = version(&damaged, "linear");
            }
        }
    }

    #[test]
    fn tables_of_verity_tell_their_root_hash() {
        let (hash, other) = ([0xab; 32], [0xac; 32]);
        let line = format!("1 254:0 254:1 4096 4096 256 1 sha256 {} - 1 ignore_zero_blocks", "ab".repeat(32));
        let mut data = vec![0; 24];
        data.extend(b"verity\0\0\0\0\0\0\0\0\0\0");
        data.extend(line.bytes().chain([0, 7]));
        assert_eq!(table(&data), Some(("verity".into(), line.clone())));
        for length in 0..data.len() {
            let _ = table(&data[..length]);
        }
        assert_eq!(table(&data[..39]), None);
        assert!(has_root_hash(&line, &hash, false));
        assert!(!has_root_hash(&line, &other, true));
        let careless = format!("{line} ignore_corruption");
        assert_eq!((has_root_hash(&careless, &hash, false), has_root_hash(&careless, &hash, true)), (false, true));
        assert!(!has_root_hash("", &hash, true) && !has_root_hash("1 2 3 4 5 6 7 8 zz", &[], true));
    }
}
