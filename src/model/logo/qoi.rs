//! The Quite OK Image format, version 1.0 (<https://qoiformat.org/qoi-specification.pdf>).
//!
//! Read here, because readers for small machines drop the alpha, and a logo lies on a coloured ground.

use embedded_graphics::prelude::Size;

use super::{Logo, Pixel, count};

const SHORT: &str = "it is cut short";
const HEADER: usize = 14;

/// Reads a file that begins with the format's four letters. What follows the last pixel is not looked at.
pub(super) fn parse(file: &[u8]) -> Result<Logo, &'static str> {
    let (header, data) = file.split_at_checked(HEADER).ok_or(SHORT)?;
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_be_bytes).ok_or(SHORT)
    };
    let (width, height) = (number(4)?, number(8)?);
    let count = count(width, height)?;
    let mut pixels = Vec::with_capacity(count);
    let mut reader = Reader { data: data.iter(), seen: [[0; 4]; 64], last: [0, 0, 0, 255] };
    while pixels.len() < count {
        let run = reader.next().ok_or(SHORT)?;
        pixels.resize(count.min(pixels.len() + run), reader.last);
    }
    Ok(Logo { size: Size::new(width, height), pixels })
}

struct Reader<'a> {
    data: core::slice::Iter<'a, u8>,
    /// Pixels that were seen, at the places of their hashes.
    seen: [Pixel; 64],
    last: Pixel,
}

impl Reader<'_> {
    /// Reads a chunk: how many pixels are as `last` is now.
    fn next(&mut self) -> Option<usize> {
        let tag = self.byte()?;
        let [red, green, blue, alpha] = self.last;
        let mut run = 1;
        self.last = match tag {
            0xfe => [self.byte()?, self.byte()?, self.byte()?, alpha],
            0xff => [self.byte()?, self.byte()?, self.byte()?, self.byte()?],
            0x00..=0x3f => self.seen[usize::from(tag)],
            0x40..=0x7f => {
                let step = |shift: u8| (tag >> shift & 3).wrapping_sub(2);
                [red.wrapping_add(step(4)), green.wrapping_add(step(2)), blue.wrapping_add(step(0)), alpha]
            }
            0x80..=0xbf => {
                let (step, more) = ((tag & 0x3f).wrapping_sub(32), self.byte()?);
                let beside = |nibble: u8| step.wrapping_add(nibble).wrapping_sub(8);
                let (of_red, of_blue) = (beside(more >> 4), beside(more & 15));
                [red.wrapping_add(of_red), green.wrapping_add(step), blue.wrapping_add(of_blue), alpha]
            }
            0xc0..=0xfd => {
                run += usize::from(tag & 0x3f);
                self.last
            }
        };
        let [red, green, blue, alpha] = self.last.map(usize::from);
        self.seen[(red * 3 + green * 5 + blue * 7 + alpha * 11) % 64] = self.last;
        Some(run)
    }

    fn byte(&mut self) -> Option<u8> {
        self.data.next().copied()
    }
}
