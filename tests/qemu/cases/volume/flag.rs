//! fbunlock run by hand in a booted system: formats, flags, what stands in the way, and what others do.

use crate::command::{COMMAND, Command};

const OPEN: Command = Command { table: Some(""), status: &["\"status\":\"opened\""], ..COMMAND };

/// Behind the disk of the commands: LUKS1, adiantum, a header, what belongs to it, and a damaged header.
pub(super) const FORMATS: &[Command] = &[
    Command { words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --json", ..OPEN },
    Command {
        words: "unlock --device /dev/vdc --name x --key-file /tmp/passphrase --json",
        table: Some("sector_size:4096"),
        ..OPEN
    },
    Command { words: "unlock --device /dev/vde --header /dev/vdd --name x --key-file /tmp/passphrase", ..OPEN },
    Command {
        words: "unlock --device /dev/vdf --name x --key-file /tmp/passphrase",
        says: "the first header was damaged and was repaired",
        ..OPEN
    },
    Command {
        words: "unlock --device /dev/vde --name x --key-file /tmp/passphrase --json",
        exit: "4",
        says: "This is not a LUKS volume",
        status: &["\"status\":\"failed\"", "\"exit\":4"],
        ..COMMAND
    },
    Command {
        words: "unlock --device UUID=5eed0001-0000-4000-8000-0000000000ff --key-file /tmp/passphrase --device-timeout 1",
        exit: "4",
        says: "The device is not there",
        status: &["\"status\":\"failed\"", "\"exit\":4"],
        ..COMMAND
    },
];

/// One volume that is opened with each flag.
const fn flag(words: &'static str, table: &'static str) -> Command {
    Command { words, table: Some(table), ..OPEN }
}

pub(super) const FLAGS: &[Command] = &[
    flag("unlock --device /dev/vdb --name x --key-file /tmp/passphrase --json", ""),
    flag("unlock --device /dev/vdb --name x --key-file /tmp/passphrase --allow-discards", "allow_discards"),
    READ,
    flag(
        "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-no_write_workqueue",
        "no_write_workqueue",
    ),
    flag("unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-same_cpu_crypt", "same_cpu_crypt"),
    flag(
        "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-submit_from_crypt_cpus",
        "submit_from_crypt_cpus",
    ),
    flag("unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-high_priority", "high_priority"),
    STORE,
    STORED,
    NOT_READ,
    NEITHER,
    HALF,
    FOREIGN,
    BY_OTHER,
];

/// The older kernel has no high_priority: left out, and no word of it in the kernel's log.
pub(super) const FLAGS_OLD: &[Command] = &[
    READ,
    flag("unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-high_priority", ""),
    STORE,
    STORED,
    NOT_READ,
    NEITHER,
    HALF,
    FOREIGN,
    BY_OTHER,
];

const READ: Command = Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --json --perf-no_read_workqueue",
    table: Some("no_read_workqueue"),
    status: &["\"requested\":[\"no_read_workqueue\"]", "\"effective\":[\"no_read_workqueue\"]"],
    ..OPEN
};
const STORE: Command = Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --persistent \
            --perf-same_cpu_crypt --perf-no_read_workqueue",
    table: Some("same_cpu_crypt no_read_workqueue"),
    ..OPEN
};
const STORED: Command = Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase",
    table: Some("same_cpu_crypt no_read_workqueue"),
    ..OPEN
};
const NOT_READ: Command = Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-no_read_workqueue=off",
    table: Some("same_cpu_crypt"),
    ..OPEN
};
const NEITHER: Command = Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-no_read_workqueue=off \
            --perf-same_cpu_crypt=off",
    ..OPEN
};
/// What an activation that was killed has left is no obstacle.
const HALF: Command = Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase --perf-same_cpu_crypt=off",
    setting: "half:x:CRYPT-LUKS2-5eed0001000040008000000000000003-x",
    table: Some("no_read_workqueue"),
    ..OPEN
};
/// Somebody else's is.
const FOREIGN: Command = Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase",
    setting: "half:x:LVM-x",
    exit: "5",
    says: "A mapping of this name is open already",
    table: Some("half"),
    ..COMMAND
};
/// Somebody else is faster than whoever types.
const BY_OTHER: Command = Command {
    words: "unlock --device /dev/vdb --name x --json",
    marker: "type the passphrase and press Enter",
    steps: "run:unlock,--device,/dev/vdb,--name,x,--key-file,/tmp/passphrase",
    table: Some("same_cpu_crypt no_read_workqueue"),
    says: "/dev/vdb is open already as x",
    status: &["\"status\":\"already open\"", "\"exit\":0"],
    ..COMMAND
};

/// Killed at one system call after the other.
pub(super) const CUT: &[Command] = &[Command {
    words: "unlock --device /dev/vdb --name x --key-file /tmp/passphrase",
    setting: "cut",
    says: "many cuts, 0 left half a mapping",
    never: "the next try",
    ..COMMAND
}];
