//! What keys show that type nothing, and other signs, in strokes as wide as those of the letters.
//!
//! Strokes on keys are upright, level or at 45 degrees. The upright and level ones begin and end at whole
//! pixels, so that they are sharp.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point};
use embedded_graphics::primitives::Rectangle;

use super::ink::Ink;
use super::outline::{PX, Stretch, fill};

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// An arrow upwards in outline.
    Shift,
    /// The same, filled.
    ShiftOnce,
    /// Filled, above a bar.
    ShiftLock,
    /// A cross in a tag that points to the left.
    Backspace,
    /// An arrow that comes down and turns to the left.
    Enter,
    /// A triangle with a mark of exclamation in it.
    Warning,
    /// A flash of lightning.
    Bolt,
}

/// Where contours are told to.
type Tell<'a> = &'a mut dyn FnMut(Stretch);

impl Icon {
    /// Draws the icon in the middle of `area` and nothing outside of it: about `height`
    /// pixels high, in strokes of `stroke` pixels.
    pub fn draw<D: DrawTarget<Color = Rgb888>>(
        self,
        target: &mut D,
        (height, stroke): (u32, u32),
        area: Rectangle,
        ink: Ink,
    ) -> Result<(), D::Error> {
        let brush = Brush {
            middle: (area.top_left + area.size / 2) * PX,
            half: height.div_ceil(2) as i32 * PX,
            stroke: stroke as i32 * PX,
        };
        fill(target, area, ink, |tell| match self {
            Self::Shift => {
                brush.arrow(brush.half, tell);
                brush.arrow_inside(tell);
            }
            Self::ShiftOnce => brush.arrow(brush.half, tell),
            Self::ShiftLock => brush.arrow_on_bar(tell),
            Self::Backspace => brush.tag(tell),
            Self::Enter => brush.corner(tell),
            Self::Warning => brush.warning(tell),
            Self::Bolt => brush.bolt(tell),
        })
    }
}

/// Draws round a middle. All lengths are parts of a pixel and, but for slanted strokes, whole pixels.
#[derive(Clone, Copy)]
struct Brush {
    middle: Point,
    /// Half the height of the icon.
    half: i32,
    /// Width of a stroke.
    stroke: i32,
}

impl Brush {
    /// A stroke at 45 degrees, measured along a level line.
    fn slanted(self) -> i32 {
        // The root of two is 181/128 but for a part in 30000.
        self.stroke * 181 / 128
    }

    /// Eighths of `half`, cut to whole pixels.
    fn eighths(self, count: i32) -> i32 {
        self.half * count / 8 / PX * PX
    }

    /// An arrow upwards that ends `bottom` below the middle.
    fn arrow(self, bottom: i32, tell: Tell<'_>) {
        let (half, shaft) = (self.half, self.eighths(4));
        let right = [(0, -half), (half, 0), (shaft, 0), (shaft, bottom)];
        self.solid(&mirrored(right), tell);
    }

    /// What the outline of an arrow leaves empty.
    fn arrow_inside(self, tell: Tell<'_>) {
        let (tip, stroke) = (self.slanted() - self.half, self.stroke);
        let shaft = self.eighths(4) - stroke;
        let right = [(0, tip), (-stroke - tip, -stroke), (shaft, -stroke), (shaft, self.half - stroke)];
        self.hole(&mirrored(right), tell);
    }

    fn arrow_on_bar(self, tell: Tell<'_>) {
        self.arrow(self.half - 2 * self.stroke, tell);
        let shaft = self.eighths(4);
        self.block((-shaft, self.half - self.stroke), (shaft, self.half), tell);
    }

    fn tag(self, tell: Tell<'_>) {
        let (high, stroke) = (self.eighths(7), self.stroke);
        let wide = self.eighths(10);
        let outside = [(-wide, 0), (high - wide, -high), (wide, -high), (wide, high), (high - wide, high)];
        self.solid(&outside, tell);
        let (left, right) = (high - wide + self.slanted() - stroke, wide - stroke);
        let inside = high - stroke;
        let tip = self.slanted() - wide;
        self.hole(&[(tip, 0), (left, -inside), (right, -inside), (right, inside), (left, inside)], tell);
        self.cross(self.eighths(2), self.half * 7 / 16, tell);
    }

