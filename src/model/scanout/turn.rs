//! Turning: the frame stays upright for the one who looks at it, the panel may be mounted otherwise.

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

/// By how much the picture is turned on the panel's pixels, clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// As the panel reads its memory.
    #[default]
    Upright,
    /// The picture's upper edge is on the panel's right side.
    Clockwise,
    /// The picture's upper edge is on the panel's lower side.
    UpsideDown,
    /// The picture's upper edge is on the panel's left side.
    Counterclockwise,
}

impl Rotation {
    /// All four, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Upright, Self::Clockwise, Self::UpsideDown, Self::Counterclockwise];

    /// What `/sys/class/graphics/fbcon/rotate` and `fbcon=rotate:` call 0..=3: `FB_ROTATE_UR`,
    /// `FB_ROTATE_CW`, `FB_ROTATE_UD`, `FB_ROTATE_CCW` of include/uapi/linux/fb.h.
    ///
    /// The sense is the kernel's: with 1 its console puts column `x` of line `y` at row `x` of the
    /// panel, and `y` from the panel's right (`cw_bmove`, drivers/video/fbdev/core/fbcon_cw.c), so
    /// that it is upright on a panel which was turned counterclockwise.
    pub fn from_fbcon(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// From degrees clockwise: 0, 90, 180 or 270.
    pub fn from_degrees(degrees: u32) -> Option<Self> {
        if degrees.is_multiple_of(90) { Self::from_fbcon(degrees / 90) } else { None }
    }

    /// Whether width and height change places.
    pub const fn is_sideways(self) -> bool {
        matches!(self, Self::Clockwise | Self::Counterclockwise)
    }
}

/// A rotation on a panel: between places of the frame and places of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    rotation: Rotation,
    panel: Size,
}

impl Turn {
    /// A rotation on a panel of so many pixels.
    pub const fn new(rotation: Rotation, panel: Size) -> Self {
        Self { rotation, panel }
    }

    /// By how much.
    pub const fn rotation(self) -> Rotation {
        self.rotation
    }

    /// Pixels of a frame that fills the panel.
    pub const fn size(self) -> Size {
        let Size { width, height } = self.panel;
        if self.rotation.is_sideways() { Size::new(height, width) } else { self.panel }
    }

    /// Where an area of the frame is on the panel.
    pub fn to_panel(self, area: Rectangle) -> Rectangle {
        turn(self.rotation, self.panel, area)
    }

    /// Where an area of the panel is in the frame: the inverse of [`Turn::to_panel`].
    pub fn to_frame_area(self, area: Rectangle) -> Rectangle {
        let back = match self.rotation {
            Rotation::Clockwise => Rotation::Counterclockwise,
            Rotation::Counterclockwise => Rotation::Clockwise,
            same => same,
        };
        turn(back, self.size(), area)
    }

    /// The frame's pixel that a pixel of the panel shows: where a touch on the panel is meant.
    pub fn to_frame(self, at: Point) -> Point {
        self.to_frame_area(Rectangle::new(at, Size::new_equal(1))).top_left
    }
}

