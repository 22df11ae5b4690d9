//! Windows bitmaps as today's programs write them: 8 bits with a palette, 24 and 32 bits, not compressed
//! (`BITMAPINFOHEADER` and its successors, <https://learn.microsoft.com/windows/win32/gdi/bitmap-header-types>).

use embedded_graphics::prelude::Size;

use super::{Logo, Pixel, count};

const SHORT: &str = "it is cut short";
const KIND: &str = "it is not a BMP file of 8, 24 or 32 bits without compression";

const BI_RGB: u32 = 0;
const BI_BITFIELDS: u32 = 3;
/// From the file's start to the header whose length comes first, and to the masks.
const INFO: usize = 14;
const MASKS: usize = 54;
/// Headers so long have a mask for alpha.
const INFO_ALPHA: u32 = 56;

/// How pixels are stored.
enum Store<'a> {
    /// Blue, green, red and nothing, for each number.
    Palette(&'a [u8]),
    /// Blue, green, red.
    Triples,
    /// Red, green, blue and alpha have a byte each, so many bits up; an opaque picture has no alpha.
    Words([Option<u32>; 4]),
}

/// Reads a file.
pub(super) fn parse(file: &[u8]) -> Result<Logo, &'static str> {
    let word = |at: usize| bytes(file, at).map(u32::from_le_bytes).ok_or(SHORT);
    let (start, info, width, height) = (word(10)?, word(INFO)?, word(18)?, word(22)?);
    let (depth, compression) = (word(28)? & 0xffff, word(30)?);
    // Rows come from the top where the height is negative.
    let is_downwards = height.cast_signed() < 0;
    let size = Size::new(width, height.cast_signed().unsigned_abs());
    let count = count(size.width, size.height)?;
    let shift = |at: usize| Some(word(at).ok()?).filter(|mask| *mask != 0).map(u32::trailing_zeros);
    let store = match (depth, compression) {
        (8, BI_RGB) => {
            let palette = (INFO).checked_add(info as usize).and_then(|at| file.get(at..start as usize));
            Store::Palette(palette.ok_or(SHORT)?)
        }
        (24, BI_RGB) => Store::Triples,
        (32, BI_RGB) => Store::Words([Some(16), Some(8), Some(0), None]),
        (32, BI_BITFIELDS) => {
            let alpha = if info >= INFO_ALPHA { shift(MASKS + 12) } else { None };
            Store::Words([shift(MASKS), shift(MASKS + 4), shift(MASKS + 8), alpha])
        }
        _ => return Err(KIND),
    };
    let row = (size.width as usize * depth as usize / 8).next_multiple_of(4);
    let data = file.get(start as usize..).and_then(|data| data.get(..row * size.height as usize)).ok_or(SHORT)?;
    let mut pixels = Vec::with_capacity(count);
    let lines = data.chunks_exact(row);
    let mut take = |line: &[u8]| {
        let whole = line.chunks_exact(depth as usize / 8).take(size.width as usize);
        pixels.extend(whole.map(|bytes| store.pixel(bytes)));
    };
    if is_downwards {
        lines.for_each(&mut take)
    } else {
        lines.rev().for_each(&mut take)
    }
    Ok(Logo { size, pixels })
}

impl Store<'_> {
    fn pixel(&self, stored: &[u8]) -> Pixel {
        match (self, stored) {
            (Self::Palette(palette), [number]) => {
                let [blue, green, red, _] = bytes(palette, usize::from(*number) * 4).unwrap_or_default();
                [red, green, blue, 255]
            }
            (Self::Triples, [blue, green, red]) => [*red, *green, *blue, 255],
            (Self::Words([red, green, blue, alpha]), _) => {
                let word = bytes(stored, 0).map_or(0, u32::from_le_bytes);
                let color = |shift: &Option<u32>| shift.map_or(0, |shift| (word >> shift) as u8);
                [color(red), color(green), color(blue), if alpha.is_some() { color(alpha) } else { 255 }]
            }
            _ => [0; 4],
        }
    }
}

fn bytes(from: &[u8], at: usize) -> Option<[u8; 4]> {
    from.get(at..)?.first_chunk().copied()
}
