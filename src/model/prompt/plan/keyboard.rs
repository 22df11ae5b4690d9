//! The keyboard's place and shape, and the places of keys in it.

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::super::layout::{Key, Layer, Layout, Press, quarters};
use super::Place;
use super::ruler::Ruler;
use super::stack;

/// From a row of keys to the next one; fingers miss smaller ones.
const PITCH_MM: f32 = 9.5;
/// Keys are at least so high where a row is shown that is not needed.
const FACE_MM: f32 = 7.0;
/// Below the last row of a phone: its corners are round, and a thumb does not reach its edge.
const CHIN_MM: f32 = 2.5;
/// Parts of a hundred of the height that the rows of a tall panel may take, and of another one.
const SHARE_TALL: u32 = 42;
const SHARE: u32 = 56;
/// A column is at most so many quarters of a row's height wide: two thumbs share the keys, and one
/// pair of eyes.
const COLUMN_QUARTERS: u32 = 6;

/// A keyboard without its keys.
pub(super) struct Keyboard {
    /// Its background.
    pub(super) area: Rectangle,
    /// Where the keys are: within the background.
    pub(super) keys: Rectangle,
    /// Quarters of a column across.
    across: u32,
    pub(super) gap: u32,
    /// From a row to the next.
    pub(super) pitch: u32,
    /// Whether there is height for the rows that are not needed.
    optional: bool,
}

impl Keyboard {
    pub(super) fn new(ruler: &Ruler, layout: &Layout) -> Self {
        let Size { width, height } = ruler.size;
        let across = layout.quarters();
        let optional = has_height(ruler, layout);
        let rows = layout.height(optional) as u32;
        let pitch = pitch(ruler, rows, across);
        let gap = gap(ruler, pitch, across);
        // With the half gap that a face leaves free, a whole one is at every edge.
        let edge = gap / 2;
        let sheet = (pitch * COLUMN_QUARTERS / 4 * across / 4).max(1);
        let keys_height = pitch * rows;
        // Strips beside the keys that are narrower than these are better keys.
        let (keys_width, side, chin) = if sheet + 2 * edge < width * 4 / 5 {
            // A sheet has the same edge all round, and stands clear of the panel's.
            let clear = ruler.margin().min(stack::spare(height, keys_height + 2 * gap));
            (sheet, gap, gap + clear)
        } else {
            let spare = stack::spare(height, keys_height + 2 * edge);
            let chin = if ruler.is_tall() { ruler.felt(CHIN_MM).min(height / 40).min(spare) } else { 0 };
            (width - 2 * edge, edge, edge + chin)
        };
        let top = if side == edge { edge } else { gap };
        let left = (width - keys_width) / 2;
        let y = height - chin - keys_height;
        let keys = Rectangle::new(Point::new(left as i32, y as i32), Size::new(keys_width, keys_height));
        let below = if side == edge { chin } else { gap };
        let area = Rectangle::new(
            keys.top_left - Point::new(side as i32, top as i32),
            Size::new(keys_width + 2 * side, top + keys_height + below),
        );
        Self { area, keys, across, gap, pitch, optional }
    }

    /// Height of a key's face.
    pub(super) fn key_height(&self) -> u32 {
        self.pitch - self.gap
    }

    /// The places of a layer's keys. A layer of fewer rows has higher ones.
    pub(super) fn layer(&self, layer: &Layer) -> Vec<Place> {
        let rows: Vec<&[Key]> = layer.rows(self.optional).collect();
        let mut places = self.keys(&rows, self.across);
        // The row above the first one, if that is not shown.
        let all = layer.all_rows();
        let first = all.iter().position(|row| self.optional || !row.optional).unwrap_or(0);
        let hidden = first.checked_sub(1).and_then(|above| all.get(above)).map_or(&[][..], |row| &row.keys);
        let is_character = |press: &Press| matches!(press, Press::Character('!'..));
        let below = places.iter_mut().take(rows.first().map_or(0, |row| row.len()));
        let below = below.filter(|place| is_character(&place.press));
        for (place, key) in below.zip(hidden.iter().filter(|key| is_character(&key.press))) {
            if let Press::Character(character) = key.press {
                place.hint = Some(character);
            }
        }
        places
    }

