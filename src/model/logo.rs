//! A picture that somebody wants above the title: a QOI or BMP file.

mod bmp;
mod qoi;

use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{DrawTarget, Size};
use embedded_graphics::primitives::Rectangle;

use super::frame::Frame;

/// Bytes of a file, at most.
pub const FILE_MAX: usize = 6 << 20;
/// Pixels of a picture, at most: each takes four bytes.
const PIXELS_MAX: usize = 1 << 20;

/// Red, green, blue and alpha.
type Pixel = [u8; 4];

/// The picture.
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    size: Size,
    /// Row by row from the top.
    pixels: Vec<Pixel>,
}

impl Logo {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(file: &[u8]) -> Result<Self, &'static str> {
        match file {
            [b'q', b'o', b'i', b'f', ..] => qoi::parse(file),
            [b'B', b'M', ..] => bmp::parse(file),
            _ => Err("it is neither a QOI nor a BMP file"),
        }
    }

    /// Its pixels.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The picture on a ground of one colour.
    pub fn on(&self, paper: Rgb888) -> Frame {
        let blend = |[red, green, blue, alpha]: Pixel| {
            let mix = |text: u8, paper: u8| {
                let (text, paper, alpha) = (u32::from(text), u32::from(paper), u32::from(alpha));
                ((text * alpha + paper * (255 - alpha) + 127) / 255) as u8
            };
            Rgb888::new(mix(red, paper.r()), mix(green, paper.g()), mix(blue, paper.b()))
        };
        let mut frame = Frame::new(self.size);
        let area = Rectangle::new(Default::default(), self.size);
        let Ok(()) = frame.fill_contiguous(&area, self.pixels.iter().copied().map(blend));
        frame
    }
}

/// How many pixels a picture of some size has.
///
/// # Errors
/// That it is empty, or larger than any logo.
fn count(width: u32, height: u32) -> Result<usize, &'static str> {
    match (width as usize).checked_mul(height as usize) {
        Some(0) => Err("it has no pixels"),
        Some(count) if count <= PIXELS_MAX => Ok(count),
        _ => Err("it is larger than a million pixels"),
    }
}

#[cfg(test)]
mod tests;
