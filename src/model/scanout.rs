//! How a picture lies in the memory that the display reads.

mod depth;
pub mod description;
pub mod turn;

use embedded_graphics::prelude::{OriginDimensions, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::frame::Frame;
use super::pixel::Format;
use crate::error::{Error, Exit, Result};
use turn::{Rotation, Turn};

/// Pixels on each side of the squares that a turned picture is copied in. One column of the frame is
/// one row of the panel; a square of both fits into the first-level cache, a whole column does not.
const SIDE: usize = 64;

/// A step backwards in a tile, whose places are counted modulo a power of two.
const BACK: usize = usize::MAX;

type Tile = [u32; SIDE * SIDE];

/// Pixel format, stride and position of the visible part, as the driver tells them
/// (`struct fb_var_screeninfo` and `fb_fix_screeninfo`, include/uapi/linux/fb.h).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanout {
    /// How a pixel is stored.
    pub format: Format,
    /// Visible pixels of the panel.
    pub size: Size,
    /// Bytes from one row to the next (`line_length`).
    pub stride: usize,
    /// Pixels and rows before the visible part (`xoffset`, `yoffset`).
    pub offset: (usize, usize),
    /// How the picture is turned on the panel.
    pub rotation: Rotation,
}

impl Scanout {
    /// Bytes from the start of the memory to the end of the last visible row.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when the visible part does not fit into rows of the stride or into
    /// `length` bytes.
    pub fn check(&self, length: usize) -> Result<usize> {
        let Size { width, height } = self.size;
        let (x, y) = self.offset;
        let row = x.checked_add(width as usize).and_then(|pixels| self.format.row_bytes(pixels));
        let needed = y.checked_add(height as usize).and_then(|rows| rows.checked_mul(self.stride));
        match (row, needed) {
            (Some(row), Some(needed)) if row <= self.stride && needed <= length && needed > 0 => Ok(needed),
            _ => {
                let stride = self.stride;
                let cause =
                    format!("{width}x{height} pixels at {x},{y} do not fit into {length} bytes of rows of {stride}");
                Err(Error::new(Exit::NoDisplay, "place the picture in the framebuffer", cause))
            }
        }
    }

    /// Between places of the frame and places of the panel.
    pub const fn turn(&self) -> Turn {
        Turn::new(self.rotation, self.size)
    }

    /// Copies the rectangles of `frame` that changed into the memory, turned. What lies outside of
    /// the frame, the panel or the memory is left out.
    pub fn copy(&self, frame: &Frame, damage: &[Rectangle], memory: &mut [u8]) {
        let bounds = |size| Rectangle::new(Point::zero(), size);
        let visible = bounds(self.turn().size()).intersection(&bounds(frame.size()));
        for area in damage {
            let area = area.intersection(&visible);
            if self.rotation == Rotation::Upright {
                for y in area.rows() {
                    let (x, y) = (area.top_left.x as usize, y as usize);
                    self.put(frame.row(x, y, area.size.width as usize), (x, y), memory);
                }
            } else {
                self.copy_turned(frame, area, memory);
            }
        }
    }

    fn copy_turned(&self, frame: &Frame, area: Rectangle, memory: &mut [u8]) {
        let mut tile = [0; SIDE * SIDE];
        let shown = self.turn().to_panel(area);
        for y in shown.rows().step_by(SIDE) {
            for x in shown.columns().step_by(SIDE) {
                let part = Rectangle::new(Point::new(x, y), Size::new_equal(SIDE as u32)).intersection(&shown);
                self.turn_tile(frame, part, &mut tile);
                for (row, y) in tile.chunks_exact(SIDE).zip(part.rows()) {
                    let pixels = row.get(..part.size.width as usize).unwrap_or(row);
                    self.put(pixels, (x as usize, y as usize), memory);
                }
            }
        }
    }

    /// Fills the start of each row of `tile` with what the panel shall show in `part`, which is no
    /// larger than it. The frame is read row by row.
    fn turn_tile(&self, frame: &Frame, part: Rectangle, tile: &mut Tile) {
        let area = self.turn().to_frame_area(part);
        let (x, y) = (area.top_left.x as usize, area.top_left.y as usize);
        let (width, height) = (area.size.width as usize, area.size.height as usize);
        // Where in the tile the first pixel of the first line goes, and how far it is to the next
        // pixel and to the next line.
        let (first, pixel, line) = match self.rotation {
            Rotation::Upright => (0, 1, SIDE),
            Rotation::Clockwise => (height - 1, SIDE, BACK),
            Rotation::UpsideDown => ((height - 1) * SIDE + width - 1, BACK, BACK.wrapping_mul(SIDE)),
            Rotation::Counterclockwise => ((width - 1) * SIDE, BACK.wrapping_mul(SIDE), 1),
        };
        for row in 0..height {
            let mut to = first.wrapping_add(row.wrapping_mul(line));
            for from in frame.row(x, y + row, width) {
                tile[to % (SIDE * SIDE)] = *from;
                to = to.wrapping_add(pixel);
            }
        }
    }

    /// Stores pixels of a row of the panel.
    fn put(&self, pixels: &[u32], (x, y): (usize, usize), memory: &mut [u8]) {
        let start = (self.offset.1 + y) * self.stride;
        if let Some(row) = memory.get_mut(start..) {
            self.format.put(pixels, row, self.offset.0 + x);
        }
    }
}

#[cfg(test)]
mod tests;
