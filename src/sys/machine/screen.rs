//! What follows when displays come and go.

use super::super::{console, tty};
use super::{Machine, TERMINAL};
use crate::error::{Error, Exit, Result};
use crate::model::prompt::event::Events;
use crate::model::prompt::platform::Platform;
use crate::model::scanout::presence::Step;

impl Machine<'_> {
    /// There is a picture, on a terminal that stays the same once it was opened.
    pub(super) fn shows(&mut self) {
        self.presence.found();
        if !self.watches_terminal
            && let Some(active) = self.display.terminal().and_then(tty::Terminal::active)
        {
            // Without it, the terminal is looked at whenever something else happens.
            let _ = self.poll.add_notified(active, TERMINAL);
            self.watches_terminal = true;
        }
    }

    /// Drivers of displays may have come or gone.
    pub(super) fn follow_display(&mut self) {
        let now_ms = self.now_ms();
        if self.display.follow() {
            self.shows();
            self.redraw = true;
        } else if !self.display.is_there() {
            self.presence.lost(now_ms);
        }
    }

    /// What follows from there being no display for some time.
    pub(super) fn miss_display(&mut self, events: &mut Events) -> Result<()> {
        let now_ms = self.now_ms();
        match self.presence.step(now_ms, self.console.is_some()) {
            None => {}
            Some(Step::Text) => {
                self.display.leave();
                if !self.serial() {
                    // The console types with them.
                    for device in self.seat.devices.take_keyboards() {
                        self.lose(device, events);
                    }
                }
                let asks = if self.console.is_some() { "asking on the console" } else { "waiting for another one" };
                console::print(&format!("the display is gone; {asks}"));
                // The console asks again.
                self.redraw = true;
                self.recount = true;
            }
            Some(Step::GiveUp) => {
                let none = || Error::new(Exit::NoDisplay, "wait for a display", "none came");
                let error = self.display.error().cloned().unwrap_or_else(none);
                return Err(error.hint("and there is no console to ask on: load a display driver"));
            }
        }
        Ok(())
    }
}
