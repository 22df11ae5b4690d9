//! What an input device is, from what the kernel says it can do. The rules restate udev's `input_id`,
//! which is not there in an initramfs.

use super::code::{
    ABS_HAT0X, ABS_HAT0Y, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_SLOT, ABS_UNUSED, ABS_VOLUME, ABS_X, ABS_Y,
    ABS_Z, BTN_DPAD, BTN_GAMEPAD, BTN_JOYSTICK, BTN_LEFT, BTN_STYLUS, BTN_TOOL_FINGER, BTN_TOOL_PEN, BTN_TOUCH,
    BUTTONS, DIGITS, KEY_ENTERS, KEY_VOLUMEUP, KEYBOARD, KEYS, KEYS_KNOWN, KEYS_MEDIA,
};

/// Slots of a multi-touch device that are followed; fingers beyond them are ignored.
pub const SLOTS: usize = 16;
/// A machine's own volume keys come with no more keys than these: power, home, camera, brightness, rotation.
const OWN_MAX: usize = 16;
/// So many of [`KEYS_KNOWN`] has no pad.
const KNOWN_MIN: usize = 4;

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
    /// Whether it can type digits and send them, though it is no keyboard.
    pub keypad: bool,
    /// Whether its keys are listened to at all; true for volume keys and the like.
    pub keys: bool,
    /// The sticks and the cross of a game pad, of which there may be none.
    pub pad: Option<Sticks>,
    /// Whether its keys can move a focus and choose. Of the two for that, which may be on two devices, the one
    /// for up is enough.
    pub navigates: bool,
    /// Whether the keys for that are among many others for what is heard: a second node of a keyboard ("Consumer
    /// Control"), a remote control, a headset. It tells nothing of what there is to answer with.
    pub media: bool,
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
        let keyboard = KEYBOARD.into_iter().all(has);
        let pad = pointing.is_none() && device.is_pad();
        let sticks = [ABS_X, ABS_Y, ABS_HAT0X, ABS_HAT0Y].map(|code| device.axis(code));
        let navigates = !keyboard && (pad || has(KEY_VOLUMEUP));
        let digits = DIGITS.iter().any(|digits| digits.iter().all(|code| has(*code)));
        Self {
            pointing,
            keyboard,
            keypad: !keyboard && digits && KEY_ENTERS.into_iter().any(has),
            keys: any_key,
            pad: pad.then_some(sticks),
            navigates,
            media: navigates && !pad && device.is_media(),
            needs_repeat: keyboard && !device.repeats,
            lamp: keyboard && device.lamp,
            rumbles: device.rumbles,
        }
    }

    /// Whether nothing of the device is used.
    pub fn is_useless(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the prompt can be answered with it, other than by typing, and is likely to be.
    pub fn points(&self) -> bool {
        self.pointing.is_some() || (self.navigates && !self.media)
    }
}

impl Capabilities {
    fn axis(&self, code: u16) -> Option<Range> {
        self.axes.iter().find(|(axis, _)| *axis == code).map(|(_, range)| *range)
    }

    fn surface(&self, x: u16, y: u16) -> Option<Surface> {
        self.axis(x).zip(self.axis(y)).map(|(x, y)| Surface { x, y })
    }

    /// Whether it is a game pad or joystick. One button may be claimed by anything, and many by keyboards.
    fn is_pad(&self) -> bool {
        let has = |code: &u16| self.keys.has(*code);
        let buttons = BTN_JOYSTICK.chain(BTN_GAMEPAD).chain(BTN_DPAD).filter(has).count();
        let sticks = [ABS_X, ABS_Y, ABS_HAT0X, ABS_HAT0Y].iter().filter(|code| self.axis(**code).is_some()).count();
        buttons > 0 && buttons + sticks > 1 && KEYS_KNOWN.iter().filter(|code| has(code)).count() < KNOWN_MIN
    }

    /// Whether its volume keys are none of the machine's own.
    fn is_media(&self) -> bool {
        self.axis(ABS_VOLUME).is_some()
            || KEYS_MEDIA.iter().any(|code| self.keys.has(*code))
            || self.keys.iter().count() > OWN_MAX
    }

    fn pointing(&self, single: Option<Surface>) -> Option<Pointing> {
        let has = |code| self.keys.has(code);
        // One that claims every axis has none of these.
        let claims_all = self.axis(ABS_UNUSED).is_some();
        let multi = self.surface(ABS_MT_POSITION_X, ABS_MT_POSITION_Y).filter(|_| !claims_all);
        let single = single.filter(|_| !claims_all);
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
