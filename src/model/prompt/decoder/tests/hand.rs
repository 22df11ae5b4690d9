//! Keys, pointers, touchpads, pens, game pads.

use super::super::super::code::{
    ABS_HAT0X, BTN_DPAD_DOWN, BTN_DPAD_LEFT, BTN_DPAD_RIGHT, BTN_DPAD_UP, BTN_EAST, BTN_SOUTH, BTN_TOOL_DOUBLETAP,
    BTN_TOOL_FINGER, BTN_TOOL_PEN,
};
use super::*;

/// Of a touchpad of 1280 steps, so that a step of it is one of the cursor's.
const PAD: Surface = Surface {
    x: Range { minimum: 0, maximum: 1280, resolution: 12 },
    y: Range { minimum: 0, maximum: 1600, resolution: 24 },
};
const STEP: i32 = PARTS as i32;

fn x(value: i32) -> (u16, u16, i32) {
    (EV_ABS, ABS_X, value)
}

fn y(value: i32) -> (u16, u16, i32) {
    (EV_ABS, ABS_Y, value)
}

fn hover(x: u16, y: u16) -> Input {
    Input::Hover { x, y }
}

fn motion(x: i32, y: i32) -> Input {
    Input::Motion { x: x * STEP, y: y * STEP }
}

const CLICK: [Input; 2] = [Input::Click(Phase::Down), Input::Click(Phase::Up)];

#[test]
fn keys_already_held_do_not_repeat() {
    let snapshot = Snapshot { keys: [57].into_iter().collect(), ..empty() };
    let mut decoder = Decoder::new(keyboard(), &snapshot);
    assert_eq!(feed(&mut decoder, &[key(57, 2), SYN, key(57, 2), SYN]), []);
    let seen = feed(&mut decoder, &[key(57, 0), key(57, 1), key(57, 2)]);
    assert_eq!(seen, [stroke(57, Stroke::Release), stroke(57, Stroke::Press), stroke(57, Stroke::Repeat)]);
}

#[test]
fn a_key_pressed_and_released_in_one_frame_types_once() {
    let seen = feed(&mut fresh(keyboard()), &[key(30, 1), key(30, 0), SYN]);
    assert_eq!(seen, [stroke(30, Stroke::Press), stroke(30, Stroke::Release)]);
}

#[test]
fn lost_releases_are_made_up_for_and_keys_in_the_queue_count_once() {
    let mut decoder = fresh(keyboard());
    feed(&mut decoder, &[key(14, 1), SYN]);
    // 48 was typed and 49 went down after the queue was full; 49 is still down.
    let queued = [key(48, 1), SYN, key(48, 0), SYN, key(49, 1), SYN];
    let snapshot = Snapshot { keys: [49].into_iter().collect(), ..empty() };
    let seen = feed_lost(&mut decoder, &[LOST, key(30, 1), SYN], &queued, &snapshot);
    let expected = [
        stroke(48, Stroke::Press),
        stroke(48, Stroke::Release),
        stroke(49, Stroke::Press),
        stroke(14, Stroke::Release),
    ];
    assert_eq!(seen, expected);
    assert_eq!(feed(&mut decoder, &[key(49, 1), SYN]), []);
}

#[test]
fn buttons_type_nothing() {
    for pointing in [Pointing::Slots(SURFACE), Pointing::Packets(SURFACE), Pointing::Pen(SURFACE)] {
        assert_eq!(feed(&mut fresh(role(pointing)), &[key(BTN_LEFT, 1), key(0x111, 1), SYN]), [], "{pointing:?}");
    }
}

