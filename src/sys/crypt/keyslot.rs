//! Keyslots: which of them could open the volume, and what they need for it.

use core::ffi::c_int;
use core::ptr;

use super::{Failure, Note, Volume, ffi, string};
use crate::error::Exit;
use crate::model::volume::metadata::Metadata;
use crate::model::volume::option::Format;
use crate::sys::diagnosis;

/// How keys are derived from passphrases.
const DERIVATIONS: [&str; 3] = ["pbkdf2", "argon2i", "argon2id"];

/// Bytes of no volume's key.
const KEY_MAX: c_int = 4096;

impl Volume {
    /// KiB that the keyslot asks for which was named, or else the most expensive one; 0 without Argon2.
    pub fn memory_kib(&self) -> u64 {
        self.keyslots().into_iter().filter_map(|slot| self.keyslot_kib(slot)).max().unwrap_or(0)
    }

    /// The keyslots that could open the volume: the one that was named, or all.
    pub(super) fn keyslots(&self) -> Vec<c_int> {
        let wanted = self.keyslot();
        let is_tried = |slot| if wanted == ffi::CRYPT_ANY_SLOT { !self.is_ignored(slot) } else { slot == wanted };
        (0..self.keyslot_max()).filter(|slot| is_tried(*slot) && self.is_usable(*slot)).collect()
    }

    fn keyslot_max(&self) -> c_int {
        if self.format != Format::Luks {
            return 0;
        }
        // SAFETY: the handle is loaded, so it has a type, which is a string of the library's own.
        unsafe { ffi::crypt_keyslot_max(ffi::crypt_get_type(self.handle.raw())) }
    }

    fn status(&self, slot: c_int) -> ffi::crypt_keyslot_info {
        // SAFETY: the handle is loaded; the library checks the number.
        unsafe { ffi::crypt_keyslot_status(self.handle.raw(), slot) }
    }

    fn is_usable(&self, slot: c_int) -> bool {
        let usable = [ffi::crypt_keyslot_info_CRYPT_SLOT_ACTIVE, ffi::crypt_keyslot_info_CRYPT_SLOT_ACTIVE_LAST];
        usable.contains(&self.status(slot))
    }

    /// Whether the header has it tried only by its number.
    fn is_ignored(&self, slot: c_int) -> bool {
        // SAFETY: the handle is loaded; the library checks the number.
        let priority = unsafe { ffi::crypt_keyslot_get_priority(self.handle.raw(), slot) };
        priority == ffi::crypt_keyslot_priority_CRYPT_SLOT_PRIORITY_IGNORE
    }

    fn pbkdf(&self, slot: c_int) -> Option<ffi::crypt_pbkdf_type> {
        let mut pbkdf = ffi::crypt_pbkdf_type {
            type_: ptr::null(),
            hash: ptr::null(),
            time_ms: 0,
            iterations: 0,
            max_memory_kb: 0,
            parallel_threads: 0,
            flags: 0,
        };
        // SAFETY: the library fills in the structure; its strings are the handle's.
        (unsafe { ffi::crypt_keyslot_get_pbkdf(self.handle.raw(), slot, &mut pbkdf) } == 0).then_some(pbkdf)
    }

    fn keyslot_kib(&self, slot: c_int) -> Option<u64> {
        self.pbkdf(slot).map(|pbkdf| u64::from(pbkdf.max_memory_kb))
    }

    /// The hashes of the keyslots' PBKDF2 that could open the volume.
    pub(super) fn hashes(&self) -> Vec<String> {
        // SAFETY: the strings are the handle's, and null with Argon2.
        self.keyslots().into_iter().filter_map(|slot| unsafe { string(self.pbkdf(slot)?.hash) }).collect()
    }

    /// The ciphers of those keyslots and of the data, as dm-crypt spells them.
    pub(super) fn ciphers(&self) -> Vec<String> {
        let handle = self.handle.raw();
        let of_slot = |slot| {
            let mut size = 0;
            // SAFETY: the handle is loaded; the library writes one number and gives a string of its own.
            unsafe { string(ffi::crypt_keyslot_get_encryption(handle, slot, &mut size)) }
        };
        let mut ciphers: Vec<String> = self.keyslots().into_iter().filter_map(of_slot).collect();
        // SAFETY: the strings are the handle's, and null where it has no type yet.
        let data = unsafe { (string(ffi::crypt_get_cipher(handle)), string(ffi::crypt_get_cipher_mode(handle))) };
        if let (Some(cipher), Some(mode)) = data {
            ciphers.push(format!("{cipher}-{mode}"));
        }
        ciphers
    }

