//! Anti-aliased text from the glyphs that `build.rs` rasterised.

use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{DrawTarget, DrawTargetExt, Point, Size};
use embedded_graphics::primitives::Rectangle;

/// One character at one size. The bitmap holds 4 bits of coverage a pixel, rows padded to bytes.
struct Glyph {
    character: char,
    advance: u8,
    left: i8,
    top: i8,
    width: u8,
    height: u8,
    offset: u32,
}

/// All characters at one size.
pub struct Face {
    height: u8,
    glyphs: &'static [Glyph],
}

/// From small to large.
static FACES: &[Face] = include!(concat!(env!("OUT_DIR"), "/faces.rs"));
static BITMAP: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/glyphs.bin"));

/// A colour and the one behind it, which anti-aliased edges fade into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// The text's colour.
    pub text: Rgb888,
    /// What is behind it.
    pub paper: Rgb888,
}

impl Ink {
    /// The colour of `coverage` parts in `full` of text.
    pub fn blend(self, coverage: u32, full: u32) -> Rgb888 {
        let mix = |text: u8, paper: u8| {
            let (text, paper) = (u32::from(text), u32::from(paper));
            ((text * coverage + paper * (full - coverage) + full / 2) / full) as u8
        };
        Rgb888::new(
            mix(self.text.r(), self.paper.r()),
            mix(self.text.g(), self.paper.g()),
            mix(self.text.b(), self.paper.b()),
        )
    }
}

impl Face {
    /// The largest face whose `text` fits into `room`; the smallest one when none does.
    pub fn fitting(text: &str, room: Size) -> &'static Self {
        let fits = |face: &&Self| u32::from(face.height) <= room.height && face.width(text) <= room.width;
        FACES.iter().rfind(fits).or(FACES.first()).unwrap_or(&EMPTY)
    }

    /// The largest face no higher than `most` in which `text` fits into `room` on lines broken at
    /// spaces, and the lines; in the smallest one, what is too much is cut.
    pub fn wrapping(text: &str, room: Size, most: u32) -> (&'static Self, Vec<String>) {
        let wrapped = |face: &'static Self| {
            if face.height() > most {
                return None;
            }
            let lines = face.wrap(text, room.width);
            let fits = lines.len() as u32 * face.height() <= room.height;
            (fits && lines.iter().all(|line| face.width(line) <= room.width)).then_some((face, lines))
        };
        FACES.iter().rev().find_map(wrapped).unwrap_or_else(|| {
            let face = FACES.first().unwrap_or(&EMPTY);
            let most = (room.height / face.height().max(1)).max(1) as usize;
            let mut lines = face.wrap(text, room.width);
            if lines.len() > most {
                let rest = lines.drain(most - 1..).collect::<Vec<_>>().join(" ");
                lines.push(rest);
            }
            (face, lines.iter().map(|line| face.clip(line, room.width)).collect())
        })
    }

    /// Breaks `text` at spaces into lines of at most `width` pixels; a longer word has its own line.
    fn wrap(&self, text: &str, width: u32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if self.width(line) + self.width(" ") + self.width(word) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.into()),
            }
        }
        lines
    }

    /// Height of a line in pixels.
    pub fn height(&self) -> u32 {
        u32::from(self.height)
    }

    /// Width of `text` in pixels.
    pub fn width(&self, text: &str) -> u32 {
        text.chars().map(|character| self.glyph(character).map_or(0, |glyph| u32::from(glyph.advance))).sum()
    }

    /// Glyphs are sorted by character; one that is missing shows as a question mark.
    fn glyph(&self, character: char) -> Option<&'static Glyph> {
        let find = |wanted: char| self.glyphs.binary_search_by_key(&wanted, |glyph| glyph.character).ok();
        self.glyphs.get(find(character).or_else(|| find('?'))?)
    }

    /// The longest start of `text` that fits into `width`, with an ellipsis when it is cut.
    pub fn clip(&self, text: &str, width: u32) -> String {
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

    /// Draws `text` with the upper left corner of its line at `at`.
    pub fn draw<D: DrawTarget<Color = Rgb888>>(
        &self,
        target: &mut D,
        text: &str,
        at: Point,
        ink: Ink,
    ) -> Result<(), D::Error> {
        let ramp: [Rgb888; 16] = core::array::from_fn(|step| ink.blend(step as u32, 15));
        let mut pen = at.x;
        for glyph in text.chars().filter_map(|character| self.glyph(character)) {
            let corner = Point::new(pen + i32::from(glyph.left), at.y + i32::from(glyph.top));
            let area = Rectangle::new(corner, Size::new(u32::from(glyph.width), u32::from(glyph.height)));
            let colors = glyph.coverage().map(|coverage| ramp[usize::from(coverage & 15)]);
            target.fill_contiguous(&area, colors)?;
            pen += i32::from(glyph.advance);
        }
        Ok(())
    }

    /// Draws `text` in the middle of `area` and nothing outside of it.
    pub fn draw_centred<D: DrawTarget<Color = Rgb888>>(
        &self,
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
        &self,
        target: &mut D,
        text: &str,
        area: Rectangle,
        ink: Ink,
    ) -> Result<(), D::Error> {
        self.draw_from(target, text, area, 0, ink)
    }

    fn draw_from<D: DrawTarget<Color = Rgb888>>(
        &self,
        target: &mut D,
        text: &str,
        area: Rectangle,
        right: u32,
        ink: Ink,
    ) -> Result<(), D::Error> {
        let below = (area.size.height as i32 - i32::from(self.height)) / 2;
        let corner = area.top_left + Point::new(right as i32, below);
        self.draw(&mut target.clipped(&area), text, corner, ink)
    }
}

