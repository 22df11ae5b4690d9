//! What a monitor says of itself: the base block of its EDID (VESA E-EDID Standard, release A).

use core::ops::Range;

use embedded_graphics::prelude::Size;

use super::extent::Extent;

/// Bytes of the base block.
pub const BLOCK: usize = 128;

const HEADER: [u8; 8] = [0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0];
/// The first detailed timing, which is that of the panel's own pixels.
const TIMING: Range<usize> = 54..72;
/// QEMU, VirtualBox, VMware, Hyper-V, and the blocks that the kernel itself makes up.
const INVENTED: [[u8; 3]; 6] = [*b"RHT", *b"VBX", *b"VMW", *b"MSH", *b"LNX", *b"VKM"];

/// The parts of a base block that tell how large the panel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edid {
    /// The maker's three letters.
    pub maker: [u8; 3],
    /// Pixels of the first detailed timing; zero when there is none.
    pub size: Size,
    /// The size in whole centimetres, as millimetres; zero when there is none.
    pub rounded: Extent,
    /// The size that the first detailed timing has; zero when there is none.
    pub exact: Extent,
}

impl Edid {
    /// Reads a base block; what follows it is not looked at. None when it is broken.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let block = bytes.get(..BLOCK)?;
        let sum = block.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
        if block.get(..8)? != HEADER || sum != 0 {
            return None;
        }
        let maker = u16::from_be_bytes([*block.get(8)?, *block.get(9)?]);
        // Five bits a letter, A is 1.
        let letter = |shift: u16| (maker >> shift & 0x1f) as u8 + b'@';
        let (size, exact) = timing(block.get(TIMING)?);
        let centimetres = (u32::from(*block.get(21)?), u32::from(*block.get(22)?));
        // With one of them zero, the other one is a shape.
        let rounded = if centimetres.0 == 0 || centimetres.1 == 0 { (0, 0) } else { centimetres };
        let rounded = Extent::from((rounded.0 * 10, rounded.1 * 10));
        Some(Self { maker: [letter(10), letter(5), letter(0)], size, rounded, exact })
    }

    /// Whether there is no monitor: what a program makes up has a size that nobody measured.
    pub fn is_invented(&self) -> bool {
        INVENTED.contains(&self.maker)
    }

    /// The size of the monitor with a picture of `size` on it, the same way round; none when
    /// nothing believable is told.
    pub fn extent(&self, size: Size) -> Option<Extent> {
        let near = |exact: u32, rounded: u32| exact.abs_diff(rounded) <= 10;
        // A timing that says something else than the centimetres counts in them, or is of a mode
        // that does not fill the panel.
        let agree =
            near(self.exact.width_mm, self.rounded.width_mm) && near(self.exact.height_mm, self.rounded.height_mm);
        let exact = if agree { self.exact.upright(size) } else { None };
        exact.or_else(|| self.rounded.upright(size)).or_else(|| self.exact.upright(size))
    }
}

