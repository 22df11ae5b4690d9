//! What was typed: bullets, or the text where it is to be read, and the caret.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;
use zeroize::Zeroizing;

use super::canvas::Canvas;
use super::direction::order;
use super::font::Face;
use super::glyph::{MISSING, glyph};
use super::scene::{Scene, around, shrink};
use super::shape::rounded;
use crate::model::prompt::view::View;

/// Shown while nothing is typed.
const HINT: &str = "Passphrase";

/// The place of one character, or of none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Empty,
    Bullet,
    /// Behind it are more.
    Faint,
}

/// Measures of an area for text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Measure {
    area: Rectangle,
    /// Side of a bullet.
    bullet: u32,
    /// From one bullet to the next.
    pitch: u32,
    /// Width of the caret.
    caret: u32,
}

impl Measure {
    fn new(area: Rectangle) -> Self {
        let bullet = (area.size.height / 4).max(3);
        Self { area, bullet, pitch: (bullet * 3).div_ceil(2), caret: (area.size.height / 20).max(2) }
    }

    /// Characters that there is room for, and the caret behind them.
    fn count(self) -> usize {
        (self.area.size.width.saturating_sub(self.caret) / self.pitch) as usize
    }

    /// The first character that is shown.
    fn start(self, view: &View) -> usize {
        let most = view.characters.saturating_sub(self.count());
        view.caret.saturating_sub(self.count() / 2).min(most)
    }

    fn cells(self, view: &View) -> Vec<Cell> {
        let (start, count) = (self.start(view), self.count());
        let cell = |at: usize| match start + at {
            number if number >= view.characters => Cell::Empty,
            _ if at == 0 && start > 0 => Cell::Faint,
            number if at + 1 == count && number + 1 < view.characters => Cell::Faint,
            _ => Cell::Bullet,
        };
        (0..count).map(cell).collect()
    }

    /// Cells from one to another, the caret behind them included.
    fn columns(self, from: usize, to: usize) -> Rectangle {
        let band = self.band();
        let corner = band.top_left + Point::new((from as u32 * self.pitch) as i32, 0);
        Rectangle::new(corner, Size::new((to - from) as u32 * self.pitch + self.caret, band.size.height))
            .intersection(&self.area)
    }

    /// What can be drawn into: less than the whole height.
    fn band(self) -> Rectangle {
        let face = self.face().height().max(self.hint().height());
        let spare = self.area.size.height.saturating_sub(face.max(self.caret_height())) / 2;
        shrink(self.area, 0, spare)
    }

    fn caret_height(self) -> u32 {
        self.area.size.height * 3 / 5
    }

    /// The face of text that can be read.
    fn face(self) -> Face {
        Face::fitting("", Size::new(self.area.size.width, self.area.size.height * 3 / 5))
    }

    fn hint(self) -> Face {
        let room = Size::new(self.area.size.width.saturating_sub(3 * self.caret), self.area.size.height / 2);
        Face::fitting(HINT, room)
    }

    /// Where the hint is, if it is shown.
    fn shown_hint(self, view: &View) -> Rectangle {
        if view.characters > 0 {
            return Rectangle::zero();
        }
        let (face, band) = (self.hint(), self.band());
        let line = shrink(band, 0, band.size.height.saturating_sub(face.height()) / 2);
        let width = (3 * self.caret + face.width(HINT)).min(self.area.size.width);
        Rectangle::new(line.top_left, Size::new(width, line.size.height))
    }

    /// Where the caret is that is so many pixels from the left.
    fn caret(self, right: i32) -> Rectangle {
        let middle = shrink(self.area, 0, (self.area.size.height - self.caret_height()) / 2);
        Rectangle::new(middle.top_left + Point::new(right, 0), Size::new(self.caret, middle.size.height))
    }
}

/// Text in the order in which it is drawn, and where it is in its area.
struct Line {
    text: Zeroizing<String>,
    /// Pixels that are left of the area.
    hidden: u32,
    /// Pixels from the left end of the area to the caret.
    caret: i32,
}

impl Line {
    fn new(measure: Measure, typed: &str, caret: usize) -> Self {
        let face = measure.face();
        // Never more than that: what grows leaves a copy behind.
        let mut text = Zeroizing::new(String::with_capacity(typed.len() * MISSING.len_utf8()));
        // The character that the caret stands beside, and where that is drawn.
        let beside = caret.saturating_sub(1);
        let (mut units, mut at) = (0, 0);
        for (character, number, is_backwards) in order(typed).iter().copied() {
            // What has no shape of its own counts all the same, and whoever looks is to see that it is there.
            let character = if glyph(character).is_some() { character } else { MISSING };
            let advance = Face::advance(character);
            if number == beside {
                at = if is_backwards == (caret > 0) { units } else { units + advance };
            }
            units += advance;
            text.push(character);
        }
        let room = measure.area.size.width.saturating_sub(2 * measure.caret);
        let (whole, at) = (face.pixels(units), face.pixels(at));
        let hidden = at.saturating_sub(room / 2).min(whole.saturating_sub(room));
        Self { text, hidden, caret: at as i32 - hidden as i32 }
    }
}

