//! What `tests/demo` shows: a disk unlocked by touch with screenshots, or by a person in a window.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::arch::Arch;
use crate::case::{CASE, Case, Display, Input};
use crate::disk;
use crate::failure::{Failure, Result, fail};
use crate::input;
use crate::product::Twin;
use crate::run::{self, Bench, Run, STEP};
use crate::screen::Frame;

/// Not SDL, which in QEMU 10.0 sends wrong positions once its window has another size.
const GTK: &str = "gtk,zoom-to-fit=off,show-menubar=off";
const TOUCH: Case = Case { name: "demo", disk: "demo", steps: by_touch, ..CASE };
/// QEMU's window begins in the middle, 480 pixels high, and grows downwards: this much fits below on
/// a small laptop. Not virtio-gpu, which would give the panel the size of the window.
const WINDOW: Case = Case {
    name: "window",
    display: Display::Bochs(400, 600),
    input: Input::Tablet,
    qemu: &["-device", "virtio-keyboard-pci", "-display", GTK, "-name", "fbunlock"],
    steps: by_hand,
    ..TOUCH
};

/// One character of it is typed slowly, for the picture.
const WRONG: (&str, char, &str) = ("Blue", 'h', "orse");
/// A person may take a day.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);
/// From the end of what QEMU writes to its own.
const CLOSING: Duration = Duration::from_secs(2);

/// Shows one of the two and tells whether it worked.
pub(crate) fn show(folder: &Path, arch: &'static Arch, window: bool) -> bool {
    let result = if window { show_window(folder, arch) } else { show_touch(folder, arch) };
    match &result {
        Ok(sentence) => println!("{sentence}"),
        Err(failure) => println!("It did not work: {failure}"),
    }
    result.is_ok()
}

fn show_touch(folder: &Path, arch: &'static Arch) -> Result<&'static str> {
    let bench = Bench::set_up(&[(&TOUCH, arch)], false)?;
    println!("Booting; the passphrase is {}", disk::recipe(TOUCH.disk)?.passphrase);
    crate::attempt(&TOUCH, arch, &bench, folder)?;
    Ok("It worked: the disk was opened by touch, and the system inside it ran.")
}

fn show_window(folder: &Path, arch: &'static Arch) -> Result<&'static str> {
    let bench = Bench::set_up(&[(&WINDOW, arch)], true)?;
    run::empty(folder)?;
    println!("A window opens. The passphrase is\n\n    {}\n", disk::recipe(WINDOW.disk)?.passphrase);
    println!("Type it with the mouse or the keyboard, whose keys are those of a US keyboard.");
    println!("Close the window to end the demo.");
    let mut run = Run::start(&WINDOW, arch, &bench, folder).map_err(|Failure(text)| {
        // The reason, when there is no window.
        let said = fs::read_to_string(folder.join("qemu.log")).unwrap_or_default();
        Failure(format!("{text}\n{}", said.trim_end()))
    })?;
    let result = by_hand(&mut run);
    match result {
        Ok(()) => Ok("It worked: you opened the disk, and the system inside it ran."),
        Err(_) if !run.vm.serial.contains("proof: ") && run.vm.ended(CLOSING).is_ok() => {
            fail("the window was closed, or the machine ended, before the disk was open")
        }
        Err(Failure(text)) => fail(format!("{}: {text}", run.step)),
    }
}

/// A wrong passphrase, then the right one.
fn by_touch(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let mut twin = Twin::new(&run.case)?;
    shoot(run, "1-prompt.png", "The prompt", &[twin.frame()?])?;

    let (begin, held, end) = WRONG;
    run.type_text(begin)?;
    twin.type_text(begin)?;
    let at = twin.hold(held)?;
    input::touch_down(&mut run.vm.qmp, run.case.panel(), (0, true), at)?;
    shoot(run, "2-typing.png", "A finger on a key", &[twin.frame()?])?;
    input::touch_up(&mut run.vm.qmp, (0, true))?;
    twin.lift(at);
    run.answer(end)?;
    twin.type_text(end)?;
    twin.enter();
    run.refused()?;
    twin.refuse();
    shoot(run, "3-wrong.png", "The wrong passphrase is refused", &[twin.frame()?])?;

    run.type_text(run.passphrase())?;
    twin.type_text(run.passphrase())?;
    twin.enter();
    // Drawn before the guest is told, which may be quick.
    let frames = twin.frames()?;
    run.answer("")?;
    shoot(run, "4-unlocking.png", "The right one is tried", &frames)?;
    prove(run, STEP)
}

/// Somebody types in the window.
fn by_hand(run: &mut Run) -> Result<()> {
    run.prompt()?;
    prove(run, PATIENCE)
}

/// Leaves a screenshot once the screen shows what it should.
fn shoot(run: &mut Run, name: &str, what: &str, expected: &[Frame]) -> Result<()> {
    let file = run.screenshot(name, expected)?;
    println!("{what}: {}", file.display());
    Ok(())
}

/// Prints what the system inside the volume says, as it says it.
fn prove(run: &mut Run, limit: Duration) -> Result<()> {
    let proof = run.proof_within(limit, |line| println!("    proof: {line}"))?;
    proof.bypasses_workqueues(true)?;
    proof.clean()
}
