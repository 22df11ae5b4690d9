//! What follows when displays come and go.

use super::super::console;
use super::super::uevent::Uevents;
use super::{Machine, SHOWN, TERMINAL};
use crate::error::{Error, Exit, Result};
use crate::model::prompt::event::{Event, Events};
use crate::model::prompt::platform::Platform;
use crate::model::scanout::presence::Step;

/// Whoever puts the terminal into text mode may be about to bring another one in front, which the kernel
/// does in text mode only, a moment later.
const TEXT_MS: u64 = 250;

impl Machine<'_> {
    /// There is a picture, on a terminal that stays the same once it was opened.
    pub(super) fn shows(&mut self) {
        self.presence.found();
        if let Some(terminal) = self.display.terminal().filter(|_| !self.watches_terminal) {
            // Without them, the terminal is looked at whenever something else happens.
            let _ = terminal.active().map(|active| self.poll.add_notified(active, TERMINAL));
            let _ = terminal.shown().map(|shown| self.poll.add_notified(shown, SHOWN));
            self.watches_terminal = true;
        }
    }

    /// Characters were drawn on the terminal behind the picture, or may have been.
    pub(super) fn see_text(&mut self) {
        let due_ms = self.now_ms().saturating_add(TEXT_MS);
        if let Some(terminal) = self.display.terminal() {
            // Told for ever, it would be worse than not at all.
            if !terminal.look()
                && let Some(shown) = terminal.shown()
            {
                self.poll.remove(shown);
            }
            if !terminal.is_graphics() {
                self.mend_ms.get_or_insert(due_ms);
            }
        }
    }

    /// Keeps the console from drawing over the picture.
    pub(super) fn mend_display(&mut self) {
        let now_ms = self.now_ms();
        if self.mend_ms.is_none_or(|due_ms| due_ms <= now_ms) {
            self.mend_ms = None;
            self.redraw |= self.display.tend();
        }
    }

    /// Monitors may have come or gone, on cards that were there.
    pub(super) fn read_uevents(&mut self, events: &mut Events) {
        let news = self.uevents.as_ref().map(Uevents::tell).unwrap_or_default();
        if news.mapping {
            events.extend(self.opening.look().map(Event::Report));
        }
        if news.plug {
            let was_there = self.display.is_there();
            self.follow_display();
            if !was_there && self.display.is_there() {
                // The console had the keyboards, and has none any more.
                self.scan_devices(events);
            }
            self.redraw |= self.display.is_looked_at();
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
