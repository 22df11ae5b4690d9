//! What the prompt and the worker process tell each other, as bytes of one datagram each.
//!
//! The passphrase is not among it: it stays in the memory that both share.

use super::failure::Failure;
use super::policy::{Decision, Flags, Reason};

/// Bytes that any message fits in.
pub const MESSAGE_MAX: usize = 1024;

/// Bytes of a text in one; what is longer loses its end.
const TEXT_MAX: usize = 255;

/// In place of flags that could not be read.
const UNKNOWN: u8 = 0xff;

/// From the prompt to the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Find a volume, read its header, and open it if that needs nobody. Not before this, so that the first
    /// picture has the processor to itself.
    Load {
        /// Which one, counted from 0.
        volume: u8,
    },
    /// Try the first `length` bytes of the shared buffer.
    Unlock {
        /// Bytes of the passphrase.
        length: u32,
    },
}

/// From the worker to the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The header is read; a passphrase can be tried.
    Ready(Ready),
    /// The volume is open.
    Opened(Opened),
    /// It is not open.
    Failed(Failure),
}

/// A volume that waits for its passphrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// What the most expensive keyslot asks for, in KiB; 0 without Argon2.
    pub memory_kib: u64,
    /// What the kernel could give (MemAvailable), in KiB; 0 is unknown.
    pub free_kib: u64,
    /// The name that the mapping is going to have; empty where only the passphrase is checked.
    pub name: String,
    /// The header's UUID; empty where there is none.
    pub uuid: String,
}

/// A volume that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// What was asked for, and why.
    pub decision: Decision,
    /// What the kernel says now, where it says anything.
    pub effective: Option<Flags>,
    /// The mapping's name; empty where only the passphrase was checked.
    pub name: String,
    /// The device that holds the volume.
    pub device: String,
    /// Somebody else was faster.
    pub is_old: bool,
}

impl Opened {
    /// What the log says of it; `None` where only the passphrase was checked.
    pub fn text(&self) -> Option<String> {
        let Self { decision: Decision { flags, reason }, effective, name, device, is_old } = self;
        let effective = effective.map_or("unknown".into(), |flags| flags.to_string());
        match (name.is_empty(), is_old) {
            (true, _) => None,
            _ if *reason == Reason::Verity => {
                let already = if *is_old { "is open already" } else { "opened" };
                Some(format!("{device} {already} as {name}, and is what its root hash vouches for"))
            }
            (_, true) => Some(format!("{device} is open already as {name}; effective flags: {effective}")),
            _ => {
                Some(format!("{device} opened as {name}; flags requested: {flags} ({reason}); effective: {effective}"))
            }
        }
    }
}

impl Request {
    /// The bytes to send.
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Load { volume } => vec![b'L', volume],
            Self::Unlock { length } => {
                let mut bytes = vec![b'U'];
                bytes.extend(length.to_le_bytes());
                bytes
            }
        }
    }

    /// Reads what [`Request::encode`] wrote; `None` for anything else.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let request = match reader.byte()? {
            b'L' => Self::Load { volume: reader.byte()? },
            b'U' => Self::Unlock { length: u32::try_from(reader.number::<4>()?).ok()? },
            _ => return None,
        };
        // One form for each message: what would be written otherwise was not written by `encode`.
        (request.encode() == bytes).then_some(request)
    }
}

