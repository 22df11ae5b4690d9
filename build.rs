//! Turns the fonts in `fonts/` into the outlines that `src/ui/glyph.rs` includes, and packs the
//! keyboard's layouts for `src/model/prompt/layouts.rs`.
//!
//! Of the fonts only the characters that the layouts and messages need. Lengths are in units: [`EM`] of them are
//! one em, y grows upwards from the baseline. An outline is a list of points, each one byte and the
//! steps from the point before it (the first one's from 0,0):
//!
//! ```text
//! bit 0     it is on the curve; otherwise it controls a quadratic curve
//! bits 1-2  the step in x: 0 none, 1 a byte to add, 2 a byte to subtract, 3 a signed 16-bit number
//! bits 3-4  the step in y, likewise
//! bit 5     it is the last one of its contour
//! bit 6     here is a whole contour, of the form of another one: the steps lead to its first point, and
//!           two bytes tell where that one begins, the lower byte first
//! ```
//! The first point of a contour is on the curve. Between two that are not lies one in their middle,
//! which is left out.

// A build that cannot go on may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::{env, fs};

use ttf_parser::{Face, OutlineBuilder};

/// Units in an em: what Noto fonts have, so that nothing is rounded.
const EM: f32 = 1000.0;
/// Searched in this order for each character. The first one decides heights and strokes.
const FONTS: [&str; 6] = [
    "fonts/NotoSans-Regular.ttf",
    "fonts/NotoSansHebrew-Regular.ttf",
    "fonts/NotoSansArabic-Regular.ttf",
    "fonts/NotoSansDevanagari-Regular.ttf",
    "fonts/NotoSansThai-Regular.ttf",
    "fonts/NotoSansMath-Regular.ttf",
];
/// What the messages draw beside ASCII and the characters of the layouts, and the circle that a mark
/// without a letter is drawn on.
const SYMBOLS: &str = "\u{2026}\u{2013}\u{2019}\u{25cc}";
/// Where a mark's middle is, when its font leaves placing it to tables that are dropped: half of the
/// circle's advance before the end of what it is drawn on.
const MARK_MIDDLE: f32 = -297.0;
/// Marks that differ in nothing but the side they are on, and how far from the middle: the dots of
/// Hebrew's shin and sin.
const MARKS_ASIDE: [(char, f32); 2] = [('\u{5c1}', 170.0), ('\u{5c2}', -170.0)];
/// Stands for every character that is not there. Sorted behind all others.
const MISSING: char = '\u{fffd}';
const MISSING_ADVANCE: u32 = 600;
const LAYOUTS: &str = "src/model/prompt/layouts";
/// Letters whose lower or upper (`true`) edge others share, and those whose edge is there but for an
/// overshoot: round letters look too small without.
const EDGES: [(char, char, bool); 8] = [
    ('p', 'p', false),
    ('x', 'o', false),
    ('x', 'x', false),
    ('x', 'x', true),
    ('x', 'o', true),
    ('H', 'H', true),
    ('H', 'O', true),
    ('l', 'l', true),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=fonts");
    println!("cargo::rerun-if-changed={LAYOUTS}");

    let files: Vec<Vec<u8>> = FONTS.iter().map(|path| fs::read(path).expect(path)).collect();
    let faces: Vec<Face> = files.iter().map(|file| Face::parse(file, 0).expect("read a font")).collect();
    let mut source = font(&faces[0]);
    let mut outlines = Outlines::default();
    for character in wanted() {
        let (advance, contours) = glyph(&faces, character);
        write_glyph(&mut source, character, advance, outlines.add(&contours));
    }
    write_glyph(&mut source, MISSING, MISSING_ADVANCE, outlines.add(&missing()));
    source.push_str("] }");

    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("font.rs"), source).expect("write font.rs");
    fs::write(Path::new(&out).join("outlines.bin"), outlines.bytes).expect("write outlines.bin");

    let texts: String = texts().into_iter().map(|(name, text)| format!("{name}\n{text}\0")).collect();
    fs::write(Path::new(&out).join("layouts.txt"), texts).expect("write layouts.txt");
}

fn write_glyph(source: &mut String, character: char, advance: u32, outline: Range<usize>) {
    let character = u16::try_from(u32::from(character)).expect("a character of the basic plane");
    let (start, length) = (outline.start, outline.len());
    let line = format!("character: {character}, advance: {advance}, start: {start}, length: {length}");
    writeln!(source, "Glyph {{ {line} }},").expect("write");
}

