//! What a case is: a machine, a disk and the steps.

use std::path::Path;

use crate::arch::{AARCH64, Arch, X86_64};
use crate::command::Command;
use crate::failure::{Result, fail};
use crate::run::Run;
use crate::scanout::{self, Scanout};
use crate::screen::{Frame, Size};

/// The graphics card, which decides the panel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Display {
    /// No framebuffer at all.
    Absent,
    VirtioGpu(u32, u32),
    Bochs(u32, u32),
    /// Pixels of 16 bits.
    Cirrus,
    /// What the BIOS has set up before the kernel: the number for `vga=`.
    Vesa(u32),
    /// A piece of memory that nothing shows, of so many bits a pixel, blue in the upper ones; of eight
    /// bits, which are numbers of a palette.
    Virtual(u32),
    /// What UEFI leaves behind, a `ramfb`; no driver of the kernel's knows the card.
    Firmware,
    /// The same on a card that bochs knows.
    FirmwareVga,
    /// A piece of memory that the device tree names.
    Memory(Scanout),
}

/// The size that UEFI gives a `ramfb`.
const FIRMWARE: (u32, u32) = (800, 600);
/// The size that it gives a VGA.
const FIRMWARE_VGA: (u32, u32) = (1280, 800);
/// 1024x768 pixels of 16 bits, and of 24 packed ones.
pub(crate) const VESA_16: u32 = 0x317;
pub(crate) const VESA_24: u32 = 0x318;
const VESA: (u32, u32) = (1024, 768);
const VIRTUAL: (u32, u32) = (640, 480);

impl Display {
    /// What can be seen of a picture on it.
    pub(crate) fn seen(self, frame: &Frame) -> Result<Frame> {
        match self {
            Self::Memory(scanout) => scanout.seen(frame),
            Self::Cirrus | Self::Vesa(VESA_16) => Ok(scanout::seen_565(frame)),
            _ => Ok(Frame { size: frame.size, pixels: frame.pixels.clone() }),
        }
    }
}

/// What the user answers with. One pointer per machine: QEMU would send a tablet's position and the
/// multitouch's button to different devices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Touch,
    Tablet,
    Keyboard,
    UsbTablet,
    /// A pen tablet.
    Wacom,
    UsbMouse,
    /// The one of a PC, behind the controller that has the keyboard as well.
    Ps2Mouse,
    UsbKeyboard,
    /// The serial console.
    Serial,
    /// Nothing, until something is plugged in.
    Absent,
}

/// How the disk is attached, which decides what the guest reads in `queue/rotational`, measured with
/// kernels 6.1 and 6.12: 0 for NVMe and for rotation_rate 1, which means that nothing turns; 1 for
/// any other rate (revolutions a minute), for rate 0 (not told) and for virtio-blk, always.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bus {
    Nvme,
    VirtioBlk,
    Scsi {
        rotation_rate: u32,
    },
    Ahci {
        rotation_rate: u32,
    },
    /// Not at all, until a step plugs it in.
    Absent,
}

/// Where the keymap comes from.
#[derive(Clone, Copy)]
pub(crate) enum Keymap {
    /// The kernel's own.
    Untouched,
    /// Loaded into the kernel before fbunlock starts: a file of `tests/keymap`, and accents in place of the
    /// kernel's if there are any.
    Loaded(&'static str, &'static [[char; 3]]),
    /// The kernel's own, and told first.
    Told,
    /// Given to fbunlock.
    File(&'static str),
}

/// What is in a file.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    Text(&'static str),
    /// The image of that disk.
    Disk(&'static str),
}

/// What the initramfs holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Initramfs {
    /// fbunlock, written by `fbunlock image`.
    Product,
    /// The same without any setting.
    Bare,
    /// The harness' own stand-in.
    Probe,
}

/// One test.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The architectures that it runs on.
    pub(crate) on: &'static [&'static Arch],
    pub(crate) kernel: &'static str,
    pub(crate) initramfs: Initramfs,
    pub(crate) display: Display,
    /// Quarter turns clockwise of the picture on the panel.
    pub(crate) rotation: u32,
    pub(crate) input: Input,
    pub(crate) disk: &'static str,
    pub(crate) bus: Bus,
    /// More disks, `/dev/vda` and so on, behind that of the commands.
    pub(crate) disks: &'static [&'static str],
    /// What the volume is called on the screen; empty for the device.
    pub(crate) title: &'static str,
    /// Files that are added to the initramfs: paths without the first slash.
    pub(crate) files: &'static [(&'static str, Content)],
    /// Kernel modules that are added to it.
    pub(crate) added: &'static [&'static str],
    /// Added to QEMU's arguments.
    pub(crate) qemu: &'static [&'static str],
    /// Added to the kernel's command line.
    pub(crate) cmdline: &'static str,
    /// Whether a picture is put into the initramfs, to be above the title.
    pub(crate) logo: bool,
    pub(crate) keymap: Keymap,
    /// Kernel modules that are loaded when a step says so.
    pub(crate) late: &'static [&'static str],
    /// What input devices are made late, and what is done with them to type this passphrase.
    pub(crate) script: fn(&Self, &str) -> Result<String>,
    /// Run one after the other by the system inside the volume.
    pub(crate) commands: &'static [Command],
    pub(crate) steps: fn(&mut Run) -> Result<()>,
}

