//! Framebuffers of every kind: to the pixel, turned, taken over, late, gone, dark.

use super::HEADLESS;
use crate::arch::{AARCH64, ARM, X86_64};
use crate::case::{CASE, Case, Display, Input, VESA_16, VESA_24};
use crate::failure::{Result, fail};
use crate::late;
use crate::product;
use crate::run::Run;
use crate::scanout::{self, Scanout};
use crate::screen::{Frame, Size};

pub(super) const CASES: &[Case] = &[
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
    Case { name: "logo", logo: true, steps: unlock_to_the_pixel, ..CASE },
    Case { name: "logo-broken", cmdline: "fbunlock.logo=/init", steps: logo_broken, ..CASE },
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
    Case {
        name: "mirror-small",
        display: Display::Bochs(1024, 600),
        cmdline: "fbunlock.framebuffer=all",
        qemu: &["-device", "bochs-display,id=other,xres=800,yres=480"],
        steps: mirror_small,
        ..CASE
    },
    Case {
        name: "mirror-late",
        display: Display::Bochs(1024, 600),
        input: Input::Keyboard,
        cmdline: "fbunlock.framebuffer=all fbunlock.blank_after=6",
        qemu: SOCKET,
        steps: mirror_late,
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
    Case { name: "terminal-text", late: &[late::TEXT], qemu: SOCKET, steps: terminals_switch, ..CASE },
    Case {
        name: "monitor-moves",
        display: Display::Bochs(800, 480),
        late: &[late::UNPLUG],
        qemu: SOCKET_AND_OTHER,
        steps: monitor_moves,
        ..CASE
    },
    Case { name: "still", late: &[late::COUNT], qemu: SOCKET, steps: still, ..CASE },
    Case { name: "display-held", late: &[late::MASTER], qemu: SOCKET, steps: display_held, ..CASE },
    Case {
        name: "idle",
        input: Input::Keyboard,
        display: Display::Bochs(1024, 600),
        cmdline: "fbunlock.dim_after=1 fbunlock.blank_after=6",
        steps: idle,
        ..CASE
    },
];

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

const SOCKET_AND_OTHER: &[&str] =
    &["-device", "pcie-root-port,id=socket,pref32-reserve=32M", "-device", "bochs-display,id=other,xres=1024,yres=600"];

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

/// A logo that is none is told, and that is all.
fn logo_broken(run: &mut Run) -> Result<()> {
    run.says("show /init: it is neither a QOI nor a BMP file; there is no logo")?;
    unlock_to_the_pixel(run)
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

/// A second, smaller screen shows all of it.
fn mirror_small(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let small = |frame: Frame| frame.shrunk(Size { width: 800, height: 480 });
    run.other_screen("other", &small(product::frame(&run.case, "")?))?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    let frame = product::frame(&run.case, start)?;
    run.screen(&frame)?;
    run.other_screen("other", &small(frame))?;
    run.answer(rest)?;
    run.proof()?.clean()
}

/// A second screen that comes in the dark shows the prompt, and so does the first one again.
fn mirror_late(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.screen(&product::frame(&run.case, "")?)?;
    run.screen(&Frame::draw(run.case.panel(), |_, _| [0; 3]))?;
    run.plug("bochs-display,xres=640,yres=480", "late")?;
    let frame = product::frame(&run.case, "")?;
    run.other_screen("late", &frame.shrunk(Size { width: 640, height: 480 }))?;
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// When the monitor in use is pulled out, the prompt is on the other one, and nobody has to press a key.
fn monitor_moves(run: &mut Run) -> Result<()> {
    run.prompt()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.screen(&product::frame(&run.case, start)?)?;
    run.load_late()?;
    run.shows_on(Display::Bochs(1024, 600));
    run.other_screen("other", &product::frame(&run.case, start)?)?;
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

/// While nothing happens, nothing runs.
fn still(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.screen(&product::frame(&run.case, "")?)?;
    run.load_late()?;
    if !run.vm.serial.contains("late: 0 switches") {
        return fail("the prompt woke up while nothing happened");
    }
    run.answer(run.passphrase())?;
    run.proof()?.clean()
}

/// That another program holds the display is told; when it lets go, the picture is there.
fn display_held(run: &mut Run) -> Result<()> {
    run.prompt()?;
    run.load_late()?;
    let (start, rest) = run.passphrase().split_at(2);
    run.type_text(start)?;
    run.says("show the picture on /dev/fb0: Resource busy (EBUSY); another program holds the display")?;
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
