//! On-screen keyboard layouts: a small text format, and the layers of keys read from it.
//!
//! ```text
//! layer lower abc          a layer: its name, and what the key that switches to it shows
//! q w e r t y u i o p      a row of keys, one word each
//! shift:1.5 z x c :        `word:N` is N columns wide
//! ```
//!
//! A word is one character, `shift`, `backspace`, `space`, `enter`, or the name of a layer. A line
//! that starts with `# ` is a comment. The first layer is shown first; `shift` goes between the
//! layers named `lower` and `upper`.

use crate::error::{Error, Exit, Result};

/// Keys across the widest row, at the most.
const COLUMNS_MAX: u32 = 16;
const ROWS_MAX: usize = 6;

/// The layout that is always there.
pub const US: &str = include_str!("layouts/us.layout");

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// Types a character.
    Character(char),
    /// One upper-case letter next; twice, all of them.
    Shift,
    /// Takes the last character away.
    Backspace,
    /// Tries the passphrase.
    Enter,
    /// Shows the layer of this index.
    Layer(usize),
    /// Goes to the next layout; held, shows all that there are.
    Next,
    /// Takes the layout of this number of those that there are.
    Pick(usize),
    /// Takes everything away.
    Clear,
    /// Shows what was typed: while it is held, or until it is tapped again.
    Reveal,
    /// One character to the left.
    Left,
    /// One character to the right.
    Right,
    /// Hides the keyboard.
    Hide,
    /// Asks whether the machine shall be switched off.
    Power,
    /// Switches it off.
    PowerOff,
    /// Goes back to the keys.
    Back,
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// What it does.
    pub press: Press,
    /// Its width in quarters of a column.
    pub quarters: u32,
}

/// The keys that are shown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// What other keys call it.
    pub name: String,
    /// What a key that switches to it shows.
    pub label: String,
    /// Rows from the top, keys from the left.
    pub rows: Vec<Vec<Key>>,
}

/// A keyboard of one or more layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    name: String,
    layers: Vec<Layer>,
}

impl Layout {
    /// Reads a layout; `file` is its name in messages.
    ///
    /// # Errors
    /// [`Exit::Parameters`] with file, line and reason.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let lines = || text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let headers: Vec<(usize, &str)> = lines().filter(|(_, line)| line.starts_with("layer ")).collect();
        let mut layers: Vec<Layer> = Vec::new();
        for &(at, line) in &headers {
            layers.push(header(line).ok_or_else(|| refuse(file, at, "`layer` takes a name and a label"))?);
        }
        let names: Vec<String> = layers.iter().map(|layer| layer.name.clone()).collect();
        let mut current = None;
        for (at, line) in lines() {
            if line.is_empty() || line == "#" || line.starts_with("# ") {
                continue;
            }
            if line.starts_with("layer ") {
                current = Some(current.map_or(0, |index: usize| index + 1));
                continue;
            }
            let layer = current.and_then(|index| layers.get_mut(index));
            let layer = layer.ok_or_else(|| refuse(file, at, "keys before the first `layer`"))?;
            layer.rows.push(row(line, &names).map_err(|reason| refuse(file, at, &reason))?);
            if layer.rows.len() > ROWS_MAX {
                return Err(refuse(file, at, &format!("more than {ROWS_MAX} rows")));
            }
        }
        let name = file.strip_suffix(".layout").unwrap_or(file).to_owned();
        let layout = Self { name, layers };
        layout.check().map_err(|reason| refuse(file, headers.last().map_or(0, |header| header.0), &reason))?;
        Ok(layout)
    }

    /// A keyboard must be able to send what was typed, whatever the file says.
    fn check(&self) -> core::result::Result<(), String> {
        if self.layers.is_empty() {
            return Err("no layer".into());
        }
        for layer in &self.layers {
            let has = |press| layer.rows.iter().flatten().any(|key| key.press == press);
            if !has(Press::Enter) || !has(Press::Backspace) {
                return Err(format!("layer {} needs the keys enter and backspace", layer.name));
            }
            if has(Press::Shift) && (self.find("lower").is_none() || self.find("upper").is_none()) {
                return Err("shift needs layers named lower and upper".into());
            }
        }
        Ok(())
    }

    /// What it is called: its file's name without the ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The layers, the first one first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The index of the layer called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }

    /// Quarters of a column across the widest row.
    pub fn quarters(&self) -> u32 {
        self.rows().map(|row| quarters(row)).max().unwrap_or(1).max(1)
    }

    /// Rows of the highest layer.
    pub fn height(&self) -> usize {
        self.layers.iter().map(|layer| layer.rows.len()).max().unwrap_or(1).max(1)
    }

    fn rows(&self) -> impl Iterator<Item = &Vec<Key>> {
        self.layers.iter().flat_map(|layer| &layer.rows)
    }
}