/// Draws it into an area that is empty.
pub(super) fn draw<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    area: Rectangle,
) -> Result<(), D::Error> {
    let Scene { theme, view, .. } = scene;
    let measure = Measure::new(area);
    let caret = if is_readable(view) {
        let line = Line::new(measure, scene.typed, view.caret);
        let mut canvas = canvas.part(measure.band());
        let corner = area.top_left + Point::new(measure.caret as i32 - line.hidden as i32, 0);
        let place = Rectangle::new(corner, area.size + Size::new(line.hidden, 0));
        measure.face().draw_left(&mut canvas, &line.text, place, scene.ink(theme.text, theme.field))?;
        line.caret
    } else if view.characters == 0 {
        let place = Rectangle::new(area.top_left + Point::new(3 * measure.caret as i32, 0), area.size);
        let ink = scene.ink(theme.text_dim, theme.field);
        measure.hint().draw_left(&mut canvas.part(area), HINT, place, ink)?;
        0
    } else {
        for (at, cell) in measure.cells(view).into_iter().enumerate() {
            draw_cell(canvas, scene, measure, (at, cell))?;
        }
        (view.caret.saturating_sub(measure.start(view)) as u32 * measure.pitch) as i32
    };
    if view.enabled {
        canvas.part(area).fill_solid(&measure.caret(caret), theme.accent)?;
    }
    Ok(())
}

fn draw_cell<D: DrawTarget<Color = Rgb888>>(
    canvas: &mut Canvas<'_, D>,
    scene: Scene<'_>,
    measure: Measure,
    (at, cell): (usize, Cell),
) -> Result<(), D::Error> {
    let theme = scene.theme;
    let (side, color) = match cell {
        Cell::Empty => return Ok(()),
        Cell::Bullet => (measure.bullet, theme.text),
        Cell::Faint => ((measure.bullet / 2).max(2), theme.text_dim),
    };
    let room = measure.pitch + measure.caret;
    let beside = at as u32 * measure.pitch + (room - side) / 2;
    let above = measure.area.size.height.saturating_sub(side) / 2;
    let corner = measure.area.top_left + Point::new(beside as i32, above as i32);
    rounded(canvas, Rectangle::new(corner, Size::new_equal(side)), side, scene.ink(color, theme.field))
}

fn is_readable(view: &View) -> bool {
    view.revealed && view.characters > 0
}

/// What has to be drawn anew in an area that was another one before, from the same corner on; empty if
/// nothing.
pub(super) fn change(
    (scene, area): (Scene<'_>, Rectangle),
    (before, old_area): (Scene<'_>, Rectangle),
) -> [Rectangle; 2] {
    let (view, old) = (scene.view, before.view);
    let (measure, old_measure) = (Measure::new(area), Measure::new(old_area));
    let wide = if area.size.width > old_area.size.width { measure } else { old_measure };
    if is_readable(view) || is_readable(old) {
        let same = |view: &View| (is_readable(view), view.edits, view.characters, view.caret, view.enabled);
        let is_same = same(view) == same(old) && area == old_area;
        return [if is_same { Rectangle::zero() } else { wide.band() }, Rectangle::zero()];
    }
    let (cells, old_cells) = (measure.cells(view), old_measure.cells(old));
    let cell = |cells: &[Cell], at: usize| cells.get(at).copied().unwrap_or(Cell::Empty);
    let differ = |at: &usize| cell(&cells, *at) != cell(&old_cells, *at);
    let all = 0..cells.len().max(old_cells.len());
    let mut change = match (all.clone().find(differ), all.rev().find(differ)) {
        (Some(first), Some(last)) => wide.columns(first, last + 1),
        _ => Rectangle::zero(),
    };
    let caret = |measure: Measure, view: &View| view.enabled.then(|| view.caret.saturating_sub(measure.start(view)));
    let (caret, old_caret) = (caret(measure, view), caret(old_measure, old));
    if caret != old_caret {
        for at in [caret, old_caret].into_iter().flatten() {
            change = around(change, wide.columns(at, at));
        }
    }
    let (hint, old_hint) = (measure.shown_hint(view), old_measure.shown_hint(old));
    [change, if hint == old_hint { Rectangle::zero() } else { around(hint, old_hint) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_was_typed_is_seen() {
        let measure = Measure::new(Rectangle::new(Point::zero(), Size::new(400, 40)));
        // Kanji and a smiley, which no font here has; a soft hyphen and two joiners, which have no shape.
        for (character, shown) in [
            ('x', 'x'),
            ('\u{6f22}', '\u{6f22}'),
            ('\u{1f600}', '\u{1f600}'),
            ('\u{ad}', MISSING),
            ('\u{200c}', MISSING),
            ('\u{200d}', MISSING),
        ] {
            let typed = format!("a{character}b");
            let line = Line::new(measure, &typed, 3);
            assert_eq!(*line.text, format!("a{shown}b"), "{character:?}");
            assert!(Face::advance(shown) > 0, "{character:?}");
            let carets: Vec<i32> = (0..=3).map(|caret| Line::new(measure, &typed, caret).caret).collect();
            assert!(carets.is_sorted_by(|one, next| one < next), "{character:?}: {carets:?}");
        }
        // It is wiped afterwards, and so it must not have been somewhere else before.
        let typed = "\u{ad}".repeat(100);
        assert_eq!(Line::new(measure, &typed, 0).text.capacity(), typed.len() * 3);
    }
}
