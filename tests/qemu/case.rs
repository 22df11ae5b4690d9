//! What a case is, and what its steps can do.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::disk;
use crate::failure::{Context, Result, fail};
use crate::input;
use crate::probe;
use crate::product::{self, Product};
use crate::screen::{Frame, Point, Size};
use crate::tool::Tools;
use crate::typist::Key;
use crate::vm::{self, Vm};

/// From the start of QEMU to a marker on the serial line, on a loaded machine.
pub(crate) const BOOT: Duration = Duration::from_secs(90);
/// From an answer to what it leads to.
pub(crate) const STEP: Duration = Duration::from_secs(60);
/// Between two looks at the screen.
const LOOK: Duration = Duration::from_millis(200);

/// The graphics card, which decides the panel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Display {
    /// No framebuffer at all.
    Absent,
    VirtioGpu(u32, u32),
    Bochs(u32, u32),
}

/// What the user answers with. One pointer per machine: QEMU would send a tablet's position and the
/// multitouch's button to different devices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Touch,
    Tablet,
    Keyboard,
}

/// How the disk is attached, which decides what the guest reads in `queue/rotational`, measured with
/// kernels 6.1 and 6.12: 0 for NVMe and for rotation_rate 1, which means that nothing turns; 1 for
/// any other rate (revolutions a minute), for rate 0 (not told) and for virtio-blk, always.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bus {
    Nvme,
    VirtioBlk,
    Scsi { rotation_rate: u32 },
    Ahci { rotation_rate: u32 },
}

/// What the initramfs holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Initramfs {
    /// fbunlock, written by `fbunlock image`.
    Product,
    /// The harness' own stand-in.
    Probe,
}

/// One test.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) kernel: &'static str,
    pub(crate) initramfs: Initramfs,
    pub(crate) display: Display,
    pub(crate) input: Input,
    pub(crate) disk: &'static str,
    pub(crate) bus: Bus,
    /// Added to QEMU's arguments.
    pub(crate) qemu: &'static [&'static str],
    /// Added to the kernel's command line.
    pub(crate) cmdline: &'static str,
    pub(crate) steps: fn(&mut Run) -> Result<()>,
}

/// What most cases share.
pub(crate) const CASE: Case = Case {
    name: "",
    kernel: "6.12",
    initramfs: Initramfs::Product,
    display: Display::VirtioGpu(720, 1440),
    input: Input::Touch,
    disk: "light",
    bus: Bus::Nvme,
    qemu: &[],
    cmdline: "",
    steps: |_| fail("this case has no steps"),
};

impl Case {
    /// Device arguments for QEMU.
    fn arguments(&self, image: &Path) -> Vec<String> {
        // snapshot: what the guest writes goes to a temporary file that is gone with QEMU.
        let drive = format!("if=none,id=disk,format=raw,snapshot=on,file={}", image.display());
        let mut words = vec!["-drive".to_owned(), drive];
        let mut device = |text: String| words.extend(["-device".to_owned(), text]);
        match self.bus {
            Bus::Nvme => device("nvme,drive=disk,serial=disk".into()),
            Bus::VirtioBlk => device("virtio-blk-pci,drive=disk".into()),
            Bus::Scsi { rotation_rate } => {
                device("virtio-scsi-pci".into());
                device(format!("scsi-hd,drive=disk,rotation_rate={rotation_rate}"));
            }
            Bus::Ahci { rotation_rate } => device(format!("ide-hd,bus=ide.0,drive=disk,rotation_rate={rotation_rate}")),
        }
        match self.display {
            Display::Absent => {}
            Display::VirtioGpu(width, height) => device(format!("virtio-gpu-pci,xres={width},yres={height}")),
            Display::Bochs(width, height) => device(format!("bochs-display,xres={width},yres={height}")),
        }
        match self.input {
            Input::Touch => device("virtio-multitouch-pci".into()),
            Input::Tablet => device("virtio-tablet-pci".into()),
            Input::Keyboard => device("virtio-keyboard-pci".into()),
        }
        words.extend(self.qemu.iter().map(|word| (*word).to_owned()));
        words
    }

