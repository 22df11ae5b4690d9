//! What is worth telling about a volume that opens all the same.

use core::fmt;

/// Something about a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// One of LUKS2's two headers was damaged.
    Damaged {
        /// Whether it was the second one.
        is_second: bool,
        /// Whether the other one was written over it.
        is_repaired: bool,
    },
    /// Keyslots whose key is not the volume's.
    Unbound {
        /// How many.
        count: u32,
    },
    /// Keyslots that need a hash which is not built in.
    NoHash {
        /// Its name.
        hash: String,
        /// How many, of this hash or another one.
        count: u32,
    },
    /// The volume is about to get another key.
    Reencrypting,
    /// A volume without header was opened as cryptsetup does when it is told nothing: with the defaults of
    /// its version 2.7 and later.
    Defaults {
        /// What nobody said, as cryptsetup's flags.
        missing: String,
    },
    /// Without the kernel's ciphers for programs (AF_ALG) a volume whose header needs one of them seems to
    /// have another passphrase.
    NoKernelCiphers,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { is_second, is_repaired } => {
                let which = if *is_second { "second" } else { "first" };
                let end = if *is_repaired { "and was repaired" } else { "and could not be repaired" };
                write!(f, "the {which} header was damaged {end}")
            }
            Self::Unbound { count: 1 } => f.write_str("one keyslot is not bound to the volume and cannot open it"),
            Self::Unbound { count } => write!(f, "{count} keyslots are not bound to the volume and cannot open it"),
            Self::NoHash { hash, count: 1 } => {
                write!(f, "one keyslot needs the hash {hash}, which is not built into this program")
            }
            Self::NoHash { hash, count } => {
                write!(f, "{count} keyslots need hashes such as {hash}, which are not built into this program")
            }
            Self::Reencrypting => f.write_str("a reencryption was begun and is not finished"),
            Self::Defaults { missing } => {
                write!(f, "{missing} not given: using the defaults of cryptsetup 2.7, which older versions do not have")
            }
            Self::NoKernelCiphers => {
                f.write_str("the kernel has no algif_skcipher: headers of ciphers but AES cannot be read")
            }
        }
    }
}
