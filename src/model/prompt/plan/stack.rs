//! Title, field and message, one below the other over the keyboard.

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::ruler::Ruler;

/// The lowest line of text that can be read, and of one whose accents may touch the line above.
const LINE_MIN: u32 = 13;
const TIGHT_LINE_MIN: u32 = 11;
/// The lowest field.
const FIELD_MIN: u32 = 14;
/// Lines that a message may need in the smallest text.
const MESSAGE_LINES: u32 = 3;
/// A line that is so many times wider than high holds most messages; otherwise they need two.
const LINE_SHAPE: u32 = 20;
/// The least height for all of it.
pub(super) const HEIGHT_MIN: u32 = LINE_MIN + FIELD_MIN + MESSAGE_LINES * TIGHT_LINE_MIN;

/// Height of the title's line.
const TITLE_MM: f32 = 5.6;
/// Height of the field.
const FIELD_MM: f32 = 10.0;
/// A field is so many times wider than high, if there is room.
const FIELD_SHAPE: u32 = 9;
/// Twice the least of that: on a panel that is a finger wide the field would be all there is.
const FIELD_SHAPE_MIN: u32 = 13;
/// Lines of the message's largest text that it may have.
const MESSAGE_LINES_MAX: u32 = 6;

/// What a keyboard of so many pixels leaves of the panel's height beyond the least that is needed,
/// a part of which it may take for its edges.
pub(super) fn spare(height: u32, keyboard: u32) -> u32 {
    height.saturating_sub(keyboard + HEIGHT_MIN) / 4
}

/// Title, field and message, from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The line that says which volume is asked for.
    pub title: Rectangle,
    /// The field that shows what was typed.
    pub field: Rectangle,
    /// What went wrong, what is going on: lines from the top, as many as there is room for.
    pub message: Rectangle,
    /// Height of the title's line in pixels.
    pub title_line: u32,
    /// Height of a line of the message in pixels, at the most.
    pub message_line: u32,
}

/// Heights of the parts, in pixels.
struct Heights {
    title: u32,
    field: u32,
    /// What most messages need.
    message: u32,
    /// A line of the message.
    line: u32,
}

impl Heights {
    /// Within the upper `height` pixels.
    fn new(ruler: &Ruler, height: u32) -> Self {
        let width = ruler.size.width;
        let wide = width - 2 * ruler.margin();
        let title = ruler.seen(TITLE_MM).min(width / 12).min(height / 6).max(LINE_MIN);
        let line = (title * 21 / 25).max(LINE_MIN);
        let least = MESSAGE_LINES * TIGHT_LINE_MIN;
        let field = ruler.felt(FIELD_MM).min(height / 4).min(wide * 2 / FIELD_SHAPE_MIN).max(title);
        let field = field.min(height.saturating_sub(title + least)).max(FIELD_MIN);
        let message = if wide >= line * LINE_SHAPE { line * 3 / 2 } else { line * 5 / 2 };
        let message = message.max(least).min(height.saturating_sub(title + field));
        Self { title, field, message, line }
    }
}

/// The height at which all parts have the size that is wanted, with gaps between them.
pub(super) fn height(ruler: &Ruler) -> u32 {
    let Heights { title, field, message, .. } = Heights::new(ruler, u32::MAX);
    title + field + message + 2 * gap(title)
}

fn gap(title: u32) -> u32 {
    title * 3 / 5
}

impl Stack {
    /// In the upper `height` pixels. It is in the middle, or a little above it, where eyes look first.
    pub(super) fn new(ruler: &Ruler, height: u32) -> Self {
        let Heights { title, field, message, line } = Heights::new(ruler, height);
        let wide = ruler.size.width - 2 * ruler.margin();
        let spare = height.saturating_sub(title + field + message);
        let gap = gap(title).min(spare / 4);
        let top = (spare - 2 * gap) * 9 / 20;
        let below = height.saturating_sub(top + title + field + 2 * gap);
        let message = below.saturating_sub(gap).min(line * MESSAGE_LINES_MAX).max(message).min(below);
        let field_width = wide.min(field * FIELD_SHAPE);
        let place = |y: u32, width: u32, height: u32| {
            let left = (ruler.size.width - width) / 2;
            Rectangle::new(Point::new(left as i32, y as i32), Size::new(width, height))
        };
        let field_top = top + title + gap;
        Self {
            title: place(top, wide, title),
            field: place(field_top, field_width, field),
            message: place(field_top + field + gap, wide, message),
            title_line: title,
            message_line: line,
        }
    }
}