    /// Finds out before anybody is asked that no passphrase could do.
    pub(super) fn look_at_keyslots(&mut self) -> Result<(), Failure> {
        let unbound = (0..self.keyslot_max()).filter(|slot| {
            // Without a requirement that is not met, unbound means just that.
            self.status(*slot) == ffi::crypt_keyslot_info_CRYPT_SLOT_UNBOUND
        });
        let unbound = unbound.count() as u32;
        let requirements = self.header_flags(ffi::crypt_flags_type_CRYPT_FLAGS_REQUIREMENTS).unwrap_or(0);
        if requirements & ffi::CRYPT_REQUIREMENT_OFFLINE_REENCRYPT != 0 {
            return Err(Failure::Reencrypting);
        }
        if requirements & ffi::CRYPT_REQUIREMENT_UNKNOWN != 0 {
            return Err(Failure::Unsupported);
        }
        let is_reencrypting = requirements & ffi::CRYPT_REQUIREMENT_ONLINE_REENCRYPT != 0;
        self.notes.extend(is_reencrypting.then_some(Note::Reencrypting));
        // The new key's slots are not bound to the data yet.
        if unbound > 0 && !is_reencrypting {
            self.notes.push(Note::Unbound { count: unbound });
        }
        let slots = self.keyslots();
        match self.options.keyslot {
            _ if !slots.is_empty() => self.look_at_hashes(&slots),
            Some(slot) => Err(Failure::Keyslot { slot }),
            None if (0..self.keyslot_max()).any(|slot| self.is_usable(slot)) => {
                let text = "Keyslots are used by number only here. Ask for one".into();
                Err(Failure::Told { exit: Exit::Passphrase, text })
            }
            None if is_reencrypting => Ok(()),
            None => Err(Failure::NoKeyslot),
        }
    }

    /// Finds out whether the library has the hashes that the header needs. To it, a keyslot whose parts it
    /// cannot put together has another passphrase; and a digest that it cannot compute fits any key, if the
    /// length is not the one that it would have (`PBKDF2_digest_verify` in lib/luks2/luks2_digest_pbkdf2.c).
    fn look_at_hashes(&mut self, slots: &[c_int]) -> Result<(), Failure> {
        let is_foreign = |slot: &c_int| {
            // SAFETY: the string is the handle's.
            let kind = self.pbkdf(*slot).and_then(|pbkdf| unsafe { string(pbkdf.type_) });
            !kind.is_some_and(|kind| DERIVATIONS.contains(&kind.as_str()))
        };
        if slots.iter().all(is_foreign) {
            return Err(Failure::Unsupported);
        }
        let metadata = self.metadata();
        for digest in metadata.digests.iter().filter(|digest| !digest.is_usual()) {
            let is_lacking = diagnosis::lacks(&digest.hash);
            if is_lacking || self.takes_any_key() {
                let is_known = digest.has_known_hash();
                return Err(if is_known { Failure::Damaged } else { Failure::NoHash(digest.hash.clone()) });
            }
        }
        let lacking = |slot: &c_int| {
            let split = metadata.splits.iter().find(|(number, _)| i64::from(*number) == i64::from(*slot));
            // SAFETY: the string is the handle's, and null with Argon2.
            let derivation = self.pbkdf(*slot).and_then(|pbkdf| unsafe { string(pbkdf.hash) });
            [derivation, split.map(|(_, hash)| hash.clone())].into_iter().flatten().find(|hash| diagnosis::lacks(hash))
        };
        let lacking: Vec<String> = slots.iter().filter_map(lacking).collect();
        let count = lacking.len();
        match lacking.into_iter().next() {
            Some(hash) if count == slots.len() => return Err(Failure::NoHash(hash)),
            Some(hash) => self.notes.push(Note::NoHash { hash, count: count as u32 }),
            None => {}
        }
        Ok(())
    }

    /// What a LUKS2 header says beyond what the library has functions for.
    fn metadata(&self) -> Metadata {
        let mut json = ptr::null();
        // SAFETY: the handle is loaded; the library gives a string of the handle's, which is copied.
        let told = self.is_luks2() && unsafe { ffi::crypt_dump_json(self.handle.raw(), &mut json, 0) } == 0;
        // SAFETY: as above.
        let json = if told { unsafe { string(json) } } else { None };
        Metadata::read(json.as_deref().unwrap_or_default())
    }

    /// Whether the header vouches for a key that nobody has.
    fn takes_any_key(&self) -> bool {
        // SAFETY: the handle is loaded; the answer is a number.
        let length = unsafe { ffi::crypt_get_volume_key_size(self.handle.raw()) }.clamp(1, KEY_MAX);
        let key = vec![0_u8; length.unsigned_abs() as usize];
        // SAFETY: the handle is loaded, and the key is as long as is said.
        self.handle
            .silenced(|handle| unsafe { ffi::crypt_volume_key_verify(handle.raw(), key.as_ptr().cast(), key.len()) })
            == 0
    }
}
