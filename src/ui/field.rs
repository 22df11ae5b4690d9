//! The field: what was typed, and at its end what is to be known while typing.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::entry;
use super::font::Face;
use super::icon::Icon;
use super::scene::{Scene, around, shrink};
use super::shape::rounded;
use crate::model::prompt::layout::Press;
use crate::model::prompt::view::{Shift, View};

/// Where the parts of the field are.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Parts {
    /// What was typed.
    text: Rectangle,
    /// That all letters are upper case.
    caps: Rectangle,
    /// Tries left, or seconds gone.
    note: Rectangle,
    face: Face,
}

impl Parts {
    fn of(scene: Scene<'_>) -> Self {
        let mut text = inside(scene);
        let Size { width, height } = text.size;
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
        let caps = cut(&mut text, if is_upper(scene.view) { height * 3 / 4 } else { 0 });
        let note = cut(&mut text, if note.is_empty() { 0 } else { face.width(&note) + face.height() / 8 });
        Self { text, caps, note, face }
    }
}

/// Inside the border and the round corners, left of the controls.
fn inside(scene: Scene<'_>) -> Rectangle {
    let area = scene.stack().field;
    let mut inside = shrink(area, radius(area) + edge(area), 2 * edge(area));
    let controls = scene.controls().iter();
    let own = controls.filter(|place| matches!(place.press, Press::Reveal | Press::Clear));
    if let Some(left) = own.map(|place| place.face.top_left.x).min() {
        let room = (left - inside.top_left.x).max(0) as u32;
        inside.size.width = inside.size.width.min(room);
    }
    inside
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

/// Draws the whole field but for its controls.
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
    entry::draw(canvas, scene, parts.text)?;
    draw_tail(canvas, scene, &parts)
}

/// Draws what of it was otherwise in `before`.
pub(super) fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    let (parts, old) = (Parts::of(scene), Parts::of(before));
    let tail = |area: Rectangle, old: Rectangle| {
        let area = around(area, old);
        // Nothing is as high as the field, unless letters can be no smaller.
        let spare = area.size.height.saturating_sub(parts.face.height()) / 2;
        shrink(area, 0, spare.min(area.size.height / 6))
    };
    let is_upper_kept = parts.caps == old.caps;
    let is_note_kept = parts.note == old.note && note(scene.view) == note(before.view);
    let [text, hint] = entry::change((scene, parts.text), (before, old.text));
    let changes = [
        text,
        hint,
        if is_upper_kept { Rectangle::zero() } else { tail(parts.caps, old.caps) },
        if is_note_kept { Rectangle::zero() } else { tail(parts.note, old.note) },
    ];
    for area in changes.into_iter().filter(|area| !area.is_zero_sized()) {
        let mut canvas = canvas.part(area);
        canvas.fill_solid(&area, scene.theme.field)?;
        entry::draw(&mut canvas, scene, parts.text)?;
        draw_tail(&mut canvas, scene, &parts)?;
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
