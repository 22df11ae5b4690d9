//! What is asked of the input devices.

use super::calibration::Calibration;

/// Settings of the input devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// What is done about those that do not behave.
    pub input: Calibration,
    /// Whether a press can be felt, where a device can do that.
    pub haptics: bool,
}
