//! Fingers, mouse and keys, sent through QMP.
//!
//! Points are pixels of the panel as it is built, whatever way up the picture is. One QMP command
//! becomes one frame of events (ends with SYN_REPORT) in the guest.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::qmp::Client;
use crate::screen::{Point, Size};

/// Range of QEMU's absolute axes (INPUT_EVENT_ABS_MAX).
pub(crate) const AXIS_MAX: u32 = 0x7fff;
/// How long a finger rests: shorter than any long press, even when the guest runs slowly.
const HOLD: Duration = Duration::from_millis(30);
/// Between two taps: QEMU drops events when the guest has no free buffers.
const PAUSE: Duration = Duration::from_millis(60);
/// A tap and the pause after it, of somebody in a hurry.
const RACE: Duration = Duration::from_millis(24);

/// The value of an axis for pixel `at` of `length`: rounded, so that the guest gets that pixel back.
pub(crate) fn axis(at: u32, length: u32) -> u32 {
    let last = length.saturating_sub(1).max(1);
    (at.min(last) * AXIS_MAX + last / 2) / last
}

fn send(qmp: &mut Client, events: Vec<Value>) -> Result<()> {
    qmp.execute("input-send-event", json!({ "events": events })).map(drop)
}

fn contact(kind: &str, slot: u32, id: i64, axis: &str, value: u32) -> Value {
    let data = json!({ "type": kind, "slot": slot, "tracking-id": id, "axis": axis, "value": value });
    json!({ "type": "mtt", "data": data })
}

fn button(name: &str, down: bool) -> Value {
    json!({ "type": "btn", "data": { "button": name, "down": down } })
}

/// Puts finger `slot` down; `alone` if no other one is, for BTN_TOUCH belongs to all of them.
pub(crate) fn touch_down(qmp: &mut Client, panel: Size, (slot, alone): (u32, bool), at: Point) -> Result<()> {
    let id = i64::from(slot) + 1;
    let mut events = vec![
        contact("begin", slot, id, "x", 0),
        contact("data", slot, id, "x", axis(at.x, panel.width)),
        contact("data", slot, id, "y", axis(at.y, panel.height)),
    ];
    if alone {
        events.insert(0, button("touch", true));
    }
    send(qmp, events)
}

/// Moves finger `slot`.
pub(crate) fn touch_move(qmp: &mut Client, panel: Size, slot: u32, at: Point) -> Result<()> {
    let id = i64::from(slot) + 1;
    let events = vec![
        contact("update", slot, id, "x", 0),
        contact("data", slot, id, "x", axis(at.x, panel.width)),
        contact("data", slot, id, "y", axis(at.y, panel.height)),
    ];
    send(qmp, events)
}

/// Lifts finger `slot`; `alone` if it is the last one.
pub(crate) fn touch_up(qmp: &mut Client, (slot, alone): (u32, bool)) -> Result<()> {
    let mut events = vec![contact("end", slot, -1, "x", 0)];
    if alone {
        events.push(button("touch", false));
    }
    send(qmp, events)
}

/// A short tap with one finger.
pub(crate) fn tap(qmp: &mut Client, panel: Size, at: Point) -> Result<()> {
    touch_down(qmp, panel, (0, true), at)?;
    thread::sleep(HOLD);
    touch_up(qmp, (0, true))?;
    thread::sleep(PAUSE);
    Ok(())
}

/// Taps with two fingers in turn: each one lifts when the next is down.
pub(crate) fn roll(qmp: &mut Client, panel: Size, taps: &[Point]) -> Result<()> {
    let mut down = None;
    for (at, slot) in taps.iter().zip([0, 1].into_iter().cycle()) {
        touch_down(qmp, panel, (slot, down.is_none()), *at)?;
        thread::sleep(HOLD);
        if let Some(other) = down.replace(slot) {
            touch_up(qmp, (other, false))?;
            thread::sleep(PAUSE);
        }
    }
    match down {
        Some(slot) => touch_up(qmp, (slot, true)),
        None => Ok(()),
    }
}

/// Taps without rest. What QEMU has no free buffers of the guest for would be lost outside of it, so
/// not without any pause.
pub(crate) fn race(qmp: &mut Client, panel: Size, taps: &[Point]) -> Result<()> {
    for at in taps {
        touch_down(qmp, panel, (0, true), *at)?;
        thread::sleep(RACE / 2);
        touch_up(qmp, (0, true))?;
        thread::sleep(RACE / 2);
    }
    Ok(())
}

