//! Characters as outlines, which `build.rs` takes from the fonts; it describes their format too.

use core::{iter, slice};

use embedded_graphics::prelude::Point;

use super::outline::{PX, Stretch};

/// Units in an em.
const EM: i32 = 1000;

/// Bits of a point's form: it is on the curve, it is the last one of its contour, its contour is another
/// glyph's.
const ON: u8 = 1;
const LAST: u8 = 1 << 5;
const LENT: u8 = 1 << 6;

/// Lengths in units, heights above the baseline.
struct Font {
    ascent: u32,
    descent: u32,
    /// Width of a level stroke.
    stroke: u32,
    /// Heights that many letters begin or end at, from the lowest to the highest, each with what
    /// it is away from that of the letters without curves.
    edges: &'static [(i32, i32)],
    /// Sorted by character.
    glyphs: &'static [Glyph],
}

/// One character.
pub struct Glyph {
    character: u16,
    /// From its origin to the next one's, in units.
    advance: u16,
    /// Bytes of its outline.
    length: u16,
    start: u16,
}

static FONT: Font = include!(concat!(env!("OUT_DIR"), "/font.rs"));
static OUTLINES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/outlines.bin"));

/// The empty box that stands for a character which no font has. `build.rs` draws it.
pub const MISSING: char = '\u{fffd}';

/// A character's glyph; an empty box for one that is missing. Characters that have no shape and only
/// tell a program how to lay text out have none.
pub fn glyph(character: char) -> Option<&'static Glyph> {
    let find = |wanted: char| {
        let wanted = u16::try_from(u32::from(wanted)).ok()?;
        FONT.glyphs.binary_search_by_key(&wanted, |glyph| glyph.character).ok()
    };
    if is_invisible(character) {
        return None;
    }
    FONT.glyphs.get(find(character).or_else(|| find(MISSING))?)
}

/// Joiners and signs of direction (Unicode's Default_Ignorable_Code_Point, those in use).
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    )
}

/// The font at one size: from units to pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    em_px: u16,
}

impl Scale {
    /// The scale at which an em has so many pixels.
    pub const fn new(em_px: u16) -> Self {
        Self { em_px }
    }

    /// Pixels that hold so many units, the last one perhaps not full.
    pub fn pixels(self, units: u32) -> u32 {
        (u64::from(units) * u64::from(self.em_px)).div_ceil(EM as u64) as u32
    }

    /// Whole pixels of a line above its baseline.
    pub fn ascent(self) -> u32 {
        self.pixels(FONT.ascent)
    }

    /// Whole pixels of a line below its baseline.
    pub fn descent(self) -> u32 {
        self.pixels(FONT.descent)
    }

    /// Whole pixels of a level stroke, at least one.
    pub fn stroke(self) -> u32 {
        ((FONT.stroke * self.em() + EM as u32 / 2) / EM as u32).max(1)
    }

    /// Pixels of an em.
    pub fn em(self) -> u32 {
        u32::from(self.em_px)
    }

    /// Parts of a pixel to the right of the origin.
    pub fn right(self, units: u32) -> i32 {
        (u64::from(units) * u64::from(self.em_px) * PX as u64 / EM as u64) as i32
    }

    /// Parts of a pixel that are so many units.
    fn parts(self, units: i32) -> i32 {
        (units * i32::from(self.em_px) * PX + EM / 2).div_euclid(EM)
    }

    /// Parts of a pixel above the baseline. The edges that letters share are at whole pixels, and
    /// what is between them is stretched by a fraction of one, so that they are sharp and in line.
    fn up(self, units: i32) -> i32 {
        let mut below: Option<(i32, i32)> = None;
        for &(edge, overshoot) in FONT.edges {
            // Rounded by itself, an overshoot could become a pixel where it is a tenth of one.
            let whole = self.whole(edge - overshoot) + self.whole(overshoot);
            if units <= edge {
                return match below {
                    Some((below, from)) => from + (units - below) * (whole - from) / (edge - below),
                    None => whole + self.parts(units - edge),
                };
            }
            below = Some((edge, whole));
        }
        below.map_or_else(|| self.parts(units), |(below, from)| from + self.parts(units - below))
    }

    /// The same, rounded to whole pixels.
    fn whole(self, units: i32) -> i32 {
        (self.parts(units) + PX / 2).div_euclid(PX) * PX
    }
}

impl Glyph {
    /// From its origin to the next one's, in units.
    pub fn advance(&self) -> u32 {
        u32::from(self.advance)
    }

