//! What becomes of the light while nobody types: it is dimmed, then put out, and the touch or key
//! that brings it back does nothing else. A display that comes is looked at, so it is lit.

use super::decoder::{Phase, Stroke};
use super::event::Event;
use super::keymap::keyboard::Keyboard;

/// When, in milliseconds without any input; 0 means never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Until the light is dimmed.
    pub dim_after_ms: u64,
    /// Until it is put out.
    pub blank_after_ms: u64,
}

/// How bright the display is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Light {
    /// As the user wants it.
    #[default]
    Full,
    /// Just readable.
    Dim,
    /// Off, and nothing is shown.
    Dark,
}

/// Follows what happens, and decides on the light.
#[derive(Debug, Default)]
pub struct Idle {
    config: Config,
    input_ms: u64,
    light: Light,
    /// The key that brought the light back, as long as it is held: it may repeat.
    waker: Option<u16>,
}

impl Idle {
    /// As if there had just been some input.
    pub fn new(config: Config, now_ms: u64) -> Self {
        Self { config, input_ms: now_ms, ..Self::default() }
    }

    /// How bright the display shall be now.
    pub fn light(&self) -> Light {
        self.light
    }

    /// When the light changes next if nothing happens.
    pub fn deadline_ms(&self) -> Option<u64> {
        let due = |after: u64| (after > 0).then(|| self.input_ms.saturating_add(after));
        let dim = due(self.config.dim_after_ms).filter(|_| self.light == Light::Full);
        let blank = due(self.config.blank_after_ms).filter(|_| self.light != Light::Dark);
        dim.into_iter().chain(blank).min()
    }

    /// Puts the light out now, for somebody who does not want it.
    pub fn blank(&mut self) {
        self.light = Light::Dark;
    }

    /// Takes an event in; false when all it did was to bring the light back.
    pub fn update(&mut self, now_ms: u64, event: &Event) -> bool {
        let was = self.light;
        match event {
            Event::Tick => {
                self.darken(now_ms);
                return true;
            }
            Event::Devices(_) | Event::Battery(_) | Event::Keymap(_) | Event::CapsLock(_) | Event::Hover(None) => {
                return true;
            }
            Event::Redraw
            | Event::Touch { .. }
            | Event::Hover(Some(_))
            | Event::Key { .. }
            | Event::Text(_)
            | Event::Report(_)
            | Event::Stop => {}
        }
        // What ends or goes on in the dark has begun before: whoever put the light out may still hold the key.
        let begins = match event {
            Event::Touch { phase, .. } => *phase == Phase::Down,
            Event::Key { stroke, .. } => *stroke == Stroke::Press,
            _ => true,
        };
        if begins || was != Light::Dark {
            (self.input_ms, self.light) = (now_ms, Light::Full);
        }
        match *event {
            // What a finger does that never came down means nothing.
            Event::Touch { phase: Phase::Down, .. } => was != Light::Dark,
            // It types nothing by itself, and what it does to the next key must be known.
            Event::Key { code, .. } if Keyboard::is_modifier(code) => true,
            Event::Key { code, stroke: Stroke::Press } if was == Light::Dark => {
                self.waker = Some(code);
                false
            }
            Event::Key { code, stroke: Stroke::Repeat } => was != Light::Dark && self.waker != Some(code),
            // Whoever follows keys must hear that this one is up.
            Event::Key { code, stroke: Stroke::Release } if self.waker == Some(code) => {
                self.waker = None;
                true
            }
            _ => true,
        }
    }

    fn darken(&mut self, now_ms: u64) {
        let idle_ms = now_ms.saturating_sub(self.input_ms);
        let is_due = |after: u64| after > 0 && idle_ms >= after;
        if is_due(self.config.blank_after_ms) {
            self.light = Light::Dark;
        } else if is_due(self.config.dim_after_ms) && self.light != Light::Dark {
            self.light = Light::Dim;
        }
    }
}

#[cfg(test)]
mod tests {
    use embedded_graphics::prelude::Point;

    use super::*;
    use crate::model::prompt::census::Census;

    const CONFIG: Config = Config { dim_after_ms: 1000, blank_after_ms: 5000 };

    fn touch(phase: Phase) -> Event {
        Event::Touch { contact: 1, phase, at: Point::zero() }
    }

    fn key(code: u16, stroke: Stroke) -> Event {
        Event::Key { code, stroke }
    }

