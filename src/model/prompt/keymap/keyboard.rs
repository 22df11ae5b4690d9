//! Follows the keys of keyboards, as the kernel's console does (drivers/tty/vt/keyboard.c), and says
//! what they mean.

use super::entry::CAPS_SHIFT;
use super::{Entry, Keymap, Meaning, SHIFT};
use crate::model::prompt::decoder::Stroke;

const KEY_CAPSLOCK: u16 = 58;
const KEY_F2: u16 = 60;
/// KEY_Q to KEY_M: letters on every keyboard, most of them.
const LETTERS: core::ops::RangeInclusive<u16> = 16..=50;
/// Keys that modify others on a usual keyboard: Ctrl, Shift, Alt and Meta, left and right.
const MODIFIERS: [u16; 8] = [29, 97, 42, 54, 56, 100, 125, 126];

/// What the keys of the keypad type, by their numbers (`pad_chars`); the one for Enter does not.
const PAD: &[u8] = b"0123456789+-*/\r,.?()#";
/// Keys that can be held at once, on all keyboards, and still be told apart.
const HELD_MAX: usize = 32;

/// What one stroke means, in order.
pub type Meanings = [Option<Meaning>; 2];

/// No meaning.
const NOTHING: Meanings = [None, None];

/// Keyboards, all of them as if they were one.
#[derive(Debug)]
pub struct Keyboard {
    keymap: Keymap,
    /// The keymap that is not in use while the US one is.
    other: Option<Keymap>,
    /// Keys that hold a modifier, by code, and that modifier. A code may be there twice: on two
    /// keyboards.
    held: Vec<(u16, u8)>,
    lock: u8,
    /// What of it the key Caps Lock has turned over: many keymaps have another lock in its place.
    lock_of_caps: u8,
    /// For the next key.
    sticky: u8,
    caps_lock: bool,
    num_lock: bool,
    accent: Option<char>,
    /// Compose was pressed: the next character is an accent.
    composes: bool,
    /// A character's number, while Alt is held and its digits come.
    number: Option<u32>,
}

impl Default for Keyboard {
    fn default() -> Self {
        Self::new(Keymap::us())
    }
}

impl Keyboard {
    /// No key is down. Num Lock is on, since a prompt has more use for digits than for arrows.
    pub fn new(keymap: Keymap) -> Self {
        Self {
            keymap,
            other: None,
            held: Vec::new(),
            lock: 0,
            lock_of_caps: 0,
            sticky: 0,
            caps_lock: false,
            num_lock: true,
            accent: None,
            composes: false,
            number: None,
        }
    }

    /// Whether a key modifies others on a usual keyboard while it is held, and does nothing else.
    pub fn is_modifier(code: u16) -> bool {
        MODIFIERS.contains(&code)
    }

    /// Takes another keymap. Keys that are down stay down, and the same one once more changes nothing.
    pub fn set_keymap(&mut self, keymap: Keymap) {
        if *self.other.as_ref().unwrap_or(&self.keymap) == keymap {
            return;
        }
        (self.keymap, self.other) = (keymap, None);
        self.start_over();
    }

    /// Changes between the machine's keymap and the US one, so that whoever is given letters that they
    /// cannot type, or no keys, is not locked out.
    pub fn toggle_us(&mut self) {
        let next = self.other.take();
        let is_us = next.is_some();
        let before = core::mem::replace(&mut self.keymap, next.unwrap_or_else(Keymap::us));
        self.other = (!is_us).then_some(before);
        self.start_over();
    }

    /// Whether the US keymap is used in place of the machine's.
    pub fn is_us(&self) -> bool {
        self.other.is_some()
    }

    /// Whether Caps Lock is on.
    pub fn caps_lock(&self) -> bool {
        self.caps_lock || self.lock_of_caps != 0
    }

    /// Sets Caps Lock, as a keyboard's lamp shows it.
    pub fn set_caps_lock(&mut self, is_on: bool) {
        self.lock ^= self.lock_of_caps;
        (self.lock_of_caps, self.caps_lock) = (0, false);
        match self.keymap.entry(0, KEY_CAPSLOCK) {
            Some(Entry::CapsLock | Entry::CapsOn) => self.caps_lock = is_on,
            Some(Entry::Lock(number)) if is_on && self.turns_case(1 << number) => self.lock(KEY_CAPSLOCK, number),
            // No key could take it back.
            _ => {}
        }
    }

    /// Whether a second group of letters is on: Cyrillic ones perhaps.
    pub fn group(&self) -> bool {
        // Two locks may come to the first group again, so what letters there are tells.
        let typed = |modifiers, code| self.keymap.entry(modifiers, code).and_then(Entry::character);
        LETTERS.into_iter().any(|code| typed(0, code) != typed(self.lock ^ self.lock_of_caps, code))
    }

