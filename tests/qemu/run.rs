//! A case that is running, and what its steps can do.

mod plug;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::arch::Arch;
use crate::case::{Case, Display, Initramfs, Input};
use crate::command;
use crate::disk;
use crate::failure::{Context, Failure, Result, fail};
use crate::file;
use crate::input;
use crate::keymap;
use crate::late;
use crate::probe;
use crate::product::{self, Cursor, Product};
use crate::proof::Proof;
use crate::screen::{Frame, Point};
use crate::tool::{self, Tools};
use crate::tree;
use crate::typist::Key;
use crate::vm::{self, Vm};

/// From the start of QEMU to a marker on the serial line, on a loaded machine.
pub(crate) const BOOT: Duration = Duration::from_secs(90);
/// From an answer to what it leads to.
pub(crate) const STEP: Duration = Duration::from_secs(60);
/// Until what was drawn is on the screen.
pub(crate) const SCREEN: Duration = Duration::from_secs(20);
/// How long a machine is watched that must not switch off.
const STAY: Duration = Duration::from_secs(3);
/// Between two looks at the screen.
const LOOK: Duration = Duration::from_millis(200);

/// What all cases use.
pub(crate) struct Bench {
    pub(crate) tools: Tools,
    kits: Vec<Kit>,
}

/// What the cases of one architecture use.
pub(crate) struct Kit {
    pub(crate) arch: &'static Arch,
    /// Folder of the guest programs.
    guests: PathBuf,
    /// Why there is none is told by the cases that need it.
    product: Result<Product>,
}

impl Bench {
    /// Fetches and builds what these cases need; `window` for a QEMU that can open one.
    pub(crate) fn set_up(cases: &[(&Case, &'static Arch)], window: bool) -> Result<Self> {
        let mut words = Vec::from_iter(window.then(|| "--window".to_owned()));
        let mut kits: Vec<Kit> = Vec::new();
        for (case, arch) in cases {
            let kernel = format!("{arch}/{}", case.kernel);
            if !words.contains(&kernel) {
                words.push(kernel);
            }
            if kits.iter().all(|kit| kit.arch != *arch) {
                kits.push(Kit { arch, guests: tool::build_guests(arch)?, product: Product::find(arch) });
            }
        }
        Ok(Self { tools: Tools::set_up(&words)?, kits })
    }

    fn kit(&self, arch: &Arch) -> Result<&Kit> {
        let found = self.kits.iter().find(|kit| kit.arch == arch);
        found.ok_or_else(|| Failure(format!("nothing was set up for {arch}")))
    }
}

impl Kit {
    fn proof(&self) -> PathBuf {
        self.guests.join("proof")
    }

    fn product(&self) -> Result<&Product> {
        self.product.as_ref().context("fbunlock")
    }
}

/// A case that is running.
pub(crate) struct Run<'a> {
    /// What it is now: displays come and go.
    pub(crate) case: Case,
    arch: &'static Arch,
    pub(crate) vm: Vm,
    /// What is being done, for the message when it fails.
    pub(crate) step: &'static str,
    folder: &'a Path,
    bench: &'a Bench,
    image: PathBuf,
    passphrase: &'static str,
    marker: String,
    /// The layer that the on-screen keyboard shows.
    layer: usize,
    /// Where the guest's cursor is.
    cursor: Cursor,
    /// The pointer's surface has its upper edge below.
    is_mirrored: bool,
}

impl<'a> Run<'a> {
    /// Makes disk and initramfs and starts the machine. `folder` exists and is empty.
    pub(crate) fn start(case: &'a Case, arch: &'static Arch, bench: &'a Bench, folder: &'a Path) -> Result<Self> {
        let (tools, kit) = (&bench.tools, bench.kit(arch)?);
        let kernel = tools.kernel(arch, case.kernel)?;
        let disk = disk::recipe(case.disk)?;
        let image = disk.image(tools, &kit.proof())?;
        let initramfs = folder.join("initramfs.cpio");
        let mut words = case.cmdline.to_owned();
        match case.initramfs {
            Initramfs::Probe => probe::initramfs(case, &kit.guests, &kernel.modules, &initramfs)?,
            Initramfs::Product | Initramfs::Bare => {
                kit.product()?.initramfs(case, &kernel.modules, &initramfs)?;
                if !case.late.is_empty() {
                    late::append(case, disk.passphrase, &kit.guests, &kernel.modules, &initramfs)?;
                    words.push_str(late::CMDLINE);
                }
                words.push_str(keymap::append(case, &kit.guests, &initramfs)?);
                file::append(case, tools, &kit.proof(), &initramfs)?;
                words = format!("{} {words}", product::cmdline(&words));
                if words.contains(tree::ROOT_HASH) {
                    let disk = fs::read(&image).context(format_args!("read {}", image.display()))?;
                    words = words.replace(tree::ROOT_HASH, &tree::root_hash(&disk)?);
                }
            }
        }
        let machine = vm::machine(tools, arch);
        let mut arguments = case.arguments(arch, &image);
        if !case.commands.is_empty() {
            let binary = kit.product()?.binary();
            let contents = command::Contents { binary, passphrase: disk.passphrase, volume: &image };
            arguments.extend(command::disk(tools, case.commands, &contents, folder)?);
            words.push_str(command::CMDLINE);
        }
        for (number, name) in case.disks.iter().enumerate() {
            let image = disk::recipe(name)?.image(tools, &kit.proof())?;
            let drive = format!("if=none,id=disk{number},format=raw,snapshot=on,file={}", image.display());
            let device = format!("virtio-blk-pci,drive=disk{number}");
            arguments.extend(["-drive".to_owned(), drive, "-device".to_owned(), device]);
        }
        let mut image_name = arch.kernel;
        match case.display {
            Display::Memory(scanout) => {
                arguments.extend(scanout.tree(tools, &machine, (arch.ram_start, case.rotation), folder)?)
            }
            Display::Vesa(_) => image_name = arch.efi_kernel,
            Display::Firmware | Display::FirmwareVga => {
                arguments.extend(["-bios".to_owned(), tools.share(arch.firmware).display().to_string()]);
                image_name = arch.efi_kernel;
            }
            _ => {}
        }
        let (kernel, cmdline) = (kernel.folder.join(image_name), vm::cmdline(arch, &words));
        let vm = Vm::start(&vm::Recipe { machine: &machine, kernel, initramfs, cmdline, arguments }, folder)?;
        let (passphrase, marker) = (disk.passphrase, disk.marker());
        Ok(Self {
            case: *case,
            arch,
            vm,
            step: "boot",
            folder,
            bench,
            image,
            passphrase,
            marker,
            layer: 0,
            cursor: Cursor::default(),
            is_mirrored: false,
        })
    }

