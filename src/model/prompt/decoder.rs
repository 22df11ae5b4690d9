//! From a device's raw events to what a person did with it.
//!
//! Follows Documentation/input/multi-touch-protocol.rst and event-codes.rst: a frame ends at
//! SYN_REPORT, values that did not change are left out, and after SYN_DROPPED everything up to the next
//! SYN_REPORT is void. Of a screen that tells of contacts in both ways, only the multi-touch one counts.

mod contact;
mod packet;
mod pad;
mod touchpad;

use contact::Contact;
use packet::Packets;
use pad::Pad;
use touchpad::Touchpad;

use super::code::{
    ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_SLOT, ABS_MT_TOOL_TYPE, ABS_MT_TRACKING_ID, ABS_X, ABS_Y, BTN_DPAD,
    BTN_LEFT, BTN_TOOLS, BTN_TOUCH, BUTTONS, EV_ABS, EV_KEY, EV_REL, EV_SYN, MT_TOOL_PALM, REL_X, REL_Y, SYN_DROPPED,
    SYN_MT_REPORT, SYN_REPORT,
};
use super::device::{Keys, Pointing, Role, SLOTS, Surface};
use super::pointer::PARTS;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It arrives.
    Down,
    /// It moves.
    Move,
    /// It leaves.
    Up,
    /// It is gone without having been lifted: its device went away, or it is a palm.
    Cancel,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// It goes down.
    Press,
    /// It is held and repeats.
    Repeat,
    /// It goes up.
    Release,
}

/// One thing that a person did. Places are from the left and from the upper edge of the device's
/// surface, 0..=65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A finger, pen or button on a place of the surface.
    Touch {
        /// The slot of the contact.
        slot: u8,
        /// What it does.
        phase: Phase,
        /// From the left edge.
        x: u16,
        /// From the upper edge.
        y: u16,
    },
    /// A pointer is at a place, and presses nothing.
    Hover {
        /// From the left edge.
        x: u16,
        /// From the upper edge.
        y: u16,
    },
    /// The pen that hovered has left.
    Leave,
    /// The cursor is moved, by so many [`PARTS`] of a step of the pointer's.
    Motion {
        /// To the right.
        x: i32,
        /// Downwards.
        y: i32,
    },
    /// The button at the cursor; it does not move by itself.
    Click(Phase),
    /// A key.
    Key {
        /// Its code.
        code: u16,
        /// What it does.
        stroke: Stroke,
    },
}

/// A contact as the kernel has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finger {
    /// Its tracking id; -1 for none.
    pub id: i32,
    /// Its horizontal position, as the device says it.
    pub x: i32,
    /// Its vertical position, as the device says it.
    pub y: i32,
    /// Its ABS_MT_TOOL_TYPE.
    pub tool: i32,
}

/// A device's state as read from the kernel, at open and after lost events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Keys and buttons that are down (EVIOCGKEY).
    pub keys: Keys,
    /// The slot that the next values belong to.
    pub slot: i32,
    /// What is in each slot (EVIOCGMTSLOTS), or the place of the one contact.
    pub contacts: Vec<Finger>,
    /// ABS_X, ABS_Y, ABS_HAT0X and ABS_HAT0Y of a game pad.
    pub sticks: [i32; 4],
}

/// One event: its time in milliseconds of any clock, type, code and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Milliseconds of any clock.
    pub time_ms: u64,
    /// The event's type.
    pub kind: u16,
    /// Its code.
    pub code: u16,
    /// Its value.
    pub value: i32,
}

/// Follows one device.
#[derive(Debug)]
pub struct Decoder {
    role: Role,
    contacts: [Contact; SLOTS],
    slot: usize,
    /// The button of what moves a cursor.
    button: Contact,
    motion: (i64, i64),
    packets: Packets,
    touchpad: Touchpad,
    pad: Option<Pad>,
    keys: Keys,
    /// Held since before anybody looked: their repeats are no presses.
    stale: Keys,
    /// Fingers were down before anybody looked, and have not said where yet.
    unseen: bool,
    /// A pen is near the surface; a tablet's pointer is once it has moved.
    near: bool,
    void: bool,
}

