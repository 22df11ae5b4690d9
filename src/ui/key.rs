//! The keyboard: how each key looks, and drawing those that look otherwise than before.

use embedded_graphics::Pixel;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, PointsIter, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::direction::visual;
use super::font::Face;
use super::icon::Icon;
use super::scene::{Scene, shrink};
use super::shape::rounded;
use crate::model::prompt::layout::Press;
use crate::model::prompt::plan::{Place, Plan};
use crate::model::prompt::view::{Sheet, Shift, Spot};

/// Lower keys have no room for a sign in their corner.
const HINT_KEY_MIN: u32 = 36;
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
    /// What it offers first when it is held, in its corner.
    hint: Option<char>,
    /// Every second pixel is that of the keyboard: where there is no grey, so are keys that do nothing now.
    veiled: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label<'a> {
    Character(char),
    Word(&'a str),
    /// A layout among others.
    Pick(&'a str),
    /// What the layout is called, on the key that types a blank.
    Name(&'a str),
    Icon(Icon),
}

/// Draws all keys and what is behind them.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
) -> Result<(), D::Error> {
    if scene.view.sheet == Sheet::Hidden || !canvas.shows(scene.plan.keyboard) {
        return Ok(());
    }
    let radius = if scene.has_sheet() { scene.plan.key_height / 5 } else { 0 };
    rounded(canvas, scene.plan.keyboard, radius, scene.ink(scene.theme.keyboard, scene.theme.background))?;
    for (at, place) in scene.keys().iter().enumerate() {
        if canvas.shows(place.face) {
            draw_key(canvas, scene, place, look(scene, at, place))?;
        }
    }
    Ok(())
}

/// Draws the keys that looked otherwise in `before`.
pub(super) fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    if !same_places(scene.keys(), before.keys()) {
        return draw(canvas, scene);
    }
    for (at, (place, old)) in scene.keys().iter().zip(before.keys()).enumerate() {
        let (look, old) = (look(scene, at, place), look(before, at, old));
        if look != old {
            let is_rim_kept =
                (look.label, look.face, look.hint, look.veiled) == (old.label, old.face, old.hint, old.veiled);
            let area = if is_rim_kept { middle(look.label, place.face) } else { place.face };
            draw_key(&mut canvas.part(area), scene, place, look)?;
        }
    }
    Ok(())
}

/// Round corners of a key.
pub(super) fn radius(plan: &Plan) -> u32 {
    plan.key_height / 7
}

/// Whether keys are in the same places as others, so that they can be drawn over them.
fn same_places(one: &[Place], other: &[Place]) -> bool {
    let face = |place: &Place| place.face;
    one.iter().map(face).eq(other.iter().map(face))
}

/// What the layout is called, on its space bar: the whole name, unless that makes it much smaller.
fn name<'a>(scene: Scene<'a>, face: Rectangle) -> &'a str {
    let (short, whole) = (scene.view.layout.as_str(), scene.layout.title());
    let room = name_size(scene.plan, face);
    let [small, large] = [whole, short].map(|text| Face::fitting(text, room));
    let fits = small.width(whole) <= room.width && small.height() * 4 >= large.height() * 3;
    if fits { whole } else { short }
}

/// How large it can be.
fn name_size(plan: &Plan, face: Rectangle) -> Size {
    let room = room(plan, Label::Name(""), face);
    Size::new(room.size.width, letter_height(plan, face) * 3 / 5)
}

/// Inside of a face.
fn room(plan: &Plan, label: Label<'_>, face: Rectangle) -> Rectangle {
    shrink(middle(label, face), plan.key_height / 16, plan.key_height / 16)
}

/// How high a letter can be.
fn letter_height(plan: &Plan, face: Rectangle) -> u32 {
    (plan.key_height * 17 / 20).min(face.size.width * 11 / 10)
}

/// What a key shows, and its colour.
fn label<'a>(scene: Scene<'a>, place: &Place) -> (Label<'a>, Rgb888) {
    let Scene { theme, plan, layout, view, .. } = scene;
    let other = theme.key_other;
    match place.press {
        Press::Character(' ') => (Label::Name(name(scene, place.face)), theme.key),
        Press::Character(character) => (Label::Character(character), theme.key),
        Press::Backspace => (Label::Icon(Icon::Backspace), other),
        Press::Enter => (Label::Icon(Icon::Enter), theme.accent),
        Press::Next => (Label::Icon(Icon::Globe), other),
        Press::Layer(layer) => {
            (Label::Word(layout.layers().get(layer).map_or("", |layer| layer.label.as_str())), other)
        }
        Press::Shift => match view.shift {
            Shift::Off => (Label::Icon(Icon::Shift), other),
            Shift::Once { .. } => (Label::Icon(Icon::ShiftOnce), other),
            Shift::Lock => (Label::Icon(Icon::ShiftLock), theme.accent),
        },
        Press::Pick(number) => {
            let name = plan.names.get(number).map_or("", String::as_str);
            let is_current = name == layout.name().to_uppercase();
            (Label::Pick(name), if is_current { theme.accent } else { theme.key })
        }
        Press::More => (Label::Word("More"), other),
        Press::Clear => (Label::Icon(Icon::Cross), other),
        Press::Reveal => (Label::Icon(if view.revealed { Icon::EyeOff } else { Icon::Eye }), other),
        Press::Left => (Label::Icon(Icon::Back), other),
        Press::Right => (Label::Icon(Icon::Forth), other),
        Press::Hide if view.sheet == Sheet::Hidden => (Label::Icon(Icon::KeyboardShow), other),
        Press::Hide => (Label::Icon(Icon::KeyboardHide), other),
        Press::Power => (Label::Icon(Icon::Power), other),
        Press::PowerOff => (Label::Word("Switch off"), theme.alarm),
        Press::Back if view.sheet == Sheet::Power => (Label::Word("Back"), other),
        Press::Back => (Label::Icon(Icon::Back), other),
    }
}

