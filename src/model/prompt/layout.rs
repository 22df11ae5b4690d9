//! On-screen keyboard layouts: a small text format, and the layers of keys read from it.
//!
//! ```text
//! name German               what the user reads; on the first line
//! layer lower abc           a layer: its name, and what keys that lead to it show
//! layer lower abc upper     the same, and the layer that `shift` goes to
//! layer upper ABC = lower   the rows of `lower` in upper case; `shift` goes back there
//! ? 1 2 3 4 5 6 7 8 9 0     a row that is shown only where there is height for it
//! q w e r t z u i o p       a row of keys, one word each
//! shift:1.5 y x c :         `word:N` is N columns wide
//! hold a ä à                what `a` offers when it is held, the likeliest first
//! include symbols           takes in layers and alternatives of another layout
//! ```
//!
//! A word is one character, `shift`, `backspace`, `space`, `enter`, `next`, or the name of a layer. A
//! line that starts with `# ` is a comment. The layer that is declared first is shown first. Of layers
//! with the same name that of the including file counts. Alternatives of a lower-case letter are
//! those of its upper-case one as well, in upper case.

mod reader;

use super::layouts;
use crate::error::Result;

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
    /// Shows the next page of layouts.
    More,
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

/// Keys beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Whether it is shown only where there is height for it.
    pub optional: bool,
    /// From the left.
    pub keys: Vec<Key>,
}

/// The keys that are shown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// What other keys call it.
    pub name: String,
    /// What a key that leads to it shows.
    pub label: String,
    /// The index of the layer that shift leads to.
    pub shift: Option<usize>,
    /// From the top.
    rows: Vec<Row>,
}

impl Layer {
    /// Its rows of keys from the top, with those that need height or without.
    pub fn rows(&self, optional: bool) -> impl DoubleEndedIterator<Item = &[Key]> + Clone {
        self.rows.iter().filter(move |row| optional || !row.optional).map(|row| row.keys.as_slice())
    }

    /// The same as pairs: whether each is one of those that need height.
    pub(super) fn all_rows(&self) -> &[Row] {
        &self.rows
    }
}

/// A keyboard of one or more layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    name: String,
    title: String,
    layers: Vec<Layer>,
    holds: Vec<(char, Vec<char>)>,
}

impl Layout {
    /// Reads a layout that includes none but built-in ones; `file` is its name in messages.
    ///
    /// # Errors
    /// [`Exit::Parameters`](crate::error::Exit::Parameters) with file, line and reason.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        Self::parse_with(file, text, layouts::find)
    }

    /// The same, with a function that gives the texts of those that it includes.
    ///
    /// # Errors
    /// As [`Layout::parse`].
    pub fn parse_with<'a, 'b: 'a>(
        file: &'a str,
        text: &'a str,
        find: impl Fn(&str) -> Option<&'b str>,
    ) -> Result<Self> {
        reader::parse(file, text, &|name| find(name))
    }

    /// The same layout without the key that goes to the next one, whose place the space bar of its
    /// row gets: for where there is no other.
    #[must_use]
    pub fn without_next(mut self) -> Self {
        for keys in self.layers.iter_mut().flat_map(|layer| &mut layer.rows).map(|row| &mut row.keys) {
            let gone: u32 = keys.iter().filter(|key| key.press == Press::Next).map(|key| key.quarters).sum();
            keys.retain(|key| key.press != Press::Next);
            if let Some(space) = keys.iter_mut().find(|key| key.press == Press::Character(' ')) {
                space.quarters += gone;
            }
        }
        self
    }

    /// What it is called: its file's name without the ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the user reads.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The layers, the first one first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The index of the layer called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }

    /// What a key of `character` offers when it is held, the likeliest first.
    pub fn alternatives(&self, character: char) -> &[char] {
        let hold = self.holds.iter().find(|(known, _)| *known == character);
        hold.map_or(&[], |(_, others)| others.as_slice())
    }

    /// Quarters of a column across the widest row.
    pub fn quarters(&self) -> u32 {
        let rows = self.layers.iter().flat_map(|layer| layer.rows(true));
        rows.map(quarters).max().unwrap_or(1).max(1)
    }

    /// Rows of the highest layer, with those that need height or without.
    pub fn height(&self, optional: bool) -> usize {
        self.layers.iter().map(|layer| layer.rows(optional).count()).max().unwrap_or(1).max(1)
    }
}

/// The width of a row in quarters of a column.
pub fn quarters(row: &[Key]) -> u32 {
    row.iter().map(|key| key.quarters).sum()
}

/// The upper-case letter of a character, itself if there is not exactly one (Unicode's simple case
/// mapping, but for a few letters whose full mapping is longer).
pub fn upper(character: char) -> char {
    let mut letters = character.to_uppercase();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => letter,
        _ => character,
    }
}

#[cfg(test)]
mod tests;
