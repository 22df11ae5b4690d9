//! Touch screens: protocol B, protocol A, one contact.

use super::super::super::code::{ABS_MT_TOUCH_MAJOR, BTN_TOOL_FINGER};
use super::*;

fn slots() -> Decoder {
    fresh(role(Pointing::Slots(SURFACE)))
}

fn packets() -> Decoder {
    fresh(role(Pointing::Packets(SURFACE)))
}

fn single() -> Decoder {
    fresh(role(Pointing::Single(SURFACE)))
}

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

fn tool(value: i32) -> (u16, u16, i32) {
    (EV_ABS, ABS_MT_TOOL_TYPE, value)
}

const MT: (u16, u16, i32) = (EV_SYN, SYN_MT_REPORT, 0);

#[test]
fn a_tap_is_down_move_up() {
    // Id 0 is a finger like any other.
    let seen = feed(&mut slots(), &[id(0), x(10), y(20), SYN, x(12), SYN, id(-1), SYN, SYN]);
    assert_eq!(seen, [at(0, Phase::Down, 10, 20), at(0, Phase::Move, 12, 20), at(0, Phase::Up, 12, 20)]);
}

/// As virtio-multitouch-pci told it in a virtual machine: the second finger comes before the first lifts.
#[test]
fn a_recorded_rolling_press() {
    let surface = Surface {
        x: Range { minimum: 0, maximum: 32767, resolution: 0 },
        y: Range { minimum: 0, maximum: 32767, resolution: 0 },
    };
    let mut decoder = fresh(role(Pointing::Slots(surface)));
    let stream = [
        (key(BTN_TOUCH, 1)),
        id(1),
        x(4557),
        y(4554),
        SYN,
        slot(1),
        id(2),
        x(9114),
        y(4554),
        SYN,
        slot(0),
        id(-1),
        SYN,
        slot(1),
        id(-1),
        key(BTN_TOUCH, 0),
        SYN,
    ];
    let (left, right, row) =
        ((4557 * 65535 / 32767) as u16, (9114 * 65535 / 32767) as u16, (4554 * 65535 / 32767) as u16);
    assert_eq!(
        feed(&mut decoder, &stream),
        [
            at(0, Phase::Down, left, row),
            at(1, Phase::Down, right, row),
            at(0, Phase::Up, left, row),
            at(1, Phase::Up, right, row)
        ]
    );
}

#[test]
fn unchanged_values_are_left_out_by_the_kernel() {
    let mut decoder = slots();
    feed(&mut decoder, &[id(1), x(10), y(20), SYN, id(-1), SYN]);
    assert_eq!(feed(&mut decoder, &[id(2), SYN]), [at(0, Phase::Down, 10, 20)]);
}

#[test]
fn a_tap_within_one_frame_is_not_lost() {
    let seen = feed(&mut slots(), &[id(5), x(3), y(4), id(-1), SYN]);
    assert_eq!(seen, [at(0, Phase::Down, 3, 4), at(0, Phase::Up, 3, 4)]);
    let press = [key(BTN_TOUCH, 1), (EV_ABS, ABS_X, 3), (EV_ABS, ABS_Y, 4), key(BTN_TOUCH, 0), SYN];
    assert_eq!(feed(&mut single(), &press), [at(0, Phase::Down, 3, 4), at(0, Phase::Up, 3, 4)]);
}

#[test]
fn a_new_id_without_a_lift_is_a_new_finger() {
    let seen = feed(&mut slots(), &[id(5), x(3), y(4), SYN, id(6), x(7), SYN]);
    assert_eq!(seen[1..], [at(0, Phase::Up, 3, 4), at(0, Phase::Down, 7, 4)]);
}

