//! fbunlock run by hand in a booted system, and what each run must come to.

use crate::command::{COMMAND, Command};

/// What `fbunlock unlock` comes to when something is wrong. The root's disk stays open meanwhile.
pub(super) const COMMANDS: &[Command] = &[
    Command { words: "", exit: "1", says: "no command given; see fbunlock --help", ..COMMAND },
    Command { words: "nonsense", exit: "1", says: "unexpected argument \"nonsense\"", ..COMMAND },
    Command { words: "init", exit: "1", says: "only process 1 of an initramfs can be init", ..COMMAND },
    Command { words: "unlock --name x", exit: "1", says: "--name NAME goes with --device DEVICE", ..COMMAND },
    Command { words: "unlock", exit: "1", says: "no volume is given", ..COMMAND },
    Command { words: "unlock home", exit: "1", says: "nothing speaks of a volume called \"home\"", ..COMMAND },
    Command { words: "unlock --device /dev/nvme0n1 --name a/b", exit: "1", says: "\"a/b\" must be", ..COMMAND },
    Command { words: "unlock --device /dev/nvme0n1 --colour", exit: "1", says: "invalid option '--colour'", ..COMMAND },
    Command { words: "unlock --device /dev/nvme0n1 --name x --tries many", exit: "1", says: "\"many\"", ..COMMAND },
    Command {
        words: "unlock --device /dev/nvme0n1 --name x --key-file /tmp/nope",
        exit: "1",
        says: "read /tmp/nope: No such file or directory (ENOENT)",
        ..COMMAND
    },
    Command {
        words: "unlock --device /dev/nvme0n1 --name x --key-file /tmp/wrong",
        exit: "2",
        says: "unlock /dev/nvme0n1: Wrong passphrase",
        ..COMMAND
    },
    Command {
        words: "unlock --device /dev/nope --name x --device-timeout 1",
        exit: "4",
        says: "unlock /dev/nope: The device is not there",
        ..COMMAND
    },
    Command {
        words: "unlock --device /dev/vda --name x",
        exit: "4",
        says: "unlock /dev/vda: This is not a LUKS volume",
        ..COMMAND
    },
    damaged("unlock --device /dev/null --name x --key-file /tmp/passphrase", "This is not a LUKS volume"),
    damaged("unlock --device /tmp --name x --key-file /tmp/passphrase", "This is not a LUKS volume"),
    damaged("unlock --device /tmp/short-100 --name x --key-file /tmp/passphrase", "The device cannot be read"),
    damaged(
        "unlock --device /tmp/short-4096 --name x --key-file /tmp/passphrase",
        "The device ends before the volume does",
    ),
    damaged(
        "unlock --device /tmp/short-20000 --name x --key-file /tmp/passphrase",
        "The device ends before the volume does",
    ),
    damaged(
        "unlock --device /tmp/short-1048576 --name x --key-file /tmp/passphrase",
        "The device ends before the volume does",
    ),
    Command { words: "unlock --device /dev/nvme0n1 --name root", says: "is open already as root", ..COMMAND },
    Command {
        words: "unlock --device /dev/nvme0n1 --name other --key-file /tmp/passphrase",
        exit: "5",
        says: "unlock /dev/nvme0n1: The device is in use by something else",
        ..COMMAND
    },
    Command {
        words: "unlock --device /dev/nvme0n1 --name x --framebuffer /dev/nope --display-timeout 0",
        exit: "8",
        says: "open /dev/nope: No such file or directory (ENOENT); and there is no console to ask on",
        ..COMMAND
    },
    Command {
        words: "unlock --device /dev/nvme0n1 --name x --framebuffer /dev/null --display-timeout 0",
        exit: "8",
        says: "(ENOTTY); and there is no console to ask on",
        ..COMMAND
    },
    Command { words: "unlock --device /dev/nvme0n1 --name x --timeout 2", exit: "7", says: LATE, ..COMMAND },
    Command {
        words: "unlock --device /dev/nvme0n1 --name x --timeout 2",
        setting: "no-vt",
        exit: "7",
        says: LATE,
        ..COMMAND
    },
    Command {
        words: "unlock --device /dev/nvme0n1 --name x --timeout 1 --framebuffer /dev/nope --display-timeout 0",
        setting: "console",
        exit: "7",
        says: "asking on the console",
        ..COMMAND
    },
    Command {
        words: "unlock --device /dev/nope --name x",
        marker: "Waiting for /dev/nope\u{2026}",
        steps: "term",
        exit: "6",
        says: "stopped by a signal",
        ..COMMAND
    },
    Command { steps: "term", exit: "6", says: "stopped by a signal", ..UP },
    // Another driver takes over, a keyboard is plugged in anew.
    Command {
        words: "unlock --device /dev/nvme0n1 --name x --timeout 2",
        steps: "renew",
        exit: "7",
        says: LATE,
        never: "ENOENT",
        ..UP
    },
    // Killed: the prompt comes again, and the last line says how it ended.
    Command { steps: "kill-prompt term", exit: "6", says: "killed by SIGKILL; starting again", ..UP },
    Command { steps: "kill-prompt kill-prompt kill-prompt", exit: "3", says: "killed by SIGKILL", ..UP },
    Command {
        marker: "type the passphrase and press Enter|Unlocking was killed, probably for want of memory",
        steps: "kill-worker term",
        exit: "6",
        says: "Unlocking was killed",
        ..UP
    },
    Command { steps: "kill", exit: "signal 9", ..UP },
    Command { steps: "kill", exit: "signal 9", setting: "console", words: ON_CONSOLE, ..UP },
    Command { steps: "kill-prompt term", exit: "6", setting: "console", words: ON_CONSOLE, ..UP },
];

const LATE: &str = "nobody answered in time";
const ON_CONSOLE: &str = "unlock --device /dev/nvme0n1 --name x --framebuffer /dev/nope --display-timeout 0";

/// A prompt that is up and waits for an answer.
const UP: Command = Command {
    words: "unlock --device /dev/nvme0n1 --name x",
    marker: "type the passphrase and press Enter",
    ..COMMAND
};

/// A thing that is no disk, and a header that is cut off, are not "missing", and no crash.
const fn damaged(words: &'static str, says: &'static str) -> Command {
    Command { words, exit: "4", says, never: "signal", ..COMMAND }
}
