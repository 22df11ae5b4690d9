//! What came of it: mappings as the kernel has them.

use core::ptr;

use super::handle::text;
use super::{Failure, Format, Volume, ffi, header};
use crate::model::volume::policy::Flags;
use crate::sys::block;
use crate::sys::dm::{self, Mapping};

impl Volume {
    /// The performance flags that the kernel has for the mapping `name`.
    pub fn effective(&self, name: &str) -> Option<Flags> {
        let name = text(name).ok()?;
        let mut active = ffi::crypt_active_device { offset: 0, iv_offset: 0, size: 0, flags: 0 };
        // SAFETY: the handle is the library's own, the name is a string, and the library fills in the
        // structure.
        let result = unsafe { ffi::crypt_get_active_device(self.handle.raw(), name.as_ptr(), &mut active) };
        (result == 0).then(|| header::flags(active.flags))
    }

    /// Whether the mapping `name` works and is this very volume: then there is nothing left to do.
    pub fn is_open(&self, name: &str) -> bool {
        dm::mapping(name).is_some_and(|mapping| mapping.has_table && self.is(&mapping, name))
    }

    /// Whether `mapping`, which is called `name`, is this very volume: by the header's UUID, and where
    /// there is none by the device below.
    pub fn is(&self, mapping: &Mapping, name: &str) -> bool {
        let Some(rest) = mapping.uuid.strip_prefix("CRYPT-") else { return false };
        let Some((kind, rest)) = rest.split_once('-') else { return false };
        let kinds: &[&str] = match self.format {
            Format::Luks => &["LUKS1", "LUKS2"],
            Format::Plain => &["PLAIN"],
            Format::Tcrypt => &["TCRYPT"],
            Format::Bitlocker => &["BITLK"],
            Format::FileVault => &["FVAULT2"],
        };
        // dm_prepare_uuid() in lib/libdevmapper.c: the UUID without its dashes, then the name. BitLocker's is
        // none that it takes.
        let is_same = match self.uuid().filter(|_| rest != name) {
            Some(uuid) => rest.split('-').next() == Some(&uuid.replace('-', "")),
            None => rest == name && block::is_above(mapping.number, &self.device),
        };
        kinds.contains(&kind) && is_same
    }

    /// Removes what a worker that was killed has left of the mapping `name`: it has this volume's UUID, and
    /// no table to read data by. A mapping that works, or is somebody else's, stays. Returns whether there
    /// was something to remove.
    ///
    /// # Errors
    /// [`Failure::Busy`] if the kernel does not let it go.
    pub fn deactivate(&self, name: &str) -> Result<bool, Failure> {
        let mut left = Vec::new();
        match dm::mapping(name) {
            Some(mapping) if mapping.has_table || !self.is(&mapping, name) => return Ok(false),
            Some(_) => left.push(name.to_owned()),
            None => {}
        }
        // dm-integrity's mapping lies below, and works before there is one above.
        let below = format!("{name}_dif");
        let uuid = self.uuid().map(|uuid| uuid.replace('-', ""));
        let is_ours = |mapping: &Mapping| uuid.as_ref().is_some_and(|uuid| mapping.uuid.contains(uuid.as_str()));
        left.extend(dm::mapping(&below).filter(|mapping| mapping.open_count == 0 && is_ours(mapping)).map(|_| below));
        match left.iter().all(|name| dm::remove(name)) {
            true => Ok(!left.is_empty()),
            false => Err(Failure::Busy),
        }
    }
}

/// Whether a mapping called `name` is there. Also makes device-mapper's control node, where udev
/// does not.
pub fn is_active(name: &str) -> bool {
    let Ok(name) = text(name) else { return false };
    // SAFETY: the library takes no handle for a question about a name alone.
    let status = unsafe { ffi::crypt_status(ptr::null_mut(), name.as_ptr()) };
    matches!(status, ffi::crypt_status_info_CRYPT_ACTIVE | ffi::crypt_status_info_CRYPT_BUSY)
}