/// The width of a row in quarters of a column.
pub fn quarters(row: &[Key]) -> u32 {
    row.iter().map(|key| key.quarters).sum()
}

fn header(line: &str) -> Option<Layer> {
    let mut words = line.split_whitespace().skip(1);
    let (name, label) = (words.next()?, words.next()?);
    match words.next() {
        None => Some(Layer { name: name.into(), label: label.into(), rows: Vec::new() }),
        Some(_) => None,
    }
}

fn row(line: &str, layers: &[String]) -> core::result::Result<Vec<Key>, String> {
    let keys = line.split_whitespace().map(|word| key(word, layers)).collect::<core::result::Result<Vec<_>, _>>()?;
    if quarters(&keys) > COLUMNS_MAX * 4 {
        return Err(format!("wider than {COLUMNS_MAX} columns"));
    }
    Ok(keys)
}

fn key(word: &str, layers: &[String]) -> core::result::Result<Key, String> {
    let (name, quarters) = match word.rsplit_once(':') {
        Some((name, width)) if !name.is_empty() => {
            (name, width_quarters(width).ok_or_else(|| format!("{width} is no width: 0.5 to 10 in quarters"))?)
        }
        _ => (word, 4),
    };
    let mut characters = name.chars();
    let press = match (name, characters.next(), characters.next()) {
        (_, Some(character), None) => Press::Character(character),
        ("space", ..) => Press::Character(' '),
        ("shift", ..) => Press::Shift,
        ("backspace", ..) => Press::Backspace,
        ("enter", ..) => Press::Enter,
        _ => match layers.iter().position(|layer| layer == name) {
            Some(index) => Press::Layer(index),
            None => return Err(format!("{name} is neither a character, a key nor a layer")),
        },
    };
    Ok(Key { press, quarters })
}

fn width_quarters(width: &str) -> Option<u32> {
    let quarters = width.parse::<f32>().ok()? * 4.0;
    ((2.0..=40.0).contains(&quarters) && quarters.fract() == 0.0).then_some(quarters as u32)
}

fn refuse(file: &str, line: usize, reason: &str) -> Error {
    Error::new(Exit::Parameters, format!("read layout {file}, line {line}"), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn us_types_all_of_ascii() {
        let layout = Layout::parse("us", US).unwrap();
        for character in ' '..='~' {
            let press = Press::Character(character);
            assert!(layout.rows().flatten().any(|key| key.press == press), "no key types {character:?}");
        }
        assert_eq!(layout.quarters(), 40);
    }

    #[test]
    fn every_layer_can_be_left() {
        let layout = Layout::parse("us", US).unwrap();
        for (at, layer) in layout.layers().iter().enumerate() {
            let leaves = |key: &Key| matches!(key.press, Press::Layer(to) if to != at) || key.press == Press::Shift;
            assert!(layer.rows.iter().flatten().any(leaves), "{}", layer.name);
        }
    }

    #[test]
    fn broken_files_name_line_and_reason() {
        let cases = [
            ("", "no layer"),
            ("a b", "line 1: keys before"),
            ("layer one", "line 1: `layer` takes"),
            ("layer one 1 2", "line 1: `layer` takes"),
            ("layer one 1\nenter", "needs the keys enter and backspace"),
            ("layer one 1\nenter backspace two", "line 2: two is neither"),
            ("layer one 1\nenter backspace x:99", "line 2: 99 is no width"),
            ("layer one 1\nenter backspace x:NaN", "line 2: NaN is no width"),
            ("layer one 1\nenter backspace shift", "shift needs layers"),
            ("layer one 1\nenter:10 backspace:10", "line 2: wider than 16"),
            ("layer one 1\na\na\na\na\na\na\na\n", "line 8: more than 6 rows"),
        ];
        for (text, reason) in cases {
            let error = Layout::parse("x.layout", text).unwrap_err();
            assert!(error.to_string().contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn punctuation_of_the_format_can_be_a_key() {
        let layout = Layout::parse("x", "layer one 1\n: # ::2 #:2 enter backspace").unwrap();
        let keys = &layout.layers()[0].rows[0];
        let found: Vec<_> = keys.iter().take(4).map(|key| (key.press, key.quarters)).collect();
        let (colon, hash) = (Press::Character(':'), Press::Character('#'));
        assert_eq!(found, [(colon, 4), (hash, 4), (colon, 8), (hash, 8)]);
    }

    #[test]
    fn random_files_never_panic() {
        let mut noise = 0x2545_f491_u32;
        for _ in 0..2000 {
            let text: String = (0..200)
                .map(|_| {
                    noise ^= noise << 13;
                    noise ^= noise >> 17;
                    noise ^= noise << 5;
                    let words = ["layer ", "a ", ":", "1.5 ", "\n", "enter ", "backspace ", "é", "shift ", "# "];
                    words[noise as usize % words.len()]
                })
                .collect();
            let _ = Layout::parse("noise", &text);
        }
    }
}
