//! The character of a pressed key, above the finger that hides the key.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::font::Face;
use super::key;
use super::scene::{Scene, around};
use super::shape::rounded;
use crate::model::prompt::layout::Press;

/// A balloon that grows out of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Popover {
    balloon: Rectangle,
    /// Joins it to its key.
    neck: Rectangle,
    /// The balloon with the seam that sets it off from the keys it covers.
    seam: Rectangle,
    character: char,
}

impl Popover {
    /// The one that a view shows. What moves little has none, nor have keys that are as wide as a
    /// finger or type nothing.
    pub(super) fn of(scene: Scene<'_>) -> Option<Self> {
        let Scene { theme, plan, view, .. } = scene;
        let spot = view.pressed.filter(|_| theme.motion && view.enabled)?;
        let place = plan.place(view.sheet, view.layer, spot)?;
        let Press::Character(character @ '!'..) = place.press else { return None };
        let face = place.face;
        let gap = (plan.key_height / 12).max(1);
        let wide = (face.size.width * 4 / 3).min(plan.size.width);
        let bottom = face.top_left.y - gap as i32;
        let top = (bottom - plan.key_height as i32).max(gap as i32);
        // Higher than half a key, or there is nothing to see.
        let high = u32::try_from(bottom - top).ok().filter(|high| *high > plan.key_height / 2)?;
        let left = face.top_left.x - (wide - face.size.width) as i32 / 2;
        let left = left.clamp(0, (plan.size.width - wide) as i32);
        let balloon = Rectangle::new(Point::new(left, top), Size::new(wide, high));
        let radius = key::radius(plan);
        let neck = Rectangle::new(
            Point::new(face.top_left.x, bottom - radius as i32),
            Size::new(face.size.width, 2 * radius + gap),
        );
        let seam =
            Rectangle::new(balloon.top_left - Point::new_equal(gap as i32), balloon.size + Size::new_equal(2 * gap));
        Some(Self { balloon, neck, seam, character })
    }

    /// All that it covers.
    pub(super) fn area(self) -> Rectangle {
        around(self.seam, self.neck)
    }

    pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
        self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
    ) -> Result<(), D::Error> {
        let (theme, radius) = (scene.theme, key::radius(scene.plan));
        // The seam lies on keys and on what is between: there is no one colour to fade into.
        rounded(canvas, self.seam, radius, scene.ink(theme.keyboard, theme.keyboard))?;
        rounded(canvas, self.balloon, radius, scene.ink(theme.pressed, theme.keyboard))?;
        canvas.fill_solid(&self.neck, theme.pressed)?;
        let mut utf8 = [0; 4];
        let text = self.character.encode_utf8(&mut utf8);
        let ink = scene.ink(theme.text_pressed, theme.pressed);
        Face::fitting(text, self.balloon.size).draw_centred(canvas, text, self.balloon, ink)
    }
}
