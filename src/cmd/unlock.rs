//! `fbunlock unlock`: asks for the passphrase of a volume and opens it.

use std::path::PathBuf;

use crate::error::{Error, Exit, Result};
use crate::model::volume::policy::Choice;

/// What `unlock` was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The block device, or image file, that holds the volume.
    pub device: PathBuf,
    /// The name of the mapping under `/dev/mapper`.
    pub name: String,
    /// Only check the passphrase: no device-mapper, no mapping.
    pub test_passphrase: bool,
    /// Read the passphrase from this file instead of asking.
    pub key_file: Option<PathBuf>,
    /// Open the mapping read-only.
    pub readonly: bool,
    /// Let discards through to the device.
    pub allow_discards: bool,
    /// Whether reads and writes go past dm-crypt's work queues.
    pub workqueues: Choice,
    /// Wrong passphrases allowed; 0 means no limit.
    pub tries: u32,
    /// Seconds without an opened volume after which the prompt gives up; 0 means never.
    pub timeout_s: u32,
    /// Seconds to wait for the device to appear.
    pub device_timeout_s: u32,
    /// The framebuffer to draw on.
    pub framebuffer: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            device: PathBuf::new(),
            name: String::new(),
            test_passphrase: false,
            key_file: None,
            readonly: false,
            allow_discards: false,
            workqueues: Choice::Auto,
            tries: 3,
            timeout_s: 0,
            device_timeout_s: 10,
            framebuffer: PathBuf::from("/dev/fb0"),
        }
    }
}

/// Asks and opens. Returns when the volume is open.
///
/// # Errors
/// Everything that [`Exit`] lists, with the exit code that fits.
pub fn run(options: &Options) -> Result<()> {
    let _ = options;
    Err(Error::new(Exit::Parameters, "unlock", "not built yet"))
}
