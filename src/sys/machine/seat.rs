//! What follows when input devices come, go, and are used.

use std::ffi::OsString;

use embedded_graphics::prelude::Point;

use super::super::input::{Device, Devices};
use super::super::nodes::Nodes;
use super::super::tty;
use super::{DEVICES, Machine};
use crate::model::prompt::calibration::Matrix;
use crate::model::prompt::decoder::{Input, Phase, Stroke};
use crate::model::prompt::echo::Echo;
use crate::model::prompt::event::{Event, Events};
use crate::model::prompt::hardware::Hardware;
use crate::model::prompt::pointer::{Click, Pointer};
use crate::model::prompt::repeat::Repeat;
use crate::model::scanout::turn::Turn;

/// What is used, and what it adds up to.
pub(super) struct Seat {
    pub(super) devices: Devices,
    pointer: Pointer,
    repeat: Repeat,
    echo: Echo,
}

/// A device in use: its number, and what is done with what it tells.
#[derive(Clone, Copy)]
struct Source {
    now_ms: u64,
    number: u32,
    matrix: Matrix,
    needs_repeat: bool,
    /// Nobody points at what is not shown.
    turn: Option<Turn>,
}

impl Source {
    fn new(device: &Device, turn: Option<Turn>, now_ms: u64) -> Self {
        let needs_repeat = device.role().needs_repeat;
        Self { now_ms, number: device.number(), matrix: device.matrix(), needs_repeat, turn }
    }

    fn contact(&self, slot: u8) -> u32 {
        self.number << 8 | u32::from(slot)
    }

    /// The upright frame's pixel of a place of the device's surface.
    fn place(&self, turn: Turn, x: u16, y: u16) -> Point {
        let (x, y) = self.matrix.apply(x, y);
        let place = |value: u16, pixels: u32| (u32::from(value) * pixels / 65536) as i32;
        turn.to_frame(Point::new(place(x, turn.panel().width), place(y, turn.panel().height)))
    }
}

impl Seat {
    pub(super) fn new(hardware: Hardware) -> Self {
        Self {
            devices: Devices::new(hardware),
            pointer: Pointer::default(),
            repeat: Repeat::default(),
            echo: Echo::default(),
        }
    }

    /// When [`Seat::tend`] is to be called; `None` while no key is held that needs it.
    pub(super) fn deadline_ms(&self) -> Option<u64> {
        self.repeat.deadline_ms()
    }

    /// Repeats the key that is held.
    pub(super) fn tend(&mut self, now_ms: u64, events: &mut Events) {
        if let Some(code) = self.repeat.due(now_ms) {
            // One that does not fit is not missed.
            let _ = events.push(Event::Key { code, stroke: Stroke::Repeat });
        }
    }

    /// Reads a device; false if it is gone.
    fn read(&mut self, number: u32, (turn, now_ms): (Option<Turn>, u64), events: &mut Events) -> bool {
        let Self { devices, pointer, repeat, echo } = self;
        let Some(device) = devices.find(number) else { return true };
        let source = Source::new(device, turn, now_ms);
        device.read(&mut |input| queue(events, (pointer, repeat, echo), &source, input))
    }

    /// Lets go of what was held on a device that is gone, the cursor too.
    fn lose(&mut self, device: &mut Device, (turn, now_ms): (Option<Turn>, u64), events: &mut Events) {
        let source = Source::new(device, turn, now_ms);
        let Self { pointer, repeat, echo, .. } = self;
        device.unplug(&mut |input| queue(events, (pointer, repeat, echo), &source, input));
        if self.pointer.hide(source.number) {
            events.push(Event::Hover(None));
        }
    }
}

