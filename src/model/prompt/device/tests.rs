//! Which devices are what, by the capabilities that real ones have.

use super::super::code::{ABS_MT_TRACKING_ID, BTN_DPAD_UP, BTN_EAST, BTN_SOUTH, BTN_TOOL_DOUBLETAP};
use super::*;

const RANGE: Range = Range { minimum: 0, maximum: 32767, resolution: 0 };
const SURFACE: Surface = Surface { x: RANGE, y: RANGE };
const BTN_RIGHT: u16 = 0x111;
const BTN_TOOL_RUBBER: u16 = 0x141;
const ABS_RX: u16 = 3;
const ABS_PRESSURE: u16 = 0x18;
const ABS_MISC: u16 = 0x28;
/// Positions and ids of fingers, without slots.
const FINGERS: [u16; 3] = [ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID];

fn device(keys: &[u16], axes: &[u16]) -> Capabilities {
    Capabilities {
        keys: keys.iter().copied().collect(),
        axes: axes.iter().map(|axis| (*axis, RANGE)).collect(),
        ..Capabilities::default()
    }
}

fn direct(keys: &[u16], axes: &[u16]) -> Capabilities {
    Capabilities { direct: true, ..device(keys, axes) }
}

fn pointer(keys: &[u16], axes: &[u16]) -> Capabilities {
    Capabilities { pointer: true, ..device(keys, axes) }
}

fn mouse(keys: &[u16]) -> Capabilities {
    Capabilities { moves: true, ..device(keys, &[]) }
}

fn keyboard(last: u16) -> Capabilities {
    Capabilities { lamp: true, repeats: true, ..device(&(1..=last).collect::<Vec<_>>(), &[]) }
}

fn slotted(more: &[u16]) -> Vec<u16> {
    [&[ABS_MT_SLOT], &FINGERS[..], more].concat()
}

#[test]
fn real_devices_are_known() {
    let slots = Some(Pointing::Slots(SURFACE));
    let single = Some(Pointing::Single(SURFACE));
    let tablet = Some(Pointing::Tablet(SURFACE));
    let pen = Some(Pointing::Pen(SURFACE));
    let touchpad = |slots| Some(Pointing::Touchpad { surface: SURFACE, slots });
    let every_axis: Vec<u16> = (0..0x40).collect();
    for (name, device, pointing) in [
        ("virtio-multitouch-pci", direct(&[BTN_LEFT, BTN_RIGHT, BTN_TOUCH], &slotted(&[])), slots),
        ("virtio-tablet-pci", device(&[BTN_LEFT, BTN_RIGHT, BTN_TOUCH], &[ABS_X, ABS_Y]), tablet),
        ("usb-tablet", device(&[BTN_LEFT, BTN_RIGHT], &[ABS_X, ABS_Y]), tablet),
        (
            "usb-wacom-tablet",
            pointer(&[BTN_TOOL_PEN, BTN_TOOL_RUBBER, BTN_TOUCH, BTN_STYLUS], &[ABS_X, ABS_Y, ABS_PRESSURE]),
            pen,
        ),
        ("usb-mouse, ImExPS/2, a trackpoint", mouse(&[BTN_LEFT, BTN_RIGHT]), Some(Pointing::Mouse)),
        // Panels of phones and boards.
        ("Goodix, edt-ft5x06", direct(&[BTN_TOUCH], &slotted(&[ABS_X, ABS_Y])), slots),
        ("a vendor kernel's panel without buttons", device(&[], &slotted(&[])), slots),
        (
            "st1232 of an old kernel",
            device(&[BTN_TOUCH], &[ABS_MT_POSITION_X, ABS_MT_POSITION_Y]),
            Some(Pointing::Packets(SURFACE)),
        ),
        ("ADS7846", direct(&[BTN_TOUCH], &[ABS_X, ABS_Y, ABS_PRESSURE]), single),
        ("eGalax of an old kernel", device(&[BTN_TOUCH], &[ABS_X, ABS_Y]), single),
        ("a screen by hid-generic", direct(&[BTN_LEFT, BTN_TOUCH], &[ABS_X, ABS_Y]), single),
        ("a screen whose fingers have a tool", direct(&[BTN_TOUCH, BTN_TOOL_FINGER], &slotted(&[ABS_X, ABS_Y])), slots),
        ("a pen on the screen", direct(&[BTN_TOOL_PEN, BTN_TOOL_RUBBER, BTN_TOUCH, BTN_STYLUS], &[ABS_X, ABS_Y]), pen),
        // Touchpads.
        (
            "SynPS/2, bcm5974",
            pointer(&[BTN_LEFT, BTN_TOUCH, BTN_TOOL_FINGER, BTN_TOOL_DOUBLETAP], &slotted(&[ABS_X, ABS_Y])),
            touchpad(true),
        ),
        ("AlpsPS/2", pointer(&[BTN_LEFT, BTN_TOUCH, BTN_TOOL_FINGER], &[ABS_X, ABS_Y]), touchpad(false)),
        ("DualShock 4's touchpad", pointer(&[BTN_LEFT, BTN_TOUCH], &slotted(&[ABS_X, ABS_Y])), touchpad(true)),
        // No pointers.
        ("buttons beside a pen tablet", device(&[0x100, 0x101, BTN_STYLUS], &[ABS_X, ABS_Y, ABS_MISC]), None),
        ("a keyboard that claims every axis", Capabilities { repeats: true, ..device(&[30], &every_axis) }, None),
        ("one that claims every button, too", device(&[30, BTN_LEFT, BTN_TOUCH], &every_axis), None),
        ("Xbox pad", device(&[BTN_SOUTH, BTN_EAST], &[ABS_X, ABS_Y, ABS_Z, ABS_RX, ABS_HAT0X]), None),
        ("AT keyboard", keyboard(127), None),
        ("Power Button", device(&[116], &[]), None),
    ] {
        assert_eq!(Role::of(&device).pointing, pointing, "{name}");
    }
}