impl Decoder {
    /// Follows a device that is in the state of `snapshot`: fingers on the screen and keys held
    /// now are no presses.
    pub fn new(role: Role, snapshot: &Snapshot) -> Self {
        let mut decoder = Self {
            role,
            contacts: Default::default(),
            slot: 0,
            button: Contact::default(),
            motion: (0, 0),
            packets: Packets::default(),
            touchpad: Touchpad::default(),
            pad: role.pad.map(Pad::new),
            keys: snapshot.keys,
            stale: snapshot.keys,
            unseen: matches!(role.pointing, Some(Pointing::Packets(_))) && snapshot.keys.has(BTN_TOUCH),
            near: matches!(role.pointing, Some(Pointing::Tablet(_))),
            void: false,
        };
        decoder.read_contacts(snapshot);
        for contact in decoder.contacts.iter_mut().chain([&mut decoder.button]) {
            contact.grow_stale();
        }
        decoder.touchpad.start(&decoder.contacts);
        if let Some(pad) = &mut decoder.pad {
            pad.start(snapshot.sticks);
        }
        decoder
    }

    /// Keys that are held.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Takes one event. True when events were lost: what else there is to read goes to
    /// [`Decoder::pass_over`], and then [`Decoder::resync`] must follow.
    pub fn feed(&mut self, raw: Raw, emit: &mut dyn FnMut(Input)) -> bool {
        match (raw.kind, raw.code) {
            (EV_SYN, SYN_DROPPED) => {
                self.void = true;
                self.motion = (0, 0);
                self.packets.clear();
            }
            (EV_SYN, SYN_REPORT) if self.void => {
                self.void = false;
                return true;
            }
            (EV_SYN, SYN_REPORT) => self.report(raw.time_ms, emit),
            _ if self.void => {}
            (EV_SYN, SYN_MT_REPORT) => self.packets.end_contact(),
            (EV_KEY, code) => self.key(code, raw.value, emit),
            (EV_ABS, code) => self.axis(code, raw.value, emit),
            (EV_REL, REL_X) => self.motion.0 += i64::from(raw.value),
            (EV_REL, REL_Y) => self.motion.1 += i64::from(raw.value),
            _ => {}
        }
        false
    }

    /// Takes an event that came behind lost ones and is older than the snapshot that will be taken.
    /// Keys that went down and up count. Of a surface nothing does: which slot the values are for was
    /// lost, and the snapshot knows better.
    pub fn pass_over(&mut self, raw: Raw, emit: &mut dyn FnMut(Input)) {
        if raw.kind == EV_KEY {
            self.key(raw.code, raw.value, emit);
        }
    }

    /// Catches up with a device after lost events: what was let go is told, what went down too.
    pub fn resync(&mut self, snapshot: &Snapshot, emit: &mut dyn FnMut(Input)) {
        self.void = false;
        for code in self.keys.iter().filter(|code| !snapshot.keys.has(*code)).collect::<Vec<_>>() {
            self.key(code, 0, emit);
        }
        for code in snapshot.keys.iter().filter(|code| !self.keys.has(*code)).collect::<Vec<_>>() {
            self.key(code, 1, emit);
        }
        if let Some(pad) = &mut self.pad {
            pad.follow(snapshot.sticks, &mut press(emit));
        }
        self.read_contacts(snapshot);
        match self.role.pointing {
            Some(Pointing::Packets(_)) if !self.packets.speaks() => {}
            Some(Pointing::Touchpad { .. }) => {
                self.touchpad.start(&self.contacts);
                self.click(emit);
            }
            _ => self.report(0, emit),
        }
    }

