//! Input devices of every kind: to type with, to point with, plugged in and out.

use super::unlock;
use crate::arch::X86_64;
use crate::case::{CASE, Case, Display, Input};
use crate::failure::{Result, fail};
use crate::input;
use crate::late;
use crate::product;
use crate::run::{BOOT, Run, STEP};

mod script;

pub(super) const CASES: &[Case] = &[
    Case { name: "usb-tablet", input: Input::UsbTablet, steps: unlock, ..CASE },
    Case { name: "usb-tablet-turned", input: Input::UsbTablet, cmdline: TURNED, steps: turned, ..CASE },
    Case { name: "usb-wacom", input: Input::Wacom, steps: unlock_with_pen, ..CASE },
    Case { name: "usb-mouse", input: Input::UsbMouse, steps: unlock, ..CASE },
    Case { name: "usb-mouse-wide", input: Input::UsbMouse, display: Display::Bochs(1024, 600), steps: unlock, ..CASE },
    Case { name: "ps2-mouse", on: &[&X86_64], input: Input::Ps2Mouse, steps: unlock, ..CASE },
    Case { name: "usb-keyboard", input: Input::UsbKeyboard, disk: "symbols", steps: unlock, ..CASE },
    Case { name: "keyboard-race", input: Input::Keyboard, disk: "longest", steps: race_keys, ..CASE },
    Case {
        name: "usb-keyboard-replugged",
        input: Input::Absent,
        display: Display::Bochs(1024, 600),
        cmdline: "console=tty0 loglevel=7",
        qemu: &["-device", "qemu-xhci,id=usb"],
        steps: replug_keyboard,
        ..CASE
    },
    // Made in the guest, for QEMU has none of these.
    Case { name: "made-protocol-a", script: script::packets, ..MADE },
    Case { name: "made-single-touch", script: script::single, ..MADE },
    Case { name: "made-overflow", script: script::overflow, ..MADE },
    Case { name: "made-pad", script: script::pad, ..MADE },
    Case { name: "made-touchpad", script: script::touchpad, ..MADE },
    Case { name: "made-keyboard-race", disk: "longest", script: script::race, ..MADE },
    Case { name: "made-keyboard-without-repeats", script: script::keyboard, ..MADE },
    Case { name: "made-usb-keyboard-race", disk: "longest", script: script::usb_race, steps: race_made_keys, ..MADE },
    Case { name: "made-caps-lock", disk: "symbols", script: script::caps_lock, steps: caps_lock, ..MADE },
    Case { name: "made-caps-lock-lit", disk: "symbols", script: script::caps_lock_lit, steps: caps_lock_lit, ..MADE },
    Case { name: "made-felt", script: script::felt, cmdline: "fbunlock.haptics", steps: felt, ..MADE },
    Case { name: "made-not-felt", script: script::felt, steps: not_felt, ..MADE },
    Case { name: "made-held", script: script::held, steps: held, ..MADE },
    Case { name: "made-held-screen", script: script::held_screen, ..MADE },
];

const MADE: Case = Case {
    input: Input::Absent,
    // For what says when.
    qemu: &["-device", "pcie-root-port,id=socket"],
    late: &["uinput", late::SCRIPT],
    steps: made,
    ..CASE
};

/// What the devices made late have typed opens the volume.
fn made(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.plug(late::TRIGGER, "late")?;
    run.proof_within(BOOT, |_| {})?.clean()
}

/// Each of these is said by the devices, in this order.
fn made_and_said(run: &mut Run, lines: &[&str]) -> Result<()> {
    run.prompt()?;
    run.plug(late::TRIGGER, "late")?;
    lines.iter().try_for_each(|line| run.says(&format!("late: {line}\n")))
}

/// Not one of a hundred and twenty keys is lost or comes twice, and they were as fast as they should.
fn race_made_keys(run: &mut Run) -> Result<()> {
    const KEYS_A_SECOND: usize = 30;
    run.prompt()?;
    run.plug(late::TRIGGER, "late")?;
    run.says("late: after ")?;
    run.step = "type fast on the new keyboard";
    let took = run.vm.serial.line("late: after ", BOOT)?;
    let count = run.passphrase().len();
    let most_ms = (count + 1) * 1000 / KEYS_A_SECOND;
    match took.trim_end_matches(" ms").parse::<usize>() {
        Ok(took_ms) if took_ms <= most_ms => {}
        _ => return fail(format!("{count} keys took {took}; {most_ms} ms would be {KEYS_A_SECOND} a second")),
    }
    run.screen(&product::frame(&run.case, run.passphrase())?)?;
    run.vm.type_serial("\r")?;
    run.proof()?.clean()
}

