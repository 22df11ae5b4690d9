//! What a session looks like at one moment: all that drawing needs, and nothing secret.

use super::battery::Battery;

/// How a message is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// For information.
    #[default]
    Calm,
    /// Something went wrong.
    Alarm,
}

/// The state of the shift key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// Lower case.
    #[default]
    Off,
    /// The next letter is upper case; since this time.
    Once {
        /// Milliseconds of the session's clock.
        since_ms: u64,
    },
    /// Upper case until it is pressed again.
    Lock,
}

/// Everything visible.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct View {
    /// Which volume is asked for.
    pub title: String,
    /// What is going on.
    pub message: String,
    /// How it is meant.
    pub tone: Tone,
    /// The layer of keys that is shown.
    pub layer: usize,
    /// The shift key.
    pub shift: Shift,
    /// The key of the layer that a finger is on.
    pub pressed: Option<usize>,
    /// What the layout of the keys is called.
    pub layout: String,
    /// Caps Lock of a hardware keyboard is on.
    pub caps_lock: bool,
    /// Characters typed.
    pub characters: usize,
    /// Whether a passphrase can be tried now.
    pub ready: bool,
    /// Whether keys do anything now.
    pub enabled: bool,
    /// The step of the animation while the worker is busy.
    pub working: Option<u32>,
    /// Whole seconds that the worker has been busy for, once they are worth telling.
    pub busy_s: Option<u64>,
    /// Wrong passphrases still allowed, once there was one and while the message does not tell.
    pub tries_left: Option<u32>,
    /// The machine's battery, if it has one.
    pub battery: Option<Battery>,
}
