//! Scripts for devices that are made in the guest (`guest/src/uinput.rs`): each types the passphrase.

mod keyboard;
mod others;

pub(super) use keyboard::{caps_lock, caps_lock_lit, keyboard, race, usb_race};
pub(super) use others::{felt, held, held_screen};

use std::fmt::Write;

use crate::case::Case;
use crate::failure::{Failure, Result, fail};
use crate::input::{AXIS_MAX, axis};
use crate::product::{self, Cursor, Twin};
use crate::screen::Point;
use crate::typist::Key;

const EV_SYN: u16 = 0;
const EV_KEY: u16 = 1;
const EV_ABS: u16 = 3;
const EV_MSC: u16 = 4;
const EV_LED: u16 = 0x11;
const SYN_REPORT: u16 = 0;
const SYN_MT_REPORT: u16 = 2;
const BTN_LEFT: u16 = 0x110;
const BTN_SOUTH: u16 = 0x130;
const BTN_EAST: u16 = 0x131;
const BTN_START: u16 = 0x13b;
const BTN_TOOL_FINGER: u16 = 0x145;
const BTN_TOUCH: u16 = 0x14a;
const ABS_X: u16 = 0;
const ABS_Y: u16 = 1;
const ABS_HAT0X: u16 = 0x10;
const ABS_HAT0Y: u16 = 0x11;
const ABS_MT_SLOT: u16 = 0x2f;
const ABS_MT_POSITION_X: u16 = 0x35;
const ABS_MT_POSITION_Y: u16 = 0x36;
const ABS_MT_TRACKING_ID: u16 = 0x39;
/// What the cross of a pad means, which has axes in its place: up, down, left, right.
const BTN_DPAD: [u16; 4] = [0x220, 0x221, 0x222, 0x223];
const KEY_ENTER: u16 = 28;
const INPUT_PROP_POINTER: u16 = 0;
const INPUT_PROP_DIRECT: u16 = 1;

/// Until a new device is in use.
const SETTLE_MS: u32 = 1500;
/// Between two frames: no hurry.
const FRAME_MS: u32 = 30;

struct Script(String);

impl Script {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn device(&mut self, name: &str, keys: &[u16], axes: &[(u16, i32, u32)], property: Option<u16>) {
        for key in keys {
            self.line(&format!("key {key}"));
        }
        for (code, minimum, maximum) in axes {
            self.line(&format!("abs {code} {minimum} {maximum}"));
        }
        if let Some(property) = property {
            self.line(&format!("property {property}"));
        }
        self.line(&format!("create {name}"));
        self.wait(SETTLE_MS);
    }

    fn event(&mut self, kind: u16, code: u16, value: i64) {
        // Writing into memory cannot fail.
        let _ = writeln!(self.0, "event {kind} {code} {value}");
    }

    fn contact(&mut self, (x, y): (u32, u32)) {
        self.event(EV_ABS, ABS_MT_POSITION_X, x.into());
        self.event(EV_ABS, ABS_MT_POSITION_Y, y.into());
        self.event(EV_SYN, SYN_MT_REPORT, 0);
    }

    fn end(&mut self) {
        self.event(EV_SYN, SYN_REPORT, 0);
    }

    fn wait(&mut self, milliseconds: u32) {
        self.line(&format!("wait {milliseconds}"));
    }

    fn frame(&mut self) {
        self.end();
        self.wait(FRAME_MS);
    }
}

/// The places to tap for a passphrase and Enter, in pixels of the panel.
fn places(case: &Case, passphrase: &str) -> Result<Vec<Point>> {
    let keyboard = product::keyboard(case)?;
    let mut layer = 0;
    let mut places = keyboard.taps(passphrase, &mut layer)?;
    places.push(keyboard.key_center(layer, Key::Enter)?);
    Ok(places)
}

/// The same as values of axes, 0 to [`AXIS_MAX`].
fn taps(case: &Case, passphrase: &str) -> Result<Vec<(u32, u32)>> {
    let panel = case.panel();
    let value = |at: Point| (axis(at.x, panel.width), axis(at.y, panel.height));
    Ok(places(case, passphrase)?.into_iter().map(value).collect())
}

