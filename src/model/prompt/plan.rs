//! Where everything sits on a panel: the keys of every layer, the field, the lines of text.

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::layout::{Layout, Press, quarters};
use crate::error::{Error, Exit, Result};

/// Smaller panels cannot hold a keyboard that a finger can use.
pub const SIZE_MIN: Size = Size::new(160, 120);

/// A key should be this high; fingers miss smaller ones.
const KEY_HEIGHT_MM: f32 = 9.0;
/// Dots an inch that a PC's monitor has when nothing is known.
const DPI_MONITOR: f32 = 110.0;
/// Dots an inch of a portrait panel, which is a phone's or a tablet's.
const DPI_PHONE: f32 = 280.0;

/// A panel as the framebuffer driver tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Visible pixels.
    pub size: Size,
    /// Width and height in millimetres as the driver says: often zero, minus one or invented.
    pub millimetres: (u32, u32),
}

impl Panel {
    /// Whether a prompt fits.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when the panel is too small.
    pub fn check(&self) -> Result<()> {
        let Size { width, height } = self.size;
        if width >= SIZE_MIN.width && height >= SIZE_MIN.height {
            return Ok(());
        }
        let needed = format!("{}x{}", SIZE_MIN.width, SIZE_MIN.height);
        let cause = format!("the framebuffer has {width}x{height} pixels and the prompt needs {needed}");
        Err(Error::new(Exit::NoDisplay, "lay out the prompt", cause))
    }

    /// Pixels a millimetre: from the driver's size where it is believable, guessed otherwise.
    pub fn px_per_mm(&self) -> f32 {
        let (width_mm, height_mm) = self.millimetres;
        let sane = |mm: u32| (10..=2000).contains(&mm);
        let told = self.size.width as f32 / width_mm.max(1) as f32;
        let told_dpi = told * 25.4;
        // The lower bound is above what emulated displays claim; the upper one is above any panel.
        if sane(width_mm) && sane(height_mm) && (105.0..=700.0).contains(&told_dpi) {
            return told;
        }
        let portrait = self.size.height > self.size.width;
        let small = self.size.width.max(self.size.height) <= 800;
        (if portrait && !small { DPI_PHONE } else { DPI_MONITOR }) / 25.4
    }
}

/// A key in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it does.
    pub press: Press,
    /// Its area in pixels, the gap to its neighbours included: a touch there means this key.
    pub touch: Rectangle,
    /// The area that is drawn.
    pub face: Rectangle,
}

/// Everything's place on one panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The panel's pixels.
    pub size: Size,
    /// The line that says which volume is asked for.
    pub title: Rectangle,
    /// The field that shows what was typed.
    pub field: Rectangle,
    /// The line under the field: what went wrong, what is going on.
    pub message: Rectangle,
    /// The keyboard's background.
    pub keyboard: Rectangle,
    /// The keys of each layer, in the layout's order.
    pub layers: Vec<Vec<Place>>,
    /// Height of a key's face in pixels, which its label's size follows.
    pub key_height: u32,
    /// Height of a line of text in pixels.
    pub text_height: u32,
}

impl Plan {
    /// Lays `layout` out on `panel`.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when the panel is too small.
    pub fn new(panel: Panel, layout: &Layout) -> Result<Self> {
        let size = panel.size;
        panel.check()?;
        let rows = layout.height() as u32;
        let pitch = row_pitch(panel, rows);
        let keyboard_height = pitch * rows;
        let top = size.height - keyboard_height;
        let keyboard = Rectangle::new(Point::new(0, top as i32), Size::new(size.width, keyboard_height));
        let text_height = (pitch * 3 / 5).clamp(14, 72).min(top / 5);
        let (title, field, message) = lines(size.width, top, pitch, text_height);
        let layers =
            layout.layers().iter().map(|layer| keys(&layer.rows, layout.quarters(), keyboard, pitch)).collect();
        Ok(Self { size, title, field, message, keyboard, layers, key_height: pitch - gap(pitch), text_height })
    }

    /// The key of `layer` at a pixel.
    pub fn key_at(&self, layer: usize, at: Point) -> Option<usize> {
        self.layers.get(layer)?.iter().position(|place| place.touch.contains(at))
    }
}

/// Height of a row of keys with its gap: what a finger wants, within what the panel has.
fn row_pitch(panel: Panel, rows: u32) -> u32 {
    let size = panel.size;
    let wanted = (KEY_HEIGHT_MM * panel.px_per_mm()) as u32;
    // A portrait panel has room above; a landscape one needs more of its height for the keys.
    let share = if size.height > size.width { size.height * 45 / 100 } else { size.height * 58 / 100 };
    let most = (share / rows).max(1);
    // Keys much higher than wide look wrong and reach no further; on a big screen a tenth is enough.
    let wide = size.width * 16 / 100;
    wanted.max(size.height / if size.height > size.width { 16 } else { 10 }).min(most).min(wide.max(1))
}

fn gap(pitch: u32) -> u32 {
    (pitch / 12).max(1)
}

