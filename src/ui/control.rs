//! What can be pressed in the field and in the panel's corners: signs without a face, so that they
//! keep quiet until they are used.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::DrawTarget;
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::icon::Icon;
use super::scene::{Scene, shrink};
use super::shape::rounded;
use crate::model::prompt::layout::Press;
use crate::model::prompt::plan::Place;
use crate::model::prompt::view::{Sheet, Spot};

/// How a control looks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    icon: Option<Icon>,
    fill: Rgb888,
    text: Rgb888,
}

/// Draws all of them.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
) -> Result<(), D::Error> {
    for (at, place) in scene.controls().iter().enumerate() {
        if canvas.shows(place.face) {
            draw_one(canvas, scene, place, look(scene, at, place))?;
        }
    }
    Ok(())
}

/// Draws those that looked otherwise in `before`.
pub(super) fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    for (at, (place, old)) in scene.controls().iter().zip(before.controls()).enumerate() {
        let (look, old) = (look(scene, at, place), look(before, at, old));
        if look != old {
            let area = if look.fill == old.fill { sign(place) } else { face(place) };
            let mut canvas = canvas.part(area);
            canvas.fill_solid(&area, paper(scene, place))?;
            draw_one(&mut canvas, scene, place, look)?;
        }
    }
    Ok(())
}

/// What is drawn of a control: in the field, less than the border.
pub(super) fn face(place: &Place) -> Rectangle {
    if is_in_field(place) { shrink(place.face, 0, place.face.size.height / 8) } else { place.face }
}

/// Height of its sign.
fn height(place: &Place) -> u32 {
    let face = face(place).size;
    (face.width.min(face.height) * 7 / 16).max(7)
}

/// All that its sign covers: signs are up to a quarter wider than high.
fn sign(place: &Place) -> Rectangle {
    let (face, side) = (face(place), height(place).div_ceil(2) * 5 / 2 + 4);
    let spare = |length: u32| length.saturating_sub(side) / 2;
    shrink(face, spare(face.size.width), spare(face.size.height))
}

/// What is behind it.
pub(super) fn paper(scene: Scene<'_>, place: &Place) -> Rgb888 {
    if is_in_field(place) { scene.theme.field } else { scene.theme.background }
}

fn is_in_field(place: &Place) -> bool {
    matches!(place.press, Press::Reveal | Press::Clear)
}

fn look(scene: Scene<'_>, at: usize, place: &Place) -> Look {
    let Scene { theme, view, .. } = scene;
    let icon = match place.press {
        // There is nothing to take away.
        Press::Clear if view.characters == 0 || !view.enabled => None,
        Press::Reveal if !view.enabled => None,
        Press::Clear => Some(Icon::Cross),
        Press::Reveal if view.revealed => Some(Icon::EyeOff),
        Press::Reveal => Some(Icon::Eye),
        Press::Hide if view.sheet == Sheet::Hidden => Some(Icon::KeyboardShow),
        Press::Hide => Some(Icon::KeyboardHide),
        Press::Power => Some(Icon::Power),
        _ => None,
    };
    let is_pressed = view.pressed == Some(Spot::Control(at)) && icon.is_some();
    let paper = paper(scene, place);
    let (fill, text) = if is_pressed { (theme.pressed, theme.text_pressed) } else { (paper, theme.text_dim) };
    Look { icon, fill, text }
}

fn draw_one<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    place: &Place,
    look: Look,
) -> Result<(), D::Error> {
    let (area, paper) = (face(place), paper(scene, place));
    if look.fill != paper {
        rounded(canvas, area, area.size.height / 6, scene.ink(look.fill, paper))?;
    }
    let height = height(place);
    match look.icon {
        Some(icon) => icon.draw(canvas, (height, (height / 10).max(1)), area, scene.ink(look.text, look.fill)),
        None => Ok(()),
    }
}
