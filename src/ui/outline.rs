//! Fills outlines with smooth edges. Everything is whole numbers, so that every machine draws the
//! same pixels: the boot tests compare the screens of three architectures with pictures made on a
//! fourth.

use core::ops::Range;
use core::slice;

use embedded_graphics::Pixel;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;
use zeroize::Zeroize;

use super::ink::Ink;

/// Parts of a pixel's side: coordinates of outlines count these.
pub const PX: i32 = 64;

/// What a pixel adds up to that an edge on its left covers from top to bottom.
const FULL: u32 = (PX * 2 * PX) as u32;

/// A stretch of a contour. Contours are closed; those inside others run the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// From here to there.
    Line(Point, Point),
    /// A quadratic curve: start, control, end.
    Curve(Point, Point, Point),
}

/// Fills what lies in `area` of the outline that `trace` tells, and tells the same again when it is
/// called again.
pub fn fill<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    area: Rectangle,
    ink: Ink,
    trace: impl Fn(&mut dyn FnMut(Stretch)),
) -> Result<(), D::Error> {
    let area = area.intersection(&target.bounding_box());
    let mut bounds: Option<(Point, Point)> = None;
    trace(&mut |stretch| {
        let points = match stretch {
            Stretch::Line(from, to) => [from, to, to],
            Stretch::Curve(from, control, to) => [from, control, to],
        };
        for at in points {
            bounds = Some(bounds.map_or((at, at), |(min, max)| (min.component_min(at), max.component_max(at))));
        }
    });
    let Some((min, max)) = bounds else { return Ok(()) };
    let mut sheet = Sheet::new(min, max);
    if Rectangle::new(sheet.corner, sheet.size).intersection(&area).is_zero_sized() {
        return Ok(());
    }
    trace(&mut |stretch| sheet.add(stretch));
    target.draw_iter(sheet.pixels(area).map(|(at, coverage)| Pixel(at, ink.blend(coverage, 255))))
}

/// Sums up how much of each pixel lies inside.
///
/// Each cell holds what it differs by from the one on its left. An edge changes the pixel it
/// crosses by the part right of it, and the next one by the rest; to the right of that all is
/// inside or all outside.
struct Sheet {
    /// The upper left pixel.
    corner: Point,
    size: Size,
    /// Cells of each row: one more than pixels, for the rest of an edge in the last one.
    pitch: usize,
    sums: Vec<i32>,
}

impl Sheet {
    /// A clean sheet for an outline between two points.
    fn new(min: Point, max: Point) -> Self {
        let corner = Point::new(min.x.div_euclid(PX), min.y.div_euclid(PX));
        let side = |from: i32, to: i32| ((to + PX - 1).div_euclid(PX) - from).max(1) as u32;
        let size = Size::new(side(corner.x, max.x), side(corner.y, max.y));
        let pitch = size.width as usize + 1;
        Self { corner, size, pitch, sums: vec![0; pitch * size.height as usize] }
    }

    fn add(&mut self, stretch: Stretch) {
        let inside = |at: Point| at - self.corner * PX;
        match stretch {
            Stretch::Line(from, to) => self.line(inside(from), inside(to)),
            Stretch::Curve(from, control, to) => self.curve(inside(from), inside(control), inside(to)),
        }
    }

    /// As lines that are nowhere farther than a 32nd of a pixel from the curve.
    fn curve(&mut self, from: Point, control: Point, to: Point) {
        let bend = from - control * 2 + to;
        // The middle of a curve is a quarter of `bend` off its chord; n lines divide that by n².
        let lines = ((bend.x.abs() + bend.y.abs()) / 8).isqrt() + 1;
        let mut last = from;
        for step in 1..lines {
            let left = lines - step;
            let sum = from * (left * left) + control * (2 * left * step) + to * (step * step);
            let next = sum / (lines * lines);
            self.line(last, next);
            last = next;
        }
        self.line(last, to);
    }

