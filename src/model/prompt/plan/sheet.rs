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

/// Pages with a key for each layout, and at the end of each one that goes on, if there are more pages than
/// one, and one that goes back.
pub(super) fn layouts(ruler: &Ruler, keyboard: &Keyboard, count: usize) -> Vec<Vec<Place>> {
    let Size { width, height } = keyboard.keys.size;
    let fit = |length: u32, mm: f32, px: u32, least: u32| (length / ruler.real(mm).min(length / least).max(px)).max(1);
    let columns_max = fit(width, CELL_MM.0, CELL_PX.0, GRID.0);
    let rows_max = fit(height, CELL_MM.1, CELL_PX.1, GRID.1).max(if columns_max < 3 { 3 } else { 1 });
    let cells = columns_max * rows_max;
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    // Pages are about as full as each other.
    let pages = if count < cells { 1 } else { count.div_ceil(cells.saturating_sub(2).max(1)) };
    let (each, others) = if pages == 1 { (count, 1) } else { (count.div_ceil(pages), 2) };
    let all = each + others;
    let least = COLUMNS_MIN.min(columns_max).min(all);
    let fitting = (least..=columns_max).filter(|columns| all.div_ceil(*columns) <= rows_max);
    // Names are about twice as wide as high.
    let shape = |columns: &u32| {
        let (across, down) = (width / columns, height / all.div_ceil(*columns));
        (across.max(1) * 100 / down.max(1)).abs_diff(220)
    };
    let columns = fitting.min_by_key(shape).unwrap_or(columns_max);
    let page = |page: u32| {
        let picks = (page * each..count.min((page + 1) * each)).map(|number| Press::Pick(number as usize));
        let more = (pages > 1).then_some(Press::More);
        let presses: Vec<Press> = picks.chain(more).chain([Press::Back]).collect();
        let rows: Vec<Vec<Key>> = presses.chunks(columns as usize).map(|row| widened(row, columns)).collect();
        let rows: Vec<&[Key]> = rows.iter().map(Vec::as_slice).collect();
        keyboard.keys(&rows, columns * 4)
    };
    (0..pages).map(page).collect()
}

/// A row of keys of one column each, but for those that lead to no layout: they share what is left of the row.
fn widened(presses: &[Press], columns: u32) -> Vec<Key> {
    let mut spare = columns.saturating_sub(presses.len() as u32);
    let mut keys: Vec<Key> = presses.iter().map(|press| Key { press: *press, quarters: 4 }).collect();
    let mut wide: Vec<&mut Key> = keys.iter_mut().filter(|key| !matches!(key.press, Press::Pick(_))).collect();
    for left in (1..=wide.len()).rev() {
        let part = spare / left as u32;
        spare -= part;
        if let Some(key) = wide.get_mut(left - 1) {
            key.quarters += part * 4;
        }
    }
    keys
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