    /// Lets go of everything, for the device is gone.
    pub fn unplug(&mut self, emit: &mut dyn FnMut(Input)) {
        for code in self.keys.iter().collect::<Vec<_>>() {
            self.key(code, 0, emit);
        }
        if let Some(pad) = &mut self.pad {
            pad.let_go(&mut press(emit));
        }
        let surface = self.surface().unwrap_or_default();
        for (slot, contact) in (0_u8..).zip(&mut self.contacts) {
            contact.cancel(&mut |phase, at| emit(touch(slot, phase, &surface, at)));
        }
        self.button.cancel(&mut |phase, _| emit(Input::Click(phase)));
    }

    fn surface(&self) -> Option<Surface> {
        self.role.pointing.and_then(|pointing| pointing.surface())
    }

    fn read_contacts(&mut self, snapshot: &Snapshot) {
        let Some(pointing) = self.role.pointing else { return };
        if pointing.has_slots() {
            // A slot beyond those followed is ignored until another one is chosen.
            self.slot = usize::try_from(snapshot.slot).unwrap_or(SLOTS);
            for (contact, finger) in self.contacts.iter_mut().zip(&snapshot.contacts) {
                contact.identify(finger.id);
                contact.put(Some(finger.x), Some(finger.y));
                contact.set_palm(finger.tool == MT_TOOL_PALM);
            }
        } else if !matches!(pointing, Pointing::Packets(_) | Pointing::Mouse) {
            let [contact, ..] = &mut self.contacts;
            if let Some(finger) = snapshot.contacts.first() {
                contact.put(Some(finger.x), Some(finger.y));
            }
        }
        self.press_contact();
    }

    /// Buttons that stand for a contact.
    fn press_contact(&mut self) {
        let pressed = |buttons: &[u16]| if buttons.iter().any(|button| self.keys.has(*button)) { 0 } else { -1 };
        let [contact, ..] = &mut self.contacts;
        match self.role.pointing {
            // Emulated tablets claim both and use one, so both count.
            Some(Pointing::Single(_) | Pointing::Tablet(_)) => contact.identify(pressed(&[BTN_TOUCH, BTN_LEFT])),
            Some(Pointing::Pen(_)) => contact.identify(pressed(&[BTN_TOUCH])),
            Some(Pointing::Touchpad { slots, .. }) => {
                self.button.identify(pressed(&[BTN_LEFT]));
                if !slots {
                    contact.identify(pressed(&[BTN_TOUCH]));
                }
            }
            Some(Pointing::Mouse) => self.button.identify(pressed(&[BTN_LEFT])),
            Some(Pointing::Slots(_) | Pointing::Packets(_)) | None => {}
        }
    }

    fn key(&mut self, code: u16, value: i32, emit: &mut dyn FnMut(Input)) {
        // After a resync the kernel may still tell what the snapshot has told already. What repeats is
        // held.
        if self.keys.has(code) != (value != 1) {
            return;
        }
        self.keys.set(code, value != 0);
        self.packets.key(code, value);
        if value != 2 {
            self.press_contact();
        }
        let Some(told) = self.told(code) else { return };
        let stroke = match value {
            0 => Stroke::Release,
            1 => Stroke::Press,
            _ if self.stale.has(code) => return,
            _ => Stroke::Repeat,
        };
        self.stale.set(code, false);
        match &mut self.pad {
            Some(_) if stroke == Stroke::Repeat => {}
            Some(pad) if BTN_DPAD.contains(&code) => pad.key(code, stroke == Stroke::Press, &mut press(emit)),
            _ => emit(Input::Key { code: told, stroke }),
        }
    }

    /// The code that a key is told under; `None` for a button that is none.
    fn told(&self, code: u16) -> Option<u16> {
        match self.pad {
            Some(_) => pad::button(code),
            None => Some(code).filter(|code| !BUTTONS.contains(code)),
        }
    }

