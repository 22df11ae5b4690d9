//! The port between a session and the machine: a real one, or a fake one in a test.

use embedded_graphics::prelude::Size;
use embedded_graphics::primitives::Rectangle;

use super::event::{Action, Events};
use super::idle::{self, Light};
use super::plan::Panel;
use crate::error::Result;
use crate::model::frame::Frame;

/// A machine with a clock, perhaps a panel, input devices and a worker.
pub trait Platform {
    /// Milliseconds since any fixed moment.
    fn now_ms(&mut self) -> u64;

    /// The panel to draw on; `None` where there is no display.
    fn panel(&self) -> Option<Panel>;

    /// How many shades of grey the panel shows; `None` for one that shows colours.
    fn greys(&self) -> Option<u32> {
        None
    }

    /// Waits until something happens or `deadline_ms` has come, and appends what happened.
    ///
    /// # Errors
    /// When waiting itself fails, which ends the session.
    fn wait(&mut self, deadline_ms: Option<u64>, events: &mut Events) -> Result<()>;

    /// Shows the rectangles of `frame` that changed.
    ///
    /// # Errors
    /// When the display is gone for good.
    fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()>;

    /// Shows rectangles of a picture whose rest is presented next, where that costs nothing more; false
    /// where they must be presented with it.
    fn hasten(&mut self, _: &Frame, _: &[Rectangle]) -> bool {
        false
    }

    /// A black frame of `size` pixels.
    fn frame(&mut self, size: Size) -> Frame {
        Frame::new(size)
    }

    /// What becomes of the light while nobody types: nothing, unless the machine says otherwise.
    fn idle(&self) -> idle::Config {
        idle::Config::default()
    }

    /// Sets how bright the display is, where that can be set.
    fn shine(&mut self, _: Light) {}

    /// Sets the lamp of Caps Lock on all keyboards that have one.
    fn set_caps_lock(&mut self, _: bool) {}

    /// Lets the machine be felt for a moment, where that is wanted and it can.
    fn pulse(&mut self) {}

    /// Prints a line on the console, for those who have no panel to look at.
    fn print(&mut self, line: &str);

    /// Carries out what the session asks of the machine.
    ///
    /// # Errors
    /// When it cannot be carried out, which ends the session.
    fn act(&mut self, action: Action) -> Result<()>;
}
