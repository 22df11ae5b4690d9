//! What can go wrong while a volume is opened, in words and exit codes.

use nix::errno::Errno;

use crate::error::{Exit, meaning};

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
    /// Somebody else holds the device.
    Busy,
    /// A mapping of that name is there already.
    Exists,
    /// Device-mapper or its crypt target is not there.
    NoMapper,
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
            (_, Errno::ENOMEM) => Self::Memory { needed_kib: 0, free_kib: 0 },
            (_, Errno::EEXIST) => Self::Exists,
            (_, Errno::EBUSY) => Self::Busy,
            (_, Errno::ENODEV | Errno::ENXIO) => Self::Vanished,
            (_, Errno::EIO) => Self::Unreadable,
            (_, Errno::ENOTSUP) => Self::NoMapper,
            (_, Errno::ETXTBSY) => Self::Unsupported,
            _ => Self::Other(code),
        }
    }

    /// Whether another try by the same person can help.
    pub const fn can_retry(&self) -> bool {
        matches!(self, Self::WrongPassphrase | Self::Memory { .. } | Self::Died { .. })
    }

    /// The exit code that fits.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::WrongPassphrase | Self::NoKeyslot => Exit::Passphrase,
            Self::Memory { .. } | Self::Died { .. } | Self::NoWorker => Exit::Memory,
            Self::Exists | Self::Busy => Exit::Busy,
            Self::Missing | Self::Vanished | Self::NotVolume | Self::Unreadable => Exit::Device,
            Self::NoMapper | Self::Unsupported | Self::Other(_) => Exit::Device,
        }
    }

    /// One or two short sentences for the screen: what it was, and what helps.
    pub fn text(&self) -> String {
        let fixed = match self {
            Self::WrongPassphrase => "Wrong passphrase",
            Self::NoKeyslot => "No keyslot of this volume takes a passphrase",
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
            Self::Busy => "The device is in use by something else",
            Self::Exists => "A mapping of this name is open already",
            Self::NoMapper => "The kernel has no device-mapper or no crypt target. Load dm_crypt",
            Self::Unsupported => "The header asks for a feature that is not known here",
            Self::Unreadable => "The device cannot be read",
            Self::Died { signal: 9 } => "Unlocking was killed, probably for want of memory",
            Self::Died { signal: 0 } => "Unlocking ended unexpectedly. Try again",
            Self::Died { signal } => return format!("Unlocking crashed (signal {signal}). Try again"),
            Self::NoWorker => "Unlocking dies whenever it starts, perhaps for want of memory",
            Self::Other(code) => {
                return format!("Unlocking failed: {}", meaning(Errno::from_raw(code.saturating_neg())));
            }
        };
        fixed.into()
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
            (Step::Load, Errno::EPERM, Failure::Unreadable),
            (Step::Load, Errno::EINVAL, Failure::NotVolume),
            (Step::Load, Errno::ENOTBLK, Failure::NotVolume),
            (Step::Load, Errno::ENOENT, Failure::Missing),
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
        assert!(Failure::Other(-22).text().contains("EINVAL"));
    }
}
