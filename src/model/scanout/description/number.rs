//! Pixels that are numbers of up to eight bits: shades, entries of a palette, black or white.

use super::super::Rotation;
use super::{Choice, Description, FB_VISUAL_MONO01, FB_VISUAL_MONO10, FB_VISUAL_TRUECOLOR, refuse};
use crate::error::Result;
use crate::model::pixel::field::{Field, scale};
use crate::model::pixel::palette::ColorMap;
use crate::model::pixel::{Format, Order};

const FB_VISUAL_STATIC_PSEUDOCOLOR: u32 = 5;

const FB_NONSTD_REV_PIX_IN_B: u32 = 2;

impl Description {
    /// Up to 8 bits that are a shade or an entry of a palette.
    pub(super) fn numbered(&self, rotation: Rotation) -> Result<Choice> {
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
}

/// Bits that a pixel of up to 8 takes up: pixels do not cross a byte.
pub(super) fn number_bits(told: u32) -> u32 {
    told.clamp(1, 8).next_power_of_two()
}

/// Black or white and nothing between. A dither would show shades, but text drawn on a pattern, with
/// edges of a pattern, is far harder to read than text cut at half: that is what a prompt is for.
fn mono(bits: u32, told: u32, order: Order, inverted: bool) -> Format {
    let all = ((1_u32 << told) - 1) as u8;
    Format::shades(bits, order, |shade| if (shade >= 128) != inverted { all } else { 0 })
}
