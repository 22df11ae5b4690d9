//! The state machine of one prompt: events in, actions and a view out.
//!
//! It never waits and never fails: whatever cannot go on becomes a message, and at the end an
//! [`Action::Finish`].

mod edit;
mod report;
mod signal;
mod touch;
mod watch;

use std::collections::VecDeque;

use embedded_graphics::prelude::Point;

use super::battery::Battery;
use super::board::Board;
use super::button::{self, Buttons};
use super::catalogue::Catalogue;
use super::decoder::Stroke;
use super::desk::Desk;
use super::event::{Action, Event};
use super::focus::Focus;
use super::layout::Layout;
use super::plan::{Panel, Plan};
use super::secret::Secret;
use super::showing::Showing;
use super::typist::{self, Typist};
use super::view::{Sheet, Tone};
use crate::error::{Error, Exit, Result};
use crate::model::logo::Logo;
use crate::model::theme::{DARK, Theme, Wish};

/// A device that is not there after this time is told to be waited for.
const PATIENCE_MS: u64 = 400;
/// Between two steps of the animation while the worker is busy.
const STEP_MS: u64 = 100;
/// How long the reason of a failure stays on the screen before the session ends.
const CLOSING_MS: u64 = 4000;
/// Whoever was typing when it came does not want to end it yet.
const READING_MS: u64 = 500;
/// What was typed is not shown for longer than this without any input.
const REVEALED_MS: u64 = 30_000;

/// One volume that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What the volume is called on the screen.
    pub volume: String,
    /// What is waited for, in words.
    pub device: String,
    /// Wrong passphrases allowed; 0 means no limit.
    pub tries: u32,
    /// Milliseconds without any input after which it is given up; 0 means never.
    pub timeout_ms: u64,
    /// Whether the mapping is only checked, not made.
    pub test: bool,
    /// Whether the session goes on without it.
    pub is_optional: bool,
}

impl Default for Question {
    fn default() -> Self {
        let (volume, device) = (String::new(), String::new());
        Self { volume, device, tries: 3, timeout_ms: 0, test: false, is_optional: false }
    }
}

/// What a session is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The first volume.
    pub question: Question,
    /// Those after it.
    pub later: VecDeque<Question>,
    /// Milliseconds without any input after which the machine is switched off; 0 means never.
    pub power_off_after_ms: u64,
    /// Whether what was typed can be shown.
    pub reveal: bool,
    /// Whether nobody is to see how many characters were typed.
    pub hide_length: bool,
    /// Whether Esc ends it.
    pub cancel: bool,
    /// Whether the keyboard on the screen is shown.
    pub keyboard: Showing,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            question: Question::default(),
            later: VecDeque::new(),
            power_off_after_ms: 0,
            reveal: true,
            hide_length: false,
            cancel: false,
            keyboard: Showing::Auto,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The worker waits for the device and reads its header. `submitted`: Enter was pressed already.
    Waiting { submitted: bool },
    /// A passphrase can be tried.
    Asking,
    /// The worker tries one.
    Working { since_ms: u64 },
    /// The outcome is on the screen until this time. Then it goes on with the next volume, or ends.
    Closing { until_ms: u64, error: Error },
}

/// What was typed, to be read.
#[derive(Debug, Default)]
struct Reveal {
    /// Until it is hidden again.
    toggled: bool,
    /// As long as a finger stays.
    peeking: bool,
}

/// One prompt, from the first picture to the opened volume.
pub struct Session {
    config: Config,
    board: Board,
    desk: Desk,
    is_seen: bool,
    secret: Secret,
    edits: u32,
    reveal: Reveal,
    state: State,
    message: String,
    tone: Tone,
    typist: Typist,
    buttons: Buttons,
    focus: Focus,
    /// The focus was last moved by the two keys that need an explanation.
    by_volume: bool,
    presses: u32,
    cursor: Option<Point>,
    tried: u32,
    passed: Option<Error>,
    started_ms: u64,
    now_ms: u64,
    input_ms: u64,
    /// The same, and reports count too.
    stir_ms: u64,
    battery: Option<Battery>,
    wish: Wish,
    theme: Theme,
    logo: Option<Logo>,
}

