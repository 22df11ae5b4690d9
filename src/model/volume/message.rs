//! What the prompt and the worker process tell each other, as bytes of one datagram each.
//!
//! The passphrase is not among it: it stays in the memory that both share.

use super::failure::Failure;
use super::policy::{Decision, Flags, Reason};

/// Bytes that any message fits in.
pub const MESSAGE_MAX: usize = 1 + Failure::BYTES_MAX;

/// In place of flags that could not be read.
const UNKNOWN: u8 = 0xff;

/// From the prompt to the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Read the header. Not before this, so that the first picture has the processor to itself.
    Load,
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
    Ready {
        /// What the most expensive keyslot asks for; 0 without Argon2.
        memory_kib: u64,
    },
    /// The volume is open.
    Opened {
        /// What was asked for, and why.
        decision: Decision,
        /// What the kernel says now, where it says anything.
        effective: Option<Flags>,
    },
    /// It is not open.
    Failed(Failure),
}

impl Request {
    /// The bytes to send.
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Load => vec![b'L'],
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
            b'L' => Self::Load,
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
            Self::Ready { memory_kib } => pack(b'R', &[*memory_kib]),
            Self::Opened { decision, effective } => {
                vec![b'O', decision.flags.bits(), decision.reason as u8, effective.map_or(UNKNOWN, Flags::bits)]
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
            b'R' => Self::Ready { memory_kib: reader.number::<8>()? },
            b'O' => {
                let flags = Flags::from_bits(reader.byte()?)?;
                let reason = Reason::from_code(reader.byte()?)?;
                let effective = match reader.byte()? {
                    UNKNOWN => None,
                    bits => Some(Flags::from_bits(bits)?),
                };
                Self::Opened { decision: Decision { flags, reason }, effective }
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

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
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
        let opened = [effective, None].map(|effective| Report::Opened { decision, effective });
        let mut reports = vec![Report::Ready { memory_kib: 1 << 40 }];
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
        assert_eq!(Request::decode(&Request::Load.encode()), Some(Request::Load));
        assert_eq!(Request::decode(b"L1"), None);
        assert_eq!(Request::decode(b"U"), None);
        assert_eq!(Request::decode(b"X1234"), None);
        assert_eq!(Request::decode(b"U12345"), None);
    }
}
