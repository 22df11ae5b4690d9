//! The cursor: moved by mice, touchpads, tablets and pens, in the upright frame's pixels.

use embedded_graphics::prelude::{Point, Size};

use super::decoder::Phase;

/// Parts of a [`STEPS`]th, in which motions are told, so that a slow one is not lost.
pub const PARTS: i64 = 256;
/// How many counts of a mouse go along the longer side of any panel: about four centimetres of the
/// table. Keys are large, so that no acceleration is needed, and a way is the same at any speed.
pub const STEPS: i64 = 1280;

/// Where the cursor is, and who holds its button.
#[derive(Debug, Default)]
pub struct Pointer {
    /// The panel's pixels.
    size: Size,
    /// In parts of a pixel; `None` until something has moved.
    at: Option<(i64, i64)>,
    /// The device that moved it last.
    mover: u32,
    /// The device whose button is down.
    holder: Option<u32>,
}

/// What a device's button did to the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// A press or release, there.
    Touch(Phase, Point),
    /// The cursor was not seen yet, and is shown there now; nothing is pressed.
    Shown(Point),
}

impl Pointer {
    /// Follows the panel's size; the cursor stays where it is, or at the nearest edge.
    pub fn fit(&mut self, size: Size) {
        if self.size != size {
            self.size = size;
            self.at = self.at.map(|at| self.clamped(at));
        }
    }

    /// Moves the cursor by so many [`PARTS`] of a [`STEPS`]th of the panel's longer side. One that was
    /// not there yet comes from the middle.
    pub fn push(&mut self, device: u32, x: i32, y: i32) -> Point {
        self.mover = device;
        let longer = i64::from(self.size.width.max(self.size.height));
        let way = |value: i32| i64::from(value) * longer / STEPS;
        let (from_x, from_y) = self.at.unwrap_or(self.middle());
        self.at = Some(self.clamped((from_x + way(x), from_y + way(y))));
        self.place()
    }

    /// Puts the cursor on a pixel.
    pub fn put(&mut self, device: u32, at: Point) -> Point {
        self.mover = device;
        // The middle of the pixel.
        let part = |value: i32| i64::from(value) * PARTS + PARTS / 2;
        self.at = Some(self.clamped((part(at.x), part(at.y))));
        self.place()
    }

    /// Takes the cursor away if this device has moved it last; true if it was there.
    pub fn hide(&mut self, device: u32) -> bool {
        self.mover == device && self.at.take().is_some()
    }

    /// A button of a device goes down or up at the cursor.
    pub fn click(&mut self, device: u32, phase: Phase) -> Option<Click> {
        match (phase, self.holder) {
            (Phase::Down, None) if self.at.is_none() => {
                // Nobody can mean what they cannot see.
                self.mover = device;
                self.at = Some(self.middle());
                Some(Click::Shown(self.place()))
            }
            // Its own release may have been missed, while there was no display.
            (Phase::Down, holder) if holder.is_none_or(|holder| holder == device) => {
                self.holder = Some(device);
                Some(Click::Touch(phase, self.place()))
            }
            (Phase::Up | Phase::Cancel, Some(holder)) if holder == device => {
                self.holder = None;
                Some(Click::Touch(phase, self.place()))
            }
            _ => None,
        }
    }

    /// The device whose button is down.
    pub fn holder(&self) -> Option<u32> {
        self.holder
    }

    fn place(&self) -> Point {
        let (x, y) = self.at.unwrap_or(self.middle());
        Point::new((x / PARTS) as i32, (y / PARTS) as i32)
    }

    fn middle(&self) -> (i64, i64) {
        let half = |pixels: u32| i64::from(pixels) * PARTS / 2;
        (half(self.size.width), half(self.size.height))
    }

    fn clamped(&self, (x, y): (i64, i64)) -> (i64, i64) {
        let inside = |at: i64, pixels: u32| at.clamp(0, (i64::from(pixels) * PARTS - 1).max(0));
        (inside(x, self.size.width), inside(y, self.size.height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: i32 = PARTS as i32;

    fn pointer(width: u32, height: u32) -> Pointer {
        let mut pointer = Pointer::default();
        pointer.fit(Size::new(width, height));
        pointer
    }

    #[test]
    fn a_count_is_a_pixel_where_the_longer_side_has_1280() {
        let mut pointer = pointer(1280, 800);
        assert_eq!(pointer.push(1, COUNT, -COUNT), Point::new(641, 399));
        // Half a count at a time adds up.
        pointer.push(1, COUNT / 2, 0);
        assert_eq!(pointer.push(1, COUNT / 2, 0), Point::new(642, 399));
    }

    #[test]
    fn a_way_is_the_same_in_one_step_and_in_many() {
        let (mut one, mut many) = (pointer(2560, 1600), pointer(2560, 1600));
        let at = one.push(1, -100 * COUNT, 50 * COUNT);
        for _ in 0..50 {
            many.push(1, -2 * COUNT, COUNT);
        }
        assert_eq!(many.place(), at);
        assert_eq!(at, Point::new(1280 - 200, 800 + 100));
    }

    #[test]
    fn the_edges_hold_it_back() {
        let mut pointer = pointer(240, 320);
        assert_eq!(pointer.push(1, i32::MIN, i32::MIN), Point::new(0, 0));
        assert_eq!(pointer.push(1, i32::MAX, i32::MAX), Point::new(239, 319));
        // No way beyond the edge is to be made good.
        assert!(pointer.push(1, -8 * COUNT, 0).x < 239);
        assert_eq!(pointer.put(1, Point::new(-5, 900)), Point::new(0, 319));
    }

    #[test]
    fn another_layout_leaves_it_where_it_is() {
        let mut pointer = pointer(1280, 800);
        let at = pointer.put(1, Point::new(700, 500));
        pointer.fit(Size::new(1024, 600));
        assert_eq!(pointer.place(), at);
        pointer.fit(Size::new(480, 300));
        assert_eq!(pointer.place(), Point::new(479, 299));
        pointer.fit(Size::zero());
        assert_eq!(pointer.push(1, COUNT, COUNT), Point::zero());
    }

    #[test]
    fn a_click_without_a_cursor_shows_it_and_presses_nothing() {
        let mut pointer = pointer(200, 100);
        assert_eq!(pointer.click(1, Phase::Down), Some(Click::Shown(Point::new(100, 50))));
        assert_eq!(pointer.click(1, Phase::Up), None);
        assert_eq!(pointer.click(1, Phase::Down), Some(Click::Touch(Phase::Down, Point::new(100, 50))));
        assert_eq!(pointer.holder(), Some(1));
        // Another one's button does nothing meanwhile.
        assert_eq!(pointer.click(2, Phase::Down), None);
        assert_eq!(pointer.click(2, Phase::Up), None);
        // Its own was let go when nobody heard it.
        assert_eq!(pointer.click(1, Phase::Down), Some(Click::Touch(Phase::Down, Point::new(100, 50))));
        assert_eq!(pointer.click(1, Phase::Cancel), Some(Click::Touch(Phase::Cancel, Point::new(100, 50))));
        assert_eq!(pointer.holder(), None);
    }

    #[test]
    fn it_goes_with_the_device_that_moved_it() {
        let mut pointer = pointer(200, 100);
        pointer.push(1, COUNT, 0);
        pointer.push(2, COUNT, 0);
        assert!(!pointer.hide(1));
        assert!(pointer.hide(2) && !pointer.hide(2));
    }
}