#[test]
fn a_tablet_hovers_and_presses_at_the_end_of_the_frame() {
    let mut decoder = fresh(role(Pointing::Tablet(SURFACE)));
    let seen = feed(&mut decoder, &[x(5), SYN, key(BTN_LEFT, 1), y(9), SYN]);
    assert_eq!(seen, [hover(5, 0), at(0, Phase::Down, 5, 9)]);
    assert_eq!(feed(&mut decoder, &[x(6), SYN]), [at(0, Phase::Move, 6, 9)]);
    assert_eq!(feed(&mut decoder, &[key(BTN_LEFT, 0), SYN]), [at(0, Phase::Up, 6, 9), hover(6, 9)]);
    assert_eq!(feed(&mut decoder, &[SYN, key(0x111, 1), SYN]), []);
}

/// As QEMU's usb-wacom-tablet says it.
#[test]
fn a_pen_hovers_touches_and_leaves() {
    let mut decoder = fresh(role(Pointing::Pen(SURFACE)));
    assert_eq!(feed(&mut decoder, &[key(BTN_TOOL_PEN, 1), x(100), y(200), SYN]), [hover(100, 200)]);
    assert_eq!(feed(&mut decoder, &[x(110), SYN]), [hover(110, 200)]);
    let seen = feed(&mut decoder, &[key(BTN_TOUCH, 1), (EV_ABS, 0x18, 127), SYN, x(111), SYN]);
    assert_eq!(seen, [at(0, Phase::Down, 110, 200), at(0, Phase::Move, 111, 200)]);
    let seen = feed(&mut decoder, &[key(BTN_TOUCH, 0), SYN, x(0), y(0), key(BTN_TOOL_PEN, 0), SYN]);
    assert_eq!(seen, [at(0, Phase::Up, 111, 200), hover(111, 200), Input::Leave]);
    // One that is lifted quickly leaves in the frame in which it lets go.
    let seen = feed(&mut decoder, &[key(BTN_TOOL_PEN, 1), key(BTN_TOUCH, 1), x(7), y(7), SYN]);
    assert_eq!(seen, [at(0, Phase::Down, 7, 7)]);
    let seen = feed(&mut decoder, &[key(BTN_TOUCH, 0), key(BTN_TOOL_PEN, 0), SYN]);
    assert_eq!(seen, [at(0, Phase::Up, 7, 7), Input::Leave]);
}

#[test]
fn a_mouse_moves_and_clicks() {
    let mut decoder = fresh(role(Pointing::Mouse));
    let seen = feed(&mut decoder, &[(EV_REL, REL_X, 3), (EV_REL, REL_Y, -2), (EV_REL, 8, 1), SYN]);
    assert_eq!(seen, [motion(3, -2)]);
    // Motion comes before the click of its frame, and a click may be within one.
    let seen = feed(&mut decoder, &[key(BTN_LEFT, 1), (EV_REL, REL_X, 1), key(BTN_LEFT, 0), SYN]);
    assert_eq!(seen, [motion(1, 0), CLICK[0], CLICK[1]]);
    assert_eq!(feed(&mut decoder, &[key(0x111, 1), SYN, (EV_REL, REL_X, i32::MAX), SYN]).len(), 1);
    feed(&mut decoder, &[key(BTN_LEFT, 1), SYN]);
    assert_eq!(feed_lost(&mut decoder, &[(EV_REL, REL_X, 5), LOST, SYN], &[], &empty()), [CLICK[1]]);
    feed(&mut decoder, &[key(BTN_LEFT, 1), SYN]);
    assert_eq!(unplug(decoder), [Input::Click(Phase::Cancel)]);
}

#[test]
fn a_button_held_before_anybody_looked_clicks_nothing() {
    let snapshot = Snapshot { keys: [BTN_LEFT].into_iter().collect(), ..empty() };
    let mut decoder = Decoder::new(role(Pointing::Mouse), &snapshot);
    assert_eq!(feed(&mut decoder, &[key(BTN_LEFT, 0), SYN]), []);
    assert_eq!(feed(&mut decoder, &[key(BTN_LEFT, 1), SYN]), [CLICK[0]]);
}

fn touchpad(slots: bool) -> Decoder {
    fresh(role(Pointing::Touchpad { surface: PAD, slots }))
}