/// Moves a mouse by so many counts to the right and downwards, and again.
pub(crate) fn push(qmp: &mut Client, ways: &[(i32, i32)]) -> Result<()> {
    // What a report of a mouse has room for is less than one would think.
    const STEP: i32 = 100;
    for &(x, y) in ways {
        let steps = (x.abs().max(y.abs()) + STEP - 1) / STEP;
        for step in 0..steps {
            let part = |way: i32| way * (step + 1) / steps - way * step / steps;
            let move_by = |name: &str, value: i32| json!({ "type": "rel", "data": { "axis": name, "value": value } });
            send(qmp, vec![move_by("x", part(x)), move_by("y", part(y))])?;
            thread::sleep(RACE / 2);
        }
    }
    Ok(())
}

/// Clicks the left button where the pointer is.
pub(crate) fn press(qmp: &mut Client) -> Result<()> {
    send(qmp, vec![button("left", true)])?;
    thread::sleep(HOLD);
    send(qmp, vec![button("left", false)])?;
    thread::sleep(PAUSE);
    Ok(())
}

/// Waits until the guest listens to a pointer that knows where it is: QEMU's pen tablet is none before.
pub(crate) fn wait_for_absolute(qmp: &mut Client, limit: Duration) -> Result<()> {
    let deadline = Instant::now() + limit;
    loop {
        let mice = qmp.execute("query-mice", json!({}))?;
        if mice.as_array().is_some_and(|mice| mice.iter().any(|mouse| mouse["absolute"] == true)) {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(Failure(format!("the guest listens to no absolute pointer: {mice}")));
        }
        thread::sleep(PAUSE);
    }
}

/// Moves the absolute pointer and clicks its left button.
pub(crate) fn click(qmp: &mut Client, panel: Size, at: Point) -> Result<()> {
    let move_to = |name: &str, value: u32| json!({ "type": "abs", "data": { "axis": name, "value": value } });
    send(qmp, vec![move_to("x", axis(at.x, panel.width)), move_to("y", axis(at.y, panel.height))])?;
    press(qmp)
}

/// Puts a key down, or lets it go; names are QEMU's QKeyCode.
pub(crate) fn hold_key(qmp: &mut Client, name: &str, down: bool) -> Result<()> {
    let key = json!({ "type": "qcode", "data": name });
    send(qmp, vec![json!({ "type": "key", "data": { "down": down, "key": key } })])
}

/// Types a text that needs no shift, thirty keys a second.
pub(crate) fn race_keys(qmp: &mut Client, text: &str) -> Result<()> {
    let half = Duration::from_millis(1000 / 60);
    let mut due = Instant::now();
    for typed in text.chars() {
        let (_, name) = qcode(typed).ok_or_else(|| Failure(format!("no US key types {typed:?}")))?;
        for down in [true, false] {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            hold_key(qmp, &name, down)?;
            due += half;
        }
    }
    Ok(())
}

/// Presses keys together and lets them go; names are QEMU's QKeyCode.
pub(crate) fn keys(qmp: &mut Client, names: &[&str]) -> Result<()> {
    let hold_ms = 30;
    let keys: Vec<Value> = names.iter().map(|name| json!({ "type": "qcode", "data": name })).collect();
    qmp.execute("send-key", json!({ "keys": keys, "hold-time": hold_ms }))?;
    thread::sleep(HOLD + PAUSE);
    Ok(())
}

/// Holds a key for so long.
pub(crate) fn hold(qmp: &mut Client, name: &str, time: Duration) -> Result<()> {
    let key = |down: bool| {
        let data = json!({ "down": down, "key": { "type": "qcode", "data": name } });
        vec![json!({ "type": "key", "data": data })]
    };
    send(qmp, key(true))?;
    thread::sleep(time);
    send(qmp, key(false))
}

/// Types one ASCII character on a keyboard with the US layout.
pub(crate) fn character(qmp: &mut Client, typed: char) -> Result<()> {
    let (shift, name) = qcode(typed).ok_or_else(|| Failure(format!("no US key types {typed:?}")))?;
    if shift { keys(qmp, &["shift", &name]) } else { keys(qmp, &[&name]) }
}

fn qcode(typed: char) -> Option<(bool, String)> {
    const PLAIN: &str = "-=[]\\;'`,./ ";
    const SHIFTED: &str = "_+{}|:\"~<>?";
    const NAMES: [&str; 12] = [
        "minus",
        "equal",
        "bracket_left",
        "bracket_right",
        "backslash",
        "semicolon",
        "apostrophe",
        "grave_accent",
        "comma",
        "dot",
        "slash",
        "spc",
    ];
    const DIGITS: &str = ")!@#$%^&*(";
    if typed.is_ascii_lowercase() || typed.is_ascii_digit() {
        return Some((false, typed.to_string()));
    }
    if typed.is_ascii_uppercase() {
        return Some((true, typed.to_ascii_lowercase().to_string()));
    }
    if let Some(digit) = DIGITS.find(typed) {
        return Some((true, digit.to_string()));
    }
    let named = |set: &str, shift| set.find(typed).map(|at| (shift, NAMES[at].to_owned()));
    named(PLAIN, false).or_else(|| named(SHIFTED, true))
}
