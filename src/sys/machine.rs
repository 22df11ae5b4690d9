//! The real machine: implements [`Platform`] over the kernel's objects.

mod opening;
mod screen;
mod seat;

use std::time::Instant;

use embedded_graphics::prelude::Size;
use embedded_graphics::primitives::Rectangle;

use super::battery::Gauge;
use super::console::{self, Console};
use super::display::Display;
use super::input::CHUNK;
use super::nodes::Nodes;
use super::pixels::Pixels;
use super::poll::Poll;
use super::power;
use super::signal::Signals;
use super::tty::Terminal;
use super::uevent::Uevents;
use crate::error::{Error, Exit, Result};
use crate::model::frame::Frame;
use crate::model::prompt::event::{Action, Event, Events};
use crate::model::prompt::hardware::Hardware;
use crate::model::prompt::idle::{self, Light};
use crate::model::prompt::keymap::Keymap;
use crate::model::prompt::plan::Panel;
use crate::model::prompt::platform::Platform;
use crate::model::scanout::demand::Demand;
use crate::model::scanout::presence::Presence;

pub use opening::Volumes;

const SIGNALS: u64 = 0;
const WORKER: u64 = 1;
const CONSOLE: u64 = 2;
const NODES: u64 = 3;
const TERMINAL: u64 = 4;
const SHOWN: u64 = 5;
const UEVENTS: u64 = 6;
/// Tokens of input devices: this and their number.
const DEVICES: u64 = 16;

/// Places for what a chunk of a device's events may mean, and for what else may be told.
const ROOM: usize = 3 * CHUNK;

/// What Ctrl-C types where no key sends a signal.
const END_OF_TEXT: char = '\x03';

/// Everything that a session needs, held as long as it runs.
pub struct Machine<'a> {
    started: Instant,
    poll: Poll,
    signals: Signals,
    opening: opening::Opening<'a>,
    console: Option<Console>,
    display: Display,
    presence: Presence,
    /// Whether the terminal behind the picture is watched.
    watches_terminal: bool,
    idle: idle::Config,
    /// What to use in place of the kernel's.
    keymap: Option<Keymap>,
    seat: seat::Seat,
    nodes: Option<Nodes>,
    uevents: Option<Uevents>,
    /// When the terminal is to be put back into graphics mode.
    mend_ms: Option<u64>,
    gauge: Gauge,
    /// Whether all has begun that the first picture does not wait for.
    begun: bool,
    /// The panel is another one; told at the end of a wait.
    redraw: bool,
    /// Input devices came or went; counted at the end of a wait, when all of it is known.
    recount: bool,
}

impl<'a> Machine<'a> {
    /// Takes hold of the display and the console. All else begins with the first wait, after the first
    /// picture.
    ///
    /// # Errors
    /// What the kernel has no room for.
    pub fn new(
        volumes: Volumes<'a>,
        demand: &Demand,
        (idle, keymap, hardware): (idle::Config, Option<Keymap>, Hardware),
    ) -> Result<Self> {
        let mut machine = Self {
            started: Instant::now(),
            poll: Poll::new()?,
            signals: Signals::new()?,
            opening: opening::Opening::new(volumes),
            console: Console::open(),
            display: Display::new(demand),
            presence: Presence::new(demand.timeout_s, 0),
            watches_terminal: false,
            idle,
            keymap,
            seat: seat::Seat::new(hardware),
            nodes: None,
            uevents: None,
            mend_ms: None,
            gauge: Gauge::default(),
            begun: false,
            redraw: false,
            recount: false,
        };
        let display = machine.display.open();
        if let Some(console) = &machine.console {
            console.enter();
        }
        match display {
            Ok(()) => machine.presence.found(),
            Err(error) if machine.console.is_some() => console::print(&format!("{error}; asking on the console")),
            Err(error) => console::print(&format!("{error}; waiting for it")),
        }
        Ok(machine)
    }

    /// Lets go of the worker, and tells as JSON what has become of each volume; the last one is not open for
    /// the reason that is given.
    pub fn end(&mut self, error: Option<&Error>) -> String {
        self.opening.end(error);
        self.opening.lines()
    }

    /// Begins all that the first picture did not wait for.
    fn begin(&mut self, events: &mut Events) -> Result<()> {
        self.opening.begin(&self.poll)?;
        self.poll.add(&self.signals, SIGNALS)?;
        if let Some(console) = &self.console {
            // A line that cannot be watched cannot be typed on; the rest works without it.
            let _ = self.poll.add(console, CONSOLE);
        }
        self.display.light();
        self.nodes = Nodes::watch();
        if let Some(nodes) = &self.nodes {
            // Without it, what is there now is all there is.
            let _ = self.poll.add(nodes, NODES);
        }
        self.uevents = Uevents::listen();
        if let Some(uevents) = &self.uevents {
            // Nor without this.
            let _ = self.poll.add(uevents, UEVENTS);
        }
        // One may have come before it would have been told.
        self.follow_display();
        if self.display.is_there() {
            self.shows();
        }
        self.learn_keymap(events);
        self.scan_devices(events);
        Ok(())
    }

