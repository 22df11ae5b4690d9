//! Failures as bytes, to be told from one process to the other.

use super::super::option::Format;
use super::Failure;
use crate::error::Exit;

/// Bytes of a name that goes with a failure.
pub(super) const NAME_MAX: usize = 48;

/// Bytes of words; what is longer loses its end.
const TEXT_MAX: usize = 255;

const FORMATS: [Format; 5] = [Format::Luks, Format::Plain, Format::Tcrypt, Format::Bitlocker, Format::FileVault];

impl Failure {
    /// Bytes that any failure fits in.
    pub const BYTES_MAX: usize = 17 + TEXT_MAX;

    /// A byte that tells which, two numbers, and a name.
    pub fn encode(&self) -> Vec<u8> {
        let format = |format: &Format| FORMATS.iter().position(|other| other == format).unwrap_or(0) as u64;
        let mut name = "";
        let (kind, values): (u8, [u64; 2]) = match self {
            Self::WrongPassphrase => (0, [0; 2]),
            Self::NoKeyslot => (1, [0; 2]),
            Self::Memory { needed_kib, free_kib } => (2, [*needed_kib, *free_kib]),
            Self::Missing => (3, [0; 2]),
            Self::Vanished => (4, [0; 2]),
            Self::NotVolume => (5, [0; 2]),
            Self::Busy => (6, [0; 2]),
            Self::Exists => (7, [0; 2]),
            Self::NoMapper => (8, [0; 2]),
            Self::Unsupported => (9, [0; 2]),
            Self::Unreadable => (10, [0; 2]),
            Self::Died { signal } => (11, [u64::from(*signal), 0]),
            Self::NoWorker => (12, [0; 2]),
            Self::Other(code) => (13, [u64::from(code.cast_unsigned()), 0]),
            Self::Keyslot { slot } => (14, [u64::from(*slot), 0]),
            Self::ShortKey { bytes } => (15, [u64::from(*bytes), 0]),
            Self::Untestable => (16, [0; 2]),
            Self::NotFormat(other) => (17, [format(other), 0]),
            Self::NotBuiltIn(other) => (18, [format(other), 0]),
            Self::TooSmall => (19, [0; 2]),
            Self::SectorSize { bytes } => (20, [u64::from(*bytes), 0]),
            Self::Damaged => (21, [0; 2]),
            Self::Reencrypting => (22, [0; 2]),
            Self::NoKeyring => (23, [0; 2]),
            Self::NoLock => (24, [0; 2]),
            Self::NoRandom => (25, [0; 2]),
            Self::NoKeyFile => (28, [0; 2]),
            Self::NoModule(module) => {
                name = module;
                (26, [0; 2])
            }
            Self::NoHash(hash) => {
                name = hash;
                (27, [0; 2])
            }
            Self::WrongRootHash => (30, [0; 2]),
            Self::Corrupt => (31, [0; 2]),
            Self::NeedsSignature => (32, [0; 2]),
            Self::BadSignature => (33, [0; 2]),
            Self::NoTree => (34, [0; 2]),
            Self::Refused => (35, [0; 2]),
            Self::Told { exit, .. } => (29, [u64::from(exit.code()), 0]),
        };
        let mut bytes = vec![kind];
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.extend(name.bytes().filter(u8::is_ascii_graphic).take(NAME_MAX));
        if let Self::Told { text, .. } = self {
            let mut ends = (0..=text.len().min(TEXT_MAX)).rev();
            bytes.extend(ends.find_map(|end| text.get(..end)).unwrap_or_default().bytes());
        }
        bytes
    }

    /// Reads what [`Failure::encode`] wrote; `None` for anything else.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let (first, rest) = rest.split_first_chunk::<8>()?;
        let (second, name) = rest.split_first_chunk::<8>()?;
        let (first, second) = (u64::from_le_bytes(*first), u64::from_le_bytes(*second));
        let failure = failure(*kind, first, second, core::str::from_utf8(name).ok()?)?;
        // One form for each: what would be written otherwise was not written by `encode`.
        (failure.encode() == bytes).then_some(failure)
    }

    /// One of each kind.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let one = |kind| [4 << 20, 2].into_iter().find_map(|first| failure(kind, first, 300_000, "blake2b-512"));
        (0..=u8::MAX).filter_map(one).collect()
    }
}

