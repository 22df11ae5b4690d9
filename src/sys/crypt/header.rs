//! What a LUKS header says: keyslots, flags, requirements.

use super::{Failure, Step, Volume, check, ffi, string};
use crate::error::Exit;
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

    pub(super) fn header_flags(&self, kind: ffi::crypt_flags_type) -> Option<u32> {
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
}
