//! What a driver says of its framebuffer, and what is made of it.

use embedded_graphics::prelude::Size;

use super::{Rotation, Scanout, depth};
use crate::error::{Error, Exit, Result};
use crate::model::pixel::field::{Field, scale};
use crate::model::pixel::palette::ColorMap;
use crate::model::pixel::{Format, Order};

const FB_TYPE_PACKED_PIXELS: u32 = 0;
const FB_TYPE_INTERLEAVED_PLANES: u32 = 2;
const FB_TYPE_FOURCC: u32 = 5;

const FB_VISUAL_MONO01: u32 = 0;
const FB_VISUAL_MONO10: u32 = 1;
const FB_VISUAL_TRUECOLOR: u32 = 2;
const FB_VISUAL_DIRECTCOLOR: u32 = 4;
const FB_VISUAL_STATIC_PSEUDOCOLOR: u32 = 5;

const FB_NONSTD_REV_PIX_IN_B: u32 = 2;

/// Numbers of `grayscale` up to here are no FOURCC: 1 is grey, and drivers of electronic paper have
/// 2 for inverted grey, 3 and 4 for the same in four bits (the mxcfb interface).
const GRAYSCALE_MAX: u32 = 4;

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
    /// 0 for colour, 1 for grey, or a FOURCC.
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
        if self.grayscale > GRAYSCALE_MAX {
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
            told @ 0..=8 => number_bits(told),
            told => told.div_ceil(8) * 8,
        };
        let row = (u64::from(self.row_pixels()) * u64::from(bits)).div_ceil(8);
        u32::try_from(row).unwrap_or(u32::MAX)
    }

    /// Whether red, green and blue have bits of their own, so that a pixel is a colour.
    fn has_fields(&self) -> bool {
        let [red, green, blue] = [self.red, self.green, self.blue].map(|field| field.mask(32));
        let colored = self.bits_per_pixel > 8 || [FB_VISUAL_TRUECOLOR, FB_VISUAL_DIRECTCOLOR].contains(&self.visual);
        colored && red != 0 && green != 0 && blue != 0 && red & green == 0 && (red | green) & blue == 0
    }

    /// A true-colour format of so many bytes, and the colour map that makes it one.
    fn colors_of(&self, bytes: u32) -> Result<(Format, Option<ColorMap>)> {
        // SPI panels set `nonstd` and are plain RGB; YUV has no fields.
        if self.nonstd != 0 && !self.has_fields() {
            return refuse(format!("its pixels are no RGB (nonstd {})", self.nonstd));
        }
        let told = [self.red, self.green, self.blue];
        // Fields of another depth are a part of the lie about it.
        let wrong_depth = bytes != self.bits_per_pixel.div_ceil(8) && told.iter().all(|field| field.end() <= 16);
        let fit = self.has_fields() && !wrong_depth && told.iter().all(|field| field.fits(bytes * 8));
        let alpha = if self.transp.mask(bytes * 8) & told.map(|field| field.mask(bytes * 8)).iter().sum::<u32>() == 0 {
            self.transp
        } else {
            Field::default()
        };
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

    /// Up to 8 bits that are a shade or an entry of a palette.
    fn numbered(&self, rotation: Rotation) -> Result<Choice> {
        let told = self.bits_per_pixel;
        let bits = number_bits(told);
        let reversed = self.nonstd == FB_NONSTD_REV_PIX_IN_B;
        if self.nonstd != 0 && !reversed {
            return refuse(format!("its pixels are no plain numbers (nonstd {})", self.nonstd));
        }
        let order = if reversed { Order::HighFirst } else { Order::LowFirst };
        let is_mono = [FB_VISUAL_MONO01, FB_VISUAL_MONO10].contains(&self.visual);
        let inverted = (self.visual == FB_VISUAL_MONO01) != [2, 4].contains(&self.grayscale);
        if is_mono && (told == 1 || self.grayscale == 0) {
            return Ok(self.plain(mono(bits, told, order, inverted), rotation));
        }
        // A palette's field tells how many entries there are, and where in a pixel their number is.
        let field = if self.grayscale == 0 && self.red.fits(told) { self.red } else { Field::new(0, told) };
        let (entries, shift) = (1 << field.length, field.offset);
        let last = ((1_u32 << field.length) - 1) as u8;
        let ramp = Format::shades(bits, order, |shade| {
            let number = scale(shade, field.length) as u8;
            (if inverted { last - number } else { number }) << shift
        });
        let choice = Choice { numbers: (shift, order), ..self.plain(ramp, rotation) };
        let is_colored = self.grayscale == 0 && field.length == 8;
        Ok(match self.visual {
            FB_VISUAL_STATIC_PSEUDOCOLOR if self.grayscale == 0 => Choice { read: Some(entries), ..choice },
            FB_VISUAL_STATIC_PSEUDOCOLOR | FB_VISUAL_TRUECOLOR => choice,
            _ if is_mono => choice,
            _ => {
                let mut choice = Choice { read: Some(entries), ..choice };
                let map = if is_colored { ColorMap::colors() } else { ColorMap::greys(entries) };
                if is_colored {
                    choice.use_map(&map);
                }
                Choice { load: Some(map), ..choice }
            }
        })
    }

    /// A format that names itself. Those of V4L2 that are plain RGB or grey are known.
    fn fourcc(&self) -> Result<Format> {
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

/// Bits that a pixel of up to 8 takes up: pixels do not cross a byte.
fn number_bits(told: u32) -> u32 {
    told.clamp(1, 8).next_power_of_two()
}

/// Black or white and nothing between. A dither would show shades, but text drawn on a pattern, with
/// edges of a pattern, is far harder to read than text cut at half: that is what a prompt is for.
fn mono(bits: u32, told: u32, order: Order, inverted: bool) -> Format {
    let all = ((1_u32 << told) - 1) as u8;
    Format::shades(bits, order, |shade| if (shade >= 128) != inverted { all } else { 0 })
}

fn refuse<T>(cause: String) -> Result<T> {
    let error = Error::new(Exit::NoDisplay, "read the framebuffer's pixel format", cause);
    Err(error.hint("choose a depth of 16, 24 or 32 bits in true colour"))
}

#[cfg(test)]
mod tests;
