//! Hardware keyboards: from key codes to characters, by the tables that the kernel's console uses.
//!
//! Key codes are those of include/uapi/linux/input-event-codes.h, tables and their entries those of
//! include/uapi/linux/keyboard.h.

mod entry;
pub mod file;
pub mod keyboard;
mod us;

pub use entry::Entry;

/// What a key of a hardware keyboard means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Types a character.
    Character(char),
    /// Takes the last character away.
    Backspace,
    /// Takes everything away.
    Clear,
    /// Tries the passphrase.
    Enter,
    /// Takes the next character away.
    Delete,
    /// One character to the left.
    Left,
    /// One character to the right.
    Right,
    /// Before the first character.
    Home,
    /// Behind the last one.
    End,
    /// Shows or hides what was typed.
    Reveal,
    /// Ends the prompt, where whoever started it allows that.
    Cancel,
}

/// The bit of shift in the number of a table (KG_SHIFT).
pub const SHIFT: u8 = 1;
/// The bit of the right Alt key (KG_ALTGR).
pub const ALTGR: u8 = 2;
/// The bit of control (KG_CTRL).
pub const CTRL: u8 = 4;
/// The bit of Alt (KG_ALT).
pub const ALT: u8 = 8;

/// Keys of a table. The kernel has room for 256, and no keymap for more than these.
pub const KEYS: usize = 128;
/// Accents that the kernel has room for (MAX_DIACR).
pub const ACCENTS_MAX: usize = 256;

/// What the keys mean while certain modifiers are held, one value of the kernel's KDGKBENT a key.
pub type Table = [u16; KEYS];

/// No table of these modifiers.
const NONE: u16 = u16::MAX;

/// An accent and a character that become another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accent {
    /// Typed first, often with a dead key.
    pub accent: char,
    /// Typed next.
    pub base: char,
    /// What comes of it.
    pub result: char,
}

/// All tables of a keyboard, and its accents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// Where in `tables` those of each combination of modifiers are: many are the same.
    index: [u16; 256],
    tables: Vec<Table>,
    accents: Vec<Accent>,
}

impl Keymap {
    /// No tables and no accents.
    pub fn empty() -> Self {
        Self { index: [NONE; 256], tables: Vec::new(), accents: Vec::new() }
    }

    /// A US keyboard with the kernel's own accents: what a console has that was told nothing.
    pub fn us() -> Self {
        us::keymap()
    }

    /// Sets the table of a combination of modifiers.
    pub fn set(&mut self, modifiers: u8, table: &Table) {
        let place = self.tables.iter().position(|other| other == table).unwrap_or_else(|| {
            self.tables.push(*table);
            self.tables.len() - 1
        });
        if let Some(index) = self.index.get_mut(usize::from(modifiers)) {
            *index = place as u16;
        }
    }

    /// The same tables with other accents.
    #[must_use]
    pub fn with_accents(self, accents: Vec<Accent>) -> Self {
        Self { accents, ..self }
    }

    /// The accents.
    pub fn accents(&self) -> &[Accent] {
        &self.accents
    }

    /// Whether there is a table of these modifiers. Without one, no key does anything.
    pub fn has(&self, modifiers: u8) -> bool {
        self.table(modifiers).is_some()
    }

    /// What a key means while these modifiers are held; `None` without such a table or key.
    pub fn entry(&self, modifiers: u8, code: u16) -> Option<Entry> {
        self.table(modifiers)?.get(usize::from(code)).map(|value| Entry::of(*value))
    }

    /// All modifiers that some key of some table sets: the others are never held.
    pub fn modifiers(&self) -> u8 {
        let values = self.tables.iter().flatten();
        values.filter_map(|value| Entry::of(*value).modifier()).fold(0, |all, bit| all | bit)
    }

    /// Whether some key types something that can be seen.
    pub fn types(&self) -> bool {
        let mut entries = self.tables.iter().flatten().map(|value| Entry::of(*value));
        entries.any(|entry| entry.character().is_some_and(|character| !character.is_control() && character != ' '))
    }

    /// What an accent and a character become.
    fn combine(&self, accent: char, base: char) -> Option<char> {
        let found = self.accents.iter().find(|other| other.accent == accent && other.base == base);
        found.map(|found| found.result)
    }

    fn table(&self, modifiers: u8) -> Option<&Table> {
        self.tables.get(usize::from(*self.index.get(usize::from(modifiers))?))
    }
}

#[cfg(test)]
mod tests;
