//! What follows from fingers.

use embedded_graphics::prelude::Point;

use super::super::decoder::Phase;
use super::super::event::Action;
use super::super::finger::Order;
use super::super::keymap::Meaning;
use super::super::layout::Press;
use super::super::view::Sheet;
use super::{Session, State};

impl Session {
    pub(super) fn touch(&mut self, contact: u32, phase: Phase, at: Point) -> Option<Action> {
        self.attend();
        if phase == Phase::Down {
            // Who can touch needs no buttons.
            self.focus.hide();
            if let Some(action) = self.skip() {
                return Some(action);
            }
        }
        if !self.is_enabled() {
            return None;
        }
        let now_ms = self.now_ms;
        if phase == Phase::Down {
            let sheet = self.desk.sheet();
            let order = self.typist.settle(self.board.ground(self.desk.sheet(), self.typist.layer())?, now_ms);
            let action = order.and_then(|order| self.obey(order));
            // What the finger before has pressed may be the end, or another sheet, of which nobody has seen yet
            // what is under this one: it may switch the machine off.
            if action.is_none() && self.is_enabled() && self.desk.sheet() == sheet {
                self.land(contact, at);
            }
            return action;
        }
        let ground = self.board.ground(self.desk.sheet(), self.typist.layer())?;
        let order = match phase {
            Phase::Down => None,
            Phase::Move => self.typist.slide(ground, now_ms, contact, at),
            Phase::Up => self.typist.up(ground, now_ms, contact),
            Phase::Cancel => self.typist.cancel(ground.layout, contact),
        };
        order.and_then(|order| self.obey(order))
    }

    /// A finger comes down.
    fn land(&mut self, contact: u32, at: Point) {
        let Some(ground) = self.board.ground(self.desk.sheet(), self.typist.layer()) else { return };
        self.typist.down(ground, self.now_ms, contact, at);
        if self.typist.is_held() {
            self.presses = self.presses.wrapping_add(1);
        } else if self.desk.sheet() == Sheet::Hidden {
            self.desk.show(true);
        }
    }

    /// Does what a finger or a button asks for.
    pub(super) fn obey(&mut self, order: Order) -> Option<Action> {
        let sheet = self.desk.sheet();
        let action = match order {
            Order::Character(character) => self.mean(Meaning::Character(character)),
            Order::Caret(steps) => {
                self.move_caret(steps);
                None
            }
            Order::Peek(shown) => {
                self.peek(shown);
                None
            }
            Order::Picker => {
                self.desk.open_layouts();
                None
            }
            Order::Press(press) => self.press(press),
        };
        self.change(sheet);
        action
    }

    fn press(&mut self, press: Press) -> Option<Action> {
        match press {
            Press::Character(character) => return self.mean(Meaning::Character(character)),
            Press::Backspace => return self.mean(Meaning::Backspace),
            Press::Enter => return self.mean(Meaning::Enter),
            Press::Clear => return self.mean(Meaning::Clear),
            Press::Reveal => return self.mean(Meaning::Reveal),
            Press::Left => return self.mean(Meaning::Left),
            Press::Right => return self.mean(Meaning::Right),
            Press::Next => self.turn(None),
            Press::Pick(at) => self.turn(Some(at)),
            Press::More => self.desk.turn_page(self.board.plan().map_or(1, |plan| plan.layouts.len())),
            Press::Hide => self.desk.show(self.desk.sheet() == Sheet::Hidden),
            Press::Power => self.ask_power(),
            Press::PowerOff => return self.power_off(),
            Press::Back => drop(self.desk.back()),
            // The typist's own.
            Press::Shift | Press::Layer(_) => {}
        }
        None
    }

    /// Takes another layout.
    fn turn(&mut self, to: Option<usize>) {
        self.desk.back();
        self.let_go();
        if self.board.turn(to) {
            self.typist.reset();
        } else {
            // No other one was asked for: all that there are can be chosen.
            self.desk.open_layouts();
        }
    }

    /// Asks whether to switch the machine off; once more, and it is asked no more.
    pub(super) fn ask_power(&mut self) {
        if matches!(self.state, State::Closing { .. }) {
            return;
        }
        self.let_go();
        if self.desk.sheet() == Sheet::Power {
            self.desk.back();
        } else {
            self.desk.ask_power(self.now_ms);
        }
    }
}
