//! The prompt's picture: what differs between two views is drawn, nothing else.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::font::Face;
use super::icon::Icon;
use super::ink::Ink;
use super::passage::Passage;
use super::shape::rounded;
use super::theme::Theme;
use crate::model::prompt::layout::{Layout, Press};
use crate::model::prompt::plan::{Place, Plan};
use crate::model::prompt::view::{Shift, Tone, View};

/// Icons are as high as this.
const LETTER: &str = "H";
/// Shown while nothing is typed.
const HINT: &str = "Passphrase";
/// Steps that the animation takes from one end of the field to the other.
const SWEEP_STEPS: u32 = 12;

/// How one key looks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look<'a> {
    label: Label<'a>,
    fill: Rgb888,
    text: Rgb888,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label<'a> {
    Character(char),
    Text(&'a str),
    Icon(Icon),
}

/// Draws `view`. With `shown`, the view that is on the target already, only the difference.
pub fn draw<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    (plan, layout): (&Plan, &Layout),
    view: &View,
    shown: Option<&View>,
) -> Result<(), D::Error> {
    if shown.is_none() {
        // Round corners of a keyboard that is a sheet let see what is behind.
        let behind = if is_sheet(plan) { 0 } else { plan.keyboard.size.height };
        let ground = Size::new(plan.size.width, plan.size.height - behind);
        target.fill_solid(&Rectangle::new(Point::zero(), ground), theme.background)?;
    }
    let differs = |part: fn(&View) -> &str| shown.is_none_or(|shown| part(shown) != part(view));
    if differs(|view| &view.title) {
        let ink = Ink { text: theme.text, paper: theme.background };
        Passage::line(&view.title, plan.title.size).draw(target, plan.title, ink)?;
    }
    if differs(|view| &view.message) || shown.is_none_or(|shown| shown.tone != view.tone) {
        let text = if view.tone == Tone::Alarm { theme.alarm } else { theme.text_dim };
        let message = Passage::wrapped(&view.message, plan.message.size, plan.message_height);
        message.draw(target, plan.message, Ink { text, paper: theme.background })?;
    }
    draw_field(target, theme, plan, view, shown)?;
    draw_keys(target, theme, (plan, layout), view, shown)
}

fn draw_field<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    plan: &Plan,
    view: &View,
    shown: Option<&View>,
) -> Result<(), D::Error> {
    let (area, radius) = (plan.field, plan.field.size.height / 5);
    let edge = (area.size.height / 24).max(1);
    let inner = shrink(area, edge, edge);
    if shown.is_none() {
        rounded(target, area, radius, Ink { text: theme.border, paper: theme.background })?;
        rounded(target, inner, radius.saturating_sub(edge), Ink { text: theme.field, paper: theme.border })?;
    }
    // The text keeps clear of the bar below it, and by as much of the upper edge.
    let bar = (edge * 2).min(inner.size.height / 4);
    let text = shrink(inner, radius, bar);
    draw_bullets(target, theme, text, view.characters, shown.map(|shown| shown.characters))?;
    if shown.is_none_or(|shown| shown.working != view.working) {
        let below = Point::new(text.top_left.x, text.top_left.y + text.size.height as i32);
        draw_bar(target, theme, Rectangle::new(below, Size::new(text.size.width, bar)), view.working)?;
    }
    Ok(())
}

/// One bullet a character from the left, or a hint while there is none. Characters beyond the
/// field's end are not shown.
fn draw_bullets<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    area: Rectangle,
    characters: usize,
    shown: Option<usize>,
) -> Result<(), D::Error> {
    let ink = Ink { text: theme.text, paper: theme.field };
    let bullet = (area.size.height / 4).max(3);
    let pitch = (bullet * 3).div_ceil(2);
    let most = (area.size.width / pitch) as usize;
    let (count, mut drawn) = (characters.min(most), shown.map(|shown| shown.min(most)));
    if drawn == Some(count) {
        return Ok(());
    }
    if count == 0 || drawn.is_none_or(|drawn| drawn == 0) {
        target.fill_solid(&area, theme.field)?;
        drawn = None;
    }
    if count == 0 {
        let face = Face::fitting(HINT, Size::new(area.size.width, area.size.height * 3 / 4));
        return face.draw_left(target, HINT, area, Ink { text: theme.text_dim, ..ink });
    }
    let drawn = drawn.unwrap_or(0);
    for place in drawn.min(count)..drawn.max(count) {
        let corner = area.top_left + Point::new(place as i32 * pitch as i32, 0);
        if place < count {
            let above = area.size.height.saturating_sub(bullet) / 2;
            let square = Rectangle::new(corner + Point::new(0, above as i32), Size::new_equal(bullet));
            rounded(target, square, bullet, ink)?;
        } else {
            target.fill_solid(&Rectangle::new(corner, Size::new(pitch, area.size.height)), theme.field)?;
        }
    }
    Ok(())
}