    /// Two slanted strokes that cross `right` of the middle.
    fn cross(self, right: i32, arm: i32, tell: Tell<'_>) {
        let side = self.slanted() / 4;
        let (near, far) = (arm - side, arm + side);
        let falling = [(-far, -near), (-near, -far), (far, near), (near, far)];
        self.solid(&falling.map(|(x, y)| (right + x, y)), tell);
        self.solid(&falling.map(|(x, y)| (right - x, y)), tell);
    }

    fn corner(self, tell: Tell<'_>) {
        let (wide, stroke) = (self.eighths(10), self.stroke);
        let bar = self.eighths(2);
        let middle = bar + stroke / 2;
        let (head, slanted) = (self.eighths(5), self.slanted());
        let head = |down: i32| [(head - wide, head * down), (head - wide + slanted / 2, (head - slanted / 2) * down)];
        let [upper, inner_upper] = head(-1);
        let [lower, inner_lower] = head(1);
        let head = [(-wide, 0), upper, inner_upper, (slanted - wide, 0), inner_lower, lower];
        self.solid(&head.map(|(x, y)| (x, middle + y)), tell);
        self.block((stroke - wide, bar), (wide, bar + stroke), tell);
        self.block((wide - stroke, -self.eighths(6)), (wide, bar), tell);
    }

    fn warning(self, tell: Tell<'_>) {
        let (half, stroke, wide) = (self.half, self.stroke, self.half * 9 / 8);
        self.solid(&[(0, -half), (wide, half), (-wide, half)], tell);
        // The mark is left empty: a bar, and a dot below it.
        let side = (stroke * 2 / 3).max(PX / 2);
        let (top, middle, bottom) = (-half / 4, half * 3 / 8, half * 3 / 4);
        self.hole(&[(-side, top), (side, top), (side, middle), (-side, middle)], tell);
        self.hole(
            &[(-side, bottom - side), (side, bottom - side), (side, bottom + side / 2), (-side, bottom + side / 2)],
            tell,
        );
    }

    fn bolt(self, tell: Tell<'_>) {
        let part = |eighths: i32| self.half * eighths / 8;
        let right = [(part(2), part(-8)), (part(-5), part(1)), (part(-1), part(1))];
        let left = right.map(|(x, y)| (-x, -y));
        self.solid(&[right, left].concat(), tell);
    }

    fn block(self, (left, top): (i32, i32), (right, bottom): (i32, i32), tell: Tell<'_>) {
        self.solid(&[(left, top), (right, top), (right, bottom), (left, bottom)], tell);
    }

    fn solid(self, points: &[(i32, i32)], tell: Tell<'_>) {
        self.contour(points, 1, tell);
    }

    fn hole(self, points: &[(i32, i32)], tell: Tell<'_>) {
        self.contour(points, -1, tell);
    }

    /// Tells a contour in the sense of rotation that `turn` is the sign of.
    fn contour(self, points: &[(i32, i32)], turn: i64, tell: Tell<'_>) {
        let next = points.iter().cycle().skip(1);
        let pairs = points.iter().zip(next).map(|(from, to)| (Point::from(*from), Point::from(*to)));
        let doubled: i64 =
            pairs.clone().map(|(a, b)| i64::from(a.x) * i64::from(b.y) - i64::from(b.x) * i64::from(a.y)).sum();
        for (from, to) in pairs {
            let (from, to) = if doubled * turn < 0 { (to, from) } else { (from, to) };
            tell(Stretch::Line(self.middle + from, self.middle + to));
        }
    }
}

/// The right half of a contour, from top to bottom, and its mirror image.
fn mirrored<const N: usize>(right: [(i32, i32); N]) -> Vec<(i32, i32)> {
    let left = right.iter().rev().map(|(x, y)| (-x, *y));
    right.iter().copied().chain(left).collect()
}

#[cfg(test)]
mod tests {
    use embedded_graphics::pixelcolor::RgbColor;
    use embedded_graphics::prelude::Size;

    use super::*;
    use crate::model::frame::Frame;

