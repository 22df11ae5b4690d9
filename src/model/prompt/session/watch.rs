//! What a session looks like, and what it does by itself as time goes by.

use super::super::census::Census;
use super::super::event::Action;
use super::super::view::{Sheet, Tone, View};
use super::{PATIENCE_MS, REVEALED_MS, STEP_MS, Session, State};
use crate::error::{Error, Exit};

/// A worker that is busy for less is not worth counting seconds for.
const COUNTED_S: u64 = 5;
/// Characters that are shown for any number of them.
const LENGTH: usize = 8;
const ASK_POWER: &str = "Switch the machine off?";
const NOTHING: &str = "No touch screen, keyboard or pointer found. Connect one";
const MEDIA: &str = "No touch screen, keyboard or pointer found. Volume up chooses keys";
/// How two keys do for all.
const RULE: &str = "Volume up: next key. Down: next row. Hold up: press. Hold down: back";
/// Whoever has letters in the passphrase is to know at once.
const KEYPAD: &str = "Only a number pad found. It types digits";

impl Session {
    /// When [`Event::Tick`](super::Event::Tick) is due, in milliseconds of the session's clock.
    pub fn deadline_ms(&self) -> Option<u64> {
        let state_ms = match &self.state {
            State::Working { since_ms } => self.is_seen.then(|| since_ms + (self.step(*since_ms) + 1) * self.step_ms()),
            State::Closing { until_ms, .. } => Some(*until_ms),
            State::Waiting { .. } => self.timeout_ms().into_iter().chain(self.patience_ms()).min(),
            State::Asking => self.timeout_ms().into_iter().chain(self.power_off_ms()).min(),
        };
        let hands_ms = [self.typist.due_ms(), self.buttons.due_ms(), self.focus.due_ms(), self.desk.due_ms()];
        hands_ms.into_iter().chain([state_ms, self.hide_ms()]).flatten().min()
    }

    /// When the wait for the device is to be told, while it is not.
    fn patience_ms(&self) -> Option<u64> {
        self.message.is_empty().then_some(self.started_ms.saturating_add(PATIENCE_MS))
    }

    fn timeout_ms(&self) -> Option<u64> {
        (self.config.question.timeout_ms > 0).then(|| self.input_ms.saturating_add(self.config.question.timeout_ms))
    }

    /// When the machine is to be switched off, unless a worker has something to do.
    fn power_off_ms(&self) -> Option<u64> {
        let after_ms = self.config.power_off_after_ms;
        (after_ms > 0).then(|| self.stir_ms.saturating_add(after_ms))
    }

    /// When what was typed is to be hidden again.
    fn hide_ms(&self) -> Option<u64> {
        (self.reveal.toggled || self.reveal.peeking).then(|| self.input_ms.saturating_add(REVEALED_MS))
    }

    /// The step of the animation that is due.
    fn step(&self, since_ms: u64) -> u64 {
        self.now_ms.saturating_sub(since_ms) / self.step_ms()
    }

    /// Between two pictures while the worker is busy: where nothing moves, only seconds are counted.
    fn step_ms(&self) -> u64 {
        if self.theme.motion { STEP_MS } else { 1000 }
    }

    /// Does what is due. What comes second has its turn at the next tick, which is due at once.
    pub(super) fn tick(&mut self) -> Option<Action> {
        let now_ms = self.now_ms;
        let is_due = |due_ms: Option<u64>| due_ms.is_some_and(|due_ms| due_ms <= now_ms);
        match &self.state {
            State::Closing { until_ms, error } if *until_ms <= now_ms => {
                let error = error.clone();
                return self.pass_over(error);
            }
            State::Waiting { .. } | State::Asking if is_due(self.timeout_ms()) => {
                return self.pass_over(Error::new(Exit::TimedOut, "unlock", "nobody answered in time"));
            }
            State::Asking if is_due(self.power_off_ms()) => return self.power_off(),
            State::Waiting { .. } if is_due(self.patience_ms()) => {
                self.say(Tone::Calm, format!("Waiting for {}\u{2026}", self.config.question.device));
            }
            _ => {}
        }
        if is_due(self.hide_ms()) {
            self.hide();
        }
        self.focus.tick(now_ms);
        let sheet = self.desk.sheet();
        if self.desk.tick(now_ms) {
            self.change(sheet);
        }
        if is_due(self.typist.due_ms()) {
            let Some(ground) = self.board.ground(self.desk.sheet(), self.typist.layer()) else {
                self.let_go();
                return None;
            };
            let order = self.typist.tick(ground, now_ms)?;
            return self.obey(order);
        }
        let signal = self.buttons.tick(now_ms)?;
        // Holding is input as pressing is.
        self.attend();
        self.signal(signal)
    }

