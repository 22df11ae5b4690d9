//! Pixel formats: from `0x00RRGGBB` to whatever the scan-out reads.
//!
//! A format is what `struct fb_var_screeninfo` says of it (include/uapi/linux/fb.h): bits per pixel
//! and the offset and length of each colour's field, counted from the least significant bit of the
//! pixel as a little-endian number.

use crate::error::{Error, Exit, Result};

/// Where one colour sits in a pixel, in bits. A length of 0 means that the pixel has no such field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Bits below the field.
    pub offset: u32,
    /// Bits of the field.
    pub length: u32,
}

/// A packed true-colour format of 16, 24 or 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    bytes: usize,
    red: Field,
    green: Field,
    blue: Field,
    alpha: Field,
}

/// The format of most PCs and boards: 32 bits, red above green above blue, the top byte unused.
pub const XRGB8888: Format = Format {
    bytes: 4,
    red: Field { offset: 16, length: 8 },
    green: Field { offset: 8, length: 8 },
    blue: Field { offset: 0, length: 8 },
    alpha: Field { offset: 0, length: 0 },
};

/// Two bytes: five bits of red, six of green, five of blue.
pub const RGB565: Format = Format {
    bytes: 2,
    red: Field { offset: 11, length: 5 },
    green: Field { offset: 5, length: 6 },
    blue: Field { offset: 0, length: 5 },
    alpha: Field { offset: 0, length: 0 },
};

impl Format {
    /// A format of `bits_per_pixel` bits with these fields.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] for a depth that is not 15, 16, 24 or 32 bits, a field outside the pixel,
    /// or one longer than 16 bits.
    pub fn new(bits_per_pixel: u32, red: Field, green: Field, blue: Field, alpha: Field) -> Result<Self> {
        let refuse = |cause: String| {
            Err(Error::new(Exit::NoDisplay, "read the framebuffer's pixel format", cause)
                .hint("choose a depth of 16, 24 or 32 bits in true colour"))
        };
        let bytes = match bits_per_pixel {
            15 | 16 => 2,
            24 => 3,
            32 => 4,
            other => return refuse(format!("{other} bits per pixel")),
        };
        for (name, field) in [("red", red), ("green", green), ("blue", blue)] {
            if field.length == 0 {
                return refuse(format!("no {name}: a palette or grey"));
            }
        }
        for field in [red, green, blue, alpha] {
            let end = field.offset.saturating_add(field.length);
            if field.length > 16 || end > bytes as u32 * 8 {
                return refuse(format!("a field of {} bits at bit {}", field.length, field.offset));
            }
        }
        Ok(Self { bytes, red, green, blue, alpha })
    }

    /// Bytes of one pixel: 2, 3 or 4.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Converts `pixels` into the start of `row`, which is [`Format::bytes`] times as long; what
    /// does not fit is left out.
    pub fn convert(&self, pixels: &[u32], row: &mut [u8]) {
        match (self.bytes, *self) {
            (4, XRGB8888) => store(pixels, row, |pixel| pixel.to_le_bytes()),
            (2, RGB565) => store(pixels, row, |pixel| {
                let [blue, green, red, _] = pixel.to_le_bytes().map(u32::from);
                // Rounding as `scale` does, so that both paths give the same picture.
                let packed = scale(red, 5) << 11 | scale(green, 6) << 5 | scale(blue, 5);
                (packed as u16).to_le_bytes()
            }),
            (4, _) => store(pixels, row, |pixel| self.pack(pixel).to_le_bytes()),
            (3, _) => store(pixels, row, |pixel| {
                let [low, middle, high, _] = self.pack(pixel).to_le_bytes();
                [low, middle, high]
            }),
            _ => store(pixels, row, |pixel| (self.pack(pixel) as u16).to_le_bytes()),
        }
    }

