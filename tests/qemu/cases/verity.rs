//! Roots that are checked by dm-verity: the right one boots without anybody being asked, and no other does.

use super::{HEADLESS, switches_off};
use crate::arch::{AARCH64, X86_64};
use crate::case::{Bus, CASE, Case, Initramfs};
use crate::failure::{Result, fail};
use crate::product;
use crate::run::Run;

/// Nothing but the root hash is said: it gives the partitions, and the root to mount.
const CHECKED: Case = Case {
    on: &[&X86_64],
    initramfs: Initramfs::Bare,
    disk: "tree-parted",
    added: &["dm_verity"],
    cmdline: "roothash=ROOTHASH",
    ..HEADLESS
};

/// Hashes on the device of the data.
const SAME: &str = "roothash=ROOTHASH systemd.verity_root_data=/dev/nvme0n1 systemd.verity_root_hash=/dev/nvme0n1 \
                    systemd.verity_root_options=hash-offset=16777216 fbunlock.on_failure=poweroff";
const FEC: &str = "roothash=ROOTHASH systemd.verity_root_data=/dev/nvme0n1 systemd.verity_root_hash=/dev/nvme0n1 \
                   systemd.verity_root_options=hash-offset=16777216,fec-device=/dev/nvme0n1,fec-offset=17825792";
const WRONG: &str = "roothash=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef \
                     systemd.verity_root_data=/dev/nvme0n1 systemd.verity_root_hash=/dev/nvme0n1 \
                     systemd.verity_root_options=hash-offset=16777216 fbunlock.on_failure=poweroff";
const UNSIGNED: &str = "roothash=ROOTHASH dm_verity.require_signatures=1 fbunlock.on_failure=poweroff";
const SIGNED: &str = "roothash=ROOTHASH systemd.verity_root_options=root-hash-signature=base64:AAAA \
                      fbunlock.on_failure=poweroff";
const TASKLET: &str = "roothash=ROOTHASH rd.systemd.verity_root_options=try-verify-in-tasklet,panic-on-corruption";
const LATE: &str = "roothash=ROOTHASH systemd.verity_root_data=/dev/vda systemd.verity_root_hash=/dev/vda \
                    systemd.verity_root_options=hash-offset=16777216,x-systemd.device-timeout=60";

pub(super) const CASES: &[Case] = &[
    Case { name: "verity-6.12", on: &[&X86_64, &AARCH64], steps: |run| checked(run, &[]), ..CHECKED },
    Case {
        name: "verity-6.1",
        kernel: "6.1",
        cmdline: TASKLET,
        steps: |run| {
            run.says("root: try-verify-in-tasklet is left out")?;
            checked(run, &["panic_on_corruption"])
        },
        ..CHECKED
    },
    Case {
        name: "verity-tasklet",
        cmdline: TASKLET,
        steps: |run| checked(run, &["panic_on_corruption", "try_verify_in_tasklet"]),
        ..CHECKED
    },
    Case { name: "verity-same-device", disk: "tree", cmdline: SAME, steps: |run| checked(run, &[]), ..CHECKED },
    Case {
        name: "verity-corrupt",
        disk: "tree-corrupt",
        cmdline: SAME,
        steps: |run| switches_off(run, "unlock /dev/nvme0n1: The data is not what its root hash vouches for"),
        ..CHECKED
    },
    Case {
        name: "verity-fec",
        disk: "tree-corrupt",
        cmdline: FEC,
        steps: |run| checked(run, &["use_fec_from_device"]),
        ..CHECKED
    },
    Case {
        name: "verity-wrong-hash",
        disk: "tree",
        cmdline: WRONG,
        steps: |run| switches_off(run, "unlock /dev/nvme0n1: The root hash is wrong"),
        ..CHECKED
    },
    Case {
        name: "verity-no-module",
        disk: "tree",
        cmdline: SAME,
        added: &[],
        steps: |run| switches_off(run, "unlock /dev/nvme0n1: The kernel lacks dm_verity. Load that module"),
        ..CHECKED
    },
    Case {
        name: "verity-unsigned",
        cmdline: UNSIGNED,
        steps: |run| switches_off(run, "unlock root: The kernel wants the root hash to be signed"),
        ..CHECKED
    },
    Case {
        name: "verity-bad-signature",
        cmdline: SIGNED,
        steps: |run| switches_off(run, "unlock root: The kernel does not trust the root hash's signature"),
        ..CHECKED
    },
    Case {
        name: "verity-late",
        disk: "tree",
        bus: Bus::Absent,
        qemu: &["-device", "pcie-root-port,id=socket"],
        cmdline: LATE,
        display: CASE.display,
        input: CASE.input,
        steps: comes_late,
        ..CHECKED
    },
];

/// The system inside runs, and its mapping is one of dm-verity with these words.
fn checked(run: &mut Run, words: &[&str]) -> Result<()> {
    run.says("and is what its root hash vouches for")?;
    let proof = run.proof()?;
    let table = proof.line("table root: 0 ")?;
    if !table.contains(" verity 1 ") || words.iter().any(|word| !table.split(' ').any(|other| other == *word)) {
        return fail(format!("no verity, or without {words:?}: {table}"));
    }
    proof.clean()
}

/// Until the disk is there the screen says what is waited for.
fn comes_late(run: &mut Run) -> Result<()> {
    run.screen(&product::frame_waiting(&run.case, "/dev/vda")?)?;
    run.plug_disk()?;
    checked(run, &[])
}
