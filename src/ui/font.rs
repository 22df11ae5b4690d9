//! Text at any size: how long it gets, where its lines break, and drawing it.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::glyph::{Glyph, Scale, glyph};
use super::ink::Ink;
use super::outline::{PX, fill};

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
    fn largest(passes: impl Fn(Self) -> bool) -> Option<Self> {
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

    const SMALLEST: Self = Self { scale: Scale::new(EM_MIN_PX) };

    /// The largest face whose `text` fits into `room`; the smallest one when none does.
    pub fn fitting(text: &str, room: Size) -> Self {
        let units = units(text);
        let fits = |face: Self| face.height() <= room.height && face.scale.pixels(units) <= room.width;
        Self::largest(fits).unwrap_or(Self::SMALLEST)
    }

    /// The largest face no higher than `most` in which `text` fits into `room` on lines broken at
    /// spaces, and the lines; in the smallest one, what is too much is cut.
    pub fn wrapping(text: &str, room: Size, most: u32) -> (Self, Vec<String>) {
        let fits = |face: Self| {
            if face.height() > most {
                return false;
            }
            let lines = face.wrap(text, room.width);
            lines.len() as u32 * face.height() <= room.height && lines.iter().all(|line| face.width(line) <= room.width)
        };
        if let Some(face) = Self::largest(fits) {
            return (face, face.wrap(text, room.width).into_iter().map(String::from).collect());
        }
        let face = Self::SMALLEST;
        let most = (room.height / face.height().max(1)).max(1) as usize;
        let mut lines = face.wrap(text, room.width);
        if lines.len() > most {
            // The last line that fits takes all the rest, and is cut.
            let shown: usize = lines.iter().take(most - 1).map(|line| line.len() + 1).sum();
            lines.truncate(most - 1);
            lines.extend(text.get(shown..));
        }
        (face, lines.iter().map(|line| face.clip(line, room.width)).collect())
    }

    /// Breaks `text` at spaces into lines of at most `width` pixels; a longer word has its own line.
    fn wrap(self, text: &str, width: u32) -> Vec<&str> {
        let (mut lines, mut rest) = (Vec::new(), text);
        loop {
            // The end of the last word that fits, or else of the first one.
            let (mut end, mut used) = (None, 0);
            for (at, character) in rest.char_indices().chain([(rest.len(), ' ')]) {
                if character == ' ' {
                    if end.is_some() && self.scale.pixels(used) > width {
                        break;
                    }
                    end = Some(at);
                }
                used += advance(character);
            }
            let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
            lines.push(line);
            match after.strip_prefix(' ') {
                Some(after) => rest = after,
                None => return lines,
            }
        }
    }

    /// Height of a line in pixels.
    pub fn height(self) -> u32 {
        self.scale.ascent() + self.scale.descent()
    }

    /// Width of `text` in pixels.
    pub fn width(self, text: &str) -> u32 {
        self.scale.pixels(units(text))
    }

    /// Pixels that an icon among letters has in height, and that its strokes are wide.
    pub fn icon(self) -> (u32, u32) {
        // Between a capital letter, which is 7/10 of an em, and the whole em.
        (self.scale.em() * 5 / 6, self.scale.stroke())
    }

    /// The longest start of `text` that fits into `width`, with an ellipsis when it is cut.
    pub fn clip(self, text: &str, width: u32) -> String {
        if self.width(text) <= width {
            return text.into();
        }
        let mut kept = String::new();
        for character in text.chars() {
            kept.push(character);
            if self.width(&kept) + self.width("\u{2026}") > width {
                kept.pop();
                break;
            }
        }
        kept.push('\u{2026}');
        kept
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
        let mut pen = 0;
        for glyph in text.chars().filter_map(glyph) {
            let x = (area.top_left.x + right as i32) * PX + self.scale.right(pen);
            fill(target, area, ink, |tell| glyph.trace(self.scale, Point::new(x, baseline * PX), tell))?;
            pen += glyph.advance();
        }
        Ok(())
    }
}

/// Advance of a character in units.
fn advance(character: char) -> u32 {
    glyph(character).map_or(0, Glyph::advance)
}

/// Width of `text` in units.
fn units(text: &str) -> u32 {
    text.chars().map(advance).sum()
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
    fn lines_break_at_spaces_and_are_cut_at_last() {
        let (face, lines) = Face::wrapping("some words that need more than a line", Size::new(150, 60), 60);
        assert!(lines.len() > 1 && lines.iter().all(|line| face.width(line) <= 150), "{lines:?}");
        assert!(lines.len() as u32 * face.height() <= 60);
        assert_eq!(lines.join(" "), "some words that need more than a line");
        let (_, lines) = Face::wrapping(&"word ".repeat(99), Size::new(100, 30), 30);
        assert!(lines.len() == 2 && lines[1].ends_with('\u{2026}'), "{lines:?}");
        let (_, lines) = Face::wrapping("unbreakable".repeat(20).as_str(), Size::new(100, 30), 30);
        assert!(lines.len() == 1 && lines[0].ends_with('\u{2026}'), "{lines:?}");
        for text in ["", " ", "a  b ", " a"] {
            assert_eq!(Face::wrapping(text, Size::new(1000, 30), 30).1, [text]);
        }
        assert_eq!(face.wrap("one two  three", face.width("one two")), ["one two", " three"]);
    }

    #[test]
    fn clipping_cuts() {
        let face = face(50);
        let cut = face.clip("a long line of text", 200);
        assert!(cut.ends_with('\u{2026}') && face.width(&cut) <= 200);
        assert_eq!(face.clip("abc", 1000), "abc");
        assert_eq!(face.clip("abc", 0), "\u{2026}");
    }
}