    /// Which letters its keys type, if not those that one expects: a wrong passphrase should not come as a
    /// surprise.
    pub fn letters(&self) -> Option<&'static str> {
        match (self.is_us(), self.group()) {
            (true, _) => Some("US keyboard. F2 changes back"),
            (_, true) => Some("Second group of letters"),
            _ => None,
        }
    }

    /// The accent that waits for a character.
    pub fn dead(&self) -> Option<char> {
        self.accent
    }

    /// A stroke of a key.
    pub fn key(&mut self, code: u16, stroke: Stroke) -> Meanings {
        match stroke {
            Stroke::Press if code == KEY_F2 && self.held.is_empty() => {
                self.toggle_us();
                NOTHING
            }
            Stroke::Press => self.press(code),
            Stroke::Repeat => self.repeat(code),
            Stroke::Release => self.release(code),
        }
    }

    /// What belongs to a keymap and not to the hands.
    fn start_over(&mut self) {
        let caps_lock = self.caps_lock();
        (self.lock, self.lock_of_caps, self.sticky) = (0, 0, 0);
        (self.accent, self.composes, self.number) = (None, false, None);
        self.set_caps_lock(caps_lock);
    }

    /// Shift and the like that are held.
    fn holds(&self) -> u8 {
        self.held.iter().fold(0, |bits, (_, bit)| bits | bit)
    }

    /// What a key does now.
    fn entry(&self, code: u16) -> Option<Entry> {
        let modifiers = (self.holds() | self.sticky) ^ self.lock;
        let entry = self.keymap.entry(modifiers, code)?;
        let turned = modifiers ^ SHIFT;
        match entry {
            Entry::Letter(_) if self.caps_lock && self.keymap.has(turned) => self.keymap.entry(turned, code),
            entry => Some(entry),
        }
    }

    fn press(&mut self, code: u16) -> Meanings {
        let entry = self.entry(code);
        if !matches!(entry, Some(Entry::Sticky(_))) {
            self.sticky = 0;
        }
        match entry.unwrap_or(Entry::Nothing) {
            Entry::Nothing => NOTHING,
            Entry::Character(character) | Entry::Letter(character) => self.character(character),
            Entry::Dead(accent) => self.dead_key(accent),
            Entry::Means(Meaning::Enter) => self.enter(),
            Entry::Means(meaning) => [Some(meaning), None],
            Entry::Pad(value) => self.pad(value),
            Entry::CapsLock => self.turn(|keyboard| &mut keyboard.caps_lock),
            Entry::NumLock => self.turn(|keyboard| &mut keyboard.num_lock),
            Entry::CapsOn => {
                self.caps_lock = true;
                NOTHING
            }
            Entry::Compose => {
                self.composes = true;
                NOTHING
            }
            Entry::Ascii(digit) => {
                let (base, digit) = if digit < 10 { (10, digit) } else { (16, digit - 10) };
                self.number = Some(self.number.unwrap_or(0).wrapping_mul(base).wrapping_add(u32::from(digit)));
                NOTHING
            }
            Entry::Lock(number) => {
                self.lock(code, number);
                NOTHING
            }
            Entry::Shift(number) => {
                if number == CAPS_SHIFT {
                    self.set_caps_lock(false);
                }
                self.hold(code, if number == CAPS_SHIFT { SHIFT } else { 1 << number });
                NOTHING
            }
            Entry::Sticky(number) => {
                self.hold(code, 1 << number);
                self.sticky ^= 1 << number;
                if !self.keymap.has(self.lock ^ self.sticky) {
                    self.sticky = 1 << number;
                }
                NOTHING
            }
        }
    }

    /// What types or moves does so again while it is held. What would try, clear, or wait does not.
    fn repeat(&mut self, code: u16) -> Meanings {
        let repeats = |meaning: &Meaning| {
            use Meaning::{Backspace, Character, Delete, Left, Right};
            matches!(meaning, Character(_) | Backspace | Delete | Left | Right)
        };
        match self.entry(code) {
            Some(Entry::Character(character) | Entry::Letter(character)) if !self.composes => {
                self.character(character).map(|meaning| meaning.filter(repeats))
            }
            Some(Entry::Pad(value)) => self.pad(value).map(|meaning| meaning.filter(repeats)),
            Some(Entry::Means(meaning)) => [Some(meaning).filter(repeats), None],
            _ => NOTHING,
        }
    }

    /// Lets go of what the key holds, whatever it would hold by now.
    fn release(&mut self, code: u16) -> Meanings {
        let before = self.holds();
        let Some(place) = self.held.iter().position(|(held, _)| *held == code) else { return NOTHING };
        self.held.remove(place);
        if self.holds() == before {
            return NOTHING;
        }
        let number = self.number.take().and_then(char::from_u32);
        [number.filter(|character| !character.is_control()).map(Meaning::Character), None]
    }

    fn turn(&mut self, lock: impl Fn(&mut Self) -> &mut bool) -> Meanings {
        let lock = lock(self);
        *lock = !*lock;
        NOTHING
    }

    fn hold(&mut self, code: u16, bit: u8) {
        if self.held.len() == HELD_MAX {
            self.held.remove(0);
        }
        self.held.push((code, bit));
    }

    /// Turns a modifier over for good. Into a place without keys it does not: there would be no way back.
    fn lock(&mut self, code: u16, number: u8) {
        let bit = 1 << number;
        if !self.keymap.has(self.lock ^ bit) {
            return;
        }
        self.lock ^= bit;
        if code == KEY_CAPSLOCK && self.turns_case(bit) {
            self.lock_of_caps ^= bit;
        }
    }

    /// Whether a lock does to letters what shift does, and leads to no other group.
    fn turns_case(&self, bit: u8) -> bool {
        const KEY_A: u16 = 30;
        let typed = |modifiers| self.keymap.entry(modifiers, KEY_A).and_then(Entry::character);
        typed(bit).is_some_and(|letter| typed(SHIFT) == Some(letter) && typed(0) != Some(letter))
    }

    fn character(&mut self, character: char) -> Meanings {
        if character.is_control() {
            return self.control(character);
        }
        let [first, character] = match self.accent.take() {
            Some(accent) => self.combine(accent, character),
            None => [None, Some(character)],
        };
        if core::mem::take(&mut self.composes) {
            self.accent = character;
            return [first.map(Meaning::Character), None];
        }
        [first, character].map(|character| character.map(Meaning::Character))
    }

    /// What an accent and a character type; unless they become one, the accent first.
    fn combine(&self, accent: char, base: char) -> [Option<char>; 2] {
        match self.keymap.combine(accent, base) {
            Some(result) => [None, Some(result)],
            None if base == ' ' || base == accent => [None, Some(accent)],
            None => [Some(accent), Some(base)],
        }
    }

    fn dead_key(&mut self, accent: char) -> Meanings {
        self.composes = false;
        let Some(before) = self.accent.replace(accent) else { return NOTHING };
        if let Some(result) = self.keymap.combine(before, accent) {
            self.accent = Some(result);
            return NOTHING;
        }
        if before == accent {
            self.accent = None;
        }
        [Some(Meaning::Character(before)), None]
    }

    /// A control character: as on every terminal, where there is something like it here.
    fn control(&mut self, character: char) -> Meanings {
        let meaning = match character {
            '\r' | '\n' => return self.enter(),
            '\x08' | '\x7f' => {
                // What has not been typed yet is taken back first.
                let waits = self.accent.take().is_some() | core::mem::take(&mut self.composes);
                if waits { return NOTHING } else { Meaning::Backspace }
            }
            '\x15' | '\x17' => {
                (self.accent, self.composes) = (None, false);
                Meaning::Clear
            }
            '\x01' => Meaning::Home,
            '\x05' => Meaning::End,
            '\t' => Meaning::Reveal,
            '\x1b' => Meaning::Cancel,
            _ => return NOTHING,
        };
        [Some(meaning), None]
    }

    fn enter(&mut self) -> Meanings {
        self.composes = false;
        match self.accent.take() {
            Some(accent) => [Some(Meaning::Character(accent)), Some(Meaning::Enter)],
            None => [Some(Meaning::Enter), None],
        }
    }

    /// A key of the keypad: what is on it, or without Num Lock the key that is below.
    fn pad(&mut self, value: u8) -> Meanings {
        const MOVES: [Option<Meaning>; 10] = [
            None,
            Some(Meaning::End),
            None,
            None,
            Some(Meaning::Left),
            None,
            Some(Meaning::Right),
            Some(Meaning::Home),
            None,
            None,
        ];
        match (value, PAD.get(usize::from(value))) {
            (15 | 16, _) if !self.num_lock => [Some(Meaning::Delete), None],
            (0..=9, _) if !self.num_lock => [MOVES.get(usize::from(value)).copied().flatten(), None],
            (_, Some(character)) => self.character(char::from(*character)),
            _ => NOTHING,
        }
    }
}

#[cfg(test)]
mod tests;
