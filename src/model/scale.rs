//! Pictures in other sizes: each pixel is the mean of what it covers.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::frame::Frame;

/// The size of a picture, and the one that it is shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    from: Size,
    to: Size,
}

impl Scale {
    /// Shows a picture of `from` pixels in a room: as many times larger as there is room for, at most
    /// `times_max`, or as much smaller as it takes. It keeps its shape.
    pub fn fitting(from: Size, room: Size, times_max: u32) -> Self {
        let (wide, high) = (u64::from(from.width.max(1)), u64::from(from.height.max(1)));
        let (width, height) = (u64::from(room.width), u64::from(room.height));
        let times = (width / wide).min(height / high).min(u64::from(times_max));
        // `part` in `whole` of a side, rounded, and never nothing.
        let side = |side: u64, (part, whole): (u64, u64)| ((side * part + whole / 2) / whole).max(1);
        let (width, height) = if times > 0 {
            (wide * times, high * times)
        } else if width * high < height * wide {
            (width, side(high, (width, wide)))
        } else {
            (side(wide, (height, high)), height)
        };
        Self { from, to: Size::new(width as u32, height as u32) }
    }

    /// The size that it is shown in.
    pub const fn size(self) -> Size {
        self.to
    }

    /// Draws all that shows something of an area of `picture` on `frame`, where it begins at `corner`.
    pub fn draw(self, (picture, area): (&Frame, Rectangle), (frame, corner): (&mut Frame, Point)) {
        let Some(last) = area.bottom_right() else { return };
        let (width, height) = ((self.from.width, self.to.width), (self.from.height, self.to.height));
        let across = seen((area.top_left.x, last.x), width);
        let left = across.start as i32;
        let columns: Vec<Share> = across.map(|x| Share::new(x, width)).collect();
        let (Some(one), Some(other)) = (columns.first(), columns.last()) else { return };
        let (start, end) = (one.first(), other.end());
        let whole = u64::from(self.from.width) * u64::from(self.from.height);
        let mut sums = vec![[0; 3]; end - start];
        for y in seen((area.top_left.y, last.y), height) {
            // First all rows, then all columns: nothing is rounded in between.
            sums.fill([0; 3]);
            for (row, weight) in Share::new(y, height).parts() {
                add(&mut sums, picture.row(start, row, end - start), weight);
            }
            let colors = columns.iter().map(|column| column.color(&sums, start, whole));
            let line = Rectangle::new(corner + Point::new(left, y as i32), Size::new(columns.len() as u32, 1));
            let Ok(()) = frame.fill_contiguous(&line, colors);
        }
    }
}

/// The pixels of a side that show something of the picture's pixels from `first` to `last`.
fn seen((first, last): (i32, i32), (from, to): (u32, u32)) -> core::ops::Range<u32> {
    let at = |place: i32| u64::from(place.max(0).unsigned_abs()) * u64::from(to);
    let from = u64::from(from.max(1));
    (at(first) / from) as u32..at(last + 1).div_ceil(from) as u32
}

/// What a pixel shows of a row or column of the picture's pixels, each of which is `each` long.
#[derive(Clone, Copy)]
struct Share {
    from: u64,
    to: u64,
    each: u64,
}

impl Share {
    /// That of pixel `at` of a side where `from` pixels are shown by `to`.
    fn new(at: u32, (from, to): (u32, u32)) -> Self {
        let (at, from) = (u64::from(at), u64::from(from));
        Self { from: at * from, to: (at + 1) * from, each: u64::from(to.max(1)) }
    }

    /// The first of the picture's pixels, and the one behind the last.
    fn first(self) -> usize {
        (self.from / self.each) as usize
    }

    fn end(self) -> usize {
        self.to.div_ceil(self.each) as usize
    }

    /// The picture's pixels, and how much of each is in it.
    fn parts(self) -> impl Iterator<Item = (usize, u32)> {
        let overlap = move |at: usize| {
            let (from, to) = (at as u64 * self.each, (at as u64 + 1) * self.each);
            (at, (self.to.min(to) - self.from.max(from)) as u32)
        };
        (self.first()..self.end()).map(overlap)
    }

    /// The mean of sums that begin with pixel `start`; all weights of a pixel are `whole` together.
    fn color(self, sums: &[[u32; 3]], start: usize, whole: u64) -> Rgb888 {
        let mut color = [whole / 2; 3];
        for (at, weight) in self.parts() {
            for (color, sum) in color.iter_mut().zip(sums.get(at - start).copied().unwrap_or_default()) {
                *color += u64::from(sum) * u64::from(weight);
            }
        }
        let [red, green, blue] = color.map(|color| (color / whole.max(1)) as u8);
        Rgb888::new(red, green, blue)
    }
}

/// Adds the colours of a row of pixels, so many times.
fn add(sums: &mut [[u32; 3]], pixels: &[u32], weight: u32) {
    for (sum, pixel) in sums.iter_mut().zip(pixels) {
        let [_, red, green, blue] = pixel.to_be_bytes().map(u32::from);
        for (sum, color) in sum.iter_mut().zip([red, green, blue]) {
            *sum += color * weight;
        }
    }
}
