//! The state machine of one prompt: events in, actions and a view out.
//!
//! It never waits and never fails: whatever cannot go on becomes a message, and at the end an
//! [`Action::Finish`].

use embedded_graphics::prelude::Point;

use super::battery::Battery;
use super::decoder::Phase;
use super::event::{Action, Event};
use super::keymap::Meaning;
use super::layout::Layout;
use super::plan::{Panel, Plan};
use super::secret::Secret;
use super::typist::{self, Typist};
use super::view::{Sheet, Tone, View};
use crate::error::{Error, Exit, Result};
use crate::model::logo::Logo;
use crate::model::theme::{DARK, Theme, Wish};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::Report;

/// A device that is not there after this time is told to be waited for.
const PATIENCE_MS: u64 = 400;
/// Between two steps of the animation while the worker is busy.
const STEP_MS: u64 = 100;
/// A worker that is busy for less is not worth counting seconds for.
const COUNTED_S: u64 = 5;
/// How long the reason of a failure stays on the screen before the session ends.
const CLOSING_MS: u64 = 4000;

/// What a session is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What the volume is called on the screen.
    pub volume: String,
    /// Wrong passphrases allowed; 0 means no limit.
    pub tries: u32,
    /// Milliseconds without any input after which the session ends; 0 means never.
    pub timeout_ms: u64,
    /// Whether the mapping is only checked, not made.
    pub test: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The worker waits for the device and reads its header. `submitted`: Enter was pressed already.
    Waiting { submitted: bool },
    /// A passphrase can be tried.
    Asking,
    /// The worker tries one.
    Working { since_ms: u64 },
    /// The outcome is on the screen until this time.
    Closing { until_ms: u64, error: Error },
}

/// One prompt, from the first picture to the opened volume.
pub struct Session {
    config: Config,
    layout: Layout,
    plan: Option<Plan>,
    is_seen: bool,
    secret: Secret,
    state: State,
    message: String,
    tone: Tone,
    typist: Typist,
    tried: u32,
    started_ms: u64,
    now_ms: u64,
    input_ms: u64,
    /// Input devices of any use, once they were counted.
    devices: Option<usize>,
    battery: Option<Battery>,
    wish: Wish,
    theme: Theme,
    logo: Option<Logo>,
}

impl Session {
    /// A session that has not seen any event yet.
    pub fn new(config: Config, layout: Layout, secret: Secret, now_ms: u64) -> Self {
        Self {
            message: String::new(),
            config,
            layout,
            plan: None,
            is_seen: false,
            secret,
            state: State::Waiting { submitted: false },
            tone: Tone::Calm,
            typist: Typist::default(),
            tried: 0,
            started_ms: now_ms,
            now_ms,
            input_ms: now_ms,
            devices: None,
            battery: None,
            wish: Wish::default(),
            theme: DARK,
            logo: None,
        }
    }

    /// The same session in the colours that somebody wants.
    #[must_use]
    pub fn in_theme(self, wish: Wish) -> Self {
        Self { wish, theme: wish.theme(DARK), ..self }
    }

    /// Takes the theme that suits a panel of so many greys, or of colours, if none is wanted.
    pub fn suit(&mut self, greys: Option<u32>) {
        self.theme = self.wish.theme(Theme::suited(greys));
    }

    /// The same session with a picture above the title.
    #[must_use]
    pub fn under_logo(self, logo: Option<Logo>) -> Self {
        Self { logo, ..self }
    }

    /// The colours to draw it in, and the picture above the title.
    pub fn style(&self) -> (&Theme, Option<&Logo>) {
        (&self.theme, self.logo.as_ref())
    }

    /// Lays the keyboard out on a panel. Fingers that are down are forgotten: they pressed keys
    /// that are elsewhere now.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when the panel is too small.
    pub fn set_panel(&mut self, panel: Panel) -> Result<()> {
        self.typist.let_go();
        self.plan = None;
        self.plan = Some(Plan::new(panel, &self.layout)?);
        self.is_seen = true;
        Ok(())
    }

    /// Nobody sees it until there is a panel again: what fingers do means nothing, and nothing moves.
    pub fn look_away(&mut self) {
        self.typist.let_go();
        self.is_seen = false;
    }

