//! Keyboards of other countries: what the kernel was told, or a file.

use crate::arch::X86_64;
use crate::case::{CASE, Case, Input, Keymap};
use crate::failure::Result;
use crate::product;
use crate::run::Run;

pub(super) const CASES: &[Case] = &[
    // What is used where nothing tells of a keymap.
    Case { name: "keymap-us", keymap: Keymap::Told, steps: us, ..KEYBOARD },
    // Caps Lock, AltGr and a dead key, whose accents are the kernel's own.
    Case {
        name: "keymap-german",
        disk: "german",
        keymap: Keymap::Loaded("debian-de", &[]),
        steps: |run| opens(run, "caps_lock g caps_lock r o minus e alt_r+e grave_accent e"),
        ..KEYBOARD
    },
    // Digits by Caps Lock, and an accent that only this kernel knows.
    Case {
        name: "keymap-french",
        disk: "french",
        keymap: Keymap::Loaded("fr-latin9", &[['^', 'e', 'ê'], ['^', 'w', 'ŵ']]),
        steps: |run| opens(run, "r e 9 u caps_lock 1 9 caps_lock alt_r+e bracket_left e bracket_left z"),
        ..KEYBOARD
    },
    // To the second group, back, there again, and to the US keymap out of it.
    Case {
        name: "keymap-russian",
        disk: "russian",
        keymap: Keymap::Loaded("debian-ru", &[]),
        steps: |run| opens(run, "alt+shift l j v alt+shift 7 alt+shift f2 shift+z z"),
        ..KEYBOARD
    },
    // The keyboard that PCs have.
    Case {
        name: "keymap-at",
        on: &[&X86_64],
        input: Input::Absent,
        qemu: &["-machine", "i8042=on"],
        disk: "international",
        keymap: Keymap::Loaded("us-intl.iso15", &[]),
        steps: |run| opens(run, "n a shift+apostrophe i f alt_r+e"),
        ..CASE
    },
    // A file overrules the kernel.
    Case {
        name: "keymap-file",
        disk: "international",
        keymap: Keymap::File("us-intl.iso15"),
        steps: |run| opens(run, "n a shift+apostrophe i f alt_r+e"),
        ..KEYBOARD
    },
    // A broken one does not.
    Case {
        name: "keymap-broken",
        on: &[&X86_64],
        cmdline: "fbunlock.keymap=/etc/fbunlock/config",
        steps: |run| {
            run.says("read the keymap /etc/fbunlock/config: byte 0: it does not begin with")?;
            opens(run, "h o r s e")
        },
        ..KEYBOARD
    },
];

const KEYBOARD: Case = Case { input: Input::Keyboard, ..CASE };

/// The kernel tells the keymap that fbunlock has built in.
fn us(run: &mut Run) -> Result<()> {
    let lines = run.keymap()?;
    product::is_us(&lines)?;
    opens(run, "h o r s e")
}

/// The passphrase is typed by these keys, and opens the volume.
fn opens(run: &mut Run, chords: &str) -> Result<()> {
    run.prompt()?;
    run.chords(chords)?;
    run.chords("ret")?;
    run.proof()?.clean()
}
