//! The display: the framebuffers that are drawn on, the terminal behind them, the light. Drivers come,
//! go, and take each other's place.

use std::path::PathBuf;

use embedded_graphics::prelude::OriginDimensions;
use embedded_graphics::primitives::Rectangle;

use super::backlight::Backlights;
use super::fb::Framebuffer;
use super::graphics;
use super::tty::Terminal;
use crate::error::{Error, Exit, Result};
use crate::model::frame::Frame;
use crate::model::prompt::idle::Light;
use crate::model::prompt::plan::Panel;
use crate::model::scanout::demand::Demand;
use crate::model::scanout::selection::Selection;
use crate::model::scanout::turn::Turn;

/// What the prompt is shown on.
pub struct Display {
    demand: Demand,
    /// The one that the prompt is laid out for.
    main: Option<Framebuffer>,
    /// Others that show the same.
    mirrors: Vec<Framebuffer>,
    /// Those that there were when the ones above were opened, the best one first.
    seen: Vec<PathBuf>,
    terminal: Option<Terminal>,
    /// Whether the terminal is in graphics mode.
    is_entered: bool,
    /// Whether another terminal is in front, and its picture is not ours.
    is_behind: bool,
    backlights: Backlights,
    /// That of the framebuffers.
    light: Light,
    /// Why there was nothing to draw on the last time.
    error: Option<Error>,
}

impl Display {
    /// Nothing is open yet.
    pub fn new(demand: &Demand) -> Self {
        Self {
            demand: demand.clone(),
            main: None,
            mirrors: Vec::new(),
            seen: Vec::new(),
            terminal: None,
            is_entered: false,
            is_behind: false,
            backlights: Backlights::default(),
            light: Light::Full,
            error: None,
        }
    }

    /// Whether there is something to draw on.
    pub fn is_there(&self) -> bool {
        self.main.is_some()
    }

    /// Size in pixels and millimetres, as the one who looks at it sees it.
    pub fn panel(&self) -> Option<Panel> {
        self.main.as_ref().map(Framebuffer::panel)
    }

    /// How many shades of grey it shows; `None` for colours.
    pub fn greys(&self) -> Option<u32> {
        self.main.as_ref().and_then(Framebuffer::greys)
    }

    /// Between places of the frame and places of the panel.
    pub fn turn(&self) -> Option<Turn> {
        self.main.as_ref().map(Framebuffer::turn)
    }

    /// Whether it was missed when something was drawn: not every /dev tells of what comes and goes.
    pub fn is_gone(&self) -> bool {
        self.main.as_ref().is_some_and(Framebuffer::is_gone)
    }

    /// The terminal behind the picture; its changes are to be watched.
    pub fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
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
        let mut error = match &self.demand.framebuffer {
            Selection::Path(path) => {
                Error::os(Exit::NoDisplay, format!("open {}", path.display()), nix::errno::Errno::ENOENT)
            }
            _ => Error::new(Exit::NoDisplay, "open a framebuffer", "there is none"),
        };
        // A console that is all there is stays as it is.
        if paths.is_empty() {
            return Err(error);
        }
        let was_entered = self.is_entered;
        self.enter();
        for (index, path) in paths.iter().enumerate() {
            match Framebuffer::open(path, &self.demand)
                .and_then(|framebuffer| framebuffer.panel().check().map(|()| framebuffer))
            {
                Ok(framebuffer) => {
                    let panel = framebuffer.panel();
                    self.main = Some(framebuffer);
                    let others = paths.get(index + 1..).unwrap_or_default();
                    self.mirrors = if self.demand.framebuffer == Selection::All {
                        self.mirrors_on(others, panel)
                    } else {
                        Vec::new()
                    };
                    self.seen = paths;
                    // Opening switched them on.
                    self.light = Light::Full;
                    return Ok(());
                }
                Err(failure) if index == 0 => error = failure,
                // What is wrong with the best one is told.
                Err(_) => {}
            }
        }
        if !was_entered {
            self.leave();
        }
        Err(error)
    }

    fn mirrors_on(&self, paths: &[PathBuf], panel: Panel) -> Vec<Framebuffer> {
        let open = |path: &PathBuf| Framebuffer::open(path, &self.demand).ok();
        let fits = |mut framebuffer: Framebuffer| framebuffer.mirror(panel.size).then_some(framebuffer);
        paths.iter().filter_map(open).filter_map(fits).collect()
    }

    /// Looks whether drivers came, went or took another one's place; true when all must be drawn anew.
    /// What is gone is let go at once, for its memory may be wanted.
    pub fn follow(&mut self) -> bool {
        self.mirrors.retain(Framebuffer::is_alive);
        if self.main.as_ref().is_some_and(|main| !main.is_alive()) {
            self.main = None;
            self.mirrors.clear();
        }
        if self.main.is_some() {
            let now = graphics::devices(&self.demand.framebuffer);
            let is_same = match self.demand.framebuffer {
                Selection::All => now == self.seen,
                _ => now.first() == self.seen.first(),
            };
            if is_same {
                return false;
            }
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

    /// Keeps the console from drawing: somebody may have put the terminal back into text mode, or
    /// another one in front. True when the picture must be drawn anew.
    pub fn tend(&mut self) -> bool {
        let Some(terminal) = self.terminal.as_ref().filter(|_| self.main.is_some() && self.is_entered) else {
            return false;
        };
        let was_behind = core::mem::replace(&mut self.is_behind, !terminal.is_front());
        if self.is_behind || (!was_behind && terminal.is_graphics()) {
            return false;
        }
        terminal.enter();
        true
    }

    /// Gives the screen back to the console.
    pub fn leave(&mut self) {
        if let Some(terminal) = self.terminal.as_ref().filter(|_| self.is_entered) {
            terminal.restore();
        }
        self.is_entered = false;
    }

    fn enter(&mut self) {
        if self.terminal.is_none() {
            self.terminal = Terminal::open();
        }
        if let Some(terminal) = &self.terminal {
            terminal.enter();
        }
        self.is_entered = true;
    }

    /// Copies the rectangles of `frame` that changed. Gives what the user must be told.
    pub fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Option<Error> {
        if self.is_behind {
            return None;
        }
        // A frame of another size is of a panel that is gone.
        let main = self.main.as_mut().filter(|main| main.panel().size == frame.size())?;
        let told = main.present(frame, damage);
        let others = self.mirrors.iter_mut().filter_map(|mirror| mirror.present(frame, damage));
        others.fold(told, |told, other| told.or(Some(other)))
    }

    /// Copies rectangles of a picture whose rest is presented next; false when they must be presented
    /// with it.
    pub fn hasten(&mut self, frame: &Frame, damage: &[Rectangle]) -> bool {
        let fits = self.main.as_ref().is_some_and(|main| main.panel().size == frame.size());
        let mut is_done = fits && !self.is_behind;
        if is_done {
            for framebuffer in self.main.iter_mut().chain(&mut self.mirrors) {
                is_done &= framebuffer.copy(frame, damage);
            }
        }
        is_done
    }

    /// Sets how bright it is.
    pub fn shine(&mut self, light: Light) {
        let is_dark = |light| light == Light::Dark;
        if is_dark(light) != is_dark(core::mem::replace(&mut self.light, light)) {
            self.main.iter().chain(&self.mirrors).for_each(|framebuffer| framebuffer.blank(is_dark(light)));
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