/// A bar that goes to and fro while the worker is busy.
fn draw_bar<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    area: Rectangle,
    step: Option<u32>,
) -> Result<(), D::Error> {
    target.fill_solid(&area, theme.field)?;
    let Some(step) = step else { return Ok(()) };
    let width = area.size.width / 4;
    let place = step % (2 * SWEEP_STEPS);
    let place = place.min(2 * SWEEP_STEPS - place);
    let left = (area.size.width - width) * place / SWEEP_STEPS;
    let corner = area.top_left + Point::new(left as i32, 0);
    target.fill_solid(&Rectangle::new(corner, Size::new(width, area.size.height)), theme.accent)
}

/// An area without `dx` pixels at the left and right, and `dy` at the top and bottom.
fn shrink(area: Rectangle, dx: u32, dy: u32) -> Rectangle {
    let (dx, dy) = (dx.min(area.size.width / 2), dy.min(area.size.height / 2));
    let size = Size::new(area.size.width - 2 * dx, area.size.height - 2 * dy);
    Rectangle::new(area.top_left + Point::new(dx as i32, dy as i32), size)
}

fn draw_keys<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    (plan, layout): (&Plan, &Layout),
    view: &View,
    shown: Option<&View>,
) -> Result<(), D::Error> {
    // Another layer has its keys elsewhere.
    let shown = shown.filter(|shown| same_places(plan, shown.layer, view.layer));
    if shown.is_none() {
        let radius = if is_sheet(plan) { plan.key_height / 5 } else { 0 };
        rounded(target, plan.keyboard, radius, Ink { text: theme.keyboard, paper: theme.background })?;
    }
    let keys = |layer: usize| plan.layers.get(layer).map_or(&[][..], Vec::as_slice);
    for (at, place) in keys(view.layer).iter().enumerate() {
        let look = look(theme, layout, view, at, place.press);
        let before = shown.and_then(|shown| Some((shown, keys(shown.layer).get(at)?)));
        if before.is_none_or(|(shown, place)| self::look(theme, layout, shown, at, place.press) != look) {
            draw_key(target, theme, plan, place, &look)?;
        }
    }
    Ok(())
}

/// Whether the keyboard does not reach the panel's edges.
fn is_sheet(plan: &Plan) -> bool {
    plan.keyboard.size.width < plan.size.width
}

/// Whether two layers have their keys in the same places, so that one can be drawn over the other.
fn same_places(plan: &Plan, one: usize, other: usize) -> bool {
    let faces = |layer: usize| plan.layers.get(layer).map(|keys| keys.iter().map(|place| place.face));
    one == other
        || match (faces(one), faces(other)) {
            (Some(one), Some(other)) => one.eq(other),
            _ => false,
        }
}

fn look<'a>(theme: &Theme, layout: &'a Layout, view: &View, at: usize, press: Press) -> Look<'a> {
    let (label, mut fill) = match press {
        Press::Character(character) => (Label::Character(character), theme.key),
        Press::Backspace => (Label::Icon(Icon::Backspace), theme.key_other),
        Press::Enter => (Label::Icon(Icon::Enter), theme.accent),
        Press::Layer(layer) => {
            let name = layout.layers().get(layer).map_or("", |layer| layer.label.as_str());
            (Label::Text(name), theme.key_other)
        }
        Press::Shift => match view.shift {
            Shift::Off => (Label::Icon(Icon::Shift), theme.key_other),
            Shift::Once { .. } => (Label::Icon(Icon::ShiftOnce), theme.key_other),
            Shift::Lock => (Label::Icon(Icon::ShiftLock), theme.accent),
        },
    };
    let mut text = if fill == theme.accent { theme.text_accent } else { theme.text };
    if view.pressed == Some(at) {
        fill = theme.pressed;
    }
    if !view.enabled {
        (fill, text) = (theme.key_other, theme.text_dim);
    }
    Look { label, fill, text }
}

