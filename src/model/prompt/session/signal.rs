//! What follows from the buttons of the machine and of game pads.

use super::super::button::Signal;
use super::super::event::Action;
use super::super::finger::Order;
use super::super::focus::Way;
use super::super::keymap::Meaning;
use super::super::layout::Press;
use super::super::typist::BUTTON;
use super::super::view::Sheet;
use super::Session;

impl Session {
    pub(super) fn signal(&mut self, signal: Signal) -> Option<Action> {
        match signal {
            Signal::Sleep => Some(Action::Blank),
            Signal::Power if self.focus.spot().is_some() && self.is_enabled() => self.hold().or_else(|| self.release()),
            Signal::Power => Some(Action::Blank),
            Signal::PowerLong if self.desk.sheet() == Sheet::Power => self.power_off(),
            Signal::PowerLong => {
                let sheet = self.desk.sheet();
                self.ask_power();
                self.change(sheet);
                None
            }
            _ if !self.is_enabled() => None,
            Signal::Go(way) => {
                self.go(way);
                None
            }
            Signal::Press => self.hold(),
            Signal::Lift => self.release(),
            Signal::Backspace => self.give_up(),
            Signal::Enter => self.mean(Meaning::Enter),
            Signal::Shift => {
                self.typist.press_shift(self.board.layout(), self.now_ms);
                self.change(self.desk.sheet());
                None
            }
        }
    }

    /// Moves the focus, or what is chosen.
    fn go(&mut self, way: Way) {
        if self.typist.choices().is_some() {
            return self.typist.choose(!matches!(way, Way::Previous | Way::Up | Way::Left));
        }
        if !self.appear() {
            let Some(ground) = self.board.ground(self.desk.sheet(), self.typist.layer()) else { return };
            self.focus.go(&ground, way);
        }
    }

    /// Shows keys and focus; false if they were to be seen before.
    fn appear(&mut self) -> bool {
        let sheet = self.desk.sheet();
        if sheet == Sheet::Hidden {
            self.desk.show(true);
        }
        let Some(ground) = self.board.ground(self.desk.sheet(), self.typist.layer()) else { return true };
        self.focus.show(&ground, self.now_ms) || sheet == Sheet::Hidden
    }

    /// Presses what has the focus, as a finger would, and holds it.
    fn hold(&mut self) -> Option<Action> {
        let now_ms = self.now_ms;
        let is_choosing = self.typist.choices().is_some();
        if !is_choosing && self.appear() {
            return None;
        }
        let ground = self.board.ground(self.desk.sheet(), self.typist.layer())?;
        if is_choosing {
            let order = self.typist.pick(ground, now_ms)?;
            return self.obey(order);
        }
        let center = ground.place(self.focus.spot()?)?.face.center();
        self.typist.down(ground, now_ms, BUTTON, center);
        self.presses = self.presses.wrapping_add(1);
        None
    }

    fn release(&mut self) -> Option<Action> {
        let ground = self.board.ground(self.desk.sheet(), self.typist.layer())?;
        let order = self.typist.release(ground, self.now_ms);
        // It may have led to another layer.
        self.change(self.desk.sheet());
        self.obey(order?)
    }

    /// Goes back: from choices, from a sheet, or by one character.
    fn give_up(&mut self) -> Option<Action> {
        let sheet = self.desk.sheet();
        if self.typist.choices().is_some() {
            self.let_go();
        } else if self.desk.back() {
            self.change(sheet);
        } else {
            return self.obey(Order::Press(Press::Backspace));
        }
        None
    }
}
