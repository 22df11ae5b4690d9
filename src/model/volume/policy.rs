//! Which performance flags a dm-crypt mapping gets, and why.
//!
//! Decided from facts alone, so that each rule is a line of the test table. The rules are those of
//! the kernel's history: the flags came with 5.9 (dm-crypt 1.22), crashed in soft interrupts until
//! 5.10.9, and gain nothing on rotating disks, where the sorting write thread is the point.

use core::fmt;

/// A version of the kernel, or of a device-mapper target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Reads the numbers at the start of a kernel release such as `6.1.0-57-amd64`.
    pub fn parse(release: &str) -> Option<Self> {
        let end = release.find(|character: char| !character.is_ascii_digit() && character != '.');
        let mut numbers = release.get(..end.unwrap_or(release.len()))?.split('.').map(str::parse);
        let major = numbers.next()?.ok()?;
        let mut part = || numbers.next().and_then(Result::ok).unwrap_or(0);
        Some(Self(major, part(), part()))
    }

    /// The running kernel, from what uname(2) says. Debian's releases stand still (`5.10.0-33-amd64`)
    /// while the kernel moves on, which the version tells: `#1 SMP Debian 5.10.226-1 (2024-10-03)`.
    pub fn of_kernel(release: &str, version: &str) -> Option<Self> {
        let debian = version.split_once("Debian ").and_then(|(_, rest)| Self::parse(rest));
        Self::parse(release).max(debian)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What the user says about a flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// By kernel and disk.
    #[default]
    Auto,
    /// Set, where the kernel knows it.
    On,
    /// Not set.
    Off,
}

/// Whether reads and writes go past dm-crypt's work queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `no_read_workqueue`.
    pub no_read_workqueue: bool,
    /// `no_write_workqueue`.
    pub no_write_workqueue: bool,
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.no_read_workqueue, self.no_write_workqueue) {
            (true, true) => "no_read_workqueue no_write_workqueue",
            (true, false) => "no_read_workqueue",
            (false, true) => "no_write_workqueue",
            (false, false) => "none",
        })
    }
}

/// What the user asks for, flag by flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// `no_read_workqueue`.
    pub read: Choice,
    /// `no_write_workqueue`.
    pub write: Choice,
}

/// What is known about the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The running kernel.
    pub kernel: Option<Version>,
    /// The crypt target (device-mapper's LIST_VERSIONS).
    pub dm_crypt: Option<Version>,
    /// Whether any disk under the device rotates; unknown where sysfs does not say.
    pub rotational: Option<bool>,
    /// Whether any disk under the device is zoned: the kernel then sets its own write path.
    pub zoned: bool,
}

/// The flags, and the reason to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What to ask libcryptsetup for.
    pub flags: Flags,
    /// Why.
    pub reason: Reason,
}

/// Why the flags are as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// A disk that does not rotate, and a kernel that has the flags.
    Solid = 0,
    /// The user said so.
    Asked = 1,
    /// The kernel or its crypt target is older than the flags.
    Old = 2,
    /// The kernel crashes with them.
    Faulty = 3,
    /// A rotating disk.
    Rotating = 4,
    /// A zoned disk.
    Zoned = 5,
    /// Nothing says what kind of disk it is.
    Unknown = 6,
}

impl Reason {
    /// The reason of a number.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Solid,
            1 => Self::Asked,
            2 => Self::Old,
            3 => Self::Faulty,
            4 => Self::Rotating,
            5 => Self::Zoned,
            6 => Self::Unknown,
            _ => return None,
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solid => "the disk does not rotate",
            Self::Asked => "asked for",
            Self::Old => "the kernel is older than the flags",
            Self::Faulty => "kernels 5.9.0 to 5.10.8 crash with the flags",
            Self::Rotating => "the disk rotates",
            Self::Zoned => "the disk is zoned",
            Self::Unknown => "the kind of disk is not known",
        })
    }
}

const FIRST_KERNEL: Version = Version(5, 9, 0);
const MENDED_KERNEL: Version = Version(5, 10, 9);
const FIRST_TARGET: Version = Version(1, 22, 0);

/// Decides. A flag that the kernel does not know is never asked for: libcryptsetup would drop it,
/// but only after the kernel has logged an error.
pub fn decide(facts: &Facts, wish: Wish) -> Decision {
    let (auto, reason) = automatic(facts);
    let known = reason != Reason::Old;
    let flag = |choice| match choice {
        Choice::Auto => auto,
        Choice::On => known,
        Choice::Off => false,
    };
    let flags = Flags { no_read_workqueue: flag(wish.read), no_write_workqueue: flag(wish.write) };
    let asked = known && wish != Wish::default();
    Decision { flags, reason: if asked { Reason::Asked } else { reason } }
}

