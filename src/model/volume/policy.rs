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

/// The performance flags of a dm-crypt mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `no_read_workqueue`: reads are decrypted where they complete.
    pub no_read_workqueue: bool,
    /// `no_write_workqueue`: writes are encrypted where they are submitted.
    pub no_write_workqueue: bool,
    /// `same_cpu_crypt`: work stays on the processor that submitted it.
    pub same_cpu_crypt: bool,
    /// `submit_from_crypt_cpus`: no thread of its own sorts and submits writes.
    pub submit_from_crypt_cpus: bool,
    /// `high_priority`: the work queues go before others.
    pub high_priority: bool,
}

/// The kernel's names, in the order of [`Flags::bits`].
const NAMES: [&str; 5] =
    ["no_read_workqueue", "no_write_workqueue", "same_cpu_crypt", "submit_from_crypt_cpus", "high_priority"];

impl Flags {
    /// One bit for each, the first one lowest.
    pub const fn bits(self) -> u8 {
        self.no_read_workqueue as u8
            | (self.no_write_workqueue as u8) << 1
            | (self.same_cpu_crypt as u8) << 2
            | (self.submit_from_crypt_cpus as u8) << 3
            | (self.high_priority as u8) << 4
    }

    /// What [`Flags::bits`] gave; `None` for anything else.
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits >= 1 << NAMES.len() {
            return None;
        }
        Some(Self {
            no_read_workqueue: bits & 1 != 0,
            no_write_workqueue: bits & 2 != 0,
            same_cpu_crypt: bits & 4 != 0,
            submit_from_crypt_cpus: bits & 8 != 0,
            high_priority: bits & 16 != 0,
        })
    }

    /// The kernel's names of those that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().enumerate().filter(move |(at, _)| self.bits() >> at & 1 != 0).map(|(_, name)| name)
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        for name in self.names() {
            write!(f, "{before}{name}")?;
            before = " ";
        }
        if before.is_empty() { f.write_str("none") } else { Ok(()) }
    }
}

/// What the user asks for, flag by flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// `no_read_workqueue`.
    pub read: Choice,
    /// `no_write_workqueue`.
    pub write: Choice,
    /// `same_cpu_crypt`.
    pub same_cpu_crypt: Choice,
    /// `submit_from_crypt_cpus`.
    pub submit_from_crypt_cpus: Choice,
    /// `high_priority`.
    pub high_priority: Choice,
}

impl Wish {
    /// The flags of which `choice` is said, as [`Flags::bits`].
    fn bits(self, choice: Choice) -> u8 {
        let said = [self.read, self.write, self.same_cpu_crypt, self.submit_from_crypt_cpus, self.high_priority];
        (0..said.len()).filter(|at| said[*at] == choice).fold(0, |bits, at| bits | 1 << at)
    }

    /// Takes over what is not said here and is said in `other`.
    pub fn fill(&mut self, other: Self) {
        let or = |mine: &mut Choice, theirs| {
            if *mine == Choice::Auto {
                *mine = theirs;
            }
        };
        or(&mut self.read, other.read);
        or(&mut self.write, other.write);
        or(&mut self.same_cpu_crypt, other.same_cpu_crypt);
        or(&mut self.submit_from_crypt_cpus, other.submit_from_crypt_cpus);
        or(&mut self.high_priority, other.high_priority);
    }
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
    /// What the header of the volume asks for (LUKS2's persistent flags).
    pub stored: Flags,
}

/// The flags, and the reason to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What to ask libcryptsetup for.
    pub flags: Flags,
    /// Why.
    pub reason: Reason,
}

impl Decision {
    /// What is to be stored in a header that has `stored`: these flags, and of those others that nobody has
    /// spoken against. This kernel may only be too old for them.
    pub fn lasting(self, stored: Flags, wish: Wish) -> Flags {
        Flags::from_bits(self.flags.bits() | stored.bits() & !wish.bits(Choice::Off)).unwrap_or(self.flags)
    }
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
    /// The header asks for them.
    Stored = 7,
    /// It is dm-verity's volume, where none of them is of use.
    Verity = 8,
    /// The user said so, and not all of it is known to the kernel.
    Partly = 9,
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
            7 => Self::Stored,
            8 => Self::Verity,
            9 => Self::Partly,
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
            Self::Stored => "the header asks for them",
            Self::Verity => "nothing is decrypted",
            Self::Partly => "the kernel is older than some that were asked for",
        })
    }
}

const FIRST_KERNEL: Version = Version(5, 9, 0);
const MENDED_KERNEL: Version = Version(5, 10, 9);

/// The flags as dm-crypt came to know them: from which version of the target on (drivers/md/dm-crypt.c),
/// and in which kernel that came.
const KNOWN: [(Version, Version, Flags); 3] = [
    (Version(1, 14, 0), Version(4, 0, 0), Flags { same_cpu_crypt: true, submit_from_crypt_cpus: true, ..NONE }),
    (Version(1, 22, 0), FIRST_KERNEL, QUEUES),
    (Version(1, 26, 0), Version(6, 10, 0), Flags { high_priority: true, ..NONE }),
];

const NONE: Flags = Flags {
    no_read_workqueue: false,
    no_write_workqueue: false,
    same_cpu_crypt: false,
    submit_from_crypt_cpus: false,
    high_priority: false,
};
const QUEUES: Flags = Flags { no_read_workqueue: true, no_write_workqueue: true, ..NONE };

/// Decides. A flag that the kernel does not know is never asked for: libcryptsetup would drop it,
/// but only after the kernel has logged an error. What the header asks for and is not among the result
/// must be overruled.
pub fn decide(facts: &Facts, wish: Wish) -> Decision {
    let known = known(facts);
    let (auto, mut reason) = automatic(facts, known);
    let pair = QUEUES.bits();
    let stored = facts.stored.bits() & if reason == Reason::Faulty { !pair } else { !0 };
    let (on, off) = (wish.bits(Choice::On), wish.bits(Choice::Off));
    let wanted = (if auto { pair } else { 0 } | stored | on) & !off;
    let flags = Flags::from_bits(wanted & known.bits()).unwrap_or(NONE);
    if on & !known.bits() != 0 {
        reason = if flags == NONE { Reason::Old } else { Reason::Partly };
    } else if (on | off) & known.bits() != 0 {
        reason = Reason::Asked;
    } else if flags.bits() & stored != 0 && !auto {
        reason = Reason::Stored;
    }
    Decision { flags, reason }
}

/// The flags that the kernel's dm-crypt knows. One that does not tell its version is judged by the
/// kernel's.
fn known(facts: &Facts) -> Flags {
    let has = |(target, kernel, _): &&(Version, Version, Flags)| match (facts.dm_crypt, facts.kernel) {
        (Some(version), _) => version >= *target,
        (None, Some(version)) => version >= *kernel,
        (None, None) => false,
    };
    let bits = KNOWN.iter().filter(has).fold(0, |bits, (_, _, flags)| bits | flags.bits());
    Flags::from_bits(bits).unwrap_or(NONE)
}

fn automatic(facts: &Facts, known: Flags) -> (bool, Reason) {
    let Some(kernel) = facts.kernel.filter(|_| known.no_read_workqueue) else { return (false, Reason::Old) };
    if (FIRST_KERNEL..MENDED_KERNEL).contains(&kernel) {
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
mod tests;
