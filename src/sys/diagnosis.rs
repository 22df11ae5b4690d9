//! What a failure is really about. To libcryptsetup a device that went away, a kernel without dm-crypt or
//! a folder that cannot be written to are all "busy" or an invalid argument: this looks where the cause
//! may be.

use std::fs;
use std::path::Path;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::{AccessFlags, access};

use super::{block, dm};
use crate::model::volume::cipher::{Cipher, missing};
use crate::model::volume::failure::Failure;
use crate::model::volume::medium::Block;
use crate::model::volume::option::Format;
use crate::model::volume::superblock::{Kind, Superblock};

/// Where libcryptsetup keeps its locks, and who must be there first.
const LOCKS: [&str; 2] = ["/run/cryptsetup", "/run"];

/// The hashes that the library's smallest crypto backend has (sysroot/config/mbedtls.h).
const HASHES: [&str; 6] = ["sha1", "sha224", "sha256", "sha384", "sha512", "ripemd160"];

/// The ciphers that it has, and how they are used.
const OWN_CIPHERS: [&str; 2] = ["aes", "cipher_null"];
const OWN_MODES: [&str; 3] = ["cbc", "ecb", "xts"];

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
            // A cipher that is not there is ENODEV to the library, as a device is.
            Failure::Busy | Failure::Other(_) | Failure::NoMapper | Failure::Vanished => self.obstacle(),
            // There are keyslots, or nobody would have been asked. This one opens one that is not bound to
            // the volume, or needs a cipher that nobody has.
            Failure::NoKeyslot => Some(self.foreign_cipher().unwrap_or(Failure::WrongPassphrase)),
            // So is a keyslot of such a cipher where there is no device-mapper to read it through.
            Failure::Unreadable => self.end().or_else(|| self.foreign_cipher()),
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
        // Those ciphers are looked at last, which the kernel was asked for if nothing else was wrong.
        self.mapper()
            .or_else(|| self.end())
            .or_else(|| if self.is_mapped { self.cipher() } else { self.foreign_cipher() })
    }

    /// A cipher that only the kernel has, and it does not.
    fn foreign_cipher(&self) -> Option<Failure> {
        let is_ours = |cipher: &String| {
            let Cipher { name, mode } = Cipher::parse(cipher);
            let (mode, iv) = mode.split_once('-').unwrap_or((mode, ""));
            let is_hashed = iv.strip_prefix("essiv:").is_none_or(|hash| HASHES.contains(&hash));
            OWN_CIPHERS.contains(&name) && OWN_MODES.contains(&mode) && is_hashed
        };
        if has_kernel_ciphers() || self.ciphers.iter().all(is_ours) {
            return None;
        }
        self.cipher().or_else(|| Some(Failure::NoModule("algif_skcipher".into())))
    }

    /// What of device-mapper is not there. After the try: the kernel has loaded the target if it can.
    fn mapper(&self) -> Option<Failure> {
        if !self.is_mapped {
            return None;
        }
        if !dm::is_there() {
            return Some(Failure::NoMapper);
        }
        // BitLocker's metadata reads as zeros.
        let targets = [
            ("crypt", "dm_crypt", true),
            ("integrity", "dm_integrity", self.has_integrity),
            ("zero", "dm_zero", self.format == Format::Bitlocker),
        ];
        let is_missing = |(name, _, is_needed): &&(&str, &str, bool)| *is_needed && dm::target_version(name).is_none();
        let missing = targets.iter().find(is_missing)?;
        Some(Failure::NoModule(missing.1.into()))
    }

    fn cipher(&self) -> Option<Failure> {
        let crypto = fs::read_to_string("/proc/crypto").ok()?;
        let missing = self.ciphers.iter().find_map(|cipher| missing(cipher, &crypto))?;
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
    let reader = |offset, length| bytes(offset, length).unwrap_or_default();
    if block::size(place).is_some_and(|size| size < header_end(reader)) {
        return Failure::TooSmall;
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

/// Where the keyslots of a header end, in bytes (LUKS1 on-disk format, §2; LUKS2's, §2.1 and §3.5); 0 where
/// that is not told. `read` gives so many bytes from an offset, or none.
fn header_end(read: impl Fn(u64, usize) -> Vec<u8>) -> u64 {
    const HEADER: usize = 4096;
    const HEADER_MAX: u64 = 4 << 20;
    let first = read(0, 112);
    let first = Block(&first);
    if first.has(0, b"LUKS\xba\xbe\x00\x01") {
        return u64::from(u32::from_be_bytes(first.at(104))) * 512;
    }
    let size = u64::from_be_bytes(first.at(8));
    if !first.has(0, b"LUKS\xba\xbe\x00\x02") || size > HEADER_MAX || size < HEADER as u64 {
        return 0;
    }
    let json = read(HEADER as u64, size as usize - HEADER);
    let key = b"\"keyslots_size\":\"";
    let digits = json.windows(key.len()).position(|window| window == key).and_then(|at| json.get(at + key.len()..));
    let digits = digits.and_then(|rest| rest.split(|byte| !byte.is_ascii_digit()).next());
    let keyslots: u64 = digits.and_then(|digits| core::str::from_utf8(digits).ok()?.parse().ok()).unwrap_or(0);
    keyslots.saturating_add(size * 2)
}

/// Whether the library that is built in lacks a hash. Which ones the one of a distribution has nobody knows.
pub fn lacks(hash: &str) -> bool {
    cfg!(feature = "static") && !HASHES.contains(&hash)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_tell_where_they_end() {
        let end = |bytes: &[u8]| {
            header_end(|offset, length| {
                let from = bytes.get(offset as usize..).unwrap_or_default();
                from.get(..length).unwrap_or(from).to_vec()
            })
        };
        let mut first = vec![0; 112];
        first[..8].copy_from_slice(b"LUKS\xba\xbe\x00\x01");
        first[104..108].copy_from_slice(&2050_u32.to_be_bytes());
        assert_eq!(end(&first), 2050 * 512);

        let second = |size: u64, json: &str| {
            let mut bytes = vec![0; 0x4000];
            bytes[..8].copy_from_slice(b"LUKS\xba\xbe\x00\x02");
            bytes[8..16].copy_from_slice(&size.to_be_bytes());
            bytes[4096..4096 + json.len()].copy_from_slice(json.as_bytes());
            bytes
        };
        let json = r#"{"config":{"json_size":"12288","keyslots_size":"16744448"}}"#;
        assert_eq!(end(&second(0x4000, json)), 0x8000 + 16_744_448);
        assert_eq!(end(&second(0x4000, r#"{"keyslots_size":"99999999999999999999"}"#)), 0x8000);
        assert_eq!(end(&second(0x4000, r#"{"keyslots_size":"18446744073709551615"}"#)), u64::MAX);
        for size in [0, 4095, 5 << 20, u64::MAX] {
            assert_eq!(end(&second(size, json)), 0);
        }
        for length in 0..112 {
            assert!(end(&first[..length]) <= 2050 * 512);
        }
        assert_eq!(end(b""), 0);
    }

    fn scene<'a>(device: &'a Path, ciphers: &[&str]) -> Scene<'a> {
        Scene {
            device,
            format: Format::Luks,
            is_mapped: false,
            ciphers: ciphers.iter().map(|&cipher| cipher.into()).collect(),
            hashes: vec!["sha256".into()],
            has_integrity: false,
            has_locks: false,
            offset_bytes: 1 << 20,
            sector_size: 4096,
        }
    }

    #[test]
    fn failures_get_their_true_names() {
        let image = std::env::temp_dir().join(format!("fbunlock-diagnosis-{}", std::process::id()));
        let sized = |size: u64| fs::File::create(&image).and_then(|file| file.set_len(size)).unwrap();
        let explain = |failure: Failure| scene(&image, &["aes-xts-plain64"]).explain(failure);
        let invalid = Failure::Other(-22);
        sized((1 << 20) + 8192);
        assert_eq!(explain(invalid.clone()), invalid);
        assert_eq!(explain(Failure::NoMapper), Failure::Unsupported);
        assert_eq!(explain(Failure::NoKeyslot), Failure::WrongPassphrase);
        assert_eq!(explain(Failure::WrongPassphrase), Failure::WrongPassphrase);
        assert_eq!(explain(Failure::Unreadable), Failure::Unreadable);
        sized((1 << 20) + 512);
        assert_eq!(explain(invalid.clone()), Failure::SectorSize { bytes: 4096 });
        assert_eq!(explain(Failure::WrongPassphrase), Failure::WrongPassphrase);
        sized(1 << 20);
        assert_eq!(explain(Failure::Unreadable), Failure::TooSmall);
        let hashed = Scene { hashes: vec!["sha1".into(), "whirlpool".into()], ..scene(&image, &[]) };
        assert_eq!(hashed.explain(invalid.clone()), Failure::NoHash("whirlpool".into()));
        let mapped = Scene { is_mapped: true, ..scene(&image, &[]) };
        if !dm::is_there() {
            assert_eq!(mapped.explain(Failure::NoMapper), Failure::NoMapper);
        }
        fs::remove_file(&image).unwrap();
        assert_eq!(explain(invalid), Failure::Vanished);
    }

    #[test]
    fn ciphers_that_only_the_kernel_has_are_told_when_it_has_not() {
        let image = Path::new("/dev/null");
        let found = scene(image, &["aes-xts-plain64", "made_up-xts-plain64"]).foreign_cipher();
        assert_eq!(found.is_none(), has_kernel_ciphers());
        assert_eq!(scene(image, &["aes-xts-plain64", "aes-cbc-essiv:sha256"]).foreign_cipher(), None);
    }
}
