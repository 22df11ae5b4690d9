//! The cases. Each is a few lines; what is not named is as in [`CASE`].

use crate::case::{Bus, CASE, Case, Display, Initramfs, Input};
use crate::failure::Result;
use crate::probe;
use crate::product;
use crate::run::Run;

const HARNESS: Case = Case { initramfs: Initramfs::Probe, steps: probe::picture_and_input, ..CASE };

pub(crate) const CASES: &[Case] = &[
    // The harness itself.
    Case { name: "harness-6.12", ..HARNESS },
    Case { name: "harness-6.1", kernel: "6.1", ..HARNESS },
    Case { name: "harness-fingers", steps: probe::two_fingers, ..HARNESS },
    Case { name: "harness-tablet", input: Input::Tablet, ..HARNESS },
    Case { name: "harness-keyboard", input: Input::Keyboard, display: Display::Bochs(1024, 600), ..HARNESS },
    Case {
        name: "harness-rotating-scsi",
        bus: Bus::Scsi { rotation_rate: 7200 },
        display: Display::Absent,
        steps: |run| probe::rotates(run, true),
        ..HARNESS
    },
    Case {
        name: "harness-solid-ahci",
        bus: Bus::Ahci { rotation_rate: 1 },
        display: Display::Absent,
        steps: |run| probe::rotates(run, false),
        ..HARNESS
    },
    // fbunlock.
    Case { name: "touch-6.12", steps: unlock, ..CASE },
    Case { name: "touch-6.1", kernel: "6.1", steps: unlock, ..CASE },
    Case { name: "touch-real-keyslot", disk: "real", steps: unlock, ..CASE },
    Case { name: "touch-wrong-then-right", disk: "symbols", steps: wrong_then_right, ..CASE },
    Case { name: "keyboard", input: Input::Keyboard, disk: "symbols", steps: unlock, ..CASE },
    Case { name: "keyboard-bochs", input: Input::Keyboard, display: Display::Bochs(1024, 600), steps: unlock, ..CASE },
    Case { name: "tablet", input: Input::Tablet, steps: unlock, ..CASE },
    Case { name: "rotating-disk", bus: Bus::Scsi { rotation_rate: 7200 }, steps: unlock_rotating, ..CASE },
    Case { name: "virtio-disk", bus: Bus::VirtioBlk, steps: unlock_rotating, ..CASE },
    Case { name: "solid-sata-disk", bus: Bus::Ahci { rotation_rate: 1 }, steps: unlock, ..CASE },
    Case { name: "screen-6.12", steps: prompt_to_the_pixel, ..CASE },
    Case {
        name: "screen-bochs",
        input: Input::Keyboard,
        display: Display::Bochs(1024, 600),
        steps: prompt_to_the_pixel,
        ..CASE
    },
    Case { name: "screen-6.1", kernel: "6.1", steps: prompt_to_the_pixel, ..CASE },
];

/// The right passphrase opens the volume, and dm-crypt's work queues are bypassed.
fn unlock(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer(run.passphrase())?;
    let proof = run.proof()?;
    proof.bypasses_workqueues(true)?;
    proof.clean()
}

/// On a disk that rotates, or of which the kernel says so, the work queues stay.
fn unlock_rotating(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer(run.passphrase())?;
    let proof = run.proof()?;
    let device = run.case.device().trim_start_matches("/dev/");
    proof.is(&format!("disk {device} rotational=1"))?;
    proof.bypasses_workqueues(false)?;
    proof.clean()
}

/// After a wrong answer the prompt is there again and the right one works.
fn wrong_then_right(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer("Wr0ng#")?;
    run.refused()?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// The prompt is on the screen to the pixel, as it comes and after two keys.
fn prompt_to_the_pixel(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.screen(&product::frame(run.case, "")?)?;
    run.type_text("ho")?;
    run.screen(&product::frame(run.case, "ho")?)
}