#[test]
fn a_touchpads_finger_moves_the_cursor_from_where_it_is() {
    let mut decoder = touchpad(false);
    let seen = feed(&mut decoder, &[key(BTN_TOOL_FINGER, 1), key(BTN_TOUCH, 1), x(500), y(500), SYN]);
    assert_eq!(seen, []);
    // Twice as many steps a millimetre downwards.
    assert_eq!(feed(&mut decoder, &[x(510), y(540), SYN]), [motion(10, 20)]);
    // It is put down elsewhere: the cursor does not jump.
    feed_at(&mut decoder, 1000, &[key(BTN_TOUCH, 0), SYN]);
    assert_eq!(feed_at(&mut decoder, 1000, &[key(BTN_TOUCH, 1), x(10), y(10), SYN]), []);
    assert_eq!(feed_at(&mut decoder, 1000, &[x(12), SYN]), [motion(2, 0)]);
}

#[test]
fn a_touchpad_taps_when_it_is_short_and_still() {
    let mut decoder = touchpad(false);
    let down = [key(BTN_TOUCH, 1), x(500), y(500), SYN];
    let up = [key(BTN_TOUCH, 0), SYN];
    for (time_ms, way, expected) in [(1000, 5, &CLICK[..]), (2500, 5, &[]), (3000, 50, &[]), (4200, 31, &CLICK)] {
        let since_ms = time_ms / 1000 * 1000;
        feed_at(&mut decoder, since_ms, &down);
        feed_at(&mut decoder, since_ms, &[x(500 + way), SYN]);
        assert_eq!(feed_at(&mut decoder, time_ms, &up), expected, "{time_ms} {way}");
    }
    // Within one frame there was no finger that anybody could have seen: nothing to tell where it is.
    feed_at(&mut decoder, 5000, &down);
    let pressed = feed_at(&mut decoder, 5010, &[key(BTN_LEFT, 1), SYN, key(BTN_LEFT, 0), SYN, up[0], SYN]);
    assert_eq!(pressed, CLICK, "a click is no tap as well");
}

#[test]
fn two_fingers_on_a_touchpad_do_nothing() {
    let id = |value| (EV_ABS, ABS_MT_TRACKING_ID, value);
    let slot = |value| (EV_ABS, ABS_MT_SLOT, value);
    let (mx, my) = (|value| (EV_ABS, ABS_MT_POSITION_X, value), |value| (EV_ABS, ABS_MT_POSITION_Y, value));
    let mut decoder = touchpad(true);
    let seen = feed(&mut decoder, &[id(0), mx(5), my(5), SYN, slot(1), id(1), mx(100), my(5), SYN]);
    assert_eq!(seen, []);
    assert_eq!(feed(&mut decoder, &[my(90), slot(0), my(90), SYN]), []);
    // One lifts, the other one stays and moves.
    assert_eq!(feed(&mut decoder, &[id(-1), SYN]), []);
    assert_eq!(feed(&mut decoder, &[slot(1), mx(110), SYN]), [motion(10, 0)]);
    assert_eq!(feed(&mut decoder, &[id(-1), SYN]), []);
    // Both lift, one frame after the other.
    feed(&mut decoder, &[slot(0), id(2), SYN, slot(1), id(3), SYN, id(-1), SYN]);
    assert_eq!(feed(&mut decoder, &[slot(0), id(-1), SYN]), []);
    // Another finger in the same slot is not one that jumped.
    assert_eq!(feed(&mut decoder, &[id(4), mx(5), SYN, id(5), mx(900), SYN]), []);
    let mut decoder = touchpad(false);
    let two = [key(BTN_TOUCH, 1), key(BTN_TOOL_DOUBLETAP, 1), x(5), y(5), SYN, x(50), SYN];
    assert_eq!(feed(&mut decoder, &two), []);
    assert_eq!(feed(&mut decoder, &[key(BTN_TOOL_DOUBLETAP, 0), key(BTN_TOUCH, 0), SYN]), []);
}

