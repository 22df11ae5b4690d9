//! Pixel formats: from `0x00RRGGBB` to whatever the scan-out reads.
//!
//! A pixel is a little-endian number, in which colours are fields (include/uapi/linux/fb.h), or a
//! number of up to eight bits that stands for a shade or for an entry of a palette. Numbers of
//! fewer than eight bits share a byte. Bits of a pixel that mean nothing are 0.

pub mod field;
pub mod palette;

use embedded_graphics::prelude::Size;

use field::{Field, Fields};
use palette::{ColorMap, Palette};

/// How a pixel is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits that a pixel takes up: 1, 2, 4, 8, 16, 24 or 32.
    bits: u32,
    store: Store,
}

/// What the bits mean. The first four need no table, and the compiler makes vector code of them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Store {
    /// A byte for each colour; the bits of alpha are all set. Red is the third byte, or the first.
    Words { red_first: bool, opaque: u32 },
    /// The same in three bytes.
    Triples { red_first: bool },
    /// Five bits of red, six of green, five of blue.
    Rgb565,
    /// Any other fields.
    Fields(Box<Fields>),
    /// The number for each shade from black to white.
    Shades { number: Box<[u8; 256]>, order: Order },
    /// Entries of a palette, which begin `shift` bits up.
    Palette { palette: Box<Palette>, shift: u32, order: Order },
}

/// Which pixel of a byte is the left one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one in the lowest bits: the kernel's own order on little-endian machines.
    LowFirst,
    /// The one in the highest bits: `FB_NONSTD_REV_PIX_IN_B`.
    HighFirst,
}

/// The format of most PCs and boards: 32 bits, red above green above blue, the top byte unused.
pub const XRGB8888: Format = Format { bits: 32, store: Store::Words { red_first: false, opaque: 0 } };

/// Two bytes: five bits of red, six of green, five of blue.
pub const RGB565: Format = Format { bits: 16, store: Store::Rgb565 };

impl Format {
    /// Colours in fields of a pixel of 1 to 4 `bytes`. Alpha, and what does not fit, is handled by
    /// [`Fields::new`].
    pub(crate) fn fields(bytes: u32, colors: [Field; 3], alpha: Field) -> Self {
        let bits = bytes.clamp(1, 4) * 8;
        let opaque = alpha.place(255, bits);
        let whole = [16, 8, 0].map(|offset| Field::new(offset, 8));
        let [red, green, blue] = colors;
        let red_first = [blue, green, red] == whole;
        let store = match bits {
            32 if colors == whole || red_first => Store::Words { red_first, opaque },
            24 if colors == whole || red_first => Store::Triples { red_first },
            16 if colors == [Field::new(11, 5), Field::new(5, 6), Field::new(0, 5)] => Store::Rgb565,
            _ => Store::Fields(Box::new(Fields::new(bits, colors, opaque))),
        };
        Self { bits, store }
    }

    /// Shades of grey: `number` says which number stands for each from black to white, in pixels of
    /// 1, 2, 4 or 8 bits.
    pub(crate) fn shades(bits: u32, order: Order, number: impl Fn(u8) -> u8) -> Self {
        let number = Box::new(core::array::from_fn(|shade| number(shade as u8)));
        Self { bits, store: Store::Shades { number, order } }
    }

    /// The entries of `map` that come nearest, in pixels of 1, 2, 4 or 8 bits.
    pub(crate) fn palette(bits: u32, order: Order, shift: u32, map: &ColorMap) -> Self {
        Self { bits, store: Store::Palette { palette: Box::new(Palette::new(map)), shift, order } }
    }

    /// Bits of one pixel.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// How many shades of grey there are; `None` for colours.
    pub fn greys(&self) -> Option<u32> {
        let Store::Shades { number, .. } = &self.store else { return None };
        // From black to white each number comes in one run.
        Some(1 + number.windows(2).filter(|pair| pair.first() != pair.last()).count() as u32)
    }

    /// Bytes that hold the first `pixels` of a row.
    pub fn row_bytes(&self, pixels: usize) -> Option<usize> {
        Some(pixels.checked_mul(self.bits as usize)?.div_ceil(8))
    }

    /// Bytes of a picture of `size` pixels whose rows are not padded.
    pub fn bytes(&self, size: Size) -> Option<usize> {
        self.row_bytes(size.width as usize)?.checked_mul(size.height as usize)
    }