fn draw_key<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    theme: &Theme,
    plan: &Plan,
    place: &Place,
    look: &Look<'_>,
) -> Result<(), D::Error> {
    rounded(target, place.face, plan.key_height / 8, Ink { text: look.fill, paper: theme.keyboard })?;
    let room = shrink(place.face, plan.key_height / 16, plan.key_height / 16);
    let wanted = Size::new(room.size.width, (plan.key_height * 17 / 20).min(place.face.size.width * 11 / 10));
    let ink = Ink { text: look.text, paper: look.fill };
    let mut utf8 = [0; 4];
    let (text, wanted) = match look.label {
        Label::Character(character) => (&*character.encode_utf8(&mut utf8), wanted),
        // A word as high as a letter would shout.
        Label::Text(text) => (text, Size::new(wanted.width, wanted.height * 3 / 4)),
        Label::Icon(icon) => {
            let face = Face::fitting(LETTER, wanted);
            return icon.draw(target, face.icon(), place.face, ink);
        }
    };
    Face::fitting(text, wanted).draw_centred(target, text, place.face, ink)
}

#[cfg(test)]
mod tests {
    use super::super::theme::DARK;
    use super::*;
    use crate::model::frame::Frame;
    use crate::model::prompt::layout::US;
    use crate::model::prompt::plan::Panel;

    fn view() -> View {
        View {
            title: "Unlock /dev/vda".into(),
            message: String::new(),
            tone: Tone::Calm,
            layer: 0,
            shift: Shift::Off,
            pressed: None,
            characters: 0,
            ready: true,
            enabled: true,
            working: None,
        }
    }

    fn views() -> Vec<View> {
        vec![
            view(),
            View { pressed: Some(3), characters: 5, ..view() },
            View { layer: 1, shift: Shift::Once { since_ms: 0 }, characters: 500, ..view() },
            View { layer: 1, shift: Shift::Lock, ..view() },
            View { layer: 3, ..view() },
            View { message: "Wrong passphrase".into(), tone: Tone::Alarm, ..view() },
            View { enabled: false, working: Some(7), ..view() },
            View { title: "\u{10ffff}".repeat(300), message: "x".repeat(4000), ..view() },
        ]
    }

    #[test]
    fn the_difference_drawn_is_the_whole_drawn_anew() {
        let layout = Layout::parse("us", US).unwrap();
        for (width, height) in [(160, 120), (240, 240), (480, 800), (1280, 800)] {
            let panel = Panel { size: Size::new(width, height), millimetres: (0, 0) };
            let plan = Plan::new(panel, &layout).unwrap();
            let whole = |view: &View| {
                let mut frame = Frame::new(plan.size);
                draw(&mut frame, &DARK, (&plan, &layout), view, None).unwrap();
                frame
            };
            for from in views() {
                for to in views() {
                    let mut frame = whole(&from);
                    frame.take_damage();
                    draw(&mut frame, &DARK, (&plan, &layout), &to, Some(&from)).unwrap();
                    assert!(frame.pixels() == whole(&to).pixels(), "{width}x{height}");
                    assert!(from != to || frame.take_damage().is_empty());
                }
            }
        }
    }

    #[test]
    fn a_pressed_key_damages_little() {
        let layout = Layout::parse("us", US).unwrap();
        let panel = Panel { size: Size::new(1080, 2400), millimetres: (0, 0) };
        let plan = Plan::new(panel, &layout).unwrap();
        let mut frame = Frame::new(plan.size);
        let pressed = View { pressed: Some(12), characters: 6, ..view() };
        let before = View { characters: 5, ..view() };
        draw(&mut frame, &DARK, (&plan, &layout), &before, None).unwrap();
        frame.take_damage();
        draw(&mut frame, &DARK, (&plan, &layout), &pressed, Some(&before)).unwrap();
        let pixels: u32 = frame.take_damage().iter().map(|area| area.size.width * area.size.height).sum();
        assert!(pixels * 100 < 1080 * 2400 * 3, "{pixels} pixels");
    }
}
