//! Pixels of colours: fields as a driver tells them, or as they must be.

use super::{Description, FB_VISUAL_DIRECTCOLOR, FB_VISUAL_TRUECOLOR, refuse};
use crate::error::Result;
use crate::model::pixel::field::Field;
use crate::model::pixel::palette::ColorMap;
use crate::model::pixel::{Format, Order};

impl Description {
    /// Whether red, green and blue have bits of their own, so that a pixel is a colour.
    pub(super) fn has_fields(&self) -> bool {
        let [red, green, blue] = [self.red, self.green, self.blue].map(|field| field.mask(32));
        let colored = self.bits_per_pixel > 8 || [FB_VISUAL_TRUECOLOR, FB_VISUAL_DIRECTCOLOR].contains(&self.visual);
        colored && red != 0 && green != 0 && blue != 0 && red & green == 0 && (red | green) & blue == 0
    }

    /// A true-colour format of so many bytes, and the colour map that makes it one.
    pub(super) fn colors_of(&self, bytes: u32) -> Result<(Format, Option<ColorMap>)> {
        // SPI panels set `nonstd` and are plain RGB; YUV has no fields.
        if self.nonstd != 0 && !self.has_fields() {
            return refuse(format!("its pixels are no RGB (nonstd {})", self.nonstd));
        }
        let told = [self.red, self.green, self.blue];
        // Fields of another depth are a part of the lie about it.
        let wrong_depth = bytes != self.bits_per_pixel.div_ceil(8) && told.iter().all(|field| field.end() <= 16);
        let fit = self.has_fields() && !wrong_depth && told.iter().all(|field| field.fits(bytes * 8));
        let colored = told.iter().fold(0, |all, field| all | field.mask(bytes * 8));
        let alpha = if self.transp.mask(bytes * 8) & colored == 0 { self.transp } else { Field::default() };
        let (fields, alpha) = if fit { (told, alpha) } else { (self.usual(bytes), Field::default()) };
        let load = (self.visual == FB_VISUAL_DIRECTCOLOR).then(|| ColorMap::linear(fields));
        Ok((Format::fields(bytes, fields, alpha), load))
    }

    /// The fields that pixels of so many bytes have nearly everywhere, red and blue in the order that
    /// the driver tells.
    fn usual(&self, bytes: u32) -> [Field; 3] {
        let fields = match bytes {
            2 => [Field::new(11, 5), Field::new(5, 6), Field::new(0, 5)],
            _ => [Field::new(16, 8), Field::new(8, 8), Field::new(0, 8)],
        };
        let [red, green, blue] = fields;
        if self.red.offset < self.blue.offset { [blue, green, red] } else { [red, green, blue] }
    }

    /// A format that names itself. Those of V4L2 that are plain RGB or grey are known.
    pub(super) fn fourcc(&self) -> Result<Format> {
        let bytes = [Field::new(0, 8), Field::new(8, 8), Field::new(16, 8)];
        let [low, middle, high] = bytes;
        Ok(match &self.grayscale.to_le_bytes() {
            b"GREY" => Format::shades(8, Order::LowFirst, |shade| shade),
            b"RGBP" => Format::fields(2, [Field::new(11, 5), Field::new(5, 6), Field::new(0, 5)], Field::default()),
            b"RGB3" => Format::fields(3, [low, middle, high], Field::default()),
            b"BGR3" => Format::fields(3, [high, middle, low], Field::default()),
            b"BGR4" | b"XR24" | b"AR24" => Format::fields(4, [high, middle, low], Field::new(24, 8)),
            letters => return refuse(format!("its format is {}", letters.escape_ascii())),
        })
    }
}
