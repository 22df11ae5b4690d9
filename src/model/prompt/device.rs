//! What an input device is, from what the kernel says it can do. The rules restate udev's `input_id`,
//! which is not there in an initramfs.

use super::code::{
    ABS_HAT0X, ABS_HAT0Y, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_SLOT, ABS_UNUSED, ABS_X, ABS_Y, ABS_Z, BTN_DPAD,
    BTN_GAMEPAD, BTN_JOYSTICK, BTN_LEFT, BTN_STYLUS, BTN_TOOL_FINGER, BTN_TOOL_PEN, BTN_TOUCH, BUTTONS, KEY_VOLUMEUP,
    KEYBOARD, KEYS,
};

/// Slots of a multi-touch device that are followed; fingers beyond them are ignored.
pub const SLOTS: usize = 16;

/// A set of key codes, 0..768.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys([u64; 12]);

const _: () = assert!(KEYS == 12 * 64);

impl Keys {
    /// Puts a code in or takes it out; codes beyond the range are ignored.
    pub fn set(&mut self, code: u16, down: bool) {
        if let Some(word) = self.0.get_mut(usize::from(code / 64)) {
            let bit = 1 << (code % 64);
            *word = if down { *word | bit } else { *word & !bit };
        }
    }

    /// Whether a code is in the set.
    pub fn has(&self, code: u16) -> bool {
        self.0.get(usize::from(code / 64)).is_some_and(|word| word >> (code % 64) & 1 == 1)
    }

    /// The codes in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (0..KEYS).filter(|code| self.has(*code))
    }
}

impl FromIterator<u16> for Keys {
    fn from_iter<I: IntoIterator<Item = u16>>(codes: I) -> Self {
        let mut keys = Self::default();
        codes.into_iter().for_each(|code| keys.set(code, true));
        keys
    }
}

/// The values an axis can have, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The lowest value.
    pub minimum: i32,
    /// The highest value.
    pub maximum: i32,
    /// Steps per millimetre; 0 where the kernel does not know.
    pub resolution: i32,
}

impl Range {
    /// How many steps it has, at least one.
    pub fn span(&self) -> i64 {
        (i64::from(self.maximum) - i64::from(self.minimum)).max(1)
    }

    /// A value's place in the range as 0..=65535; what is outside is moved to the nearer end.
    pub fn normalise(&self, value: i32) -> u16 {
        let (minimum, maximum) = (i64::from(self.minimum), i64::from(self.maximum));
        let inside = i64::from(value).clamp(minimum, maximum.max(minimum)) - minimum;
        (inside * 65535 / self.span()).clamp(0, 65535) as u16
    }

    /// How far a value is from the middle, in thousandths of the way to the end: -1000..=1000.
    pub fn deflection(&self, value: i32) -> i64 {
        let twice = 2 * i64::from(value) - i64::from(self.minimum) - i64::from(self.maximum);
        (twice * 1000 / self.span()).clamp(-1000, 1000)
    }
}

/// What the kernel tells of a device (EVIOCGBIT, EVIOCGPROP, EVIOCGABS).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Keys and buttons.
    pub keys: Keys,
    /// REL_X and REL_Y: it tells how far it was moved.
    pub moves: bool,
    /// Absolute axes with their ranges.
    pub axes: Vec<(u16, Range)>,
    /// LED_CAPSL: a lamp of Caps Lock.
    pub lamp: bool,
    /// FF_RUMBLE: it can be felt.
    pub rumbles: bool,
    /// INPUT_PROP_DIRECT: the surface is the screen.
    pub direct: bool,
    /// INPUT_PROP_POINTER: it moves a cursor.
    pub pointer: bool,
    /// INPUT_PROP_ACCELEROMETER.
    pub accelerometer: bool,
    /// EV_REP: the kernel repeats a key that is held.
    pub repeats: bool,
}

/// Ranges of the horizontal and of the vertical positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Of the horizontal positions.
    pub x: Range,
    /// Of the vertical positions.
    pub y: Range,
}

/// How a device points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointing {
    /// A touch screen of protocol B: positions by slot.
    Slots(Surface),
    /// A touch screen of protocol A: all contacts one after the other in each frame.
    Packets(Surface),
    /// A touch screen that knows one contact.
    Single(Surface),
    /// A pointer that knows where it is, as emulators have.
    Tablet(Surface),
    /// A pen, on the screen or beside it.
    Pen(Surface),
    /// A surface beside the screen that moves a cursor; `slots` as of protocol B.
    Touchpad {
        /// Where fingers can be.
        surface: Surface,
        /// Whether its fingers come in slots.
        slots: bool,
    },
    /// A mouse or trackpoint.
    Mouse,
}

