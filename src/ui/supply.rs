//! What powers the machine: the battery's level in the corner, where there is room for it.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::font::Face;
use super::icon::Icon;
use super::scene::{Scene, shrink};
use super::shape::rounded;
use crate::model::prompt::battery::Battery;

/// The widest text.
const FULL: &str = "100 %";

/// Draws the battery, if there is one.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
) -> Result<(), D::Error> {
    let (Some(battery), Some((area, face))) = (scene.view.battery, place(scene)) else { return Ok(()) };
    if !canvas.shows(area) {
        return Ok(());
    }
    let theme = scene.theme;
    let color = if battery.is_low() { theme.alarm } else { theme.text_dim };
    let text = format!("{} %", battery.percent);
    let right = area.top_left + Point::new((area.size.width - face.width(&text)) as i32, 0);
    let words = Rectangle::new(right, Size::new(face.width(&text), area.size.height));
    face.draw_left(canvas, &text, words, scene.ink(color, theme.background))?;
    let (cell, gap) = (cell(face), face.height() / 3);
    let above = (area.size.height - cell.height) / 2;
    let corner = right - Point::new((gap + cell.width) as i32, -(above as i32));
    draw_cell(canvas, scene, Rectangle::new(corner, cell), battery, color)?;
    if battery.charging {
        let side = Size::new(cell.height, area.size.height);
        let bolt = Rectangle::new(Point::new(corner.x - (gap / 2 + side.width) as i32, area.top_left.y), side);
        let (height, stroke) = (cell.height * 5 / 4, 1);
        Icon::Bolt.draw(canvas, (height, stroke), bolt, scene.ink(color, theme.background))?;
    }
    Ok(())
}

/// Draws it anew if it was otherwise in `before`.
pub(super) fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    if scene.view.battery == before.view.battery {
        return Ok(());
    }
    if let Some((area, _)) = place(scene) {
        canvas.fill_solid(&area, scene.theme.background)?;
    }
    draw(canvas, scene)
}

/// Pixels of the sign.
fn cell(face: Face) -> Size {
    let height = face.height() * 3 / 5;
    Size::new(height * 2, height)
}

/// Where it is, or would be.
pub(super) fn area(scene: Scene<'_>) -> Option<Rectangle> {
    place(scene).map(|(area, _)| area)
}

fn place(scene: Scene<'_>) -> Option<(Rectangle, Face)> {
    let plan = scene.plan;
    let height = plan.text_height * 3 / 4;
    let margin = plan.message.top_left.x.max(0) as u32;
    let face = Face::fitting(FULL, Size::new(plan.size.width / 3, height));
    let width = face.width(FULL) + face.height() + cell(face).width + cell(face).height;
    let top = margin.min(height);
    let fits = plan.title.top_left.y >= (top + height) as i32 && plan.size.width >= width + 2 * margin;
    let corner = Point::new(plan.size.width.saturating_sub(width + margin) as i32, top as i32);
    fits.then_some((Rectangle::new(corner, Size::new(width, height)), face))
}

/// A cell with its level, and its pole on the right.
fn draw_cell<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    area: Rectangle,
    battery: Battery,
    color: Rgb888,
) -> Result<(), D::Error> {
    let paper = scene.theme.background;
    let edge = (area.size.height / 10).max(1);
    let pole = Size::new(edge * 2, area.size.height / 3);
    let body = Rectangle::new(area.top_left, Size::new(area.size.width - pole.width, area.size.height));
    let beside = Point::new(body.size.width as i32, ((area.size.height - pole.height) / 2) as i32);
    canvas.fill_solid(&Rectangle::new(area.top_left + beside, pole), color)?;
    let radius = area.size.height / 4;
    rounded(canvas, body, radius, scene.ink(color, paper))?;
    let inner = shrink(body, edge, edge);
    rounded(canvas, inner, radius.saturating_sub(edge), scene.ink(paper, color))?;
    let mut level = shrink(inner, edge, edge);
    level.size.width = (level.size.width * u32::from(battery.percent)).div_ceil(100);
    canvas.fill_solid(&level, color)
}