/// What is left when a build has no faces at all.
static EMPTY: Face = Face { height: 0, glyphs: &[] };

impl Glyph {
    /// Coverage of each pixel, 0..=15, row by row.
    fn coverage(&self) -> impl Iterator<Item = u8> {
        let (width, start) = (usize::from(self.width), self.offset as usize);
        let pitch = width.div_ceil(2);
        (0..usize::from(self.height)).flat_map(move |y| {
            (0..width).map(move |x| {
                let pair = BITMAP.get(start + y * pitch + x / 2).copied().unwrap_or(0);
                if x % 2 == 0 { pair >> 4 } else { pair & 15 }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frame::Frame;

    const INK: Ink = Ink { text: Rgb888::WHITE, paper: Rgb888::BLACK };

    #[test]
    fn text_stays_in_its_line() {
        for face in FACES {
            let text = "Agjpqy|{}\u{2026}\u{21e7}\u{232b}";
            let mut frame = Frame::new(Size::new(face.width(text) + 20, face.height() + 20));
            face.draw(&mut frame, text, Point::new(10, 10), INK).unwrap();
            let border = |x: u32, y: u32| y < 10 || y >= face.height() + 10 || x < 4 || x >= face.width(text) + 16;
            let columns = face.width(text) as usize + 20;
            for (at, pixel) in frame.pixels().iter().enumerate() {
                let (x, y) = ((at % columns) as u32, (at / columns) as u32);
                assert!(*pixel == 0 || !border(x, y), "height {}: {x},{y}", face.height());
            }
            assert!(frame.pixels().contains(&0xffffff), "nothing solid");
        }
    }

    #[test]
    fn glyphs_are_sorted_and_whole() {
        for face in FACES {
            assert!(face.glyphs.is_sorted_by_key(|glyph| glyph.character));
            for glyph in face.glyphs {
                let bytes = usize::from(glyph.width).div_ceil(2) * usize::from(glyph.height);
                assert!(glyph.offset as usize + bytes <= BITMAP.len());
            }
            assert!(('!'..='~').all(|character| face.glyph(character).unwrap().character == character));
            assert_eq!(face.glyph('\u{10ffff}').unwrap().character, '?');
        }
    }

    #[test]
    fn fitting_shrinks_and_clipping_cuts() {
        let large = Face::fitting("abc", Size::new(1000, 100));
        let small = Face::fitting("abc", Size::new(30, 100));
        assert!(small.height() < large.height());
        assert!(small.width("abc") <= 30);
        let cut = large.clip("a long line of text", 200);
        assert!(cut.ends_with('\u{2026}') && large.width(&cut) <= 200);
        let (face, lines) = Face::wrapping("some words that need more than a line", Size::new(150, 60), 60);
        assert!(lines.len() > 1 && lines.iter().all(|line| face.width(line) <= 150), "{lines:?}");
        assert!(lines.len() as u32 * face.height() <= 60);
        assert_eq!(lines.join(" "), "some words that need more than a line");
        let (_, lines) = Face::wrapping(&"word ".repeat(99), Size::new(100, 30), 30);
        assert!(lines.len() <= 2 && lines.last().unwrap().ends_with('\u{2026}'), "{lines:?}");
        assert_eq!(large.clip("abc", 1000), "abc");
        assert_eq!(large.clip("abc", 0), "\u{2026}");
        let none = Face::fitting("abc", Size::zero());
        assert!(none.height() <= FACES[0].height());
    }
}
