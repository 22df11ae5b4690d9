//! The cases. Each is a few lines; what is not named is as in [`CASE`]. On 32-bit ARM, which TCG and
//! module signatures make slow, runs only what a width of 32 bits could break.

use crate::arch::ARCHES;
use crate::case::{Bus, CASE, Case, Display, Initramfs, Input};
use crate::failure::{Result, fail};
use crate::probe;
use crate::product;
use crate::run::Run;

mod command;
mod display;
mod hand;
mod input;
mod keymap;
mod verity;
mod volume;

const HARNESS: Case = Case { initramfs: Initramfs::Probe, steps: probe::picture_and_input, ..CASE };

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    CASES
        .iter()
        .chain(display::CASES)
        .chain(hand::CASES)
        .chain(input::CASES)
        .chain(keymap::CASES)
        .chain(volume::CASES)
        .chain(verity::CASES)
}

const CASES: &[Case] = &[
    // The harness itself.
    Case { name: "harness-6.12", ..HARNESS },
    Case { name: "harness-6.1", on: ARCHES, kernel: "6.1", ..HARNESS },
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
    Case { name: "touch-6.12", on: ARCHES, steps: unlock, ..CASE },
    Case { name: "touch-6.1", on: ARCHES, kernel: "6.1", steps: unlock, ..CASE },
    Case { name: "touch-real-keyslot", disk: "real", steps: unlock, ..CASE },
    Case { name: "touch-wrong-then-right", on: ARCHES, disk: "symbols", steps: wrong_then_right, ..CASE },
    Case { name: "keyboard", on: ARCHES, input: Input::Keyboard, disk: "symbols", steps: unlock, ..CASE },
    Case { name: "keyboard-bochs", input: Input::Keyboard, display: Display::Bochs(1024, 600), steps: unlock, ..CASE },
    Case { name: "tablet", input: Input::Tablet, steps: unlock, ..CASE },
    Case { name: "rotating-disk", bus: Bus::Scsi { rotation_rate: 7200 }, steps: unlock_rotating, ..CASE },
    Case { name: "virtio-disk", bus: Bus::VirtioBlk, steps: unlock_rotating, ..CASE },
    Case { name: "solid-sata-disk", bus: Bus::Ahci { rotation_rate: 1 }, steps: unlock, ..CASE },
    // What people do to it.
    Case { name: "fingers-roll", steps: roll, ..CASE },
    Case { name: "fingers-race", disk: "long", steps: race, ..CASE },
    Case { name: "console", on: ARCHES, input: Input::Serial, display: Display::Absent, steps: console, ..CASE },
    Case { name: "console-beside", input: Input::Serial, steps: console_beside_screen, ..CASE },
    Case {
        name: "no-input",
        input: Input::Absent,
        display: Display::Bochs(1024, 600),
        // The terminal of the screen is the console, and the kernel talks on it.
        cmdline: "console=tty0 loglevel=7",
        qemu: &["-device", "pcie-root-port,id=socket"],
        steps: plug,
        ..CASE
    },
    Case {
        name: "bad-input",
        on: ARCHES,
        input: Input::Serial,
        display: Display::Bochs(1024, 600),
        // So that the prompt has nothing to complain about.
        qemu: &["-device", "virtio-multitouch-pci"],
        commands: command::COMMANDS,
        steps: commands,
        ..CASE
    },
    // What ends before the root.
    Case {
        name: "init-no-device",
        initramfs: Initramfs::Bare,
        cmdline: "fbunlock.on_failure=poweroff",
        steps: |run| switches_off(run, "fbunlock: unlock: no volume is given"),
        ..HEADLESS
    },
    Case {
        name: "init-device-missing",
        cmdline: "fbunlock.device=/dev/nope fbunlock.device_timeout=1 fbunlock.on_failure=wait",
        steps: |run| stands_still(run, "fbunlock: unlock /dev/nope: The device is not there"),
        ..HEADLESS
    },
    Case {
        name: "init-device-late",
        cmdline: "fbunlock.device=/dev/vda fbunlock.device_timeout=1",
        qemu: &["-device", "pcie-root-port,id=socket"],
        steps: tries_again,
        ..HEADLESS
    },
    Case { name: "init-tries", cmdline: "fbunlock.tries=1", steps: asks_again, ..HEADLESS },
    Case {
        name: "init-all-killed",
        on: ARCHES,
        input: Input::Serial,
        cmdline: "sysrq_always_enabled",
        steps: all_killed,
        ..CASE
    },
    Case {
        name: "init-not-luks",
        cmdline: "fbunlock.device=/dev/vda fbunlock.on_failure=poweroff",
        qemu: ZEROES,
        steps: |run| switches_off(run, "fbunlock: unlock /dev/vda: This is not a LUKS volume"),
        ..HEADLESS
    },
    Case {
        name: "init-no-dm-crypt",
        cmdline: "modprobe.blacklist=dm_crypt fbunlock.tries=1 fbunlock.on_failure=poweroff",
        steps: |run| {
            run.prompt()?;
            run.answer(run.passphrase())?;
            switches_off(run, "fbunlock: unlock /dev/nvme0n1: The kernel lacks dm_crypt")
        },
        ..HEADLESS
    },
    Case {
        name: "init-no-root",
        cmdline: "root=/dev/vda fbunlock.on_failure=wait",
        qemu: ZEROES,
        steps: |run| {
            opens(run)?;
            stands_still(run, "fbunlock: mount /dev/vda as the root (tried ext4): Invalid argument (EINVAL)")
        },
        ..HEADLESS
    },
    Case {
        name: "init-no-init",
        disk: "no-init",
        cmdline: "fbunlock.on_failure=poweroff",
        steps: |run| {
            opens(run)?;
            switches_off(run, "fbunlock: find an init on the root: none of /sbin/init")
        },
        ..HEADLESS
    },
];

