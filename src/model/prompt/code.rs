//! Numbers of event types, codes and properties, from include/uapi/linux/input-event-codes.h. A range
//! that means several codes includes both of its ends.

use core::ops::RangeInclusive;

/// Marks the ends of frames and contacts.
pub const EV_SYN: u16 = 0x00;
/// A key or button.
pub const EV_KEY: u16 = 0x01;
/// A relative axis.
pub const EV_REL: u16 = 0x02;
/// An absolute axis.
pub const EV_ABS: u16 = 0x03;
/// A lamp.
pub const EV_LED: u16 = 0x11;
/// An effect that can be felt.
pub const EV_FF: u16 = 0x15;

/// End of one frame of events.
pub const SYN_REPORT: u16 = 0;
/// End of one contact's values, of a screen that does not number its contacts (protocol A).
pub const SYN_MT_REPORT: u16 = 2;
/// The kernel's queue was full; state must be read anew.
pub const SYN_DROPPED: u16 = 3;

/// Enter, and that of the keypad.
pub const KEY_ENTERS: [u16; 2] = [28, 96];
/// Quieter.
pub const KEY_VOLUMEDOWN: u16 = 114;
/// Louder.
pub const KEY_VOLUMEUP: u16 = 115;
/// The machine's own button.
pub const KEY_POWER: u16 = 116;
/// The button that lets the machine sleep.
pub const KEY_SLEEP: u16 = 142;
/// What udev asks of a keyboard: Escape, the digits, and letters as far as S.
pub const KEYBOARD: RangeInclusive<u16> = 1..=31;

/// The digits of the upper row, and those of a number pad.
pub const DIGITS: [[u16; 10]; 2] = [[2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [71, 72, 73, 75, 76, 77, 79, 80, 81, 82]];
/// Keys for what is heard: mute, next, play and pause, previous, stop.
pub const KEYS_MEDIA: [u16; 5] = [113, 163, 164, 165, 166];
/// What udev asks of a device that claims to be a pad and may be a keyboard: left Ctrl, Caps Lock, Num Lock,
/// Insert, mute, calculator, files, mail, play and pause, darker.
pub const KEYS_KNOWN: [u16; 10] = [29, 58, 69, 110, 113, 140, 144, 155, 164, 224];

/// Buttons of pointers, pads and screens, not keys.
pub const BUTTONS: RangeInclusive<u16> = 0x100..=0x15f;
/// Left button of a mouse or of a tablet that acts as one.
pub const BTN_LEFT: u16 = 0x110;
/// Buttons of joysticks; the first one is the trigger.
pub const BTN_JOYSTICK: RangeInclusive<u16> = 0x120..=0x12f;
/// The lower one of a game pad's four buttons.
pub const BTN_SOUTH: u16 = 0x130;
/// The right one of a game pad's four buttons.
pub const BTN_EAST: u16 = 0x131;
/// Buttons of game pads.
pub const BTN_GAMEPAD: RangeInclusive<u16> = 0x130..=0x13e;
/// A pen is near the surface. The codes behind it are of other tools.
pub const BTN_TOOL_PEN: u16 = 0x140;
/// Pen, rubber, brush, pencil, airbrush.
pub const BTN_TOOLS: RangeInclusive<u16> = 0x140..=0x144;
/// One finger is on a touchpad.
pub const BTN_TOOL_FINGER: u16 = 0x145;
/// Five fingers are.
pub const BTN_TOOL_QUINTTAP: u16 = 0x148;
/// A finger or pen is on the surface.
pub const BTN_TOUCH: u16 = 0x14a;
/// A button of a pen.
pub const BTN_STYLUS: u16 = 0x14b;
/// Two fingers are on a touchpad.
pub const BTN_TOOL_DOUBLETAP: u16 = 0x14d;
/// Three are.
pub const BTN_TOOL_TRIPLETAP: u16 = 0x14e;
/// Four are.
pub const BTN_TOOL_QUADTAP: u16 = 0x14f;
/// Up on a game pad's cross.
pub const BTN_DPAD_UP: u16 = 0x220;
/// Down on it.
pub const BTN_DPAD_DOWN: u16 = 0x221;
/// Left on it.
pub const BTN_DPAD_LEFT: u16 = 0x222;
/// Right on it.
pub const BTN_DPAD_RIGHT: u16 = 0x223;
/// The cross of a game pad.
pub const BTN_DPAD: RangeInclusive<u16> = BTN_DPAD_UP..=BTN_DPAD_RIGHT;
/// Number of key codes (KEY_CNT).
pub const KEYS: u16 = 0x300;

/// Motion to the right.
pub const REL_X: u16 = 0x00;
/// Motion downwards.
pub const REL_Y: u16 = 0x01;

/// Horizontal position of a single contact, or of a stick.
pub const ABS_X: u16 = 0x00;
/// Vertical position of a single contact, or of a stick.
pub const ABS_Y: u16 = 0x01;
/// The third axis of a stick or of a sensor.
pub const ABS_Z: u16 = 0x02;
/// Horizontal position of a game pad's cross.
pub const ABS_HAT0X: u16 = 0x10;
/// Vertical position of a game pad's cross.
pub const ABS_HAT0Y: u16 = 0x11;
/// A wheel or slider for what is heard.
pub const ABS_VOLUME: u16 = 0x20;
/// A code that nothing uses: a device that has it claims to have every axis there is.
pub const ABS_UNUSED: u16 = 0x2e;
/// Which contact the next values are of (multi-touch protocol B).
pub const ABS_MT_SLOT: u16 = 0x2f;
/// The contact's longer diameter; 0 for one that is gone.
pub const ABS_MT_TOUCH_MAJOR: u16 = 0x30;
/// Horizontal position of a contact.
pub const ABS_MT_POSITION_X: u16 = 0x35;
/// Vertical position of a contact.
pub const ABS_MT_POSITION_Y: u16 = 0x36;
/// What touches: finger, pen, palm.
pub const ABS_MT_TOOL_TYPE: u16 = 0x37;
/// Identity of a contact; -1 when it is gone.
pub const ABS_MT_TRACKING_ID: u16 = 0x39;
/// Value of [`ABS_MT_TOOL_TYPE`] for a hand that rests on the screen.
pub const MT_TOOL_PALM: i32 = 2;

/// The lamp of Caps Lock.
pub const LED_CAPSL: u16 = 1;
/// An effect of two motors.
pub const FF_RUMBLE: u16 = 0x50;
