//! Noise: whatever a device says, nothing panics, all that goes down comes up again, and nothing stays
//! down that the kernel says is up.

use super::super::super::code::{ABS_HAT0X, ABS_MT_TOUCH_MAJOR, BTN_DPAD_UP, BTN_SOUTH, BTN_TOOL_PEN};
use super::*;
use crate::model::noise::Noise;

/// What a device may say.
struct Chatter(Noise);

impl Chatter {
    fn next(&mut self, end: u64) -> u64 {
        self.0.below(end)
    }

    fn event(&mut self) -> (u16, u16, i32) {
        const AXES: [u16; 9] = [
            ABS_MT_SLOT,
            ABS_MT_TRACKING_ID,
            ABS_MT_POSITION_X,
            ABS_MT_POSITION_Y,
            ABS_MT_TOOL_TYPE,
            ABS_MT_TOUCH_MAJOR,
            ABS_X,
            ABS_Y,
            ABS_HAT0X,
        ];
        const KEYS: [u16; 8] = [30, 31, BTN_LEFT, BTN_TOUCH, BTN_TOOL_PEN, BTN_SOUTH, BTN_DPAD_UP, 0x2ff];
        let value = match self.next(20) {
            0 => i32::MIN,
            1 => i32::MAX,
            _ => self.next(20) as i32 - 2,
        };
        match self.next(10) {
            0 | 1 => SYN,
            2 => (EV_SYN, SYN_MT_REPORT, 0),
            3 => (EV_KEY, KEYS[self.next(8) as usize], self.next(3) as i32),
            4 => (EV_REL, self.next(3) as u16, value),
            5 if self.next(40) == 0 => LOST,
            5 => (self.next(0x20) as u16, self.next(0x300) as u16, value),
            _ => (EV_ABS, AXES[self.next(9) as usize], value),
        }
    }

    fn snapshot(&mut self) -> Snapshot {
        let mut finger = || Finger {
            id: self.next(3) as i32 - 1,
            x: self.next(20) as i32,
            y: self.next(20) as i32,
            tool: self.next(3) as i32,
        };
        let contacts = (0..SLOTS).map(|_| finger()).collect();
        let keys = [30, BTN_LEFT, BTN_TOUCH].into_iter().filter(|_| self.next(2) == 0).collect();
        let sticks = [0; 4].map(|_| self.next(5) as i32 - 2);
        Snapshot { keys, slot: self.next(20) as i32 - 2, contacts, sticks }
    }
}

/// What is down, as somebody knows who only hears what is told.
#[derive(Default)]
struct Listener {
    fingers: [bool; SLOTS],
    button: bool,
    keys: Keys,
    /// Held before anybody looked: they may come up without having gone down.
    stale: Keys,
}

impl Listener {
    fn hear(&mut self, input: Input) {
        match input {
            Input::Touch { slot, phase, .. } => {
                let down = &mut self.fingers[usize::from(slot)];
                assert_eq!(*down, phase != Phase::Down, "{input:?}");
                *down = matches!(phase, Phase::Down | Phase::Move);
            }
            Input::Click(phase) => {
                assert_eq!(self.button, phase != Phase::Down, "{input:?}");
                self.button = phase == Phase::Down;
            }
            Input::Key { code, stroke } => {
                let stale = self.stale.has(code) && stroke == Stroke::Release;
                assert!(stale || self.keys.has(code) == (stroke != Stroke::Press), "{input:?}");
                self.stale.set(code, false);
                self.keys.set(code, stroke != Stroke::Release);
            }
            Input::Hover { .. } | Input::Leave | Input::Motion { .. } => {}
        }
    }
}

fn roles() -> [Role; 9] {
    let stick = Some(Range { minimum: -2, maximum: 2, resolution: 0 });
    let odd = Surface {
        x: Range { minimum: 9, maximum: 3, resolution: -1 },
        y: Range { minimum: i32::MIN, maximum: i32::MAX, resolution: 1 },
    };
    [
        role(Pointing::Slots(SURFACE)),
        role(Pointing::Packets(SURFACE)),
        role(Pointing::Single(odd)),
        role(Pointing::Tablet(SURFACE)),
        role(Pointing::Pen(SURFACE)),
        role(Pointing::Touchpad { surface: SURFACE, slots: true }),
        role(Pointing::Touchpad { surface: odd, slots: false }),
        Role { keys: true, keyboard: true, ..role(Pointing::Mouse) },
        Role { pad: Some([stick, stick, stick, None]), keys: true, ..Role::default() },
    ]
}

#[test]
fn random_streams_never_panic_and_always_pair() {
    for (number, role) in (1..).zip(roles()) {
        let mut noise = Chatter(Noise::new(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number)));
        for _ in 0..40 {
            let start = noise.snapshot();
            let mut decoder = Decoder::new(role, &start);
            let mut listener = Listener { stale: start.keys, ..Listener::default() };
            // Sticks that are out at the start come back.
            (BTN_DPAD_UP..BTN_DPAD_UP + 4).for_each(|code| listener.stale.set(code, true));
            for time_ms in 0..1000 {
                let event = noise.event();
                if decoder.feed(raw(time_ms, event), &mut |input| listener.hear(input)) {
                    for _ in 0..noise.next(6) {
                        let event = noise.event();
                        decoder.pass_over(raw(time_ms, event), &mut |input| listener.hear(input));
                    }
                    let snapshot = noise.snapshot();
                    decoder.resync(&snapshot, &mut |input| listener.hear(input));
                    agrees(&role, &listener, &snapshot);
                }
            }
            decoder.unplug(&mut |input| listener.hear(input));
            assert_eq!(listener.fingers, [false; SLOTS], "{role:?}");
            assert!(!listener.button && listener.keys == Keys::default(), "{role:?}");
        }
    }
}

/// Nothing is down that the snapshot says is up.
fn agrees(role: &Role, listener: &Listener, snapshot: &Snapshot) {
    let pressed = |code| snapshot.keys.has(code);
    for (slot, down) in listener.fingers.iter().enumerate().filter(|(_, down)| **down) {
        assert!(
            down & match role.pointing {
                Some(Pointing::Slots(_)) => snapshot.contacts[slot].id >= 0,
                Some(Pointing::Single(_) | Pointing::Tablet(_)) => pressed(BTN_TOUCH) || pressed(BTN_LEFT),
                Some(Pointing::Pen(_)) => pressed(BTN_TOUCH),
                // It lists what is down in the next frame.
                Some(Pointing::Packets(_)) => true,
                _ => false,
            },
            "slot {slot} of {role:?}"
        );
    }
    assert!(!listener.button || pressed(BTN_LEFT), "{role:?}");
    for code in listener.keys.iter().filter(|code| !BTN_DPAD.contains(code)) {
        assert!(pressed(code), "key {code} of {role:?}");
    }
}
