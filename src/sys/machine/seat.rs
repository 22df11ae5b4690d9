//! What follows when input devices come, go, and are used.

use std::ffi::OsString;

use embedded_graphics::prelude::Point;

use super::super::input::Device;
use super::super::nodes::Nodes;
use super::super::tty;
use super::{DEVICES, Machine};
use crate::model::prompt::decoder::Input;
use crate::model::prompt::event::{Event, Events};
use crate::model::scanout::turn::Turn;

impl Machine<'_> {
    /// Looks for new devices.
    pub(super) fn scan_devices(&mut self) {
        // A prompt in words on the screen is typed at the kernel's console, with the keymap that it has.
        let keyboards = self.display.is_there() || self.serial();
        let poll = &self.poll;
        self.devices.scan(keyboards, |device| {
            // A device that cannot be watched is as good as none.
            let _ = poll.add(device, DEVICES + u64::from(device.number()));
        });
        self.recount = true;
    }

    /// A serial console can type, too; one on the screen has no keys but those that are counted.
    pub(super) fn count_devices(&self) -> Event {
        let (pointing, keyboards) = self.devices.count();
        // Where the console is left its keyboards, it is what types.
        let types = self.serial() || (!self.display.is_there() && self.console.is_some());
        Event::Devices { pointing, keyboards: keyboards + usize::from(types) }
    }

    /// Whether there is a console that has a line of its own.
    pub(super) fn serial(&self) -> bool {
        self.console.as_ref().is_some_and(|console| !tty::is_virtual(console))
    }

    /// Nodes came or went. One that went may have come again under the same name.
    pub(super) fn read_nodes(&mut self, events: &mut Events) {
        let gone: Vec<OsString> = self.nodes.as_ref().map(Nodes::gone).unwrap_or_default();
        for name in gone {
            if let Some(device) = self.devices.take(&name) {
                self.lose(device, events);
            }
        }
        // Not asked of the events, which are not told when too much happened at once.
        self.follow_display();
        self.scan_devices();
    }

    pub(super) fn read_device(&mut self, number: u32, events: &mut Events) {
        let turn = self.display.turn();
        let Some(device) = self.devices.find(number) else { return };
        if !device.read(&mut |input| queue(events, turn, number, input))
            && let Some(device) = self.devices.take_number(number)
        {
            self.lose(device, events);
            // Another one may have come under its name.
            self.scan_devices();
        }
    }

    /// Lets go of what was held on a device that is gone.
    pub(super) fn lose(&mut self, mut device: Device, events: &mut Events) {
        let (turn, number) = (self.display.turn(), device.number());
        device.unplug(&mut |input| queue(events, turn, number, input));
        self.poll.remove(&device);
        self.recount = true;
    }
}

/// Passes on what was done on the device of a number.
fn queue(events: &mut Events, turn: Option<Turn>, number: u32, input: Input) {
    // Room for a whole chunk was checked; lost events would be made up for by a resync.
    let _ = match input {
        Input::Key { code, stroke } => events.push(Event::Key { code, stroke }),
        Input::Touch { slot, phase, x, y } => match turn {
            Some(turn) => {
                let place = |value: u16, pixels: u32| (u32::from(value) * pixels / 65536) as i32;
                let at = turn.to_frame(Point::new(place(x, turn.panel().width), place(y, turn.panel().height)));
                events.push(Event::Touch { contact: number << 8 | u32::from(slot), phase, at })
            }
            None => true,
        },
    };
}
