//! Colour maps: what they should hold, and which entry comes nearest to a colour.

use core::cell::Cell;

use super::field::Field;

/// Levels of each colour in the cube of [`ColorMap::colors`].
const LEVELS: u16 = 6;

/// What `struct fb_cmap` holds: 16 bits of each colour for each entry, black is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColorMap {
    /// Red of each entry.
    pub red: Vec<u16>,
    /// Green of each entry.
    pub green: Vec<u16>,
    /// Blue of each entry.
    pub blue: Vec<u16>,
}

impl ColorMap {
    /// Entries that suit this program on a panel of 256: a cube of 6x6x6 colours, and between its
    /// few greys 30 more, since most of what is drawn, and every edge of text, is nearly grey.
    pub fn colors() -> Self {
        let mut map = Self::default();
        let level = |step: u16| step * (u16::MAX / (LEVELS - 1));
        for entry in 0..LEVELS * LEVELS * LEVELS {
            let (red, green, blue) = (entry / LEVELS / LEVELS, entry / LEVELS % LEVELS, entry % LEVELS);
            map.push([level(red), level(green), level(blue)]);
        }
        for grey in 1..31 {
            map.push([u16::from(widen(grey)) * 257; 3]);
        }
        map
    }

    /// So many greys from black to white.
    pub fn greys(entries: u32) -> Self {
        let mut map = Self::default();
        for entry in 0..entries {
            map.push([level(entry, entries); 3]);
        }
        map
    }

    /// The map of a `FB_VISUAL_DIRECTCOLOR` display, that shows each value of each field as it is.
    pub fn linear(colors: [Field; 3]) -> Self {
        let values = |field: Field| 1_u32 << field.length.min(16);
        let most = colors.map(values).into_iter().max().unwrap_or(0);
        // Drivers take all three at once; a shorter field has no use for the last entries.
        let [red, green, blue] = colors.map(|field| (0..most).map(|entry| level(entry, values(field))).collect());
        Self { red, green, blue }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.red.len().min(self.green.len()).min(self.blue.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push(&mut self, [red, green, blue]: [u16; 3]) {
        self.red.push(red);
        self.green.push(green);
        self.blue.push(blue);
    }
}

/// The level of one of so many entries.
fn level(entry: u32, entries: u32) -> u16 {
    let last = entries.saturating_sub(1).max(1);
    (u64::from(entry.min(last)) * u64::from(u16::MAX) / u64::from(last)) as u16
}

/// Five bits to eight.
const fn widen(value: u8) -> u8 {
    value << 3 | value >> 2
}

/// Finds the entry that comes nearest to a colour, of which the upper five bits of red, green and
/// blue count. A prompt has some hundred colours, so each is looked for once, when it is first seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Palette {
    /// Eight bits of red, green and blue of up to 256 entries.
    entries: Vec<[i32; 3]>,
    /// For each colour its entry and one; 0 where it was not looked for.
    found: Vec<Cell<u16>>,
}

impl Palette {
    /// The first 256 entries of `map`.
    pub(crate) fn new(map: &ColorMap) -> Self {
        let entries = map.red.iter().zip(&map.green).zip(&map.blue).take(256);
        let entries = entries.map(|((red, green), blue)| [*red, *green, *blue].map(|value| i32::from(value >> 8)));
        Self { entries: entries.collect(), found: vec![Cell::new(0); 1 << 15] }
    }

    /// The entry's number.
    #[inline]
    pub(crate) fn nearest(&self, pixel: u32) -> u8 {
        let place = (pixel >> 9 & 0x7c00 | pixel >> 6 & 0x03e0 | pixel >> 3 & 0x001f) as usize;
        match self.found.get(place).map_or(1, Cell::get) {
            0 => self.find(place),
            found => (found - 1) as u8,
        }
    }

    /// Looks for the entry and notes it. Kept apart, so that the way of nearly all pixels is short.
    #[cold]
    #[inline(never)]
    fn find(&self, place: usize) -> u8 {
        let color = [place >> 10, place >> 5, place].map(|value| i32::from(widen((value & 0x1f) as u8)));
        let entry = self.search(color);
        if let Some(found) = self.found.get(place) {
            found.set(u16::from(entry) + 1);
        }
        entry
    }

    /// Differences of green are seen best, those of red least.
    fn search(&self, color: [i32; 3]) -> u8 {
        let distance = |entry: &[i32; 3]| {
            let [red, green, blue] = [0, 1, 2].map(|place: usize| (entry[place] - color[place]).pow(2));
            red * 2 + green * 4 + blue * 3
        };
        let best = (0..=u8::MAX).zip(&self.entries).min_by_key(|(_, entry)| distance(entry));
        best.map_or(0, |(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greys_stay_grey_and_pure_colours_are_exact() {
        let map = ColorMap::colors();
        assert!(map.len() <= 256);
        let palette = Palette::new(&map);
        let shown = |pixel: u32| {
            let entry = usize::from(palette.nearest(pixel));
            [map.red[entry], map.green[entry], map.blue[entry]].map(|value| i32::from(value >> 8))
        };
        for grey in 0..=255_u8 {
            let [red, green, blue] = shown(u32::from(grey) * 0x010101);
            assert!(red == green && green == blue, "{grey}: {red} {green} {blue}");
            assert!(red.abs_diff(i32::from(grey)) <= 8, "{grey} is shown as {red}");
        }
        for pure in [0xff0000, 0x00ff00, 0x0000ff, 0xffff00, 0xffffff, 0] {
            let [red, green, blue] = shown(pure);
            assert_eq!((red << 16 | green << 8 | blue) as u32, pure);
        }
    }

    #[test]
    fn foreign_entries_are_found() {
        let map = ColorMap { red: vec![0, 0xffff, 0], green: vec![0, 0, 0xffff], blue: vec![0x4000; 2] };
        let palette = Palette::new(&map);
        // The third entry has no blue, so it is none.
        assert_eq!(map.len(), 2);
        assert_eq!(palette.nearest(0xf02020), 1);
        assert_eq!(palette.nearest(0x00ff00), 0);
        assert_eq!(Palette::new(&ColorMap::default()).nearest(0xffffff), 0);
    }

    #[test]
    fn a_linear_map_rises_from_black_to_white() {
        let map = ColorMap::linear([Field::new(11, 5), Field::new(5, 6), Field::new(0, 5)]);
        assert_eq!(map.len(), 64);
        for channel in [&map.red, &map.green, &map.blue] {
            assert!(channel.is_sorted() && channel[0] == 0 && channel[63] == u16::MAX);
        }
        assert_eq!((map.red[31], map.green[31]), (u16::MAX, (31 * 65535 / 63) as u16));
        assert_eq!(ColorMap::greys(2).red, [0, u16::MAX]);
        assert_eq!(ColorMap::greys(16).green[5], 5 * 0x1111);
        assert!(ColorMap::greys(0).is_empty());
    }
}