    /// Tells what the keys of keyboards mean. Not before the first picture, which would wait for it.
    fn learn_keymap(&mut self, events: &mut Events) {
        let wanted = self.keymap.clone();
        let learned = match self.display.terminal() {
            Some(terminal) => terminal.keymap(wanted),
            // Beside a serial line, keyboards are read where there is no display either.
            None => Terminal::open().and_then(|terminal| terminal.keymap(wanted)),
        };
        if let Some(keymap) = learned.or_else(|| self.keymap.clone()) {
            events.push(Event::Keymap(Box::new(keymap)));
        }
    }

    fn dispatch(&mut self, token: u64, events: &mut Events) -> Result<()> {
        match token {
            SIGNALS => {
                while let Some(stop) = self.signals.stop() {
                    if stop {
                        events.push(Event::Stop);
                    }
                }
            }
            WORKER => events.extend(self.opening.read(&self.poll).map(Event::Report)),
            CONSOLE => {
                let now_ms = self.now_ms();
                let console = self.console.as_mut();
                let alive = console.is_some_and(|console| {
                    console.read(now_ms, &mut |character| {
                        let end = character == END_OF_TEXT;
                        events.push(if end { Event::Stop } else { Event::Text(character) });
                    })
                });
                if !alive {
                    if let Some(console) = self.console.take() {
                        self.poll.remove(&console);
                    }
                    // What asks now is a display, or nothing for long.
                    self.recount = true;
                }
            }
            NODES => self.read_nodes(events),
            // Reading it, which all that follows does, ends the notification.
            TERMINAL => {}
            SHOWN => self.see_text(),
            UEVENTS => self.read_uevents(events),
            number => self.read_device((number - DEVICES) as u32, events),
        }
        Ok(())
    }
}

impl Platform for Machine<'_> {
    fn now_ms(&mut self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn panel(&self) -> Option<Panel> {
        self.display.panel()
    }

    fn greys(&self) -> Option<u32> {
        self.display.greys()
    }

    fn wait(&mut self, deadline_ms: Option<u64>, events: &mut Events) -> Result<()> {
        if !core::mem::replace(&mut self.begun, true) {
            self.begin(events)?;
        } else if self.display.is_there() && self.display.terminal().is_some_and(|terminal| !terminal.is_read()) {
            // A display came, and its terminal with it.
            self.learn_keymap(events);
        }
        let now_ms = self.now_ms();
        let presence_ms = self.presence.deadline_ms(self.console.is_some());
        let console_ms = self.console.as_ref().and_then(Console::due_ms);
        let due_ms = [deadline_ms, presence_ms, self.gauge.due_ms(), self.mend_ms, self.seat.deadline_ms(), console_ms];
        let due_ms = due_ms.into_iter().flatten().min();
        let timeout = due_ms.map(|due_ms| due_ms.saturating_sub(now_ms));
        let timeout = if self.recount || self.redraw { Some(0) } else { timeout };
        for token in self.poll.wait(timeout)? {
            // What does not fit stays with the kernel, and is reported again at once.
            if events.room() >= ROOM {
                self.dispatch(token, events)?;
            }
        }
        let now_ms = self.now_ms();
        self.seat.tend(now_ms, events);
        if let Some(character) = self.console.as_mut().and_then(|console| console.tend(now_ms)) {
            events.push(Event::Text(character));
        }
        self.miss_display(events)?;
        self.mend_display();
        if core::mem::take(&mut self.redraw) {
            events.push(Event::Redraw);
        }
        if core::mem::take(&mut self.recount) {
            events.push(self.count_devices());
        }
        let now_ms = self.now_ms();
        if let Some(battery) = self.gauge.look(now_ms) {
            events.push(Event::Battery(battery));
        }
        if deadline_ms.is_some_and(|deadline| deadline <= self.started.elapsed().as_millis() as u64) {
            events.push(Event::Tick);
        }
        Ok(())
    }

    fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()> {
        if let Some(told) = self.display.present(frame, damage) {
            console::print(&told.to_string());
        }
        if self.display.is_gone() {
            self.follow_display();
        }
        Ok(())
    }

    fn frame(&mut self, size: Size) -> Frame {
        // Where there is no room for it, any memory will do that can be had.
        let pixels = Pixels::new(size.width as usize * size.height as usize);
        pixels.map_or_else(|_| Frame::new(size), |pixels| Frame::on(size, Box::new(pixels)))
    }

    fn hasten(&mut self, frame: &Frame, damage: &[Rectangle]) -> bool {
        self.display.hasten(frame, damage)
    }

    fn idle(&self) -> idle::Config {
        self.idle
    }

    fn shine(&mut self, light: Light) {
        self.display.shine(light);
    }

    fn set_caps_lock(&mut self, on: bool) {
        self.seat.devices.set_caps_lock(on);
    }

    fn pulse(&mut self) {
        self.seat.devices.pulse();
    }

    fn print(&mut self, line: &str) {
        console::print(line);
    }

    fn act(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Unlock { length } => self.opening.unlock(length),
            Action::Restart => self.opening.start(&self.poll)?,
            Action::Next(error) => self.opening.next(&self.poll, error)?,
            Action::PowerOff => {
                let errno = power::end(power::End::PowerOff);
                console::print(&Error::os(Exit::Parameters, "switch the machine off", errno).to_string());
            }
            Action::Blank | Action::Finish(_) => {}
        }
        Ok(())
    }
}