impl Session {
    /// A session that has not seen any event yet.
    pub fn new(config: Config, layouts: impl Into<Catalogue>, secret: Secret, now_ms: u64) -> Self {
        Self {
            message: String::new(),
            board: Board::new(layouts.into()),
            desk: Desk::new(config.keyboard),
            config,
            is_seen: false,
            secret,
            edits: 0,
            reveal: Reveal::default(),
            state: State::Waiting { submitted: false },
            tone: Tone::Calm,
            typist: Typist::default(),
            buttons: Buttons::default(),
            focus: Focus::default(),
            by_volume: false,
            presses: 0,
            cursor: None,
            tried: 0,
            passed: None,
            started_ms: now_ms,
            now_ms,
            input_ms: now_ms,
            stir_ms: now_ms,
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
        self.let_go();
        self.board.lay_out(panel)?;
        if let Some(ground) = self.board.ground(self.desk.sheet(), self.typist.layer()) {
            self.focus.follow(&ground);
        }
        self.is_seen = true;
        Ok(())
    }

    /// Nobody sees it until there is a panel again: what fingers do means nothing, nothing moves, and
    /// nothing is shown when the light comes back.
    pub fn look_away(&mut self) {
        self.let_go();
        self.buttons.let_go();
        self.focus.hide();
        self.desk.back();
        self.reveal.toggled = false;
        self.cursor = None;
        self.is_seen = false;
    }

    /// Where everything sits; `None` without a panel.
    pub fn plan(&self) -> Option<&Plan> {
        self.board.plan()
    }

    /// Changes whenever keys are elsewhere than before: nothing that was drawn is of use then.
    pub fn edition(&self) -> u32 {
        self.board.edition()
    }

    /// The layout of the on-screen keyboard.
    pub fn layout(&self) -> &Layout {
        self.board.layout()
    }

    /// What was typed, for the screen and nothing else; empty unless it may be seen.
    pub fn typed(&self) -> &str {
        if self.is_revealed() { self.secret.text() } else { "" }
    }

    /// Why the last volume is not open, where the session ended well without it.
    pub const fn passed_over(&self) -> Option<&Error> {
        self.passed.as_ref()
    }

    /// How often a finger or button came down on something.
    pub fn presses(&self) -> u32 {
        self.presses
    }

    /// Takes an event in.
    pub fn update(&mut self, now_ms: u64, event: Event) -> Option<Action> {
        self.now_ms = now_ms;
        match event {
            Event::Tick | Event::Redraw => return self.tick(),
            Event::Hover(at) => {
                self.cursor = at;
                if at.is_some() {
                    self.attend();
                }
            }
            Event::CapsLock(on) => self.typist.set_caps_lock(on),
            Event::Stop => return self.finish(Error::new(Exit::Cancelled, "unlock", "stopped by a signal")),
            Event::Report(report) => return self.report(report),
            Event::Devices(devices) => {
                let sheet = self.desk.sheet();
                self.desk.count(devices);
                self.change(sheet);
            }
            Event::Battery(battery) => self.battery = battery,
            Event::Touch { contact, phase, at } => return self.touch(contact, phase, at),
            Event::Key { code, stroke } => return self.key(code, stroke),
            Event::Keymap(keymap) => self.typist.set_keymap(*keymap),
            Event::Text(character) => {
                self.attend();
                return self.skip().or_else(|| self.mean(typist::text(character)?));
            }
        }
        None
    }

    fn key(&mut self, code: u16, stroke: Stroke) -> Option<Action> {
        self.attend();
        if stroke == Stroke::Press
            && let Some(action) = self.skip()
        {
            return Some(action);
        }
        if button::is_button(code) {
            self.by_volume = button::is_volume(code) || (self.by_volume && button::is_power(code));
            let signal = self.buttons.stroke(code, stroke, self.now_ms)?;
            return self.signal(signal);
        }
        // Always followed, so that a modifier let go while the worker is busy is noticed.
        let meanings = self.typist.key(code, stroke).into_iter().flatten();
        meanings.fold(None, |action, meaning| self.mean(meaning).or(action))
    }

    /// Somebody is there.
    fn attend(&mut self) {
        (self.input_ms, self.stir_ms) = (self.now_ms, self.now_ms);
        self.desk.attend(self.now_ms);
    }

    /// Ends what is only there to be read, for somebody who has read it.
    fn skip(&mut self) -> Option<Action> {
        match &self.state {
            State::Closing { until_ms, error } if self.now_ms + CLOSING_MS >= until_ms + READING_MS => {
                let error = error.clone();
                self.pass_over(error)
            }
            _ => None,
        }
    }

    /// Whether the passphrase can be typed.
    fn listens(&self) -> bool {
        matches!(self.state, State::Waiting { .. } | State::Asking)
    }

    /// Whether what is shown can be pressed: a machine can be switched off whatever it does.
    fn is_enabled(&self) -> bool {
        self.listens() || self.desk.sheet() == Sheet::Power
    }

    /// Fingers that are down press nothing.
    fn let_go(&mut self) {
        self.typist.let_go();
        self.reveal.peeking = false;
    }

    /// What was in the keyboard's place was this. If it is something else now, fingers were on what
    /// is gone.
    fn change(&mut self, before: Sheet) {
        if self.desk.sheet() != before {
            self.let_go();
        }
        if self.focus.spot().is_some()
            && let Some(ground) = self.board.ground(self.desk.sheet(), self.typist.layer())
        {
            self.focus.settle(&ground);
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
}

#[cfg(test)]
mod tests;
