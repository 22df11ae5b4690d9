//! What is done to the passphrase, wherever it comes from.

use super::super::event::Action;
use super::super::keymap::Meaning;
use super::super::view::Tone;
use super::{Session, State};
use crate::error::{Error, Exit};

impl Session {
    /// A key of any keyboard.
    pub(super) fn mean(&mut self, meaning: Meaning) -> Option<Action> {
        self.attend();
        let sheet = self.desk.sheet();
        if self.desk.back() {
            self.change(sheet);
            // Whoever types sees it no more. What could be an answer to it is none, to be on the safe side.
            if matches!(meaning, Meaning::Enter | Meaning::Cancel) {
                return None;
            }
        }
        if meaning == Meaning::Cancel {
            let is_over = !self.config.cancel || matches!(self.state, State::Closing { .. });
            return if is_over { None } else { self.finish(Error::new(Exit::Cancelled, "unlock", "cancelled")) };
        }
        if !self.listens() {
            return None;
        }
        match meaning {
            Meaning::Enter => return self.submit(),
            Meaning::Reveal => self.toggle(),
            Meaning::Character(character) => self.put(character),
            Meaning::Left => drop(self.secret.left()),
            Meaning::Right => drop(self.secret.right()),
            Meaning::Home => self.secret.home(),
            Meaning::End => self.secret.end(),
            Meaning::Backspace => self.take(|secret| secret.backspace()),
            Meaning::Delete => self.take(|secret| secret.delete()),
            Meaning::Clear => self.take(|secret| {
                let some = !secret.is_empty();
                secret.wipe();
                some
            }),
            Meaning::Cancel => {}
        }
        None
    }

    /// Moves the caret by so many characters; beyond the ends it goes nowhere.
    pub(super) fn move_caret(&mut self, steps: i32) {
        for _ in 0..steps.unsigned_abs() {
            let moved = if steps < 0 { self.secret.left() } else { self.secret.right() };
            if !moved {
                return;
            }
        }
    }

    fn put(&mut self, character: char) {
        if !self.secret.insert(character) {
            self.say(Tone::Alarm, "The passphrase cannot be longer");
            return;
        }
        self.edited();
        if self.state == State::Asking {
            self.say(Tone::Calm, "");
        }
    }

    fn take(&mut self, away: impl Fn(&mut super::Secret) -> bool) {
        if away(&mut self.secret) {
            self.edited();
        }
    }

    /// What is drawn of it, if it is, is another text now; and another one than was sent while there was no
    /// device yet. Half of a correction would cost a try.
    pub(super) fn edited(&mut self) {
        if let State::Waiting { submitted } = &mut self.state {
            *submitted = false;
        }
        self.edits = self.edits.wrapping_add(1);
    }

    /// Whether what was typed can be read.
    pub(super) fn is_revealed(&self) -> bool {
        self.config.reveal && self.listens() && (self.reveal.toggled || self.reveal.peeking)
    }

    /// Hides what was typed.
    pub(super) fn hide(&mut self) {
        (self.reveal.toggled, self.reveal.peeking) = (false, false);
    }

    fn toggle(&mut self) {
        self.reveal.toggled = self.config.reveal && !self.reveal.toggled;
    }

    /// Shows it while a finger stays; afterwards it is hidden, even if it was shown before.
    pub(super) fn peek(&mut self, shown: bool) {
        self.reveal.peeking = self.config.reveal && shown;
        self.reveal.toggled &= shown;
    }
}
