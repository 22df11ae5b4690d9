//! Text at any size: how long it gets, and drawing it.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::glyph::{Glyph, Scale, glyph};
use super::ink::Ink;
use super::outline::{PX, fill};

/// Stands for the letter of a mark.
const CIRCLE: char = '\u{25cc}';
/// Text smaller than this cannot be read.
const EM_MIN_PX: u16 = 9;
/// Memory for the largest glyph grows with its square.
const EM_MAX_PX: u16 = 200;

/// The font at one size. Nothing is kept between two drawings: which characters were drawn may be
/// what a passphrase consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    scale: Scale,
}

impl Face {
    /// The largest face that passes; none when the smallest one does not. A face larger than one
    /// that fails must fail too.
    pub(super) fn largest(passes: &dyn Fn(Self) -> bool) -> Option<Self> {
        let face = |em_px| Self { scale: Scale::new(em_px) };
        if !passes(face(EM_MIN_PX)) {
            return None;
        }
        let (mut most, mut over) = (EM_MIN_PX, EM_MAX_PX + 1);
        while over - most > 1 {
            let middle = u16::midpoint(most, over);
            if passes(face(middle)) { most = middle } else { over = middle }
        }
        Some(face(most))
    }

    /// The smallest face that can be read.
    pub const SMALLEST: Self = Self { scale: Scale::new(EM_MIN_PX) };

    /// The largest face whose `text` fits into `room`; the smallest one when none does.
    pub fn fitting(text: &str, room: Size) -> Self {
        let units = Self::units(text);
        let fits = |face: Self| face.height() <= room.height && face.scale.pixels(units) <= room.width;
        Self::largest(&fits).unwrap_or(Self::SMALLEST)
    }

    /// Height of a line in pixels.
    pub fn height(self) -> u32 {
        self.scale.ascent() + self.scale.descent()
    }

    /// From a line to the next one in pixels: less than its height, which has room for accents on
    /// capitals.
    pub fn pitch(self) -> u32 {
        (self.scale.em() * 11).div_ceil(9)
    }

    /// Width of `text` in pixels.
    pub fn width(self, text: &str) -> u32 {
        self.pixels(Self::units(text))
    }

    /// Pixels that hold so many units.
    pub fn pixels(self, units: u32) -> u32 {
        self.scale.pixels(units)
    }

    /// Width of `text` in units, which is that of any face.
    pub fn units(text: &str) -> u32 {
        glyphs(text).map(Glyph::advance).sum()
    }

    /// Advance of a character in units.
    pub fn advance(character: char) -> u32 {
        glyph(character).map_or(0, Glyph::advance)
    }

    /// Pixels that an icon among letters has in height, and that its strokes are wide.
    pub fn icon(self) -> (u32, u32) {
        // Between a capital letter, which is 7/10 of an em, and the whole em.
        (self.scale.em() * 5 / 6, self.scale.stroke())
    }

    /// Draws `text` in the middle of `area` and nothing outside of it.
    pub fn draw_centred<D: DrawTarget<Color = Rgb888>>(
        self,
        target: &mut D,
        text: &str,
        area: Rectangle,
        ink: Ink,
    ) -> Result<(), D::Error> {
        let spare = area.size.width.saturating_sub(self.width(text)) / 2;
        self.draw_from(target, text, area, spare, ink)
    }

    /// Draws `text` at the left of `area`, centred in its height, and nothing outside of it.
    pub fn draw_left<D: DrawTarget<Color = Rgb888>>(
        self,
        target: &mut D,
        text: &str,
        area: Rectangle,
        ink: Ink,
    ) -> Result<(), D::Error> {
        self.draw_from(target, text, area, 0, ink)
    }

    fn draw_from<D: DrawTarget<Color = Rgb888>>(
        self,
        target: &mut D,
        text: &str,
        area: Rectangle,
        right: u32,
        ink: Ink,
    ) -> Result<(), D::Error> {
        let above = (area.size.height as i32 - self.height() as i32) / 2;
        let baseline = area.top_left.y + above + self.scale.ascent() as i32;
        // Some letters of Arabic go deeper than those that lines are made for.
        let depth = glyphs(text).map(Glyph::depth).max().map_or(0, |depth| self.scale.pixels(depth) as i32);
        let bottom = area.top_left.y + area.size.height as i32;
        let baseline = baseline.min((bottom - depth).max(area.top_left.y));
        let mut pen = 0;
        for glyph in glyphs(text) {
            let x = (area.top_left.x + right as i32) * PX + self.scale.right(pen);
            fill(target, area, ink, |tell| glyph.trace(self.scale, Point::new(x, baseline * PX), tell))?;
            pen += glyph.advance();
        }
        Ok(())
    }
}

/// What is drawn for `text`. A mark that has no letter before it, as on a key, gets a circle.
fn glyphs(text: &str) -> impl Iterator<Item = &'static Glyph> {
    let mut glyphs = text.chars().filter_map(glyph).peekable();
    let circle = glyphs.next_if(|first| first.is_mark()).and_then(|mark| Some([glyph(CIRCLE)?, mark]));
    circle.into_iter().flatten().chain(glyphs)
}

#[cfg(test)]
mod tests {
    use embedded_graphics::pixelcolor::RgbColor;

    use super::*;
    use crate::model::frame::Frame;

    const INK: Ink = Ink { text: Rgb888::WHITE, paper: Rgb888::BLACK, smooth: true };

