//! The prompt's picture: what differs between two views is drawn, nothing else.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::{Canvas, Watch};
use super::pointer::{Arrow, Ring};
use super::popover::Popover;
use super::scene::Scene;
use super::shape::rounded;
use super::{caption, control, field, key, supply};
use crate::model::prompt::layout::Layout;
use crate::model::prompt::plan::Plan;
use crate::model::prompt::view::{Sheet, View};
use crate::model::theme::Theme;

/// Draws `view`. With `shown`, the view that is on the target already, only the difference. `typed` is
/// what was typed, if it is to be read.
pub fn draw<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    (plan, layout): (&Plan, &Layout),
    (view, typed): (&View, &str),
    shown: Option<&View>,
) -> Result<(), D::Error> {
    let scene = Scene { theme, plan, layout, view, typed };
    let over = Overlay::all(scene);
    let watch = Watch::new(over.iter().map(|over| over.as_ref().map_or(Rectangle::zero(), Overlay::area)));
    let mut canvas = Canvas::new(target, &watch);
    let is_hidden = |view: &View| view.sheet == Sheet::Hidden;
    match shown {
        Some(shown) if shown == view => Ok(()),
        Some(shown) if is_hidden(shown) == is_hidden(view) => {
            let before = Scene { view: shown, typed: "", ..scene };
            update(&mut canvas, (scene, before), &over, &watch)
        }
        _ => {
            draw_all(&mut canvas, scene)?;
            over.iter().flatten().try_for_each(|over| over.draw(&mut canvas, scene))
        }
    }
}

/// Everything that lies flat.
fn draw_all<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    canvas.fill_solid(&scene.above(), scene.theme.background)?;
    supply::draw(canvas, scene)?;
    draw_emblem(canvas, scene)?;
    caption::draw(canvas, scene)?;
    field::draw(canvas, scene)?;
    control::draw(canvas, scene)?;
    key::draw(canvas, scene)
}

fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    (scene, before): (Scene<'_>, Scene<'_>),
    over: &[Option<Overlay>],
    watch: &Watch,
) -> Result<(), D::Error> {
    supply::update(canvas, scene, before)?;
    caption::update(canvas, scene, before)?;
    field::update(canvas, scene, before)?;
    control::update(canvas, scene, before)?;
    key::update(canvas, scene, before)?;
    let old = Overlay::all(before);
    for (over, old) in over.iter().zip(&old) {
        match (over, old) {
            (Some(over), Some(old)) if over.can_follow(old) => {}
            (_, Some(old)) => draw_all(&mut canvas.part(old.area()), scene)?,
            (_, None) => {}
        }
    }
    // From the lowest to the uppermost: what one is drawn over has seen it.
    for (number, (over, old)) in over.iter().zip(&old).enumerate() {
        match (over, old) {
            (Some(over), Some(old)) if over.can_follow(old) && !watch.has_seen(number) => {
                over.follow(canvas, scene, old)?;
            }
            (Some(over), _) => over.draw(canvas, scene)?,
            (None, _) => {}
        }
    }
    Ok(())
}

/// What lies on everything else.
#[derive(PartialEq, Eq)]
enum Overlay {
    Ring(Ring),
    Popover(Popover),
    Arrow(Arrow),
}

impl Overlay {
    /// Those that a view shows, from the lowest to the uppermost.
    fn all(scene: Scene<'_>) -> [Option<Self>; 3] {
        [Ring::of(scene).map(Self::Ring), Popover::of(scene).map(Self::Popover), Arrow::of(scene).map(Self::Arrow)]
    }

    fn area(&self) -> Rectangle {
        match self {
            Self::Ring(ring) => ring.area(),
            Self::Popover(popover) => popover.area(),
            Self::Arrow(arrow) => arrow.area(),
        }
    }

    fn draw<D: DrawTarget<Color = Rgb888>>(
        &self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
    ) -> Result<(), D::Error> {
        match self {
            Self::Ring(ring) => ring.draw(canvas, scene),
            Self::Popover(popover) => popover.draw(canvas, scene),
            Self::Arrow(arrow) => arrow.draw(canvas, scene),
        }
    }

    /// Whether it can be drawn over an earlier one: it is the same, or nearly.
    fn can_follow(&self, old: &Self) -> bool {
        match (self, old) {
            (Self::Popover(popover), Self::Popover(old)) => popover.is_like(old),
            _ => self == old,
        }
    }

    /// Draws what it differs in from such an earlier one.
    fn follow<D: DrawTarget<Color = Rgb888>>(
        &self,
        canvas: &mut Canvas<'_, D>,
        scene: Scene<'_>,
        old: &Self,
    ) -> Result<(), D::Error> {
        match (self, old) {
            (Self::Popover(popover), Self::Popover(old)) if popover != old => popover.choose(canvas, scene, old),
            _ => Ok(()),
        }
    }
}

/// A padlock above the title, where there is much room.
fn draw_emblem<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    let Scene { theme, plan, .. } = scene;
    let (side, top) = (scene.stack().title_line * 2, scene.stack().title.top_left.y);
    let bottom = top - scene.stack().title_line as i32 / 2;
    let corner = Point::new((plan.size.width.saturating_sub(side) / 2) as i32, bottom - side as i32);
    let area = Rectangle::new(corner, Size::new_equal(side));
    if top < 2 * side as i32 || !canvas.shows(area) {
        return Ok(());
    }
    let (metal, hole) = (theme.text_dim, theme.background);
    let (on, off) = (scene.ink(metal, hole), scene.ink(hole, metal));
    // In the middle, and so far from the upper edge.
    let part = |width: u32, height: u32, from_top: u32| {
        let left = (side - width) / 2;
        Rectangle::new(corner + Point::new(left as i32, from_top as i32), Size::new(width, height))
    };
    let stroke = (side / 12).max(1);
    let shackle = (side / 2 + side % 2, side * 3 / 4);
    rounded(canvas, part(shackle.0, shackle.1, 0), shackle.0 / 2, on)?;
    let inside = (shackle.0 - 2 * stroke, shackle.1 - stroke);
    rounded(canvas, part(inside.0, inside.1, stroke), inside.0 / 2, off)?;
    let body = (side * 3 / 4 + side % 2, side * 9 / 16);
    rounded(canvas, part(body.0, body.1, side - body.1), side / 12, on)?;
    let keyhole = side / 8 + side % 2;
    rounded(canvas, part(keyhole, keyhole, side - (body.1 + keyhole) / 2), keyhole, off)
}

#[cfg(test)]
#[cfg(test)]
mod tests;
