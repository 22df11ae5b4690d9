//! Which volumes are opened, by what they are found, and what opens them.

mod flag;

use std::time::Duration;

use crate::arch::{AARCH64, Arch, X86_64};
use crate::case::{self, Bus, Case, Content, Display, Initramfs, Input};
use crate::failure::{Result, fail};
use crate::late;
use crate::product;
use crate::run::Run;

/// What these cases are about is the same whatever the processor: they run on one, and the longest of them on another.
const CASE: Case = Case { on: &[&X86_64], ..case::CASE };
const HEADLESS: Case = Case { on: &[&X86_64], ..super::HEADLESS };
const BOTH: &[&Arch] = &[&X86_64, &AARCH64];

/// The root is looked for by what is on it, and called so.
const FOUND: Case = Case { initramfs: Initramfs::Bare, disk: "found", title: "root", ..CASE };

const SOCKET: &[&str] = &["-device", "pcie-root-port,id=socket"];
const SMALL: &[&str] = &["-m", "256"];

const THREE: &str = "rd.luks.name=5eed0001-0000-4000-8000-000000000001=root \
                     rd.luks.name=5eed0001-0000-4000-8000-000000000002=home \
                     rd.luks.name=5eed0001-0000-4000-8000-000000000003=data";
/// The third one in Debian's way.
const TABLE: &str = "# three volumes\n\
                     root UUID=5eed0001-0000-4000-8000-000000000001 none luks\n\
                     home UUID=5eed0001-0000-4000-8000-000000000002 none luks,x-initrd.attach\n\
                     data /dev/disk/by-uuid/5eed0001-0000-4000-8000-000000000003 none luks,initramfs\n";
const OPTIONAL: &str = "gone UUID=5eed0001-0000-4000-8000-0000000000ff none nofail,x-systemd.device-timeout=2\n\
                        root UUID=5eed0001-0000-4000-8000-000000000001 none luks\n\
                        home UUID=5eed0001-0000-4000-8000-000000000002 none luks\n";
const ROOT: &str = "rd.luks.name=5eed0001-0000-4000-8000-000000000001=root";
const KEY: &str = "rd.luks.name=5eed0001-0000-4000-8000-000000000001=root \
                   rd.luks.key=5eed0001-0000-4000-8000-000000000001=/key:LABEL=KEYS rd.luks.key.tout=0";

