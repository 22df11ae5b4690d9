//! Devices that others have, too, and those that can be felt.

use super::{
    ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_SLOT, ABS_MT_TRACKING_ID, ABS_X, ABS_Y, AXIS_MAX, BTN_TOUCH, EV_ABS,
    EV_KEY, FRAME_MS, INPUT_PROP_DIRECT, KEY_ENTER, PROTOCOL_B, SETTLE_MS, Script, taps,
};
use crate::case::Case;
use crate::failure::Result;

/// How long the prompt is watched while somebody has a device.
const WATCHED_MS: u32 = 2000;

/// A screen and a motor that can be felt, and one that claims it and cannot. All but Enter is typed before
/// it is said how often.
pub(in super::super) fn felt(case: &Case, passphrase: &str) -> Result<String> {
    let mut script = Script(String::new());
    script.line("refuses");
    script.device("broken", &[], &[], None);
    script.line("next");
    script.line("rumbles");
    script.device("motor", &[], &[], None);
    script.line("next");
    script.line("rumbles");
    let axis_max = AXIS_MAX;
    script.device("screen", &[BTN_TOUCH], &[(ABS_X, 0, axis_max), (ABS_Y, 0, axis_max)], Some(INPUT_PROP_DIRECT));
    let taps = taps(case, passphrase)?;
    let last = taps.len().saturating_sub(1);
    for (index, (x, y)) in taps.into_iter().enumerate() {
        if index == last {
            script.wait(SETTLE_MS);
            script.line("told");
        }
        script.event(EV_ABS, ABS_X, x.into());
        script.event(EV_ABS, ABS_Y, y.into());
        script.event(EV_KEY, BTN_TOUCH, 1);
        script.frame();
        script.event(EV_KEY, BTN_TOUCH, 0);
        script.frame();
    }
    Ok(script.0)
}

/// A keyboard that somebody has before the prompt: what is typed there is not for it, and it does not run
/// in vain. Another keyboard works; and when it is given back, so does the first one, and is the prompt's.
pub(in super::super) fn held(_: &Case, passphrase: &str) -> Result<String> {
    let (start, rest) = passphrase.split_at(passphrase.len() / 2);
    let mut script = Script(String::new());
    script.line("freeze");
    script.keyboard("keys", &[]);
    script.line("grab");
    script.line("thaw");
    script.wait(SETTLE_MS);
    script.text("wrong", FRAME_MS);
    script.line(&format!("busy {WATCHED_MS}"));
    script.line("next");
    script.keyboard("other", &[]);
    script.text(start, FRAME_MS);
    // What two keyboards tell while nobody looks is in no order.
    script.wait(SETTLE_MS);
    script.line("whose");
    script.line("use keys");
    script.line("release");
    script.text(rest, FRAME_MS);
    script.wait(SETTLE_MS);
    script.line("whose");
    script.key(KEY_ENTER, FRAME_MS);
    Ok(script.0)
}

/// A screen that somebody has before the prompt, and uses: the kernel tells only what changes after that.
pub(in super::super) fn held_screen(case: &Case, passphrase: &str) -> Result<String> {
    let mut script = Script(String::new());
    script.line("freeze");
    script.device("screen", &[BTN_TOUCH], &PROTOCOL_B, Some(INPUT_PROP_DIRECT));
    script.line("grab");
    script.line("thaw");
    script.wait(SETTLE_MS);
    let taps = taps(case, passphrase)?;
    for (id, (x, y)) in taps.first().into_iter().chain(&taps).enumerate() {
        // The same slot for all.
        script.event(EV_ABS, ABS_MT_SLOT, 3);
        script.event(EV_ABS, ABS_MT_TRACKING_ID, id as i64);
        script.event(EV_ABS, ABS_MT_POSITION_X, (*x).into());
        script.event(EV_ABS, ABS_MT_POSITION_Y, (*y).into());
        script.event(EV_KEY, BTN_TOUCH, 1);
        script.frame();
        script.event(EV_ABS, ABS_MT_TRACKING_ID, -1);
        script.event(EV_KEY, BTN_TOUCH, 0);
        script.frame();
        if id == 0 {
            script.line("release");
        }
    }
    Ok(script.0)
}
