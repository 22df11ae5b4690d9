//! The harness' own initramfs, and the steps that show that display, input and disks work.
//!
//! When these cases fail, no failure of a product case means anything.

use std::fs;
use std::path::Path;

use crate::case::{Case, Display, Input};
use crate::cpio::Archive;
use crate::failure::{Context, Failure, Result, fail};
use crate::input;
use crate::module;
use crate::run::{BOOT, Run, STEP};
use crate::screen::{Frame, Point};

#[path = "guest/src/picture.rs"]
#[allow(unreachable_pub)] // The guest's library exports it.
mod picture;

/// Event types and codes (include/uapi/linux/input-event-codes.h).
const EV_KEY: u16 = 1;
const EV_ABS: u16 = 3;
const KEY_A: u16 = 30;
const BTN_LEFT: u16 = 0x110;
const BTN_TOUCH: u16 = 0x14a;
const ABS_X: u16 = 0;
const ABS_MT_SLOT: u16 = 0x2f;
const ABS_MT_POSITION_X: u16 = 0x35;
const ABS_MT_TRACKING_ID: u16 = 0x39;

/// Writes an initramfs with the probe as /init and the case's modules.
pub(crate) fn initramfs(case: &Case, guests: &Path, modules: &Path, file: &Path) -> Result<()> {
    let probe = guests.join("probe");
    let probe = fs::read(&probe).context(format_args!("read {}", probe.display()))?;
    let mut archive = Archive::default();
    archive.file("init", &probe);
    archive.folder("modules");
    for (number, (name, content)) in module::closure(modules, &case.modules())?.iter().enumerate() {
        archive.file(&format!("modules/{number:03}-{name}"), content);
    }
    let display = if case.display == Display::Absent { "" } else { "/dev/fb0" };
    archive.file("expected", format!("{} /dev/input/event0 {display}", case.device()).as_bytes());
    fs::write(file, archive.finish()).context(format_args!("write {}", file.display()))
}

/// The test picture arrives to the pixel; a tap or key arrives as it was sent.
pub(crate) fn picture_and_input(run: &mut Run) -> Result<()> {
    ready(run)?;
    let expected = Frame::draw(run.case.panel(), picture::pixel);
    run.screen(&expected)?;
    match run.case.input {
        Input::Keyboard => {
            run.step = "press a key";
            input::keys(&mut run.vm.qmp, &["a"])?;
            event(run, EV_KEY, KEY_A, 1)?;
            event(run, EV_KEY, KEY_A, 0)
        }
        Input::Touch => corners(run, ABS_MT_POSITION_X, BTN_TOUCH),
        Input::Tablet => corners(run, ABS_X, BTN_LEFT),
        _ => fail("the probe reads input devices only"),
    }
}

/// Taps in the corners and somewhere in between; Y has the code after X.
fn corners(run: &mut Run, x_axis: u16, button: u16) -> Result<()> {
    run.step = "tap";
    let panel = run.case.panel();
    let (right, bottom) = (panel.width - 1, panel.height - 1);
    for (x, y) in [(1, 1), (right, 0), (right / 3, bottom / 7), (0, bottom), (101, 1003)] {
        run.tap(Point { x, y })?;
        // The order of position and button differs between devices, so look at each from the tap on.
        let (seen_x, seen_y) = (axis(run, x_axis)?, axis(run, x_axis + 1)?);
        let pixel = |value: u32, last: u32| (value * last + 0x3fff) / 0x7fff;
        let found = Point { x: pixel(seen_x, right), y: pixel(seen_y, bottom) };
        if found.x.abs_diff(x) > 1 || found.y.abs_diff(y) > 1 {
            return fail(format!("a tap at x={x} y={y} arrived at {found:?}"));
        }
    }
    match run.vm.serial.contains(&format!("event {EV_KEY} {button} 1")) {
        true => event(run, EV_KEY, button, 0),
        false => fail("taps came without a button"),
    }
}

/// Two fingers overlap and one slides: what quick thumbs do.
pub(crate) fn two_fingers(run: &mut Run) -> Result<()> {
    ready(run)?;
    run.step = "touch with two fingers";
    let panel = run.case.panel();
    let qmp = &mut run.vm.qmp;
    input::touch_down(qmp, panel, (0, true), Point { x: 10, y: 10 })?;
    input::touch_down(qmp, panel, (1, false), Point { x: 200, y: 10 })?;
    input::touch_move(qmp, panel, 1, Point { x: panel.width - 1, y: 10 })?;
    input::touch_up(qmp, (1, false))?;
    input::touch_up(qmp, (0, true))?;
    for (code, value) in [
        (ABS_MT_TRACKING_ID, 1),
        (ABS_MT_SLOT, 1),
        (ABS_MT_TRACKING_ID, 2),
        (ABS_MT_POSITION_X, 0x7fff),
        (ABS_MT_TRACKING_ID, -1),
        (ABS_MT_SLOT, 0),
        (ABS_MT_TRACKING_ID, -1),
    ] {
        event(run, EV_ABS, code, value)?;
    }
    event(run, EV_KEY, BTN_TOUCH, 0)
}

fn axis(run: &mut Run, code: u16) -> Result<u32> {
    let value = run.vm.serial.line(&format!("probe: event {EV_ABS} {code} "), STEP)?;
    value.parse().map_err(|error| Failure(format!("event value {value:?}: {error}")))
}

fn event(run: &mut Run, kind: u16, code: u16, value: i32) -> Result<()> {
    run.vm.serial.expect(&format!("probe: event {kind} {code} {value}\n"), STEP)
}

/// A disk says whether it rotates.
pub(crate) fn rotates(run: &mut Run, wanted: bool) -> Result<()> {
    run.step = "boot";
    let line = run.vm.serial.line("probe: disk ", BOOT)?;
    match line.ends_with(&format!("rotational={}", u8::from(wanted))) {
        true => Ok(()),
        false => fail(format!("expected rotational={}: {line}", u8::from(wanted))),
    }
}

fn ready(run: &mut Run) -> Result<()> {
    run.step = "boot";
    run.vm.serial.expect("probe: ready", BOOT)
}
