//! Buttons of the machine and of game pads: what pressing and holding them asks for.
//!
//! Two of them are enough, for the touch screen may be broken: volume up goes to the next key and,
//! held, presses it; volume down goes to the next row and, held, back. Codes are those of
//! include/uapi/linux/input-event-codes.h.

use super::code::{
    BTN_DPAD_DOWN, BTN_DPAD_LEFT, BTN_DPAD_RIGHT, BTN_DPAD_UP, BTN_EAST, BTN_SOUTH, KEY_POWER, KEY_SLEEP,
    KEY_VOLUMEDOWN, KEY_VOLUMEUP,
};
use super::decoder::Stroke;
use super::focus::Way;

/// The upper one of a game pad's four buttons; drivers that name it Y say the second one (BTN_Y is BTN_WEST,
/// drivers/input/joystick/xpad.c).
const BTN_NORTH: u16 = 0x133;
const BTN_WEST: u16 = 0x134;
const BTN_START: u16 = 0x13b;

/// A volume key that is held so long does the other thing.
const HOLD_MS: u64 = 600;
/// The same for the power key.
const POWER_MS: u64 = 1500;
/// What repeats begins after this time on a pad.
const REPEAT_AFTER_MS: u64 = 400;
/// It goes on at this pace, and after so many times at that one.
const REPEAT_MS: u64 = 150;
const SLOW_REPEATS: u32 = 8;
const FAST_MS: u64 = 60;

/// What a button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Moves the focus.
    Go(Way),
    /// Presses what has the focus, which is held from now on.
    Press,
    /// Lets it go.
    Lift,
    /// Takes the last character away.
    Backspace,
    /// Presses shift.
    Shift,
    /// Tries the passphrase.
    Enter,
    /// The power key was pressed for a moment.
    Power,
    /// It is held.
    PowerLong,
    /// The display is not needed.
    Sleep,
}

/// A button that is down.
#[derive(Clone, Copy, Debug)]
struct Held {
    code: u16,
    due_ms: Option<u64>,
    /// How often something came of holding it.
    times: u32,
}

/// Follows them.
#[derive(Debug, Default)]
pub struct Buttons {
    held: Vec<Held>,
}

/// Whether a key is one of them.
pub fn is_button(code: u16) -> bool {
    matches!(code, KEY_VOLUMEDOWN..=KEY_POWER | KEY_SLEEP | BTN_SOUTH | BTN_EAST | BTN_NORTH | BTN_WEST | BTN_START)
        || way_of(code).is_some()
}

/// Whether it is the one that all machines have.
pub fn is_power(code: u16) -> bool {
    code == KEY_POWER
}

/// Whether it is one of the two that are enough.
pub fn is_volume(code: u16) -> bool {
    matches!(code, KEY_VOLUMEDOWN | KEY_VOLUMEUP)
}

fn way_of(code: u16) -> Option<Way> {
    match code {
        BTN_DPAD_UP => Some(Way::Up),
        BTN_DPAD_DOWN => Some(Way::Down),
        BTN_DPAD_LEFT => Some(Way::Left),
        BTN_DPAD_RIGHT => Some(Way::Right),
        _ => None,
    }
}

impl Buttons {
    /// When [`Buttons::tick`] has something to do.
    pub fn due_ms(&self) -> Option<u64> {
        self.held.iter().filter_map(|held| held.due_ms).min()
    }

    /// Whatever is held leads to nothing any more.
    pub fn let_go(&mut self) {
        self.held.clear();
    }

    /// A button goes down or up. The kernel's own repeats mean nothing.
    pub fn stroke(&mut self, code: u16, stroke: Stroke, now_ms: u64) -> Option<Signal> {
        match stroke {
            Stroke::Repeat => None,
            Stroke::Press => {
                let (signal, after_ms) = press(code);
                // Two devices may have the same button.
                self.held.retain(|held| held.code != code);
                let due_ms = after_ms.map(|after_ms| now_ms.saturating_add(after_ms));
                self.held.push(Held { code, due_ms, times: 0 });
                signal
            }
            Stroke::Release => {
                let index = self.held.iter().position(|held| held.code == code)?;
                release(self.held.remove(index))
            }
        }
    }

    /// Time goes by: what the button asks for that has been held long enough.
    pub fn tick(&mut self, now_ms: u64) -> Option<Signal> {
        let held = self.held.iter_mut().find(|held| held.due_ms.is_some_and(|due_ms| due_ms <= now_ms))?;
        (held.due_ms, held.times) = (None, held.times + 1);
        let pace_ms = if held.times > SLOW_REPEATS { FAST_MS } else { REPEAT_MS };
        let (signal, repeats) = match held.code {
            KEY_VOLUMEUP => (Signal::Press, false),
            KEY_VOLUMEDOWN => (Signal::Go(Way::Previous), true),
            KEY_POWER => (Signal::PowerLong, false),
            BTN_EAST => (Signal::Backspace, true),
            code => (Signal::Go(way_of(code)?), true),
        };
        held.due_ms = repeats.then(|| now_ms.saturating_add(pace_ms));
        Some(signal)
    }
}

/// What a button does as it goes down, and after which time more comes of it.
fn press(code: u16) -> (Option<Signal>, Option<u64>) {
    match code {
        KEY_VOLUMEUP | KEY_VOLUMEDOWN => (None, Some(HOLD_MS)),
        KEY_POWER => (None, Some(POWER_MS)),
        KEY_SLEEP => (Some(Signal::Sleep), None),
        BTN_SOUTH => (Some(Signal::Press), None),
        BTN_EAST => (Some(Signal::Backspace), Some(REPEAT_AFTER_MS)),
        BTN_NORTH | BTN_WEST => (Some(Signal::Shift), None),
        BTN_START => (Some(Signal::Enter), None),
        code => (way_of(code).map(Signal::Go), Some(REPEAT_AFTER_MS)),
    }
}

/// What it does as it goes up.
fn release(held: Held) -> Option<Signal> {
    match (held.code, held.times) {
        (KEY_VOLUMEUP, 0) => Some(Signal::Go(Way::Next)),
        (KEY_VOLUMEDOWN, 0) => Some(Signal::Go(Way::Row)),
        (KEY_POWER, 0) => Some(Signal::Power),
        (KEY_VOLUMEUP, _) | (BTN_SOUTH, _) => Some(Signal::Lift),
        _ => None,
    }
}
