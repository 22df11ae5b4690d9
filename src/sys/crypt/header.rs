//! What a LUKS header says: keyslots, flags, requirements.

use core::ffi::c_int;
use core::ptr;

use super::{Failure, Note, Step, Volume, check, ffi, string};
use crate::error::Exit;
use crate::model::volume::option::Format;
use crate::model::volume::policy::Flags;

/// The library's bits of the flags, in the order of [`Flags::bits`].
///
/// The last one is `CRYPT_ACTIVATE_HIGH_PRIORITY`, which headers before 2.8 do not have. Older libraries
/// pass over it.
const BITS: [u32; 5] = [
    ffi::CRYPT_ACTIVATE_NO_READ_WORKQUEUE,
    ffi::CRYPT_ACTIVATE_NO_WRITE_WORKQUEUE,
    ffi::CRYPT_ACTIVATE_SAME_CPU_CRYPT,
    ffi::CRYPT_ACTIVATE_SUBMIT_FROM_CRYPT_CPUS,
    1 << 28,
];

/// The library's bits for a set of flags.
pub(super) fn bits(flags: Flags) -> u32 {
    let set = |at: &usize| flags.bits() >> at & 1 != 0;
    (0..BITS.len()).filter(set).fold(0, |bits, at| bits | BITS[at])
}

/// The flags among the library's bits.
pub(super) fn flags(bits: u32) -> Flags {
    let set = (0..BITS.len()).filter(|at| bits & BITS[*at] != 0).fold(0, |flags, at| flags | 1 << at);
    Flags::from_bits(set).unwrap_or_default()
}

impl Volume {
    /// What the header asks for: the performance flags, and whether discards are let through. Only LUKS2
    /// has that.
    pub fn stored(&self) -> (Flags, bool) {
        let stored = self.stored_bits();
        (flags(stored), stored & ffi::CRYPT_ACTIVATE_ALLOW_DISCARDS != 0)
    }

    /// All flags that the header asks for.
    pub(super) fn stored_bits(&self) -> u32 {
        self.header_flags(ffi::crypt_flags_type_CRYPT_FLAGS_ACTIVATION).unwrap_or(0)
    }

    fn header_flags(&self, kind: ffi::crypt_flags_type) -> Option<u32> {
        let mut bits = 0;
        // SAFETY: the handle is loaded, and the library writes one number.
        (self.is_luks2() && unsafe { ffi::crypt_persistent_flags_get(self.handle.raw(), kind, &mut bits) } == 0)
            .then_some(bits)
    }

    /// Only those have flags, requirements and tokens, and the library complains when it is asked for others'.
    pub(super) fn is_luks2(&self) -> bool {
        // SAFETY: the handle is the library's own, and so is the string.
        unsafe { string(ffi::crypt_get_type(self.handle.raw())) }.as_deref() == Some("LUKS2")
    }

    /// Writes into the header that the volume is to be opened with these flags. Discards stay as they are
    /// stored if nothing is said, and so does everything else.
    ///
    /// # Errors
    /// [`Failure::Told`] for anything but LUKS2, or what writing failed with.
    pub fn persist(&self, flags: Flags, discards: Option<bool>) -> Result<(), Failure> {
        let Some(stored) = self.header_flags(ffi::crypt_flags_type_CRYPT_FLAGS_ACTIVATION) else {
            let text = "only LUKS2 headers have a place for them".into();
            return Err(Failure::Told { exit: Exit::Parameters, text });
        };
        let wanted = self.overlaid(stored, flags, discards);
        if wanted == stored {
            return Ok(());
        }
        let kind = ffi::crypt_flags_type_CRYPT_FLAGS_ACTIVATION;
        // SAFETY: the handle is loaded; the rest are numbers.
        check(Step::Load, unsafe { ffi::crypt_persistent_flags_set(self.handle.raw(), kind, wanted) }).map(|_| ())
    }

    /// The stored bits with the performance flags, and discards where something is said, in their place.
    pub(super) fn overlaid(&self, stored: u32, flags: Flags, discards: Option<bool>) -> u32 {
        let performance = BITS.iter().fold(0, |all, bit| all | bit);
        let discard = ffi::CRYPT_ACTIVATE_ALLOW_DISCARDS;
        let rest = stored & !performance;
        let rest = match discards {
            None => rest,
            Some(true) => rest | discard,
            Some(false) => rest & !discard,
        };
        rest | bits(flags)
    }

    /// KiB that the keyslot asks for which was named, or else the most expensive one; 0 without Argon2.
    pub fn memory_kib(&self) -> u64 {
        self.keyslots().into_iter().filter_map(|slot| self.keyslot_kib(slot)).max().unwrap_or(0)
    }

    /// The keyslots that could open the volume: the one that was named, or all.
    pub(super) fn keyslots(&self) -> Vec<c_int> {
        let wanted = self.keyslot();
        let fits = |slot: &c_int| (wanted == ffi::CRYPT_ANY_SLOT || *slot == wanted) && self.is_usable(*slot);
        (0..self.keyslot_max()).filter(fits).collect()
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
        match self.options.keyslot {
            Some(slot) if self.keyslots().is_empty() => Err(Failure::Keyslot { slot }),
            None if self.keyslots().is_empty() && !is_reencrypting => Err(Failure::NoKeyslot),
            _ => Ok(()),
        }
    }
}