    /// Whether it is drawn on what is before it.
    pub fn is_mark(&self) -> bool {
        self.advance == 0 && self.length > 0
    }

    /// How far it goes below the baseline, in units.
    pub fn depth(&self) -> u32 {
        self.knots().map(|knot| -knot.y).max().map_or(0, |depth| depth.max(0) as u32)
    }

    /// Tells the outline with the glyph's origin at a point, y growing downwards.
    pub fn trace(&self, scale: Scale, origin: Point, tell: &mut dyn FnMut(Stretch)) {
        let mut contour: Option<Contour> = None;
        for knot in self.knots() {
            let at = origin + Point::new(scale.parts(knot.x), -scale.up(knot.y));
            match &mut contour {
                Some(contour) => contour.go(at, knot.on, tell),
                None => contour = Some(Contour { start: at, last: at, control: None }),
            }
            if knot.ends
                && let Some(mut contour) = contour.take()
            {
                contour.go(contour.start, true, tell);
            }
        }
    }

    fn knots(&self) -> impl Iterator<Item = Knot> {
        let bytes = |start: u16| OUTLINES.get(usize::from(start)..).unwrap_or_default();
        let mut own = bytes(self.start).iter().copied().take(usize::from(self.length));
        // A contour of another glyph, up to its end.
        let mut lent: Option<iter::Copied<slice::Iter<u8>>> = None;
        let (mut x, mut y) = (0, 0);
        iter::from_fn(move || {
            let source: &mut dyn Iterator<Item = u8> = match &mut lent {
                Some(lent) => lent,
                None => &mut own,
            };
            let mut form = source.next()?;
            x += step(form >> 1, source)?;
            y += step(form >> 3, source)?;
            if form & LENT != 0 {
                let mut twin = bytes(u16::from_le_bytes([own.next()?, own.next()?])).iter().copied();
                form = twin.next()?;
                // Where the first point of the other one is does not matter.
                step(form >> 1, &mut twin)?;
                step(form >> 3, &mut twin)?;
                lent = Some(twin);
            }
            let ends = form & LAST != 0;
            lent = lent.take().filter(|_| !ends);
            Some(Knot { x, y, on: form & ON != 0, ends })
        })
    }
}

/// A point of an outline, in units.
struct Knot {
    x: i32,
    y: i32,
    /// It is on the curve and not a control.
    on: bool,
    /// It is the last one of its contour.
    ends: bool,
}

fn step(form: u8, bytes: &mut dyn Iterator<Item = u8>) -> Option<i32> {
    Some(match form & 3 {
        0 => 0,
        1 => i32::from(bytes.next()?),
        2 => -i32::from(bytes.next()?),
        _ => i32::from(i16::from_le_bytes([bytes.next()?, bytes.next()?])),
    })
}

/// The way along a contour.
struct Contour {
    start: Point,
    /// The last point on the curve.
    last: Point,
    /// The control since then.
    control: Option<Point>,
}