#[test]
fn of_no_use() {
    for (name, device) in [
        ("accelerometer", device(&[], &[ABS_X, ABS_Y, ABS_Z])),
        ("accelerometer that says so", Capabilities { accelerometer: true, ..device(&[BTN_TOUCH], &[ABS_X, ABS_Y]) }),
        ("DualShock 4's sensors", Capabilities { accelerometer: true, ..device(&[], &[ABS_X, ABS_Y, ABS_Z, ABS_RX]) }),
        ("Lid Switch", Capabilities::default()),
        ("HDA Intel PCH Front Headphone", Capabilities::default()),
        ("PC Speaker", Capabilities::default()),
        ("proximity sensor", device(&[], &[0x19])),
        ("a ball without buttons", mouse(&[])),
    ] {
        assert!(Role::of(&device).is_useless(), "{name}");
    }
}

#[test]
fn what_types_and_what_only_has_keys() {
    let all_media: Vec<u16> = (1..KEYS).filter(|code| *code > 31 && !BUTTONS.contains(code)).collect();
    // Name, keyboard, keys, navigates, needs_repeat, lamp.
    for (name, device, expected) in [
        ("AT Translated Set 2 keyboard", keyboard(127), (true, true, false, false, true)),
        ("usb-kbd", keyboard(255), (true, true, false, false, true)),
        (
            "a keyboard of a board without repeats or lamps",
            device(&(1..=60).collect::<Vec<_>>(), &[]),
            (true, true, false, true, false),
        ),
        ("Power Button", device(&[116], &[]), (false, true, false, false, false)),
        ("gpio-keys of a phone", device(&[114, 115, 116], &[]), (false, true, true, false, false)),
        ("gpio-keys with a home button", device(&[102], &[]), (false, true, false, false, false)),
        ("Video Bus", device(&[224, 225, 227], &[]), (false, true, false, false, false)),
        (
            "Consumer Control of a USB keyboard",
            Capabilities { repeats: true, ..device(&[113, 114, 115, 163, 164], &[0x20]) },
            (false, true, true, false, false),
        ),
        // It scrolls and has a slider, and every key that a descriptor of usages up to 0x3ff leads to.
        (
            "Consumer Control of another",
            Capabilities { repeats: true, ..device(&all_media, &[ABS_VOLUME, ABS_MISC]) },
            (false, true, true, false, false),
        ),
        ("System Control of a USB keyboard", device(&[116, 142, 143], &[]), (false, true, false, false, false)),
        (
            "number pad",
            Capabilities { repeats: true, ..device(&[71, 72, 73, 96], &[]) },
            (false, true, false, false, false),
        ),
        // Others have the key for down on a device of its own; this one reaches and presses everything.
        ("volume up alone", device(&[115], &[]), (false, true, true, false, false)),
        ("volume down alone", device(&[114], &[]), (false, true, false, false, false)),
    ] {
        let role = Role::of(&device);
        let found = (role.keyboard, role.keys, role.navigates, role.needs_repeat, role.lamp);
        assert_eq!(found, expected, "{name}");
        assert!(!role.is_useless(), "{name}");
    }
}