pub(super) const CASES: &[Case] = &[
    Case { name: "volumes-three-6.12", on: BOTH, cmdline: THREE, disks: &["home", "data"], steps: three, ..FOUND },
    Case { name: "volumes-three-6.1", cmdline: THREE, disks: &["home", "data"], kernel: "6.1", steps: three, ..FOUND },
    Case {
        name: "volumes-crypttab",
        files: &[("etc/crypttab", Content::Text(TABLE))],
        disks: &["data", "home"],
        steps: three,
        ..FOUND
    },
    Case {
        name: "volumes-nofail",
        files: &[("etc/crypttab", Content::Text(OPTIONAL))],
        disks: &["home"],
        steps: one_missing,
        ..FOUND
    },
    Case {
        name: "volume-partlabel",
        disk: "parted",
        cmdline: "fbunlock.device=PARTLABEL=cryptroot root=UUID=5eed00f5-0000-4000-8000-000000000001",
        steps: super::unlock,
        ..FOUND
    },
    Case {
        name: "volume-uuid",
        disk: "parted",
        cmdline: "cryptdevice=UUID=5eed0001-0000-4000-8000-000000000001:root \
                  root=UUID=5eed00f5-0000-4000-8000-000000000001",
        kernel: "6.1",
        steps: super::unlock,
        ..FOUND
    },
    Case {
        name: "volume-late",
        bus: Bus::Absent,
        qemu: SOCKET,
        cmdline: "rd.luks.name=5eed0001-0000-4000-8000-000000000001=root \
                  rd.luks.options=x-systemd.device-timeout=60",
        steps: comes_late,
        ..FOUND
    },
    Case { name: "key-on-disk-6.12", on: BOTH, cmdline: KEY, disks: &["keys"], steps: by_key, ..FOUND },
    Case { name: "key-on-disk-6.1", cmdline: KEY, disks: &["keys"], kernel: "6.1", steps: by_key, ..FOUND },
    Case {
        name: "key-on-vfat",
        cmdline: KEY,
        disks: &["keys-vfat"],
        added: &["vfat", "nls_cp437", "nls_iso8859_1", "nls_ascii"],
        steps: by_key,
        ..FOUND
    },
    Case {
        name: "key-plugged-in",
        cmdline: KEY,
        qemu: SOCKET,
        steps: |run| {
            run.prompt()?;
            run.screen(&product::frame(&run.case, "")?)?;
            run.plug_other("keys")?;
            run.proof()?.clean()
        },
        ..FOUND
    },
    Case {
        name: "opened-by-other",
        late: &[late::OPEN],
        qemu: SOCKET,
        files: &[("other-key", Content::Text("horse"))],
        script: |_, _| Ok("unlock --device /dev/nvme0n1 --name root --key-file /other-key".to_owned()),
        steps: other_opens,
        ..CASE
    },
    Case {
        name: "header-file",
        disk: "headless",
        title: "",
        files: &[("boot/header", Content::Disk("header"))],
        cmdline: "fbunlock.device=/dev/nvme0n1 fbunlock.options=header=/boot/header",
        steps: super::unlock,
        ..FOUND
    },
    Case {
        name: "header-device",
        disk: "headless",
        title: "",
        disks: &["header"],
        cmdline: "fbunlock.device=/dev/nvme0n1 \
                  fbunlock.options=header=UUID=5eed0001-0000-4000-8000-000000000001",
        kernel: "6.1",
        steps: super::unlock,
        ..FOUND
    },
    Case {
        name: "header-damaged",
        disk: "wounded",
        cmdline: ROOT,
        steps: |run| {
            run.says("root: the first header was damaged and was repaired")?;
            super::unlock(run)
        },
        ..FOUND
    },
    Case { name: "memory-short", disk: "hungry", qemu: SMALL, steps: too_small, ..CASE },
    Case { name: "worker-killed", disk: "slow", late: &[late::KILL_WORKER], qemu: SOCKET, steps: loses_worker, ..CASE },
    Case {
        name: "formats",
        disk: "found",
        title: "",
        initramfs: Initramfs::Product,
        disks: &["luks1", "adiantum", "header", "headless", "wounded"],
        added: &["adiantum"],
        commands: flag::FORMATS,
        steps: super::commands,
        ..HEADLESS
    },
    Case { name: "worker-cut", disks: &["data"], commands: flag::CUT, steps: super::commands, ..HEADLESS },
    Case {
        name: "init-no-cipher",
        disk: "adiantum",
        cmdline: "fbunlock.tries=1 fbunlock.on_failure=poweroff",
        steps: |run| {
            run.prompt()?;
            run.answer(run.passphrase())?;
            super::switches_off(run, "fbunlock: unlock /dev/nvme0n1: The kernel lacks chacha_generic. Load that module")
        },
        ..HEADLESS
    },
    // What Debian's backports have.
    Case { name: "newest-touch", kernel: "newest", on: &[&X86_64], steps: super::unlock, ..CASE },
    Case {
        name: "newest-three",
        cmdline: THREE,
        disks: &["home", "data"],
        kernel: "newest",
        on: &[&X86_64],
        steps: three,
        ..FOUND
    },
    Case {
        name: "newest-flags",
        disks: &["data", "adiantum"],
        added: &["adiantum"],
        commands: flag::FLAGS,
        kernel: "newest",
        on: &[&X86_64],
        ..BY_HAND
    },
    Case { name: "flags-6.12", disks: &["data"], commands: flag::FLAGS, ..BY_HAND },
    Case { name: "flags-6.1", disks: &["data"], commands: flag::FLAGS_OLD, kernel: "6.1", ..BY_HAND },
];

