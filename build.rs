//! Rasterises the fonts in `fonts/` into the tables that `src/ui/font.rs` includes.
//!
//! Only the characters that the layouts and messages need, at the sizes of [`SIZES_PX`], as 4-bit
//! coverage: two pixels a byte, rows padded to whole bytes, the left pixel in the high half.

// A build that cannot go on may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use fontdue::{Font, FontSettings};

/// Em sizes. Keys want about half their height, and panels have 90 to 450 dots an inch.
const SIZES_PX: [u16; 6] = [10, 14, 20, 28, 40, 54];
/// Searched in this order for each character.
const FONTS: [&str; 2] = ["fonts/NotoSans-Regular.ttf", "fonts/NotoSansSymbols2-Regular.ttf"];
/// What the keys and the messages draw beside ASCII and the characters of the layouts.
const SYMBOLS: &str = "\u{2022}\u{2026}\u{2013}\u{2019}\u{21e7}\u{21ea}\u{2b06}\u{232b}\u{23ce}";
const LAYOUTS: &str = "src/model/prompt/layouts";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=fonts");
    println!("cargo::rerun-if-changed={LAYOUTS}");

    let fonts: Vec<Font> = FONTS
        .iter()
        .map(|path| Font::from_bytes(fs::read(path).expect(path), FontSettings::default()).expect(path))
        .collect();
    let mut source = String::from("&[\n");
    let mut bitmap = Vec::new();
    for size in SIZES_PX {
        face(size, &fonts, &wanted(), &mut source, &mut bitmap);
    }
    source.push(']');

    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("faces.rs"), source).expect("write faces.rs");
    fs::write(Path::new(&out).join("glyphs.bin"), bitmap).expect("write glyphs.bin");
}

fn wanted() -> BTreeSet<char> {
    let mut characters: BTreeSet<char> = (' '..='~').chain(SYMBOLS.chars()).collect();
    for entry in fs::read_dir(LAYOUTS).expect(LAYOUTS) {
        let text = fs::read_to_string(entry.expect(LAYOUTS).path()).expect("read a layout");
        characters.extend(text.chars().filter(|c| !c.is_control()));
    }
    characters
}

/// Appends one `Face` to the source and its coverage to the bitmap.
fn face(size: u16, fonts: &[Font], characters: &BTreeSet<char>, source: &mut String, bitmap: &mut Vec<u8>) {
    let em = f32::from(size);
    let line = fonts[0].horizontal_line_metrics(em).expect("a horizontal font");
    let (ascent, descent) = (line.ascent.ceil(), line.descent.floor());
    writeln!(source, "Face {{ height: {}, glyphs: &[", ascent - descent).expect("write");
    for &character in characters {
        let font = fonts
            .iter()
            .find(|font| font.lookup_glyph_index(character) != 0)
            .unwrap_or_else(|| panic!("no font in fonts/ has U+{:04X}", u32::from(character)));
        let (metrics, coverage) = font.rasterize(character, em);
        let offset = bitmap.len();
        for row in coverage.chunks(metrics.width.max(1)) {
            bitmap.extend(row.chunks(2).map(|pair| pair[0] & 0xf0 | pair.get(1).unwrap_or(&0) >> 4));
        }
        let top = ascent as i32 - metrics.ymin - metrics.height as i32;
        writeln!(
            source,
            "Glyph {{ character: {character:?}, advance: {}, left: {}, top: {top}, width: {}, height: {}, offset: {offset} }},",
            metrics.advance_width.round(),
            metrics.xmin,
            metrics.width,
            metrics.height,
        )
        .expect("write");
    }
    source.push_str("] },\n");
}
