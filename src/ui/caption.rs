//! The title and the message: lines in the middle of an area, with or without a sign before them.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::canvas::Canvas;
use super::font::Face;
use super::icon::Icon;
use super::ink::Ink;
use super::passage::Passage;
use super::scene::Scene;
use super::shape::rounded;
use crate::model::prompt::view::Tone;

const ELLIPSIS: char = '\u{2026}';
/// Dots of the sign that goes round, and steps of a round.
const DOTS: u32 = 8;

/// What stands before a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    /// Something went wrong.
    Warning,
    /// The worker is busy; the step of the animation.
    Busy(u32),
}

/// Text with its place.
pub(super) struct Caption {
    face: Face,
    lines: Vec<(String, Rectangle)>,
    sign: Rectangle,
}

impl Caption {
    /// The line that says which volume is asked for.
    pub(super) fn title(scene: Scene<'_>) -> Self {
        let area = scene.plan.title;
        Self::place(area, Passage::line(&scene.view.title, area.size), 0)
    }

    /// What is going on, in smaller letters than the title.
    pub(super) fn message(scene: Scene<'_>) -> Self {
        let (area, text, most) = (scene.plan.message, &scene.view.message, scene.plan.message_height);
        let before = most * 4 / 3;
        let bare = Passage::wrapped(text, area.size, most);
        if sign(scene) == Sign::None || text.is_empty() || area.size.width < 8 * most {
            return Self::place(area, bare, 0);
        }
        let signed = Passage::wrapped(text, Size::new(area.size.width - before, area.size.height), most);
        let is_cut = |passage: &Passage| passage.lines.last().is_some_and(|line| line.ends_with(ELLIPSIS));
        // What is said counts more than the sign.
        match signed.face.height() * 10 < bare.face.height() * 9 || is_cut(&signed) && !is_cut(&bare) {
            true => Self::place(area, bare, 0),
            false => Self::place(area, signed, before),
        }
    }

    /// `passage` in the middle of `area`, with `before` pixels for a sign before its first line.
    fn place(area: Rectangle, passage: Passage, before: u32) -> Self {
        let Passage { face, lines, .. } = passage;
        // A single line has its area to itself.
        let pitch = if lines.len() == 1 { face.height().min(area.size.height) } else { face.pitch() };
        let wide = lines.iter().map(|text| face.width(text)).max().unwrap_or(0).min(area.size.width - before);
        let left = (area.size.width - before - wide) / 2;
        let sign = match before {
            0 => Rectangle::zero(),
            _ => Rectangle::new(area.top_left + Point::new(left as i32, 0), Size::new_equal(pitch)),
        };
        // Each line covers no more than it needs: what is cleared has to be sent to the panel.
        let place = |at: usize, text: &str| {
            let own = face.width(text).min(wide);
            let corner = Point::new((left + before + (wide - own) / 2) as i32, (at as u32 * pitch) as i32);
            Rectangle::new(area.top_left + corner, Size::new(own, pitch)).intersection(&area)
        };
        let place = |(at, text): (usize, String)| (place(at, &text), text);
        let lines = lines.into_iter().enumerate().map(place).map(|(line, text)| (text, line)).collect();
        Self { face, lines, sign }
    }

    /// What a line covers: letters may lean out of it.
    fn bounds(&self, line: Rectangle) -> Rectangle {
        let lean = self.face.height() / 8;
        Rectangle::new(line.top_left - Point::new(lean as i32, 0), line.size + Size::new(2 * lean, 0))
    }

    pub(super) fn clear<D: DrawTarget<Color = Rgb888>>(
        &self,
        canvas: &mut Canvas<'_, D>,
        (within, paper): (Rectangle, Rgb888),
    ) -> Result<(), D::Error> {
        canvas.part(within).fill_solid(&self.sign, paper)?;
        // The letters alone: what is between them need not be sent to the panel.
        self.draw(canvas, (within, Ink { text: paper, paper, smooth: true }))
    }

    pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
        &self,
        canvas: &mut Canvas<'_, D>,
        (within, ink): (Rectangle, Ink),
    ) -> Result<(), D::Error> {
        for (text, line) in &self.lines {
            let wide = self.bounds(*line);
            // Cut at the area, as what is cleared is, and not at the end of the line.
            self.face.draw_centred(&mut canvas.part(wide.intersection(&within)), text, wide, ink)?;
        }
        Ok(())
    }
}

fn sign(scene: Scene<'_>) -> Sign {
    match (scene.view.tone, scene.view.working) {
        (_, Some(step)) if scene.theme.motion => Sign::Busy(step),
        (Tone::Alarm, _) => Sign::Warning,
        _ => Sign::None,
    }
}

/// Draws the title and the message whole.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
) -> Result<(), D::Error> {
    draw_title(canvas, scene)?;
    draw_message(canvas, scene)
}

fn draw_title<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    if !canvas.shows(scene.plan.title) {
        return Ok(());
    }
    let ink = scene.ink(scene.theme.text, scene.theme.background);
    Caption::title(scene).draw(canvas, (scene.plan.title, ink))
}

fn draw_message<D: DrawTarget<Color = Rgb888>>(canvas: &mut Canvas<'_, D>, scene: Scene<'_>) -> Result<(), D::Error> {
    if !canvas.shows(scene.plan.message) {
        return Ok(());
    }
    let theme = scene.theme;
    let text = if scene.view.tone == Tone::Alarm { theme.alarm } else { theme.text_dim };
    let caption = Caption::message(scene);
    caption.draw(canvas, (scene.plan.message, scene.ink(text, theme.background)))?;
    draw_sign(canvas, scene, caption.sign)
}

fn draw_sign<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    area: Rectangle,
) -> Result<(), D::Error> {
    let theme = scene.theme;
    match sign(scene) {
        _ if area.is_zero_sized() => Ok(()),
        Sign::None => Ok(()),
        Sign::Warning => {
            let (height, stroke) = (area.size.height * 4 / 5, (area.size.height / 10).max(1));
            Icon::Warning.draw(canvas, (height, stroke), area, scene.ink(theme.alarm, theme.background))
        }
        Sign::Busy(step) => draw_dots(canvas, scene, area, step),
    }
}

/// Dots in a circle; one is the brightest, and those that were before it fade.
fn draw_dots<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    area: Rectangle,
    step: u32,
) -> Result<(), D::Error> {
    let side = area.size.height as i32;
    let dot = (side / 5).max(2);
    let far = side * 9 / 20 - dot / 2;
    // The half root of two is 181/256 but for a part in 60000.
    let near = far * 181 / 256;
    let middle = area.top_left + Point::new_equal((side - dot) / 2);
    let round = [(0, -far), (near, -near), (far, 0), (near, near), (0, far), (-near, near), (-far, 0), (-near, -near)];
    for (at, offset) in (0..DOTS).zip(round) {
        let age = (step % DOTS + DOTS - at) % DOTS;
        let faded = scene.ink(scene.theme.accent, scene.theme.background).blend(255 - age * 29, 255);
        let place = Rectangle::new(middle + Point::from(offset), Size::new_equal(dot as u32));
        rounded(canvas, place, dot as u32, scene.ink(faded, scene.theme.background))?;
    }
    Ok(())
}

/// Draws what of title and message was otherwise in `before`.
pub(super) fn update<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    before: Scene<'_>,
) -> Result<(), D::Error> {
    let (view, shown, background) = (scene.view, before.view, scene.theme.background);
    if view.title != shown.title {
        Caption::title(before).clear(canvas, (scene.plan.title, background))?;
        draw_title(canvas, scene)?;
    }
    let (sign, sign_before) = (sign(scene), sign(before));
    if view.message != shown.message || view.tone != shown.tone || kind(sign) != kind(sign_before) {
        Caption::message(before).clear(canvas, (scene.plan.message, background))?;
        draw_message(canvas, scene)?;
    } else if sign != sign_before {
        // All dots stay where they are.
        draw_sign(canvas, scene, Caption::message(scene).sign)?;
    }
    Ok(())
}

fn kind(sign: Sign) -> core::mem::Discriminant<Sign> {
    core::mem::discriminant(&sign)
}
