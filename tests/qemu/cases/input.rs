//! Input devices of every kind: to type with, to point with, plugged in and out.

use super::unlock;
use crate::arch::X86_64;
use crate::case::{CASE, Case, Display, Input};
use crate::failure::Result;
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