impl Report {
    /// The bytes to send.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Ready(ready) => {
                let mut bytes = pack(b'R', &[ready.memory_kib, ready.free_kib]);
                put(&mut bytes, &ready.name);
                put(&mut bytes, &ready.uuid);
                bytes
            }
            Self::Opened(opened) => {
                let decision = opened.decision;
                let effective = opened.effective.map_or(UNKNOWN, Flags::bits);
                let mut bytes = vec![b'O', decision.flags.bits(), decision.reason as u8, effective];
                bytes.push(opened.is_old.into());
                put(&mut bytes, &opened.name);
                put(&mut bytes, &opened.device);
                bytes
            }
            Self::Failed(failure) => {
                let mut bytes = vec![b'F'];
                bytes.extend(failure.encode());
                bytes
            }
        }
    }

    /// Reads what [`Report::encode`] wrote; `None` for anything else.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let report = match reader.byte()? {
            b'R' => Self::Ready(Ready {
                memory_kib: reader.number::<8>()?,
                free_kib: reader.number::<8>()?,
                name: reader.text()?,
                uuid: reader.text()?,
            }),
            b'O' => {
                let flags = Flags::from_bits(reader.byte()?)?;
                let reason = Reason::from_code(reader.byte()?)?;
                let effective = match reader.byte()? {
                    UNKNOWN => None,
                    bits => Some(Flags::from_bits(bits)?),
                };
                Self::Opened(Opened {
                    decision: Decision { flags, reason },
                    effective,
                    is_old: reader.byte()? == 1,
                    name: reader.text()?,
                    device: reader.text()?,
                })
            }
            b'F' => Self::Failed(Failure::decode(reader.0)?),
            _ => return None,
        };
        (report.encode() == bytes).then_some(report)
    }
}

fn pack(tag: u8, values: &[u64]) -> Vec<u8> {
    let mut bytes = vec![tag];
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    bytes
}

/// A text behind its length.
fn put(bytes: &mut Vec<u8>, text: &str) {
    let mut ends = (0..=text.len().min(TEXT_MAX)).rev();
    let text = ends.find_map(|end| text.get(..end)).unwrap_or_default();
    bytes.push(text.len() as u8);
    bytes.extend(text.bytes());
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn text(&mut self) -> Option<String> {
        let length = usize::from(self.byte()?);
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number<const N: usize>(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(number.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Vec<Report> {
        let decision = Decision {
            flags: Flags { no_read_workqueue: true, high_priority: true, ..Flags::default() },
            reason: Reason::Asked,
        };
        let effective = Some(Flags { no_write_workqueue: true, ..Flags::default() });
        let opened = [effective, None].map(|effective| {
            let (name, device) = ("root".into(), "/dev/vda".into());
            Report::Opened(Opened { decision, effective, name, device, is_old: effective.is_none() })
        });
        let (name, uuid) = ("luks-\u{df}".into(), "3f1a".into());
        let mut reports = vec![Report::Ready(Ready { memory_kib: 1 << 40, free_kib: 3, name, uuid })];
        reports.extend(opened);
        let failures = [Failure::Other(-22), Failure::Busy, Failure::NoModule("dm_crypt".into())];
        reports.extend(failures.map(Report::Failed));
        reports
    }

    #[test]
    fn messages_go_both_ways() {
        for report in reports() {
            let bytes = report.encode();
            assert!(bytes.len() <= MESSAGE_MAX);
            assert_eq!(Report::decode(&bytes), Some(report));
        }
        let request = Request::Unlock { length: 2048 };
        assert_eq!(Request::decode(&request.encode()), Some(request));
    }

    #[test]
    fn long_texts_lose_their_end_between_two_characters() {
        let ready = |name: String| Report::Ready(Ready { name, ..Ready::default() });
        let long = ready("\u{df}".repeat(200));
        assert_eq!(Report::decode(&long.encode()), Some(ready("\u{df}".repeat(127))));
        assert!(long.encode().len() <= MESSAGE_MAX);
    }

    #[test]
    fn damaged_messages_are_refused_or_read_as_something_whole() {
        for report in reports() {
            let bytes = report.encode();
            // A name may end anywhere.
            for length in 0..bytes.len().min(17) {
                assert_eq!(Report::decode(&bytes[..length]), None);
            }
            for at in 0..bytes.len() {
                for value in 0..=255 {
                    let mut damaged = bytes.clone();
                    damaged[at] = value;
                    if let Some(other) = Report::decode(&damaged) {
                        assert_eq!(other.encode(), damaged);
                    }
                }
            }
        }
        let load = Request::Load { volume: 7 };
        assert_eq!(Request::decode(&load.encode()), Some(load));
        assert_eq!(Request::decode(b"L"), None);
        assert_eq!(Request::decode(b"L12"), None);
        assert_eq!(Request::decode(b"U"), None);
        assert_eq!(Request::decode(b"X1234"), None);
        assert_eq!(Request::decode(b"U12345"), None);
    }
}
