//! Protocol A: each frame lists all contacts, and does not say which is which.

use super::super::code::{
    ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TOOL_TYPE, ABS_MT_TOUCH_MAJOR, ABS_MT_TRACKING_ID, BTN_TOUCH,
    MT_TOOL_PALM,
};
use super::super::device::{Range, SLOTS, Surface};
use super::contact::Contact;

/// What is further away than this part of the surface is another finger: between two frames none moves
/// as far, and one that leaves as the next comes would be taken for one that slides.
const REACH: i64 = 65535 / 8;

/// One contact of a frame.
#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    id: Option<i32>,
    x: Option<i32>,
    y: Option<i32>,
    gone: bool,
    palm: bool,
}

/// Collects a frame and finds out which contact is which.
#[derive(Debug, Default)]
pub(super) struct Packets {
    now: Packet,
    list: Vec<Packet>,
    /// The frame says something of contacts, if only that there are none.
    speaks: bool,
    /// The frame says something else.
    other: bool,
    /// The last id given to a contact.
    last_id: i32,
}

impl Packets {
    pub(super) fn axis(&mut self, code: u16, value: i32) {
        match code {
            ABS_MT_POSITION_X => self.now.x = Some(value),
            ABS_MT_POSITION_Y => self.now.y = Some(value),
            ABS_MT_TRACKING_ID => self.now.id = Some(value),
            ABS_MT_TOUCH_MAJOR => self.now.gone = value == 0,
            ABS_MT_TOOL_TYPE => self.now.palm = value == MT_TOOL_PALM,
            _ => {}
        }
    }

    pub(super) fn key(&mut self, code: u16, value: i32) {
        // The last SYN_MT_REPORT of an empty frame may be left out where this is told.
        self.speaks |= code == BTN_TOUCH && value == 0;
        self.other |= code != BTN_TOUCH;
    }

    /// Whether the frame so far says something of contacts.
    pub(super) fn speaks(&self) -> bool {
        self.speaks
    }

    /// SYN_MT_REPORT.
    pub(super) fn end_contact(&mut self) {
        self.speaks = true;
        let packet = core::mem::take(&mut self.now);
        if packet.x.is_some() && packet.y.is_some() && !packet.gone && self.list.len() < SLOTS {
            self.list.push(packet);
        }
    }

    /// Forgets the frame, of which something was lost.
    pub(super) fn clear(&mut self) {
        *self = Self { last_id: self.last_id, ..Self::default() };
    }

    /// SYN_REPORT: gives each contact of the frame its place.
    pub(super) fn end_frame(&mut self, contacts: &mut [Contact; SLOTS], surface: &Surface) {
        let pending = self.now.x.is_some() && self.now.y.is_some();
        if pending {
            self.end_contact();
        }
        // A frame with nothing in it is one without fingers, one with a key alone is not.
        if self.speaks || !self.other {
            self.assign(contacts, surface);
        }
        self.clear();
    }

    fn assign(&mut self, contacts: &mut [Contact; SLOTS], surface: &Surface) {
        let mut taken = [false; SLOTS];
        for (slot, at) in self.pairs(contacts, surface) {
            if let (Some(contact), Some(packet), Some(taken)) =
                (contacts.get_mut(slot), self.list.get_mut(at), taken.get_mut(slot))
            {
                contact.put(packet.x.take(), packet.y.take());
                contact.set_palm(packet.palm);
                *taken = true;
            }
        }
        for (contact, taken) in contacts.iter_mut().zip(taken) {
            if !taken {
                contact.identify(-1);
            }
        }
        // Those that are left are new. One that takes the place of one that leaves is told after it.
        let mut free = contacts.iter_mut().zip(taken).filter(|(_, taken)| !taken).map(|(contact, _)| contact);
        for packet in self.list.iter().filter(|packet| packet.x.is_some()) {
            let Some(contact) = free.next() else { break };
            self.last_id = self.last_id.wrapping_add(1) & i32::MAX;
            contact.identify(packet.id.filter(|id| *id >= 0).unwrap_or(self.last_id));
            contact.put(packet.x, packet.y);
            contact.set_palm(packet.palm);
        }
    }

    /// Which contacts of the frame before are which of this one: by the id where the driver gives one,
    /// else the nearest ones first.
    fn pairs(&self, contacts: &[Contact; SLOTS], surface: &Surface) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        loop {
            let free = |slot, at| pairs.iter().all(|(other_slot, other_at)| *other_slot != slot && *other_at != at);
            let mut best: Option<(i64, usize, usize)> = None;
            for (slot, contact) in contacts.iter().enumerate().filter(|(_, contact)| contact.is_down()) {
                for (at, packet) in self.list.iter().enumerate().filter(|(at, _)| free(slot, *at)) {
                    let way = packet.way_from(contact, surface);
                    if let Some(way) = way.filter(|way| best.is_none_or(|(shortest, ..)| *way < shortest)) {
                        best = Some((way, slot, at));
                    }
                }
            }
            match best {
                Some((_, slot, at)) => pairs.push((slot, at)),
                None => return pairs,
            }
        }
    }
}

impl Packet {
    /// How far it is from a contact of the frame before, squared; `None` if it is another one.
    fn way_from(&self, contact: &Contact, surface: &Surface) -> Option<i64> {
        if let Some(id) = self.id.filter(|id| *id >= 0) {
            return (contact.id == Some(id)).then_some(0);
        }
        let way = |from: i32, to: Option<i32>, range: &Range| {
            i64::from(range.normalise(from)) - i64::from(range.normalise(to.unwrap_or(from)))
        };
        let (x, y) = (way(contact.x, self.x, &surface.x), way(contact.y, self.y, &surface.y));
        (x.abs().max(y.abs()) <= REACH).then_some(x * x + y * y)
    }
}