    fn dark() -> Idle {
        let mut idle = Idle::new(CONFIG, 0);
        assert!(idle.update(9000, &Event::Tick));
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Dark, None));
        idle
    }

    #[test]
    fn it_gets_dimmer_step_by_step_and_input_brings_it_back() {
        let mut idle = Idle::new(CONFIG, 100);
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Full, Some(1100)));
        idle.update(1100, &Event::Tick);
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Dim, Some(5100)));
        // What is dim can be read, so that it counts.
        assert!(idle.update(2000, &touch(Phase::Down)));
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Full, Some(3000)));
        idle.update(2999, &Event::Tick);
        assert_eq!(idle.light(), Light::Full);
        idle.update(7000, &Event::Tick);
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Dark, None));
    }

    #[test]
    fn nothing_happens_unless_it_was_asked_for() {
        let mut idle = Idle::new(Config::default(), 0);
        idle.update(u64::MAX, &Event::Tick);
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Full, None));
        let mut idle = Idle::new(Config { dim_after_ms: 10, blank_after_ms: 0 }, 0);
        idle.update(100, &Event::Tick);
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Dim, None));
    }

    #[test]
    fn the_touch_that_wakes_types_nothing() {
        let mut idle = dark();
        assert!(!idle.update(9100, &touch(Phase::Down)));
        assert_eq!(idle.light(), Light::Full);
        assert!(idle.update(9200, &touch(Phase::Up)));
        assert!(idle.update(9300, &touch(Phase::Down)));
    }

    #[test]
    fn the_key_that_wakes_types_nothing_however_long_it_is_held() {
        let mut idle = dark();
        assert!(!idle.update(9100, &key(30, Stroke::Press)));
        assert!(!idle.update(9200, &key(30, Stroke::Repeat)));
        assert!(idle.update(9250, &key(31, Stroke::Press)), "another key counts");
        assert!(idle.update(9300, &key(30, Stroke::Release)), "its end is told");
        assert!(idle.update(9400, &key(30, Stroke::Press)));
        assert_eq!(idle.light(), Light::Full);
    }

    #[test]
    fn a_display_that_comes_is_lit() {
        let mut idle = dark();
        assert!(idle.update(9100, &Event::Redraw));
        assert_eq!((idle.light(), idle.deadline_ms()), (Light::Full, Some(10_100)));
    }

    #[test]
    fn a_shift_that_wakes_shifts() {
        const KEY_LEFTSHIFT: u16 = 42;
        const KEY_CAPSLOCK: u16 = 58;
        let mut idle = dark();
        assert!(idle.update(9100, &key(KEY_LEFTSHIFT, Stroke::Press)));
        assert_eq!(idle.light(), Light::Full);
        assert!(idle.update(9200, &key(30, Stroke::Press)));
        assert!(!dark().update(9100, &key(KEY_CAPSLOCK, Stroke::Press)), "it would stay locked");
    }

    #[test]
    fn what_ends_in_the_dark_wakes_nobody() {
        // Modifiers are followed, and their repeats mean nothing.
        let ends = [
            key(30, Stroke::Release),
            key(42, Stroke::Release),
            key(42, Stroke::Repeat),
            key(30, Stroke::Repeat),
            touch(Phase::Move),
            touch(Phase::Up),
            touch(Phase::Cancel),
        ];
        for end in ends {
            let mut idle = dark();
            // Whoever follows keys and fingers hears of it; a key that goes on is no new one.
            assert_eq!(idle.update(9100, &end), end != key(30, Stroke::Repeat), "{end:?}");
            assert_eq!(idle.light(), Light::Dark, "{end:?}");
        }
    }

    #[test]
    fn a_key_that_wakes_and_ends_in_the_dark_types_the_next_time() {
        let mut idle = dark();
        assert!(!idle.update(9100, &key(30, Stroke::Press)));
        idle.blank();
        assert!(idle.update(9200, &key(30, Stroke::Release)));
        assert!(idle.update(9300, &key(42, Stroke::Press)), "something else wakes");
        assert!(idle.update(9400, &key(30, Stroke::Press)));
        assert!(idle.update(9450, &key(30, Stroke::Repeat)));
    }

    #[test]
    fn the_dark_that_was_asked_for_stays() {
        let mut idle = Idle::new(Config { dim_after_ms: 1000, blank_after_ms: 0 }, 0);
        idle.blank();
        idle.update(2000, &Event::Tick);
        assert_eq!(idle.light(), Light::Dark);
    }

    #[test]
    fn the_console_types_in_the_dark_and_reports_wake() {
        let mut idle = dark();
        assert!(idle.update(9100, &Event::Text('x')));
        assert_eq!(idle.light(), Light::Full);
        let mut idle = dark();
        assert!(idle.update(9100, &Event::Devices(Census::of(1, 0))));
        assert_eq!(idle.light(), Light::Dark);
    }
}
