//! Windows bitmaps, of as many kinds as the library knows.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{ImageDrawable, OriginDimensions};
use tinybmp::Bmp;

use super::{Logo, count};
use crate::model::frame::Frame;

/// Reads a file.
pub(super) fn parse(file: &[u8]) -> Result<Logo, &'static str> {
    let picture = Bmp::<Rgb888>::from_slice(file).map_err(|_| "it is not a BMP file that can be read")?;
    let size = picture.size();
    count(size.width, size.height)?;
    // Its iterator of pixels counts rows from the wrong end (tinybmp 0.7.0); what it draws is right.
    let mut frame = Frame::new(size);
    let Ok(()) = picture.draw(&mut frame);
    let opaque = |pixel: &u32| {
        let [_, red, green, blue] = pixel.to_be_bytes();
        [red, green, blue, 255]
    };
    Ok(Logo { size, pixels: frame.pixels().iter().map(opaque).collect() })
}
