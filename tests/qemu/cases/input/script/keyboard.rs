//! Keyboards.

use super::{EV_KEY, EV_LED, EV_MSC, FRAME_MS, KEY_ENTER, SETTLE_MS, Script};
use crate::case::Case;
use crate::failure::Result;

const KEY_LEFT_SHIFT: u16 = 42;
const KEY_CAPS_LOCK: u16 = 58;
const LED_CAPS_LOCK: u16 = 1;
const MSC_SCAN: u16 = 4;
const BUS_USB: u16 = 3;

/// What a keyboard has besides keys.
const LAMP: &[&str] = &["lamp 1"];

impl Script {
    /// A keyboard that has all letters, and these abilities besides.
    pub(super) fn keyboard(&mut self, name: &str, abilities: &[&str]) {
        let keys: Vec<u16> = (1..=60).collect();
        abilities.iter().for_each(|ability| self.line(ability));
        self.device(name, &keys, &[], None);
    }

    /// Types what needs no shift.
    pub(super) fn text(&mut self, text: &str, hold_ms: u32) {
        text.chars().for_each(|typed| self.key(code(typed).1, hold_ms));
    }

    /// Types what may need shift, on a keyboard that turns letters round if its Caps Lock is on.
    fn turned(&mut self, text: &str, caps_lock: bool) {
        for typed in text.chars() {
            let (shift, code) = code(typed);
            if shift != (caps_lock && typed.is_ascii_alphabetic()) {
                self.event(EV_KEY, KEY_LEFT_SHIFT, 1);
                self.frame();
                self.key(code, FRAME_MS);
                self.event(EV_KEY, KEY_LEFT_SHIFT, 0);
                self.frame();
            } else {
                self.key(code, FRAME_MS);
            }
        }
    }

    /// Holds a key, and rests as long as a frame or less.
    pub(super) fn key(&mut self, code: u16, hold_ms: u32) {
        for (value, wait_ms) in [(1, hold_ms), (0, hold_ms.min(FRAME_MS))] {
            self.event(EV_KEY, code, value);
            self.end();
            self.wait(wait_ms);
        }
    }
}

/// Whether a character needs shift on a US keyboard, and its key.
fn code(typed: char) -> (bool, u16) {
    const ROWS: [(u16, &str); 4] = [(2, "1234567890"), (16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm")];
    const SHIFTED: &str = "!@#$%^&*()";
    let (shift, plain) = match SHIFTED.find(typed) {
        Some(at) => (true, char::from(ROWS[0].1.as_bytes()[at])),
        None => (typed.is_ascii_uppercase(), typed.to_ascii_lowercase()),
    };
    let code = ROWS.iter().find_map(|(first, row)| Some(first + row.find(plain)? as u16));
    (shift, code.unwrap_or_default())
}

/// A keyboard whose keys the kernel does not repeat: what is wrong is taken back by holding one key.
pub(in super::super) fn keyboard(_: &Case, passphrase: &str) -> Result<String> {
    const KEY_BACKSPACE: u16 = 14;
    const WRONG: &str = "wrongwrongwrong";
    let mut script = Script(String::new());
    script.keyboard("keys", &[]);
    script.text(WRONG, FRAME_MS);
    script.key(KEY_BACKSPACE, 2500);
    script.text(passphrase, FRAME_MS);
    script.key(KEY_ENTER, FRAME_MS);
    Ok(script.0)
}

/// Thirty keys a second, by the guest's clock: a busy host loses none on the way there.
pub(in super::super) fn race(_: &Case, passphrase: &str) -> Result<String> {
    const HALF_MS: u32 = 1000 / 60;
    let mut script = Script(String::new());
    script.keyboard("keys", &[]);
    script.text(passphrase, HALF_MS);
    script.wait(SETTLE_MS);
    script.key(KEY_ENTER, FRAME_MS);
    Ok(script.0)
}

/// What a USB keyboard tells: the key's number before each, and the next one before the last one is up.
/// How long it took is said; Enter is somebody else's.
pub(in super::super) fn usb_race(_: &Case, passphrase: &str) -> Result<String> {
    const HALF_MS: u32 = 1000 / 60;
    let mut script = Script(String::new());
    script.keyboard("keys", &["scans", "repeats", "lamp 1", &format!("bus {BUS_USB}")]);
    let put = |script: &mut Script, code: u16, down: bool| {
        // The usage page of keyboards, as the kernel's driver tells it.
        script.event(EV_MSC, MSC_SCAN, 0x70000 + i64::from(code));
        script.event(EV_KEY, code, down.into());
        script.end();
        script.line(&format!("pace {HALF_MS}"));
    };
    script.line("clock");
    let mut held = None;
    for code in passphrase.chars().map(|typed| code(typed).1) {
        put(&mut script, code, true);
        if let Some(before) = held.replace(code) {
            put(&mut script, before, false);
        }
    }
    if let Some(last) = held {
        put(&mut script, last, false);
    }
    script.line("clock");
    Ok(script.0)
}

/// Caps Lock on one keyboard and its end on another one, that comes in between; and once more, to be on in
/// the end.
pub(in super::super) fn caps_lock(_: &Case, passphrase: &str) -> Result<String> {
    let (locked, free) = passphrase.split_at(passphrase.len() / 2);
    let mut script = Script(String::new());
    script.keyboard("keys", LAMP);
    script.key(KEY_CAPS_LOCK, FRAME_MS);
    script.turned(locked, true);
    script.line("next");
    script.keyboard("other", LAMP);
    script.key(KEY_CAPS_LOCK, FRAME_MS);
    script.turned(free, false);
    // What two keyboards tell while nobody looks is in no order.
    script.wait(SETTLE_MS);
    script.line("use keys");
    script.key(KEY_CAPS_LOCK, FRAME_MS);
    script.wait(SETTLE_MS);
    script.key(KEY_ENTER, FRAME_MS);
    Ok(script.0)
}

/// A keyboard of which the lamp is lit when the prompt sees it first.
pub(in super::super) fn caps_lock_lit(_: &Case, passphrase: &str) -> Result<String> {
    let (locked, free) = passphrase.split_at(passphrase.len() / 2);
    let mut script = Script(String::new());
    script.line("freeze");
    script.keyboard("keys", LAMP);
    script.event(EV_LED, LED_CAPS_LOCK, 1);
    script.end();
    script.wait(FRAME_MS);
    script.line("thaw");
    script.wait(SETTLE_MS);
    script.turned(locked, true);
    script.key(KEY_CAPS_LOCK, FRAME_MS);
    script.turned(free, false);
    script.wait(SETTLE_MS);
    script.key(KEY_ENTER, FRAME_MS);
    Ok(script.0)
}