    /// Kernel modules that this machine's devices need; some are built into some kernels.
    pub(crate) fn modules(&self) -> Vec<&'static str> {
        let mut names = vec!["virtio_pci"];
        names.extend_from_slice(match self.bus {
            Bus::Nvme => &["nvme"][..],
            Bus::VirtioBlk => &["virtio_blk"],
            Bus::Scsi { .. } => &["virtio_scsi", "sd_mod"],
            Bus::Ahci { .. } => &["ahci", "sd_mod"],
        });
        names.extend_from_slice(match self.display {
            Display::Absent => &[][..],
            Display::VirtioGpu(..) => &["virtio-gpu"],
            Display::Bochs(..) => &["bochs"],
        });
        names.extend(["virtio_input", "evdev"]);
        names
    }

    /// The disk as the guest calls it.
    pub(crate) fn device(&self) -> &'static str {
        match self.bus {
            Bus::Nvme => "/dev/nvme0n1",
            Bus::VirtioBlk => "/dev/vda",
            Bus::Scsi { .. } | Bus::Ahci { .. } => "/dev/sda",
        }
    }

    /// Pixels of the panel.
    pub(crate) fn panel(&self) -> Size {
        let (width, height) = match self.display {
            Display::Absent => (0, 0),
            Display::VirtioGpu(width, height) | Display::Bochs(width, height) => (width, height),
        };
        Size { width, height }
    }
}

/// What all cases use.
pub(crate) struct Bench {
    pub(crate) tools: Tools,
    /// Folder of the guest programs.
    pub(crate) guests: PathBuf,
    /// Why there is none is told by the cases that need it.
    pub(crate) product: Result<Product>,
}

/// A case that is running.
pub(crate) struct Run<'a> {
    pub(crate) case: &'a Case,
    pub(crate) vm: Vm,
    /// What is being done, for the message when it fails.
    pub(crate) step: &'static str,
    folder: &'a Path,
    passphrase: &'static str,
    marker: String,
    /// The layer that the on-screen keyboard shows.
    layer: usize,
}

impl<'a> Run<'a> {
    /// Makes disk and initramfs and starts the machine. `folder` exists and is empty.
    pub(crate) fn start(case: &'a Case, bench: &Bench, folder: &'a Path) -> Result<Self> {
        let kernel = bench.tools.kernel(case.kernel)?;
        let disk = disk::recipe(case.disk)?;
        let image = disk.image(&bench.tools, &bench.guests.join("proof"))?;
        let initramfs = folder.join("initramfs.cpio");
        let mut cmdline = case.cmdline.to_owned();
        match case.initramfs {
            Initramfs::Probe => probe::initramfs(case, &bench.guests, &kernel.modules, &initramfs)?,
            Initramfs::Product => {
                let product = bench.product.as_ref().context("fbunlock")?;
                product.initramfs(case, &kernel.modules, &initramfs)?;
                cmdline = format!("{} {cmdline}", product::CMDLINE);
            }
        }
        let recipe = vm::Recipe {
            kernel: kernel.image,
            initramfs,
            cmdline,
            memory_mib: 512,
            cpus: 1,
            arguments: case.arguments(&image),
        };
        let vm = Vm::start(&bench.tools, &recipe, folder)?;
        let (passphrase, marker) = (disk.passphrase, disk.marker());
        Ok(Self { case, vm, step: "boot", folder, passphrase, marker, layer: 0 })
    }

