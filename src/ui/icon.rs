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
    /// A globe with a meridian and the equator.
    Globe,
    /// An eye.
    Eye,
    /// An eye that is struck out.
    EyeOff,
    /// A cross.
    Cross,
    /// A keyboard above an arrow downwards.
    KeyboardHide,
    /// A keyboard below an arrow upwards.
    KeyboardShow,
    /// A circle that is open where a bar enters it.
    Power,
    /// An arrow to the left.
    Back,
    /// An arrow to the right.
    Forth,
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
            Self::Globe => brush.globe(tell),
            Self::Eye => brush.eye(tell),
            Self::EyeOff => {
                brush.eye(tell);
                brush.slash(tell);
            }
            Self::Cross => brush.cross(0, brush.half * 5 / 8, tell),
            Self::KeyboardHide => brush.keyboard(1, tell),
            Self::KeyboardShow => brush.keyboard(-1, tell),
            Self::Power => brush.power(tell),
            Self::Back => brush.back(1, tell),
            Self::Forth => brush.back(-1, tell),
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

    fn globe(self, tell: Tell<'_>) {
        let (radius, stroke) = (self.half, self.stroke);
        self.ring((radius, radius), stroke, tell);
        self.ring((radius * 7 / 16 + stroke / 2, radius), stroke, tell);
        let middle = stroke / 2 / PX * PX;
        self.block((stroke / 2 - radius, -middle), (radius - stroke / 2, stroke - middle), tell);
    }

    fn eye(self, tell: Tell<'_>) {
        let (wide, high, stroke) = (self.half * 9 / 8, self.half * 3 / 4, self.stroke);
        // A curve goes half as far as its control.
        let lid = |wide: i32, high: i32| [(Some((0, -2 * high)), (wide, 0)), (Some((0, 2 * high)), (-wide, 0))];
        self.path(&lid(wide, high), 1, tell);
        self.path(&lid(wide - stroke * 3 / 2, high - stroke), -1, tell);
        self.disc((self.half * 5 / 16, self.half * 5 / 16), 1, tell);
    }

    /// From the lower left to the upper right.
    fn slash(self, tell: Tell<'_>) {
        let side = self.slanted() / 4;
        let (near, far) = (self.half * 7 / 8 - side, self.half * 7 / 8 + side);
        self.solid(&[(far, -near), (near, -far), (-far, near), (-near, far)], tell);
    }

    /// `down`: which way the arrow points, 1 or -1.
    fn keyboard(self, down: i32, tell: Tell<'_>) {
        let (wide, stroke) = (self.eighths(10), self.stroke);
        let (top, bottom) = if down > 0 { (-self.half, self.eighths(3)) } else { (self.eighths(-3), self.half) };
        self.block((-wide, top), (wide, bottom), tell);
        let inside = [(stroke - wide, top + stroke), (wide - stroke, bottom - stroke)];
        let [(left, upper), (right, lower)] = inside;
        self.hole(&[(left, upper), (right, upper), (right, lower), (left, lower)], tell);
        let key = stroke;
        let high = lower - upper;
        let row = (upper + (high - 3 * key) / 4).div_euclid(PX) * PX;
        for at in -2..3_i32 {
            let x = (at * wide * 5 / 16 - key / 2).div_euclid(PX) * PX;
            self.block((x, row), (x + key, row + key), tell);
        }
        let bar = (upper + (high - key) * 3 / 4).div_euclid(PX) * PX;
        self.block((self.eighths(-5), bar), (self.eighths(5), bar + key), tell);
        // The arrow's tip is at the edge of the icon.
        let (arm, slanted) = (self.eighths(4), self.slanted());
        let arrow = [(0, self.half), (arm, self.half - arm), (arm - slanted / 2, self.half - arm - slanted / 2)];
        let arrow =
            [&arrow[..], &[(0, self.half - slanted), (slanted / 2 - arm, self.half - arm - slanted / 2)]].concat();
        let arrow = [&arrow[..], &[(-arm, self.half - arm)]].concat();
        self.solid(&arrow.iter().map(|(x, y)| (*x, y * down)).collect::<Vec<_>>(), tell);
    }

    fn power(self, tell: Tell<'_>) {
        let (radius, stroke) = (self.half * 15 / 16, self.stroke);
        let (outer, inner) = (octants(radius, radius), octants(radius - stroke, radius - stroke));
        // Open for a quarter: from the upper right one round to the upper left one.
        let mut pieces = vec![(None, inner[6].2), (None, outer[6].2)];
        pieces.extend([7, 0, 1, 2, 3, 4].map(|at: usize| (Some(outer[at].1), outer[at].2)));
        pieces.push((None, inner[4].2));
        pieces.extend([4, 3, 2, 1, 0, 7].map(|at: usize| (Some(inner[at].1), inner[at].0)));
        self.path(&pieces, 1, tell);
        let left = -(stroke / 2 / PX * PX);
        self.block((left, -self.half), (left + stroke, self.eighths(1)), tell);
    }

    /// `left`: which way the arrow points, 1 or -1.
    fn back(self, left: i32, tell: Tell<'_>) {
        let (wide, stroke) = (self.eighths(9), self.stroke);
        let (head, slanted) = (self.eighths(6), self.slanted());
        let middle = stroke / 2 / PX * PX;
        let arrow = [
            (-wide, 0),
            (head - wide, -head),
            (head - wide + slanted / 2, slanted / 2 - head),
            (slanted - wide, 0),
            (head - wide + slanted / 2, head - slanted / 2),
            (head - wide, head),
        ];
        self.solid(&arrow.map(|(x, y)| (x * left, y)), tell);
        let bar = [(stroke - wide) * left, wide * left];
        self.block((bar[0], -middle), (bar[1], stroke - middle), tell);
    }

    /// The edge of an ellipse of these half axes; what is inside is empty.
    fn ring(self, (wide, high): (i32, i32), stroke: i32, tell: Tell<'_>) {
        self.disc((wide, high), 1, tell);
        self.disc((wide - stroke, high - stroke), -1, tell);
    }

    /// An ellipse, solid or a hole.
    fn disc(self, (wide, high): (i32, i32), turn: i64, tell: Tell<'_>) {
        self.path(&octants(wide, high).map(|(_, control, to)| (Some(control), to)), turn, tell);
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

    /// Tells a contour of lines in the sense of rotation that `turn` is the sign of.
    fn contour(self, points: &[(i32, i32)], turn: i64, tell: Tell<'_>) {
        let pieces: Vec<Piece> = points.iter().map(|point| (None, *point)).collect();
        self.path(&pieces, turn, tell);
    }

    /// The same of lines and curves, each from the end of the one before.
    fn path(self, pieces: &[Piece], turn: i64, tell: Tell<'_>) {
        let next = pieces.iter().cycle().skip(1);
        let pairs = pieces
            .iter()
            .zip(next)
            .map(|((_, from), (control, to))| (Point::from(*from), control.map(Point::from), Point::from(*to)));
        let doubled: i64 =
            pairs.clone().map(|(a, _, b)| i64::from(a.x) * i64::from(b.y) - i64::from(b.x) * i64::from(a.y)).sum();
        // Two curves between the same ends have no area but for their controls.
        let bowed: i64 = pairs
            .clone()
            .filter_map(|(a, control, b)| Some((b - a, control? - a)))
            .map(|(ab, ac)| i64::from(ac.x) * i64::from(ab.y) - i64::from(ab.x) * i64::from(ac.y))
            .sum();
        for (from, control, to) in pairs {
            let (from, to) = if (doubled + bowed) * turn < 0 { (to, from) } else { (from, to) };
            let at = |point: Point| self.middle + point;
            tell(match control {
                None => Stretch::Line(at(from), at(to)),
                Some(control) => Stretch::Curve(at(from), at(control), at(to)),
            });
        }
    }
}