    /// Cuts a line into its parts in each row.
    fn line(&mut self, from: Point, to: Point) {
        let (sign, upper, lower) = if from.y < to.y { (1, from, to) } else { (-1, to, from) };
        let whole = lower - upper;
        let Point { mut x, mut y } = upper;
        while y < lower.y {
            let row = y / PX;
            let end = ((row + 1) * PX).min(lower.y);
            let next = if end == lower.y { lower.x } else { upper.x + (end - upper.y) * whole.x / whole.y };
            self.across(row, (x.min(next), x.max(next)), sign * (end - y));
            (x, y) = (next, end);
        }
    }

    /// Cuts the part in a row, which is `rise` high, into its parts in each pixel.
    fn across(&mut self, row: i32, (left, right): (i32, i32), rise: i32) {
        let (mut x, mut risen) = (left, 0);
        loop {
            let column = x / PX;
            let end = ((column + 1) * PX).min(right);
            let reached = if end == right { rise } else { rise * (end - left) / (right - left) };
            self.cell(row, column, reached - risen, x + end - 2 * column * PX);
            (x, risen) = (end, reached);
            if x == right {
                return;
            }
        }
    }

    /// An edge within one pixel: how high it is, and the sum of its ends' distances from the left.
    fn cell(&mut self, row: i32, column: i32, rise: i32, from_left: i32) {
        let at = row as usize * self.pitch + column as usize;
        if let Some([here, next]) = self.sums.get_mut(at..at + 2) {
            *here += rise * (2 * PX - from_left);
            *next += rise * from_left;
        }
    }

    /// The pixels in `area` that are not empty, and how much of each is covered: 1..=255.
    fn pixels(&self, area: Rectangle) -> Pixels<'_> {
        let area = Rectangle::new(self.corner, self.size).intersection(&area);
        Pixels { sheet: self, rows: area.rows(), columns: area.columns(), row: [].iter(), at: Point::zero(), sum: 0 }
    }

    /// The cells of a row up to column `end`, counted as the target counts them.
    fn row(&self, y: i32, end: i32) -> &[i32] {
        let start = (y - self.corner.y) as usize * self.pitch;
        self.sums.get(start..start + (end - self.corner.x) as usize).unwrap_or_default()
    }
}

/// Goes through a sheet from left to right and from top to bottom.
struct Pixels<'a> {
    sheet: &'a Sheet,
    /// Still to be gone through.
    rows: Range<i32>,
    columns: Range<i32>,
    row: slice::Iter<'a, i32>,
    at: Point,
    sum: i32,
}

impl Iterator for Pixels<'_> {
    type Item = (Point, u32);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            for cell in self.row.by_ref() {
                self.sum += cell;
                let at = self.at;
                self.at.x += 1;
                // Most pixels: worth a shortcut.
                if self.sum == 0 {
                    continue;
                }
                let coverage = (self.sum.unsigned_abs().min(FULL) * 255 + FULL / 2) / FULL;
                if coverage > 0 && at.x >= self.columns.start {
                    return Some((at, coverage));
                }
            }
            let y = self.rows.next()?;
            self.row = self.sheet.row(y, self.columns.end).iter();
            (self.at, self.sum) = (Point::new(self.sheet.corner.x, y), 0);
        }
    }
}

impl Drop for Sheet {
    /// A key is drawn when a finger presses it: memory shall not tell which one was the last.
    fn drop(&mut self) {
        self.sums.as_mut_slice().zeroize();
    }
}

#[cfg(test)]
mod tests {
    use embedded_graphics::pixelcolor::RgbColor;

    use super::*;
    use crate::model::frame::Frame;

    const INK: Ink = Ink { text: Rgb888::WHITE, paper: Rgb888::BLACK, smooth: true };