    /// Where everything sits; `None` without a panel.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The layout of the on-screen keyboard.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// When [`Event::Tick`] is due, in milliseconds of the session's clock.
    pub fn deadline_ms(&self) -> Option<u64> {
        match &self.state {
            State::Working { since_ms } => self.is_seen.then(|| since_ms + (self.step(*since_ms) + 1) * self.step_ms()),
            State::Closing { until_ms, .. } => Some(*until_ms),
            State::Waiting { .. } => self.timeout_ms().into_iter().chain(self.patience_ms()).min(),
            State::Asking => self.timeout_ms(),
        }
    }

    /// When the wait for the device is to be told, while it is not.
    fn patience_ms(&self) -> Option<u64> {
        self.message.is_empty().then_some(self.started_ms.saturating_add(PATIENCE_MS))
    }

    fn timeout_ms(&self) -> Option<u64> {
        (self.config.timeout_ms > 0).then(|| self.input_ms.saturating_add(self.config.timeout_ms))
    }

    /// The step of the animation that is due.
    fn step(&self, since_ms: u64) -> u64 {
        self.now_ms.saturating_sub(since_ms) / self.step_ms()
    }

    /// Between two pictures while the worker is busy: where nothing moves, only seconds are counted.
    fn step_ms(&self) -> u64 {
        if self.theme.motion { STEP_MS } else { 1000 }
    }

    /// Takes an event in.
    pub fn update(&mut self, now_ms: u64, event: Event) -> Option<Action> {
        self.now_ms = now_ms;
        match event {
            Event::Tick | Event::Redraw => return self.tick(),
            Event::Hover(_) => {}
            Event::Stop => return self.finish(Error::new(Exit::Cancelled, "unlock", "stopped by a signal")),
            Event::Report(report) => return self.report(report),
            Event::Devices { pointing, keyboards } => self.devices = Some(pointing + keyboards),
            Event::Battery(battery) => self.battery = battery,
            Event::Touch { contact, phase, at } => return self.touch(contact, phase, at),
            Event::Key { code, stroke } => {
                // Always followed, so that a modifier let go while the worker is busy is noticed.
                let meaning = self.typist.key(code, stroke)?;
                return self.mean(meaning);
            }
            Event::Text(character) => {
                let meaning = typist::text(character)?;
                return self.mean(meaning);
            }
        }
        None
    }

    /// What the session looks like.
    pub fn view(&self) -> View {
        let busy_ms = match self.state {
            State::Working { since_ms } => Some(self.now_ms.saturating_sub(since_ms)),
            _ => None,
        };
        let (message, tone) = match self.devices {
            Some(0) if self.message.is_empty() => {
                ("No touch screen, keyboard or pointer found. Connect one".into(), Tone::Alarm)
            }
            // A wrong passphrase should not come as a surprise.
            _ if self.message.is_empty() && self.typist.caps_lock() => ("Caps Lock is on".into(), Tone::Calm),
            _ => (self.message.clone(), self.tone),
        };
        View {
            title: format!("Unlock {}", self.config.volume),
            message,
            tone,
            layer: self.typist.layer(),
            shift: self.typist.shift(),
            sheet: Sheet::Keys,
            pressed: self.typist.pressed(),
            focus: None,
            choices: None,
            cursor: None,
            layout: self.layout.name().to_ascii_uppercase(),
            caps_lock: self.typist.caps_lock(),
            characters: self.secret.characters(),
            caret: self.secret.characters(),
            revealed: false,
            edits: 0,
            ready: self.state == State::Asking && self.devices != Some(0),
            enabled: self.listens(),
            working: busy_ms.map(|busy_ms| (busy_ms / STEP_MS) as u32),
            busy_s: busy_ms.map(|busy_ms| busy_ms / 1000).filter(|busy_s| *busy_s >= COUNTED_S),
            tries_left: self.tries_left(),
            battery: self.battery,
        }
    }

    /// How many tries are left, where it is not in the message.
    fn tries_left(&self) -> Option<u32> {
        let left = self.config.tries.checked_sub(self.tried).filter(|_| self.tried > 0);
        left.filter(|_| !self.message.ends_with(" left"))
    }

    /// Whether keys do anything.
    fn listens(&self) -> bool {
        matches!(self.state, State::Waiting { .. } | State::Asking)
    }

    fn tick(&mut self) -> Option<Action> {
        match &self.state {
            State::Closing { until_ms, error } if *until_ms <= self.now_ms => {
                let error = error.clone();
                self.finish(error)
            }
            State::Waiting { .. } | State::Asking if self.timeout_ms().is_some_and(|due| due <= self.now_ms) => {
                self.finish(Error::new(Exit::TimedOut, "unlock", "nobody answered in time"))
            }
            State::Waiting { .. } if self.patience_ms().is_some_and(|due| due <= self.now_ms) => {
                self.say(Tone::Calm, format!("Waiting for {}\u{2026}", self.config.volume));
                None
            }
            _ => None,
        }
    }