    /// The places of keys of which the widest row is `across` quarters of a column wide.
    pub(super) fn keys(&self, rows: &[&[Key]], across: u32) -> Vec<Place> {
        let (corner, Size { width, height }) = (self.keys.top_left, self.keys.size);
        let (count, end) = (rows.len() as u32, self.area.bottom_right().unwrap_or(corner) + Point::new(1, 1));
        let mut places = Vec::new();
        for (at, row) in (0..).zip(rows) {
            // Edges are rounded from the upper left corner, so that no pixel is lost or shared.
            let y = |row: u32| corner.y + (height * row / count) as i32;
            let mut left = across.saturating_sub(quarters(row)) / 2;
            for (place, key) in row.iter().enumerate() {
                let x = |quarters: u32| corner.x + (width * quarters / across) as i32;
                let cell = between((x(left), y(at)), (x(left + key.quarters), y(at + 1)));
                left += key.quarters;
                // Keys at the edge have all that is beyond them: there is nothing else to be meant.
                let from_x = if place == 0 { self.area.top_left.x } else { cell.top_left.x };
                let from_y = if at == 0 { self.area.top_left.y } else { cell.top_left.y };
                let to_x = if place + 1 == row.len() { end.x } else { x(left) };
                let to_y = if at + 1 == count { end.y } else { y(at + 1) };
                let touch = between((from_x, from_y), (to_x, to_y));
                places.push(Place { press: key.press, hint: None, touch, face: face(cell, self.gap) });
            }
        }
        places
    }
}

/// Whether rows that are not needed are shown: where all keys are large enough for fingers then, and
/// title, field and message are as large as they would be without.
fn has_height(ruler: &Ruler, layout: &Layout) -> bool {
    let (across, rows) = (layout.quarters(), layout.height(true) as u32);
    if rows as usize == layout.height(false) {
        return false;
    }
    let pitch = pitch(ruler, rows, across);
    let face = pitch - gap(ruler, pitch, across);
    // Half a row for what is around the keys.
    let left = ruler.size.height.saturating_sub(pitch * (2 * rows + 1) / 2);
    face >= ruler.real(FACE_MM) && left >= stack::height(ruler)
}

fn gap(ruler: &Ruler, pitch: u32, across: u32) -> u32 {
    (pitch / 12).min(ruler.size.width * 4 / across / 12).max(1)
}

/// From a row of keys to the next one: what a finger wants, within what the panel has.
fn pitch(ruler: &Ruler, rows: u32, across: u32) -> u32 {
    let Size { width, height } = ruler.size;
    // A tall panel has room above; another one needs more of its height for the keys.
    let share = height * if ruler.is_tall() { SHARE_TALL } else { SHARE } / 100;
    let room = share.min(height.saturating_sub(stack::HEIGHT_MIN + 1)).max(rows);
    // Whatever somebody claims of the panel's size.
    let least = height / 24;
    // Keys much higher than wide look wrong and reach no further.
    let upright = width * 6 / across;
    ruler.felt(PITCH_MM).max(least).min(room / rows).min(upright).max(1)
}

fn between((left, top): (i32, i32), (right, bottom): (i32, i32)) -> Rectangle {
    Rectangle::new(Point::new(left, top), Size::new((right - left).max(0) as u32, (bottom - top).max(0) as u32))
}

/// What is drawn of a key: its cell less half a gap on every side.
fn face(cell: Rectangle, gap: u32) -> Rectangle {
    let before = (gap / 2) as i32;
    let size = Size::new(cell.size.width.saturating_sub(gap).max(1), cell.size.height.saturating_sub(gap).max(1));
    Rectangle::new(cell.top_left + Point::new(before, before), size)
}