    /// The right passphrase.
    pub(crate) fn passphrase(&self) -> &'static str {
        self.passphrase
    }

    /// Waits until the prompt can be answered.
    pub(crate) fn prompt(&mut self) -> Result<()> {
        self.step = "wait for the prompt";
        self.vm.serial.expect(product::PROMPT, BOOT)
    }

    /// Types an answer with what the case has for it, and sends it.
    pub(crate) fn answer(&mut self, text: &str) -> Result<()> {
        self.type_text(text)?;
        self.step = "press enter";
        match self.case.input {
            Input::Keyboard => input::keys(&mut self.vm.qmp, &["ret"]),
            Input::Touch | Input::Tablet => {
                let keyboard = product::keyboard(self.case.panel())?;
                let enter = keyboard.key_center(self.layer, Key::Enter)?;
                self.layer = keyboard.lower;
                self.tap(enter)
            }
        }
    }

    /// Types with what the case has for it.
    pub(crate) fn type_text(&mut self, text: &str) -> Result<()> {
        self.step = "type";
        if self.case.input == Input::Keyboard {
            return text.chars().try_for_each(|typed| input::character(&mut self.vm.qmp, typed));
        }
        let keyboard = product::keyboard(self.case.panel())?;
        let taps = keyboard.taps(text, &mut self.layer)?;
        taps.into_iter().try_for_each(|at| self.tap(at))
    }

    /// One short tap or click at a pixel of the panel.
    pub(crate) fn tap(&mut self, at: Point) -> Result<()> {
        let panel = self.case.panel();
        match self.case.input {
            Input::Tablet => input::click(&mut self.vm.qmp, panel, at),
            _ => input::tap(&mut self.vm.qmp, panel, at),
        }
    }

    /// Waits until the unlocker refused an answer.
    pub(crate) fn refused(&mut self) -> Result<()> {
        self.step = "wait for the refusal";
        self.vm.serial.expect(product::REFUSED, STEP)?;
        if self.vm.serial.contains("proof: ") {
            return fail("the volume was opened by a wrong passphrase");
        }
        Ok(())
    }

    /// Waits until the system inside the volume has reported and switched off.
    pub(crate) fn proof(&mut self) -> Result<Proof> {
        self.step = "wait for the system inside the volume";
        let mut lines = vec![self.vm.serial.line("proof: ", STEP)?];
        while lines.last().is_some_and(|line| line != "done") {
            lines.push(self.vm.serial.line("proof: ", STEP)?);
        }
        self.step = "wait for the machine to switch off";
        self.vm.ended(STEP)?;
        self.step = "read the report";
        let proof = Proof { lines };
        proof.is(&format!("root=ext4 marker={}", self.marker))?;
        Ok(proof)
    }

    /// Waits until the screen is `expected` to the pixel. When it never is, the pictures are left in
    /// the case's folder.
    pub(crate) fn screen(&mut self, expected: &Frame, limit: Duration) -> Result<()> {
        self.step = "compare the screen";
        let file = self.folder.join("screen.png");
        let deadline = Instant::now() + limit;
        loop {
            self.vm.qmp.screendump(&file)?;
            let seen = Frame::read(&file)?;
            let Some(difference) = seen.difference(expected) else { return Ok(()) };
            if Instant::now() > deadline {
                seen.explain(expected, self.folder)?;
                return fail(format!("{difference}; see {}", self.folder.display()));
            }
            thread::sleep(LOOK);
        }
    }
}

/// What the system inside the volume reported (tests/qemu/guest/src/bin/proof.rs).
pub(crate) struct Proof {
    lines: Vec<String>,
}

impl Proof {
    /// The report has exactly this line.
    pub(crate) fn is(&self, line: &str) -> Result<()> {
        match self.lines.iter().any(|other| other == line) {
            true => Ok(()),
            false => fail(format!("no line {line:?} in the report:\n{}", self.lines.join("\n"))),
        }
    }

    /// The one line that begins so.
    pub(crate) fn line(&self, start: &str) -> Result<&str> {
        match self.lines.iter().find(|line| line.starts_with(start)) {
            Some(line) => Ok(line),
            None => fail(format!("no line {start:?} in the report:\n{}", self.lines.join("\n"))),
        }
    }

    /// The mapping passes dm-crypt's work queues by, or does not.
    pub(crate) fn passes_workqueues(&self, wanted: bool) -> Result<()> {
        let table = self.line("table ")?;
        for word in ["no_read_workqueue", "no_write_workqueue"] {
            if table.split(' ').any(|other| other == word) != wanted {
                let wanted = if wanted { "lacks" } else { "has" };
                return fail(format!("the mapping {wanted} {word}: {table}"));
            }
        }
        Ok(())
    }

    /// What holds after every good run: a mapping with its key in the keyring, the terminal as it
    /// was, no kernel error, nothing of the initramfs left in memory.
    pub(crate) fn clean(&self) -> Result<()> {
        self.line("table root: 0 ")?;
        self.is("tty mode text keyboard=unicode")?;
        self.is("rootfs leftovers none")?;
        match self.lines.iter().find(|line| line.starts_with("kernel error")) {
            Some(line) => fail(line.as_str()),
            None => Ok(()),
        }
    }
}

/// Makes an empty folder.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).context(format_args!("empty {}", folder.display()));
        }
        _ => {}
    }
    fs::create_dir_all(folder).context(format_args!("create {}", folder.display()))
}
