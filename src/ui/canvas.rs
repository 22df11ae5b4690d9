//! A window onto a target: what is drawn outside of it leaves no trace and no damage.

use core::cell::Cell;

use embedded_graphics::Pixel;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{Dimensions, DrawTarget, PointsIter};
use embedded_graphics::primitives::Rectangle;

/// Areas of which it is to be known whether anything is drawn into them.
#[derive(Default)]
pub(super) struct Watch {
    areas: Vec<(Rectangle, Cell<bool>)>,
}

impl Watch {
    /// Of these areas; empty ones are never drawn into.
    pub(super) fn new(areas: impl Iterator<Item = Rectangle>) -> Self {
        Self { areas: areas.map(|area| (area, Cell::new(false))).collect() }
    }

    /// Whether anything was drawn into the area of this number.
    pub(super) fn has_seen(&self, number: usize) -> bool {
        self.areas.get(number).is_some_and(|(_, seen)| seen.get())
    }

    fn note(&self, drawn: Rectangle) {
        for (area, seen) in &self.areas {
            if !area.intersection(&drawn).is_zero_sized() {
                seen.set(true);
            }
        }
    }
}

/// Draws inside of an area only, which is its bounding box. All of a picture is drawn through it, so
/// that the program holds the drawing code once.
pub(super) struct Canvas<'a, D> {
    target: &'a mut D,
    window: Rectangle,
    watch: &'a Watch,
}

impl<'a, D: DrawTarget<Color = Rgb888>> Canvas<'a, D> {
    /// All of a target.
    pub(super) fn new(target: &'a mut D, watch: &'a Watch) -> Self {
        let window = target.bounding_box();
        Self { target, window, watch }
    }

    /// The part of it that lies in `area`.
    pub(super) fn part(&mut self, area: Rectangle) -> Canvas<'_, D> {
        Canvas { target: self.target, window: self.window.intersection(&area), watch: self.watch }
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
        let (window, mut drawn) = (self.window, None);
        let noted = |Pixel(at, _): &Pixel<Rgb888>| {
            let is_inside = window.contains(*at);
            if is_inside {
                let (min, max) = drawn.unwrap_or((*at, *at));
                drawn = Some((min.component_min(*at), max.component_max(*at)));
            }
            is_inside
        };
        self.target.draw_iter(pixels.into_iter().filter(noted))?;
        if let Some((min, max)) = drawn {
            self.watch.note(Rectangle::with_corners(min, max));
        }
        Ok(())
    }

    fn fill_contiguous<I: IntoIterator<Item = Rgb888>>(&mut self, area: &Rectangle, colors: I) -> Result<(), D::Error> {
        match self.window.intersection(area) {
            visible if visible.is_zero_sized() => Ok(()),
            visible if visible == *area => {
                self.watch.note(visible);
                self.target.fill_contiguous(area, colors)
            }
            _ => self.draw_iter(area.points().zip(colors).map(|(at, color)| Pixel(at, color))),
        }
    }

    fn fill_solid(&mut self, area: &Rectangle, color: Rgb888) -> Result<(), D::Error> {
        let visible = self.window.intersection(area);
        self.watch.note(visible);
        self.target.fill_solid(&visible, color)
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
        let watch = Watch::new([window, Rectangle::new(Point::zero(), Size::new(2, 4)), Rectangle::zero()].into_iter());
        let mut whole = Canvas::new(&mut frame, &watch);
        let mut part = whole.part(window);
        part.fill_solid(&all, Rgb888::RED).unwrap();
        part.fill_contiguous(&all, (0..24).map(|n| Rgb888::new(0, 0, n))).unwrap();
        part.draw_iter([Pixel(Point::zero(), Rgb888::WHITE), Pixel(Point::new(3, 1), Rgb888::WHITE)]).unwrap();
        assert!(part.shows(window) && !part.shows(Rectangle::new(Point::zero(), Size::new(2, 4))));
        assert_eq!([0, 1, 2].map(|number| watch.has_seen(number)), [true, false, false]);
        assert_eq!(frame.take_damage(), [window]);
        let rows: Vec<u32> = (0..4).flat_map(|y| frame.row(0, y, 6).to_vec()).collect();
        let blank = [0; 6];
        assert_eq!(rows, [blank, [0, 0, 8, 0xff_ffff, 10, 0], [0, 0, 14, 15, 16, 0], blank].concat());
    }
}
