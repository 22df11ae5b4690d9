//! Keymap files in the format `bkeymap`, as `loadkeys -b` of kbd and `dumpkmap` of busybox write them:
//! the magic word, one byte for each of 256 tables that says whether it is there, and those tables,
//! 128 values of KDGKBENT each in the machine's byte order, which is little-endian.

use super::entry::unicode;
use super::{KEYS, Keymap, Table};

const MAGIC: &[u8] = b"bkeymap";
/// Bytes before the first table.
const HEADER: usize = MAGIC.len() + 256;
/// Bytes of a table.
const SIZE: usize = 2 * KEYS;
/// Values from here on are Unicode: the kernel has no more types than this (NR_TYPES).
const UNICODE: u16 = 0x1000;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// At which byte.
    pub offset: usize,
    /// What it is.
    pub reason: &'static str,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.reason)
    }
}

/// Reads a whole file. Accents are those of the kernel's own tables: the format has none.
///
/// # Errors
/// The first [`Problem`].
pub fn parse(bytes: &[u8]) -> Result<Keymap, Problem> {
    let problem = |offset: usize, reason: &'static str| Problem { offset, reason };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(problem(0, "it is compressed: unpack it first"));
    }
    if !bytes.starts_with(MAGIC) {
        return Err(problem(0, "it does not begin with \"bkeymap\""));
    }
    let flags = bytes.get(MAGIC.len()..HEADER).ok_or(problem(bytes.len(), "it ends within the list of tables"))?;
    if let Some(place) = flags.iter().position(|flag| *flag > 1) {
        return Err(problem(MAGIC.len() + place, "neither 0 nor 1 in the list of tables"));
    }
    if flags.first() != Some(&1) {
        return Err(problem(MAGIC.len(), "there is no table for no modifiers"));
    }
    let mut keymap = Keymap::empty();
    let mut offset = HEADER;
    for modifiers in (0..=u8::MAX).filter(|number| flags.get(usize::from(*number)) == Some(&1)) {
        let end = offset + SIZE;
        let table = bytes.get(offset..end).ok_or(problem(bytes.len(), "it ends within a table"))?;
        keymap.set(modifiers, &read(table).map_err(|place| problem(offset + place, "a value that no key can have"))?);
        offset = end;
    }
    if bytes.len() > offset {
        return Err(problem(offset, "there is something behind the last table"));
    }
    if !keymap.types() {
        return Err(problem(HEADER, "no key types a character"));
    }
    Ok(keymap.with_accents(super::us::accents()))
}

/// Reads a table; the place of a value that cannot be.
fn read(bytes: &[u8]) -> Result<Table, usize> {
    let mut table = [0; KEYS];
    for (number, (place, value)) in table.iter_mut().zip(bytes.chunks_exact(2)).enumerate() {
        *place = value.iter().rev().fold(0, |value, byte| value << 8 | u16::from(*byte));
        if *place >= UNICODE && unicode(*place).is_none() {
            return Err(2 * number);
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;
    use crate::model::prompt::keymap::Entry;

    /// The German keymap of Debian's console-data.
    const GERMAN: &[u8] = include_bytes!("../../../../tests/keymap/de-latin1.bmap");

    fn refused(change: impl Fn(&mut Vec<u8>)) -> String {
        let mut bytes = GERMAN.to_vec();
        change(&mut bytes);
        parse(&bytes).unwrap_err().to_string()
    }

    #[test]
    fn a_real_file_is_read() {
        let keymap = parse(GERMAN).unwrap();
        assert_eq!(keymap.entry(0, 12), Some(Entry::Character('ß')));
        assert!(keymap.has(0) && keymap.has(2) && !keymap.has(3));
        assert_eq!(keymap.modifiers(), 0x0f);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(refused(Vec::clear), "byte 0: it does not begin with \"bkeymap\"");
        assert_eq!(refused(|bytes| bytes[6] = b'q'), "byte 0: it does not begin with \"bkeymap\"");
        assert_eq!(
            refused(|bytes| bytes.splice(..0, [0x1f, 0x8b]).for_each(drop)),
            "byte 0: it is compressed: unpack it first"
        );
        assert_eq!(refused(|bytes| bytes.truncate(100)), "byte 100: it ends within the list of tables");
        assert_eq!(refused(|bytes| bytes[10] = 2), "byte 10: neither 0 nor 1 in the list of tables");
        assert_eq!(refused(|bytes| bytes[7] = 0), "byte 7: there is no table for no modifiers");
        assert_eq!(refused(|bytes| bytes.truncate(2822)), "byte 2822: it ends within a table");
        assert_eq!(refused(|bytes| bytes[200] = 1), "byte 2823: it ends within a table");
        assert_eq!(refused(|bytes| bytes.push(0)), "byte 2823: there is something behind the last table");
        // U+D800.
        assert_eq!(refused(|bytes| bytes[272] = 0x28), "byte 271: a value that no key can have");
        assert_eq!(refused(|bytes| bytes[HEADER..].fill(2)), "byte 263: no key types a character");
    }

    #[test]
    fn noise_never_panics() {
        let mut noise = Noise::new(88_172_645_463_325_252);
        let mut random = move || noise.draw() as usize;
        let (mut read, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mut bytes = GERMAN.to_vec();
            for _ in 0..random() % 4 {
                let place = random() % bytes.len();
                bytes[place] = random() as u8;
            }
            if random() % 4 == 0 {
                bytes.truncate(random() % (bytes.len() + 1));
            }
            match parse(&bytes) {
                Ok(keymap) => {
                    assert!(keymap.has(0) && keymap.types());
                    read += 1;
                }
                Err(problem) => {
                    assert!(problem.offset <= bytes.len());
                    refused += 1;
                }
            }
        }
        assert!(read > 1000 && refused > 1000, "{read} {refused}");
    }
}
