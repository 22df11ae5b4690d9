//! How a picture lies in the memory that the display reads.

pub mod demand;
mod depth;
pub mod description;
pub mod mirror;
pub mod orientation;
pub mod presence;
pub mod refresh;
pub mod selection;
pub mod turn;

use embedded_graphics::prelude::{OriginDimensions, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::frame::Frame;
use super::pixel::{Format, XRGB8888};
use crate::error::{Error, Exit, Result};
use turn::{Rotation, Turn};

/// Pixels on each side of the squares that a turned picture is copied in. One column of the frame is
/// one row of the panel; a square of both fits into the first-level cache, a whole column does not.
const SIDE: usize = 64;

/// Bytes that are put together before they are written, at most: a few calls for a whole picture. Each
/// of them may have the driver begin to show it.
const BUFFER_MAX: usize = 1 << 20;

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
        let place = Place { left: self.offset.0, top: self.offset.1, stride: self.stride };
        for area in damage {
            self.fill(frame, self.shown(frame, *area), &place, memory);
        }
    }

    /// The same for memory that can only be written by calls: hands each piece of it that changed to
    /// `write`, with its place in bytes. `buffer` is where pieces are put together where the frame does
    /// not hold them as they are. Of a byte that holds several pixels, all are written.
    ///
    /// # Errors
    /// What `write` fails with, at once.
    pub fn write<E>(
        &self,
        frame: &Frame,
        damage: &[Rectangle],
        buffer: &mut Vec<u8>,
        mut write: impl FnMut(usize, Piece<'_>) -> core::result::Result<(), E>,
    ) -> core::result::Result<(), E> {
        let is_plain = self.format == XRGB8888 && self.rotation == Rotation::Upright;
        for area in damage {
            let (shown, first, row) = self.whole_bytes(self.shown(frame, *area));
            if row == 0 {
                continue;
            }
            // Without padding between them, rows are one piece.
            let is_tight = row == self.stride;
            let start = |y: i32| (self.offset.1 + y as usize) * self.stride + first;
            if is_plain && (!is_tight || shown.size.width == frame.size().width) {
                let (x, width) = (shown.top_left.x as usize, shown.size.width as usize);
                // As wide as the memory's rows, and so as the frame's.
                let (step, pixels) =
                    if is_tight { (shown.size.height, row / 4 * shown.size.height as usize) } else { (1, width) };
                for y in shown.rows().step_by(step as usize) {
                    write(start(y), Piece::Pixels(frame.run(x, y as usize, pixels)))?;
                }
                continue;
            }
            let rows = (BUFFER_MAX / row).max(1).min(shown.size.height as usize);
            buffer.resize(buffer.len().max(rows * row), 0);
            for y in shown.rows().step_by(rows) {
                let strip = Rectangle::new(Point::new(shown.top_left.x, y), Size::new(shown.size.width, rows as u32));
                let strip = strip.intersection(&shown);
                // Within the buffer the first byte of the area is the first one.
                let left = self.offset.0.wrapping_sub(first * 8 / self.format.bits() as usize);
                let place = Place { left, top: (y as usize).wrapping_neg(), stride: row };
                let bytes = strip.size.height as usize * row;
                let Some(strip_bytes) = buffer.get_mut(..bytes) else { continue };
                if self.format.bits() < 8 {
                    // Bits that are no pixel's.
                    strip_bytes.fill(0);
                }
                self.fill(frame, strip, &place, strip_bytes);
                let each = if is_tight { bytes } else { row };
                for (number, piece) in strip_bytes.chunks_exact(each).enumerate() {
                    write(start(y) + number * self.stride, Piece::Bytes(piece))?;
                }
            }
        }
        Ok(())
    }

    /// What the panel shows of an area of the frame.
    fn shown(&self, frame: &Frame, area: Rectangle) -> Rectangle {
        let bounds = |size| Rectangle::new(Point::zero(), size);
        let visible = bounds(self.turn().size()).intersection(&bounds(frame.size()));
        self.turn().to_panel(area.intersection(&visible))
    }

    /// An area of the panel made so wide that its rows begin and end with whole bytes where the panel
    /// goes that far; the first byte of its rows, and how many they are.
    fn whole_bytes(&self, area: Rectangle) -> (Rectangle, usize, usize) {
        if area.is_zero_sized() {
            return (area, 0, 0);
        }
        let each = (8 / self.format.bits() as usize).max(1);
        let (left, width) = (self.offset.0, self.size.width as usize);
        let start = left + area.top_left.x as usize;
        let end = (start + area.size.width as usize).next_multiple_of(each).min(left + width);
        let start = (start / each * each).max(left);
        let first = start * self.format.bits() as usize / 8;
        let row = self.format.row_bytes(end).map_or(0, |bytes| bytes - first);
        let corner = Point::new((start - left) as i32, area.top_left.y);
        (Rectangle::new(corner, Size::new((end - start) as u32, area.size.height)), first, row)
    }

    /// Stores an area of the panel in some memory.
    fn fill(&self, frame: &Frame, shown: Rectangle, place: &Place, memory: &mut [u8]) {
        if self.rotation == Rotation::Upright {
            let x = shown.top_left.x as usize;
            for y in shown.rows() {
                let pixels = frame.row(x, y as usize, shown.size.width as usize);
                self.put(pixels, (x, y as usize), place, memory);
            }
            return;
        }
        let mut tile = [0; SIDE * SIDE];
        for y in shown.rows().step_by(SIDE) {
            for x in shown.columns().step_by(SIDE) {
                let part = Rectangle::new(Point::new(x, y), Size::new_equal(SIDE as u32)).intersection(&shown);
                self.turn_tile(frame, part, &mut tile);
                for (row, y) in tile.chunks_exact(SIDE).zip(part.rows()) {
                    let pixels = row.get(..part.size.width as usize).unwrap_or(row);
                    self.put(pixels, (x as usize, y as usize), place, memory);
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
    fn put(&self, pixels: &[u32], (x, y): (usize, usize), place: &Place, memory: &mut [u8]) {
        let start = place.top.wrapping_add(y).wrapping_mul(place.stride);
        if let Some(row) = memory.get_mut(start..) {
            self.format.put(pixels, row, place.left.wrapping_add(x));
        }
    }
}

/// What is to be written somewhere.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// These pixels as little-endian words: they lie in memory so on most machines, and need no copy.
    Pixels(&'a [u32]),
}

/// Where the panel's first pixel is in some memory: it may be before its beginning, so places are
/// counted modulo the size of an address.
struct Place {
    left: usize,
    top: usize,
    stride: usize,
}

#[cfg(test)]
mod tests;
