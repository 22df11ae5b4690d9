//! What the worker process is to open, and how.

use std::path::PathBuf;

use super::policy::Wish;

/// One volume and the way it is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The block device, or image file, that holds the volume.
    pub device: PathBuf,
    /// The name of the mapping under `/dev/mapper`; not used with `test_passphrase`.
    pub name: String,
    /// Only check the passphrase: no device-mapper, no mapping.
    pub test_passphrase: bool,
    /// Open the mapping read-only.
    pub readonly: bool,
    /// Let discards through to the device.
    pub allow_discards: bool,
    /// What the user says about the performance flags.
    pub wish: Wish,
    /// Seconds to wait for the device to appear.
    pub device_timeout_s: u32,
}
