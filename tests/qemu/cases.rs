//! The cases. Each is a few lines; what is not named is as in [`CASE`]. On 32-bit ARM, which TCG and
//! module signatures make slow, runs only what a width of 32 bits could break.

use crate::arch::{AARCH64, ARCHES, ARM, X86_64};
use crate::case::{Bus, CASE, Case, Display, Initramfs, Input, VESA_16, VESA_24};
use crate::command::{self, COMMAND, Command};
use crate::failure::{Result, fail};
use crate::late;
use crate::probe;
use crate::product;
use crate::run::Run;
use crate::scanout::{self, Scanout};
use crate::screen::{Frame, Size};

const HARNESS: Case = Case { initramfs: Initramfs::Probe, steps: probe::picture_and_input, ..CASE };

pub(crate) const CASES: &[Case] = &[
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
    Case { name: "screen-6.12", steps: unlock_to_the_pixel, ..CASE },
    Case {
        name: "screen-bochs",
        input: Input::Keyboard,
        display: Display::Bochs(1024, 600),
        steps: unlock_to_the_pixel,
        ..CASE
    },
    Case { name: "screen-6.1", kernel: "6.1", steps: unlock_to_the_pixel, ..CASE },
    // A width whose rows a driver may pad, and a phone's panel of today.
    Case { name: "screen-1366x768", display: Display::VirtioGpu(1366, 768), steps: unlock_to_the_pixel, ..CASE },
    Case { name: "screen-1080x2400", display: Display::VirtioGpu(1080, 2400), steps: unlock_to_the_pixel, ..CASE },
    // Framebuffers that are there before any driver.
    Case { name: "firmware", display: Display::Firmware, steps: unlock_to_the_pixel, ..CASE },
    Case { name: "memory-565-padded", kernel: "6.1", on: &[&AARCH64, &ARM], ..memory("r5g6b5", 720, 1280, 1536) },
    Case { name: "memory-1555", ..memory("x1r5g5b5", 480, 800, 960) },
    Case { name: "memory-888", ..memory("r8g8b8", 480, 854, 1440) },
    Case { name: "memory-abgr", ..memory("a8b8g8r8", 800, 480, 3200) },
    Case { name: "memory-2101010", ..memory("x2r10g10b10", 540, 960, 2176) },
    Case { name: "cirrus", on: &[&X86_64], display: Display::Cirrus, steps: unlock_to_the_pixel, ..CASE },
    Case { name: "vesa-16", ..vesa(VESA_16) },
    Case { name: "vesa-24", ..vesa(VESA_24) },
    Case { name: "virtual-bgr-16", ..read_back(16) },
    Case { name: "virtual-bgr-24", ..read_back(24) },
    Case { name: "virtual-palette", ..read_back(8) },
    Case {
        name: "mirror",
        display: Display::Bochs(800, 480),
        cmdline: "fbunlock.framebuffer=all",
        qemu: &["-device", "bochs-display,id=other,xres=1024,yres=600"],
        steps: mirror,
        ..CASE
    },
    // Panels that are mounted otherwise.
    Case { name: "rotate-90", cmdline: "fbcon=rotate:1", rotation: 1, steps: unlock_to_the_pixel, ..CASE },
    Case {
        name: "rotate-180",
        display: Display::Bochs(1024, 600),
        cmdline: "fbcon=rotate:2",
        rotation: 2,
        steps: unlock_to_the_pixel,
        ..CASE
    },
    Case { name: "rotate-270", cmdline: "fbcon=rotate:3", rotation: 3, steps: unlock_to_the_pixel, ..CASE },
    Case {
        name: "rotate-panel",
        cmdline: "video=Virtual-1:720x1440,panel_orientation=right_side_up",
        rotation: 1,
        steps: unlock_to_the_pixel,
        ..CASE
    },
    Case {
        name: "rotate-wish",
        input: Input::Tablet,
        display: Display::Bochs(1024, 600),
        cmdline: "fbcon=rotate:1 fbunlock.rotate=270 fbunlock.refresh=on",
        rotation: 3,
        steps: unlock_to_the_pixel,
        ..CASE
    },
    Case { name: "rotate-tree", rotation: 3, ..memory("r5g6b5", 720, 1280, 1536) },
    // Displays that come and go.
    Case { name: "takeover-vesa", late: &["bochs"], qemu: SOCKET, steps: takeover, ..vesa(VESA_16) },
    Case {
        name: "takeover-firmware",
        on: &[&X86_64],
        display: Display::FirmwareVga,
        cmdline: "modprobe.blacklist=bochs",
        late: &["bochs"],
        qemu: SOCKET,
        steps: takeover,
        ..CASE
    },
    Case { name: "display-late", qemu: SOCKET_AND_TOUCH, steps: display_late, ..HEADLESS },
    Case { name: "display-gone", qemu: SOCKET_AND_TOUCH, steps: display_gone, ..HEADLESS },
    Case { name: "display-unbound", late: &[late::UNBIND], qemu: SOCKET, steps: display_unbound, ..CASE },
    Case { name: "terminals-switch", late: &[late::SWITCH], qemu: SOCKET, steps: terminals_switch, ..CASE },
    Case { name: "display-held", late: &[late::MASTER], qemu: SOCKET, steps: display_held, ..CASE },
    Case {
        name: "idle",
        input: Input::Keyboard,
        display: Display::Bochs(1024, 600),
        cmdline: "fbunlock.dim_after=1 fbunlock.blank_after=6",
        steps: idle,
        ..CASE
    },
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
        commands: COMMANDS,
        steps: commands,
        ..CASE
    },
    // What ends before the root.
    Case {
        name: "init-no-device",
        initramfs: Initramfs::Bare,
        cmdline: "fbunlock.on_failure=poweroff",
        steps: |run| switches_off(run, "fbunlock: unlock: no device is given"),
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
            switches_off(run, "fbunlock: unlock /dev/nvme0n1: The kernel has no device-mapper or no crypt target")
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

/// A framebuffer in memory, which a device tree tells of: phones have one before their GPU's driver.
const fn memory(format: &'static str, width: u32, height: u32, stride: u32) -> Case {
    let scanout = Scanout { format, size: Size { width, height }, stride };
    Case { on: &[&AARCH64], display: Display::Memory(scanout), steps: unlock_to_the_pixel, ..CASE }
}

/// A framebuffer that the BIOS has set up, whose card has a driver that is not loaded.
const fn vesa(mode: u32) -> Case {
    let (display, cmdline) = (Display::Vesa(mode), if mode == VESA_16 { VGA_16 } else { VGA_24 });
    Case { on: &[&X86_64], display, cmdline, steps: unlock_to_the_pixel, ..CASE }
}

/// A framebuffer that nothing shows, and whose memory is read in the guest.
const fn read_back(bits: u32) -> Case {
    Case {
        on: &[&X86_64],
        display: Display::Virtual(bits),
        cmdline: match bits {
            8 => PALETTE_8,
            16 => BGR_16,
            _ => BGR_24,
        },
        late: &[late::READ],
        qemu: SOCKET,
        steps: unlock_read_back,
        ..CASE
    }
}

const PALETTE_8: &str = "vfb.vfb_enable=1 vfb.videomemorysize=1048576 vfb.mode_option=640x480-8";
const BGR_16: &str = "vfb.vfb_enable=1 vfb.videomemorysize=1048576 vfb.mode_option=640x480-16";
const BGR_24: &str = "vfb.vfb_enable=1 vfb.videomemorysize=1048576 vfb.mode_option=640x480-24";

const VGA_16: &str = "vga=0x317 modprobe.blacklist=bochs";
const VGA_24: &str = "vga=0x318 modprobe.blacklist=bochs";

/// What something can be plugged into, a card with 16 MiB of memory for example.
const SOCKET: &[&str] = &["-device", "pcie-root-port,id=socket,pref32-reserve=32M"];
const SOCKET_AND_TOUCH: &[&str] =
    &["-device", "pcie-root-port,id=socket,pref32-reserve=32M", "-device", "virtio-multitouch-pci"];

/// A second disk, /dev/vda, on which there is nothing.
const ZEROES: &[&str] = &[
    "-drive",
    "if=none,id=zeroes,format=raw,file.driver=null-co,file.size=1M,file.read-zeroes=on",
    "-device",
    "virtio-blk-pci,drive=zeroes",
];

/// What `fbunlock unlock` comes to when something is wrong. The root's disk stays open meanwhile.
const COMMANDS: &[Command] = &[
    Command { words: "", exit: "1", says: "no command given; see fbunlock --help", ..COMMAND },
    Command { words: "nonsense", exit: "1", says: "unexpected argument \"nonsense\"", ..COMMAND },
    Command { words: "init", exit: "1", says: "only process 1 of an initramfs can be init", ..COMMAND },
    Command { words: "unlock --name x", exit: "1", says: "unlock needs --device", ..COMMAND },
    Command { words: "unlock --device /dev/nvme0n1", exit: "1", says: "unlock needs --name", ..COMMAND },
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
    damaged("unlock --device /tmp/short-4096 --name x --key-file /tmp/passphrase", "The device cannot be read"),
    damaged("unlock --device /tmp/short-20000 --name x --key-file /tmp/passphrase", "This is not a LUKS volume"),
    damaged("unlock --device /tmp/short-1048576 --name x --key-file /tmp/passphrase", "This is not a LUKS volume"),
    Command {
        words: "unlock --device /dev/nvme0n1 --name root",
        exit: "5",
        says: "unlock /dev/nvme0n1: A mapping of this name is open already",
        ..COMMAND
    },
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
        marker: "Unlock /dev/nvme0n1|Unlocking was killed, probably for want of memory",
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
const UP: Command =
    Command { words: "unlock --device /dev/nvme0n1 --name x", marker: "Unlock /dev/nvme0n1", ..COMMAND };

/// A thing that is no disk, and a header that is cut off, are not "missing", and no crash.
const fn damaged(words: &'static str, says: &'static str) -> Command {
    Command { words, exit: "4", says, never: "signal", ..COMMAND }
}

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

/// The prompt is on the screen to the pixel, as it comes and after two keys; and it works.
fn unlock_to_the_pixel(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.screen(&product::frame(&run.case, "")?)?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.answer(rest)?;
    let proof = run.proof()?;
    proof.bypasses_workqueues(true)?;
    proof.clean()
}

/// The framebuffer's memory holds the prompt to the bit, as it comes and after two keys.
fn unlock_read_back(run: &mut Run) -> Result<()> {
    let Display::Virtual(bits) = run.case.display else { return fail("no framebuffer to read") };
    let said = |frame: Frame| match bits {
        8 => late::picture(&scanout::seen_palette(&frame)),
        _ => late::picture(&scanout::blue_first(&frame, bits)),
    };
    run.prompt()?;
    run.load_late()?;
    run.says(&said(product::frame(&run.case, "")?))?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.says(&said(product::frame(&run.case, start)?))?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// A second, larger screen shows the same in its middle.
fn mirror(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    let frame = product::frame(&run.case, start)?;
    run.screen(&frame)?;
    run.other_screen("other", &frame.centred(Size { width: 1024, height: 600 }))?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// The card's own driver takes the firmware's framebuffer while half of the passphrase is typed: the
/// other size and depth are drawn, and what was typed stays.
fn takeover(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let (start, rest) = run.passphrase().split_at(3);
    run.type_text(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.load_late()?;
    run.shows_on(Display::Bochs(1280, 800));
    run.screen(&product::frame(&run.case, start)?)?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// The console asks until there is a display, and what was typed there counts.
fn display_late(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.plug("bochs-display", "late")?;
    run.shows_on(Display::Bochs(1280, 800));
    run.case.input = Input::Touch;
    run.screen(&product::frame(&run.case, start)?)?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// A display that goes leaves the console, and one that comes takes over again.
fn display_gone(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.plug("bochs-display", "first")?;
    run.shows_on(Display::Bochs(1280, 800));
    run.screen(&product::frame(&run.case, "")?)?;
    run.case.input = Input::Touch;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.unplug_display("first")?;
    run.plug("secondary-vga,xres=800,yres=480", "second")?;
    run.shows_on(Display::Bochs(800, 480));
    run.screen(&product::frame(&run.case, start)?)?;
    run.unplug_display("second")?;
    run.case.input = Input::Serial;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// Whatever is done to the terminal behind it, the prompt is there again.
fn terminals_switch(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.load_late()?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// That another program holds the display is told; when it lets go, the picture is there.
fn display_held(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.load_late()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.says("show the picture on /dev/fb0: Device or resource busy (EBUSY); another program holds the display")?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// Where nobody types it gets dark, and the key that wakes types nothing.
fn idle(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    let frame = product::frame(&run.case, start)?;
    run.screen(&frame)?;
    run.screen(&Frame::draw(run.case.panel(), |_, _| [0; 3]))?;
    run.type_text("q")?;
    run.screen(&frame)?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// A driver that is taken off its display lets the console ask, and the kernel does not hang.
fn display_unbound(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.load_late()?;
    run.says("the display is gone; asking on the console")?;
    run.prompt()?;
    run.case.input = Input::Serial;
    run.answer(rest)?;
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
    command::check(run.case.commands, &proof)?;
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