    /// Takes the case's steps. Whatever they expect, the kernel never panics.
    pub(crate) fn go(&mut self) -> Result<()> {
        (self.case.steps)(self)?;
        self.step = "look for a panic of the kernel";
        self.vm.calm()
    }

    /// The right passphrase.
    pub(crate) fn passphrase(&self) -> &'static str {
        self.passphrase
    }

    /// Waits until the prompt can be answered.
    pub(crate) fn prompt(&mut self) -> Result<()> {
        self.step = "wait for the prompt";
        self.vm.serial.expect(&product::prompt_line(&self.case)?, BOOT)
    }

    /// Types an answer with what the case has for it, and sends it.
    pub(crate) fn answer(&mut self, text: &str) -> Result<()> {
        self.type_text(text)?;
        self.step = "press enter";
        match self.case.input {
            Input::Serial => self.vm.type_serial("\r"),
            Input::Absent => fail("this case has nothing to type with"),
            Input::Keyboard | Input::UsbKeyboard => input::keys(&mut self.vm.qmp, &["ret"]),
            _ => {
                let keyboard = product::keyboard(&self.case)?;
                self.tap(keyboard.key_center(self.layer, Key::Enter)?)
            }
        }
    }

    /// Types with what the case has for it.
    pub(crate) fn type_text(&mut self, text: &str) -> Result<()> {
        self.step = "type";
        match self.case.input {
            Input::Keyboard | Input::UsbKeyboard => {
                return text.chars().try_for_each(|typed| input::character(&mut self.vm.qmp, typed));
            }
            Input::Serial => return self.vm.type_serial(text),
            Input::Absent => return fail("this case has nothing to type with"),
            _ => {}
        }
        let keyboard = product::keyboard(&self.case)?;
        let taps = keyboard.taps(text, &mut self.layer)?;
        taps.into_iter().try_for_each(|at| self.tap(at))
    }

