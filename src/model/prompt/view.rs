//! What a session looks like at one moment: all that drawing needs, and nothing secret.

use embedded_graphics::prelude::Point;

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

/// What is in the keyboard's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sheet {
    /// A layer of keys.
    #[default]
    Keys,
    /// All layouts, one key each: the page of this number, where one panel has no room for them.
    Layouts(usize),
    /// Whether to switch the machine off.
    Power,
    /// Nothing.
    Hidden,
}

/// Something that can be pressed, of what a sheet shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A key of the sheet, by its number.
    Key(usize),
    /// A control beside the field, by its number.
    Control(usize),
    /// One of the alternatives of the key that is held.
    Choice(usize),
}

/// The alternatives of a key that is held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The key's number.
    pub key: usize,
    /// What they type, the likeliest first.
    pub characters: Vec<char>,
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
    /// What is in the keyboard's place.
    pub sheet: Sheet,
    /// What a finger is on.
    pub pressed: Option<Spot>,
    /// What a press of a button would press, once buttons are used.
    pub focus: Option<Spot>,
    /// The alternatives of the key that is held, once it was held for long.
    pub choices: Option<Choices>,
    /// Where a mouse points, once it was moved.
    pub cursor: Option<Point>,
    /// What the layout of the keys is called, in short.
    pub layout: String,
    /// Caps Lock of a hardware keyboard is on.
    pub caps_lock: bool,
    /// Characters typed; where their number is a secret, none.
    pub characters: usize,
    /// Characters before the caret.
    pub caret: usize,
    /// Whether what was typed can be read.
    pub revealed: bool,
    /// How often it was changed: the text itself is not here.
    pub edits: u32,
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
