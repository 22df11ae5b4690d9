//! A touchpad: the way of its one finger moves the cursor, a short touch clicks.

use super::super::code::{BTN_TOOL_DOUBLETAP, BTN_TOOL_QUADTAP, BTN_TOOL_QUINTTAP, BTN_TOOL_TRIPLETAP};
use super::super::device::{Keys, SLOTS, Surface};
use super::super::pointer::{PARTS, STEPS};
use super::contact::Contact;

/// A touch that lasts longer is no tap.
const TAP_MS: u64 = 200;
/// Nor one that goes further than this part of the pad's width.
const TAP_PART: i64 = 40;

/// What says that there are more fingers than one, on pads that see where one is.
const MORE: [u16; 4] = [BTN_TOOL_DOUBLETAP, BTN_TOOL_TRIPLETAP, BTN_TOOL_QUADTAP, BTN_TOOL_QUINTTAP];

/// A frame's outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The way of the cursor, in parts of a step.
    pub(super) motion: Option<(i32, i32)>,
    /// The finger tapped.
    pub(super) tap: bool,
}

/// Follows the fingers.
#[derive(Debug, Default)]
pub(super) struct Touchpad {
    /// Slot, id and place of the one finger that there was in the last frame.
    finger: Option<(usize, i32, (i32, i32))>,
    /// When it came, while it may become a tap.
    tap_since_ms: Option<u64>,
    /// How far it has gone since, in parts of a step.
    way: i64,
    /// There were more fingers, and they have not all left.
    many: bool,
}

impl Touchpad {
    /// A finger that is there before anybody looked moves the cursor, and is no tap.
    pub(super) fn start(&mut self, contacts: &[Contact; SLOTS]) {
        self.finger = one(contacts);
        self.tap_since_ms = None;
    }

    /// A button of the pad is pressed: the finger on it does not tap.
    pub(super) fn spoil(&mut self) {
        self.tap_since_ms = None;
    }

    /// Takes a frame in.
    pub(super) fn frame(
        &mut self,
        time_ms: u64,
        contacts: &[Contact; SLOTS],
        keys: &Keys,
        surface: &Surface,
    ) -> Outcome {
        let more = MORE.into_iter().any(|code| keys.has(code)) || contacts.iter().filter(|c| c.is_down()).count() > 1;
        let before = self.finger.take();
        if more {
            self.many = true;
            self.spoil();
            return Outcome::default();
        }
        self.finger = one(contacts);
        self.many &= self.finger.is_some();
        match (before, self.finger) {
            (Some((slot, id, from)), Some((to_slot, to_id, to))) if (slot, id) == (to_slot, to_id) => {
                let (x, y) = parts(surface, from, to);
                self.way = self.way.saturating_add(i64::from(x).abs() + i64::from(y).abs());
                if self.way > PARTS * STEPS / TAP_PART {
                    self.spoil();
                }
                Outcome { motion: Some((x, y)).filter(|way| *way != (0, 0)), tap: false }
            }
            (_, Some(_)) => {
                (self.tap_since_ms, self.way) = (Some(time_ms).filter(|_| !self.many), 0);
                Outcome::default()
            }
            (_, None) => {
                let tap = self.tap_since_ms.take().is_some_and(|since_ms| time_ms.saturating_sub(since_ms) <= TAP_MS);
                Outcome { motion: None, tap }
            }
        }
    }
}

fn one(contacts: &[Contact; SLOTS]) -> Option<(usize, i32, (i32, i32))> {
    contacts.iter().enumerate().find_map(|(slot, contact)| Some((slot, contact.id?, (contact.x, contact.y))))
}

/// The way between two places, in parts of a step: once over the pad is once over the panel. Both axes
/// by the same length, if the kernel knows their resolution.
fn parts(surface: &Surface, from: (i32, i32), to: (i32, i32)) -> (i32, i32) {
    let width = surface.x.span();
    let way = |from: i32, to: i32, (by_x, by_y): (i64, i64)| {
        let way = (i64::from(to) - i64::from(from)) * PARTS * STEPS / width;
        (way.saturating_mul(by_x) / by_y).clamp(i32::MIN.into(), i32::MAX.into()) as i32
    };
    let known = surface.x.resolution > 0 && surface.y.resolution > 0;
    let ratio = if known { (surface.x.resolution.into(), surface.y.resolution.into()) } else { (1, 1) };
    (way(from.0, to.0, (1, 1)), way(from.1, to.1, ratio))
}