    /// One short tap or click at a pixel of the panel.
    pub(crate) fn tap(&mut self, at: Point) -> Result<()> {
        let panel = self.case.panel();
        let at = if self.is_mirrored { Point { y: panel.height - 1 - at.y, ..at } } else { at };
        match self.case.input {
            Input::Tablet | Input::UsbTablet | Input::Wacom => input::click(&mut self.vm.qmp, panel, at),
            Input::UsbMouse | Input::Ps2Mouse => {
                let ways = self.cursor.ways(panel, at);
                input::push(&mut self.vm.qmp, &ways)?;
                input::press(&mut self.vm.qmp)
            }
            _ => input::tap(&mut self.vm.qmp, panel, at),
        }
    }

    /// Types with two fingers: each lifts when the other one is down.
    pub(crate) fn roll(&mut self, text: &str) -> Result<()> {
        self.step = "type with two fingers";
        let taps = product::keyboard(&self.case)?.taps(text, &mut self.layer)?;
        input::roll(&mut self.vm.qmp, self.case.panel(), &taps)
    }

    /// Types with short taps that follow at once.
    pub(crate) fn race(&mut self, text: &str) -> Result<()> {
        self.step = "type fast";
        let taps = product::keyboard(&self.case)?.taps(text, &mut self.layer)?;
        input::race(&mut self.vm.qmp, self.case.panel(), &taps)
    }

    /// From now on the pointer's surface has its upper edge below.
    pub(crate) fn mirror(&mut self) {
        self.is_mirrored = true;
    }

    /// Types without rest on a hardware keyboard, thirty keys a second.
    pub(crate) fn race_keys(&mut self, text: &str) -> Result<()> {
        self.step = "type fast on a keyboard";
        input::race_keys(&mut self.vm.qmp, text)
    }

    /// Puts a key of a hardware keyboard down, or lets it go.
    pub(crate) fn hold_key(&mut self, name: &str, down: bool) -> Result<()> {
        self.step = "hold a key";
        input::hold_key(&mut self.vm.qmp, name, down)
    }

    /// Presses keys of a hardware keyboard together and lets them go, volumeup or power for example; names
    /// are QEMU's QKeyCode.
    pub(crate) fn press(&mut self, names: &[&str]) -> Result<()> {
        self.step = "press keys";
        input::keys(&mut self.vm.qmp, names)
    }

    /// Types on a keyboard that was plugged in; a line feed is Enter.
    pub(crate) fn keys(&mut self, text: &str) -> Result<()> {
        self.step = "type on the new keyboard";
        text.chars().try_for_each(|typed| match typed {
            '\n' => input::keys(&mut self.vm.qmp, &["ret"]),
            typed => input::character(&mut self.vm.qmp, typed),
        })
    }

    /// What the guest says of its kernel's keymap.
    pub(crate) fn keymap(&mut self) -> Result<Vec<String>> {
        self.step = "read the kernel's keymap";
        let mut lines = Vec::new();
        loop {
            let line = self.vm.serial.line(keymap::TOLD, BOOT)?;
            if line == keymap::END {
                return Ok(lines);
            }
            lines.push(line);
        }
    }

    /// Presses chords, such as `alt_r+e`: keys that are down together, by QEMU's names.
    pub(crate) fn chords(&mut self, chords: &str) -> Result<()> {
        self.step = "press keys";
        let mut chords = chords.split_whitespace();
        chords.try_for_each(|chord| input::keys(&mut self.vm.qmp, &chord.split('+').collect::<Vec<_>>()))
    }

    /// Waits until the screen of another device is `expected` to the pixel.
    pub(crate) fn other_screen(&mut self, id: &str, expected: &Frame) -> Result<()> {
        self.step = "compare the other screen";
        let file = self.folder.join("other.png");
        let deadline = Instant::now() + SCREEN;
        loop {
            self.vm.qmp.screendump_of(id, &file)?;
            match Frame::read(&file)?.difference(expected) {
                None => return Ok(()),
                Some(difference) if Instant::now() > deadline => return fail(difference),
                Some(_) => thread::sleep(LOOK),
            }
        }
    }

    /// Has the late modules loaded.
    pub(crate) fn load_late(&mut self) -> Result<()> {
        self.plug(late::TRIGGER, "late")?;
        self.step = "load modules late";
        self.vm.serial.expect(late::DONE, STEP)
    }

    /// Another display is there from now on.
    pub(crate) fn shows_on(&mut self, display: Display) {
        self.case.display = display;
    }

    /// Presses a magic SysRq key on the serial line (Documentation/admin-guide/sysrq.rst).
    pub(crate) fn sysrq(&mut self, key: char) -> Result<()> {
        self.step = "press a SysRq key";
        self.vm.qmp.execute("chardev-send-break", json!({ "id": "serial0" }))?;
        self.vm.type_serial(&key.to_string())
    }