/// Turns an area clockwise, into a space of `size`.
fn turn(rotation: Rotation, size: Size, area: Rectangle) -> Rectangle {
    let Rectangle { top_left: at, size: extent } = area;
    // From the far edge of the space to the far edge of the area.
    let beyond = |space: u32, at: i32, extent: u32| {
        i32::try_from(i64::from(space) - i64::from(at) - i64::from(extent)).unwrap_or(i32::MIN)
    };
    let sideways = Size::new(extent.height, extent.width);
    match rotation {
        Rotation::Upright => area,
        Rotation::Clockwise => Rectangle::new(Point::new(beyond(size.width, at.y, extent.height), at.x), sideways),
        Rotation::UpsideDown => {
            let corner = Point::new(beyond(size.width, at.x, extent.width), beyond(size.height, at.y, extent.height));
            Rectangle::new(corner, extent)
        }
        Rotation::Counterclockwise => {
            Rectangle::new(Point::new(at.y, beyond(size.height, at.x, extent.width)), sideways)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [Size; 5] =
        [Size::new(4, 6), Size::new(5, 3), Size::new(1, 7), Size::new(8, 8), Size::new(1080, 2400)];

    fn pixel(x: i32, y: i32) -> Rectangle {
        Rectangle::new(Point::new(x, y), Size::new_equal(1))
    }

    #[test]
    fn the_frames_corners_are_where_the_kernels_console_puts_them() {
        let panel = Size::new(40, 60);
        // Upper left and upper right corner of the frame on the panel.
        for (number, left, right) in
            [(0, (0, 0), (39, 0)), (1, (39, 0), (39, 59)), (2, (39, 59), (0, 59)), (3, (0, 59), (0, 0))]
        {
            let turn = Turn::new(Rotation::from_fbcon(number).unwrap(), panel);
            let last = turn.size().width as i32 - 1;
            assert_eq!(turn.to_panel(pixel(0, 0)).top_left, left.into(), "{number}");
            assert_eq!(turn.to_panel(pixel(last, 0)).top_left, right.into(), "{number}");
        }
        // As fbcon_cw.c has it: line 1, column 2 of characters of 8x16 pixels.
        let character = Rectangle::new(Point::new(2 * 8, 16), Size::new(8, 16));
        let shown = Turn::new(Rotation::Clockwise, panel).to_panel(character);
        assert_eq!(shown, Rectangle::new(Point::new(40 - 2 * 16, 2 * 8), Size::new(16, 8)));
    }

    #[test]
    fn every_pixel_has_one_place_and_comes_back() {
        for panel in SIZES.into_iter().filter(|size| size.width < 100) {
            for rotation in Rotation::ALL {
                let turn = Turn::new(rotation, panel);
                let mut seen = std::collections::HashSet::new();
                for y in 0..turn.size().height as i32 {
                    for x in 0..turn.size().width as i32 {
                        let at = turn.to_panel(pixel(x, y)).top_left;
                        assert!(Rectangle::new(Point::zero(), panel).contains(at), "{turn:?} {at}");
                        assert!(seen.insert((at.x, at.y)), "{turn:?}: two at {at}");
                        assert_eq!(turn.to_frame(at), Point::new(x, y), "{turn:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn areas_turn_with_their_pixels() {
        for panel in SIZES {
            for rotation in Rotation::ALL {
                let turn = Turn::new(rotation, panel);
                let Size { width, height } = turn.size();
                let area = Rectangle::new(
                    Point::new(width as i32 / 3, height as i32 / 4),
                    Size::new(width - width / 3, height / 2 + 1),
                );
                let shown = turn.to_panel(area);
                assert_eq!(turn.to_frame_area(shown), area, "{turn:?}");
                let end = area.top_left + area.size - Point::new(1, 1);
                for corner in [area.top_left, end, Point::new(area.top_left.x, end.y)] {
                    let at = turn.to_panel(pixel(corner.x, corner.y)).top_left;
                    assert!(shown.contains(at), "{turn:?}: {corner} of {area:?} is at {at}, not in {shown:?}");
                }
                let pixels = |area: Rectangle| area.size.width * area.size.height;
                assert_eq!(pixels(shown), pixels(area));
            }
        }
    }

    #[test]
    fn touches_beyond_the_panel_stay_outside() {
        for rotation in Rotation::ALL {
            let turn = Turn::new(rotation, Size::new(40, 60));
            let frame = Rectangle::new(Point::zero(), turn.size());
            for outside in [(-1, 5), (40, 5), (5, -1), (5, 60), (i32::MAX, i32::MIN), (i32::MIN, i32::MAX)] {
                assert!(!frame.contains(turn.to_frame(outside.into())), "{rotation:?} {outside:?}");
            }
        }
    }

    #[test]
    fn numbers_and_degrees_are_known() {
        for (number, rotation) in (0..).zip(Rotation::ALL) {
            assert_eq!(Rotation::from_fbcon(number), Some(rotation));
            assert_eq!(Rotation::from_degrees(number * 90), Some(rotation));
        }
        for unknown in [4, 5, 90, u32::MAX] {
            assert_eq!(Rotation::from_fbcon(unknown), None);
        }
        for unknown in [1, 45, 360, u32::MAX] {
            assert_eq!(Rotation::from_degrees(unknown), None);
        }
        assert_eq!(Rotation::default(), Rotation::Upright);
    }
}