fn failure(kind: u8, first: u64, second: u64, name: &str) -> Option<Failure> {
    let number = u32::try_from(first);
    let format = usize::try_from(first).ok().and_then(|at| FORMATS.get(at)).copied();
    Some(match kind {
        0 => Failure::WrongPassphrase,
        1 => Failure::NoKeyslot,
        2 => Failure::Memory { needed_kib: first, free_kib: second },
        3 => Failure::Missing,
        4 => Failure::Vanished,
        5 => Failure::NotVolume,
        6 => Failure::Busy,
        7 => Failure::Exists,
        8 => Failure::NoMapper,
        9 => Failure::Unsupported,
        10 => Failure::Unreadable,
        11 => Failure::Died { signal: u8::try_from(first).ok()? },
        12 => Failure::NoWorker,
        13 => Failure::Other(number.ok()?.cast_signed()),
        14 => Failure::Keyslot { slot: number.ok()? },
        15 => Failure::ShortKey { bytes: number.ok()? },
        16 => Failure::Untestable,
        17 => Failure::NotFormat(format?),
        18 => Failure::NotBuiltIn(format?),
        19 => Failure::TooSmall,
        20 => Failure::SectorSize { bytes: number.ok()? },
        21 => Failure::Damaged,
        22 => Failure::Reencrypting,
        23 => Failure::NoKeyring,
        24 => Failure::NoLock,
        25 => Failure::NoRandom,
        26 => Failure::NoModule(name.into()),
        27 => Failure::NoHash(name.into()),
        28 => Failure::NoKeyFile,
        29 => Failure::Told { exit: Exit::from_code(u8::try_from(first).ok()?)?, text: name.into() },
        30 => Failure::WrongRootHash,
        31 => Failure::Corrupt,
        32 => Failure::NeedsSignature,
        33 => Failure::BadSignature,
        34 => Failure::NoTree,
        35 => Failure::Refused,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_go_both_ways() {
        let mut failures = Failure::all();
        assert_eq!(failures.len(), 36);
        failures.extend([Failure::Other(-22), Failure::NotFormat(Format::Luks), Failure::NoModule(String::new())]);
        for failure in failures {
            let bytes = failure.encode();
            assert!(bytes.len() <= Failure::BYTES_MAX);
            assert_eq!(Failure::decode(&bytes), Some(failure));
        }
        let told = |text: String| Failure::Told { exit: Exit::Device, text };
        assert_eq!(Failure::decode(&told("\u{df} ".repeat(99)).encode()), Some(told("\u{df} ".repeat(85))));
        let long = Failure::NoHash("a\u{1b}é ".repeat(99));
        assert_eq!(Failure::decode(&long.encode()), Some(Failure::NoHash("a".repeat(NAME_MAX))));
    }

    #[test]
    fn damaged_ones_are_refused_or_read_as_something_whole() {
        for failure in Failure::all() {
            let bytes = failure.encode();
            for length in 0..17 {
                assert_eq!(Failure::decode(&bytes[..length]), None);
            }
            for at in 0..bytes.len() {
                for value in 0..=255 {
                    let mut damaged = bytes.clone();
                    damaged[at] = value;
                    if let Some(other) = Failure::decode(&damaged) {
                        assert_eq!(other.encode(), damaged);
                    }
                }
            }
            let is_told = matches!(failure, Failure::Told { .. });
            assert!(is_told || Failure::decode(&[bytes.as_slice(), b" ".as_slice()].concat()).is_none());
            assert_eq!(Failure::decode(&[bytes.as_slice(), b"\xff".as_slice()].concat()), None);
        }
    }
}
