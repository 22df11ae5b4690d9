//! The field: a bullet for each character typed, and at its end what is to be known while typing.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::font::Face;
use super::icon::Icon;
use super::scene::{Scene, shrink};
use super::shape::rounded;
use crate::model::prompt::view::{Shift, View};

/// Shown while nothing is typed.
const HINT: &str = "Passphrase";

/// Where the parts of the field are.
struct Parts {
    /// Inside the border, without the round corners.
    inside: Rectangle,
    /// Bullets or the hint.
    text: Rectangle,
    /// That all letters are upper case.
    caps: Rectangle,
    /// Tries left, or seconds gone.
    note: Rectangle,
    face: Face,
}

impl Parts {
    fn of(scene: Scene<'_>) -> Self {
        let area = scene.stack().field;
        let (radius, edge) = (radius(area), edge(area));
        let inside = shrink(area, radius + edge, 2 * edge);
        let Size { width, height } = inside.size;
        let note = note(scene.view);
        let face = Face::fitting("88", Size::new(width, height / 2));
        let gap = face.height() / 2;
        let cut = |from: &mut Rectangle, wide: u32| {
            // Typing needs most of the field.
            if wide == 0 || (wide + gap) * 5 > width * 2 || from.size.width < wide + gap {
                return Rectangle::zero();
            }
            from.size.width -= wide + gap;
            let corner = Point::new((from.size.width + gap) as i32, 0);
            Rectangle::new(from.top_left + corner, Size::new(wide, height))
        };
        let mut text = inside;
        let caps = cut(&mut text, if is_upper(scene.view) { height * 3 / 4 } else { 0 });
        let note = cut(&mut text, if note.is_empty() { 0 } else { face.width(&note) + face.height() / 8 });
        Self { inside, text, caps, note, face }
    }
}

fn radius(area: Rectangle) -> u32 {
    area.size.height / 5
}

fn edge(area: Rectangle) -> u32 {
    (area.size.height / 24).max(1)
}

/// Whether letters come out in upper case until something is done about it.
fn is_upper(view: &View) -> bool {
    view.caps_lock || view.shift == Shift::Lock
}

fn note(view: &View) -> String {
    match (view.busy_s, view.tries_left) {
        (Some(busy_s), _) => format!("{busy_s} s"),
        (None, Some(1)) => "1 try left".into(),
        (None, Some(left)) => format!("{left} tries left"),
        (None, None) => String::new(),
    }
}

/// Draws the whole field.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
) -> Result<(), D::Error> {
    let (theme, area) = (scene.theme, scene.stack().field);
    if !canvas.shows(area) {
        return Ok(());
    }
    let (radius, edge) = (radius(area), edge(area));
    rounded(canvas, area, radius, scene.ink(theme.border, theme.background))?;
    let inner = shrink(area, edge, edge);
    rounded(canvas, inner, radius.saturating_sub(edge), scene.ink(theme.field, theme.border))?;
    let parts = Parts::of(scene);
    draw_text(canvas, scene, &parts, 0)?;
    draw_tail(canvas, scene, &parts)
}

/// Draws what of it was otherwise in `before`.
pub(super) fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    let (view, shown) = (scene.view, before.view);
    let tail = |view: &View| (is_upper(view), note(view));
    let (parts, old) = (Parts::of(scene), Parts::of(before));
    if view.characters != shown.characters {
        let drawn = clear_text(canvas, scene, (&parts, &old), shown.characters)?;
        draw_text(canvas, scene, &parts, drawn)?;
    }
    if tail(view) != tail(shown) {
        // From the last bullet that may have to go, or come back, to the end.
        let from = parts.text.size.width.min(old.text.size.width);
        let from = from.saturating_sub(pitch(parts.text));
        let corner = parts.text.top_left + Point::new(from as i32, 0);
        let area = Rectangle::new(corner, Size::new(parts.inside.size.width - from, parts.inside.size.height));
        // Nothing is as high as the field, unless letters can be no smaller.
        let spare = area.size.height.saturating_sub(parts.face.height()) / 2;
        let area = shrink(area, 0, spare.min(area.size.height / 6));
        let mut canvas = canvas.part(area);
        canvas.fill_solid(&area, scene.theme.field)?;
        draw_text(&mut canvas, scene, &parts, 0)?;
        draw_tail(&mut canvas, scene, &parts)?;
    }
    Ok(())
}

fn bullet(area: Rectangle) -> u32 {
    (area.size.height / 4).max(3)
}

/// From one bullet to the next.
fn pitch(area: Rectangle) -> u32 {
    (bullet(area) * 3).div_ceil(2)
}

/// Characters beyond the end are not shown.
fn shown(area: Rectangle, characters: usize) -> usize {
    characters.min((area.size.width / pitch(area)) as usize)
}

/// Where bullets are.
fn bullets(area: Rectangle, from: usize, to: usize) -> Rectangle {
    let pitch = pitch(area);
    let corner = area.top_left + Point::new(from as i32 * pitch as i32, 0);
    Rectangle::new(corner, Size::new((to - from) as u32 * pitch, area.size.height))
}

fn hint(area: Rectangle) -> Face {
    Face::fitting(HINT, Size::new(area.size.width, area.size.height / 2))
}

/// Takes away what is not to stay of `before` characters, and gives how many bullets stay.
fn clear_text<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    (parts, old): (&Parts, &Parts),
    before: usize,
) -> Result<usize, D::Error> {
    if before == 0 {
        let (area, face) = (old.text, hint(old.text));
        let width = face.width(HINT).min(area.size.width);
        let line = shrink(area, 0, area.size.height.saturating_sub(face.height()) / 2);
        canvas.fill_solid(&Rectangle::new(line.top_left, Size::new(width, line.size.height)), scene.theme.field)?;
        return Ok(0);
    }
    let (before, now) = (shown(old.text, before), shown(parts.text, scene.view.characters));
    if now < before {
        canvas.fill_solid(&bullets(parts.text, now, before), scene.theme.field)?;
    }
    Ok(before.min(now))
}

/// Draws the bullets beyond the first `drawn`, or the hint.
fn draw_text<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    parts: &Parts,
    drawn: usize,
) -> Result<(), D::Error> {
    let (area, theme) = (parts.text, scene.theme);
    if scene.view.characters == 0 {
        return hint(area).draw_left(canvas, HINT, area, scene.ink(theme.text_dim, theme.field));
    }
    let side = bullet(area);
    for place in drawn..shown(area, scene.view.characters) {
        let above = area.size.height.saturating_sub(side) / 2;
        let corner = bullets(area, place, place).top_left + Point::new(0, above as i32);
        rounded(canvas, Rectangle::new(corner, Size::new_equal(side)), side, scene.ink(theme.text, theme.field))?;
    }
    Ok(())
}

fn draw_tail<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    parts: &Parts,
) -> Result<(), D::Error> {
    let (theme, face) = (scene.theme, parts.face);
    if canvas.shows(parts.caps) {
        let height = parts.caps.size.height * 5 / 8;
        let sign = (height, (height / 9).max(1));
        Icon::ShiftLock.draw(canvas, sign, parts.caps, scene.ink(theme.alarm, theme.field))?;
    }
    if canvas.shows(parts.note) {
        face.draw_left(canvas, &note(scene.view), parts.note, scene.ink(theme.text_dim, theme.field))?;
    }
    Ok(())
}
