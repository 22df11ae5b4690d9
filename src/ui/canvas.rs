//! A window onto a target: what is drawn outside of it leaves no trace and no damage.

use embedded_graphics::Pixel;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{Dimensions, DrawTarget, PointsIter};
use embedded_graphics::primitives::Rectangle;

/// Draws inside of an area only, which is its bounding box. All of a picture is drawn through it, so
/// that the program holds the drawing code once.
pub(super) struct Canvas<'a, D> {
    target: &'a mut D,
    window: Rectangle,
}

impl<'a, D: DrawTarget<Color = Rgb888>> Canvas<'a, D> {
    /// All of a target.
    pub(super) fn new(target: &'a mut D) -> Self {
        let window = target.bounding_box();
        Self { target, window }
    }

    /// The part of it that lies in `area`.
    pub(super) fn part(&mut self, area: Rectangle) -> Canvas<'_, D> {
        Canvas { target: self.target, window: self.window.intersection(&area) }
    }

    /// Whether anything of `area` can be seen.
    pub(super) fn shows(&self, area: Rectangle) -> bool {
        !self.window.intersection(&area).is_zero_sized()
    }
}

impl<D: Dimensions> Dimensions for Canvas<'_, D> {
    fn bounding_box(&self) -> Rectangle {
        self.window
    }
}

impl<D: DrawTarget<Color = Rgb888>> DrawTarget for Canvas<'_, D> {
    type Color = Rgb888;
    type Error = D::Error;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), D::Error> {
        let window = self.window;
        self.target.draw_iter(pixels.into_iter().filter(|Pixel(at, _)| window.contains(*at)))
    }

    fn fill_contiguous<I: IntoIterator<Item = Rgb888>>(&mut self, area: &Rectangle, colors: I) -> Result<(), D::Error> {
        match self.window.intersection(area) {
            visible if visible.is_zero_sized() => Ok(()),
            visible if visible == *area => self.target.fill_contiguous(area, colors),
            _ => self.draw_iter(area.points().zip(colors).map(|(at, color)| Pixel(at, color))),
        }
    }

    fn fill_solid(&mut self, area: &Rectangle, color: Rgb888) -> Result<(), D::Error> {
        self.target.fill_solid(&self.window.intersection(area), color)
    }
}

#[cfg(test)]
mod tests {
    use embedded_graphics::pixelcolor::RgbColor;
    use embedded_graphics::prelude::{Point, Size};

    use super::*;
    use crate::model::frame::Frame;

    #[test]
    fn nothing_is_drawn_outside() {
        let mut frame = Frame::new(Size::new(6, 4));
        let window = Rectangle::new(Point::new(2, 1), Size::new(3, 2));
        let all = frame.bounding_box();
        let mut whole = Canvas::new(&mut frame);
        let mut part = whole.part(window);
        part.fill_solid(&all, Rgb888::RED).unwrap();
        part.fill_contiguous(&all, (0..24).map(|n| Rgb888::new(0, 0, n))).unwrap();
        part.draw_iter([Pixel(Point::zero(), Rgb888::WHITE), Pixel(Point::new(3, 1), Rgb888::WHITE)]).unwrap();
        assert!(part.shows(window) && !part.shows(Rectangle::new(Point::zero(), Size::new(2, 4))));
        assert_eq!(frame.take_damage(), [window]);
        let rows: Vec<u32> = (0..4).flat_map(|y| frame.row(0, y, 6).to_vec()).collect();
        let blank = [0; 6];
        assert_eq!(rows, [blank, [0, 0, 8, 0xff_ffff, 10, 0], [0, 0, 14, 15, 16, 0], blank].concat());
    }
}
