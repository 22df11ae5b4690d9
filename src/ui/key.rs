//! The keyboard: how each key looks, and drawing those that look otherwise than before.

use embedded_graphics::Pixel;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, PointsIter, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::font::Face;
use super::icon::Icon;
use super::scene::{Scene, shrink};
use super::shape::rounded;
use crate::model::prompt::layout::Press;
use crate::model::prompt::plan::{Place, Plan};
use crate::model::prompt::view::{Shift, Spot};

/// Icons are as high as this.
const LETTER: &str = "H";

/// How one key looks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look<'a> {
    label: Label<'a>,
    /// The colour of the face, and of its middle, which the label is on.
    face: Rgb888,
    fill: Rgb888,
    text: Rgb888,
    /// Every second pixel is that of the keyboard: where there is no grey, so are keys that do nothing now.
    veiled: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label<'a> {
    Character(char),
    Word(&'a str),
    /// What the layout is called, on the key that types a blank.
    Name(&'a str),
    Icon(Icon),
}

/// Draws all keys and what is behind them.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
) -> Result<(), D::Error> {
    let radius = if scene.has_sheet() { scene.plan.key_height / 5 } else { 0 };
    rounded(canvas, scene.plan.keyboard, radius, scene.ink(scene.theme.keyboard, scene.theme.background))?;
    for (at, place) in keys(scene.plan, scene.view.layer).iter().enumerate() {
        if canvas.shows(place.face) {
            draw_key(canvas, scene, place, look(scene, at, place.press))?;
        }
    }
    Ok(())
}

/// Draws the keys that looked otherwise in `before`; true if any did.
pub(super) fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    let plan = scene.plan;
    if !same_places(plan, before.view.layer, scene.view.layer) {
        return draw(canvas, scene);
    }
    let pairs = keys(plan, scene.view.layer).iter().zip(keys(plan, before.view.layer));
    for (at, (place, old)) in pairs.enumerate() {
        let (look, old) = (look(scene, at, place.press), look(before, at, old.press));
        if look != old {
            let is_rim_kept = (look.label, look.face, look.veiled) == (old.label, old.face, old.veiled);
            let area = if is_rim_kept { middle(look.label, place.face) } else { place.face };
            draw_key(&mut canvas.part(area), scene, place, look)?;
        }
    }
    Ok(())
}

pub(super) fn keys(plan: &Plan, layer: usize) -> &[Place] {
    plan.layers.get(layer).map_or(&[], Vec::as_slice)
}

/// Round corners of a key.
pub(super) fn radius(plan: &Plan) -> u32 {
    plan.key_height / 7
}

/// Whether two layers have their keys in the same places, so that one can be drawn over the other.
fn same_places(plan: &Plan, one: usize, other: usize) -> bool {
    let faces = |layer: usize| keys(plan, layer).iter().map(|place| place.face);
    one == other || faces(one).eq(faces(other))
}

fn look<'a>(scene: Scene<'a>, at: usize, press: Press) -> Look<'a> {
    let Scene { theme, layout, view, .. } = scene;
    let (label, mut fill) = match press {
        Press::Character(' ') => (Label::Name(&view.layout), theme.key),
        Press::Character(character) => (Label::Character(character), theme.key),
        Press::Backspace => (Label::Icon(Icon::Backspace), theme.key_other),
        Press::Enter => (Label::Icon(Icon::Enter), theme.accent),
        Press::Next => (Label::Word("\u{2026}"), theme.key_other),
        Press::Pick(_) | Press::Clear | Press::Reveal | Press::Left | Press::Right => {
            (Label::Word(""), theme.key_other)
        }
        Press::Hide | Press::Power | Press::PowerOff | Press::Back => (Label::Word(""), theme.key_other),
        Press::Layer(layer) => {
            let name = layout.layers().get(layer).map_or("", |layer| layer.label.as_str());
            (Label::Word(name), theme.key_other)
        }
        Press::Shift => match view.shift {
            Shift::Off => (Label::Icon(Icon::Shift), theme.key_other),
            Shift::Once { .. } => (Label::Icon(Icon::ShiftOnce), theme.key_other),
            Shift::Lock => (Label::Icon(Icon::ShiftLock), theme.accent),
        },
    };
    let mut text = match label {
        _ if fill == theme.accent => theme.text_accent,
        Label::Name(_) => theme.text_dim,
        _ => theme.text,
    };
    let mut face = fill;
    if !view.enabled {
        (face, fill, text) = (theme.key_other, theme.key_other, theme.text_dim);
    } else if view.pressed == Some(Spot::Key(at)) {
        // A key that has this colour already turns over.
        let turns = fill == theme.pressed;
        (fill, text) = if turns { (text, fill) } else { (theme.pressed, theme.text_pressed) };
        if !matches!(label, Label::Name(_)) {
            face = fill;
        }
    }
    Look { label, face, fill, text, veiled: !view.enabled && !theme.smooth }
}

/// What of a face changes under a finger: all of it, but for the one that is as wide as five others.
fn middle(label: Label<'_>, face: Rectangle) -> Rectangle {
    let Size { width, height } = face.size;
    if matches!(label, Label::Name(_)) { shrink(face, width / 12, height / 12) } else { face }
}

fn draw_key<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    place: &Place,
    look: Look<'_>,
) -> Result<(), D::Error> {
    let Scene { theme, plan, .. } = scene;
    let (face, radius) = (place.face, radius(plan));
    let (mut inner, mut paper) = (face, theme.keyboard);
    if theme.outlined {
        let edge = (plan.key_height / 32).max(1);
        rounded(canvas, face, radius, scene.ink(theme.border, paper))?;
        (inner, paper) = (shrink(face, edge, edge), theme.border);
    }
    let inner_radius = radius.saturating_sub((face.size.width - inner.size.width) / 2);
    rounded(canvas, inner, inner_radius, scene.ink(look.face, paper))?;
    if look.fill != look.face {
        rounded(canvas, middle(look.label, face), radius, scene.ink(look.fill, look.face))?;
    }
    draw_label(canvas, scene, face, look)?;
    if look.veiled {
        let veil = face.points().filter(|at| (at.x ^ at.y) & 1 == 0).map(|at| Pixel(at, theme.keyboard));
        canvas.draw_iter(veil)?;
    }
    Ok(())
}

fn draw_label<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    face: Rectangle,
    look: Look<'_>,
) -> Result<(), D::Error> {
    let plan = scene.plan;
    let room = shrink(middle(look.label, face), plan.key_height / 16, plan.key_height / 16);
    let wanted = Size::new(room.size.width, (plan.key_height * 17 / 20).min(face.size.width * 11 / 10));
    let ink = scene.ink(look.text, look.fill);
    let mut utf8 = [0; 4];
    let (text, wanted) = match look.label {
        Label::Character(character) => (&*character.encode_utf8(&mut utf8), wanted),
        // A word as high as a letter would shout.
        Label::Word(text) => (text, Size::new(wanted.width, wanted.height * 3 / 4)),
        Label::Name(text) => (text, Size::new(wanted.width, wanted.height * 3 / 5)),
        Label::Icon(icon) => {
            let letter = Face::fitting(LETTER, wanted);
            return icon.draw(canvas, letter.icon(), face, ink);
        }
    };
    Face::fitting(text, wanted).draw_centred(canvas, text, face, ink)
}
