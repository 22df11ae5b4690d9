//! Millimetres that somebody claims for a panel, and whether they can be true.

use core::ops::RangeInclusive;

use embedded_graphics::prelude::Size;

/// Millimetres of a side: zero, minus one and a size in centimetres are outside.
const SIDE_MM: RangeInclusive<u32> = 10..=2000;
/// Dots an inch: a wall of a television has fewer than a phone, and no panel has more.
const DPI: RangeInclusive<f32> = 50.0..=700.0;
/// Sides that stand for a shape, not for a size (EDID of televisions and projectors).
const SHAPES: [(u32, u32); 4] = [(160, 90), (160, 100), (1600, 900), (1600, 1000)];
/// Pixels are square; centimetres rounded on a small panel are this far from it.
const STRETCH_MAX: f32 = 1.25;

/// Millimetres an inch.
pub const INCH_MM: f32 = 25.4;

/// Width and height of what is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Millimetres from left to right.
    pub width_mm: u32,
    /// Millimetres from top to bottom.
    pub height_mm: u32,
}

impl From<(u32, u32)> for Extent {
    fn from((width_mm, height_mm): (u32, u32)) -> Self {
        Self { width_mm, height_mm }
    }
}

impl Extent {
    /// Turned by a quarter.
    pub const fn sideways(self) -> Self {
        Self { width_mm: self.height_mm, height_mm: self.width_mm }
    }

    /// The same, the way round that `size` is; none when it is the size of no such panel. Claims
    /// are about the panel as it was made, and the picture on it may be turned.
    pub fn upright(self, size: Size) -> Option<Self> {
        let turned = self.sideways();
        let sides = [self.width_mm, self.height_mm];
        let is_shape = SHAPES.iter().any(|shape| [self, turned].contains(&Self::from(*shape)));
        if is_shape || sides.iter().any(|side| !SIDE_MM.contains(side)) {
            return None;
        }
        let extent = [self, turned].into_iter().min_by(|a, b| a.stretch(size).total_cmp(&b.stretch(size)))?;
        let fits = extent.stretch(size) <= STRETCH_MAX && DPI.contains(&(extent.density(size) * INCH_MM));
        fits.then_some(extent)
    }

    /// Pixels a millimetre; none when it is the size of no such panel.
    pub fn px_per_mm(self, size: Size) -> Option<f32> {
        self.upright(size).map(|extent| extent.density(size))
    }

    /// How many times a pixel would be as long as it is wide, or as wide as it is long.
    fn stretch(self, size: Size) -> f32 {
        let across = size.width as f32 * self.height_mm as f32;
        let along = size.height as f32 * self.width_mm as f32;
        (across / along).max(along / across)
    }

    /// Pixels a millimetre, of both sides together: each may be rounded.
    fn density(self, size: Size) -> f32 {
        let pixels = size.width as f32 * size.height as f32;
        (pixels / (self.width_mm as f32 * self.height_mm as f32)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dpi((width, height): (u32, u32), millimetres: (u32, u32)) -> Option<u32> {
        let density = Extent::from(millimetres).px_per_mm(Size::new(width, height));
        density.map(|density| (density * INCH_MM).round() as u32)
    }

    #[test]
    fn what_can_be_true_is_believed() {
        assert_eq!(dpi((720, 1440), (65, 130)), Some(281));
        assert_eq!(dpi((1920, 1080), (531, 299)), Some(92));
        assert_eq!(dpi((3840, 2160), (1210, 680)), Some(81));
        assert_eq!(dpi((240, 240), (23, 23)), Some(265));
        // Whole centimetres of a phone.
        assert_eq!(dpi((720, 1440), (60, 130)), Some(293));
    }

    #[test]
    fn what_cannot_be_true_is_not() {
        for (size, millimetres) in [
            ((1920, 1080), (0, 0)),
            ((1920, 1080), (u32::MAX, u32::MAX)),
            ((1920, 1080), (531, 0)),
            ((1920, 1080), (u32::MAX, 299)),
            // Centimetres.
            ((320, 240), (9, 7)),
            // A shape.
            ((1920, 1080), (160, 90)),
            ((1080, 1920), (90, 160)),
            ((1280, 800), (160, 100)),
            ((1920, 1080), (1600, 900)),
            // Wide pixels for a screen of 4:3, long ones for one of 16:9.
            ((1024, 768), (531, 299)),
            ((1920, 1080), (408, 306)),
            // Too coarse and too fine.
            ((640, 480), (1200, 900)),
            ((3840, 2160), (64, 36)),
        ] {
            assert_eq!(dpi(size, millimetres), None, "{size:?} {millimetres:?}");
        }
    }

    #[test]
    fn a_size_turns_with_its_panel() {
        let (tall, wide) = (Extent::from((65, 130)), Extent::from((130, 65)));
        for extent in [tall, wide] {
            assert_eq!(extent.upright(Size::new(720, 1440)), Some(tall));
            assert_eq!(extent.upright(Size::new(1440, 720)), Some(wide));
        }
    }
}
