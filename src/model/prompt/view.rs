//! What a session looks like at one moment: all that drawing needs, and nothing secret.

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
#[derive(Clone, PartialEq, Eq)]
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
    /// Characters typed.
    pub characters: usize,
    /// Whether a passphrase can be tried now.
    pub ready: bool,
    /// Whether keys do anything now.
    pub enabled: bool,
    /// The step of the animation while the worker is busy.
    pub working: Option<u32>,
}
