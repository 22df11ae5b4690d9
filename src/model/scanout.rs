//! How a picture lies in the memory that the display reads.

use embedded_graphics::prelude::Size;
use embedded_graphics::primitives::Rectangle;

use super::frame::Frame;
use super::pixel::Format;
use crate::error::{Error, Exit, Result};

/// Pixel format, stride and position of the visible part, as the driver tells them
/// (`struct fb_var_screeninfo` and `fb_fix_screeninfo`, include/uapi/linux/fb.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scanout {
    /// How a pixel is stored.
    pub format: Format,
    /// Bytes from one row to the next (`line_length`).
    pub stride: usize,
    /// Pixels and rows before the visible part (`xoffset`, `yoffset`).
    pub offset: (usize, usize),
}

impl Scanout {
    /// Bytes from the start of the memory to the end of the last visible row.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when a visible part of `size` pixels does not fit into rows of the stride
    /// or into `length` bytes.
    pub fn check(&self, size: Size, length: usize) -> Result<usize> {
        let (x, y) = self.offset;
        let row = x.checked_add(size.width as usize).and_then(|pixels| pixels.checked_mul(self.format.bytes()));
        let needed = y.checked_add(size.height as usize).and_then(|rows| rows.checked_mul(self.stride));
        match (row, needed) {
            (Some(row), Some(needed)) if row <= self.stride && needed <= length && needed > 0 => Ok(needed),
            _ => {
                let Size { width, height } = size;
                let stride = self.stride;
                let cause =
                    format!("{width}x{height} pixels at {x},{y} do not fit into {length} bytes of rows of {stride}");
                Err(Error::new(Exit::NoDisplay, "place the picture in the framebuffer", cause))
            }
        }
    }

    /// Copies the rectangles of `frame` that changed into the memory. What lies outside of either is
    /// left out.
    pub fn copy(&self, frame: &Frame, damage: &[Rectangle], memory: &mut [u8]) {
        let bytes = self.format.bytes();
        for area in damage {
            let (x, width) = (area.top_left.x.max(0) as usize, area.size.width as usize);
            for y in area.rows() {
                let y = y.max(0) as usize;
                let pixels = frame.row(x, y, width);
                let start = (self.offset.1 + y) * self.stride + (self.offset.0 + x) * bytes;
                if let Some(row) = memory.get_mut(start..start + pixels.len() * bytes) {
                    self.format.convert(pixels, row);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use embedded_graphics::pixelcolor::Rgb888;
    use embedded_graphics::prelude::{DrawTarget, Point};

    use super::super::pixel::{RGB565, XRGB8888};
    use super::*;

    const UNTOUCHED: u8 = 0xaa;

    /// A frame in which no two pixels are alike.
    fn frame(width: u32, height: u32) -> Frame {
        let mut frame = Frame::new(Size::new(width, height));
        let area = Rectangle::new(Point::zero(), Size::new(width, height));
        let colors = (0..height).flat_map(|y| (0..width).map(move |x| Rgb888::new(x as u8, y as u8, (x ^ y) as u8)));
        frame.fill_contiguous(&area, colors).unwrap();
        frame
    }

    /// Reads a pixel of XRGB8888 back, found by the definition of the stride alone.
    fn pixel(memory: &[u8], scanout: &Scanout, x: usize, y: usize) -> u32 {
        let at = (y + scanout.offset.1) * scanout.stride + (x + scanout.offset.0) * 4;
        u32::from_le_bytes(memory[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn padded_rows_and_offsets_hold_the_whole_picture() {
        // 1366 pixels in rows of 1376, as some panels have them.
        for (width, stride, offset) in
            [(1366, 1376 * 4, (0, 0)), (1366, 1366 * 4, (0, 0)), (64, 400, (3, 5)), (1, 4, (0, 2))]
        {
            let height = 7;
            let scanout = Scanout { format: XRGB8888, stride, offset };
            let size = Size::new(width, height);
            let length = scanout.check(size, 1 << 20).unwrap();
            let mut memory = vec![UNTOUCHED; length];
            let whole = Rectangle::new(Point::zero(), size);
            let frame = frame(width, height);
            scanout.copy(&frame, &[whole], &mut memory);
            for (at, meant) in frame.pixels().iter().enumerate() {
                let (x, y) = (at % width as usize, at / width as usize);
                assert_eq!(pixel(&memory, &scanout, x, y), *meant, "{x},{y} of {scanout:?}");
            }
            let written = memory.iter().filter(|byte| **byte != UNTOUCHED).count();
            assert!(written <= (width * height * 4) as usize, "the padding of {scanout:?} was written");
        }
    }

    #[test]
    fn only_damage_is_copied() {
        let scanout = Scanout { format: RGB565, stride: 40, offset: (1, 1) };
        let mut memory = vec![UNTOUCHED; 40 * 11];
        let area = Rectangle::new(Point::new(2, 3), Size::new(4, 2));
        scanout.copy(&frame(16, 10), &[area], &mut memory);
        let touched = |y: usize| (0..40).filter(|x| memory[y * 40 + x] != UNTOUCHED).collect::<Vec<_>>();
        for y in 0..11 {
            let expected: Vec<usize> = if (4..6).contains(&y) { (6..14).collect() } else { Vec::new() };
            assert_eq!(touched(y), expected, "row {y}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_or_left_out() {
        let size = Size::new(16, 10);
        let scanout = Scanout { format: XRGB8888, stride: 64, offset: (0, 0) };
        assert_eq!(scanout.check(size, 640).unwrap(), 640);
        assert!(scanout.check(size, 639).is_err());
        assert!(scanout.check(Size::new(17, 10), 4096).is_err());
        assert!(scanout.check(Size::zero(), 4096).is_err());
        for offset in [(1, 0), (usize::MAX, 0), (0, usize::MAX)] {
            assert!(Scanout { offset, ..scanout }.check(size, 4096).is_err());
        }
        let mut short = vec![UNTOUCHED; 100];
        let beyond = Rectangle::new(Point::new(-3, -3), Size::new(1000, 1000));
        scanout.copy(&frame(16, 10), &[beyond], &mut short);
    }
}
