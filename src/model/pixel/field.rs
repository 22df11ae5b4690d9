//! Colours as fields of bits: `struct fb_bitfield`.

/// Where one colour sits in a pixel, in bits. A length of 0 means that the pixel has no such field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Bits below the field.
    pub offset: u32,
    /// Bits of the field.
    pub length: u32,
    /// The field's most significant bit is its lowest one.
    pub msb_right: bool,
}

impl Field {
    /// A field whose most significant bit is on the left, as nearly all have it.
    pub const fn new(offset: u32, length: u32) -> Self {
        Self { offset, length, msb_right: false }
    }

    /// The first bit above the field.
    pub const fn end(self) -> u32 {
        self.offset.saturating_add(self.length)
    }

    /// Whether the field has bits, and all of them within a pixel of so many.
    pub const fn fits(self, bits: u32) -> bool {
        self.length > 0 && self.length <= 16 && self.end() <= bits
    }

    /// The field's bits in a pixel of so many.
    pub(crate) fn mask(self, bits: u32) -> u32 {
        if self.fits(bits) { ((1 << self.length) - 1) << self.offset } else { 0 }
    }

    /// 0..=255 scaled to the field and put in its place; nothing where the field does not fit.
    pub(crate) fn place(self, value: u8, bits: u32) -> u32 {
        if !self.fits(bits) {
            return 0;
        }
        let scaled = scale(value, self.length);
        let ordered = if self.msb_right { scaled.reverse_bits() >> (32 - self.length) } else { scaled };
        ordered << self.offset
    }
}

/// Scales 0..=255 to a number of `length` bits, 16 at most, rounded: white stays white in every length.
pub(crate) fn scale(value: u8, length: u32) -> u32 {
    let max = (1_u32 << length.min(16)) - 1;
    (u32::from(value) * max + 127) / 255
}

/// What each value of each colour adds to a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    red: [u32; 256],
    green: [u32; 256],
    blue: [u32; 256],
}

impl Fields {
    /// Fields of a pixel of so many bits, those of `opaque` always set: an overlay shows nothing of
    /// a pixel that is transparent.
    pub(crate) fn new(bits: u32, [red, green, blue]: [Field; 3], opaque: u32) -> Self {
        let table = |field: Field| core::array::from_fn(|value| field.place(value as u8, bits));
        Self { red: table(red).map(|entry| entry | opaque), green: table(green), blue: table(blue) }
    }

    /// One pixel.
    pub(crate) fn pack(&self, pixel: u32) -> u32 {
        let [blue, green, red, _] = pixel.to_le_bytes().map(usize::from);
        self.red[red] | self.green[green] | self.blue[blue]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_fills_a_field_and_black_leaves_it_empty() {
        for length in 1..=16 {
            for offset in [0, 3, 16] {
                for msb_right in [false, true] {
                    let field = Field { offset, length, msb_right };
                    assert_eq!(field.place(255, 32), field.mask(32), "{field:?}");
                    assert_eq!(field.place(0, 32), 0, "{field:?}");
                }
            }
        }
    }

    #[test]
    fn a_mirrored_field_has_its_high_bit_below() {
        let field = Field { offset: 4, length: 4, msb_right: true };
        // Half is 8 of 15: only the most significant bit.
        assert_eq!(field.place(0x88, 32), 1 << 4);
        assert_eq!(Field::new(4, 4).place(0x88, 32), 8 << 4);
    }

    #[test]
    fn what_does_not_fit_adds_nothing() {
        let fields = [Field::new(12, 5), Field::new(0, 17), Field::new(0, 0), Field::new(u32::MAX, 8)];
        for field in fields {
            assert!(!field.fits(16), "{field:?}");
            assert_eq!(field.place(255, 16), 0, "{field:?}");
            assert_eq!(field.mask(16), 0, "{field:?}");
        }
    }
}