    fn axis(&mut self, code: u16, value: i32, emit: &mut dyn FnMut(Input)) {
        if let Some(pad) = &mut self.pad {
            pad.axis(code, value, &mut press(emit));
        }
        let Some(pointing) = self.role.pointing else { return };
        if let Pointing::Packets(_) = pointing {
            self.packets.axis(code, value);
            return;
        }
        let slots = pointing.has_slots();
        if slots && code == ABS_MT_SLOT {
            self.slot = usize::try_from(value).unwrap_or(SLOTS);
            return;
        }
        let Some(contact) = self.contacts.get_mut(if slots { self.slot } else { 0 }) else { return };
        match code {
            ABS_MT_TRACKING_ID if slots => contact.identify(value),
            ABS_MT_TOOL_TYPE if slots => contact.set_palm(value == MT_TOOL_PALM),
            ABS_MT_POSITION_X if slots => contact.put(Some(value), None),
            ABS_MT_POSITION_Y if slots => contact.put(None, Some(value)),
            ABS_X if !slots => contact.put(Some(value), None),
            ABS_Y if !slots => contact.put(None, Some(value)),
            _ => {}
        }
    }

    /// Tells what the frame changed.
    fn report(&mut self, time_ms: u64, emit: &mut dyn FnMut(Input)) {
        match self.role.pointing {
            Some(Pointing::Slots(surface) | Pointing::Single(surface)) => self.touch(&surface, emit),
            Some(Pointing::Packets(surface)) => {
                self.packets.end_frame(&mut self.contacts, &surface);
                if core::mem::take(&mut self.unseen) {
                    self.contacts.iter_mut().for_each(Contact::grow_stale);
                }
                self.touch(&surface, emit);
            }
            Some(Pointing::Tablet(surface)) => self.hover(&surface, true, emit),
            Some(Pointing::Pen(surface)) => {
                let near = BTN_TOOLS.into_iter().any(|tool| self.keys.has(tool));
                self.hover(&surface, near, emit);
            }
            Some(Pointing::Touchpad { surface, .. }) => {
                if self.button.is_down() {
                    self.touchpad.spoil();
                }
                let outcome = self.touchpad.frame(time_ms, &self.contacts, &self.keys, &surface);
                if let Some((x, y)) = outcome.motion {
                    emit(Input::Motion { x, y });
                }
                if outcome.tap {
                    emit(Input::Click(Phase::Down));
                    emit(Input::Click(Phase::Up));
                }
                self.click(emit);
            }
            Some(Pointing::Mouse) => {
                let (x, y) = core::mem::take(&mut self.motion);
                let parts = |counts: i64| (counts * PARTS).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                if (x, y) != (0, 0) {
                    emit(Input::Motion { x: parts(x), y: parts(y) });
                }
                self.click(emit);
            }
            None => {}
        }
    }

    fn touch(&mut self, surface: &Surface, emit: &mut dyn FnMut(Input)) {
        for (slot, contact) in (0_u8..).zip(&mut self.contacts) {
            contact.report(&mut |phase, at| emit(touch(slot, phase, surface, at)));
        }
    }

    /// A pointer that is seen where it is, `near` the surface or not.
    fn hover(&mut self, surface: &Surface, near: bool, emit: &mut dyn FnMut(Input)) {
        let [contact, ..] = &mut self.contacts;
        let was_down = contact.is_told();
        let moved = contact.report(&mut |phase, at| emit(touch(0, phase, surface, at)));
        let was_near = core::mem::replace(&mut self.near, near);
        if contact.is_down() {
            return;
        }
        if near && (moved || was_down || !was_near) {
            emit(Input::Hover { x: surface.x.normalise(contact.x), y: surface.y.normalise(contact.y) });
        } else if was_near && !near {
            emit(Input::Leave);
        }
    }

    fn click(&mut self, emit: &mut dyn FnMut(Input)) {
        self.button.report(&mut |phase, _| emit(Input::Click(phase)));
    }
}

fn touch(slot: u8, phase: Phase, surface: &Surface, (x, y): (i32, i32)) -> Input {
    Input::Touch { slot, phase, x: surface.x.normalise(x), y: surface.y.normalise(y) }
}

/// Tells keys that go down and up.
fn press(emit: &mut dyn FnMut(Input)) -> impl FnMut(u16, bool) {
    |code, down| emit(Input::Key { code, stroke: if down { Stroke::Press } else { Stroke::Release } })
}

#[cfg(test)]
mod tests;