#[test]
fn a_finger_leaves_from_where_it_was() {
    let seen = feed(&mut slots(), &[id(5), x(3), y(4), SYN, x(0), y(0), id(-1), SYN]);
    assert_eq!(seen[1..], [at(0, Phase::Up, 3, 4)]);
    let mut decoder = single();
    feed(&mut decoder, &[key(BTN_TOUCH, 1), (EV_ABS, ABS_X, 3), (EV_ABS, ABS_Y, 4), SYN]);
    let lift = [(EV_ABS, ABS_X, 0), (EV_ABS, ABS_Y, 0), key(BTN_TOUCH, 0), SYN];
    assert_eq!(feed(&mut decoder, &lift), [at(0, Phase::Up, 3, 4)]);
}

#[test]
fn fingers_already_down_press_nothing() {
    let mut snapshot = empty();
    (snapshot.slot, snapshot.contacts[1]) = (1, Finger { id: 7, x: 5, y: 5, tool: 0 });
    let mut decoder = Decoder::new(role(Pointing::Slots(SURFACE)), &snapshot);
    // The first values are for the slot that the kernel was at.
    assert_eq!(feed(&mut decoder, &[x(6), SYN, id(-1), SYN]), []);
    assert_eq!(feed(&mut decoder, &[id(8), SYN]), [at(1, Phase::Down, 6, 5)]);

    let snapshot = Snapshot { keys: [BTN_TOUCH].into_iter().collect(), ..empty() };
    let mut decoder = Decoder::new(role(Pointing::Single(SURFACE)), &snapshot);
    assert_eq!(feed(&mut decoder, &[(EV_ABS, ABS_X, 9), SYN, key(BTN_TOUCH, 0), SYN]), []);
    assert_eq!(feed(&mut decoder, &[key(BTN_TOUCH, 1), SYN]), [at(0, Phase::Down, 9, 0)]);

    let mut decoder = Decoder::new(role(Pointing::Packets(SURFACE)), &snapshot);
    assert_eq!(feed(&mut decoder, &[x(9), y(9), MT, SYN, x(10), y(9), MT, SYN, MT, SYN]), []);
    assert_eq!(feed(&mut decoder, &[x(9), y(9), MT, SYN]), [at(0, Phase::Down, 9, 9)]);
}

#[test]
fn slots_out_of_range_are_ignored() {
    let mut decoder = slots();
    for wild in [-1, SLOTS as i32, i32::MAX, i32::MIN] {
        assert_eq!(feed(&mut decoder, &[slot(wild), id(1), x(1), SYN]), []);
    }
}

#[test]
fn palms_are_cancelled_and_come_to_nothing() {
    let mut decoder = slots();
    let palm = [id(1), x(9), y(9), SYN, tool(MT_TOOL_PALM), x(12), SYN, x(15), SYN, id(-1), SYN];
    assert_eq!(feed(&mut decoder, &palm), [at(0, Phase::Down, 9, 9), at(0, Phase::Cancel, 9, 9)]);
    // The next one in its slot is one, too, as long as the driver does not say otherwise.
    assert_eq!(feed(&mut decoder, &[id(2), SYN, id(-1), SYN, id(3), id(-1), SYN]), []);
    assert_eq!(feed(&mut decoder, &[id(4), tool(0), SYN, id(-1), SYN]).len(), 2);
    // A finger turns out to be a palm as it leaves.
    let seen = feed(&mut decoder, &[id(5), SYN, tool(MT_TOOL_PALM), id(-1), SYN]);
    assert_eq!(seen, [at(0, Phase::Down, 15, 9), at(0, Phase::Cancel, 15, 9)]);
}

#[test]
fn multi_touch_axes_never_mix_with_the_others() {
    let mut decoder = slots();
    let both =
        [id(1), x(10), y(20), key(BTN_TOUCH, 1), key(BTN_TOOL_FINGER, 1), (EV_ABS, ABS_X, 77), (EV_ABS, ABS_Y, 88)];
    assert_eq!(feed(&mut decoder, &[&both[..], &[SYN]].concat()), [at(0, Phase::Down, 10, 20)]);
    assert_eq!(feed(&mut decoder, &[(EV_ABS, ABS_X, 79), SYN]), []);
    assert_eq!(feed(&mut decoder, &[key(BTN_TOUCH, 0), SYN]), []);
    assert_eq!(feed(&mut decoder, &[id(-1), SYN]), [at(0, Phase::Up, 10, 20)]);
    // And the other way round: what the kernel makes of one contact counts as one.
    assert_eq!(feed(&mut single(), &[id(1), x(10), y(20), SYN]), []);
}

