//! The shadow frame: what the screen shall show, in memory, with a note of what changed.

use core::convert::Infallible;

use embedded_graphics::Pixel;
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{Dimensions, DrawTarget, OriginDimensions, Point, Size};
use embedded_graphics::primitives::Rectangle;

/// Damage beyond this many rectangles is merged: copying a little more costs less than book-keeping.
const DAMAGE_MAX: usize = 12;

/// Where a frame's pixels are; as many of them the whole time.
pub trait Memory {
    /// All of them.
    fn words(&self) -> &[u32];
    /// The same, to be written.
    fn words_mut(&mut self) -> &mut [u32];
}

impl Memory for Vec<u32> {
    fn words(&self) -> &[u32] {
        self
    }

    fn words_mut(&mut self) -> &mut [u32] {
        self
    }
}

/// Pixels as `0x00RRGGBB`, row by row from the top left, without padding.
pub struct Frame {
    size: Size,
    pixels: Box<dyn Memory>,
    damage: Vec<Rectangle>,
}

impl Frame {
    /// A black frame of `size` pixels, without damage.
    pub fn new(size: Size) -> Self {
        Self::on(size, Box::new(vec![0; size.width as usize * size.height as usize]))
    }

    /// A frame of `size` pixels that are in `memory`, without damage. Where it is too short, nothing is
    /// drawn.
    pub fn on(size: Size, memory: Box<dyn Memory>) -> Self {
        Self { size, pixels: memory, damage: Vec::with_capacity(DAMAGE_MAX + 1) }
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[u32] {
        self.pixels.words()
    }

    /// The pixels of row `y` from column `x`, at most `width` of them; empty outside the frame.
    pub fn row(&self, x: usize, y: usize, width: usize) -> &[u32] {
        let columns = self.size.width as usize;
        let (start, end) = (x.min(columns), x.saturating_add(width).min(columns));
        let base = y.saturating_mul(columns);
        self.pixels().get(base + start..base + end).unwrap_or(&[])
    }

    /// So many pixels from column `x` of row `y` on, over the ends of rows; fewer where the frame ends.
    pub fn run(&self, x: usize, y: usize, pixels: usize) -> &[u32] {
        let start = y.saturating_mul(self.size.width as usize).saturating_add(x).min(self.pixels().len());
        let end = start.saturating_add(pixels).min(self.pixels().len());
        self.pixels().get(start..end).unwrap_or(&[])
    }

    /// The rectangles drawn into since they were taken the last time.
    pub fn damage(&self) -> &[Rectangle] {
        &self.damage
    }

    /// Takes the rectangles drawn into since the last call.
    pub fn take_damage(&mut self) -> Vec<Rectangle> {
        let fresh = Vec::with_capacity(DAMAGE_MAX + 1);
        core::mem::replace(&mut self.damage, fresh)
    }

    /// Marks `area` as changed. Rectangles that fill their common one become one, so that rows of
    /// a key are one rectangle, and what is drawn over is copied once.
    fn touch(&mut self, area: Rectangle) {
        let mut area = area;
        // Growing may make it fit with another one, so look again after each merge.
        while let Some(at) = self.damage.iter().position(|known| waste(known, &area) <= 0) {
            area = union(&self.damage.swap_remove(at), &area);
        }
        self.damage.push(area);
        if self.damage.len() > DAMAGE_MAX {
            self.merge_cheapest();
        }
    }

    /// Joins the two rectangles that add the fewest pixels.
    fn merge_cheapest(&mut self) {
        let pairs = (0..self.damage.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let cost = |&(one, other): &(usize, usize)| {
            self.damage.get(one).zip(self.damage.get(other)).map_or(i64::MAX, |(one, other)| waste(one, other))
        };
        if let Some((one, other)) = pairs.min_by_key(cost) {
            // `one` is the later place: taking it out leaves `other` where it is.
            let taken = self.damage.swap_remove(one);
            if let Some(kept) = self.damage.get_mut(other) {
                *kept = union(kept, &taken);
            }
        }
    }

    fn fill(&mut self, area: &Rectangle, value: u32) {
        let columns = self.size.width as usize;
        let (x, width) = (area.top_left.x.max(0) as usize, area.size.width as usize);
        let pixels = self.pixels.words_mut();
        for y in area.rows() {
            let base = y.max(0) as usize * columns + x;
            if let Some(row) = pixels.get_mut(base..base + width) {
                row.fill(value);
            }
        }
    }
}

impl Clone for Frame {
    /// The same picture, in memory of its own.
    fn clone(&self) -> Self {
        let damage = self.damage.clone();
        Self { size: self.size, pixels: Box::new(self.pixels().to_vec()), damage }
    }
}

impl OriginDimensions for Frame {
    fn size(&self) -> Size {
        self.size
    }
}

impl DrawTarget for Frame {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<Rgb888>>,
    {
        let mut drawn: Option<(Point, Point)> = None;
        let (bounds, words) = (self.bounding_box(), self.pixels.words_mut());
        for Pixel(at, color) in pixels {
            if !bounds.contains(at) {
                continue;
            }
            let index = at.y as usize * bounds.size.width as usize + at.x as usize;
            if let Some(pixel) = words.get_mut(index) {
                *pixel = word(color);
            }
            drawn = Some(drawn.map_or((at, at), |(min, max)| (min.component_min(at), max.component_max(at))));
        }
        if let Some((min, max)) = drawn {
            self.touch(Rectangle::with_corners(min, max));
        }
        Ok(())
    }

    fn fill_contiguous<I>(&mut self, area: &Rectangle, colors: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Rgb888>,
    {
        let visible = area.intersection(&self.bounding_box());
        let mut colors = colors.into_iter();
        let columns = self.size.width as usize;
        let words = self.pixels.words_mut();
        for y in area.rows() {
            let inside = visible.rows().contains(&y);
            let base = y.max(0) as usize * columns;
            for x in area.columns() {
                let Some(color) = colors.next() else { break };
                if inside
                    && visible.columns().contains(&x)
                    && let Some(pixel) = words.get_mut(base + x as usize)
                {
                    *pixel = word(color);
                }
            }
        }
        if !visible.is_zero_sized() {
            self.touch(visible);
        }
        Ok(())
    }

    fn fill_solid(&mut self, area: &Rectangle, color: Rgb888) -> Result<(), Infallible> {
        let visible = area.intersection(&self.bounding_box());
        if !visible.is_zero_sized() {
            self.fill(&visible, word(color));
            self.touch(visible);
        }
        Ok(())
    }

    fn clear(&mut self, color: Rgb888) -> Result<(), Infallible> {
        self.fill_solid(&self.bounding_box(), color)
    }
}

fn word(color: Rgb888) -> u32 {
    u32::from_be_bytes([0, color.r(), color.g(), color.b()])
}

/// Pixels that joining two rectangles adds to what they have; negative where they overlap.
fn waste(a: &Rectangle, b: &Rectangle) -> i64 {
    let pixels = |area: &Rectangle| i64::from(area.size.width) * i64::from(area.size.height);
    pixels(&union(a, b)) - pixels(a) - pixels(b)
}

fn union(a: &Rectangle, b: &Rectangle) -> Rectangle {
    let end = |area: &Rectangle| area.top_left + area.size;
    let (min, max) = (a.top_left.component_min(b.top_left), end(a).component_max(end(b)));
    Rectangle::new(min, Size::new((max.x - min.x) as u32, (max.y - min.y) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(x: i32, y: i32, width: u32, height: u32) -> Rectangle {
        Rectangle::new(Point::new(x, y), Size::new(width, height))
    }

    fn frame() -> Frame {
        Frame::new(Size::new(8, 4))
    }

    #[test]
    fn solid_fill_is_clipped_and_noted() {
        let mut frame = frame();
        frame.fill_solid(&rectangle(6, 2, 10, 10), Rgb888::new(1, 2, 3)).unwrap();
        assert_eq!(frame.row(5, 2, 10), [0, 0x010203, 0x010203]);
        assert_eq!(frame.row(0, 1, 8), [0; 8]);
        assert_eq!(frame.take_damage(), [rectangle(6, 2, 2, 2)]);
        assert!(frame.take_damage().is_empty());
    }

    #[test]
    fn pixels_outside_are_dropped() {
        let mut frame = frame();
        let points = [(-1, 0), (8, 0), (0, 4), (0, -1)];
        let pixels = points.map(|(x, y)| Pixel(Point::new(x, y), Rgb888::WHITE));
        frame.draw_iter(pixels).unwrap();
        assert!(frame.pixels().iter().all(|pixel| *pixel == 0));
        assert!(frame.take_damage().is_empty());
    }

    #[test]
    fn contiguous_fill_keeps_its_rows_when_clipped() {
        let mut frame = frame();
        let colors = (0..9).map(|n| Rgb888::new(0, 0, n));
        frame.fill_contiguous(&rectangle(-1, 0, 3, 3), colors).unwrap();
        assert_eq!(frame.row(0, 0, 3), [1, 2, 0]);
        assert_eq!(frame.row(0, 2, 3), [7, 8, 0]);
    }

    #[test]
    fn rows_become_one_rectangle() {
        let mut frame = frame();
        for y in [0, 2, 1] {
            frame.fill_solid(&rectangle(3, y, 4, 1), Rgb888::WHITE).unwrap();
        }
        assert_eq!(frame.take_damage(), [rectangle(3, 0, 4, 3)]);
    }

    #[test]
    fn far_damage_stays_apart() {
        let mut frame = frame();
        frame.fill_solid(&rectangle(0, 0, 1, 1), Rgb888::WHITE).unwrap();
        frame.fill_solid(&rectangle(7, 3, 1, 1), Rgb888::WHITE).unwrap();
        assert_eq!(frame.take_damage().len(), 2);
    }

    #[test]
    fn meeting_damage_becomes_one_rectangle() {
        let mut frame = frame();
        for x in [0, 4, 2] {
            frame.fill_solid(&rectangle(x, 0, 3, 1), Rgb888::WHITE).unwrap();
        }
        assert_eq!(frame.take_damage(), [rectangle(0, 0, 7, 1)]);
    }

    #[test]
    fn much_damage_collapses() {
        let mut frame = Frame::new(Size::new(64, 64));
        for n in 0..20 {
            frame.fill_solid(&rectangle(n * 3, n * 3, 1, 1), Rgb888::WHITE).unwrap();
        }
        let damage = frame.take_damage();
        assert!(damage.len() <= DAMAGE_MAX, "{damage:?}");
        for n in 0..20 {
            let at = Point::new(n * 3, n * 3);
            assert!(damage.iter().any(|area| area.contains(at)), "{at} is lost");
        }
    }

    #[test]
    fn an_empty_frame_takes_any_drawing() {
        let mut frame = Frame::new(Size::zero());
        frame.clear(Rgb888::WHITE).unwrap();
        assert!(frame.row(0, 0, 1).is_empty());
    }
}
