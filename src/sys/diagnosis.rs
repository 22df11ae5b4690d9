//! What a failure is really about. To libcryptsetup a device that went away, a kernel without dm-crypt or
//! a folder that cannot be written to are all "busy" or an invalid argument: this looks where the cause
//! may be.

use std::fs;
use std::path::Path;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::{AccessFlags, access};

use super::{block, dm};
use crate::model::volume::cipher::Cipher;
use crate::model::volume::failure::Failure;
use crate::model::volume::option::Format;
use crate::model::volume::superblock::{Kind, Superblock};

/// Where libcryptsetup keeps its locks, and who must be there first.
const LOCKS: [&str; 2] = ["/run/cryptsetup", "/run"];

/// The hashes that the library's smallest crypto backend has (sysroot/config/mbedtls.h).
const HASHES: [&str; 6] = ["sha1", "sha224", "sha256", "sha384", "sha512", "ripemd160"];

/// Where a LUKS1 header has the name of its hash (LUKS1 on-disk format, §2).
const LUKS1_HASH: (u64, usize) = (72, 32);

/// Circumstances of an activation that failed.
pub struct Scene<'a> {
    /// The device with the data.
    pub device: &'a Path,
    /// What is on it.
    pub format: Format,
    /// Whether there was to be a mapping.
    pub is_mapped: bool,
    /// The ciphers of keyslots and data, as dm-crypt spells them.
    pub ciphers: Vec<String>,
    /// The hashes of keyslots.
    pub hashes: Vec<String>,
    /// Whether dm-integrity is needed.
    pub has_integrity: bool,
    /// Whether the library takes locks.
    pub has_locks: bool,
    /// Where the data begins, in bytes.
    pub offset_bytes: u64,
    /// Bytes of the data's sectors; 0 is unknown.
    pub sector_size: u32,
}

impl Scene<'_> {
    /// The failure by its true name.
    pub fn explain(&self, failure: Failure) -> Failure {
        if !self.device.exists() {
            return Failure::Vanished;
        }
        let found = match failure {
            Failure::Busy | Failure::Other(_) | Failure::NoMapper => self.obstacle(),
            // The right passphrase for a keyslot whose cipher nobody has "has no keyslot", too.
            Failure::NoKeyslot => self.cipher(),
            Failure::Unreadable => self.end(),
            _ => None,
        };
        match (found, failure) {
            (Some(found), _) => found,
            // It is there, as was found out.
            (None, Failure::NoMapper) => Failure::Unsupported,
            (None, failure) => failure,
        }
    }

    fn obstacle(&self) -> Option<Failure> {
        if self.has_locks && !can_lock() {
            return Some(Failure::NoLock);
        }
        if let Some(hash) = self.hashes.iter().find(|hash| !HASHES.contains(&hash.as_str())) {
            return Some(Failure::NoHash(hash.clone()));
        }
        if self.format == Format::Tcrypt && !has_kernel_ciphers() {
            return Some(Failure::NoModule("algif_skcipher".into()));
        }
        self.mapper().or_else(|| self.cipher()).or_else(|| self.end())
    }

    /// What of device-mapper is not there. After the try: the kernel has loaded the target if it can.
    fn mapper(&self) -> Option<Failure> {
        if !self.is_mapped {
            return None;
        }
        if !dm::is_there() {
            return Some(Failure::NoMapper);
        }
        let targets = [("crypt", "dm_crypt", true), ("integrity", "dm_integrity", self.has_integrity)];
        let is_missing = |(name, _, is_needed): &&(&str, &str, bool)| *is_needed && dm::target_version(name).is_none();
        let missing = targets.iter().find(is_missing)?;
        Some(Failure::NoModule(missing.1.into()))
    }

    fn cipher(&self) -> Option<Failure> {
        let crypto = fs::read_to_string("/proc/crypto").ok()?;
        let missing = self.ciphers.iter().find_map(|cipher| Cipher::parse(cipher).missing(&crypto))?;
        Some(Failure::NoModule(missing.into()))
    }

    fn end(&self) -> Option<Failure> {
        let size = block::size(self.device)?;
        let data = size.checked_sub(self.offset_bytes).filter(|data| *data > 0);
        match data {
            None => Some(Failure::TooSmall),
            Some(data) if self.sector_size > 0 && !data.is_multiple_of(self.sector_size.into()) => {
                Some(Failure::SectorSize { bytes: self.sector_size })
            }
            Some(_) if block::is_claimed(self.device) => Some(Failure::Busy),
            Some(_) => None,
        }
    }
}

/// What keeps a dm-verity volume from being activated that lies on `devices`. After the try: the kernel has loaded the
/// target if it can.
pub fn verity(devices: &[&Path]) -> Option<Failure> {
    if devices.iter().any(|device| !device.exists()) {
        return Some(Failure::Vanished);
    }
    if !dm::is_there() {
        return Some(Failure::NoMapper);
    }
    dm::target_version("verity").is_none().then(|| Failure::NoModule("dm_verity".into()))
}

/// Why a header was not read from `place`, where `found` was seen.
pub fn header(failure: Failure, place: &Path, format: Format, found: Option<&Superblock>) -> Failure {
    let is_luks = found.is_some_and(|found| matches!(found.kind, Kind::Luks1 | Kind::Luks2));
    let bytes = |offset: u64, length: usize| {
        use std::os::unix::fs::FileExt;
        let mut bytes = vec![0; length];
        fs::File::open(place).and_then(|file| file.read_exact_at(&mut bytes, offset)).ok().map(|()| bytes)
    };
    if format != Format::Luks {
        return if failure == Failure::NotVolume { Failure::NotFormat(format) } else { failure };
    }
    if !is_luks {
        // What cryptsetup's reencryption of LUKS1 leaves as long as it is not done.
        let is_marked = bytes(0, 6).is_some_and(|magic| magic == *b"LUKS\xde\xad");
        return if is_marked { Failure::Reencrypting } else { failure };
    }
    if !can_lock() {
        return Failure::NoLock;
    }
    let (offset, length) = LUKS1_HASH;
    let is_first = found.is_some_and(|found| found.kind == Kind::Luks1);
    let hash = bytes(offset, length).filter(|_| is_first).unwrap_or_default();
    let hash = hash.split(|byte| *byte == 0).next().and_then(|hash| core::str::from_utf8(hash).ok());
    match hash.filter(|hash| !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_graphic())) {
        Some(hash) if !HASHES.contains(&hash) => Failure::NoHash(hash.into()),
        _ if failure == Failure::NotVolume => Failure::Damaged,
        _ => failure,
    }
}

/// Whether the library can keep its locks.
fn can_lock() -> bool {
    let first = LOCKS.into_iter().find(|folder| Path::new(folder).is_dir());
    first.is_some_and(|folder| access(folder, AccessFlags::W_OK | AccessFlags::X_OK).is_ok())
}

/// Whether the kernel has keyrings.
pub fn has_keyring() -> bool {
    const KEYCTL_GET_KEYRING_ID: libc::c_long = 0;
    const KEY_SPEC_THREAD_KEYRING: libc::c_long = -1;
    // SAFETY: takes numbers, and makes nothing.
    let result = unsafe { libc::syscall(libc::SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_THREAD_KEYRING, 0) };
    result >= 0 || Errno::last() != Errno::ENOSYS
}

/// Whether the kernel computes ciphers for programs (AF_ALG).
pub fn has_kernel_ciphers() -> bool {
    // SAFETY: takes numbers.
    let socket = unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return false;
    }
    // SAFETY: opened above, and used by nobody else.
    unsafe { libc::close(socket) };
    true
}
