//! Repeats the key that is held on a keyboard whose driver does not (one without EV_REP).

use super::code::{BUTTONS, KEY_ENTERS, KEY_POWER};
use super::decoder::Stroke;

/// Until a key that is held repeats.
const DELAY_MS: u64 = 400;
/// Between two repeats.
const PERIOD_MS: u64 = 33;

/// The key that repeats.
#[derive(Debug, Default)]
pub struct Repeat {
    /// Device, code, and when it is due.
    held: Option<(u32, u16, u64)>,
}

impl Repeat {
    /// Notes what a key does on a device that does not repeat by itself. The one that went down last is
    /// the one that repeats, as the kernel has it.
    pub fn note(&mut self, now_ms: u64, device: u32, (code, stroke): (u16, Stroke)) {
        let is_it = self.held.is_some_and(|(held_on, held, _)| (held_on, held) == (device, code));
        match stroke {
            // Enter would use up the tries, and the power button is timed by who holds it.
            Stroke::Press if KEY_ENTERS.contains(&code) || code == KEY_POWER || code >= *BUTTONS.start() => {
                self.held = None;
            }
            Stroke::Press => self.held = Some((device, code, now_ms + DELAY_MS)),
            Stroke::Release if is_it => self.held = None,
            Stroke::Release | Stroke::Repeat => {}
        }
    }

    /// When [`Repeat::due`] is to be asked; `None` while nothing is held.
    pub fn deadline_ms(&self) -> Option<u64> {
        self.held.map(|(_, _, due_ms)| due_ms)
    }

    /// The key that is to repeat now. However late it is asked, it is one.
    pub fn due(&mut self, now_ms: u64) -> Option<u16> {
        let (_, code, due_ms) = self.held.as_mut()?;
        if *due_ms > now_ms {
            return None;
        }
        *due_ms = (*due_ms + PERIOD_MS).max(now_ms + 1);
        Some(*code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u16 = 30;

    #[test]
    fn a_key_repeats_after_a_while_until_it_is_up() {
        let mut repeat = Repeat::default();
        assert_eq!(repeat.deadline_ms(), None);
        repeat.note(1000, 1, (A, Stroke::Press));
        assert_eq!((repeat.deadline_ms(), repeat.due(1399)), (Some(1400), None));
        assert_eq!((repeat.due(1400), repeat.due(1401)), (Some(A), None));
        assert_eq!(repeat.deadline_ms(), Some(1433));
        assert_eq!(repeat.due(1433), Some(A));
        repeat.note(1440, 1, (A, Stroke::Release));
        assert_eq!((repeat.deadline_ms(), repeat.due(9999)), (None, None));
    }

    #[test]
    fn who_was_busy_gets_no_flood() {
        let mut repeat = Repeat::default();
        repeat.note(0, 1, (A, Stroke::Press));
        assert_eq!((repeat.due(10_000), repeat.due(10_000)), (Some(A), None));
    }

    #[test]
    fn the_last_key_repeats_and_others_let_it() {
        let mut repeat = Repeat::default();
        repeat.note(0, 1, (A, Stroke::Press));
        repeat.note(100, 1, (31, Stroke::Press));
        repeat.note(200, 1, (A, Stroke::Release));
        assert_eq!(repeat.due(500), Some(31));
        // The same key of another keyboard is another key.
        repeat.note(510, 2, (31, Stroke::Release));
        assert_eq!(repeat.due(533), Some(31));
    }

    #[test]
    fn enter_the_power_button_and_pads_do_not_repeat() {
        for code in [28, 96, 116, 0x130, 0x220] {
            let mut repeat = Repeat::default();
            repeat.note(0, 1, (A, Stroke::Press));
            repeat.note(0, 1, (code, Stroke::Press));
            assert_eq!(repeat.deadline_ms(), None, "{code}");
        }
    }
}
