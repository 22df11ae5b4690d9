//! The kernel's list of device-mapper targets (DM_LIST_VERSIONS).

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
}
