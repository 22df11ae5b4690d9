//! The prompt's picture: what differs between two views is drawn, nothing else.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::{Canvas, Watch};
use super::pointer::{Arrow, Ring};
use super::popover::Popover;
use super::scene::Scene;
use super::{caption, control, emblem, field, key, supply};
use crate::model::logo::Logo;
use crate::model::prompt::layout::Layout;
use crate::model::prompt::plan::Plan;
use crate::model::prompt::view::{Sheet, View};
use crate::model::theme::Theme;

/// Draws `view`. With `shown`, the view that is on the target already, only the difference. `typed` is
/// what was typed, if it is to be read.
pub fn draw<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    (theme, logo): (&Theme, Option<&Logo>),
    (plan, layout): (&Plan, &Layout),
    (view, typed): (&View, &str),
    shown: Option<&View>,
) -> Result<(), D::Error> {
    let scene = Scene { theme, logo, plan, layout, view, typed };
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
        _ => draw_whole(&mut canvas, scene, &over),
    }
}

/// The parts that a picture may be drawn in, one after the other: from the top, as it is read. Nothing
/// lies in two of them but what is behind all.
pub fn parts(plan: &Plan) -> [Rectangle; 3] {
    let Size { width, height } = plan.size;
    let end = plan.above.title.top_left.y + plan.above.title.size.height as i32;
    let rows = [(0, end), (end, plan.keyboard.top_left.y), (plan.keyboard.top_left.y, height as i32)];
    rows.map(|(from, to)| Rectangle::new(Point::new(0, from), Size::new(width, (to - from).max(0) as u32)))
}

/// Draws what a view shows in an area, and nothing outside of it.
pub fn draw_part<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    (theme, logo): (&Theme, Option<&Logo>),
    (plan, layout): (&Plan, &Layout),
    (view, typed): (&View, &str),
    area: Rectangle,
) -> Result<(), D::Error> {
    let scene = Scene { theme, logo, plan, layout, view, typed };
    let over = Overlay::all(scene);
    let watch = Watch::new(over.iter().map(|over| over.as_ref().map_or(Rectangle::zero(), Overlay::area)));
    let mut canvas = Canvas::new(target, &watch);
    draw_whole(&mut canvas.part(area), scene, &over)
}

fn draw_whole<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    over: &[Option<Overlay>],
) -> Result<(), D::Error> {
    draw_all(canvas, scene)?;
    over.iter().flatten().try_for_each(|over| over.draw(canvas, scene))
}

/// Everything that lies flat.
fn draw_all<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    canvas.fill_solid(&scene.above(), scene.theme.background)?;
    supply::draw(canvas, scene)?;
    emblem::draw(canvas, scene)?;
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

#[cfg(test)]
mod tests;
