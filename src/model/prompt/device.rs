//! What an input device is, from what the kernel says it can do.
//!
//! Codes are those of include/uapi/linux/input-event-codes.h. The rules restate udev's `input_id`,
//! which is not there in an initramfs.

/// Event types.
pub const EV_SYN: u16 = 0;
/// A key or button.
pub const EV_KEY: u16 = 1;
/// An absolute axis.
pub const EV_ABS: u16 = 3;
/// End of one frame of events.
pub const SYN_REPORT: u16 = 0;
/// The kernel's queue was full; state must be read anew.
pub const SYN_DROPPED: u16 = 3;
/// Codes from here to [`BTN_LAST`] are buttons of pointers, pads and screens, not keys.
pub const BTN_MISC: u16 = 0x100;
/// The last button of a pointer, pad or screen.
pub const BTN_LAST: u16 = 0x15f;
/// Left button of a mouse or of a tablet that acts as one.
pub const BTN_LEFT: u16 = 0x110;
/// A finger or pen is on the surface.
pub const BTN_TOUCH: u16 = 0x14a;
/// The buttons that mean contact. Emulated tablets claim both and use one, so both count.
pub const CONTACT: [u16; 2] = [BTN_TOUCH, BTN_LEFT];
/// Horizontal position of a single contact.
pub const ABS_X: u16 = 0x00;
/// Vertical position of a single contact.
pub const ABS_Y: u16 = 0x01;
/// Which contact the next values are of (multi-touch protocol B).
pub const ABS_MT_SLOT: u16 = 0x2f;
/// Horizontal position of a slot's contact.
pub const ABS_MT_POSITION_X: u16 = 0x35;
/// Vertical position of a slot's contact.
pub const ABS_MT_POSITION_Y: u16 = 0x36;
/// Identity of a slot's contact; -1 when it is gone.
pub const ABS_MT_TRACKING_ID: u16 = 0x39;

const BTN_TOOL_PEN: u16 = 0x140;
const BTN_TOOL_FINGER: u16 = 0x145;
const BTN_STYLUS: u16 = 0x14b;
const ABS_Z: u16 = 0x02;

/// Slots of a multi-touch device that are followed; fingers beyond them are ignored.
pub const SLOTS: usize = 16;

/// A set of key codes, 0..768.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys([u64; 12]);

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
        (0..768).filter(|code| self.has(*code))
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
}

impl Range {
    /// A value's place in the range as 0..=65535; what is outside is moved to the nearer end.
    pub fn normalise(&self, value: i32) -> u16 {
        let (minimum, maximum) = (i64::from(self.minimum), i64::from(self.maximum));
        let span = (maximum - minimum).max(1);
        let inside = i64::from(value).clamp(minimum, maximum.max(minimum)) - minimum;
        (inside * 65535 / span).clamp(0, 65535) as u16
    }
}

/// What the kernel tells of a device (EVIOCGBIT, EVIOCGPROP, EVIOCGABS).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Keys and buttons.
    pub keys: Keys,
    /// Absolute axes with their ranges.
    pub axes: Vec<(u16, Range)>,
    /// INPUT_PROP_DIRECT: the surface is the screen.
    pub direct: bool,
    /// INPUT_PROP_ACCELEROMETER.
    pub accelerometer: bool,
}

impl Capabilities {
    fn axis(&self, code: u16) -> Option<Range> {
        self.axes.iter().find(|(axis, _)| *axis == code).map(|(_, range)| *range)
    }
}

/// How a device points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointing {
    /// A touch screen of protocol B: positions by slot.
    Slots {
        /// Range of the horizontal positions.
        x: Range,
        /// Range of the vertical positions.
        y: Range,
    },
    /// One contact, or a pointer that knows where it is: pressed while any of [`CONTACT`] is.
    Single {
        /// Range of the horizontal positions.
        x: Range,
        /// Range of the vertical positions.
        y: Range,
    },
}

/// What a device is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// Where on the screen it points, if it does.
    pub pointing: Option<Pointing>,
    /// Whether it can type: it has all the letters' keys.
    pub keyboard: bool,
    /// Whether its keys are listened to at all; true for volume keys and the like.
    pub keys: bool,
}

