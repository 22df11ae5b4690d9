//! A panel: its pixels, and how large they are.

pub mod edid;
pub mod extent;
pub mod guess;
pub mod source;

use embedded_graphics::prelude::Size;

use self::extent::Extent;
use crate::error::{Error, Exit, Result};

/// Smaller panels cannot hold a keyboard that a finger can use.
pub const SIZE_MIN: Size = Size::new(160, 120);

/// More pixels than any panel has: a driver that claims them is wrong, and memory would not suffice.
pub const SIDE_MAX: u32 = 16_384;

/// A panel as the one who looks at it sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Visible pixels.
    pub size: Size,
    /// Width and height in millimetres. Zero where nothing is known; what cannot be true is not
    /// believed, so that a driver's words may be put here as they are.
    pub millimetres: (u32, u32),
}

impl Panel {
    /// Whether a prompt fits.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when the panel is too small.
    pub fn check(&self) -> Result<()> {
        let Size { width, height } = self.size;
        if width.max(height) > SIDE_MAX {
            let cause =
                format!("the framebuffer claims {width}x{height} pixels, and no panel has over {SIDE_MAX} a side");
            return Err(Error::new(Exit::NoDisplay, "lay out the prompt", cause));
        }
        if width >= SIZE_MIN.width && height >= SIZE_MIN.height {
            return Ok(());
        }
        let needed = format!("{}x{}", SIZE_MIN.width, SIZE_MIN.height);
        let cause = format!("the framebuffer has {width}x{height} pixels and the prompt needs {needed}");
        Err(Error::new(Exit::NoDisplay, "lay out the prompt", cause))
    }

    /// Pixels a millimetre: from the millimetres where they are believable, guessed otherwise.
    pub fn px_per_mm(&self) -> f32 {
        Extent::from(self.millimetres).px_per_mm(self.size).unwrap_or_else(|| guess::px_per_mm(self.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_that_cannot_be_are_refused() {
        let check = |width, height| Panel { size: Size::new(width, height), millimetres: (0, 0) }.check();
        for (width, height) in [(160, 120), (7680, 4320), (SIDE_MAX, 120)] {
            assert!(check(width, height).is_ok(), "{width}x{height}");
        }
        for (width, height) in [(0, 0), (3, 3), (159, 120), (160, 119), (SIDE_MAX + 1, 120), (120, u32::MAX)] {
            assert_eq!(check(width, height).unwrap_err().exit(), Exit::NoDisplay, "{width}x{height}");
        }
    }
}
