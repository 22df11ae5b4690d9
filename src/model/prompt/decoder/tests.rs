//! Streams of events, as devices and the kernel make them, and what they mean.

mod fuzz;
mod hand;
mod screen;

use super::super::device::Range;
use super::*;

const RANGE: Range = Range { minimum: 0, maximum: 65535, resolution: 0 };
const SURFACE: Surface = Surface { x: RANGE, y: RANGE };
const NONE: Finger = Finger { id: -1, x: 0, y: 0, tool: 0 };
const SYN: (u16, u16, i32) = (EV_SYN, SYN_REPORT, 0);
const LOST: (u16, u16, i32) = (EV_SYN, SYN_DROPPED, 0);

fn role(pointing: Pointing) -> Role {
    Role { pointing: Some(pointing), ..Role::default() }
}

fn keyboard() -> Role {
    Role { keyboard: true, keys: true, ..Role::default() }
}

fn key(code: u16, value: i32) -> (u16, u16, i32) {
    (EV_KEY, code, value)
}

fn stroke(code: u16, stroke: Stroke) -> Input {
    Input::Key { code, stroke }
}

fn at(slot: u8, phase: Phase, x: u16, y: u16) -> Input {
    Input::Touch { slot, phase, x, y }
}

fn empty() -> Snapshot {
    Snapshot { contacts: vec![NONE; SLOTS], ..Snapshot::default() }
}

fn raw(time_ms: u64, (kind, code, value): (u16, u16, i32)) -> Raw {
    Raw { time_ms, kind, code, value }
}

fn fresh(role: Role) -> Decoder {
    Decoder::new(role, &empty())
}

/// What a stream means, in which nothing is lost.
fn feed_at(decoder: &mut Decoder, time_ms: u64, events: &[(u16, u16, i32)]) -> Vec<Input> {
    let mut seen = Vec::new();
    for event in events {
        assert!(!decoder.feed(raw(time_ms, *event), &mut |input| seen.push(input)));
    }
    seen
}

fn feed(decoder: &mut Decoder, events: &[(u16, u16, i32)]) -> Vec<Input> {
    feed_at(decoder, 0, events)
}

/// What a stream means in which something is lost: `before` up to the end of the lost frame, then what
/// was still queued, then the state.
fn feed_lost(
    decoder: &mut Decoder,
    before: &[(u16, u16, i32)],
    queued: &[(u16, u16, i32)],
    snapshot: &Snapshot,
) -> Vec<Input> {
    let mut seen = Vec::new();
    let lost = before.iter().map(|event| decoder.feed(raw(0, *event), &mut |input| seen.push(input))).last();
    assert_eq!(lost, Some(true));
    queued.iter().for_each(|event| decoder.pass_over(raw(0, *event), &mut |input| seen.push(input)));
    decoder.resync(snapshot, &mut |input| seen.push(input));
    seen
}

fn unplug(mut decoder: Decoder) -> Vec<Input> {
    let mut seen = Vec::new();
    decoder.unplug(&mut |input| seen.push(input));
    seen
}
