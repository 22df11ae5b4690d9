//! The picture of one display on another one of any size: smaller, larger, of another shape.

use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{DrawTarget, OriginDimensions, Point, Size};
use embedded_graphics::primitives::Rectangle;

use crate::model::frame::Frame;
use crate::model::scale::Scale;

/// A frame of the other display's size that follows the one that is drawn on. Whatever the picture does
/// not cover is black.
pub struct Mirror {
    frame: Frame,
    /// Pixels of the picture, and what is made of them in the frame from `corner` on.
    from: Size,
    scale: Scale,
    corner: Point,
    /// Whether nothing was shown yet.
    is_fresh: bool,
}

impl Mirror {
    /// Shows pictures of `from` pixels on a display of `size`: as many times larger as there is room
    /// for, or as much smaller as it takes to see all of it.
    pub fn new(from: Size, size: Size) -> Self {
        let scale = Scale::fitting(from, size, u32::MAX);
        let margin = size.saturating_sub(scale.size()) / 2;
        let corner = Point::new(margin.width as i32, margin.height as i32);
        Self { frame: Frame::new(size), from, scale, corner, is_fresh: true }
    }

    /// Takes over the areas of `picture` that changed. Gives the frame and what changed in it, which is
    /// nothing for a picture of another size.
    pub fn follow(&mut self, picture: &Frame, damage: &[Rectangle]) -> (&Frame, Vec<Rectangle>) {
        let whole = [Rectangle::new(Point::zero(), self.from)];
        if picture.size() == self.from {
            let is_fresh = core::mem::take(&mut self.is_fresh);
            if is_fresh {
                // What was there before would stay at the edges.
                let Ok(()) = self.frame.clear(Rgb888::BLACK);
            }
            for area in if is_fresh { &whole } else { damage } {
                self.scale.draw((picture, area.intersection(&whole[0])), (&mut self.frame, self.corner));
            }
        }
        let damage = self.frame.take_damage();
        (&self.frame, damage)
    }
}

#[cfg(test)]
mod tests;