/// With a prompt on a screen.
const BY_HAND: Case = Case {
    input: Input::Serial,
    display: Display::Bochs(1024, 600),
    qemu: &["-device", "virtio-multitouch-pci"],
    steps: super::commands,
    ..CASE
};

/// One passphrase, typed once, opens all.
fn three(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer(run.passphrase())?;
    let proof = run.proof()?;
    for name in ["root", "home", "data"] {
        proof.line(&format!("table {name}: 0 "))?;
        proof.line(&format!("status {{\"volume\":\"{name}\",\"status\":\"opened\",\"exit\":0,"))?;
    }
    if run.vm.serial.contains("Unlock home: type") || run.vm.serial.contains("Unlock data: type") {
        return fail("the passphrase was asked for again");
    }
    proof.clean()
}

/// Without the volume that may be missing.
fn one_missing(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer(run.passphrase())?;
    run.says("Unlock gone: The device is not there")?;
    let proof = run.proof()?;
    proof.line("table home: 0 ")?;
    proof.line("status {\"volume\":\"gone\",\"status\":\"failed\",\"exit\":4,")?;
    proof.line("status {\"volume\":\"home\",\"status\":\"opened\",\"exit\":0,")?;
    proof.clean()
}

/// Ten seconds of waiting, which the screen tells.
fn comes_late(run: &mut Run) -> Result<()> {
    const DEVICE: &str = "UUID=5eed0001-0000-4000-8000-000000000001";
    run.says(&format!("Unlock root: Waiting for {DEVICE}\u{2026}\n"))?;
    run.screen(&product::frame_waiting(&run.case, DEVICE)?)?;
    run.pass(Duration::from_secs(10))?;
    run.screenshot("waiting.png", &[product::frame_waiting(&run.case, DEVICE)?])?;
    run.plug_disk()?;
    run.prompt()?;
    run.screen(&product::frame(&run.case, "")?)?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// Nobody types anything.
fn by_key(run: &mut Run) -> Result<()> {
    let proof = run.proof_within(crate::run::BOOT, |_| {})?;
    proof.bypasses_workqueues(true)?;
    if run.vm.serial.contains("press Enter") {
        return fail("it asked");
    }
    proof.clean()
}

/// The prompt ends with success when somebody else has opened the volume.
fn other_opens(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.type_text("hor")?;
    run.screen(&product::frame(&run.case, "hor")?)?;
    run.plug(late::TRIGGER, "late")?;
    run.says("/dev/nvme0n1 is open already as root")?;
    let proof = run.proof()?;
    proof.is("status {\"volume\":\"/dev/nvme0n1\",\"status\":\"already open\",\"exit\":0,\
         \"device\":\"/dev/nvme0n1\",\"name\":\"root\",\"effective\":null}")?;
    proof.clean()
}

/// Told before anything is typed, and again when it was tried.
fn too_small(run: &mut Run) -> Result<()> {
    const SHORT: &str = "Not enough memory: the keyslot needs 1.0 GiB, ";
    run.says(&format!("Unlock /dev/nvme0n1: {SHORT}"))?;
    let free_mib: u64 = run.number()?;
    run.screenshot("short.png", &[product::frame_short(&run.case, 1 << 20, free_mib << 10)?])?;
    run.answer(run.passphrase())?;
    run.says("Unlocking\u{2026}")?;
    run.says(SHORT)?;
    run.stays()
}

/// Killed while it derives the key: that is told, what was typed is still there, and works.
fn loses_worker(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.answer(run.passphrase())?;
    run.says("Unlocking\u{2026}")?;
    run.plug(late::TRIGGER, "late")?;
    run.says("Unlocking was killed, probably for want of memory: type the passphrase and press Enter\n")?;
    run.answer("")?;
    let proof = run.proof()?;
    proof.bypasses_workqueues(true)?;
    proof.clean()
}