impl Contour {
    fn go(&mut self, to: Point, on: bool, tell: &mut dyn FnMut(Stretch)) {
        let end = match (self.control, on) {
            (None, true) => {
                tell(Stretch::Line(self.last, to));
                to
            }
            (None, false) => self.last,
            (Some(control), _) => {
                let end = if on { to } else { (control + to) / 2 };
                tell(Stretch::Curve(self.last, control, end));
                end
            }
        };
        self.last = end;
        self.control = (!on).then_some(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::prompt::layouts;

    #[test]
    fn glyphs_are_sorted_and_whole() {
        assert!(FONT.glyphs.is_sorted_by_key(|glyph| glyph.character));
        assert!(('!'..='~').all(|character| u32::from(glyph(character).unwrap().character) == u32::from(character)));
        for missing in ['\u{10ffff}', '\n', '\u{4e00}', '\u{10041}'] {
            assert_eq!(u32::from(glyph(missing).unwrap().character), u32::from(MISSING));
        }
        assert!(glyph('\u{202e}').is_none());
        let mut used = vec![false; OUTLINES.len()];
        for glyph in FONT.glyphs {
            let character = char::from_u32(glyph.character.into()).unwrap();
            let knots: Vec<Knot> = glyph.knots().collect();
            assert_eq!(knots.is_empty(), character == ' ', "{character:?}");
            assert!(knots.last().is_none_or(|knot| knot.ends), "{character:?} is open");
            let sane = |knot: &Knot| (-600..=1500).contains(&knot.x) && (-500..=1100).contains(&knot.y);
            assert!(knots.iter().all(sane), "{character:?}");
            let start = usize::from(glyph.start);
            used[start..start + usize::from(glyph.length)].fill(true);
        }
        assert!(used.iter().all(|used| *used));
    }

    #[test]
    fn shared_contours_are_where_they_belong() {
        let bounds = |character| {
            let knots = || glyph(character).unwrap().knots();
            let (x, y) = (|knot: Knot| knot.x, |knot: Knot| knot.y);
            [knots().map(x).min(), knots().map(x).max(), knots().map(y).min(), knots().map(y).max()].map(Option::unwrap)
        };
        // As the fonts' tables say: left, right, bottom, top.
        for (character, expected) in [
            ('\u{41}', [0, 638, 0, 717]),
            ('\u{391}', [0, 638, 0, 717]),
            ('\u{c4}', [0, 638, 0, 908]),
            ('\u{451}', [55, 513, -10, 730]),
            ('\u{e5}', [46, 480, -10, 817]),
            ('\u{390}', [-21, 328, -10, 838]),
        ] {
            assert_eq!(bounds(character), expected, "{character}");
        }
    }

    #[test]
    fn marks_are_on_the_letter_before_them() {
        for mark in "\u{5b8}\u{5bc}\u{64e}\u{651}\u{670}\u{941}\u{94d}\u{e31}\u{e38}\u{e48}".chars() {
            let glyph = glyph(mark).unwrap();
            assert!(glyph.is_mark(), "{mark:?}");
            let middle = glyph.knots().map(|knot| knot.x).sum::<i32>() / glyph.knots().count() as i32;
            assert!((-400..=-50).contains(&middle), "{mark:?}: {middle}");
        }
        let first = |mark| glyph(mark).unwrap().knots().map(|knot| knot.x).min();
        let (sin, holam, shin) = (first('\u{5c2}'), first('\u{5b9}'), first('\u{5c1}'));
        assert!(sin < holam && holam < shin, "{sin:?} {holam:?} {shin:?}");
        for other in ['a', ' ', '\u{5d0}', '\u{93f}', '\u{25cc}'] {
            assert!(!glyph(other).unwrap().is_mark(), "{other:?}");
        }
    }

    #[test]
    fn every_layout_has_its_glyphs() {
        for name in layouts::names().chain(["accents", "latin", "symbols"]) {
            let text = layouts::find(name).unwrap();
            let capitals = text.chars().filter(|c| c.to_uppercase().count() == 1).flat_map(char::to_uppercase);
            for character in text.chars().chain(capitals).filter(|c| *c > ' ') {
                let found = glyph(character).unwrap();
                assert_eq!(u32::from(found.character), u32::from(character), "{character:?} of {name}");
                assert!(found.length > 0, "{character:?} of {name} cannot be seen");
            }
        }
    }

    #[test]
    fn contours_are_closed_and_without_gaps() {
        for glyph in FONT.glyphs {
            let mut stretches = Vec::new();
            glyph.trace(Scale::new(50), Point::new(640, 640), &mut |stretch| stretches.push(stretch));
            let ends = |stretch: &Stretch| match *stretch {
                Stretch::Line(from, to) | Stretch::Curve(from, _, to) => (from, to),
            };
            let (mut start, mut last) = (None, None);
            for (from, to) in stretches.iter().map(ends) {
                if last != Some(from) {
                    assert_eq!(start, last, "{:?}", char::from_u32(glyph.character.into()));
                    start = Some(from);
                }
                last = Some(to);
            }
            assert_eq!(start, last, "{:?}", char::from_u32(glyph.character.into()));
        }
    }

    #[test]
    fn shared_edges_are_at_whole_pixels_and_in_order() {
        for em_px in 1..=300 {
            let scale = Scale::new(em_px);
            for (edge, overshoot) in FONT.edges {
                assert_eq!(scale.up(*edge) % PX, 0, "{edge} at {em_px}");
                let over = scale.up(*edge) - scale.up(edge - overshoot);
                assert!((over - scale.parts(*overshoot)).abs() <= PX / 2, "{overshoot} at {em_px}");
            }
            let heights: Vec<i32> = (-400..1200).map(|units| scale.up(units)).collect();
            assert!(heights.is_sorted(), "{em_px}");
            let off = |units: i32| (scale.up(units) - scale.parts(units)).abs();
            assert!((-400..1200).all(|units| off(units) <= PX + 1), "{em_px}");
        }
    }
}