    fn face(em_px: u16) -> Face {
        Face { scale: Scale::new(em_px) }
    }

    /// Text with a border of 10 pixels round its line.
    fn drawn(face: Face, text: &str) -> Frame {
        let size = Size::new(face.width(text) + 20, face.height() + 20);
        let mut frame = Frame::new(size);
        let line = Rectangle::new(Point::new(10, 10), Size::new(face.width(text), face.height()));
        // The area is larger than the line, so that nothing is cut.
        let area = Rectangle::new(Point::zero(), Size::new(size.width, size.height));
        face.draw_from(&mut frame, text, area, line.top_left.x as u32, INK).unwrap();
        frame
    }

    #[test]
    fn text_stays_in_its_line() {
        for em_px in (EM_MIN_PX..=40).chain([73, 118, EM_MAX_PX]) {
            let (face, text) = (face(em_px), "Agjpqy|{}\u{2026}");
            let frame = drawn(face, text);
            // Some letters lean out of their advance by a twentieth of an em.
            let lean = 11 + u32::from(em_px) / 20;
            let border =
                |x: u32, y: u32| y < 10 || y >= face.height() + 10 || x + lean < 20 || x >= face.width(text) + lean;
            let columns = face.width(text) as usize + 20;
            for (at, pixel) in frame.pixels().iter().enumerate() {
                let (x, y) = ((at % columns) as u32, (at / columns) as u32);
                assert!(*pixel == 0 || !border(x, y), "{em_px} px: {x},{y}");
            }
            let solid = if em_px < 14 { 0xbb } else { 0xff };
            assert!(frame.pixels().iter().any(|pixel| pixel & 0xff >= solid), "{em_px} px: nothing solid");
        }
    }

    #[test]
    fn small_letters_are_sharp_above_and_below() {
        let (face, tones) = (face(11), b" .:-=+*#%@");
        let frame = drawn(face, "ag");
        let columns = face.width("ag") as usize + 20;
        let tone = |pixel: &u32| tones[(pixel & 0xff) as usize * 9 / 255] as char;
        let rows = frame.pixels().chunks(columns).map(|row| row.iter().skip(10).take(12).map(tone).collect::<String>());
        let seen: Vec<String> = rows.filter(|row| !row.trim().is_empty()).collect();
        let meant = [
            " +***  :#*+#",
            "    *: %. :%",
            " .=+#:.#   %",
            ":#:.*:.#   %",
            "==  #: %  .%",
            ".#**+: :#*+%",
            "           %",
            "       :  =*",
            "       +%%#.",
        ];
        assert_eq!(seen, meant);
    }

    /// The boot tests compare screens of three architectures with pictures made on a fourth.
    #[test]
    fn every_machine_draws_the_same() {
        let text: String = (' '..='~').collect();
        let hashes = [9, 14, 20, 27, 53, 110, 200].map(|em_px| {
            let fold = |hash: u32, pixel: &u32| (hash ^ pixel & 0xff).wrapping_mul(0x0100_0193);
            drawn(face(em_px), &text).pixels().iter().fold(0x811c_9dc5, fold)
        });
        let meant = [0xd48b_3f95, 0xba65_d38a, 0xb680_5736, 0x11b1_5004, 0xf942_1781, 0xd2bf_46ae, 0x42cb_5c36];
        assert_eq!(hashes, meant, "{hashes:#x?}");
    }

    #[test]
    fn fitting_finds_the_largest() {
        for (width, height) in [(30, 100), (1000, 100), (2000, 40), (4000, 4000), (77, 15)] {
            let room = Size::new(width, height);
            let fits = |face: Face| face.height() <= height && face.width("abc") <= width;
            let face = Face::fitting("abc", room);
            assert!(fits(face), "{room}");
            let above = self::face(face.scale.em() as u16 + 1);
            assert!(!fits(above) || above.scale.em() > u32::from(EM_MAX_PX), "{room}");
        }
        assert_eq!(Face::fitting("abc", Size::zero()), Face::SMALLEST);
        assert_eq!(Face::fitting(&"m".repeat(100_000), Size::new(4096, 99)), Face::SMALLEST);
    }

    #[test]
    fn a_mark_without_a_letter_is_on_a_circle() {
        for mark in ["\u{5b8}", "\u{64e}", "\u{941}", "\u{e48}"] {
            let on_circle = format!("{CIRCLE}{mark}");
            assert_eq!(Face::units(mark), Face::units(&on_circle), "{mark:?}");
            assert!(drawn(face(40), mark).pixels() == drawn(face(40), &on_circle).pixels(), "{mark:?}");
            assert_eq!(Face::units(&format!("\u{5d0}{mark}")), Face::units("\u{5d0}"), "{mark:?}");
        }
    }

    #[test]
    fn deep_letters_are_not_cut() {
        for text in ["\u{62c}", "\u{64a}", "p"] {
            let face = face(60);
            let line = Size::new(face.width(text) + 20, face.height());
            let mut frame = Frame::new(line);
            face.draw_centred(&mut frame, text, Rectangle::new(Point::zero(), line), INK).unwrap();
            let sum = |frame: &Frame| frame.pixels().iter().map(|pixel| pixel & 0xff).sum::<u32>();
            let (tight, wide) = (sum(&frame), sum(&drawn(face, text)));
            assert!(tight.abs_diff(wide) * 100 < wide, "{text}: {tight} of {wide}");
        }
    }
}
