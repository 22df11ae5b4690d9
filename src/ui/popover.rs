//! What a finger hides, above it: the character of a pressed key, or the alternatives of one that is
//! held.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::font::Face;
use super::key;
use super::scene::{Scene, around, shrink};
use super::shape::rounded;
use crate::model::prompt::layout::Press;
use crate::model::prompt::view::Spot;

/// A balloon that grows out of a key.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Popover {
    balloon: Rectangle,
    /// Joins it to its key.
    neck: Rectangle,
    /// The balloon with the seam that sets it off from the keys it covers.
    seam: Rectangle,
    /// What can be chosen, each in its place.
    cells: Vec<(char, Rectangle)>,
    chosen: Option<usize>,
}

impl Popover {
    /// The one that a view shows. What moves little shows alternatives only, and so do keys that are
    /// as wide as a finger or type nothing.
    pub(super) fn of(scene: Scene<'_>) -> Option<Self> {
        if !scene.view.enabled {
            return None;
        }
        Self::choices(scene).or_else(|| Self::character(scene).filter(|_| scene.theme.motion))
    }

    fn character(scene: Scene<'_>) -> Option<Self> {
        let Scene { plan, view, .. } = scene;
        let place = plan.place(view.sheet, view.layer, view.pressed?)?;
        let Press::Character(character @ '!'..) = place.press else { return None };
        let face = place.face;
        let gap = gap(scene);
        let wide = (face.size.width * 4 / 3).min(plan.size.width);
        let bottom = face.top_left.y - gap as i32;
        let top = (bottom - plan.key_height as i32).max(gap as i32);
        // Higher than half a key, or there is nothing to see.
        let high = u32::try_from(bottom - top).ok().filter(|high| *high > plan.key_height / 2)?;
        let left = face.top_left.x - (wide - face.size.width) as i32 / 2;
        let left = left.clamp(0, (plan.size.width - wide) as i32);
        let balloon = Rectangle::new(Point::new(left, top), Size::new(wide, high));
        Some(Self::new(scene, face, balloon, vec![(character, balloon)]))
    }

    fn choices(scene: Scene<'_>) -> Option<Self> {
        let Scene { plan, view, .. } = scene;
        let choices = view.choices.as_ref()?;
        let place = scene.keys().get(choices.key)?;
        let areas = plan.choices(place, choices.characters.len());
        let balloon = areas.iter().fold(Rectangle::zero(), |all, area| around(all, *area));
        let cells = choices.characters.iter().copied().zip(areas).collect();
        let chosen = match view.pressed {
            Some(Spot::Choice(number)) => Some(number),
            _ => None,
        };
        Some(Self { chosen, ..Self::new(scene, place.face, balloon, cells) })
    }

    fn new(scene: Scene<'_>, face: Rectangle, balloon: Rectangle, cells: Vec<(char, Rectangle)>) -> Self {
        let (gap, radius) = (gap(scene), key::radius(scene.plan));
        let bottom = balloon.top_left.y + balloon.size.height as i32;
        let neck = Rectangle::new(
            Point::new(face.top_left.x, bottom - radius as i32),
            Size::new(face.size.width, (face.top_left.y - bottom).max(0) as u32 + 2 * radius),
        );
        let seam =
            Rectangle::new(balloon.top_left - Point::new_equal(gap as i32), balloon.size + Size::new_equal(2 * gap));
        Self { balloon, neck, seam, cells, chosen: None }
    }

    /// All that it covers.
    pub(super) fn area(&self) -> Rectangle {
        around(self.seam, self.neck)
    }

    pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
        &self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
    ) -> Result<(), D::Error> {
        let (theme, radius) = (scene.theme, key::radius(scene.plan));
        // The seam lies on keys and on what is between: there is no one colour to fade into.
        rounded(canvas, self.seam, radius, scene.ink(theme.keyboard, theme.keyboard))?;
        rounded(canvas, self.balloon, radius, scene.ink(theme.pressed, theme.keyboard))?;
        canvas.fill_solid(&self.neck, theme.pressed)?;
        (0..self.cells.len()).try_for_each(|number| self.draw_cell(canvas, scene, number))
    }

    /// Draws what is chosen otherwise than in one that is the same but for that, over that one.
    pub(super) fn choose<D: DrawTarget<Color = Rgb888>>(
        &self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
        before: &Self,
    ) -> Result<(), D::Error> {
        [before.chosen, self.chosen].into_iter().flatten().try_for_each(|number| self.draw_cell(canvas, scene, number))
    }

    /// Whether another one differs in nothing but what is chosen.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.balloon == other.balloon && self.neck == other.neck && self.cells == other.cells
    }

    fn draw_cell<D: DrawTarget<Color = Rgb888>>(
        &self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
        number: usize,
    ) -> Result<(), D::Error> {
        let theme = scene.theme;
        let Some((character, area)) = self.cells.get(number) else { return Ok(()) };
        // Where pressed keys look like what is most important, the other way round.
        let chosen = if theme.outlined { (theme.key, theme.text) } else { (theme.accent, theme.text_accent) };
        let (fill, text) = if self.chosen == Some(number) { chosen } else { (theme.pressed, theme.text_pressed) };
        let (mut utf8, room) = ([0; 4], scene.plan.key_height * 17 / 20);
        let letter = character.encode_utf8(&mut utf8);
        if self.cells.len() == 1 && self.chosen.is_none() {
            return Face::fitting(letter, area.size).draw_centred(canvas, letter, *area, scene.ink(text, fill));
        }
        let inner = shrink(*area, gap(scene) / 2, gap(scene) / 2);
        rounded(canvas, inner, key::radius(scene.plan), scene.ink(fill, theme.pressed))?;
        let room = Size::new(inner.size.width, inner.size.height.min(room));
        Face::fitting(letter, room).draw_centred(canvas, letter, inner, scene.ink(text, fill))
    }
}

fn gap(scene: Scene<'_>) -> u32 {
    (scene.plan.key_height / 12).max(1)
}
