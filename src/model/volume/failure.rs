//! What can go wrong while a volume is opened, in words and exit codes.

mod code;

use nix::errno::Errno;

use super::option::Format;
use crate::error::{Error, Exit, meaning};

/// Where the opening was when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading the device and its header.
    Load,
    /// Deriving the key and creating the mapping.
    Activate,
}

/// Why a volume is not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No keyslot opens with this passphrase.
    WrongPassphrase,
    /// The header has no keyslot that could open the volume.
    NoKeyslot,
    /// The one keyslot that was asked for is empty, or opens no volume (an unbound one).
    Keyslot {
        /// Its number.
        slot: u32,
    },
    /// A key file is shorter than the key of a volume without header.
    ShortKey {
        /// Bytes of the key.
        bytes: u32,
    },
    /// A file that goes into the key is not there.
    NoKeyFile,
    /// Without a header there is nothing to test a passphrase on.
    Untestable,
    /// The keyslot's Argon2 needs more memory than there is, both in KiB; 0 is unknown.
    Memory {
        /// What the keyslot asks for.
        needed_kib: u64,
        /// What the kernel could give (MemAvailable).
        free_kib: u64,
    },
    /// The device did not appear in time.
    Missing,
    /// The device vanished while it was used.
    Vanished,
    /// There is no LUKS header on the device.
    NotVolume,
    /// The device holds no volume of the format that was asked for.
    NotFormat(Format),
    /// This program was built without the format.
    NotBuiltIn(Format),
    /// The device ends before the volume does.
    TooSmall,
    /// The device does not end where a sector of the volume does.
    SectorSize {
        /// Bytes of the volume's sectors.
        bytes: u32,
    },
    /// The header is damaged, its second copy, too.
    Damaged,
    /// The volume is about to get another key, and only cryptsetup can go on with that.
    Reencrypting,
    /// Somebody else holds the device.
    Busy,
    /// A mapping of that name is there already.
    Exists,
    /// Device-mapper is not there.
    NoMapper,
    /// The kernel lacks something that a module of this name brings: a target or a cipher.
    NoModule(String),
    /// Nothing here computes the hash of that name, which the header asks for.
    NoHash(String),
    /// The kernel's keyring is not there, where a token has the passphrase.
    NoKeyring,
    /// libcryptsetup cannot keep its locks below `/run`.
    NoLock,
    /// `/dev/urandom` is not there.
    NoRandom,
    /// The header needs something that this build or kernel does not know.
    Unsupported,
    /// The device cannot be read.
    Unreadable,
    /// The process that opens the volume died; the signal, or 0 when it ended by itself.
    Died {
        /// The signal's number.
        signal: u8,
    },
    /// The process that opens the volume dies whenever it is started.
    NoWorker,
    /// What somebody has put in words where it happened.
    Told {
        /// The exit code that fits.
        exit: Exit,
        /// The words.
        text: String,
    },
    /// The hashes of a dm-verity volume come to another root hash.
    WrongRootHash,
    /// Data of a dm-verity volume, or hashes below the root, are not what they were.
    Corrupt,
    /// The kernel takes no root hash without a signature.
    NeedsSignature,
    /// The signature of the root hash is none that the kernel trusts.
    BadSignature,
    /// The kernel's dm-verity does not take what it is told.
    Refused,
    /// There is no tree of hashes where one should be.
    NoTree,
    /// Anything else, by its error number.
    Other(i32),
}

impl Failure {
    /// What libcryptsetup's return value (a negative error number) means at `step`.
    ///
    /// Source: the documentation of `crypt_load` and `crypt_activate_by_passphrase` in
    /// libcryptsetup.h, and lib/luks2/luks2_keyslot.c for what comes from below.
    pub fn of(step: Step, code: i32) -> Self {
        match (step, Errno::from_raw(code.saturating_neg())) {
            (Step::Activate, Errno::EPERM) => Self::WrongPassphrase,
            (Step::Activate, Errno::ENOENT) => Self::NoKeyslot,
            (Step::Load, Errno::EPERM | Errno::EACCES) => Self::Unreadable,
            (Step::Load, Errno::ENOENT) => Self::Missing,
            // ENOTBLK: it is there and no disk.
            (Step::Load, Errno::EINVAL | Errno::ENOTBLK) => Self::NotVolume,
            (Step::Load, Errno::ENOTSUP) => Self::Unsupported,
            (_, Errno::ENOMEM) => Self::Memory { needed_kib: 0, free_kib: 0 },
            (_, Errno::EEXIST) => Self::Exists,
            (_, Errno::EBUSY) => Self::Busy,
            (_, Errno::ENODEV | Errno::ENXIO) => Self::Vanished,
            (_, Errno::EIO) => Self::Unreadable,
            (_, Errno::ENOSYS) => Self::NoRandom,
            (Step::Activate, Errno::ENOTSUP) => Self::NoMapper,
            (_, Errno::ETXTBSY) => Self::Unsupported,
            // The key that a reencryption has begun with is not the one that was given.
            (_, Errno::ESRCH) => Self::Reencrypting,
            _ => Self::Other(code),
        }
    }

