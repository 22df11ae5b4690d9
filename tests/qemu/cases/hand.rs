//! What hands do to a prompt: with buttons, fingers and keyboards.

use crate::case::{CASE, Case, Input};
use crate::failure::{Result, fail};
use crate::hand::{Hand, LONG_MS, POWER, POWER_MS, SHORT_MS, UP};
use crate::input;
use crate::run::Run;

pub(super) const CASES: &[Case] = &[
    Case { name: "two-buttons", input: Input::Keyboard, disk: "symbols", steps: two_buttons, ..CASE },
    Case { name: "power-key", input: Input::Keyboard, steps: power_key, ..CASE },
    Case { name: "power-key-twice", input: Input::Keyboard, steps: power_key_twice, ..CASE },
    Case {
        name: "left-alone",
        cmdline: "fbunlock.blank_after=2 fbunlock.power_off_after=5",
        steps: left_alone,
        ..CASE
    },
];

/// Nothing but the two volume keys opens the volume.
fn two_buttons(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let mut hand = Hand::new(run)?;
    hand.press(run, UP, SHORT_MS)?;
    hand.look(run)?;
    hand.answer(run, run.passphrase())?;
    if hand.presses > 300 {
        return fail(format!("five characters took {} presses", hand.presses));
    }
    run.proof()?.clean()
}

/// The power key asks before it switches off, and a focus stands on what changes nothing.
fn power_key(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let mut hand = Hand::new(run)?;
    run.step = "ask for the machine to be switched off";
    hand.press(run, POWER, POWER_MS)?;
    hand.look(run)?;
    hand.press(run, UP, SHORT_MS)?;
    hand.look(run)?;
    run.stays()?;
    hand.press(run, UP, SHORT_MS)?;
    hand.press(run, UP, LONG_MS)?;
    run.switched_off()
}

/// Held once more it needs no answer.
fn power_key_twice(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let mut hand = Hand::new(run)?;
    hand.press(run, POWER, POWER_MS)?;
    hand.look(run)?;
    // It goes off under the finger.
    input::hold_key(&mut run.vm.qmp, POWER.0, true)?;
    run.switched_off()
}

/// A machine that nobody answers gets dark and is switched off.
fn left_alone(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.stays()?;
    run.switched_off()
}