    /// A closed contour of lines between points in parts of a pixel.
    fn lines(points: &[(i32, i32)]) -> Vec<Stretch> {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|(from, to)| Stretch::Line(Point::from(*from), Point::from(*to))).collect()
    }

    fn square(left: i32, top: i32, side: i32) -> Vec<Stretch> {
        lines(&[(left, top), (left + side, top), (left + side, top + side), (left, top + side)])
    }

    fn reversed(stretches: &[Stretch]) -> Vec<Stretch> {
        let back = |stretch: &Stretch| match *stretch {
            Stretch::Line(from, to) => Stretch::Line(to, from),
            Stretch::Curve(from, control, to) => Stretch::Curve(to, control, from),
        };
        stretches.iter().rev().map(back).collect()
    }

    /// The coverage of a frame of 8 by 8 pixels, in which nothing is drawn outside of `area`.
    fn drawn(area: Rectangle, stretches: &[Stretch]) -> Vec<u32> {
        let mut frame = Frame::new(Size::new(8, 8));
        fill(&mut frame, area, INK, |tell| stretches.iter().for_each(|stretch| tell(*stretch))).unwrap();
        frame.pixels().iter().map(|pixel| pixel & 0xff).collect()
    }

    fn coverage(stretches: &[Stretch]) -> Vec<u32> {
        drawn(Rectangle::new(Point::zero(), Size::new(8, 8)), stretches)
    }

    /// Whole pixels covered, from the sum of all.
    fn area(stretches: &[Stretch]) -> f32 {
        coverage(stretches).iter().sum::<u32>() as f32 / 255.0
    }

    #[test]
    fn whole_pixels_are_sharp_and_parts_are_in_proportion() {
        let seen = coverage(&square(PX, PX, 2 * PX));
        let full = [9, 10, 17, 18];
        for (at, covered) in seen.iter().enumerate() {
            assert_eq!(*covered, if full.contains(&at) { 255 } else { 0 }, "{at}");
        }
        let seen = coverage(&square(PX + PX / 4, PX, PX));
        assert_eq!(seen[9..11], [191, 64]);
        assert_eq!(seen.iter().sum::<u32>(), 255);
    }

    #[test]
    fn slopes_cover_what_geometry_says() {
        for points in [
            [(0, 0), (512, 0), (0, 512)],
            [(3, 5), (500, 70), (260, 501)],
            [(10, 10), (500, 17), (490, 25)],
            [(200, 3), (207, 500), (190, 509)],
        ] {
            let contour = lines(&points);
            let [a, b, c] = points.map(|(x, y)| (x as f32 / PX as f32, y as f32 / PX as f32));
            let size = ((b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1)).abs() / 2.0;
            // Each edge is up to a 64th of a pixel off.
            assert!((area(&contour) - size).abs() < 0.2, "{points:?}: {} for {size}", area(&contour));
            assert_eq!(coverage(&contour), coverage(&reversed(&contour)), "{points:?}");
        }
    }

    #[test]
    fn curves_cover_what_geometry_says() {
        // A curve and its chord enclose two thirds of the triangle with its control.
        let (from, control, to) = (Point::new(0, 512), Point::new(0, 0), Point::new(512, 0));
        let bow = [Stretch::Curve(from, control, to), Stretch::Line(to, from)];
        assert!((area(&bow) - 32.0 * 2.0 / 3.0).abs() < 0.2, "{}", area(&bow));
    }

    #[test]
    fn holes_are_empty_and_overlaps_full() {
        let ring = [square(0, 0, 6 * PX), reversed(&square(2 * PX, 2 * PX, 2 * PX))].concat();
        assert_eq!(area(&ring), 32.0);
        let cross = [square(0, 0, 4 * PX), square(2 * PX, 2 * PX, 4 * PX)].concat();
        assert_eq!(area(&cross), 28.0);
    }

    #[test]
    fn only_the_area_is_drawn_into() {
        let contour = lines(&[(-900, -300), (1200, 90), (200, 2000)]);
        let window = Rectangle::new(Point::new(2, 3), Size::new(3, 4));
        let (all, some) = (coverage(&contour), drawn(window, &contour));
        for (at, (all, some)) in all.iter().zip(&some).enumerate() {
            let inside = window.contains(Point::new(at as i32 % 8, at as i32 / 8));
            assert_eq!(*some, if inside { *all } else { 0 }, "{at}");
        }
        assert_eq!(some.iter().filter(|covered| **covered > 0).count(), 12);
        for outside in [Rectangle::new(Point::new(90, 0), Size::new(9, 9)), Rectangle::zero()] {
            assert!(drawn(outside, &contour).iter().all(|covered| *covered == 0));
        }
        assert!(drawn(window, &[]).iter().all(|covered| *covered == 0));
    }
}