impl Machine<'_> {
    /// Looks for new devices.
    pub(super) fn scan_devices(&mut self, events: &mut Events) {
        // A prompt in words on the screen is typed at the kernel's console, with the keymap that it has.
        let keyboards = self.display.is_there() || self.serial();
        let poll = &self.poll;
        self.seat.devices.scan(keyboards, |device| {
            // A device that cannot be watched is as good as none.
            let _ = poll.add(device, DEVICES + u64::from(device.number()));
        });
        if let Some(on) = self.seat.devices.first_caps_lock() {
            events.push(Event::CapsLock(on));
        }
        self.recount = true;
    }

    /// A serial console can type, too; one on the screen has no keys but those that are counted.
    pub(super) fn count_devices(&self) -> Event {
        let mut devices = self.seat.devices.count();
        // Where the console is left its keyboards, it is what types.
        let types = self.serial() || (!self.display.is_there() && self.console.is_some());
        devices.keyboards += usize::from(types);
        Event::Devices(devices)
    }

    /// Whether there is a console that has a line of its own.
    pub(super) fn serial(&self) -> bool {
        self.console.as_ref().is_some_and(|console| !tty::is_virtual(console))
    }

    /// Nodes came or went. One that went may have come again under the same name.
    pub(super) fn read_nodes(&mut self, events: &mut Events) {
        let gone: Vec<OsString> = self.nodes.as_ref().map(Nodes::gone).unwrap_or_default();
        for name in gone {
            if let Some(device) = self.seat.devices.take(&name) {
                self.lose(device, events);
            }
        }
        // Not asked of the events, which are not told when too much happened at once.
        self.follow_display();
        self.scan_devices(events);
    }

    pub(super) fn read_device(&mut self, number: u32, events: &mut Events) {
        let when = self.when();
        if !self.seat.read(number, when, events)
            && let Some(device) = self.seat.devices.take_number(number)
        {
            self.lose(device, events);
            // Another one may have come under its name.
            self.scan_devices(events);
        }
    }

    /// Lets go of what was held on a device that is gone.
    pub(super) fn lose(&mut self, mut device: Device, events: &mut Events) {
        let when = self.when();
        self.seat.lose(&mut device, when, events);
        self.poll.remove(&device);
        self.recount = true;
    }

    /// How the picture is turned, and the time. The cursor follows the panel's size.
    fn when(&mut self) -> (Option<Turn>, u64) {
        let turn = self.display.turn();
        if let Some(turn) = turn {
            self.seat.pointer.fit(turn.size());
        }
        (turn, self.started.elapsed().as_millis() as u64)
    }
}

/// Passes on what was done on a device. Room for a whole chunk was checked; lost events would be made up
/// for by a resync.
fn queue(
    events: &mut Events,
    (pointer, repeat, echo): (&mut Pointer, &mut Repeat, &mut Echo),
    source: &Source,
    input: Input,
) {
    if let Input::Key { code, stroke } = input {
        if !echo.is_new(source.now_ms, source.number, (code, stroke)) {
            return;
        }
        if source.needs_repeat {
            repeat.note(source.now_ms, source.number, (code, stroke));
        }
        events.push(Event::Key { code, stroke });
        return;
    }
    let Some(turn) = source.turn else {
        if let Input::Click(phase) = input {
            // Nobody is told, but a button that is up is up.
            let _ = pointer.click(source.number, phase);
        }
        return;
    };
    let number = source.number;
    match input {
        Input::Touch { slot, phase, x, y } => {
            let at = source.place(turn, x, y);
            events.push(Event::Touch { contact: source.contact(slot), phase, at });
        }
        Input::Hover { x, y } => {
            let at = pointer.put(number, source.place(turn, x, y));
            events.push(Event::Hover(Some(at)));
        }
        Input::Leave if pointer.hide(number) => drop(events.push(Event::Hover(None))),
        Input::Motion { x, y } => {
            let at = pointer.push(number, x, y);
            events.push(match pointer.holder() {
                Some(holder) => Event::Touch { contact: holder << 8, phase: Phase::Move, at },
                None => Event::Hover(Some(at)),
            });
        }
        Input::Click(phase) => match pointer.click(number, phase) {
            Some(Click::Touch(phase, at)) => {
                events.push(Event::Touch { contact: source.contact(0), phase, at });
                if phase == Phase::Up {
                    events.push(Event::Hover(Some(at)));
                }
            }
            Some(Click::Shown(at)) => drop(events.push(Event::Hover(Some(at)))),
            None => {}
        },
        Input::Leave | Input::Key { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::prompt::code::KEY_POWER;

    #[test]
    fn a_press_that_two_devices_tell_of_is_told_once() {
        let (mut events, mut seen) = (Events::default(), Vec::new());
        let (mut pointer, mut repeat, mut echo) = (Pointer::default(), Repeat::default(), Echo::default());
        for (now_ms, number, stroke) in
            [(1000, 1, Stroke::Press), (1000, 1, Stroke::Release), (1030, 2, Stroke::Press), (1130, 2, Stroke::Release)]
        {
            let source = Source { now_ms, number, matrix: Matrix::default(), needs_repeat: false, turn: None };
            let input = Input::Key { code: KEY_POWER, stroke };
            queue(&mut events, (&mut pointer, &mut repeat, &mut echo), &source, input);
        }
        events.drain(|event| seen.push(event));
        let told = [Stroke::Press, Stroke::Release].map(|stroke| Event::Key { code: KEY_POWER, stroke });
        assert_eq!(seen, told);
    }
}