/// What most cases share.
pub(crate) const CASE: Case = Case {
    name: "",
    on: &[&X86_64, &AARCH64],
    kernel: "6.12",
    initramfs: Initramfs::Product,
    display: Display::VirtioGpu(720, 1440),
    rotation: 0,
    input: Input::Touch,
    disk: "light",
    bus: Bus::Nvme,
    disks: &[],
    title: "",
    files: &[],
    added: &[],
    qemu: &[],
    cmdline: "",
    logo: false,
    keymap: Keymap::Untouched,
    late: &[],
    script: |_, _| Ok(String::new()),
    commands: &[],
    steps: |_| fail("this case has no steps"),
};

fn usb(device: &mut impl FnMut(String), name: &str) {
    device("qemu-xhci".into());
    device(name.into());
}

impl Case {
    /// Device arguments for QEMU.
    pub(crate) fn arguments(&self, arch: &Arch, image: &Path) -> Vec<String> {
        // snapshot: what the guest writes goes to a temporary file that is gone with QEMU.
        let drive = format!("if=none,id=disk,format=raw,snapshot=on,file={}", image.display());
        let mut words = match self.bus {
            Bus::Absent => Vec::new(),
            _ => vec!["-drive".to_owned(), drive],
        };
        let mut device = |text: String| words.extend(["-device".to_owned(), text]);
        match self.bus {
            Bus::Absent => {}
            Bus::Nvme => device("nvme,drive=disk,serial=disk".into()),
            Bus::VirtioBlk => device("virtio-blk-pci,drive=disk".into()),
            Bus::Scsi { rotation_rate } => {
                device("virtio-scsi-pci".into());
                device(format!("scsi-hd,drive=disk,rotation_rate={rotation_rate}"));
            }
            Bus::Ahci { rotation_rate } => {
                if !arch.ahci.is_empty() {
                    device(arch.ahci.into());
                }
                device(format!("ide-hd,bus=ide.0,drive=disk,rotation_rate={rotation_rate}"));
            }
        }
        match self.display {
            Display::Absent | Display::Memory(_) | Display::Virtual(_) => {}
            Display::Firmware => device("ramfb".into()),
            Display::Vesa(_) | Display::FirmwareVga => device("VGA".into()),
            Display::Cirrus => device("cirrus-vga".into()),
            Display::VirtioGpu(width, height) => device(format!("virtio-gpu-pci,xres={width},yres={height}")),
            Display::Bochs(width, height) => device(format!("bochs-display,xres={width},yres={height}")),
        }
        match self.input {
            Input::Touch => device("virtio-multitouch-pci".into()),
            Input::Tablet => device("virtio-tablet-pci".into()),
            Input::Keyboard => device("virtio-keyboard-pci".into()),
            Input::UsbTablet => usb(&mut device, "usb-tablet"),
            Input::Wacom => usb(&mut device, "usb-wacom-tablet"),
            Input::UsbMouse => usb(&mut device, "usb-mouse"),
            Input::UsbKeyboard => usb(&mut device, "usb-kbd"),
            Input::Ps2Mouse => words.extend(["-machine", "i8042=on"].map(str::to_owned)),
            Input::Serial | Input::Absent => {}
        }
        words.extend(self.qemu.iter().map(|word| (*word).to_owned()));
        words
    }

    /// Kernel modules that this machine's devices need; some are built into some kernels.
    pub(crate) fn modules(&self) -> Vec<&'static str> {
        let mut names = vec!["virtio_pci"];
        names.extend_from_slice(match self.bus {
            Bus::Nvme => &["nvme"][..],
            Bus::VirtioBlk | Bus::Absent => &["virtio_blk"],
            Bus::Scsi { .. } => &["virtio_scsi", "sd_mod"],
            Bus::Ahci { .. } => &["ahci", "sd_mod"],
        });
        names.extend_from_slice(match self.display {
            Display::Cirrus => &["cirrus"],
            Display::Virtual(_) => &["vfb"],
            Display::Absent | Display::Memory(_) => &[][..],
            Display::Firmware | Display::FirmwareVga | Display::Vesa(_) => &[],
            Display::VirtioGpu(..) => &["virtio-gpu"],
            Display::Bochs(..) => &["bochs"],
        });
        names.extend_from_slice(match self.input {
            Input::UsbTablet | Input::UsbMouse | Input::UsbKeyboard => &["xhci_pci", "usbhid", "hid_generic"],
            Input::Wacom => &["xhci_pci", "usbhid", "wacom"],
            Input::Ps2Mouse => &["psmouse"],
            _ => &["virtio_input"][..],
        });
        names.push("evdev");
        names.extend_from_slice(self.added);
        names
    }

    /// What the volume is called.
    pub(crate) fn title(&self) -> &'static str {
        if self.title.is_empty() { self.device() } else { self.title }
    }

    /// The disk as the guest calls it.
    pub(crate) fn device(&self) -> &'static str {
        match self.bus {
            Bus::Nvme => "/dev/nvme0n1",
            Bus::VirtioBlk | Bus::Absent => "/dev/vda",
            Bus::Scsi { .. } | Bus::Ahci { .. } => "/dev/sda",
        }
    }

    /// Pixels of the panel.
    pub(crate) fn panel(&self) -> Size {
        let (width, height) = match self.display {
            Display::Absent => (0, 0),
            Display::Firmware => FIRMWARE,
            Display::FirmwareVga => FIRMWARE_VGA,
            Display::Vesa(_) | Display::Cirrus => VESA,
            Display::Virtual(_) => VIRTUAL,
            Display::Memory(scanout) => return scanout.size,
            Display::VirtioGpu(width, height) | Display::Bochs(width, height) => (width, height),
        };
        Size { width, height }
    }
}
