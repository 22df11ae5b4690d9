//! The cells of alternatives above a key that is held.

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::Place;

/// Cells in order of likelihood; see [`Plan::choices`](super::Plan::choices).
pub(super) fn cells(size: Size, key_height: u32, key: &Place, count: usize) -> Vec<Rectangle> {
    let Ok(count @ 1..) = u32::try_from(count) else { return Vec::new() };
    // As wide as the key where that is a good width for a finger, and so that two rows suffice.
    let wanted = key.touch.size.width.clamp(key_height * 4 / 5, key_height * 5 / 4);
    let width = wanted.min(size.width / count.div_ceil(2)).max(1);
    let rows = if count * width <= size.width { 1 } else { 2 };
    let columns = count.div_ceil(rows);
    let bottom = key.face.top_left.y;
    let height = key_height.min(bottom.max(0) as u32 / 2);

    let finger = key.face.center().x.clamp(0, size.width as i32 - 1);
    let over = finger - width as i32 / 2;
    // Into the half of the panel where there is more room.
    let left = if finger < size.width as i32 / 2 { over } else { over - ((columns - 1) * width) as i32 };
    // Clear of the panel's edge, if there is room for that.
    let spare = size.width - columns * width;
    let edge = (key_height / 12).min(spare / 2) as i32;
    let left = left.clamp(edge, spare as i32 - edge);
    let first = ((finger - left) / width as i32).clamp(0, columns as i32 - 1);
    let mut order: Vec<i32> = (0..columns as i32).collect();
    order.sort_by_key(|column| (column - first).abs());
    let cell = |row: i32, column: i32| {
        let corner = Point::new(left + column * width as i32, bottom - (row + 1) * height as i32);
        Rectangle::new(corner, Size::new(width, height))
    };
    let places = (0..rows as i32).flat_map(|row| order.iter().map(move |column| (row, *column)));
    places.take(count as usize).map(|(row, column)| cell(row, column)).collect()
}
