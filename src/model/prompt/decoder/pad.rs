//! A game pad: cross and stick become the four keys of the cross, buttons the first two.

use super::super::code::{
    ABS_HAT0X, ABS_HAT0Y, ABS_X, ABS_Y, BTN_DPAD_DOWN, BTN_DPAD_LEFT, BTN_DPAD_RIGHT, BTN_DPAD_UP, BTN_EAST,
    BTN_GAMEPAD, BTN_JOYSTICK, BTN_SOUTH, BUTTONS,
};
use super::super::device::Sticks;

/// In thousandths of the way from the middle to the end: a stick that is so far out is pressed, and up
/// again only when it is clearly nearer to the middle.
const OUT: i64 = 500;
const IN: i64 = 375;

/// Axes, and the keys of their lower and upper end.
const AXES: [(u16, u16, u16); 4] = [
    (ABS_X, BTN_DPAD_LEFT, BTN_DPAD_RIGHT),
    (ABS_Y, BTN_DPAD_UP, BTN_DPAD_DOWN),
    (ABS_HAT0X, BTN_DPAD_LEFT, BTN_DPAD_RIGHT),
    (ABS_HAT0Y, BTN_DPAD_UP, BTN_DPAD_DOWN),
];

/// Follows sticks and cross.
#[derive(Debug)]
pub(super) struct Pad {
    ranges: Sticks,
    /// Which end each axis is at: -1, 0 or 1.
    ends: [i8; 4],
    /// What holds each of the four keys: a bit for each axis, and one for the key itself.
    held: [u8; 4],
}

/// The bit of the key itself.
const KEY: u8 = 1 << 4;

impl Pad {
    pub(super) fn new(ranges: Sticks) -> Self {
        Self { ranges, ends: [0; 4], held: [0; 4] }
    }

    /// The axes are there now, and nobody has pressed anything by that.
    pub(super) fn start(&mut self, values: [i32; 4]) {
        self.follow(values, &mut |_, _| {});
    }

    /// The axes are there now, and what that means counts.
    pub(super) fn follow(&mut self, values: [i32; 4], tell: &mut dyn FnMut(u16, bool)) {
        for ((code, ..), value) in AXES.into_iter().zip(values) {
            self.axis(code, value, tell);
        }
    }

    /// An axis moves; tells which keys go down and up.
    pub(super) fn axis(&mut self, code: u16, value: i32, tell: &mut dyn FnMut(u16, bool)) {
        let Some(index) = AXES.iter().position(|(axis, ..)| *axis == code) else { return };
        let (Some(Some(range)), Some(end)) = (self.ranges.get(index), self.ends.get_mut(index)) else { return };
        let at = range.deflection(value);
        let before = *end;
        let limit = |side: i8| if before == side { IN } else { OUT };
        *end = match at {
            at if at >= limit(1) => 1,
            at if -at >= limit(-1) => -1,
            _ => 0,
        };
        let after = *end;
        if before == after {
            return;
        }
        let Some(&(_, lower, upper)) = AXES.get(index) else { return };
        for (side, key) in [(-1, lower), (1, upper)] {
            if before == side || after == side {
                self.hold(key, 1 << index, after == side, tell);
            }
        }
    }

    /// A key of the cross goes down or up.
    pub(super) fn key(&mut self, code: u16, down: bool, tell: &mut dyn FnMut(u16, bool)) {
        self.hold(code, KEY, down, tell);
    }

    /// Stick and cross may both hold a key: it is down once, and up when both have let go.
    fn hold(&mut self, code: u16, bit: u8, down: bool, tell: &mut dyn FnMut(u16, bool)) {
        let Some(held) = self.held.get_mut(usize::from(code.wrapping_sub(BTN_DPAD_UP))) else { return };
        let before = *held;
        *held = if down { before | bit } else { before & !bit };
        if (before == 0) != (*held == 0) {
            tell(code, down);
        }
    }

    /// Lets go of the cross and the sticks.
    pub(super) fn let_go(&mut self, tell: &mut dyn FnMut(u16, bool)) {
        for (code, held) in (BTN_DPAD_UP..).zip(core::mem::take(&mut self.held)) {
            if held != 0 {
                tell(code, false);
            }
        }
        self.ends = [0; 4];
    }
}

/// The code that a button is told under; `None` for one of a pointer. Old joysticks number theirs from
/// the trigger on.
pub(super) fn button(code: u16) -> Option<u16> {
    match code.wrapping_sub(*BTN_JOYSTICK.start()) {
        0 => Some(BTN_SOUTH),
        1 => Some(BTN_EAST),
        _ if BTN_GAMEPAD.contains(&code) || !BUTTONS.contains(&code) => Some(code),
        _ => None,
    }
}