const HEADLESS: Case = Case { input: Input::Serial, display: Display::Absent, ..CASE };

/// A second disk, /dev/vda, on which there is nothing.
const ZEROES: &[&str] = &[
    "-drive",
    "if=none,id=zeroes,format=raw,file.driver=null-co,file.size=1M,file.read-zeroes=on",
    "-device",
    "virtio-blk-pci,drive=zeroes",
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

/// Two thumbs: each key is let go when the next one is down already.
fn roll(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.roll(run.passphrase())?;
    run.answer("")?;
    run.proof()?.clean()
}

/// Thirty taps, faster than anybody's.
fn race(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.race(run.passphrase())?;
    run.answer("")?;
    run.proof()?.clean()
}

/// Without a display the serial console asks, and shows nothing of the answers.
fn console(run: &mut Run) -> Result<()> {
    wrong_then_right(run)?;
    match ["Wr0ng#", run.passphrase()].into_iter().find(|secret| run.vm.serial.contains(secret)) {
        Some(secret) => fail(format!("the serial line shows {secret:?}")),
        None => Ok(()),
    }
}

/// The screen and the serial console ask at once. Who can type there needs no touch screen.
fn console_beside_screen(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.screen(&product::frame(&run.case, "")?)?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// Nothing to type with is told on the screen; a keyboard may come, go, and another one come.
fn plug(run: &mut Run) -> Result<()> {
    run.boot_to(&product::frame_without_input(&run.case, "")?)?;
    run.plug("virtio-keyboard-pci", "first")?;
    run.screen(&product::frame(&run.case, "")?)?;
    let (start, rest) = run.passphrase().split_at(2);
    run.keys(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.unplug("first")?;
    run.screen(&product::frame_without_input(&run.case, start)?)?;
    run.plug("virtio-keyboard-pci", "second")?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.keys(rest)?;
    run.keys("\n")?;
    run.proof()?.clean()
}

fn commands(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer(run.passphrase())?;
    let proof = run.proof()?;
    crate::command::check(run.case.commands, &proof)?;
    proof.clean()
}

/// The right passphrase is taken.
fn opens(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer(run.passphrase())?;
    run.says("opened as root")
}

/// Says why, and what follows, and switches off.
fn switches_off(run: &mut Run, why: &str) -> Result<()> {
    run.says(why)?;
    run.says("fbunlock: switching off in 10 s")?;
    run.switched_off()
}

/// Says why, and stays on.
fn stands_still(run: &mut Run, why: &str) -> Result<()> {
    run.says(why)?;
    run.says("fbunlock: the machine stands still now")?;
    run.stays()
}

/// Never a dead end: with the tries used up, the next prompt comes.
fn asks_again(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer("wrong")?;
    run.refused()?;
    run.says("fbunlock: trying again")?;
    run.prompt()?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// All processes but number 1 are killed at once, and process 1 asks again. In the end the terminals
/// are as they were at the beginning.
fn all_killed(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.sysrq('i')?;
    run.says("killed by SIGKILL; starting again")?;
    run.prompt()?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// Never a dead end: what was not there may be there the next time.
fn tries_again(run: &mut Run) -> Result<()> {
    run.says("fbunlock: unlock /dev/vda: The device is not there")?;
    run.says("fbunlock: trying again")?;
    run.plug_disk()?;
    run.says("Unlock /dev/vda\n")?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}