/// The lamp goes on and off with Caps Lock, on a keyboard that comes later as well, and is off in the end.
fn caps_lock(run: &mut Run) -> Result<()> {
    made_and_said(run, &["keys: lamp 1 1", "keys: lamp 1 0", "keys: lamp 1 1", "keys: lamp 1 0"])?;
    run.proof()?.clean()?;
    match ["other: lamp 1 1", "other: lamp 1 0"].into_iter().find(|line| !run.vm.serial.contains(line)) {
        Some(line) => fail(format!("no {line:?}")),
        None => Ok(()),
    }
}

/// The lamp that was lit stays so until Caps Lock is pressed, and is lit again in the end.
fn caps_lock_lit(run: &mut Run) -> Result<()> {
    made_and_said(run, &["keys: lamp 1 1", "keys: lamp 1 0", "keys: lamp 1 1"])?;
    run.proof()?.clean()
}

/// Each press is felt, and what cannot be is asked once.
fn felt(run: &mut Run) -> Result<()> {
    const EFFECT: &str = "effect 0x50 of 20 ms, 49152 49152";
    let pulses = format!("1 effects, {} pulses", run.passphrase().len());
    let told = [format!("motor: {pulses}"), format!("screen: {pulses}")];
    made_and_said(run, &["broken: 1 effects, 0 pulses", &told[0], &told[1]])?;
    for name in ["broken", "motor", "screen"] {
        if !run.vm.serial.contains(&format!("{name}: {EFFECT}\n")) {
            return fail(format!("{name} was not given {EFFECT}"));
        }
    }
    run.proof()?.clean()
}

/// Nobody wanted it.
fn not_felt(run: &mut Run) -> Result<()> {
    let told = ["broken", "motor", "screen"].map(|name| format!("{name}: 0 effects, 0 pulses"));
    made_and_said(run, &told.each_ref().map(String::as_str))?;
    run.proof()?.clean()
}

/// The keyboard of somebody else is not waited for, and the prompt's own when it is given back.
fn held(run: &mut Run) -> Result<()> {
    /// Of two seconds.
    const BUSY_MAX_MS: u32 = 300;
    run.prompt()?;
    run.plug(late::TRIGGER, "late")?;
    run.step = "watch the prompt";
    let busy = run.vm.serial.line("late: busy for ", BOOT)?;
    match busy.trim_end_matches(" ms").parse::<u32>() {
        Ok(0..=BUSY_MAX_MS) => {}
        _ => return fail(format!("with nothing to do the prompt ran for {busy}")),
    }
    run.says("late: other: taken\n")?;
    run.says("late: keys: taken\n")?;
    run.proof()?.clean()
}

/// The tablet is mounted upside down, and mirrored; another rule is for a device that is not there.
const TURNED: &str = "fbunlock.input=\"matrix -1 0 1 0 -1 1, invert-x; touch: ignore\"";

fn unlock_with_pen(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.step = "wait for the pen";
    input::wait_for_absolute(&mut run.vm.qmp, STEP)?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// Clicks go where the calibration moves them.
fn turned(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.mirror();
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// A long passphrase at thirty keys a second: one that is lost or comes twice, and it does not open.
fn race_keys(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.race_keys(run.passphrase())?;
    run.screen(&product::frame(&run.case, run.passphrase())?)?;
    run.answer("")?;
    run.proof()?.clean()
}

/// A keyboard that is pulled out while its shift is held takes the shift along.
fn replug_keyboard(run: &mut Run) -> Result<()> {
    run.boot_to(&product::frame_without_input(&run.case, "")?)?;
    run.plug("usb-kbd,bus=usb.0", "first")?;
    run.screen(&product::frame(&run.case, "")?)?;
    let (start, rest) = run.passphrase().split_at(2);
    run.keys(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.hold_key("shift", true)?;
    run.unplug("first")?;
    run.screen(&product::frame_without_input(&run.case, start)?)?;
    run.plug("usb-kbd,bus=usb.0", "second")?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.keys(rest)?;
    run.press(&["ret"])?;
    run.proof()?.clean()
}
