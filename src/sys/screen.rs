//! The framebuffers that are drawn on: one that the prompt is laid out for, and those that show the same.

use std::path::PathBuf;

use embedded_graphics::prelude::OriginDimensions;
use embedded_graphics::primitives::Rectangle;
use nix::errno::Errno;

use super::fb::Framebuffer;
use super::graphics;
use crate::error::{Error, Exit, Result};
use crate::model::frame::Frame;
use crate::model::scanout::demand::Demand;
use crate::model::scanout::mirror::Mirror;
use crate::model::scanout::selection::Selection;

/// Open framebuffers.
pub struct Screen {
    /// The one that the prompt is laid out for.
    pub main: Framebuffer,
    mirrors: Vec<(Framebuffer, Mirror)>,
    /// Those that there were when they were opened, the best one first.
    seen: Vec<PathBuf>,
}

impl Screen {
    /// Opens the best of `paths` that can be drawn on, and the others too if their picture is wanted.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] with what is wrong with the best one.
    pub fn open(paths: Vec<PathBuf>, demand: &Demand) -> Result<Self> {
        let mut error = None;
        for (index, path) in paths.iter().enumerate() {
            match Framebuffer::open(path, demand)
                .and_then(|framebuffer| framebuffer.panel().check().map(|()| framebuffer))
            {
                Ok(main) => {
                    let others = paths.get(index + 1..).filter(|_| demand.framebuffer == Selection::All);
                    let mirrors = mirrors(&main, others.unwrap_or_default(), demand);
                    return Ok(Self { main, mirrors, seen: paths });
                }
                Err(failure) => drop(error.get_or_insert(failure)),
            }
        }
        Err(error.unwrap_or_else(|| none(&demand.framebuffer)))
    }

    /// Lets go of mirrors that are gone; false when what the prompt is laid out for is.
    pub fn is_alive(&mut self) -> bool {
        self.mirrors.retain(|(framebuffer, _)| framebuffer.is_alive());
        self.main.is_alive()
    }

    /// Whether anything was missed when it was drawn on.
    pub fn is_gone(&self) -> bool {
        self.main.is_gone() || self.mirrors.iter().any(|(framebuffer, _)| framebuffer.is_gone())
    }

    /// Whether there is nothing else now that should be drawn on.
    pub fn is_current(&self, demand: &Demand) -> bool {
        let now = graphics::devices(&demand.framebuffer);
        match demand.framebuffer {
            Selection::All => now == self.seen,
            _ => now.first() == self.seen.first(),
        }
    }

    /// Copies the rectangles of `frame` that changed. Gives what the user must be told.
    pub fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Option<Error> {
        // A frame of another size is of a panel that is gone.
        if self.main.panel().size != frame.size() {
            return None;
        }
        let mut told = self.main.present(frame, damage);
        for (framebuffer, mirror) in &mut self.mirrors {
            let (frame, damage) = mirror.follow(frame, damage);
            let other = framebuffer.present(frame, &damage);
            told = told.or(other);
        }
        told
    }

    /// Copies rectangles of a picture whose rest is presented next; false when they must be presented
    /// with it. Mirrors make a picture of their own, and once is enough for that.
    pub fn hasten(&mut self, frame: &Frame, damage: &[Rectangle]) -> bool {
        self.mirrors.is_empty() && self.main.panel().size == frame.size() && self.main.copy(frame, damage)
    }

    /// Switches all panels off, or on again.
    pub fn blank(&self, is_dark: bool) {
        self.main.blank(is_dark);
        self.mirrors.iter().for_each(|(framebuffer, _)| framebuffer.blank(is_dark));
    }
}

fn mirrors(main: &Framebuffer, paths: &[PathBuf], demand: &Demand) -> Vec<(Framebuffer, Mirror)> {
    let size = main.panel().size;
    let open = |path: &PathBuf| Framebuffer::open(path, demand).ok();
    let mirror = |framebuffer: Framebuffer| {
        let mirror = Mirror::new(size, framebuffer.panel().size);
        (framebuffer, mirror)
    };
    paths.iter().filter_map(open).map(mirror).collect()
}

fn none(selection: &Selection) -> Error {
    match selection {
        Selection::Path(path) => Error::os(Exit::NoDisplay, format!("open {}", path.display()), Errno::ENOENT),
        _ => Error::new(Exit::NoDisplay, "open a framebuffer", "there is none"),
    }
}
