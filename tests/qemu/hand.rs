//! Somebody who has two buttons and sees what has the focus.

use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Result};
use crate::input;
use crate::product::{self, Twin};
use crate::run::Run;
use crate::screen::Point;
use crate::typist::Key;

/// A button: QEMU's name and the kernel's code (input-event-codes.h).
pub(crate) type Button = (&'static str, u16);
pub(crate) const UP: Button = ("volumeup", 115);
pub(crate) const DOWN: Button = ("volumedown", 114);
pub(crate) const POWER: Button = ("power", 116);

/// Far from the times at which a press begins to mean something else, for the guest runs slowly.
pub(crate) const SHORT_MS: u64 = 30;
/// Between that and the next one.
pub(crate) const LONG_MS: u64 = 800;
/// The power key's question.
pub(crate) const POWER_MS: u64 = 1900;
const PAUSE: Duration = Duration::from_millis(60);

/// Presses in the guest and beside it.
pub(crate) struct Hand {
    twin: Twin,
    pub(crate) presses: usize,
}

impl Hand {
    pub(crate) fn new(run: &Run) -> Result<Self> {
        Ok(Self { twin: Twin::new(&run.case)?, presses: 0 })
    }

    /// Holds a button for so long.
    pub(crate) fn press(&mut self, run: &mut Run, (name, code): Button, held_ms: u64) -> Result<()> {
        input::hold(&mut run.vm.qmp, name, Duration::from_millis(held_ms))?;
        thread::sleep(PAUSE);
        self.twin.button(code, held_ms);
        self.presses += 1;
        Ok(())
    }

    /// The screen is as it should be.
    pub(crate) fn look(&self, run: &mut Run) -> Result<()> {
        run.screen(&self.twin.frame()?)
    }

    fn focus(&self) -> Result<Point> {
        self.twin.focus().ok_or_else(|| Failure("there is no focus".into()))
    }

    /// Goes to the key at a place.
    pub(crate) fn go(&mut self, run: &mut Run, to: Point) -> Result<()> {
        while self.focus()?.y.abs_diff(to.y) > 10 {
            self.press(run, DOWN, SHORT_MS)?;
        }
        // Held, the other button would go back, by as many keys as the guest has time for.
        while self.focus()?.x.abs_diff(to.x) > 5 || self.focus()?.y.abs_diff(to.y) > 10 {
            self.press(run, UP, SHORT_MS)?;
        }
        Ok(())
    }

    /// Types a text and sends it.
    pub(crate) fn answer(&mut self, run: &mut Run, text: &str) -> Result<()> {
        run.step = "type with two buttons";
        let keyboard = product::keyboard(&run.case)?;
        let mut layer = 0;
        let taps = keyboard.taps(text, &mut layer)?;
        for at in taps.into_iter().chain([keyboard.key_center(layer, Key::Enter)?]) {
            self.go(run, at)?;
            self.press(run, UP, LONG_MS)?;
        }
        Ok(())
    }
}
