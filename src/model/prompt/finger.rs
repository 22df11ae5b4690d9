//! One finger from the moment when it comes down: the key it is on, and what holding it leads to.

use embedded_graphics::prelude::Point;
use embedded_graphics::primitives::Rectangle;

use super::ground::Ground;
use super::layout::Press;
use super::view::{Choices, Sheet, Spot};

/// A character that is held so long shows what else its key can type; the key of layouts, all of them.
const HOLD_MS: u64 = 500;
/// A key that repeats begins after this time, goes on at this pace, and later at this one.
const REPEAT_AFTER_MS: u64 = 400;
const REPEAT_MS: u64 = 60;
const FAST_AFTER_MS: u64 = 2000;
const FAST_MS: u64 = 25;
/// Held for longer, what was typed is shown as long as the finger stays.
const PEEK_MS: u64 = 300;

/// What a finger asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Does what a key does.
    Press(Press),
    /// Types a character.
    Character(char),
    /// Moves the caret by so many characters.
    Caret(i32),
    /// Shows what was typed, or no longer.
    Peek(bool),
    /// Shows all layouts.
    Picker,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// It does what its key does when it lifts.
    Resting,
    /// Its key repeats.
    Repeating,
    /// It chooses what the key types; `None` while it is away from all that there is.
    Choosing { characters: Vec<char>, at: Option<usize> },
    /// It drags the caret; the pixel that counts as the last step.
    Dragging { x: i32 },
    /// What was typed is shown as long as it stays.
    Peeking,
    /// It has done what it can.
    Spent,
}

/// A finger, or a button that presses what has the focus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finger {
    /// Which one.
    pub contact: u32,
    /// The sheet on which it came down, and the layer.
    pub sheet: Sheet,
    /// See there.
    pub layer: usize,
    /// A finger that came down on a key slides to keys, one on a control to controls.
    is_control: bool,
    spot: Option<Spot>,
    since_ms: u64,
    due_ms: Option<u64>,
    start: Point,
    state: State,
}

impl Finger {
    /// A finger that comes down; `None` beside everything.
    pub fn new(ground: &Ground<'_>, now_ms: u64, contact: u32, at: Point) -> Option<Self> {
        let spot = ground.spot_at(at)?;
        let mut finger = Self {
            contact,
            sheet: ground.sheet,
            layer: ground.layer,
            is_control: matches!(spot, Spot::Control(_)),
            spot: None,
            since_ms: now_ms,
            due_ms: None,
            start: at,
            state: State::Resting,
        };
        finger.arrive(ground, now_ms, Some(spot));
        Some(finger)
    }

    /// When [`Finger::tick`] has something to do.
    pub fn due_ms(&self) -> Option<u64> {
        self.due_ms
    }

    /// What it is on.
    pub fn pressed(&self) -> Option<Spot> {
        match &self.state {
            State::Choosing { at, .. } => at.map(Spot::Choice),
            State::Dragging { .. } | State::Spent => None,
            State::Resting | State::Repeating | State::Peeking => self.spot,
        }
    }

    /// What it can choose from.
    pub fn choices(&self) -> Option<Choices> {
        match (&self.state, self.spot) {
            (State::Choosing { characters, .. }, Some(Spot::Key(key))) => {
                Some(Choices { key, characters: characters.clone() })
            }
            _ => None,
        }
    }

    /// Chooses the next one or the one before, for somebody who has buttons only.
    pub fn choose(&mut self, forward: bool) {
        if let State::Choosing { characters, at } = &mut self.state {
            let (count, from) = (characters.len().max(1), at.unwrap_or(0));
            *at = Some(if forward { from + 1 } else { from + count - 1 } % count);
        }
    }

    fn arrive(&mut self, ground: &Ground<'_>, now_ms: u64, spot: Option<Spot>) {
        (self.spot, self.since_ms, self.state) = (spot, now_ms, State::Resting);
        self.due_ms = spot.and_then(|spot| {
            let after_ms = match ground.press(spot)? {
                Press::Next => HOLD_MS,
                Press::Backspace | Press::Left | Press::Right => REPEAT_AFTER_MS,
                Press::Reveal => PEEK_MS,
                Press::Character(_) if !ground.choices(spot).is_empty() => HOLD_MS,
                _ => return None,
            };
            Some(now_ms.saturating_add(after_ms))
        });
    }

