//! What shows where one is: a ring around what a button would press, and the arrow of a mouse.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::ink::Ink;
use super::outline::{PX, Stretch, fill};
use super::scene::Scene;
use super::shape::ring;
use super::{control, key};
use crate::model::prompt::view::Spot;

/// The arrow in parts of 24 of its height: the line around it, and what is inside of that.
const EDGE: [(i32, i32); 7] = [(0, 0), (0, 22), (5, 17), (9, 24), (12, 22), (9, 15), (15, 15)];
const INSIDE: [(i32, i32); 7] = [(2, 4), (2, 17), (5, 14), (9, 21), (10, 21), (6, 13), (11, 13)];

/// A ring around a key or a control.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Ring {
    area: Rectangle,
    radius: u32,
    stroke: u32,
    paper: Rgb888,
}

impl Ring {
    /// The one that a view shows.
    pub(super) fn of(scene: Scene<'_>) -> Option<Self> {
        let Scene { theme, plan, view, .. } = scene;
        let spot = view.focus?;
        let place = plan.place(view.sheet, view.layer, spot)?;
        let gap = (plan.key_height / 12).max(2);
        // Between it and the key is a line of what is behind both.
        let clear = (gap / 3).max(1);
        let (face, paper) = match spot {
            Spot::Control(_) => (control::face(place), control::paper(scene, place)),
            _ => (place.face, theme.keyboard),
        };
        let grown = if matches!(spot, Spot::Control(_)) { 0 } else { gap };
        let area =
            Rectangle::new(face.top_left - Point::new_equal(grown as i32), face.size + Size::new_equal(2 * grown));
        let stroke = (gap - clear).max(2);
        Some(Self { area, radius: key::radius(plan) + grown, stroke, paper })
    }

    pub(super) fn area(self) -> Rectangle {
        self.area
    }

    pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
        self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
    ) -> Result<(), D::Error> {
        ring(canvas, self.area, (self.radius, self.stroke), scene.ink(scene.theme.accent, self.paper))
    }
}

/// The arrow of a mouse.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrow {
    tip: Point,
    height: u32,
}

impl Arrow {
    /// The one that a view shows.
    pub(super) fn of(scene: Scene<'_>) -> Option<Self> {
        let tip = scene.view.cursor?;
        Some(Self { tip, height: scene.plan.above.title_line.clamp(16, 64) })
    }

    pub(super) fn area(self) -> Rectangle {
        Rectangle::new(self.tip, Size::new_equal(self.height + 1))
    }

    pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
        self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
    ) -> Result<(), D::Error> {
        let (text, paper) = (scene.theme.text, scene.theme.background);
        // It may be on anything, and so cannot fade into it.
        fill(canvas, self.area(), Ink { text: paper, paper, smooth: false }, |tell| self.trace(&EDGE, tell))?;
        fill(canvas, self.area(), scene.ink(text, paper), |tell| self.trace(&INSIDE, tell))
    }

    fn trace(self, points: &[(i32, i32)], tell: &mut dyn FnMut(Stretch)) {
        let at = |(x, y): (i32, i32)| self.tip * PX + Point::new(x, y) * (self.height as i32 * PX / 24);
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).for_each(|(from, to)| tell(Stretch::Line(at(*from), at(*to))));
    }
}