    const INK: Ink = Ink { text: Rgb888::WHITE, paper: Rgb888::BLACK, smooth: true };
    const ALL: [Icon; 7] =
        [Icon::Shift, Icon::ShiftOnce, Icon::ShiftLock, Icon::Backspace, Icon::Enter, Icon::Warning, Icon::Bolt];

    /// An icon in a square of 2 * `height` pixels, as rows of coverage.
    fn rows(icon: Icon, height: u32, stroke: u32) -> Vec<Vec<u32>> {
        let side = 2 * height;
        let mut frame = Frame::new(Size::new(side, side));
        icon.draw(&mut frame, (height, stroke), Rectangle::new(Point::zero(), Size::new(side, side)), INK).unwrap();
        frame.pixels().chunks(side as usize).map(|row| row.iter().map(|pixel| pixel & 0xff).collect()).collect()
    }

    #[test]
    fn all_sizes_are_inside_and_different() {
        for height in (7..=40).chain([61, 88, 166]) {
            let drawn = ALL.map(|icon| rows(icon, height, (height / 11).max(1)));
            for (at, rows) in drawn.iter().enumerate() {
                let border = |x: usize| x < height as usize / 4 || x >= height as usize * 7 / 4;
                for (y, row) in rows.iter().enumerate() {
                    for (x, covered) in row.iter().enumerate() {
                        assert!(*covered == 0 || !(border(x) || border(y)), "{:?} of {height}: {x},{y}", ALL[at]);
                    }
                }
                assert!(rows.iter().flatten().any(|covered| *covered == 255), "{:?} of {height}", ALL[at]);
                assert!(drawn[..at].iter().all(|other| other != rows), "{:?} of {height}", ALL[at]);
            }
        }
    }

    #[test]
    fn arrows_upwards_are_symmetric() {
        for (height, stroke) in [(8, 1), (17, 2), (44, 4), (83, 8)] {
            for row in
                [Icon::Shift, Icon::ShiftOnce, Icon::ShiftLock].iter().flat_map(|icon| rows(*icon, height, stroke))
            {
                assert!(row.iter().eq(row.iter().rev()), "{height}: {row:?}");
            }
        }
    }

    #[test]
    fn strokes_are_of_one_width_and_sharp() {
        for (height, stroke) in [(16, 1), (22, 2), (44, 4), (83, 7)] {
            let solid = |line: &[u32]| {
                let end = line.iter().rposition(|covered| *covered > 0).unwrap();
                line[..=end].iter().rev().take_while(|covered| **covered == 255).count()
            };
            let middle = height as usize;
            let tag = rows(Icon::Backspace, height, stroke);
            assert_eq!(solid(&tag[middle]), stroke as usize, "right edge of {height}");
            let column: Vec<u32> = tag.iter().map(|row| row[middle]).collect();
            assert_eq!(solid(&column), stroke as usize, "lower edge of {height}");
            // Above the middle, and left of the cross.
            let slanted: u32 = tag[middle - middle / 8][..middle - middle / 4].iter().sum();
            let wanted = stroke as f32 * 2.0_f32.sqrt();
            assert!((slanted as f32 / 255.0 - wanted).abs() < 0.1, "slanted edge of {height}: {slanted}");
            let corner = rows(Icon::Enter, height, stroke);
            assert_eq!(solid(&corner[middle]), stroke as usize, "shaft of {height}");
            let column: Vec<u32> = corner.iter().map(|row| row[middle + middle / 4]).collect();
            assert_eq!(solid(&column), stroke as usize, "bar of {height}");
        }
    }

    #[test]
    fn only_the_area_is_drawn_into() {
        let mut frame = Frame::new(Size::new(40, 40));
        let area = Rectangle::new(Point::new(15, 15), Size::new(10, 10));
        Icon::Backspace.draw(&mut frame, (30, 3), area, INK).unwrap();
        let outside = |at: usize| !area.contains(Point::new(at as i32 % 40, at as i32 / 40));
        assert!((0..1600).filter(|at| outside(*at)).all(|at| frame.pixels()[at] == 0));
        assert!(frame.pixels().contains(&0xffffff));
    }
}