/// A screen that lists its contacts without numbers. Each finger lifts when the next one is down, and the
/// list turns round each time.
pub(super) fn packets(case: &Case, passphrase: &str) -> Result<String> {
    let mut script = Script(String::new());
    script.device(
        "screen A",
        &[BTN_TOUCH],
        &[(ABS_MT_POSITION_X, 0, AXIS_MAX), (ABS_MT_POSITION_Y, 0, AXIS_MAX)],
        None,
    );
    let taps = taps(case, passphrase)?;
    for pair in taps.windows(2) {
        let [from, to] = pair else { continue };
        script.contact(*from);
        script.frame();
        script.contact(*to);
        script.contact((from.0 + 20, from.1));
        script.frame();
    }
    if let Some(last) = taps.last() {
        script.contact(*last);
        script.frame();
    }
    script.event(EV_SYN, SYN_MT_REPORT, 0);
    script.frame();
    Ok(script.0)
}

/// A resistive screen whose range begins elsewhere, which says where the finger is before it is down,
/// and 0 as it lifts. Every other tap is down and up in one frame.
pub(super) fn single(case: &Case, passphrase: &str) -> Result<String> {
    const MINIMUM: i32 = 9000;
    let mut script = Script(String::new());
    let (first, last) = (MINIMUM, AXIS_MAX + MINIMUM.unsigned_abs());
    script.device("screen 1", &[BTN_TOUCH], &[(ABS_X, first, last), (ABS_Y, first, last)], Some(INPUT_PROP_DIRECT));
    for (index, (x, y)) in taps(case, passphrase)?.into_iter().enumerate() {
        script.event(EV_ABS, ABS_X, i64::from(x) + i64::from(MINIMUM));
        script.event(EV_ABS, ABS_Y, i64::from(y) + i64::from(MINIMUM));
        script.event(EV_KEY, BTN_TOUCH, 1);
        if index % 2 == 0 {
            script.frame();
            script.event(EV_ABS, ABS_X, 0);
            script.event(EV_ABS, ABS_Y, 0);
        }
        script.event(EV_KEY, BTN_TOUCH, 0);
        script.frame();
    }
    Ok(script.0)
}

/// What a screen of protocol B tells of its fingers: code, smallest and greatest value.
const PROTOCOL_B: [(u16, i32, u32); 4] = [
    (ABS_MT_SLOT, 0, 9),
    (ABS_MT_POSITION_X, 0, AXIS_MAX),
    (ABS_MT_POSITION_Y, 0, AXIS_MAX),
    (ABS_MT_TRACKING_ID, 0, 65535),
];

/// A screen of protocol B that says so much of one finger, which rests beside the keys, that the kernel's
/// queue runs over; and with it goes that another one lifts, or that it comes down.
pub(super) fn overflow(case: &Case, passphrase: &str) -> Result<String> {
    /// The queue of such a device holds less than half of them.
    const FRAMES: u32 = 1500;
    let mut script = Script(String::new());
    script.device("screen B", &[BTN_TOUCH], &PROTOCOL_B, Some(INPUT_PROP_DIRECT));
    let down = |script: &mut Script, slot: i64, (x, y): (u32, u32)| {
        script.event(EV_ABS, ABS_MT_SLOT, slot);
        script.event(EV_ABS, ABS_MT_TRACKING_ID, slot);
        script.event(EV_ABS, ABS_MT_POSITION_X, x.into());
        script.event(EV_ABS, ABS_MT_POSITION_Y, y.into());
        script.end();
    };
    let up = |script: &mut Script| {
        script.event(EV_ABS, ABS_MT_SLOT, 0);
        script.event(EV_ABS, ABS_MT_TRACKING_ID, -1);
        script.end();
    };
    let rest = |script: &mut Script| {
        script.event(EV_ABS, ABS_MT_SLOT, 1);
        for frame in 0..FRAMES {
            script.event(EV_ABS, ABS_MT_POSITION_X, i64::from(AXIS_MAX / 2 + frame % 32));
            script.end();
        }
    };
    script.event(EV_KEY, BTN_TOUCH, 1);
    // Where nothing can be pressed: the next finger would press it.
    down(&mut script, 1, (AXIS_MAX / 2, 0));
    for (index, tap) in taps(case, passphrase)?.into_iter().enumerate() {
        let (lost_down, lost_up) = (index % 2 == 1, index % 2 == 0);
        script.wait(SETTLE_MS / 3);
        for (lost, what) in [(lost_down, true), (lost_up, false)] {
            if lost {
                rest(&mut script);
            }
            if what {
                down(&mut script, 0, tap)
            } else {
                up(&mut script)
            }
            if lost {
                rest(&mut script);
            }
            script.wait(SETTLE_MS / 3);
        }
    }
    Ok(script.0)
}

