//! The display: the framebuffers that are drawn on, the terminal behind them, the light. Drivers come,
//! go, and take each other's place.

use std::path::PathBuf;

use embedded_graphics::primitives::Rectangle;

use super::backdrop::Backdrop;
use super::backlight::Backlights;
use super::fb::Framebuffer;
use super::graphics;
use super::screen::Screen;
use super::tty::Terminal;
use crate::error::{Error, Result};
use crate::model::frame::Frame;
use crate::model::prompt::idle::Light;
use crate::model::prompt::plan::Panel;
use crate::model::scanout::demand::Demand;
use crate::model::scanout::turn::Turn;

/// What the prompt is shown on.
pub struct Display {
    demand: Demand,
    screen: Option<Screen>,
    backdrop: Backdrop,
    backlights: Backlights,
    /// That of the framebuffers.
    light: Light,
    /// Connectors that have had something on them since it got dark.
    plugged: Vec<PathBuf>,
    /// Why there was nothing to draw on the last time.
    error: Option<Error>,
}

impl Display {
    /// Nothing is open yet.
    pub fn new(demand: &Demand) -> Self {
        Self {
            demand: demand.clone(),
            screen: None,
            backdrop: Backdrop::default(),
            backlights: Backlights::default(),
            light: Light::Full,
            plugged: Vec::new(),
            error: None,
        }
    }

    /// Whether there is something to draw on.
    pub fn is_there(&self) -> bool {
        self.screen.is_some()
    }

    fn main(&self) -> Option<&Framebuffer> {
        self.screen.as_ref().map(|screen| &screen.main)
    }

    /// Size in pixels and millimetres, as the one who looks at it sees it.
    pub fn panel(&self) -> Option<Panel> {
        self.main().map(Framebuffer::panel)
    }

    /// How many shades of grey it shows; `None` for colours.
    pub fn greys(&self) -> Option<u32> {
        self.main().and_then(Framebuffer::greys)
    }

    /// Between places of the frame and places of the panel.
    pub fn turn(&self) -> Option<Turn> {
        self.main().map(Framebuffer::turn)
    }

    /// Whether it was missed when something was drawn: not every /dev tells of what comes and goes.
    pub fn is_gone(&self) -> bool {
        self.screen.as_ref().is_some_and(Screen::is_gone)
    }

    /// The terminal behind the picture; its changes are to be watched.
    pub fn terminal(&self) -> Option<&Terminal> {
        self.backdrop.terminal()
    }

    /// Opens what there is, behind a terminal in graphics mode: the console moves the picture as it
    /// scrolls, so it must have stopped before the picture's place is read.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when there is nothing that can be drawn on. The terminal is as before.
    pub fn open(&mut self) -> Result<()> {
        let result = self.try_open();
        self.error = result.as_ref().err().cloned();
        result
    }

    /// Why there was nothing to draw on the last time.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    fn try_open(&mut self) -> Result<()> {
        let paths = graphics::devices(&self.demand.framebuffer);
        // A console that is all there is stays as it is.
        let was_entered = self.backdrop.is_entered() || paths.is_empty();
        if !paths.is_empty() {
            self.backdrop.enter();
        }
        match Screen::open(paths, &self.demand) {
            Ok(screen) => {
                self.screen = Some(screen);
                // Opening switched them on.
                self.light = Light::Full;
                Ok(())
            }
            Err(error) => {
                if !was_entered {
                    self.backdrop.leave();
                }
                Err(error)
            }
        }
    }

    /// Looks whether drivers came, went or took another one's place; true when all must be drawn anew.
    /// What is gone is let go at once, for its memory may be wanted.
    pub fn follow(&mut self) -> bool {
        if self.screen.as_mut().is_some_and(|screen| !screen.is_alive()) {
            self.screen = None;
        }
        if self.screen.as_ref().is_some_and(|screen| screen.is_current(&self.demand)) {
            return false;
        }
        let is_open = self.open().is_ok();
        if is_open {
            self.light();
        }
        is_open
    }

    /// Looks for backlights, and lights those that are dark.
    pub fn light(&mut self) {
        self.backlights.again();
    }

    /// Something was plugged into a card, or pulled out: whether somebody may look at it now, so that
    /// all must be drawn. A monitor that sleeps in the dark may say that it is gone, and back again when
    /// the kernel asks it; it would wake for ever if that counted.
    pub fn is_looked_at(&mut self) -> bool {
        let now = if self.light == Light::Dark { graphics::connected() } else { Vec::new() };
        let new: Vec<PathBuf> = now.into_iter().filter(|one| !self.plugged.contains(one)).collect();
        let is_new = self.light != Light::Dark || !new.is_empty();
        self.plugged.extend(new);
        is_new && self.screen.is_some()
    }

    /// Keeps the console from drawing over the picture; true when it must be drawn anew.
    pub fn tend(&mut self) -> bool {
        self.screen.is_some() && self.backdrop.tend()
    }

    /// Gives the screen back to the console.
    pub fn leave(&mut self) {
        self.backdrop.leave();
    }

    /// Copies the rectangles of `frame` that changed. Gives what the user must be told.
    pub fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Option<Error> {
        self.screen.as_mut().filter(|_| !self.backdrop.is_behind())?.present(frame, damage)
    }

    /// Copies rectangles of a picture whose rest is presented next; false when they must be presented
    /// with it.
    pub fn hasten(&mut self, frame: &Frame, damage: &[Rectangle]) -> bool {
        self.screen.as_mut().filter(|_| !self.backdrop.is_behind()).is_some_and(|screen| screen.hasten(frame, damage))
    }

    /// Sets how bright it is.
    pub fn shine(&mut self, light: Light) {
        let is_dark = |light| light == Light::Dark;
        if is_dark(light) && !is_dark(self.light) {
            self.plugged = graphics::connected();
        }
        if is_dark(light) != is_dark(core::mem::replace(&mut self.light, light)) {
            self.screen.iter().for_each(|screen| screen.blank(is_dark(light)));
        }
        self.backlights.shine(light);
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.shine(Light::Full);
        self.leave();
    }
}
