//! What can be pressed that is no key: in the field's right end, and in the panel's upper corners.

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::super::layout::Press;
use super::Place;
use super::ruler::Ruler;
use super::stack::Stack;

/// A side of a control in a corner.
const CORNER_MM: f32 = 8.0;
/// Panels with a shorter side have no room for them.
const CORNER_PANEL_MIN: u32 = 300;
/// A title that stands between two of them is at least so many times wider than high.
const TITLE_SHAPE_MIN: u32 = 12;
/// A field is at least so many times wider than high for its first control, and for two.
const ONE_SHAPE: u32 = 5;
const TWO_SHAPE: u32 = 6;

/// All controls, in the same order whether the keyboard is shown or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Controls {
    /// While the keyboard is shown.
    pub(super) above: Vec<Place>,
    /// While it is hidden.
    pub(super) alone: Vec<Place>,
}

impl Controls {
    /// Those that there is room for. Titles give way to those in the corners.
    pub(super) fn new(ruler: &Ruler, above: &mut Stack, alone: &mut Stack) -> Self {
        let side = ruler.felt(CORNER_MM).min(ruler.size.width.min(ruler.size.height) / 8);
        let clear = ruler.margin() / 2;
        let has_room = ruler.size.width.min(ruler.size.height) >= CORNER_PANEL_MIN;
        let reach = clear + side;
        let between = has_room.then(|| titles(above, alone, reach + clear)).flatten();
        if let Some(between) = between {
            (above.title, alone.title) = between;
        }
        let corners = || between.into_iter().flat_map(|_| corners(ruler.size, clear, side));
        // As many as the narrower field has.
        let fields: Vec<_> = field(above).into_iter().zip(field(alone)).collect();
        Self {
            above: fields.iter().map(|(place, _)| *place).chain(corners()).collect(),
            alone: fields.iter().map(|(_, place)| *place).chain(corners()).collect(),
        }
    }

    /// Where the machine's state is told: left of the control in the right corner.
    pub(super) fn status(&self, ruler: &Ruler, stack: &Stack) -> Rectangle {
        let height = stack.title_line * 3 / 4;
        let corner = self.above.iter().find(|place| place.press == Press::Power).map(|place| place.face);
        let margin = ruler.margin();
        let wanted = match corner {
            Some(corner) => corner.center().y.unsigned_abs().saturating_sub(height / 2),
            None => margin.min(height),
        };
        let Some(lowest) = stack.title.top_left.y.unsigned_abs().checked_sub(height) else {
            return Rectangle::zero();
        };
        let top = wanted.min(lowest);
        if top < margin.min(height) {
            return Rectangle::zero();
        }
        let right = corner.map_or(ruler.size.width - margin, |corner| corner.top_left.x.unsigned_abs());
        let width = right.saturating_sub(ruler.size.width - right);
        let corner = Point::new((right - width) as i32, top as i32);
        Rectangle::new(corner, Size::new(width, height))
    }
}

/// The titles of both stacks where the outer `reach` pixels of the panel's upper edge are not theirs;
/// `None` when something else is there.
fn titles(above: &Stack, alone: &Stack, reach: u32) -> Option<(Rectangle, Rectangle)> {
    let title = |stack: &Stack| {
        let y = |area: Rectangle| area.top_left.y.unsigned_abs();
        let x = |area: Rectangle| area.top_left.x.unsigned_abs();
        let is_clear = |area: Rectangle| y(area) >= reach || x(area) >= reach;
        if !is_clear(stack.field) || !is_clear(stack.message) {
            return None;
        }
        if is_clear(stack.title) {
            return Some(stack.title);
        }
        let less = reach - x(stack.title);
        let width = stack.title.size.width.checked_sub(2 * less)?;
        let corner = stack.title.top_left + Point::new(less as i32, 0);
        let title = Rectangle::new(corner, Size::new(width, stack.title.size.height));
        (width >= TITLE_SHAPE_MIN * stack.title_line).then_some(title)
    };
    title(above).zip(title(alone))
}

/// One control in each upper corner; touches count up to the panel's edges.
fn corners(size: Size, clear: u32, side: u32) -> [Place; 2] {
    let place = |press, x: u32, touch_x: u32| Place {
        press,
        hint: None,
        touch: Rectangle::new(Point::new(touch_x as i32, 0), Size::new_equal(clear + side)),
        face: Rectangle::new(Point::new(x as i32, clear as i32), Size::new_equal(side)),
    };
    let right = size.width - clear - side;
    [place(Press::Hide, clear, 0), place(Press::Power, right, right)]
}

/// What is in the field, from its right end; touches count up to half of the gap above and below.
fn field(stack: &Stack) -> Vec<Place> {
    let field = stack.field;
    let Size { width, height } = field.size;
    let title_end = stack.title.top_left.y + stack.title.size.height as i32;
    let message = stack.message.top_left.y;
    let above = (field.top_left.y - title_end).max(0) / 2;
    let below = (message - field.top_left.y - height as i32).max(0) / 2;
    let wide = height * 3 / 4;
    let count = usize::from(width >= ONE_SHAPE * height) + usize::from(width >= TWO_SHAPE * height);
    let place = |(at, press): (u32, Press)| {
        let end = height / 8;
        let corner = field.top_left + Point::new((width - end - (at + 1) * wide) as i32, 0);
        let beyond = if at == 0 { end } else { 0 };
        Place {
            press,
            hint: None,
            touch: Rectangle::new(
                corner - Point::new(0, above),
                Size::new(wide + beyond, height + (above + below) as u32),
            ),
            face: Rectangle::new(corner, Size::new(wide, height)),
        }
    };
    (0..).zip([Press::Reveal, Press::Clear]).take(count).map(place).collect()
}