    /// Stores `pixels` in `row` from its pixel `x` on; what does not fit is left out. Of a byte that
    /// holds other pixels too, their bits stay.
    #[inline]
    pub fn put(&self, pixels: &[u32], row: &mut [u8], x: usize) {
        match &self.store {
            Store::Words { red_first: false, opaque: 0 } => store(pixels, row, x, u32::to_le_bytes),
            Store::Words { red_first: false, opaque } => store(pixels, row, x, |pixel| (pixel | opaque).to_le_bytes()),
            Store::Words { red_first: true, opaque } => {
                store(pixels, row, x, |pixel| (pixel.swap_bytes() >> 8 | opaque).to_le_bytes());
            }
            Store::Triples { red_first: false } => store(pixels, row, x, |pixel| {
                let [blue, green, red, _] = pixel.to_le_bytes();
                [blue, green, red]
            }),
            Store::Triples { red_first: true } => store(pixels, row, x, |pixel| {
                let [blue, green, red, _] = pixel.to_le_bytes();
                [red, green, blue]
            }),
            Store::Rgb565 => store(pixels, row, x, rgb565),
            Store::Fields(fields) => match self.bits {
                8 => store(pixels, row, x, |pixel| [fields.pack(pixel) as u8]),
                16 => store(pixels, row, x, |pixel| (fields.pack(pixel) as u16).to_le_bytes()),
                24 => store(pixels, row, x, |pixel| {
                    let [low, middle, high, _] = fields.pack(pixel).to_le_bytes();
                    [low, middle, high]
                }),
                _ => store(pixels, row, x, |pixel| fields.pack(pixel).to_le_bytes()),
            },
            Store::Shades { number, order } => {
                self.store_numbers(pixels, row, x, *order, |pixel| number[usize::from(luma(pixel))]);
            }
            Store::Palette { palette, shift, order } => {
                self.store_numbers(pixels, row, x, *order, |pixel| palette.nearest(pixel) << shift);
            }
        }
    }

    /// Stores numbers of one byte or less.
    fn store_numbers(&self, pixels: &[u32], row: &mut [u8], x: usize, order: Order, number: impl Fn(u32) -> u8) {
        let (mask, each) = match self.bits {
            1 => (0x01, 8),
            2 => (0x03, 4),
            4 => (0x0f, 2),
            _ => return store(pixels, row, x, |pixel| [number(pixel)]),
        };
        let (mut at, mut pixels) = (x, pixels);
        while let Some(byte) = row.get_mut(at / each).filter(|_| !pixels.is_empty()) {
            let first = at % each;
            let (here, rest) = pixels.split_at(pixels.len().min(each - first));
            let (mut bits, mut covered) = (0, 0);
            for (place, pixel) in (first..).zip(here) {
                let place = if order == Order::LowFirst { place } else { each - 1 - place };
                bits |= (number(*pixel) & mask) << (place * (8 / each));
                covered |= mask << (place * (8 / each));
            }
            // Display memory is slow to read, so only a byte that is shared is.
            *byte = if covered == 0xff { bits } else { *byte & !covered | bits };
            (at, pixels) = (at + here.len(), rest);
        }
    }
}

fn store<const N: usize>(pixels: &[u32], row: &mut [u8], x: usize, convert: impl Fn(u32) -> [u8; N]) {
    let Some(row) = row.get_mut(x.saturating_mul(N)..) else { return };
    for (to, from) in row.chunks_exact_mut(N).zip(pixels) {
        to.copy_from_slice(&convert(*from));
    }
}

/// Rounds as [`Field::place`] does, by numbers that fit into 16 bits, so that a vector holds more.
fn rgb565(pixel: u32) -> [u8; 2] {
    let [blue, green, red, _] = pixel.to_le_bytes().map(u16::from);
    let five = |value: u16| (value * 249 + 1014) >> 11;
    let six = |value: u16| (value * 253 + 505) >> 10;
    (five(red) << 11 | six(green) << 5 | five(blue)).to_le_bytes()
}

/// How bright a pixel is, by the weights of ITU-R BT.601.
pub(crate) fn luma(pixel: u32) -> u8 {
    let [blue, green, red, _] = pixel.to_le_bytes().map(u32::from);
    ((red * 77 + green * 150 + blue * 29 + 128) >> 8) as u8
}

#[cfg(test)]
mod tests;