impl Role {
    /// Decides from what the kernel tells. A device of no use has an empty role.
    pub fn of(device: &Capabilities) -> Self {
        let x_y = |x, y| device.axis(x).zip(device.axis(y));
        let single = x_y(ABS_X, ABS_Y);
        let has = |code| device.keys.has(code);
        let any_key = device.keys.iter().any(|code| !(BTN_MISC..=BTN_LAST).contains(&code));
        if device.accelerometer || (single.is_some() && device.axis(ABS_Z).is_some() && !any_key && !has(BTN_TOUCH)) {
            return Self::default();
        }
        // A touchpad and a pen tablet without the screen behind them are no direct pointers.
        let pad = has(BTN_TOOL_FINGER) && !has(BTN_TOOL_PEN) && !device.direct;
        let pen = (has(BTN_STYLUS) || has(BTN_TOOL_PEN)) && !has(BTN_TOUCH);
        let slots = x_y(ABS_MT_POSITION_X, ABS_MT_POSITION_Y).filter(|_| device.axis(ABS_MT_SLOT).is_some());
        let pointing = if pad || pen {
            None
        } else if let Some((x, y)) = slots {
            Some(Pointing::Slots { x, y })
        } else {
            single.filter(|_| CONTACT.into_iter().any(has)).map(|(x, y)| Pointing::Single { x, y })
        };
        // KEY_ESC (1) to KEY_S (31), as udev asks.
        let keyboard = (1..=31).all(has);
        Self { pointing, keyboard, keys: any_key }
    }

    /// Whether nothing of the device is used.
    pub fn is_useless(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Range = Range { minimum: 0, maximum: 32767 };

    fn device(keys: &[u16], axes: &[u16], direct: bool) -> Capabilities {
        Capabilities {
            keys: keys.iter().copied().collect(),
            axes: axes.iter().map(|axis| (*axis, RANGE)).collect(),
            direct,
            accelerometer: false,
        }
    }

    #[test]
    fn devices_of_emulators_are_known() {
        let multitouch = device(
            &[BTN_LEFT, BTN_TOUCH],
            &[ABS_MT_SLOT, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID],
            true,
        );
        assert_eq!(Role::of(&multitouch).pointing, Some(Pointing::Slots { x: RANGE, y: RANGE }));
        let tablet = device(&[BTN_LEFT], &[ABS_X, ABS_Y], false);
        let pointing = Pointing::Single { x: RANGE, y: RANGE };
        assert_eq!(Role::of(&tablet).pointing, Some(pointing));
        let keyboard = device(&(1..=127).collect::<Vec<_>>(), &[], false);
        assert!(Role::of(&keyboard).keyboard);
    }

    #[test]
    fn single_touch_screens_use_their_touch_button() {
        let screen = device(&[BTN_TOUCH, BTN_LEFT], &[ABS_X, ABS_Y], true);
        let pointing = Pointing::Single { x: RANGE, y: RANGE };
        assert_eq!(Role::of(&screen).pointing, Some(pointing));
    }

    #[test]
    fn pads_buttons_and_sensors_do_not_point() {
        let touchpad = device(&[BTN_LEFT, BTN_TOUCH, BTN_TOOL_FINGER], &[ABS_X, ABS_Y, ABS_MT_SLOT], false);
        assert_eq!(Role::of(&touchpad).pointing, None);
        let power = Role::of(&device(&[116], &[], false));
        assert!(power.keys && !power.keyboard && power.pointing.is_none());
        assert!(Role::of(&device(&[], &[ABS_X, ABS_Y, ABS_Z], false)).is_useless());
        let tilt = Capabilities { accelerometer: true, ..device(&[BTN_TOUCH], &[ABS_X, ABS_Y], true) };
        assert!(Role::of(&tilt).is_useless());
        assert!(Role::of(&Capabilities::default()).is_useless());
    }

    #[test]
    fn ranges_of_any_kind_normalise() {
        assert_eq!(RANGE.normalise(0), 0);
        assert_eq!(RANGE.normalise(32767), 65535);
        assert_eq!(RANGE.normalise(40000), 65535);
        let shifted = Range { minimum: -100, maximum: 100 };
        assert_eq!(shifted.normalise(-100), 0);
        assert_eq!(shifted.normalise(0), 32767);
        for (minimum, maximum) in [(5, 5), (9, 3), (i32::MIN, i32::MAX)] {
            for value in [i32::MIN, 0, 5, i32::MAX] {
                let _ = Range { minimum, maximum }.normalise(value);
            }
        }
    }
}