    /// Asks for the machine to be switched off. What was typed must not stay in memory that keeps it for a
    /// while without power. If it fails it goes on, and tries no sooner again.
    pub(super) fn power_off(&mut self) -> Option<Action> {
        self.secret.wipe();
        self.edited();
        self.hide();
        self.attend();
        self.desk.back();
        Some(Action::PowerOff)
    }

    /// The machine was asked to switch itself off, and did not.
    pub fn stay(&mut self) {
        self.say(Tone::Alarm, "The machine could not be switched off");
    }

    /// What the session looks like.
    pub fn view(&self) -> View {
        let busy_ms = match self.state {
            State::Working { since_ms } => Some(self.now_ms.saturating_sub(since_ms)),
            _ => None,
        };
        let sheet = self.desk.sheet();
        let (message, tone) = self.words();
        let (characters, caret) = self.extent();
        View {
            title: format!("Unlock {}", self.config.question.volume),
            message,
            tone,
            layer: self.typist.layer(),
            shift: self.typist.shift(),
            sheet,
            pressed: self.typist.pressed(sheet),
            focus: self.focus.spot().filter(|_| self.is_enabled() && sheet != Sheet::Hidden),
            choices: self.typist.choices(),
            cursor: self.cursor,
            layout: self.board.layout().name().to_ascii_uppercase(),
            caps_lock: self.typist.caps_lock(),
            characters,
            caret,
            revealed: self.is_revealed(),
            edits: self.edits,
            ready: self.state == State::Asking && !self.desk.is_bare(),
            enabled: self.is_enabled(),
            working: busy_ms.map(|busy_ms| (busy_ms / STEP_MS) as u32),
            busy_s: busy_ms.map(|busy_ms| busy_ms / 1000).filter(|busy_s| *busy_s >= COUNTED_S),
            tries_left: self.tries_left(),
            battery: self.battery,
        }
    }

    /// The message, or what else is worth saying while there is none; below it, what keys type.
    fn words(&self) -> (String, Tone) {
        let devices = self.desk.devices().unwrap_or(Census::of(1, 1));
        let calm = |text: &str| (text.to_owned(), Tone::Calm);
        let (text, tone) = match () {
            () if self.desk.sheet() == Sheet::Power => return calm(ASK_POWER),
            () if !self.message.is_empty() => (self.message.clone(), self.tone),
            () if devices.is_bare() => return (NOTHING.into(), Tone::Alarm),
            () if self.by_volume && self.focus.spot().is_some() => return calm(RULE),
            () if devices.is_media_alone() => return (MEDIA.into(), Tone::Alarm),
            () if devices.is_keypad_alone() => calm(KEYPAD),
            () if self.typist.caps_lock() => calm("Caps Lock is on"),
            () => calm(""),
        };
        let letters = self.typist.keyboard().letters().filter(|_| self.listens());
        let lines = [Some(text.as_str()).filter(|text| !text.is_empty()), letters];
        (lines.into_iter().flatten().collect::<Vec<_>>().join("\n"), tone)
    }

    /// Characters typed, and those before the caret, as far as that may be seen.
    fn extent(&self) -> (usize, usize) {
        if !self.config.hide_length || self.is_revealed() {
            return (self.secret.characters(), self.secret.caret());
        }
        let length = if self.secret.is_empty() { 0 } else { LENGTH };
        (length, length)
    }

    /// How many tries are left, where it is not in the message.
    fn tries_left(&self) -> Option<u32> {
        let left = self.config.question.tries.checked_sub(self.tried).filter(|_| self.tried > 0);
        left.filter(|_| !self.message.ends_with(" left"))
    }
}