    fn finish(&mut self, error: Error) -> Option<Action> {
        self.secret.wipe();
        Some(Action::Finish(Err(error)))
    }

    fn say(&mut self, tone: Tone, message: impl Into<String>) {
        self.message = message.into();
        self.tone = tone;
    }

    fn report(&mut self, report: Report) -> Option<Action> {
        match (report, &self.state) {
            (_, State::Closing { .. }) => None,
            (Report::Ready { .. }, State::Waiting { submitted: true }) => {
                self.state = State::Asking;
                self.submit()
            }
            (Report::Ready { .. }, State::Waiting { submitted: false }) => {
                self.state = State::Asking;
                // What went wrong before stays to be read.
                if self.tone == Tone::Calm {
                    self.say(Tone::Calm, "");
                }
                None
            }
            (Report::Ready { .. }, _) => None,
            (Report::Opened { .. }, _) => {
                self.secret.wipe();
                Some(Action::Finish(Ok(())))
            }
            (Report::Failed(failure), _) => {
                self.input_ms = self.now_ms;
                // A worker that died starts anew and says when it is ready. Only now: an answer sent
                // meanwhile was for the one that is gone.
                let died = matches!(failure, Failure::Died { .. });
                self.fail(failure);
                died.then_some(Action::Restart)
            }
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.say(Tone::Alarm, failure.text());
        // What was typed stays, unless it was wrong: it is not lost to a lack of memory.
        if failure == Failure::WrongPassphrase {
            self.secret.wipe();
            self.typist.reset();
            self.tried += 1;
            let left = self.config.tries.saturating_sub(self.tried);
            match (self.config.tries, left) {
                (0, _) => {}
                (_, 0) => return self.close(failure),
                (_, 1) => self.message.push_str(". One try left"),
                (_, left) => self.message.push_str(&format!(". {left} tries left")),
            }
        }
        if failure.can_retry() {
            let died = matches!(failure, Failure::Died { .. });
            self.state = if died { State::Waiting { submitted: false } } else { State::Asking };
        } else {
            self.close(failure);
        }
    }

    fn close(&mut self, failure: Failure) {
        self.secret.wipe();
        let error = Error::new(failure.exit(), format!("unlock {}", self.config.volume), failure.text());
        self.state = State::Closing { until_ms: self.now_ms.saturating_add(CLOSING_MS), error };
    }

    fn submit(&mut self) -> Option<Action> {
        if self.secret.is_empty() {
            self.say(Tone::Calm, "Type the passphrase first");
            return None;
        }
        match &mut self.state {
            State::Waiting { submitted } => {
                *submitted = true;
                None
            }
            State::Asking => {
                self.state = State::Working { since_ms: self.now_ms };
                self.say(Tone::Calm, if self.config.test { "Checking\u{2026}" } else { "Unlocking\u{2026}" });
                self.typist.let_go();
                Some(Action::Unlock { length: self.secret.len() as u32 })
            }
            State::Working { .. } | State::Closing { .. } => None,
        }
    }

    /// A character, from wherever it comes.
    fn put(&mut self, character: char) {
        if !self.secret.push(character) {
            self.say(Tone::Alarm, "The passphrase cannot be longer");
        } else if self.state == State::Asking {
            self.say(Tone::Calm, "");
        }
    }

    fn mean(&mut self, meaning: Meaning) -> Option<Action> {
        self.input_ms = self.now_ms;
        if !self.listens() {
            return None;
        }
        match meaning {
            Meaning::Character(character) => self.put(character),
            Meaning::Backspace => {
                self.secret.pop();
            }
            Meaning::Clear => self.secret.wipe(),
            Meaning::Delete | Meaning::Left | Meaning::Right | Meaning::Home | Meaning::End => {}
            Meaning::Reveal | Meaning::Cancel => {}
            Meaning::Enter => return self.submit(),
        }
        None
    }

    fn touch(&mut self, contact: u32, phase: Phase, at: Point) -> Option<Action> {
        self.input_ms = self.now_ms;
        let plan = self.plan.as_ref().filter(|_| self.listens())?;
        let meaning = self.typist.touch((plan, &self.layout), self.now_ms, (contact, phase, at))?;
        self.mean(meaning)
    }
}

#[cfg(test)]
mod tests;