impl Pointing {
    /// The surface of which each place is one of the screen's.
    pub fn surface(&self) -> Option<Surface> {
        match *self {
            Self::Slots(surface)
            | Self::Packets(surface)
            | Self::Single(surface)
            | Self::Tablet(surface)
            | Self::Pen(surface) => Some(surface),
            Self::Touchpad { .. } | Self::Mouse => None,
        }
    }

    /// Whether its contacts come in slots.
    pub fn has_slots(&self) -> bool {
        matches!(self, Self::Slots(_) | Self::Touchpad { slots: true, .. })
    }
}

/// The axes of a game pad, in the order of [`super::decoder::Snapshot::sticks`].
pub type Sticks = [Option<Range>; 4];

/// What a device is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// How it points, if it does.
    pub pointing: Option<Pointing>,
    /// Whether it can type: it has all the letters' keys.
    pub keyboard: bool,
    /// Whether its keys are listened to at all; true for volume keys and the like.
    pub keys: bool,
    /// The sticks and the cross of a game pad, of which there may be none.
    pub pad: Option<Sticks>,
    /// Whether its keys can move a focus and choose. Of the two for that, which may be on two devices, the one
    /// for up is enough.
    pub navigates: bool,
    /// Whether a key that is held is repeated here, since the kernel does not. Of what is no keyboard, some
    /// "key" may stay down for ever: a lid, a cover.
    pub needs_repeat: bool,
    /// Whether it has a lamp of Caps Lock.
    pub lamp: bool,
    /// Whether it can be felt.
    pub rumbles: bool,
}

impl Role {
    /// Decides from what the kernel tells. A device of no use has an empty role.
    pub fn of(device: &Capabilities) -> Self {
        let has = |code| device.keys.has(code);
        let any_key = device.keys.iter().any(|code| !BUTTONS.contains(&code) && !BTN_DPAD.contains(&code));
        let x_y = device.surface(ABS_X, ABS_Y);
        let depth = device.axis(ABS_Z).is_some();
        if device.accelerometer || (x_y.is_some() && depth && device.keys == Keys::default()) {
            return Self::default();
        }
        let pointing = device.pointing(x_y);
        let pad = pointing.is_none() && BTN_JOYSTICK.chain(BTN_GAMEPAD).chain(BTN_DPAD).any(has);
        let sticks = [ABS_X, ABS_Y, ABS_HAT0X, ABS_HAT0Y].map(|code| device.axis(code));
        let keyboard = KEYBOARD.into_iter().all(has);
        Self {
            pointing,
            keyboard,
            keys: any_key,
            pad: pad.then_some(sticks),
            navigates: !keyboard && (pad || has(KEY_VOLUMEUP)),
            needs_repeat: keyboard && !device.repeats,
            lamp: keyboard && device.lamp,
            rumbles: device.rumbles,
        }
    }

    /// Whether nothing of the device is used.
    pub fn is_useless(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the prompt can be answered with it, other than by typing.
    pub fn points(&self) -> bool {
        self.pointing.is_some() || self.navigates
    }
}

impl Capabilities {
    fn axis(&self, code: u16) -> Option<Range> {
        self.axes.iter().find(|(axis, _)| *axis == code).map(|(_, range)| *range)
    }

    fn surface(&self, x: u16, y: u16) -> Option<Surface> {
        self.axis(x).zip(self.axis(y)).map(|(x, y)| Surface { x, y })
    }

    fn pointing(&self, single: Option<Surface>) -> Option<Pointing> {
        let has = |code| self.keys.has(code);
        // One that claims every axis has none of these.
        let multi = self.surface(ABS_MT_POSITION_X, ABS_MT_POSITION_Y).filter(|_| self.axis(ABS_UNUSED).is_none());
        let slots = self.axis(ABS_MT_SLOT).is_some();
        let pen = has(BTN_TOOL_PEN);
        let on_slots = multi.filter(|_| slots).map(|surface| Pointing::Touchpad { surface, slots: true });
        let on_one = single.map(|surface| Pointing::Touchpad { surface, slots: false });
        let touchpad = has(BTN_TOOL_FINGER) || (self.pointer && has(BTN_TOUCH));
        if touchpad && !pen && !self.direct && on_slots.or(on_one).is_some() {
            return on_slots.or(on_one);
        }
        if let Some(surface) = multi {
            return Some(if slots { Pointing::Slots(surface) } else { Pointing::Packets(surface) });
        }
        if let Some(surface) = single {
            // Buttons beside a pen tablet claim a surface, too.
            return if pen || has(BTN_STYLUS) {
                (pen && has(BTN_TOUCH)).then_some(Pointing::Pen(surface))
            } else if has(BTN_LEFT) && !self.direct {
                Some(Pointing::Tablet(surface))
            } else {
                (has(BTN_LEFT) || has(BTN_TOUCH)).then_some(Pointing::Single(surface))
            };
        }
        (self.moves && has(BTN_LEFT)).then_some(Pointing::Mouse)
    }
}

#[cfg(test)]
mod tests;