#[test]
fn a_keyboards_second_node_is_no_reason_to_show_keys() {
    let many: Vec<u16> = (110..=250).collect();
    let receiver: Vec<u16> = many.iter().copied().chain(BTN_JOYSTICK).chain([BTN_SOUTH]).collect();
    for (name, device, points) in [
        ("gpio-keys of a phone", device(&[114, 115, 116], &[]), true),
        ("volume up alone", device(&[115], &[]), true),
        ("cros_ec_buttons", device(&[114, 115, 116, 224, 225, 152], &[]), true),
        ("Intel HID 5 button array", device(&[114, 115, 116, 125, 0x231], &[]), true),
        ("Consumer Control of a USB keyboard", device(&[113, 114, 115, 163, 164], &[]), false),
        ("Consumer Control with a slider", device(&[114, 115], &[ABS_VOLUME]), false),
        ("Consumer Control of every key", device(&many, &[ABS_VOLUME]), false),
        ("one that claims a joystick's buttons", device(&receiver, &[ABS_VOLUME]), false),
        ("keys of a laptop", device(&(148..=171).chain([114, 115]).collect::<Vec<_>>(), &[]), false),
        ("headset", device(&[114, 115, 164], &[]), false),
        ("System Control", device(&[116, 142, 143], &[]), false),
        ("a wheel's node", mouse(&[]), false),
    ] {
        let role = Role::of(&device);
        assert_eq!(role.points(), points, "{name}");
        // Its volume keys are used, once they are.
        assert_eq!(role.navigates, device.keys.has(KEY_VOLUMEUP), "{name}");
    }
}

#[test]
fn number_pads_type_digits() {
    let upper: Vec<u16> = (2..=11).collect();
    for (name, keys, keypad) in [
        ("a number pad", (69..=83).chain([96, 98]).collect(), true),
        ("digits and Enter", [&upper[..], &[28]].concat(), true),
        ("digits that cannot be sent", upper, false),
        ("half of a number pad", vec![71, 72, 73, 96], false),
        ("a keyboard", (1..=127).collect(), false),
    ] {
        assert_eq!(Role::of(&device(&keys, &[])).keypad, keypad, "{name}");
    }
}

#[test]
fn game_pads_have_what_they_have() {
    let hat = Range { minimum: -1, maximum: 1, resolution: 0 };
    let mut pad = device(&[BTN_SOUTH, BTN_EAST, 0x13b], &[ABS_X, ABS_Y, ABS_RX]);
    pad.axes.extend([(ABS_HAT0X, hat), (ABS_HAT0Y, hat)]);
    let role = Role::of(&pad);
    assert_eq!(role.pad, Some([Some(RANGE), Some(RANGE), Some(hat), Some(hat)]));
    assert!(role.navigates && role.points() && !role.keyboard && !role.keys && !role.needs_repeat);
    let cross = Role::of(&device(&[BTN_DPAD_UP, BTN_DPAD_UP + 1], &[]));
    assert_eq!((cross.pad, cross.points()), (Some([None; 4]), true));
    assert!(Role::of(&device(&[0x120, 0x121], &[ABS_X, ABS_Y])).pad.is_some(), "an old joystick");
    assert!(Role::of(&device(&[30, BTN_SOUTH], &[])).pad.is_none(), "one button");
    // A keyboard may claim such buttons, too.
    let role = Role::of(&Capabilities { keys: (1..=0x13f).collect(), ..keyboard(0) });
    assert!(role.keyboard && !role.navigates);
}

#[test]
fn motors_are_noticed() {
    let haptics = Capabilities { rumbles: true, ..Capabilities::default() };
    assert!(Role::of(&haptics).rumbles && !Role::of(&haptics).points());
}

#[test]
fn ranges_of_any_kind_normalise() {
    let range = |minimum, maximum| Range { minimum, maximum, resolution: 0 };
    assert_eq!(RANGE.normalise(0), 0);
    assert_eq!(RANGE.normalise(32767), 65535);
    assert_eq!(RANGE.normalise(40000), 65535);
    assert_eq!(range(-100, 100).normalise(-100), 0);
    assert_eq!(range(-100, 100).normalise(0), 32767);
    assert_eq!((range(200, 3900).normalise(200), range(200, 3900).normalise(3900)), (0, 65535));
    assert_eq!(range(-1, 1).deflection(-1), -1000);
    assert_eq!(range(0, 255).deflection(128), 3);
    for (minimum, maximum) in [(5, 5), (9, 3), (i32::MIN, i32::MAX)] {
        for value in [i32::MIN, 0, 5, i32::MAX] {
            let _ = (range(minimum, maximum).normalise(value), range(minimum, maximum).deflection(value));
        }
    }
}