#[test]
fn ranges_may_begin_anywhere() {
    let range = Range { minimum: 200, maximum: 3900, resolution: 0 };
    let mut decoder = fresh(role(Pointing::Single(Surface { x: range, y: range })));
    let press = [key(BTN_TOUCH, 1), (EV_ABS, ABS_X, 200), (EV_ABS, ABS_Y, 3900), SYN];
    assert_eq!(feed(&mut decoder, &press), [at(0, Phase::Down, 0, 65535)]);
}

#[test]
fn one_contact_counts_at_the_end_of_the_frame() {
    for press in [
        [key(BTN_TOUCH, 1), (EV_ABS, ABS_X, 5), (EV_ABS, ABS_Y, 9), SYN],
        [(EV_ABS, ABS_X, 5), (EV_ABS, ABS_Y, 9), key(BTN_TOUCH, 1), SYN],
    ] {
        assert_eq!(feed(&mut single(), &press), [at(0, Phase::Down, 5, 9)]);
    }
}

#[test]
fn contacts_without_ids_are_matched_by_their_places() {
    let mut decoder = packets();
    let (a, b) = ([x(1000), y(1000), MT], [x(9000), y(1000), MT]);
    assert_eq!(feed(&mut decoder, &[&a[..], &[SYN]].concat()), [at(0, Phase::Down, 1000, 1000)]);
    // In another order, and both have moved.
    let seen = feed(&mut decoder, &[&b[..], &[x(1100), y(1000), MT, SYN]].concat());
    assert_eq!(seen, [at(0, Phase::Move, 1100, 1000), at(1, Phase::Down, 9000, 1000)]);
    // The first one lifts.
    assert_eq!(feed(&mut decoder, &[&b[..], &[SYN]].concat()), [at(0, Phase::Up, 1100, 1000)]);
    // One that is far away is another finger, not one that slid.
    let seen = feed(&mut decoder, &[x(30000), y(40000), MT, SYN]);
    assert_eq!(seen, [at(0, Phase::Down, 30000, 40000), at(1, Phase::Up, 9000, 1000)]);
}

#[test]
fn an_empty_frame_lifts_all() {
    for end in
        [&[MT, SYN][..], &[SYN], &[key(BTN_TOUCH, 0), SYN], &[(EV_ABS, ABS_MT_TOUCH_MAJOR, 0), x(5), y(5), MT, SYN]]
    {
        let mut decoder = packets();
        let seen = feed(&mut decoder, &[key(BTN_TOUCH, 1), x(5), y(5), MT, x(9000), y(9000), MT, SYN]);
        assert_eq!(seen.len(), 2);
        let seen = feed(&mut decoder, end);
        assert_eq!(seen, [at(0, Phase::Up, 5, 5), at(1, Phase::Up, 9000, 9000)], "{end:?}");
    }
}

#[test]
fn a_frame_of_keys_alone_lifts_nothing() {
    let mut decoder = fresh(Role { keys: true, ..role(Pointing::Packets(SURFACE)) });
    feed(&mut decoder, &[x(5), y(5), MT, SYN]);
    assert_eq!(feed(&mut decoder, &[key(158, 1), SYN]), [stroke(158, Stroke::Press)]);
    // The last contact may go without its own end.
    assert_eq!(feed(&mut decoder, &[x(6), y(5), SYN]), [at(0, Phase::Move, 6, 5)]);
}

#[test]
fn ids_and_palms_count_without_slots_too() {
    let mut decoder = packets();
    feed(&mut decoder, &[id(0), x(5), y(5), MT, id(1), x(90), y(5), MT, SYN]);
    // They have crossed.
    let seen = feed(&mut decoder, &[id(1), x(4), y(5), MT, id(0), x(91), y(5), MT, SYN]);
    assert_eq!(seen, [at(0, Phase::Move, 91, 5), at(1, Phase::Move, 4, 5)]);
    let seen = feed(&mut decoder, &[id(0), tool(MT_TOOL_PALM), x(91), y(5), MT, SYN, MT, SYN]);
    assert_eq!(seen, [at(0, Phase::Cancel, 91, 5), at(1, Phase::Up, 4, 5)]);
}

