//! What is above the title, where there is room for it: somebody's logo, or a padlock.

use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::scene::Scene;
use super::shape::rounded;
use super::supply;
use crate::model::frame::Frame;
use crate::model::logo::Logo;
use crate::model::scale::Scale;

/// A logo is at most so many of the title's lines high, and of the panel's width this part wide.
const LINES_MAX: u32 = 6;
const WIDTH_PART: u32 = 2;

/// Where black begins in squares of four by four pixels, in sixteenths: an ordered dither.
const DITHER: [[u32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Draws the logo that is wanted, otherwise the padlock.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
) -> Result<(), D::Error> {
    match scene.logo {
        Some(logo) => draw_logo(canvas, scene, logo),
        None => draw_padlock(canvas, scene),
    }
}

/// Where a logo of some size is, and how it gets there; `None` where there is no room.
pub(super) fn place(scene: Scene<'_>, size: Size) -> Option<(Point, Scale)> {
    let plan = scene.plan;
    let gap = plan.text_height / 2;
    let above = supply::area(scene).map_or(0, |area| area.top_left.y.unsigned_abs() + area.size.height);
    let top = above.max(gap);
    let bottom = plan.title.top_left.y.unsigned_abs().saturating_sub(gap);
    let height = bottom.saturating_sub(top).min(plan.text_height * LINES_MAX);
    let scale = Scale::fitting(size, Size::new(plan.size.width / WIDTH_PART, height), 1);
    let Size { width, height: own } = scale.size();
    let corner = Point::new((plan.size.width.saturating_sub(width) / 2) as i32, bottom.saturating_sub(own) as i32);
    let area = Rectangle::new(corner, scale.size());
    let is_free = plan.controls.iter().all(|place| place.face.intersection(&area).is_zero_sized());
    // Less than a line is too little to see anything.
    (height >= plan.text_height && is_free).then_some((corner, scale))
}

fn draw_logo<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    logo: &Logo,
) -> Result<(), D::Error> {
    let theme = scene.theme;
    let Some((corner, scale)) = place(scene, logo.size()) else { return Ok(()) };
    if !canvas.shows(Rectangle::new(corner, scale.size())) {
        return Ok(());
    }
    let whole = Rectangle::new(Point::zero(), logo.size());
    let mut frame = Frame::new(scale.size());
    scale.draw((&logo.on(theme.background), whole), (&mut frame, Point::zero()));
    let width = scale.size().width as usize;
    let color = |(at, pixel): (usize, &u32)| {
        let [_, red, green, blue] = pixel.to_be_bytes();
        let color = Rgb888::new(red, green, blue);
        if theme.smooth { color } else { dither(color, at % width, at / width) }
    };
    canvas.fill_contiguous(&Rectangle::new(corner, scale.size()), frame.pixels().iter().enumerate().map(color))
}

/// Black or white, so that some pixels together are as bright as a colour.
fn dither(color: Rgb888, x: usize, y: usize) -> Rgb888 {
    // The weights of ITU-R BT.601.
    let bright = u32::from(color.r()) * 77 + u32::from(color.g()) * 150 + u32::from(color.b()) * 29;
    let edge = DITHER[y % 4][x % 4];
    // `bright` of 255 * 256 against `edge` and a half of sixteen.
    if bright * 32 > (edge * 2 + 1) * 255 * 256 { Rgb888::WHITE } else { Rgb888::BLACK }
}

/// A padlock above the title, where there is much room.
fn draw_padlock<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    let Scene { theme, plan, .. } = scene;
    let (side, top) = (plan.text_height * 2, plan.title.top_left.y);
    let bottom = top - plan.text_height as i32 / 2;
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
mod tests {
    use super::*;

    #[test]
    fn a_dither_is_as_bright_as_the_colour() {
        for grey in [0, 1, 60, 128, 200, 254, 255] {
            let whites = (0..16).filter(|at| dither(Rgb888::new(grey, grey, grey), at % 4, at / 4) == Rgb888::WHITE);
            let (count, meant) = (whites.count() as f64, f64::from(grey) * 16.0 / 255.0);
            assert!((count - meant).abs() <= 0.51, "{count} of 16 for {grey}");
        }
    }
}