    /// It moves. Sliding corrects, and sliding off everything takes the press back.
    pub fn slide(&mut self, ground: &Ground<'_>, now_ms: u64, to: Point) -> Option<Order> {
        let (step, far) = (step_px(ground), drag_px(ground));
        let way = to - self.start;
        match &mut self.state {
            State::Spent => {}
            State::Choosing { characters, at } => {
                *at = self.spot.and_then(|spot| chosen(ground, spot, characters.len(), to));
            }
            State::Dragging { x } => {
                let steps = (to.x - *x) / step;
                *x += steps * step;
                return (steps != 0).then_some(Order::Caret(steps));
            }
            State::Peeking if ground.spot_at(to) != self.spot => {
                self.state = State::Spent;
                return Some(Order::Peek(false));
            }
            State::Peeking => {}
            State::Resting | State::Repeating => {
                let is_space = self.spot.and_then(|spot| ground.press(spot)) == Some(Press::Character(' '));
                if is_space && way.x.abs() >= far && way.x.abs() > way.y.abs() {
                    self.due_ms = None;
                    self.state = State::Dragging { x: self.start.x + way.x.signum() * far };
                    return self.slide(ground, now_ms, to);
                }
                let spot = ground.spot_at(to).filter(|spot| matches!(spot, Spot::Control(_)) == self.is_control);
                if spot != self.spot {
                    self.start = to;
                    self.arrive(ground, now_ms, spot);
                }
            }
        }
        None
    }

    /// Time goes by.
    pub fn tick(&mut self, ground: &Ground<'_>, now_ms: u64) -> Option<Order> {
        self.due_ms.filter(|due_ms| *due_ms <= now_ms)?;
        self.due_ms = None;
        let spot = self.spot?;
        match ground.press(spot)? {
            Press::Next => {
                self.state = State::Spent;
                Some(Order::Picker)
            }
            Press::Reveal => {
                self.state = State::Peeking;
                Some(Order::Peek(true))
            }
            Press::Character(_) => {
                self.state = State::Choosing { characters: ground.choices(spot), at: Some(0) };
                None
            }
            press => {
                // From now on, not from when it was due: a machine that was busy catches up with nothing.
                let is_fast = now_ms.saturating_sub(self.since_ms) >= FAST_AFTER_MS;
                self.due_ms = Some(now_ms.saturating_add(if is_fast { FAST_MS } else { REPEAT_MS }));
                self.state = State::Repeating;
                Some(Order::Press(press))
            }
        }
    }

    /// It lifts, or another one comes down: the key counts.
    pub fn lift(self, ground: &Ground<'_>) -> Option<Order> {
        match self.state {
            State::Resting => match ground.press(self.spot?)? {
                Press::Character(character) => Some(Order::Character(character)),
                press => Some(Order::Press(press)),
            },
            State::Choosing { characters, at } => characters.get(at?).copied().map(Order::Character),
            State::Peeking => Some(Order::Peek(false)),
            State::Repeating | State::Dragging { .. } | State::Spent => None,
        }
    }

    /// It is gone without having been lifted.
    pub fn cancel(self) -> Option<Order> {
        (self.state == State::Peeking).then_some(Order::Peek(false))
    }
}

/// The way that a finger goes on the space bar before it drags the caret: a tap goes less.
fn drag_px(ground: &Ground<'_>) -> i32 {
    (ground.plan.key_height * 2 / 3).max(8) as i32
}

/// The way that moves the caret by one character.
fn step_px(ground: &Ground<'_>) -> i32 {
    (ground.plan.key_height / 3).max(4) as i32
}

/// Which of a key's choices a finger means. On the key itself that is its own character, so that a
/// slow press is no other one; else the nearest, for the finger may stay below them. Away from all of
/// it, none.
fn chosen(ground: &Ground<'_>, spot: Spot, count: usize, at: Point) -> Option<usize> {
    let key = ground.place(spot)?.touch;
    let areas = ground.choice_areas(spot, count);
    let reach = ground.plan.key_height * 2 / 3;
    let is_near = areas.iter().chain([&key]).any(|area| distance(*area, at) <= reach as i32);
    if key.contains(at) || !is_near {
        return key.contains(at).then_some(0);
    }
    (0..areas.len()).min_by_key(|index| areas.get(*index).map_or(i32::MAX, |area| distance(*area, at)))
}

/// How far a pixel is from an area, along the longer of the two ways.
fn distance(area: Rectangle, at: Point) -> i32 {
    let last = area.bottom_right().unwrap_or(area.top_left);
    let beyond = |first: i32, last: i32, at: i32| (first - at).max(at - last).max(0);
    beyond(area.top_left.x, last.x, at.x).max(beyond(area.top_left.y, last.y, at.y))
}
