//! What can be in the place of the keys: all layouts, and whether to switch the machine off.

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::super::layout::{Key, Press};
use super::Place;
use super::keyboard::Keyboard;
use super::ruler::Ruler;

/// The least a layout's key is wide and high, for fingers and in pixels for its name.
const CELL_MM: (f32, f32) = (7.0, 5.0);
const CELL_PX: (u32, u32) = (34, 17);
/// So many columns and rows are better than finger-wide keys, if there are pixels for them: who cannot
/// choose a layout may not be able to type.
const GRID: (u32, u32) = (6, 8);
/// Keys of a row where there are so many.
const COLUMNS_MIN: u32 = 5;

/// A key for each of the first layouts, as many as fit, and at the end one that goes back.
pub(super) fn layouts(ruler: &Ruler, keyboard: &Keyboard, count: usize) -> Vec<Place> {
    let Size { width, height } = keyboard.keys.size;
    let fit = |length: u32, mm: f32, px: u32, least: u32| (length / ruler.real(mm).min(length / least).max(px)).max(1);
    let columns_max = fit(width, CELL_MM.0, CELL_PX.0, GRID.0);
    let rows_max = fit(height, CELL_MM.1, CELL_PX.1, GRID.1).max(if columns_max == 1 { 2 } else { 1 });
    let count = u32::try_from(count).unwrap_or(u32::MAX).min(columns_max * rows_max - 1);
    let all = count + 1;
    let least = COLUMNS_MIN.min(columns_max).min(all);
    let fitting = (least..=columns_max).filter(|columns| all.div_ceil(*columns) <= rows_max);
    // Names are about twice as wide as high.
    let shape = |columns: &u32| {
        let (across, down) = (width / columns, height / all.div_ceil(*columns));
        (across.max(1) * 100 / down.max(1)).abs_diff(220)
    };
    let columns = fitting.min_by_key(shape).unwrap_or(columns_max);
    let pick = |number: u32| Key { press: Press::Pick(number as usize), quarters: 4 };
    let mut rows: Vec<Vec<Key>> = (0..count.div_ceil(columns))
        .map(|row| (row * columns..count.min((row + 1) * columns)).map(pick).collect())
        .collect();
    // The last row's rest, or a row of its own.
    let rest = (columns - count % columns) * 4;
    let back = Key { press: Press::Back, quarters: rest };
    match rows.last_mut().filter(|_| count % columns > 0) {
        Some(last) => last.push(back),
        None => rows.push(vec![back]),
    }
    let rows: Vec<&[Key]> = rows.iter().map(Vec::as_slice).collect();
    keyboard.keys(&rows, columns * 4)
}

/// Two large keys beside each other, the one that changes nothing first.
pub(super) fn power(keyboard: &Keyboard) -> Vec<Place> {
    let (area, gap) = (keyboard.keys, keyboard.gap);
    let width = (area.size.width / 2).min(keyboard.pitch * 5);
    let height = (keyboard.pitch * 3 / 2).min(area.size.height);
    let middle = area.top_left + area.size / 2;
    let top = middle.y - height as i32 / 2;
    let place = |press, left: i32| {
        let touch = Rectangle::new(Point::new(left, top), Size::new(width, height));
        let face = Rectangle::new(
            touch.top_left + Point::new_equal(gap as i32),
            Size::new(width.saturating_sub(2 * gap), height.saturating_sub(2 * gap)),
        );
        Place { press, hint: None, touch, face }
    };
    vec![place(Press::Back, middle.x - width as i32), place(Press::PowerOff, middle.x)]
}
