//! One press of a button that two devices tell of: firmware and keyboard, or two nodes of one keyboard.

use super::code::{KEY_POWER, KEY_SLEEP};
use super::decoder::Stroke;

/// Whoever tells of it as well does so within this time.
const ECHO_MS: u64 = 500;

/// A press, and who told of it first.
#[derive(Clone, Copy, Debug)]
struct Told {
    code: u16,
    device: u32,
    since_ms: u64,
}

/// Finds out what was told before: put out and lit again, a display would stay as it is.
#[derive(Debug, Default)]
pub struct Echo {
    told: Option<Told>,
    /// Device and code of presses that were told before, until they end.
    silent: Vec<(u32, u16)>,
}

impl Echo {
    /// Whether a stroke on a device is none of a press that another one has told of.
    pub fn is_new(&mut self, now_ms: u64, device: u32, (code, stroke): (u16, Stroke)) -> bool {
        if !matches!(code, KEY_POWER | KEY_SLEEP) {
            return true;
        }
        let silent = self.silent.iter().position(|silent| *silent == (device, code));
        match (stroke, silent) {
            (Stroke::Press, None) => {
                let is_echo = |told: Told| {
                    told.code == code && told.device != device && now_ms.saturating_sub(told.since_ms) < ECHO_MS
                };
                if self.told.is_some_and(is_echo) {
                    self.silent.push((device, code));
                    return false;
                }
                self.told = Some(Told { code, device, since_ms: now_ms });
                true
            }
            (Stroke::Release, Some(at)) => {
                self.silent.swap_remove(at);
                false
            }
            (_, silent) => silent.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRMWARE: u32 = 1;
    const KEYBOARD: u32 = 2;

    /// Time, device and stroke of the power key, and whether it is new.
    fn told(echo: &mut Echo, strokes: &[(u64, u32, Stroke, bool)]) {
        for (now_ms, device, stroke, expected) in strokes {
            assert_eq!(echo.is_new(*now_ms, *device, (KEY_POWER, *stroke)), *expected, "{now_ms} ms, {stroke:?}");
        }
    }

    #[test]
    fn what_two_devices_tell_of_is_one_press() {
        use Stroke::{Press, Release, Repeat};
        let mut echo = Echo::default();
        // Firmware tells of no duration.
        let first = [(1000, FIRMWARE, Press, true), (1000, FIRMWARE, Release, true)];
        told(&mut echo, &first);
        told(&mut echo, &[(1040, KEYBOARD, Press, false), (1300, KEYBOARD, Repeat, false)]);
        told(&mut echo, &[(1600, KEYBOARD, Release, false)]);
        // The next one, in the other order: how long it is held counts.
        told(&mut echo, &[(3000, KEYBOARD, Press, true), (3002, FIRMWARE, Press, false)]);
        told(&mut echo, &[(3002, FIRMWARE, Release, false), (4600, KEYBOARD, Repeat, true)]);
        told(&mut echo, &[(4700, KEYBOARD, Release, true)]);
    }

    #[test]
    fn presses_of_one_device_and_late_ones_are_new() {
        use Stroke::{Press, Release};
        let mut echo = Echo::default();
        for now_ms in [1000, 1100, 1200] {
            told(&mut echo, &[(now_ms, KEYBOARD, Press, true), (now_ms + 50, KEYBOARD, Release, true)]);
        }
        told(&mut echo, &[(1700, FIRMWARE, Press, true), (1700, FIRMWARE, Release, true)]);
        // Another key, and one of which a duplicate types.
        assert!(echo.is_new(1710, KEYBOARD, (KEY_SLEEP, Press)));
        assert!(echo.is_new(1720, FIRMWARE, (30, Press)) && echo.is_new(1721, KEYBOARD, (30, Press)));
    }
}