/// Pixels and size of a detailed timing; both are zero when it is another descriptor.
fn timing(bytes: &[u8]) -> (Size, Extent) {
    let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0));
    if byte(0) == 0 && byte(1) == 0 {
        return (Size::zero(), Extent::default());
    }
    // Two numbers share the byte with their upper four bits.
    let upper = |at: usize| (byte(at) & 0xf0) << 4;
    let size = Size::new(byte(2) | upper(4), byte(5) | upper(7));
    (size, Extent { width_mm: byte(12) | upper(14), height_mm: byte(13) | (byte(14) & 0x0f) << 8 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    /// A block with these parts and a right checksum.
    pub(crate) fn block(maker: &[u8; 3], size: (u32, u32), cm: (u8, u8), mm: (u32, u32)) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[..8].copy_from_slice(&HEADER);
        let packed = maker.iter().fold(0_u16, |packed, letter| packed << 5 | u16::from(letter - b'@'));
        block[8..10].copy_from_slice(&packed.to_be_bytes());
        (block[21], block[22]) = cm;
        let timing = &mut block[TIMING];
        timing[0] = 1;
        (timing[2], timing[4]) = (size.0 as u8, (size.0 >> 8 << 4) as u8);
        (timing[5], timing[7]) = (size.1 as u8, (size.1 >> 8 << 4) as u8);
        (timing[12], timing[13]) = (mm.0 as u8, mm.1 as u8);
        timing[14] = (mm.0 >> 8 << 4 | mm.1 >> 8) as u8;
        sign(block)
    }

    fn sign(mut block: Vec<u8>) -> Vec<u8> {
        block[BLOCK - 1] = 0;
        block[BLOCK - 1] = block.iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
        block
    }

    #[test]
    fn the_upper_nibbles_belong_to_it() {
        let edid = Edid::parse(&block(b"DEL", (3840, 2160), (60, 34), (597, 336))).unwrap();
        assert_eq!(edid.maker, *b"DEL");
        assert_eq!(edid.size, Size::new(3840, 2160));
        assert_eq!(edid.rounded, Extent::from((600, 340)));
        assert_eq!(edid.exact, Extent::from((597, 336)));
        assert_eq!(edid.extent(Size::new(3840, 2160)), Some(Extent::from((597, 336))));
        assert_eq!(edid.extent(Size::new(2160, 3840)), Some(Extent::from((336, 597))));
    }

    #[test]
    fn a_timing_that_contradicts_the_centimetres_is_not_believed() {
        let size = Size::new(1920, 1080);
        let of = |cm, mm| Edid::parse(&block(b"SAM", (1920, 1080), cm, mm)).unwrap().extent(size);
        // Centimetres where millimetres should be.
        assert_eq!(of((53, 30), (53, 30)), Some(Extent::from((530, 300))));
        // A mode that leaves borders.
        assert_eq!(of((53, 30), (400, 225)), Some(Extent::from((530, 300))));
        // A shape in both, and in one.
        assert_eq!(of((16, 9), (160, 90)), None);
        assert_eq!(of((160, 90), (1600, 900)), None);
        assert_eq!(of((53, 30), (160, 90)), Some(Extent::from((530, 300))));
        assert_eq!(of((16, 9), (531, 299)), Some(Extent::from((531, 299))));
        // No centimetres, as projectors have it, or a shape instead.
        assert_eq!(of((0, 0), (531, 299)), Some(Extent::from((531, 299))));
        assert_eq!(of((79, 0), (0, 0)), None);
        assert_eq!(of((0, 0), (0, 0)), None);
    }

    #[test]
    fn a_broken_block_is_none() {
        let good = block(b"AUO", (1366, 768), (31, 17), (309, 173));
        assert!(Edid::parse(&good).is_some());
        assert_eq!(Edid::parse(&[good.clone(), vec![0xff; 128]].concat()), Edid::parse(&good));
        for length in [0, 1, 8, 127] {
            assert_eq!(Edid::parse(&good[..length]), None);
        }
        for at in 0..BLOCK {
            let mut broken = good.clone();
            broken[at] ^= 0x10;
            assert_eq!(Edid::parse(&broken), None, "byte {at}");
        }
        let mut headless = good;
        headless[0] = 1;
        assert_eq!(Edid::parse(&sign(headless)), None);
    }

    #[test]
    fn noise_never_panics_and_never_gets_an_absurd_size() {
        let mut noise = Noise::new(0x9e37_79b9);
        let mut believed = 0;
        for _ in 0..20_000 {
            let mut bytes: Vec<u8> = (0..BLOCK).map(|_| noise.draw() as u8).collect();
            assert_eq!(Edid::parse(&bytes), None, "noise has no header");
            bytes[..8].copy_from_slice(&HEADER);
            let edid = Edid::parse(&sign(bytes)).unwrap();
            let size = Size::new(1920, 1080);
            if let Some(extent) = edid.extent(size) {
                believed += 1;
                let dpi = extent.px_per_mm(size).unwrap() * super::super::extent::INCH_MM;
                assert!((50.0..=700.0).contains(&dpi), "{edid:?}");
            }
        }
        assert!(believed > 100, "{believed}");
    }
}