/// Name and text of each layout, sorted by name, without what nobody needs to read it.
fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(LAYOUTS).expect(LAYOUTS) {
        let path = entry.expect(LAYOUTS).path();
        if path.extension().is_none_or(|extension| extension != "layout") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("read a layout");
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        let kept: Vec<String> =
            lines.filter(|line| !line.is_empty() && line != "#" && !line.starts_with("# ")).collect();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name of a layout");
        texts.push((name.to_owned(), kept.join("\n") + "\n"));
    }
    texts.sort();
    texts
}

/// The outline of the box for characters that are missing: as high as a capital letter.
fn missing() -> Vec<Vec<Knot>> {
    let rectangle = |left: f32, bottom: f32, right: f32, top: f32| {
        [(left, bottom), (left, top), (right, top), (right, bottom)].map(|(x, y)| Knot { x, y, on: true }).to_vec()
    };
    let mut hole = rectangle(130.0, 70.0, 470.0, 644.0);
    hole.reverse();
    vec![rectangle(60.0, 0.0, 540.0, 714.0), hole]
}

fn wanted() -> BTreeSet<char> {
    let mut characters: BTreeSet<char> = (' '..='~').chain(SYMBOLS.chars()).collect();
    for (_, text) in texts() {
        for character in text.chars().filter(|c| !c.is_control()) {
            characters.insert(character);
            // Layers of capitals are not written out. More than one is not a simple mapping.
            let mut capital = character.to_uppercase();
            if let (Some(capital), None) = (capital.next(), capital.next()) {
                characters.insert(capital);
            }
        }
    }
    characters
}

/// The source of a `Font`, up to its glyphs.
fn font(face: &Face) -> String {
    let unit = EM / f32::from(face.units_per_em());
    let units = |value: i16| (f32::from(value) * unit).round() as i32;
    let bounds = |character| {
        let glyph = face.glyph_index(character).expect("a font of Latin letters");
        face.glyph_bounding_box(glyph).expect("a letter has an outline")
    };
    let edge = |character, upper| {
        let bounds = bounds(character);
        units(if upper { bounds.y_max } else { bounds.y_min })
    };
    let mut edges = EDGES.map(|(flat, round, upper)| (edge(round, upper), edge(round, upper) - edge(flat, upper)));
    edges.sort_unstable();
    format!(
        "Font {{ ascent: {}, descent: {}, stroke: {}, edges: &{edges:?}, glyphs: &[\n",
        units(face.ascender()),
        -units(face.descender()),
        units(bounds('-').height()),
    )
}

/// A point of a contour: where it is, and whether it is on the curve.
#[derive(Clone, Copy)]
struct Knot {
    x: f32,
    y: f32,
    on: bool,
}

/// Takes down the contours of a glyph.
#[derive(Default)]
struct Tracer {
    contours: Vec<Vec<Knot>>,
}

impl Tracer {
    fn knot(&mut self, x: f32, y: f32, on: bool) {
        self.contours.last_mut().expect("a contour begins with a move").push(Knot { x, y, on });
    }
}

impl OutlineBuilder for Tracer {
    fn move_to(&mut self, x: f32, y: f32) {
        self.contours.push(vec![Knot { x, y, on: true }]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.knot(x, y, true);
    }

    fn quad_to(&mut self, control_x: f32, control_y: f32, x: f32, y: f32) {
        self.knot(control_x, control_y, false);
        self.knot(x, y, true);
    }

    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
        panic!("a font of cubic curves: fonts/ is for TrueType outlines, which are quadratic");
    }

    fn close(&mut self) {
        let contour = self.contours.last_mut().expect("a contour begins with a move");
        let (first, last) = (contour[0], contour[contour.len() - 1]);
        if contour.len() > 1 && last.on && (last.x, last.y) == (first.x, first.y) {
            contour.pop();
        }
    }
}

