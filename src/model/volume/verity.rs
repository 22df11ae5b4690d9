//! dm-verity volumes: data that is checked against a tree of hashes.
//!
//! Source: veritytab(5), systemd-veritysetup-generator(8), and the Discoverable Partitions
//! Specification for where root and usr are found.

mod code;
mod option;
pub mod policy;
pub mod table;

use super::origin::Origin;
use super::spec::Spec;

pub use code::hex;
pub use option::{Corruption, Options, Signature};

/// Bytes of a root hash: what dm-verity's digests give, MD5 to SHA-512.
const HASH_SIZES: core::ops::RangeInclusive<usize> = 16..=64;

/// A volume to activate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verity {
    /// The mapping's name.
    pub name: String,
    /// Where the data lies.
    pub data: Spec,
    /// Where the hashes lie; may be the data's device.
    pub hash: Spec,
    /// What the tree must come to.
    pub root_hash: Vec<u8>,
    /// All the rest.
    pub options: Options,
    /// Who spoke of it, the highest first.
    pub origins: Vec<Origin>,
}

/// Reads a root hash in hexadecimal digits.
pub fn root_hash(text: &str) -> Option<Vec<u8>> {
    hex(text).filter(|bytes| HASH_SIZES.contains(&bytes.len()))
}

/// The partitions of data and hashes that belong to a root hash: their UUIDs are its first and its last
/// 128 bits. `None` for a hash too short to have both.
pub fn partitions(root_hash: &[u8]) -> Option<(Spec, Spec)> {
    let (first, rest) = root_hash.split_first_chunk::<16>()?;
    let last = rest.last_chunk::<16>()?;
    Some((Spec::PartUuid(uuid(first)), Spec::PartUuid(uuid(last))))
}

impl Verity {
    /// All that it lies on: data, hashes, error correction. One device may be several of them.
    pub fn devices(&self) -> impl Iterator<Item = &Spec> {
        [&self.data, &self.hash].into_iter().chain(&self.options.fec_device)
    }
}

/// One list of the volumes of the kernel command line and of the table. The line's count where both have the
/// name; those of the table that are `noauto` are left out unless they are among `names`.
pub fn merge(mut line: Vec<Verity>, table: Vec<Verity>, names: &[String]) -> Vec<Verity> {
    for volume in table {
        let is_wanted = !volume.options.noauto || names.contains(&volume.name);
        if is_wanted && line.iter().all(|known| known.name != volume.name) {
            line.push(volume);
        }
    }
    line
}

/// 128 bits as a UUID is written, in their order.
pub fn uuid(bytes: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_follow_from_the_hash() {
        let text = "00112233445566778899AABBCCDDEEFF0123456789abcdef0123456789abcdef";
        let hash = root_hash(text).unwrap();
        let (data, hashes) = partitions(&hash).unwrap();
        assert_eq!(data.to_string(), "PARTUUID=00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(hashes.to_string(), "PARTUUID=01234567-89ab-cdef-0123-456789abcdef");
        assert_eq!(partitions(&hash[..31]), None);
        let long: Vec<u8> = hash.iter().chain(&[7; 32]).copied().collect();
        let end = Spec::PartUuid("07070707-0707-0707-0707-070707070707".into());
        assert_eq!(partitions(&long), Some((data, end)));
    }

    #[test]
    fn the_command_line_goes_before_the_table() {
        let hash = "0a".repeat(32);
        let lines = format!("root /dev/a /dev/b {hash}\nusr /dev/c /dev/d {hash}\nx /dev/e /dev/f {hash} noauto");
        let (table, _) = table::read(&lines, "/v");
        let (line, _) = table::read(&format!("root /dev/g /dev/h {hash}"), "/l");
        let merged = merge(line, table.clone(), &[]);
        let seen: Vec<_> = merged.iter().map(|volume| (volume.name.as_str(), volume.data.to_string())).collect();
        assert_eq!(seen, [("root", "/dev/g".to_owned()), ("usr", "/dev/c".to_owned())]);
        assert_eq!(merge(vec![], table.clone(), &[]).len(), 2);
        assert_eq!(merge(vec![], table, &["x".into()]).len(), 3);
    }

    #[test]
    fn hashes_have_a_length() {
        for bad in ["", "00", "0", "zz", &"0".repeat(63), &"00".repeat(65), &"é".repeat(32)] {
            assert_eq!(root_hash(bad), None, "{bad}");
        }
        for good in [16, 20, 32, 64] {
            assert_eq!(root_hash(&"0a".repeat(good)).map(|hash| hash.len()), Some(good));
        }
    }
}