    /// Waits for a text on the serial line.
    pub(crate) fn says(&mut self, text: &str) -> Result<()> {
        self.step = "wait for a message";
        self.vm.serial.expect(text, BOOT)
    }

    /// The number that stands on the serial line now.
    pub(crate) fn number(&mut self) -> Result<u64> {
        self.step = "read a number";
        let rest = self.vm.serial.line("", STEP)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().context(format_args!("read a number of {rest:?}"))
    }

    /// Waits until the machine is off.
    pub(crate) fn switched_off(&mut self) -> Result<()> {
        self.step = "wait for the machine to switch off";
        self.vm.ended(STEP)
    }

    /// Lets time go by, for what only time brings.
    pub(crate) fn pass(&mut self, time: Duration) -> Result<()> {
        self.step = "let time go by";
        self.vm.stays(time)
    }

    /// The machine stays on.
    pub(crate) fn stays(&mut self) -> Result<()> {
        self.step = "see whether the machine stays on";
        self.vm.stays(STAY)
    }

    /// Waits until the unlocker refused an answer.
    pub(crate) fn refused(&mut self) -> Result<()> {
        self.step = "wait for the refusal";
        self.vm.serial.expect(&product::refusal(), STEP)?;
        // A passphrase that starts anew starts on the first layer.
        self.layer = 0;
        if self.vm.serial.contains("proof: ") {
            return fail("the volume was opened by a wrong passphrase");
        }
        Ok(())
    }

    /// Waits until the system inside the volume has reported and switched off.
    pub(crate) fn proof(&mut self) -> Result<Proof> {
        self.proof_within(STEP, |_| {})
    }

    /// The same with another limit for its first line; `hear` gets each line as it comes.
    pub(crate) fn proof_within(&mut self, limit: Duration, hear: impl Fn(&str)) -> Result<Proof> {
        self.step = "wait for the system inside the volume";
        let mut lines = vec![self.vm.serial.line("proof: ", limit)?];
        while let Some(line) = lines.last() {
            hear(line);
            if line == "done" {
                break;
            }
            lines.push(self.vm.serial.line("proof: ", STEP)?);
        }
        self.switched_off()?;
        self.step = "read the report";
        let proof = Proof { lines };
        proof.is(&format!("root=ext4 marker={}", self.marker))?;
        Ok(proof)
    }

    /// Waits until the screen is `expected` to the pixel. When it never is, the pictures are left in
    /// the case's folder.
    pub(crate) fn screen(&mut self, expected: &Frame) -> Result<()> {
        self.screenshot("screen.png", std::slice::from_ref(expected)).map(drop)
    }

    /// The same with several frames, any of which will do. Leaves what was seen in a file of the
    /// case's folder and gives its path.
    pub(crate) fn screenshot(&mut self, name: &str, expected: &[Frame]) -> Result<PathBuf> {
        self.step = "compare the screen";
        self.screen_within(name, expected, SCREEN)
    }

    /// The same from the start on, for a machine that says nothing on its serial line.
    pub(crate) fn boot_to(&mut self, expected: &Frame) -> Result<()> {
        self.step = "boot, until the screen is right";
        self.screen_within("screen.png", std::slice::from_ref(expected), BOOT).map(drop)
    }

    fn screen_within(&mut self, name: &str, expected: &[Frame], limit: Duration) -> Result<PathBuf> {
        let file = self.folder.join(name);
        let expected = &expected.iter().map(|frame| self.case.display.seen(frame)).collect::<Result<Vec<_>>>()?;
        let deadline = Instant::now() + limit;
        loop {
            let seen = self.look(&file)?;
            if expected.contains(&seen) {
                return Ok(file);
            }
            if Instant::now() > deadline
                && let Some(first) = expected.first()
                && let Some(difference) = seen.difference(first)
            {
                seen.explain(first, self.folder)?;
                return fail(format!("{difference}; see {}", self.folder.display()));
            }
            thread::sleep(LOOK);
        }
    }

    /// What the panel shows now; leaves it in a file as well.
    fn look(&mut self, file: &Path) -> Result<Frame> {
        if let Display::Memory(scanout) = self.case.display {
            let seen = scanout.read(&mut self.vm.qmp, self.arch.ram_start, self.folder)?;
            seen.write(file)?;
            return Ok(seen);
        }
        self.vm.qmp.screendump(file)?;
        Frame::read(file)
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
