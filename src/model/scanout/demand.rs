//! What was asked of the display.

use super::{orientation, refresh, selection::Selection};

/// What config, command line and flags say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// What is drawn on.
    pub framebuffer: Selection,
    /// Which way up.
    pub rotate: orientation::Wish,
    /// How the driver is told of a new picture.
    pub refresh: refresh::Wish,
    /// Seconds to wait for a display where there is no console either.
    pub timeout_s: u32,
}

impl Default for Demand {
    fn default() -> Self {
        Self {
            framebuffer: Selection::Auto,
            rotate: orientation::Wish::Auto,
            refresh: refresh::Wish::Auto,
            timeout_s: 10,
        }
    }
}
