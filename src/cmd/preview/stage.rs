//! Brings a session into any state that it can be in, by telling it what happens.

use embedded_graphics::prelude::Point;

use crate::model::prompt::decoder::{Phase, Stroke};
use crate::model::prompt::event::Event;
use crate::model::prompt::layout::Press;
use crate::model::prompt::session::Session;
use crate::model::volume::failure::Failure;
use crate::model::volume::message::Report;

/// KEY_CAPSLOCK of include/uapi/linux/input-event-codes.h.
const KEY_CAPSLOCK: u16 = 58;

/// What a screen can be drawn in the middle of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The device is not there yet.
    Waiting,
    /// A passphrase can be typed.
    #[default]
    Prompt,
    /// Some of it is.
    Typing,
    /// A finger is on a key.
    Pressed,
    /// The next letter is upper case.
    Shift,
    /// All letters are, on the screen's keyboard and on another.
    Caps,
    /// Digits.
    Digits,
    /// The rarest characters.
    Symbols,
    /// The passphrase is tried.
    Unlocking,
    /// It has been for long.
    Slow,
    /// It was wrong.
    Wrong,
    /// It was wrong, and another one is typed.
    Again,
    /// There is not enough memory to try it.
    Memory,
    /// There is nothing to type with.
    NoInput,
    /// The device holds no volume: the prompt is about to end.
    Broken,
}

/// Every state by its name.
pub const STATES: [(&str, State); 15] = [
    ("waiting", State::Waiting),
    ("prompt", State::Prompt),
    ("typing", State::Typing),
    ("pressed", State::Pressed),
    ("shift", State::Shift),
    ("caps", State::Caps),
    ("digits", State::Digits),
    ("symbols", State::Symbols),
    ("unlocking", State::Unlocking),
    ("slow", State::Slow),
    ("wrong", State::Wrong),
    ("again", State::Again),
    ("memory", State::Memory),
    ("no-input", State::NoInput),
    ("broken", State::Broken),
];

/// Tells a session what happens, at a pace that has no second meaning.
pub(super) struct Stage {
    session: Session,
    now_ms: u64,
}

impl Stage {
    pub(super) fn new(session: Session) -> Self {
        Self { session, now_ms: 0 }
    }

    /// The session as it is now.
    pub(super) fn end(self) -> Session {
        self.session
    }

    pub(super) fn tell(&mut self, event: Event) {
        self.now_ms += 1000;
        // What it asks for is done by nobody.
        let _ = self.session.update(self.now_ms, event);
    }

    fn type_text(&mut self, text: &str) {
        text.chars().for_each(|character| self.tell(Event::Text(character)));
    }

    fn fail(&mut self, failure: Failure) {
        self.tell(Event::Report(Report::Failed(failure)));
    }

    /// Puts a finger on a key of the shown layer.
    fn press(&mut self, wanted: impl Fn(Press) -> bool) -> Option<Point> {
        let layer = self.session.view().layer;
        let place = self.session.plan()?.layers.get(layer)?.iter().find(|place| wanted(place.press))?;
        let at = place.face.center();
        self.tell(Event::Touch { contact: 0, phase: Phase::Down, at });
        Some(at)
    }

    fn tap(&mut self, wanted: impl Fn(Press) -> bool) {
        if let Some(at) = self.press(wanted) {
            // At once: two such taps of shift lock it.
            let _ = self.session.update(self.now_ms, Event::Touch { contact: 0, phase: Phase::Up, at });
        }
    }

    /// Goes to the layer of this name.
    fn show(&mut self, name: &str) {
        let layer = self.session.layout().find(name);
        self.tap(|press| matches!(press, Press::Layer(to) if Some(to) == layer));
    }

    /// Does what leads to a state.
    pub(super) fn play(&mut self, state: State) {
        if state == State::Waiting {
            return self.tell(Event::Tick);
        }
        if state == State::Broken {
            return self.fail(Failure::NotVolume);
        }
        self.tell(Event::Report(Report::Ready { memory_kib: 0 }));
        match state {
            State::Waiting | State::Prompt | State::Broken => {}
            State::Typing => self.type_text("correct horse"),
            State::Pressed => {
                self.type_text("correct");
                self.press(|press| press == Press::Character('h'));
            }
            State::Shift => self.tap(|press| press == Press::Shift),
            State::Caps => {
                self.tap(|press| press == Press::Shift);
                self.now_ms -= 1000;
                self.tap(|press| press == Press::Shift);
                self.tell(Event::Key { code: KEY_CAPSLOCK, stroke: Stroke::Press });
                self.type_text("correct");
            }
            State::Digits => self.show("digits"),
            State::Symbols => {
                self.show("digits");
                self.show("symbols");
            }
            State::Unlocking | State::Slow => {
                self.type_text("correct horse\n");
                self.now_ms += if state == State::Slow { 11_000 } else { 0 };
                self.tell(Event::Tick);
            }
            State::Wrong | State::Again => {
                self.type_text("horse\n");
                self.fail(Failure::WrongPassphrase);
                self.type_text(if state == State::Again { "corr" } else { "" });
            }
            State::Memory => {
                self.type_text("correct horse\n");
                self.fail(Failure::Memory { needed_kib: 1 << 20, free_kib: 300_000 });
            }
            State::NoInput => self.tell(Event::Devices { pointing: 0, keyboards: 0 }),
        }
    }
}