    /// A failure in words.
    pub fn told(error: &Error) -> Self {
        Self::Told { exit: error.exit(), text: error.to_string() }
    }

    /// Whether another try by the same person can help.
    pub const fn can_retry(&self) -> bool {
        matches!(self, Self::WrongPassphrase | Self::Memory { .. } | Self::Died { .. })
    }

    /// The exit code that fits.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Told { exit, .. } => *exit,
            Self::WrongPassphrase | Self::NoKeyslot | Self::Keyslot { .. } | Self::ShortKey { .. } => Exit::Passphrase,
            Self::WrongRootHash | Self::NeedsSignature | Self::BadSignature => Exit::Passphrase,
            Self::Untestable | Self::NoKeyFile => Exit::Parameters,
            Self::Memory { .. } | Self::Died { .. } | Self::NoWorker => Exit::Memory,
            Self::Exists | Self::Busy => Exit::Busy,
            _ => Exit::Device,
        }
    }

    /// One or two short sentences for the screen: what it was, and what helps.
    pub fn text(&self) -> String {
        let fixed = match self {
            Self::WrongPassphrase => "Wrong passphrase",
            Self::NoKeyslot => "No keyslot of this volume takes a passphrase",
            Self::Keyslot { slot } => return format!("Keyslot {slot} does not open this volume. Ask for another one"),
            Self::ShortKey { bytes } => return format!("The key file is too short: the key has {bytes} bytes"),
            Self::NoKeyFile => "A key file is not there. Check its path",
            Self::Untestable => "Without a header no passphrase can be tested",
            Self::Memory { needed_kib: 0, .. } => "Not enough memory for this keyslot",
            Self::Memory { needed_kib, free_kib } => {
                return format!(
                    "Not enough memory: the keyslot needs {}, {} is free",
                    size(*needed_kib),
                    size(*free_kib)
                );
            }
            Self::Missing => "The device is not there. Check its path and its driver",
            Self::Vanished => "The device vanished",
            Self::NotVolume => "This is not a LUKS volume",
            Self::NotFormat(Format::Tcrypt) => "This is not a TrueCrypt or VeraCrypt volume",
            Self::NotFormat(format) => return format!("This is not a {} volume", name(*format)),
            Self::NotBuiltIn(format) => return format!("{} is not built into this program", name(*format)),
            Self::TooSmall => "The device ends before the volume does. Was it made smaller?",
            Self::SectorSize { bytes } => {
                return format!("The device's size is no multiple of the volume's sectors of {bytes} bytes");
            }
            Self::Damaged => "The header is damaged. Restore a backup of it",
            Self::Reencrypting => "A reencryption was begun. Finish it with cryptsetup reencrypt",
            Self::Busy => "The device is in use by something else",
            Self::Exists => "A mapping of this name is open already",
            Self::NoMapper => "The kernel has no device-mapper. Load dm_mod",
            Self::NoModule(module) => return format!("The kernel lacks {module}. Load that module"),
            Self::NoHash(hash) => return format!("The hash {hash} is not built into this program"),
            Self::NoKeyring => "The kernel has no keyring, where the token has its key",
            Self::NoLock => "/run cannot be written to. Mount a tmpfs there",
            Self::NoRandom => "There is no /dev/urandom. Mount a devtmpfs on /dev",
            Self::Unsupported => "The header asks for a feature that is not known here",
            Self::Unreadable => "The device cannot be read",
            Self::Died { signal: 9 } => "Unlocking was killed, probably for want of memory",
            Self::Died { signal: 0 } => "Unlocking ended unexpectedly. Try again",
            Self::Died { signal } => return format!("Unlocking crashed (signal {signal}). Try again"),
            Self::NoWorker => "Unlocking dies whenever it starts, perhaps for want of memory",
            Self::Told { text, .. } => return text.clone(),
            Self::WrongRootHash => "The root hash is wrong: the volume's hashes come to another one",
            Self::Corrupt => "The data is not what its root hash vouches for. Restore it",
            Self::NeedsSignature => "The kernel wants the root hash to be signed, and no signature is given",
            Self::BadSignature => "The kernel does not trust the root hash's signature",
            Self::Refused => "The kernel's dm-verity does not know one of the volume's options",
            Self::NoTree => "There is no dm-verity superblock on the hash device",
            Self::Other(code) => {
                let errno = Errno::from_raw(code.saturating_neg());
                // All that the kernel can have against a mapping is one number.
                let hint = if errno == Errno::EINVAL { ". The kernel's log may say why" } else { "" };
                return format!("Unlocking failed: {}{hint}", meaning(errno));
            }
        };
        fixed.into()
    }
}