/// A game pad: its cross goes to each key, and its buttons press and send.
pub(super) fn pad(case: &Case, passphrase: &str) -> Result<String> {
    /// Enough for any key from any other, and no more if the way does not lead there.
    const STEPS_MAX: usize = 40;
    let mut script = Script(String::new());
    let axes = [(ABS_HAT0X, -1, 1), (ABS_HAT0Y, -1, 1)];
    script.device("game pad", &[BTN_SOUTH, BTN_EAST, BTN_START], &axes, None);
    let mut twin = Twin::new(case)?;
    twin.plug();
    let go = |script: &mut Script, twin: &mut Twin, code: u16, axis: u16, value: i64| {
        script.event(EV_ABS, axis, value);
        script.frame();
        script.event(EV_ABS, axis, 0);
        script.frame();
        twin.button(code, FRAME_MS.into());
    };
    let [up, down, left, right] = BTN_DPAD;
    // The first one shows where the focus is.
    go(&mut script, &mut twin, down, ABS_HAT0Y, 1);
    let mut keys = places(case, passphrase)?;
    keys.pop();
    for key in keys {
        let mut steps = 0;
        loop {
            let at = twin.focus().ok_or_else(|| Failure("there is no focus".into()))?;
            if at.y.abs_diff(key.y) > 10 {
                let (code, value) = if at.y > key.y { (up, -1) } else { (down, 1) };
                go(&mut script, &mut twin, code, ABS_HAT0Y, value);
            } else if at.x.abs_diff(key.x) > 5 {
                let (code, value) = if at.x > key.x { (left, -1) } else { (right, 1) };
                go(&mut script, &mut twin, code, ABS_HAT0X, value);
            } else {
                break;
            }
            steps += 1;
            if steps > STEPS_MAX {
                return fail(format!("the cross does not lead to {},{}", key.x, key.y));
            }
        }
        script.key(BTN_SOUTH, FRAME_MS);
        twin.button(BTN_SOUTH, FRAME_MS.into());
    }
    script.key(BTN_START, FRAME_MS);
    Ok(script.0)
}

/// A touchpad of which a step is one of the cursor's; it moves, lifts, and taps.
pub(super) fn touchpad(case: &Case, passphrase: &str) -> Result<String> {
    const WIDTH: u32 = 1280;
    let mut script = Script(String::new());
    let keys = [BTN_LEFT, BTN_TOUCH, BTN_TOOL_FINGER];
    script.device("pad", &keys, &[(ABS_X, 0, WIDTH), (ABS_Y, 0, WIDTH)], Some(INPUT_PROP_POINTER));
    let mut cursor = Cursor::default();
    for place in places(case, passphrase)? {
        let mut at = (i64::from(WIDTH) / 2, i64::from(WIDTH) / 2);
        let put = |script: &mut Script, (x, y): (i64, i64)| {
            script.event(EV_ABS, ABS_X, x);
            script.event(EV_ABS, ABS_Y, y);
            script.frame();
        };
        let press = |script: &mut Script, down: i64| {
            script.event(EV_KEY, BTN_TOOL_FINGER, down);
            script.event(EV_KEY, BTN_TOUCH, down);
        };
        press(&mut script, 1);
        put(&mut script, at);
        for (x, y) in cursor.ways(case.panel(), place) {
            at = (at.0 + i64::from(x), at.1 + i64::from(y));
            put(&mut script, at);
        }
        // Long enough that this is no tap, however short the way was.
        script.wait(300);
        press(&mut script, 0);
        script.frame();
        press(&mut script, 1);
        script.frame();
        press(&mut script, 0);
        script.frame();
    }
    Ok(script.0)
}