/// The control of a curve, where it is one, and the end of a piece of a contour.
type Piece = (Option<(i32, i32)>, (i32, i32));
/// Start, control and end of a curve.
type Arc = ((i32, i32), (i32, i32), (i32, i32));

/// An ellipse in eight curves, clockwise from its right end: start, control and end of each. They are
/// nowhere farther than a thousandth of an axis from it.
fn octants(wide: i32, high: i32) -> [Arc; 8] {
    // In parts of 256: the sine of 45 degrees, and the tangent of half of that.
    let points = [(256, 0), (181, 181), (0, 256), (-181, 181), (-256, 0), (-181, -181), (0, -256), (181, -181)];
    let controls =
        [(256, 106), (106, 256), (-106, 256), (-256, 106), (-256, -106), (-106, -256), (106, -256), (256, -106)];
    let place = |(x, y): (i32, i32)| (x * wide / 256, y * high / 256);
    core::array::from_fn(|at| (place(points[at]), place(controls[at]), place(points[(at + 1) % 8])))
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
    const ALL: [Icon; 16] = [
        Icon::Shift,
        Icon::ShiftOnce,
        Icon::ShiftLock,
        Icon::Backspace,
        Icon::Enter,
        Icon::Warning,
        Icon::Bolt,
        Icon::Globe,
        Icon::Eye,
        Icon::EyeOff,
        Icon::Cross,
        Icon::KeyboardHide,
        Icon::KeyboardShow,
        Icon::Power,
        Icon::Back,
        Icon::Forth,
    ];

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
                assert!(rows.iter().flatten().any(|covered| *covered > 230), "{:?} of {height}", ALL[at]);
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