fn automatic(facts: &Facts) -> (bool, Reason) {
    // A kernel that does not tell its target's version is judged by its own.
    let target_old = facts.dm_crypt.is_some_and(|version| version < FIRST_TARGET);
    let Some(kernel) = facts.kernel else { return (false, Reason::Old) };
    if target_old || (facts.dm_crypt.is_none() && kernel < FIRST_KERNEL) {
        (false, Reason::Old)
    } else if (FIRST_KERNEL..MENDED_KERNEL).contains(&kernel) {
        (false, Reason::Faulty)
    } else if facts.zoned {
        (false, Reason::Zoned)
    } else {
        match facts.rotational {
            Some(true) => (false, Reason::Rotating),
            Some(false) => (true, Reason::Solid),
            None => (false, Reason::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: Version = Version(6, 1, 0);

    fn facts(kernel: Version, target: u32, rotational: Option<bool>, zoned: bool) -> Facts {
        let dm_crypt = (target > 0).then_some(Version(1, target, 0));
        Facts { kernel: Some(kernel), dm_crypt, rotational, zoned }
    }

    #[test]
    fn rules() {
        let solid = Some(false);
        let cases = [
            (facts(NEW, 24, solid, false), true, Reason::Solid),
            (facts(NEW, 24, Some(true), false), false, Reason::Rotating),
            (facts(NEW, 24, None, false), false, Reason::Unknown),
            (facts(NEW, 24, solid, true), false, Reason::Zoned),
            (facts(Version(5, 8, 18), 21, solid, false), false, Reason::Old),
            (facts(Version(5, 8, 18), 0, solid, false), false, Reason::Old),
            // A backport: the target's version counts, not the kernel's.
            (facts(Version(5, 4, 0), 22, solid, false), true, Reason::Solid),
            (facts(Version(5, 9, 0), 22, solid, false), false, Reason::Faulty),
            (facts(Version(5, 10, 8), 22, solid, false), false, Reason::Faulty),
            (facts(Version(5, 10, 9), 22, solid, false), true, Reason::Solid),
            (facts(Version(6, 12, 0), 0, solid, false), true, Reason::Solid),
            (Facts { rotational: solid, ..Facts::default() }, false, Reason::Old),
        ];
        for (facts, on, reason) in cases {
            let decision = decide(&facts, Wish::default());
            let flags = Flags { no_read_workqueue: on, no_write_workqueue: on };
            assert_eq!(decision, Decision { flags, reason }, "{facts:?}");
        }
    }

    #[test]
    fn a_wish_goes_before_the_disk_but_not_before_the_kernel() {
        let wish = Wish { read: Choice::On, write: Choice::Off };
        let decision = decide(&facts(NEW, 24, Some(true), false), wish);
        assert_eq!(decision.flags, Flags { no_read_workqueue: true, no_write_workqueue: false });
        assert_eq!(decision.reason, Reason::Asked);
        let old = decide(&facts(Version(5, 8, 0), 21, Some(false), false), wish);
        assert_eq!(old, Decision { flags: Flags::default(), reason: Reason::Old });
    }

    #[test]
    fn releases_are_read() {
        assert_eq!(Version::parse("6.1.0-57-amd64"), Some(Version(6, 1, 0)));
        assert_eq!(Version::parse("6.12.95+deb12-amd64"), Some(Version(6, 12, 95)));
        assert_eq!(Version::parse("5.10-rc1"), Some(Version(5, 10, 0)));
        let debian = "#1 SMP Debian 5.10.226-1 (2024-10-03)";
        assert_eq!(Version::of_kernel("5.10.0-33-amd64", debian), Some(Version(5, 10, 226)));
        assert_eq!(Version::of_kernel("6.12.3", "#1 SMP PREEMPT_DYNAMIC"), Some(Version(6, 12, 3)));
        assert_eq!(Version::of_kernel("6.12.3", "#1 Debian "), Some(Version(6, 12, 3)));
        for broken in ["", "linux", ".", "99999999999999.1", "é"] {
            assert_eq!(Version::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn reasons_keep_their_numbers() {
        for code in 0..=255 {
            if let Some(reason) = Reason::from_code(code) {
                assert_eq!(reason as u8, code);
            }
        }
    }
}
