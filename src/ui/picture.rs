//! The prompt's picture: what differs between two views is drawn, nothing else.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::popover::Popover;
use super::scene::Scene;
use super::shape::rounded;
use super::{caption, field, key, supply};
use crate::model::prompt::layout::Layout;
use crate::model::prompt::plan::Plan;
use crate::model::prompt::view::View;
use crate::model::theme::Theme;

/// Draws `view`. With `shown`, the view that is on the target already, only the difference.
pub fn draw<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    (plan, layout): (&Plan, &Layout),
    (view, typed): (&View, &str),
    shown: Option<&View>,
) -> Result<(), D::Error> {
    let scene = Scene { theme, plan, layout, view, typed };
    let mut canvas = Canvas::new(target);
    match shown {
        None => {
            draw_all(&mut canvas, scene)?;
            Popover::of(scene).map_or(Ok(()), |popover| popover.draw(&mut canvas, scene))
        }
        Some(shown) if shown != view => update(&mut canvas, scene, Scene { view: shown, ..scene }),
        Some(_) => Ok(()),
    }
}

/// Everything that lies flat.
fn draw_all<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    canvas.fill_solid(&scene.above(), scene.theme.background)?;
    supply::draw(canvas, scene)?;
    draw_emblem(canvas, scene)?;
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
