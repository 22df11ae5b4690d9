//! What happens to a session, and what it asks to be done.

use embedded_graphics::prelude::Point;

use super::battery::Battery;
use super::census::Census;
use super::decoder::{Phase, Stroke};
use super::keymap::Keymap;
use crate::error::{Error, Result};
use crate::model::volume::message::Report;

/// Events taken in at once. More wait in the kernel until the picture has been drawn.
pub const EVENTS_MAX: usize = 64;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Time went by.
    Tick,
    /// A finger or pointer on the panel.
    Touch {
        /// Which one; unique among those that are down.
        contact: u32,
        /// What it does.
        phase: Phase,
        /// The panel's pixel.
        at: Point,
    },
    /// Where a pointer is that presses nothing; `None` once there is none.
    Hover(Option<Point>),
    /// A key of a hardware keyboard, or a button of the machine or of a game pad.
    Key {
        /// Its code (input-event-codes.h).
        code: u16,
        /// What it does.
        stroke: Stroke,
    },
    /// What the keys of hardware keyboards mean from now on.
    Keymap(Box<Keymap>),
    /// Whether Caps Lock was on when the first keyboard with a lamp for it was found.
    CapsLock(bool),
    /// A character typed on the console.
    Text(char),
    /// Input devices came or went.
    Devices(Census),
    /// The battery was looked at.
    Battery(Option<Battery>),
    /// The worker process says something.
    Report(Report),
    /// The panel must be drawn anew: it is another one, or somebody drew over it.
    Redraw,
    /// A signal asks the program to stop.
    Stop,
}

/// What a session asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    /// Let the worker try the passphrase of this many bytes.
    Unlock {
        /// Bytes in the shared buffer.
        length: u32,
    },
    /// Start a worker in place of the one that died.
    Restart,
    /// Let the worker go on with the next volume: this one is open, or was given up for this reason.
    Next(Option<Error>),
    /// Switch the display off, as nobody needs it.
    Blank,
    /// Switch the machine off.
    PowerOff,
    /// The session is over.
    Finish(Result<()>),
}

/// A queue of fixed size whose places are overwritten once they are read: typed keys do not stay
/// in memory.
pub struct Events {
    places: [Event; EVENTS_MAX],
    length: usize,
}

impl Default for Events {
    fn default() -> Self {
        Self { places: [const { Event::Tick }; EVENTS_MAX], length: 0 }
    }
}

impl Events {
    /// Appends an event; false when the queue is full.
    pub fn push(&mut self, event: Event) -> bool {
        match self.places.get_mut(self.length) {
            Some(place) => {
                *place = event;
                self.length += 1;
                true
            }
            None => false,
        }
    }

    /// Appends one that may have happened.
    pub fn extend(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.push(event);
        }
    }

    /// Places left.
    pub fn room(&self) -> usize {
        EVENTS_MAX - self.length
    }

    /// Takes all events out, in order, and empties the queue.
    pub fn drain(&mut self, mut each: impl FnMut(Event)) {
        for place in self.places.iter_mut().take(self.length) {
            each(core::mem::replace(place, Event::Tick));
        }
        self.length = 0;
        // Keeps the overwriting from being left out as unused.
        core::hint::black_box(&mut self.places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses_and_a_drained_one_is_blank() {
        let mut events = Events::default();
        for code in 0..EVENTS_MAX as u16 {
            assert!(events.push(Event::Key { code, stroke: Stroke::Press }));
        }
        assert!(!events.push(Event::Stop));
        let mut seen = 0;
        events.drain(|event| {
            assert_eq!(event, Event::Key { code: seen, stroke: Stroke::Press });
            seen += 1;
        });
        assert_eq!((usize::from(seen), events.room()), (EVENTS_MAX, EVENTS_MAX));
        assert!(events.places.iter().all(|place| *place == Event::Tick));
    }
}
