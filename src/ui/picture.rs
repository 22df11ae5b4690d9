//! The prompt's picture: what differs between two views is drawn, nothing else.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::popover::Popover;
use super::scene::Scene;
use super::{caption, emblem, field, key, supply};
use crate::model::logo::Logo;
use crate::model::prompt::layout::Layout;
use crate::model::prompt::plan::Plan;
use crate::model::prompt::view::View;
use crate::model::theme::Theme;

/// Draws `view`. With `shown`, the view that is on the target already, only the difference.
pub fn draw<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    (theme, logo): (&Theme, Option<&Logo>),
    (plan, layout): (&Plan, &Layout),
    view: &View,
    shown: Option<&View>,
) -> Result<(), D::Error> {
    let scene = Scene { theme, logo, plan, layout, view };
    let mut canvas = Canvas::new(target);
    match shown {
        None => draw_whole(&mut canvas, scene),
        Some(shown) if shown != view => update(&mut canvas, scene, Scene { view: shown, ..scene }),
        Some(_) => Ok(()),
    }
}

/// The parts that a picture may be drawn in, one after the other: from the top, as it is read. Nothing
/// lies in two of them but what is behind all.
pub fn parts(plan: &Plan) -> [Rectangle; 3] {
    let Size { width, height } = plan.size;
    let end = plan.title.top_left.y + plan.title.size.height as i32;
    let rows = [(0, end), (end, plan.keyboard.top_left.y), (plan.keyboard.top_left.y, height as i32)];
    rows.map(|(from, to)| Rectangle::new(Point::new(0, from), Size::new(width, (to - from).max(0) as u32)))
}

/// Draws what a view shows in an area, and nothing outside of it.
pub fn draw_part<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    (theme, logo): (&Theme, Option<&Logo>),
    (plan, layout): (&Plan, &Layout),
    view: &View,
    area: Rectangle,
) -> Result<(), D::Error> {
    let scene = Scene { theme, logo, plan, layout, view };
    let mut canvas = Canvas::new(target);
    draw_whole(&mut canvas.part(area), scene)
}

fn draw_whole<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    draw_all(canvas, scene)?;
    Popover::of(scene).map_or(Ok(()), |popover| popover.draw(canvas, scene))
}

/// Everything that lies flat.
fn draw_all<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    canvas.fill_solid(&scene.above(), scene.theme.background)?;
    supply::draw(canvas, scene)?;
    emblem::draw(canvas, scene)?;
    caption::draw(canvas, scene)?;
    field::draw(canvas, scene)?;
    key::draw(canvas, scene)
}

fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    supply::update(canvas, scene, before)?;
    caption::update(canvas, scene, before)?;
    field::update(canvas, scene, before)?;
    key::update(canvas, scene, before)?;
    let (popover, old) = (Popover::of(scene), Popover::of(before));
    if let Some(old) = old.filter(|old| popover != Some(*old)) {
        draw_all(&mut canvas.part(old.area()), scene)?;
    }
    // Something may have been drawn over it.
    popover.map_or(Ok(()), |popover| popover.draw(canvas, scene))
}

#[cfg(test)]
#[cfg(test)]
mod tests;
