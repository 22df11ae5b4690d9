//! How many input devices can do what.

use super::device::Role;

/// Counts of devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Touch screens, pointers, game pads, and buttons of the machine that can move a focus.
    pub pointing: usize,
    /// Keyboards, and lines that can type.
    pub keyboards: usize,
    /// Number pads.
    pub keypads: usize,
    /// Others whose volume keys can move a focus, if they must.
    pub media: usize,
}

impl Census {
    /// So many that point and that type, and no others.
    pub fn of(pointing: usize, keyboards: usize) -> Self {
        Self { pointing, keyboards, ..Self::default() }
    }

    /// Counts a device.
    pub fn add(&mut self, role: &Role) {
        self.pointing += usize::from(role.points());
        self.keyboards += usize::from(role.keyboard);
        self.keypads += usize::from(role.keypad);
        self.media += usize::from(role.media);
    }

    /// Whether a keyboard is all there is.
    pub fn is_keyboard_alone(&self) -> bool {
        self.pointing == 0 && self.keyboards > 0
    }

    /// Whether nothing can be answered with what there is.
    pub fn is_bare(&self) -> bool {
        *self == Self::default()
    }

    /// Whether digits can be typed and nothing else.
    pub fn is_keypad_alone(&self) -> bool {
        self.keypads > 0 && self.pointing == 0 && self.keyboards == 0
    }

    /// Whether volume keys are all there is.
    pub fn is_media_alone(&self) -> bool {
        *self == Self { media: self.media, ..Self::default() } && self.media > 0
    }
}