    /// One pixel in this format, opaque.
    fn pack(&self, pixel: u32) -> u32 {
        let [blue, green, red, _] = pixel.to_le_bytes().map(u32::from);
        let place = |value: u32, field: Field| scale(value, field.length).checked_shl(field.offset).unwrap_or(0);
        place(red, self.red) | place(green, self.green) | place(blue, self.blue) | place(255, self.alpha)
    }
}

/// Scales 0..=255 to a field of `length` bits, rounded: white stays white in every length.
fn scale(value: u32, length: u32) -> u32 {
    let max = (1_u32 << length) - 1;
    (value * max + 127) / 255
}

fn store<const N: usize>(pixels: &[u32], row: &mut [u8], convert: impl Fn(u32) -> [u8; N]) {
    for (to, from) in row.chunks_exact_mut(N).zip(pixels) {
        to.copy_from_slice(&convert(*from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Field = Field { offset: 0, length: 0 };

    fn field(offset: u32, length: u32) -> Field {
        Field { offset, length }
    }

    /// Reads a pixel back as a panel would, to eight bits a colour: independent of `pack`.
    fn decode(bytes: &[u8], fields: [Field; 3]) -> [u32; 3] {
        let pixel = bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        fields.map(|field| {
            let max = (1_u64 << field.length) - 1;
            let value = pixel >> field.offset & max;
            ((value * 255 + max / 2) / max) as u32
        })
    }

    #[test]
    fn every_format_reads_back_as_drawn() {
        let cases = [
            (32, [field(16, 8), field(8, 8), field(0, 8)], NONE),
            (32, [field(0, 8), field(8, 8), field(16, 8)], field(24, 8)),
            (32, [field(20, 10), field(10, 10), field(0, 10)], field(30, 2)),
            (24, [field(16, 8), field(8, 8), field(0, 8)], NONE),
            (24, [field(0, 8), field(8, 8), field(16, 8)], NONE),
            (16, [field(11, 5), field(5, 6), field(0, 5)], NONE),
            (16, [field(0, 5), field(5, 6), field(11, 5)], NONE),
            (15, [field(10, 5), field(5, 5), field(0, 5)], field(15, 1)),
        ];
        for (bits, fields, alpha) in cases {
            let format = Format::new(bits, fields[0], fields[1], fields[2], alpha).unwrap();
            for color in [0x000000, 0xffffff, 0xff0000, 0x00ff00, 0x0000ff, 0x123456, 0xfedcba] {
                let mut row = [0; 4];
                format.convert(&[color], &mut row[..format.bytes()]);
                let shown = decode(&row[..format.bytes()], fields);
                let meant = [color >> 16 & 255, color >> 8 & 255, color & 255];
                for (place, field) in fields.iter().enumerate() {
                    let step = 255 / ((1 << field.length) - 1);
                    assert!(shown[place].abs_diff(meant[place]) * 2 <= step + 1, "{bits} bits, {color:06x}: {shown:?}");
                }
            }
        }
    }

    #[test]
    fn alpha_is_opaque() {
        let format = Format::new(32, field(16, 8), field(8, 8), field(0, 8), field(24, 8)).unwrap();
        let mut row = [0; 4];
        format.convert(&[0x00010203], &mut row);
        assert_eq!(row, [3, 2, 1, 0xff]);
    }

    #[test]
    fn a_short_row_takes_what_fits() {
        let mut row = [7; 5];
        RGB565.convert(&[0xffffff, 0, 0xffffff], &mut row);
        assert_eq!(row, [0xff, 0xff, 0, 0, 7]);
    }

    #[test]
    fn odd_formats_are_refused() {
        let ok = field(0, 8);
        for (bits, red) in
            [(8, ok), (1, ok), (0, ok), (16, field(12, 5)), (32, field(0, 17)), (32, NONE), (32, field(u32::MAX, 8))]
        {
            let error = Format::new(bits, red, ok, ok, NONE).unwrap_err();
            assert_eq!(error.exit(), Exit::NoDisplay, "{bits} {red:?}");
        }
    }
}