/// What people call a format.
const fn name(format: Format) -> &'static str {
    match format {
        Format::Luks => "LUKS",
        Format::Plain => "plain dm-crypt",
        Format::Tcrypt => "TrueCrypt",
        Format::Bitlocker => "BitLocker",
        Format::FileVault => "FileVault2",
    }
}

/// KiB in the unit that a person would use.
fn size(kib: u64) -> String {
    const GIB: u64 = 1 << 20;
    match kib {
        GIB.. => format!("{}.{} GiB", kib / GIB, kib % GIB * 10 / GIB),
        _ => format!("{} MiB", kib / 1024),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_mean_what_the_library_says() {
        let cases = [
            (Step::Activate, Errno::EPERM, Failure::WrongPassphrase),
            (Step::Activate, Errno::ENOENT, Failure::NoKeyslot),
            (Step::Activate, Errno::EEXIST, Failure::Exists),
            (Step::Activate, Errno::EBUSY, Failure::Busy),
            (Step::Activate, Errno::ENODEV, Failure::Vanished),
            (Step::Activate, Errno::ENOTSUP, Failure::NoMapper),
            (Step::Activate, Errno::ETXTBSY, Failure::Unsupported),
            (Step::Activate, Errno::ESRCH, Failure::Reencrypting),
            (Step::Activate, Errno::ENOSYS, Failure::NoRandom),
            (Step::Activate, Errno::EIO, Failure::Unreadable),
            (Step::Load, Errno::EPERM, Failure::Unreadable),
            (Step::Load, Errno::EINVAL, Failure::NotVolume),
            (Step::Load, Errno::ENOTBLK, Failure::NotVolume),
            (Step::Load, Errno::ENOENT, Failure::Missing),
            (Step::Load, Errno::ENOTSUP, Failure::Unsupported),
        ];
        for (step, errno, failure) in cases {
            assert_eq!(Failure::of(step, -(errno as i32)), failure, "{step:?} {errno:?}");
        }
        assert_eq!(Failure::of(Step::Load, -4095), Failure::Other(-4095));
        assert_eq!(Failure::of(Step::Load, i32::MIN), Failure::Other(i32::MIN));
    }

    #[test]
    fn only_a_wrong_passphrase_says_so() {
        let failure = Failure::Memory { needed_kib: 1 << 20, free_kib: 630_000 };
        assert_eq!(failure.text(), "Not enough memory: the keyslot needs 1.0 GiB, 615 MiB is free");
        assert_eq!(failure.exit(), Exit::Memory);
        assert_eq!(
            Failure::Other(-22).text(),
            "Unlocking failed: Invalid argument (EINVAL). The kernel's log may say why"
        );
        let alike = Failure::all().into_iter().filter(|failure| failure.text().contains("assphrase"));
        let alike: Vec<Failure> = alike.collect();
        assert_eq!(alike, [Failure::WrongPassphrase, Failure::NoKeyslot, Failure::Untestable]);
    }

    #[test]
    fn each_has_words_of_its_own_that_fit_a_small_screen() {
        let mut texts: Vec<String> = Failure::all().iter().map(Failure::text).collect();
        assert!(texts.iter().all(|text| text.chars().count() <= 75 && !text.ends_with('.')), "{texts:#?}");
        texts.sort();
        let count = texts.len();
        texts.dedup();
        assert_eq!(texts.len(), count);
    }
}