/// Title, field and message, stacked in the middle of what the keyboard leaves. The message has
/// room for two lines.
fn lines(width: u32, height: u32, pitch: u32, text: u32) -> (Rectangle, Rectangle, Rectangle) {
    let field_height = (pitch * 9 / 10).min(height / 3).max(text);
    let message_height = (2 * text).min(height.saturating_sub(field_height + text)).max(text);
    let space = (height.saturating_sub(field_height + text + message_height) / 4).min(text / 2);
    let used = field_height + text + message_height + 2 * space;
    let margin = (width / 24).max(4);
    let field_width = (width - 2 * margin).min(pitch * 10);
    let mut y = height.saturating_sub(used) / 2;
    let mut line = |line_width: u32, line_height: u32| {
        let left = (width - line_width) / 2;
        let area = Rectangle::new(Point::new(left as i32, y as i32), Size::new(line_width, line_height));
        y += line_height + space;
        area
    };
    let wide = width - 2 * margin;
    (line(wide, text), line(field_width, field_height), line(wide, message_height))
}

fn keys(rows: &[Vec<super::layout::Key>], across: u32, keyboard: Rectangle, pitch: u32) -> Vec<Place> {
    // Keys much wider than high are far apart for two thumbs: a wide panel gets a centred keyboard.
    let width = keyboard.size.width.min(pitch * 5 / 2 * across / 4).max(1);
    let inset = (keyboard.size.width - width) / 2;
    let gap = gap(pitch);
    let mut places = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let y = keyboard.top_left.y + (at as u32 * pitch) as i32;
        let mut left = across.saturating_sub(quarters(row)) / 2;
        for key in row {
            // Edges are rounded from the left border, so that no pixel is lost or shared.
            let x = inset + width * left / across;
            let end = inset + width * (left + key.quarters) / across;
            left += key.quarters;
            let touch = Rectangle::new(Point::new(x as i32, y), Size::new(end - x, pitch));
            places.push(Place { press: key.press, touch, face: face(touch, gap) });
        }
    }
    places
}

/// What is drawn of a key: its area less half a gap on every side.
fn face(touch: Rectangle, gap: u32) -> Rectangle {
    let before = (gap / 2) as i32;
    let size = Size::new(touch.size.width.saturating_sub(gap).max(1), touch.size.height.saturating_sub(gap).max(1));
    Rectangle::new(touch.top_left + Point::new(before, before), size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::prompt::layout::US;

    fn plan(width: u32, height: u32, millimetres: (u32, u32)) -> Result<Plan> {
        let layout = Layout::parse("us", US).unwrap();
        Plan::new(Panel { size: Size::new(width, height), millimetres }, &layout)
    }

    fn inside(outer: Rectangle, inner: Rectangle) -> bool {
        outer.intersection(&inner) == inner
    }

    #[test]
    fn everything_fits_on_every_panel() {
        let mut sizes = Vec::new();
        for width in (160..=4096).step_by(123) {
            sizes.extend((120..=4096).step_by(149).map(|height| (width, height)));
        }
        sizes.extend([(240, 240), (480, 800), (720, 1440), (1080, 2400), (1366, 768), (3840, 2160), (4096, 4096)]);
        for (width, height) in sizes {
            for millimetres in [(0, 0), (u32::MAX, u32::MAX), (68, 136), (320, 200), (12, 1999)] {
                let plan = plan(width, height, millimetres).unwrap();
                let panel = Rectangle::new(Point::zero(), plan.size);
                let parts = [plan.title, plan.field, plan.message, plan.keyboard];
                for (at, part) in parts.iter().enumerate() {
                    assert!(inside(panel, *part), "{width}x{height} {millimetres:?}: {part:?} is clipped");
                    assert!(part.size.height >= 8, "{width}x{height}: {part:?} is too flat");
                    for other in &parts[at + 1..] {
                        assert!(part.intersection(other).is_zero_sized(), "{width}x{height}: {part:?} on {other:?}");
                    }
                }
                for layer in &plan.layers {
                    for (at, key) in layer.iter().enumerate() {
                        assert!(inside(plan.keyboard, key.touch), "{width}x{height}: {key:?}");
                        assert!(inside(key.touch, key.face), "{width}x{height}: {key:?}");
                        for other in &layer[at + 1..] {
                            assert!(key.touch.intersection(&other.touch).is_zero_sized(), "{key:?} on {other:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn tiny_panels_are_refused() {
        for (width, height) in [(3, 3), (0, 0), (159, 500), (500, 119)] {
            assert_eq!(plan(width, height, (0, 0)).unwrap_err().exit(), Exit::NoDisplay);
        }
    }

    #[test]
    fn a_phone_has_keys_of_seven_millimetres() {
        // Librem 5: 720x1440 on 65x130 mm.
        let plan = plan(720, 1440, (65, 130)).unwrap();
        let px_per_mm = 720.0 / 65.0;
        assert!(plan.key_height as f32 >= 7.0 * px_per_mm, "{} px", plan.key_height);
    }

    #[test]
    fn a_touch_finds_the_key_it_is_on() {
        let plan = plan(720, 1440, (0, 0)).unwrap();
        for (layer, keys) in plan.layers.iter().enumerate() {
            for (at, key) in keys.iter().enumerate() {
                assert_eq!(plan.key_at(layer, key.face.center()), Some(at));
            }
        }
        assert_eq!(plan.key_at(0, Point::new(0, 0)), None);
        assert_eq!(plan.key_at(9, plan.layers[0][0].face.center()), None);
    }
}