/// Advance and contours of a character, in units.
fn glyph(faces: &[Face], character: char) -> (u32, Vec<Vec<Knot>>) {
    let found = faces.iter().find_map(|face| Some((face, face.glyph_index(character)?)));
    let (face, glyph) = found.unwrap_or_else(|| panic!("no font in fonts/ has U+{:04X}", u32::from(character)));
    let unit = EM / f32::from(face.units_per_em());
    let mut tracer = Tracer::default();
    // No outline is a space's.
    let _ = face.outline_glyph(glyph, &mut tracer);
    for knot in tracer.contours.iter_mut().flatten() {
        (knot.x, knot.y) = (knot.x * unit, knot.y * unit);
    }
    let advance = face.glyph_hor_advance(glyph).expect("a horizontal font");
    if let Some(bounds) = face.glyph_bounding_box(glyph).filter(|bounds| advance == 0 && bounds.x_min >= 0) {
        let middle = f32::midpoint(f32::from(bounds.x_min), f32::from(bounds.x_max)) * unit;
        let aside = MARKS_ASIDE.iter().find(|(mark, _)| *mark == character).map_or(0.0, |(_, aside)| *aside);
        tracer.contours.iter_mut().flatten().for_each(|knot| knot.x += MARK_MIDDLE + aside - middle);
    }
    ((f32::from(advance) * unit).round() as u32, tracer.contours.iter().map(|contour| shortened(contour)).collect())
}

/// Without the points that their neighbours imply, and beginning with one on the curve.
fn shortened(contour: &[Knot]) -> Vec<Knot> {
    let count = contour.len();
    let implied = |at: usize| {
        let (before, knot, after) = (contour[(at + count - 1) % count], contour[at], contour[(at + 1) % count]);
        let middle = (f32::midpoint(before.x, after.x), f32::midpoint(before.y, after.y));
        knot.on && !before.on && !after.on && (knot.x, knot.y) == middle
    };
    // A contour of nothing but controls keeps one of its middles to begin with.
    let first = (0..count).find(|at| contour[*at].on && !implied(*at)).unwrap_or(0);
    let order = (0..count).map(|step| (first + step) % count);
    order.filter(|at| *at == first || !implied(*at)).map(|at| contour[at]).collect()
}

/// Outlines, in which whatever is there already is referred to: accented letters consist of others,
/// and scripts share letters.
#[derive(Default)]
struct Outlines {
    bytes: Vec<u8>,
    /// Where a contour is, by the steps and forms of its points after the first one.
    contours: HashMap<Vec<(i16, i16, bool)>, usize>,
    whole: HashMap<Vec<u8>, usize>,
}

impl Outlines {
    /// Where the outline is.
    fn add(&mut self, contours: &[Vec<Knot>]) -> Range<usize> {
        let (mut outline, mut at) = (Vec::new(), (0, 0));
        let start = self.bytes.len();
        for contour in contours {
            let points: Vec<(i16, i16, bool)> =
                contour.iter().map(|knot| (knot.x.round() as i16, knot.y.round() as i16, knot.on)).collect();
            let shape: Vec<_> = points.iter().map(|(x, y, on)| (x - points[0].0, y - points[0].1, *on)).collect();
            if let Some(twin) = self.contours.get(&shape) {
                let twin = u16::try_from(*twin).expect("outlines in 64 KiB");
                point(&mut outline, at, points[0], 1 << 6);
                outline.extend(twin.to_le_bytes());
            } else {
                self.contours.insert(shape, start + outline.len());
                for (index, next) in points.iter().enumerate() {
                    let last = u8::from(index + 1 == points.len()) << 5;
                    point(&mut outline, at, *next, last);
                    at = (next.0, next.1);
                }
            }
            let last = points[points.len() - 1];
            at = (last.0, last.1);
        }
        let start = *self.whole.entry(outline.clone()).or_insert(start);
        if start == self.bytes.len() {
            self.bytes.extend(&outline);
        }
        start..start + outline.len()
    }
}

/// Writes a point: its form and its steps from the one before it.
fn point(outline: &mut Vec<u8>, from: (i16, i16), (x, y, on): (i16, i16, bool), form: u8) {
    let ((form_x, step_x), (form_y, step_y)) = (step(x - from.0), step(y - from.1));
    outline.push(form | u8::from(on) | form_x << 1 | form_y << 3);
    outline.extend(step_x);
    outline.extend(step_y);
}

/// The form of a step and its bytes.
fn step(value: i16) -> (u8, Vec<u8>) {
    match value {
        0 => (0, Vec::new()),
        1..=255 => (1, vec![value as u8]),
        -255..=-1 => (2, vec![-value as u8]),
        _ => (3, value.to_le_bytes().to_vec()),
    }
}