#[test]
fn lost_events_let_no_cursor_jump() {
    let mut decoder = touchpad(false);
    feed(&mut decoder, &[key(BTN_TOUCH, 1), x(500), y(500), SYN]);
    let snapshot = Snapshot {
        keys: [BTN_TOUCH].into_iter().collect(),
        contacts: vec![Finger { id: -1, x: 900, y: 500, tool: 0 }],
        ..Snapshot::default()
    };
    assert_eq!(feed_lost(&mut decoder, &[LOST, x(700), SYN], &[x(900), SYN], &snapshot), []);
    assert_eq!(feed(&mut decoder, &[x(901), SYN, key(BTN_TOUCH, 0), SYN]), [motion(1, 0)]);
}

fn pad() -> Decoder {
    let stick = Range { minimum: -32768, maximum: 32767, resolution: 0 };
    let hat = Range { minimum: -1, maximum: 1, resolution: 0 };
    fresh(Role { pad: Some([Some(stick), Some(stick), Some(hat), Some(hat)]), ..Role::default() })
}

#[test]
fn a_pads_buttons_and_cross_are_keys() {
    let mut decoder = pad();
    let hat = |value| (EV_ABS, ABS_HAT0X, value);
    let seen = feed(&mut decoder, &[key(BTN_SOUTH, 1), SYN, key(BTN_SOUTH, 0), SYN, hat(-1), SYN, hat(1), SYN, hat(0)]);
    assert_eq!(
        seen,
        [
            stroke(BTN_SOUTH, Stroke::Press),
            stroke(BTN_SOUTH, Stroke::Release),
            stroke(BTN_DPAD_LEFT, Stroke::Press),
            stroke(BTN_DPAD_LEFT, Stroke::Release),
            stroke(BTN_DPAD_RIGHT, Stroke::Press),
            stroke(BTN_DPAD_RIGHT, Stroke::Release)
        ]
    );
    // Old joysticks count from the trigger.
    assert_eq!(feed(&mut decoder, &[key(0x121, 1), key(0x128, 1)]), [stroke(BTN_EAST, Stroke::Press)]);
}

#[test]
fn a_stick_counts_beyond_half_way_and_does_not_flutter() {
    let mut decoder = pad();
    assert_eq!(feed(&mut decoder, &[y(-16000), SYN]), []);
    assert_eq!(feed(&mut decoder, &[y(-16600), SYN]), [stroke(BTN_DPAD_UP, Stroke::Press)]);
    assert_eq!(feed(&mut decoder, &[y(-15000), SYN, y(-20000), SYN]), []);
    // The cross is pressed as well: it is one key, down until both have let go.
    assert_eq!(feed(&mut decoder, &[key(BTN_DPAD_UP, 1), SYN, y(0), SYN]), []);
    assert_eq!(feed(&mut decoder, &[key(BTN_DPAD_UP, 0), SYN]), [stroke(BTN_DPAD_UP, Stroke::Release)]);
    assert_eq!(feed(&mut decoder, &[y(30000)]), [stroke(BTN_DPAD_DOWN, Stroke::Press)]);
    assert_eq!(unplug(decoder), [stroke(BTN_DPAD_DOWN, Stroke::Release)]);
}

#[test]
fn a_stick_that_is_out_at_the_start_presses_nothing() {
    let mut decoder = pad();
    let snapshot = Snapshot { sticks: [32767, 0, 0, 0], ..empty() };
    decoder = Decoder::new(decoder.role, &snapshot);
    assert_eq!(feed(&mut decoder, &[x(32000), SYN]), []);
    feed(&mut decoder, &[x(0), SYN]);
    assert_eq!(feed(&mut decoder, &[x(32000), SYN]), [stroke(BTN_DPAD_RIGHT, Stroke::Press)]);
    assert_eq!(feed_lost(&mut decoder, &[LOST, SYN], &[], &empty()), [stroke(BTN_DPAD_RIGHT, Stroke::Release)]);
}
