//! From a device's raw events to touches and keys.
//!
//! Follows Documentation/input/multi-touch-protocol.rst (protocol B) and event-codes.rst: a frame
//! ends at SYN_REPORT, values that did not change are left out, and after SYN_DROPPED everything
//! up to the next SYN_REPORT is void.

use super::device::{
    ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_SLOT, ABS_MT_TRACKING_ID, ABS_X, ABS_Y, BTN_LAST, BTN_MISC, CONTACT,
    EV_ABS, EV_KEY, EV_SYN, Keys, Pointing, Role, SLOTS, SYN_DROPPED, SYN_REPORT,
};

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It arrives.
    Down,
    /// It moves.
    Move,
    /// It leaves.
    Up,
    /// It is gone without having been lifted: its device went away.
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

/// One thing that a person did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A finger, pen or button on a place of the surface.
    Touch {
        /// The slot of the contact.
        slot: u8,
        /// What it does.
        phase: Phase,
        /// From the left edge, 0..=65535.
        x: u16,
        /// From the upper edge, 0..=65535.
        y: u16,
    },
    /// A key.
    Key {
        /// Its code.
        code: u16,
        /// What it does.
        stroke: Stroke,
    },
}

/// A device's state as read from the kernel, at open and after lost events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Keys and buttons that are down (EVIOCGKEY).
    pub keys: Keys,
    /// The slot that the next values belong to.
    pub slot: i32,
    /// Tracking id, x and y of each slot (EVIOCGMTSLOTS), or of the one contact.
    pub contacts: Vec<(i32, i32, i32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Contact {
    /// The tracking id while it is down.
    id: Option<i32>,
    x: i32,
    y: i32,
    /// It moved in this frame.
    moved: bool,
    /// An id left in this frame, though another may have come in its place.
    left: bool,
    /// Where it was last told to be, while it was told to be down.
    told: Option<(i32, i32)>,
    /// It was down before anybody looked, so it is no press of a key.
    stale: bool,
}

/// Follows one device.
#[derive(Debug)]
pub struct Decoder {
    role: Role,
    contacts: [Contact; SLOTS],
    slot: usize,
    keys: Keys,
    /// Held since before anybody looked: their repeats are no presses.
    stale: Keys,
    void: bool,
}

impl Decoder {
    /// Follows a device that is in the state of `snapshot`: fingers on the screen and keys held
    /// now are no presses.
    pub fn new(role: Role, snapshot: &Snapshot) -> Self {
        let (keys, stale) = (snapshot.keys, snapshot.keys);
        let mut decoder = Self { role, contacts: Default::default(), slot: 0, keys, stale, void: false };
        decoder.read_contacts(snapshot);
        for contact in &mut decoder.contacts {
            contact.stale = contact.id.is_some();
            contact.told = contact.id.map(|_| (contact.x, contact.y));
            contact.moved = false;
        }
        decoder
    }

    /// Keys that are held.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Takes one event. True when events were lost and [`Decoder::resync`] must follow.
    pub fn feed(&mut self, kind: u16, code: u16, value: i32, emit: &mut dyn FnMut(Input)) -> bool {
        match (kind, code) {
            (EV_SYN, SYN_DROPPED) => self.void = true,
            (EV_SYN, SYN_REPORT) if self.void => {
                self.void = false;
                return true;
            }
            (EV_SYN, SYN_REPORT) => self.report(emit),
            _ if self.void => {}
            (EV_KEY, _) => self.key(code, value, emit),
            (EV_ABS, _) => self.axis(code, value),
            _ => {}
        }
        false
    }

    /// Catches up with a device after lost events: what was let go is told, what went down too.
    pub fn resync(&mut self, snapshot: &Snapshot, emit: &mut dyn FnMut(Input)) {
        for code in self.keys.iter().filter(|code| !snapshot.keys.has(*code)).collect::<Vec<_>>() {
            self.key(code, 0, emit);
        }
        for code in snapshot.keys.iter().filter(|code| !self.keys.has(*code)).collect::<Vec<_>>() {
            self.key(code, 1, emit);
        }
        self.read_contacts(snapshot);
        self.report(emit);
    }

    /// Lets go of everything, for the device is gone.
    pub fn unplug(&mut self, emit: &mut dyn FnMut(Input)) {
        for code in self.keys.iter().collect::<Vec<_>>() {
            self.key(code, 0, emit);
        }
        for (slot, contact) in (0_u8..).zip(&mut self.contacts) {
            if contact.told.is_some() && !contact.stale {
                emit(Input::Touch { slot, phase: Phase::Cancel, x: 0, y: 0 });
            }
            *contact = Contact::default();
        }
    }

    fn read_contacts(&mut self, snapshot: &Snapshot) {
        match self.role.pointing {
            Some(Pointing::Slots { .. }) => {
                // A slot beyond those followed is ignored until another one is chosen.
                self.slot = usize::try_from(snapshot.slot).unwrap_or(SLOTS);
                for (contact, &(id, x, y)) in self.contacts.iter_mut().zip(&snapshot.contacts) {
                    contact.identify(id);
                    contact.put(Some(x), Some(y));
                }
            }
            Some(Pointing::Single { .. }) => {
                let [contact, ..] = &mut self.contacts;
                contact.identify(pressed(&snapshot.keys));
                if let Some(&(_, x, y)) = snapshot.contacts.first() {
                    contact.put(Some(x), Some(y));
                }
            }
            None => {}
        }
    }

    fn key(&mut self, code: u16, value: i32, emit: &mut dyn FnMut(Input)) {
        // After a resync the kernel may still tell what the snapshot has told already.
        if value != 2 && self.keys.has(code) == (value != 0) {
            return;
        }
        self.keys.set(code, value != 0);
        if matches!(self.role.pointing, Some(Pointing::Single { .. })) && CONTACT.contains(&code) {
            let [contact, ..] = &mut self.contacts;
            contact.identify(pressed(&self.keys));
        }
        if (BTN_MISC..=BTN_LAST).contains(&code) {
            return;
        }
        let stroke = match value {
            0 => Stroke::Release,
            1 => Stroke::Press,
            _ if self.stale.has(code) => return,
            _ => Stroke::Repeat,
        };
        self.stale.set(code, false);
        emit(Input::Key { code, stroke });
    }

    fn axis(&mut self, code: u16, value: i32) {
        let Some(pointing) = self.role.pointing else { return };
        let slots = matches!(pointing, Pointing::Slots { .. });
        if slots && code == ABS_MT_SLOT {
            self.slot = usize::try_from(value).unwrap_or(SLOTS);
            return;
        }
        let slot = if slots { self.slot } else { 0 };
        let Some(contact) = self.contacts.get_mut(slot) else { return };
        match code {
            ABS_MT_TRACKING_ID if slots => contact.identify(value),
            ABS_MT_POSITION_X if slots => contact.put(Some(value), None),
            ABS_MT_POSITION_Y if slots => contact.put(None, Some(value)),
            ABS_X if !slots => contact.put(Some(value), None),
            ABS_Y if !slots => contact.put(None, Some(value)),
            _ => {}
        }
    }

    /// Tells what the frame changed.
    fn report(&mut self, emit: &mut dyn FnMut(Input)) {
        let Some(Pointing::Slots { x, y } | Pointing::Single { x, y, .. }) = self.role.pointing else { return };
        for (slot, contact) in (0_u8..).zip(&mut self.contacts) {
            contact.report(&mut |phase, at| {
                emit(Input::Touch { slot, phase, x: x.normalise(at.0), y: y.normalise(at.1) });
            });
        }
    }
}

/// The tracking id of a device that has one contact.
fn pressed(keys: &Keys) -> i32 {
    if CONTACT.into_iter().any(|button| keys.has(button)) { 0 } else { -1 }
}

impl Contact {
    fn identify(&mut self, id: i32) {
        let id = (id >= 0).then_some(id);
        if self.id != id {
            self.left |= self.id.is_some();
            self.id = id;
        }
    }

    fn put(&mut self, x: Option<i32>, y: Option<i32>) {
        let (x, y) = (x.unwrap_or(self.x), y.unwrap_or(self.y));
        self.moved |= (x, y) != (self.x, self.y);
        (self.x, self.y) = (x, y);
    }

    fn report(&mut self, tell: &mut dyn FnMut(Phase, (i32, i32))) {
        let (left, moved) = (core::mem::take(&mut self.left), core::mem::take(&mut self.moved));
        let here = (self.x, self.y);
        match self.told {
            // It leaves from where it was last seen: some screens say 0,0 as the finger lifts.
            Some(last) if left => {
                self.told = None;
                if !core::mem::take(&mut self.stale) {
                    tell(Phase::Up, last);
                }
            }
            Some(_) if moved && !self.stale => {
                self.told = Some(here);
                tell(Phase::Move, here);
            }
            // Down and up within one frame.
            None if left && self.id.is_none() => {
                tell(Phase::Down, here);
                tell(Phase::Up, here);
            }
            _ => {}
        }
        if self.id.is_some() && self.told.is_none() {
            self.told = Some(here);
            tell(Phase::Down, here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::{BTN_LEFT, BTN_TOUCH, Range};
    use super::*;

    const RANGE: Range = Range { minimum: 0, maximum: 65535 };
    const SLOTTED: Role = Role { pointing: Some(Pointing::Slots { x: RANGE, y: RANGE }), keyboard: false, keys: false };
    const SYN: (u16, u16, i32) = (EV_SYN, SYN_REPORT, 0);

    fn id(value: i32) -> (u16, u16, i32) {
        (EV_ABS, ABS_MT_TRACKING_ID, value)
    }

    fn slot(value: i32) -> (u16, u16, i32) {
        (EV_ABS, ABS_MT_SLOT, value)
    }

    fn x(value: i32) -> (u16, u16, i32) {
        (EV_ABS, ABS_MT_POSITION_X, value)
    }

    fn y(value: i32) -> (u16, u16, i32) {
        (EV_ABS, ABS_MT_POSITION_Y, value)
    }

    fn touch(slot: u8, phase: Phase, x: u16, y: u16) -> Input {
        Input::Touch { slot, phase, x, y }
    }

    fn feed(decoder: &mut Decoder, events: &[(u16, u16, i32)]) -> Vec<Input> {
        let mut seen = Vec::new();
        for &(kind, code, value) in events {
            assert!(!decoder.feed(kind, code, value, &mut |input| seen.push(input)));
        }
        seen
    }

    fn fresh(role: Role) -> Decoder {
        Decoder::new(role, &Snapshot { contacts: vec![(-1, 0, 0); SLOTS], ..Snapshot::default() })
    }

    #[test]
    fn a_tap_is_down_move_up() {
        let mut decoder = fresh(SLOTTED);
        // Id 0 is a finger like any other.
        let seen = feed(&mut decoder, &[id(0), x(10), y(20), SYN, x(12), SYN, id(-1), SYN, SYN]);
        assert_eq!(seen, [touch(0, Phase::Down, 10, 20), touch(0, Phase::Move, 12, 20), touch(0, Phase::Up, 12, 20)]);
    }

    #[test]
    fn unchanged_values_are_left_out_by_the_kernel() {
        let mut decoder = fresh(SLOTTED);
        feed(&mut decoder, &[id(1), x(10), y(20), SYN, id(-1), SYN]);
        assert_eq!(feed(&mut decoder, &[id(2), SYN]), [touch(0, Phase::Down, 10, 20)]);
    }

    #[test]
    fn two_fingers_keep_apart() {
        let mut decoder = fresh(SLOTTED);
        let events = [id(1), x(1), y(1), slot(1), id(2), x(9), y(9), SYN, slot(0), id(-1), SYN, slot(1), x(8), SYN];
        let seen = feed(&mut decoder, &events);
        assert_eq!(
            seen,
            [
                touch(0, Phase::Down, 1, 1),
                touch(1, Phase::Down, 9, 9),
                touch(0, Phase::Up, 1, 1),
                touch(1, Phase::Move, 8, 9)
            ]
        );
    }

    #[test]
    fn a_tap_within_one_frame_is_not_lost() {
        let mut decoder = fresh(SLOTTED);
        let seen = feed(&mut decoder, &[id(5), x(3), y(4), id(-1), SYN]);
        assert_eq!(seen, [touch(0, Phase::Down, 3, 4), touch(0, Phase::Up, 3, 4)]);
    }

    #[test]
    fn a_new_id_without_a_lift_is_a_new_finger() {
        let mut decoder = fresh(SLOTTED);
        let seen = feed(&mut decoder, &[id(5), x(3), y(4), SYN, id(6), x(7), SYN]);
        assert_eq!(seen[1..], [touch(0, Phase::Up, 3, 4), touch(0, Phase::Down, 7, 4)]);
    }

    #[test]
    fn a_finger_leaves_from_where_it_was() {
        let mut decoder = fresh(SLOTTED);
        let seen = feed(&mut decoder, &[id(5), x(3), y(4), SYN, x(0), y(0), id(-1), SYN]);
        assert_eq!(seen[1..], [touch(0, Phase::Up, 3, 4)]);
    }

    #[test]
    fn fingers_already_down_press_nothing() {
        let mut contacts = vec![(-1, 0, 0); SLOTS];
        contacts[1] = (7, 5, 5);
        let mut decoder = Decoder::new(SLOTTED, &Snapshot { contacts, slot: 1, ..Snapshot::default() });
        assert_eq!(feed(&mut decoder, &[x(6), SYN, id(-1), SYN]), []);
        assert_eq!(feed(&mut decoder, &[id(8), SYN]), [touch(1, Phase::Down, 6, 5)]);
    }

    #[test]
    fn keys_already_held_do_not_repeat() {
        let keys = [57].into_iter().collect();
        let mut decoder = Decoder::new(Role { keys: true, ..SLOTTED }, &Snapshot { keys, ..Snapshot::default() });
        let key = |code, stroke| Input::Key { code, stroke };
        assert_eq!(feed(&mut decoder, &[(EV_KEY, 57, 2), SYN, (EV_KEY, 57, 2), SYN]), []);
        let seen = feed(&mut decoder, &[(EV_KEY, 57, 0), (EV_KEY, 57, 1), (EV_KEY, 57, 2)]);
        assert_eq!(seen, [key(57, Stroke::Release), key(57, Stroke::Press), key(57, Stroke::Repeat)]);
    }

    #[test]
    fn slots_out_of_range_are_ignored() {
        let mut decoder = fresh(SLOTTED);
        for wild in [-1, SLOTS as i32, i32::MAX, i32::MIN] {
            assert_eq!(feed(&mut decoder, &[slot(wild), id(1), x(1), SYN]), []);
        }
    }

    #[test]
    fn a_pointer_acts_at_the_end_of_the_frame() {
        let pointing = Pointing::Single { x: RANGE, y: RANGE };
        let mut decoder = fresh(Role { pointing: Some(pointing), keyboard: false, keys: false });
        let press = (EV_KEY, BTN_LEFT, 1);
        let seen = feed(&mut decoder, &[(EV_ABS, ABS_X, 5), SYN, press, (EV_ABS, ABS_Y, 9), SYN]);
        assert_eq!(seen, [touch(0, Phase::Down, 5, 9)]);
        assert_eq!(feed(&mut decoder, &[(EV_KEY, BTN_LEFT, 0), SYN]), [touch(0, Phase::Up, 5, 9)]);
    }

    #[test]
    fn lost_events_are_made_up_for() {
        let role = Role { keys: true, keyboard: true, ..SLOTTED };
        let mut decoder = fresh(role);
        feed(&mut decoder, &[(EV_KEY, 30, 1), id(1), x(5), y(5), SYN]);
        let mut seen = Vec::new();
        let mut emit = |input| seen.push(input);
        for event in [(EV_SYN, SYN_DROPPED, 0), (EV_KEY, 31, 1), id(-1)] {
            assert!(!decoder.feed(event.0, event.1, event.2, &mut emit));
        }
        assert!(decoder.feed(EV_SYN, SYN_REPORT, 0, &mut emit));
        let snapshot = Snapshot { keys: [48].into_iter().collect(), slot: 0, contacts: vec![(-1, 5, 5); SLOTS] };
        decoder.resync(&snapshot, &mut emit);
        let key = |code, stroke| Input::Key { code, stroke };
        // What the snapshot knew already comes a second time.
        assert!(!decoder.feed(EV_KEY, 48, 1, &mut emit));
        assert!(!decoder.feed(EV_KEY, 30, 0, &mut emit));
        assert!(!decoder.feed(EV_KEY, 48, 0, &mut emit));
        let released = key(48, Stroke::Release);
        assert_eq!(seen, [key(30, Stroke::Release), key(48, Stroke::Press), touch(0, Phase::Up, 5, 5), released]);
    }

    #[test]
    fn a_device_that_is_gone_holds_nothing() {
        let mut decoder = fresh(Role { keys: true, ..SLOTTED });
        feed(&mut decoder, &[(EV_KEY, 42, 1), id(1), x(5), y(5), SYN]);
        let mut seen = Vec::new();
        decoder.unplug(&mut |input| seen.push(input));
        assert_eq!(seen, [Input::Key { code: 42, stroke: Stroke::Release }, touch(0, Phase::Cancel, 0, 0)]);
    }

    #[test]
    fn buttons_type_nothing() {
        let mut decoder = fresh(SLOTTED);
        assert_eq!(feed(&mut decoder, &[(EV_KEY, BTN_TOUCH, 1), (EV_KEY, BTN_LEFT, 1), SYN]), []);
    }

    #[test]
    fn random_events_never_panic_and_always_pair() {
        let mut noise = 0x9e37_79b9_u32;
        let mut next = |below: u32| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            noise % below
        };
        let mut decoder = fresh(SLOTTED);
        let mut down = [false; SLOTS];
        for _ in 0..50_000 {
            let codes = [ABS_MT_SLOT, ABS_MT_TRACKING_ID, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_X];
            let event = match next(3) {
                0 => SYN,
                _ => (EV_ABS, codes[next(5) as usize], next(20) as i32 - 2),
            };
            decoder.feed(event.0, event.1, event.2, &mut |input| {
                if let Input::Touch { slot, phase, .. } = input {
                    let was = core::mem::replace(&mut down[usize::from(slot)], phase != Phase::Up);
                    assert_eq!(was, phase != Phase::Down);
                }
            });
        }
    }
}
