//! Brings a session into any state that it can be in, by telling it what happens.

use embedded_graphics::prelude::Point;

use crate::model::prompt::census::Census;
use crate::model::prompt::decoder::{Phase, Stroke};
use crate::model::prompt::event::Event;
use crate::model::prompt::layout::Press;
use crate::model::prompt::session::Session;
use crate::model::prompt::view::View;
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{Ready, Report};

/// Of include/uapi/linux/input-event-codes.h.
const KEY_TAB: u16 = 15;
const KEY_CAPSLOCK: u16 = 58;
const KEY_POWER: u16 = 116;
const BTN_DPAD_DOWN: u16 = 0x221;
const BTN_DPAD_RIGHT: u16 = 0x223;
/// Long enough for what is held.
const HELD_MS: u64 = 3000;

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
    /// What was typed can be read.
    Revealed,
    /// A key was held for long, and another character is chosen.
    Choices,
    /// A game pad moves the focus.
    Focus,
    /// A mouse was moved.
    Cursor,
    /// All layouts are to choose from.
    Layouts,
    /// Whether to switch the machine off.
    Power,
    /// A keyboard was plugged in: the one on the screen is hidden.
    Hidden,
    /// There is nothing to type with.
    NoInput,
    /// The device holds no volume: the prompt is about to end.
    Broken,
}

/// Every state by its name.
pub const STATES: [(&str, State); 22] = [
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
    ("revealed", State::Revealed),
    ("choices", State::Choices),
    ("focus", State::Focus),
    ("cursor", State::Cursor),
    ("layouts", State::Layouts),
    ("power", State::Power),
    ("hidden", State::Hidden),
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

    /// Lets time go by while a finger or a button stays, and does what is due meanwhile.
    fn hold(&mut self) {
        let end_ms = self.now_ms + HELD_MS;
        while let Some(due_ms) = self.session.deadline_ms().filter(|due_ms| *due_ms <= end_ms) {
            self.now_ms = self.now_ms.max(due_ms);
            let _ = self.session.update(self.now_ms, Event::Tick);
        }
        self.now_ms = end_ms;
    }

    /// Holds a key that has alternatives, and slides to one of them.
    fn choose(&mut self) {
        let View { sheet, layer, .. } = self.session.view();
        let Some(plan) = self.session.plan() else { return };
        let layout = self.session.layout();
        let mut rich = plan.keys(sheet, layer).iter().filter(|place| place.alternatives(layout).len() > 2);
        let Some(press) = rich.find(|place| place.press == Press::Character('e')).or(rich.next()).map(|key| key.press)
        else {
            return;
        };
        if self.press(|other| other == press).is_none() {
            return;
        }
        self.hold();
        let Some(choices) = self.session.view().choices else { return };
        let key = self.session.plan().and_then(|plan| Some((plan, plan.keys(sheet, layer).get(choices.key)?)));
        let areas = key.map(|(plan, key)| plan.choices(key, choices.characters.len())).unwrap_or_default();
        if let Some(area) = areas.get(2) {
            self.tell(Event::Touch { contact: 0, phase: Phase::Move, at: area.center() });
        }
    }

    fn button(&mut self, code: u16) {
        self.tell(Event::Key { code, stroke: Stroke::Press });
        self.tell(Event::Key { code, stroke: Stroke::Release });
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
        self.tell(Event::Report(Report::Ready(Ready::default())));
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
            State::Revealed => {
                self.type_text("correct horse");
                self.button(KEY_TAB);
            }
            State::Choices => {
                self.type_text("corr");
                self.choose();
            }
            State::Focus => {
                self.type_text("corr");
                [BTN_DPAD_DOWN, BTN_DPAD_RIGHT, BTN_DPAD_RIGHT].into_iter().for_each(|code| self.button(code));
            }
            State::Cursor => {
                self.type_text("corr");
                let middle = self.session.plan().map(|plan| plan.keyboard.center());
                self.tell(Event::Hover(middle));
            }
            State::Layouts => {
                self.press(|press| press == Press::Next);
                self.hold();
            }
            State::Power => {
                self.tell(Event::Key { code: KEY_POWER, stroke: Stroke::Press });
                self.hold();
            }
            State::Hidden => {
                self.type_text("corr");
                self.tell(Event::Devices(Census::of(1, 0)));
                self.tell(Event::Devices(Census::of(1, 1)));
                self.hold();
            }
            State::NoInput => self.tell(Event::Devices(Census::of(0, 0))),
        }
    }
}