fn look<'a>(scene: Scene<'a>, at: usize, place: &Place) -> Look<'a> {
    let Scene { theme, view, .. } = scene;
    let (label, mut fill) = label(scene, place);
    let mut text = match label {
        _ if fill == theme.accent => theme.text_accent,
        _ if fill == theme.alarm => theme.background,
        Label::Name(_) => theme.text_dim,
        _ => theme.text,
    };
    let mut face = fill;
    if !view.enabled {
        (face, fill, text) = (theme.key_other, theme.key_other, theme.text_dim);
    } else if view.pressed == Some(Spot::Key(at)) || view.choices.as_ref().is_some_and(|choices| choices.key == at) {
        // A key that has this colour already turns over.
        let turns = fill == theme.pressed;
        (fill, text) = if turns { (text, fill) } else { (theme.pressed, theme.text_pressed) };
        if !matches!(label, Label::Name(_)) {
            face = fill;
        }
    }
    Look { label, face, fill, text, hint: place.hint, veiled: !view.enabled && !theme.smooth }
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
    let (plan, theme) = (scene.plan, scene.theme);
    let room = room(plan, look.label, face);
    let wanted = Size::new(room.size.width, letter_height(plan, face));
    let ink = scene.ink(look.text, look.fill);
    let mut utf8 = [0; 4];
    if let Some(hint) = look.hint.filter(|_| plan.key_height >= HINT_KEY_MIN) {
        let text = if look.text == theme.text { theme.text_dim } else { look.text };
        let side = (plan.key_height / 3).min(face.size.width / 3);
        let corner = room.top_left + Point::new((room.size.width - side) as i32, 0);
        let (area, text_of) = (Rectangle::new(corner, Size::new_equal(side)), hint.encode_utf8(&mut utf8));
        Face::fitting(text_of, area.size).draw_centred(canvas, text_of, area, scene.ink(text, look.fill))?;
    }
    let (text, wanted) = match look.label {
        Label::Character(character) => (&*character.encode_utf8(&mut utf8), wanted),
        // A word as high as a letter would shout.
        Label::Word(text) => (text, Size::new(wanted.width, wanted.height * 3 / 4)),
        // All of one size, but for long ones.
        Label::Pick(text) => {
            (text, Size::new(wanted.width * 9 / 10, (face.size.height * 4 / 5).min(wanted.height * 3 / 4)))
        }
        Label::Name(text) => (text, name_size(plan, face)),
        Label::Icon(icon) => {
            let letter = Face::fitting(LETTER, wanted);
            return icon.draw(canvas, letter.icon(), face, ink);
        }
    };
    let drawn = visual(text);
    Face::fitting(text, wanted).draw_centred(canvas, &drawn, face, ink)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::prompt::layout::{Layout, US};
    use crate::model::prompt::plan::Panel;
    use crate::model::prompt::view::View;
    use crate::model::theme::DARK;

    /// What the space bar of a layout of this name shows on a panel.
    fn shown(title: &str, width: u32, height: u32) -> String {
        let text = US.replacen("name US English", &format!("name {title}"), 1);
        let layout = Layout::parse("xx", &text).unwrap();
        let plan = Plan::new(Panel { size: Size::new(width, height), millimetres: (0, 0) }, &layout, &[]).unwrap();
        let view = View { layout: "XX".into(), ..View::default() };
        let scene = Scene { theme: &DARK, logo: None, plan: &plan, layout: &layout, view: &view, typed: "" };
        let space = plan.layers[0].iter().find(|place| place.press == Press::Character(' ')).unwrap();
        match label(scene, space).0 {
            Label::Name(name) => name.to_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn a_space_bar_has_the_layouts_whole_name_where_there_is_room() {
        let long = "A layout that somebody has written much of";
        let long = &long[..40];
        for (title, width, height, expected) in [
            ("US English", 1080, 2400, "US English"),
            ("US English", 240, 240, "US English"),
            ("Japanese (Latin)", 720, 1440, "Japanese (Latin)"),
            ("Japanese (Latin)", 160, 120, "XX"),
            (long, 720, 1440, "XX"),
            (long, 360, 720, "XX"),
        ] {
            assert_eq!(shown(title, width, height), expected, "{title} on {width}x{height}");
        }
    }
}
