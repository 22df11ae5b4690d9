//! What a driver says of its framebuffer, and what is made of it.

mod color;
mod number;

use embedded_graphics::prelude::Size;

use super::{Rotation, Scanout, depth};
use crate::error::{Error, Exit, Result};
use crate::model::pixel::field::Field;
use crate::model::pixel::palette::ColorMap;
use crate::model::pixel::{Format, Order};

const FB_TYPE_PACKED_PIXELS: u32 = 0;
const FB_TYPE_INTERLEAVED_PLANES: u32 = 2;
const FB_TYPE_FOURCC: u32 = 5;

const FB_VISUAL_MONO01: u32 = 0;
const FB_VISUAL_MONO10: u32 = 1;
const FB_VISUAL_TRUECOLOR: u32 = 2;
const FB_VISUAL_DIRECTCOLOR: u32 = 4;

/// The fields of `struct fb_var_screeninfo` and `struct fb_fix_screeninfo` (include/uapi/linux/fb.h)
/// that say how pixels lie in memory, by their names there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Visible pixels of a row.
    pub xres: u32,
    /// Visible rows.
    pub yres: u32,
    /// Pixels of a row.
    pub xres_virtual: u32,
    /// Pixels before the visible ones of a row.
    pub xoffset: u32,
    /// Rows before the visible ones.
    pub yoffset: u32,
    /// Depth in bits.
    pub bits_per_pixel: u32,
    /// 0 for colour, 1 for grey, or a FOURCC. Drivers of electronic paper have 2 for inverted grey, 3
    /// and 4 for the same in four bits (the mxcfb interface).
    pub grayscale: u32,
    /// Red's bits.
    pub red: Field,
    /// Green's bits.
    pub green: Field,
    /// Blue's bits.
    pub blue: Field,
    /// Alpha's bits.
    pub transp: Field,
    /// Not 0 for pixels that are something else.
    pub nonstd: u32,
    /// `FB_TYPE_*`: named `type` there.
    pub kind: u32,
    /// `FB_VISUAL_*`.
    pub visual: u32,
    /// Bytes from one row to the next.
    pub line_length: u32,
}

/// How to draw on a framebuffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where and how pixels are stored.
    pub scanout: Scanout,
    /// The colour map that the display should have (FBIOPUTCMAP).
    pub load: Option<ColorMap>,
    /// Entries of the display's own colour map (FBIOGETCMAP), which are to be told to
    /// [`Choice::use_map`] where there is no map to load, or it is not taken.
    pub read: Option<u32>,
    /// Bits up to a pixel's number, and which pixel of a byte is the left one.
    numbers: (u32, Order),
}

impl Choice {
    /// Draws with the colours that the display has.
    pub fn use_map(&mut self, map: &ColorMap) {
        if self.read.is_some() && !map.is_empty() {
            let (shift, order) = self.numbers;
            self.scanout.format = Format::palette(self.scanout.format.bits(), order, shift, map);
        }
    }
}

impl Description {
    /// What to do with this framebuffer, the picture turned by `rotation`.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] for pixels that are spread over planes, that are YUV, or of no depth.
    pub fn choose(&self, rotation: Rotation) -> Result<Choice> {
        let bits = self.bits_per_pixel;
        // One plane is the same as packed pixels.
        if self.kind != FB_TYPE_FOURCC
            && self.kind != FB_TYPE_PACKED_PIXELS
            && !(bits == 1 && self.kind <= FB_TYPE_INTERLEAVED_PLANES)
        {
            return refuse(format!("its pixels are not packed (type {})", self.kind));
        }
        if self.grayscale.to_le_bytes().iter().all(|letter| (b' '..=b'~').contains(letter)) {
            return self.fourcc().map(|format| self.plain(format, rotation));
        }
        if self.kind == FB_TYPE_FOURCC {
            return refuse("it has a FOURCC format and does not tell which".into());
        }
        match bits {
            0 => refuse("0 bits per pixel".into()),
            8 if self.has_fields() && [self.red, self.green, self.blue].iter().all(|field| field.fits(8)) => {
                self.colors_of(1).map(|(format, load)| Choice { load, ..self.plain(format, rotation) })
            }
            1..=8 => self.numbered(rotation),
            9..=32 => {
                let bytes = depth::bytes(bits, self.row_pixels(), self.stride());
                self.colors_of(bytes).map(|(format, load)| Choice { load, ..self.plain(format, rotation) })
            }
            more => refuse(format!("{more} bits per pixel")),
        }
    }

    /// Pixels of a row, which drivers that have no virtual size leave at 0.
    fn row_pixels(&self) -> u32 {
        self.xres_virtual.max(self.xres.saturating_add(self.xoffset))
    }

    /// Bytes of a row, computed where the driver does not tell.
    fn stride(&self) -> u32 {
        if self.line_length > 0 {
            return self.line_length;
        }
        let bits = match self.bits_per_pixel {
            told @ 0..=8 => number::number_bits(told),
            told => told.div_ceil(8) * 8,
        };
        let row = (u64::from(self.row_pixels()) * u64::from(bits)).div_ceil(8);
        u32::try_from(row).unwrap_or(u32::MAX)
    }

    fn plain(&self, format: Format, rotation: Rotation) -> Choice {
        let scanout = Scanout {
            format,
            size: Size::new(self.xres, self.yres),
            stride: self.stride() as usize,
            offset: (self.xoffset as usize, self.yoffset as usize),
            rotation,
        };
        Choice { scanout, load: None, read: None, numbers: (0, Order::LowFirst) }
    }
}

fn refuse<T>(cause: String) -> Result<T> {
    let error = Error::new(Exit::NoDisplay, "read the framebuffer's pixel format", cause);
    Err(error.hint("choose a depth of 16, 24 or 32 bits in true colour"))
}

#[cfg(test)]
mod tests;