#[test]
fn lost_events_are_made_up_for() {
    let mut decoder = fresh(Role { keys: true, keyboard: true, ..role(Pointing::Slots(SURFACE)) });
    feed(&mut decoder, &[key(30, 1), id(1), x(5), y(5), SYN]);
    let before = [LOST, key(31, 1), id(-1), SYN];
    let snapshot = Snapshot { keys: [48].into_iter().collect(), ..empty() };
    let seen = feed_lost(&mut decoder, &before, &[], &snapshot);
    assert_eq!(seen, [stroke(30, Stroke::Release), stroke(48, Stroke::Press), at(0, Phase::Up, 5, 5)]);
    // What the snapshot knew already comes a second time.
    assert_eq!(feed(&mut decoder, &[key(48, 1), key(30, 0), SYN]), []);
    assert_eq!(feed(&mut decoder, &[key(48, 0)]), [stroke(48, Stroke::Release)]);
}

#[test]
fn a_press_goes_on_over_lost_events() {
    let mut decoder = slots();
    feed(&mut decoder, &[id(1), x(5), y(5), SYN]);
    let mut snapshot = empty();
    (snapshot.slot, snapshot.contacts[0]) = (1, Finger { id: 1, x: 8, y: 5, tool: 0 });
    snapshot.contacts[1] = Finger { id: 2, x: 90, y: 5, tool: 0 };
    // What is queued is of slot 0, but nobody knows that any more: the state says it all.
    let queued = [x(7), SYN, x(8), SYN, slot(1), id(2), x(90), y(5), SYN];
    let seen = feed_lost(&mut decoder, &[x(6), LOST, x(6), SYN], &queued, &snapshot);
    assert_eq!(seen, [at(0, Phase::Move, 8, 5), at(1, Phase::Down, 90, 5)]);
    let seen = feed(&mut decoder, &[id(-1), SYN, slot(0), id(-1), SYN]);
    assert_eq!(seen, [at(1, Phase::Up, 90, 5), at(0, Phase::Up, 8, 5)]);
}

#[test]
fn a_finger_that_was_lifted_and_put_down_meanwhile_is_two() {
    let mut decoder = slots();
    feed(&mut decoder, &[id(1), x(5), y(5), SYN]);
    let mut snapshot = empty();
    snapshot.contacts[0] = Finger { id: 2, x: 90, y: 5, tool: 0 };
    let seen = feed_lost(&mut decoder, &[LOST, SYN], &[], &snapshot);
    assert_eq!(seen, [at(0, Phase::Up, 5, 5), at(0, Phase::Down, 90, 5)]);
}

#[test]
fn packets_go_on_over_lost_events() {
    let mut decoder = packets();
    feed(&mut decoder, &[key(BTN_TOUCH, 1), x(5), y(5), MT, SYN]);
    let down = Snapshot { keys: [BTN_TOUCH].into_iter().collect(), ..empty() };
    assert_eq!(feed_lost(&mut decoder, &[x(6), LOST, y(6), MT, SYN], &[], &down), []);
    assert_eq!(feed(&mut decoder, &[x(7), y(7), MT, SYN]), [at(0, Phase::Move, 7, 7)]);
    assert_eq!(feed_lost(&mut decoder, &[LOST, SYN], &[], &empty()), [at(0, Phase::Up, 7, 7)]);
}

#[test]
fn a_screen_that_is_gone_holds_nothing() {
    let mut decoder = fresh(Role { keys: true, ..role(Pointing::Slots(SURFACE)) });
    feed(&mut decoder, &[key(42, 1), id(1), x(5), y(5), SYN]);
    assert_eq!(unplug(decoder), [stroke(42, Stroke::Release), at(0, Phase::Cancel, 5, 5)]);
}
