//! What buttons would press: it goes through all that is shown, for those who cannot touch it.

use embedded_graphics::prelude::Point;
use embedded_graphics::primitives::Rectangle;

use super::ground::Ground;
use super::layout::Press;
use super::view::{Sheet, Spot};

/// Nobody has pressed a button for so long that its place need not be seen.
const SHOWN_MS: u64 = 60_000;

/// A way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In reading order, from the last to the first.
    Next,
    /// Against it.
    Previous,
    /// To the nearest in the row below; from the last row to the first.
    Row,
    /// To the nearest that is on this side; over the edge to the other side.
    Up,
    /// See there.
    Down,
    /// See there.
    Left,
    /// See there.
    Right,
}

/// Where it is.
#[derive(Debug, Default)]
pub struct Focus {
    /// The last place, which stays when it is not shown.
    at: Option<(Spot, Point)>,
    /// The sheet that it was on.
    sheet: Sheet,
    until_ms: Option<u64>,
}

impl Focus {
    /// What it is on, if it is shown.
    pub fn spot(&self) -> Option<Spot> {
        self.until_ms?;
        self.at.map(|(spot, _)| spot)
    }

    /// When [`Focus::tick`] has something to do.
    pub fn due_ms(&self) -> Option<u64> {
        self.until_ms
    }

    /// Time goes by.
    pub fn tick(&mut self, now_ms: u64) {
        if self.until_ms.is_some_and(|until_ms| until_ms <= now_ms) {
            self.hide();
        }
    }

    /// Shows it no longer. The next question is a new one.
    pub fn hide(&mut self) {
        (self.until_ms, self.sheet) = (None, Sheet::default());
    }

    /// Shows it; false when it was shown already. The first time it is on the first key.
    pub fn show(&mut self, ground: &Ground<'_>, now_ms: u64) -> bool {
        let was = self.until_ms.replace(now_ms.saturating_add(SHOWN_MS)).is_some();
        self.settle(ground);
        !was
    }

    /// Follows its key to another place, for the same keys are elsewhere now.
    pub fn follow(&mut self, ground: &Ground<'_>) {
        if let Some((spot, at)) = &mut self.at
            && let Some(place) = ground.place(*spot)
        {
            *at = place.face.center();
        }
    }

    /// Puts it on something after other keys have come: on what is where it was.
    pub fn settle(&mut self, ground: &Ground<'_>) {
        let came = core::mem::replace(&mut self.sheet, ground.sheet) != ground.sheet;
        let find = |wanted: &dyn Fn(Spot) -> bool| ground.spots().find(|(spot, _)| wanted(*spot));
        let place = match self.at {
            // Nobody is to switch a machine off by pressing on.
            _ if came && ground.sheet == Sheet::Power => find(&|spot| ground.press(spot) == Some(Press::Back)),
            Some((spot, at)) if ground.place(spot).is_some_and(|place| place.face.contains(at)) => return,
            Some((_, at)) => ground.spots().min_by_key(|(_, face)| squared_px(*face, at)),
            None => find(&|spot| matches!(spot, Spot::Key(_))),
        };
        self.at = place.map(|(spot, face)| (spot, face.center()));
    }

    /// Goes one step.
    pub fn go(&mut self, ground: &Ground<'_>, way: Way) {
        self.settle(ground);
        let Some((spot, at)) = self.at else { return };
        let rows = rows(ground);
        let mut order = rows.iter().flatten();
        let count = order.clone().count().max(1);
        let index = order.clone().position(|(other, _)| *other == spot).unwrap_or_default();
        let row = rows.iter().position(|row| row.iter().any(|(other, _)| *other == spot)).unwrap_or_default();
        let row_at = |step: usize| rows.get((row + step) % rows.len().max(1)).and_then(|row| nearest_x(row, at.x));
        let to = match way {
            Way::Next => order.nth((index + 1) % count).copied(),
            Way::Previous => order.nth((index + count - 1) % count).copied(),
            Way::Row | Way::Down => row_at(1),
            Way::Up => row_at(rows.len().saturating_sub(1)),
            Way::Left | Way::Right => rows.get(row).and_then(|row| {
                let place = row.iter().position(|(other, _)| *other == spot)?;
                let step = if way == Way::Right { 1 } else { row.len() - 1 };
                row.get((place + step) % row.len()).copied()
            }),
        };
        let Some((spot, face)) = to else { return };
        // Going through rows keeps the column, though keys in between are wider.
        let is_vertical = matches!(way, Way::Row | Way::Down | Way::Up);
        let spans = face.columns().contains(&at.x);
        let x = if is_vertical && spans { at.x } else { face.center().x };
        self.at = Some((spot, Point::new(x, face.center().y)));
    }
}

type Place = (Spot, Rectangle);

/// All that is shown, in reading order: what is beside each other is a row.
fn rows(ground: &Ground<'_>) -> Vec<Vec<Place>> {
    let mut rows: Vec<Vec<Place>> = Vec::new();
    let y = |row: &Vec<Place>| row.first().map_or(0, |(_, face)| face.center().y);
    for place in ground.spots() {
        let face = place.1;
        match rows.iter_mut().find(|row| face.rows().contains(&y(row))) {
            Some(row) => row.insert(row.partition_point(|(_, other)| other.top_left.x < face.top_left.x), place),
            None => rows.insert(rows.partition_point(|row| y(row) < face.center().y), vec![place]),
        }
    }
    rows
}

/// What is nearest to a column: a wide key is as near as its nearest pixel.
fn nearest_x(row: &[Place], x: i32) -> Option<Place> {
    let away = |face: &Rectangle| {
        let columns = face.columns();
        ((columns.start - x).max(x - (columns.end - 1)).max(0), (face.center().x - x).abs())
    };
    row.iter().min_by_key(|(_, face)| away(face)).copied()
}

fn squared_px(face: Rectangle, at: Point) -> i32 {
    let way = face.center() - at;
    way.x * way.x + way.y * way.y
}
