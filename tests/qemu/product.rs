//! Everything the harness knows about fbunlock itself, and the only file that changes with it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fbunlock::model::elf::Elf;
use fbunlock::model::logo::Logo;
use fbunlock::model::prompt::catalogue::Catalogue;
use fbunlock::model::prompt::census::Census;
use fbunlock::model::prompt::decoder::{Phase, Stroke};
use fbunlock::model::prompt::event::Event;
use fbunlock::model::prompt::keymap::{Accent, Entry, Keymap};
use fbunlock::model::prompt::layout::Press;
use fbunlock::model::prompt::plan::{Panel, Place};
use fbunlock::model::prompt::pointer::{PARTS, Pointer, STEPS};
use fbunlock::model::prompt::secret::Secret;
use fbunlock::model::prompt::session::{Config, Question, Session};
use fbunlock::model::volume;
use fbunlock::model::volume::message::{Ready, Report};

use crate::arch::Arch;
use crate::case::{self, Case, Initramfs, Input};
use crate::failure::{Context, Failure, Result, fail};
use crate::keymap;
use crate::screen::{Frame, Point, Size};
use crate::tool::run;
use crate::typist::{Key, Keyboard};

/// Added to a kernel's command line of these words. A root hash says by itself what the root is.
pub(crate) fn cmdline(words: &str) -> &'static str {
    match words.contains("roothash=") {
        true => "rootfstype=ext4 ro",
        false => "root=/dev/mapper/root rootfstype=ext4 ro",
    }
}

const LOGO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/logo.qoi");

/// The two builds of fbunlock that a boot test needs.
pub(crate) struct Product {
    /// Writes the initramfs; runs here.
    host: PathBuf,
    /// Goes into the initramfs: static.
    binary: PathBuf,
}

impl Product {
    /// `FBUNLOCK_BINARY` is what `sysroot/build` printed, for several targets with `:` between;
    /// `FBUNLOCK_HOST` overrides cargo's build.
    pub(crate) fn find(arch: &Arch) -> Result<Self> {
        let Some(paths) = env::var_os("FBUNLOCK_BINARY") else {
            return fail("FBUNLOCK_BINARY is not set: give it the path that sysroot/build prints last");
        };
        let host = env::var_os("FBUNLOCK_HOST").unwrap_or_else(|| env!("CARGO_BIN_EXE_fbunlock").into());
        for binary in env::split_paths(&paths) {
            let file = fs::read(&binary).context(format_args!("read {}, of FBUNLOCK_BINARY", binary.display()))?;
            if Elf::parse(&file).is_some_and(|elf| elf.machine == arch.elf_machine) {
                return Ok(Self { host: host.into(), binary });
            }
        }
        let target = arch.target;
        fail(format!("FBUNLOCK_BINARY has no program for {arch}: add the path that `sysroot/build {target}` prints"))
    }

    /// What goes into an initramfs, and can be run by hand in a guest.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Writes the initramfs for a case with `fbunlock image`.
    pub(crate) fn initramfs(&self, case: &Case, modules: &Path, file: &Path) -> Result<()> {
        let mut image = Command::new(&self.host);
        image.arg("image").arg("--modules-dir").arg(modules).arg("--binary").arg(&self.binary);
        for name in case.modules() {
            image.args(["--module", name]);
        }
        if case.initramfs == Initramfs::Product {
            image.args(["--device", case.device(), "--name", "root"]);
        }
        if case.logo {
            image.args(["--logo", LOGO]);
        }
        if let case::Keymap::File(name) = case.keymap {
            image.arg("--keymap").arg(keymap::path(name));
        }
        image.arg("--output").arg(file);
        run(&mut image).map(drop)
    }
}

/// The keyboard that the prompt shows on the case's panel, in pixels of that panel. Emulated displays
/// claim sizes in millimetres that fbunlock does not believe, so none is given here.
pub(crate) fn keyboard(case: &Case) -> Result<Keyboard> {
    let panel = case.panel().turned(case.rotation);
    let size = embedded_graphics::geometry::Size::new(panel.width, panel.height);
    let mut session = session(case, "")?;
    session.set_panel(Panel { size, millimetres: (0, 0) }).context("panel")?;
    let (layout, Some(plan)) = (session.layout(), session.plan()) else { return fail("the session has no plan") };
    let layer = |name: &str| layout.find(name).ok_or_else(|| Failure(format!("the layout has no layer {name}")));
    let key = |press: Press| match press {
        Press::Character(typed) => Key::Character(typed),
        Press::Shift => Key::Shift,
        Press::Backspace => Key::Backspace,
        Press::Enter => Key::Enter,
        Press::Layer(to) => Key::Layer(to),
        other => Key::Other(other),
    };
    let place = |place: &Place| {
        let center = place.face.center();
        let center = Point { x: center.x.unsigned_abs(), y: center.y.unsigned_abs() };
        (key(place.press), center.turned(panel, case.rotation))
    };
    let layers = plan.layers.iter().map(|places| places.iter().map(place).collect()).collect();
    Ok(Keyboard { layers, lower: layer("lower")?, upper: layer("upper")? })
}

/// On the console once the prompt is drawn and an answer can be tried: its title and nothing else.
pub(crate) fn prompt_line(case: &Case) -> Result<String> {
    Ok(format!("{}\n", fbunlock::app::line(&session(case, "")?.view())))
}

/// On the console after a wrong passphrase.
pub(crate) fn refusal() -> String {
    volume::failure::Failure::WrongPassphrase.text().to_string()
}

/// The prompt on the case's panel when `typed` was typed and no finger is down.
pub(crate) fn frame(case: &Case, typed: &str) -> Result<Frame> {
    draw(case, session(case, typed)?)
}

/// The same while there is nothing to type with.
pub(crate) fn frame_without_input(case: &Case, typed: &str) -> Result<Frame> {
    let mut session = session(case, typed)?;
    session.update(0, Event::Devices(Census::of(0, 0)));
    draw(case, session)
}

/// The prompt while `device` is waited for.
pub(crate) fn frame_waiting(case: &Case, device: &str) -> Result<Frame> {
    let question = Question { volume: case.title().to_owned(), device: device.to_owned(), ..Question::default() };
    let config = Config { question, ..Config::default() };
    let secret = Secret::new(Box::leak(Box::new([0; 256])));
    let (layouts, _) = Catalogue::new(&[], &[]).context("layouts")?;
    let mut session = Session::new(config, layouts, secret, 0);
    session.update(0, devices(case));
    // Longer than anything is waited for in silence.
    session.update(1000, Event::Tick);
    draw(case, session)
}

/// The prompt once a header is read whose keyslot wants more memory than there is, in KiB.
pub(crate) fn frame_short(case: &Case, memory_kib: u64, free_kib: u64) -> Result<Frame> {
    let question = Question { volume: case.title().to_owned(), ..Question::default() };
    let config = Config { question, ..Config::default() };
    let secret = Secret::new(Box::leak(Box::new([0; 256])));
    let (layouts, _) = Catalogue::new(&[], &[]).context("layouts")?;
    let mut session = Session::new(config, layouts, secret, 0);
    let ready = Event::Report(Report::Ready(Ready { memory_kib, free_kib, ..Ready::default() }));
    for event in [ready, devices(case)] {
        session.update(0, event);
    }
    draw(case, session)
}

fn draw(case: &Case, mut session: Session) -> Result<Frame> {
    let panel = case.panel().turned(case.rotation);
    let size = embedded_graphics::geometry::Size::new(panel.width, panel.height);
    session.set_panel(Panel { size, millimetres: (0, 0) }).context("panel")?;
    Ok(picture_of(&session)?.turned(case.rotation))
}

/// What a session with a panel shows.
fn picture_of(session: &Session) -> Result<Frame> {
    let drawn = session.plan().zip(fbunlock::app::picture(session));
    let Some((plan, frame)) = drawn else { return fail("the session has no plan") };
    let pixels = frame.pixels().iter().map(|pixel| {
        let [_, red, green, blue] = pixel.to_be_bytes();
        [red, green, blue]
    });
    let size = Size { width: plan.size.width, height: plan.size.height };
    Ok(Frame { size, pixels: pixels.collect() })
}

/// The same session as in the guest, at the moment when a passphrase can be tried.
fn session(case: &Case, typed: &str) -> Result<Session> {
    let question = Question { volume: case.title().to_owned(), ..Question::default() };
    let config = Config { question, ..Config::default() };
    // Leaked: a few bytes a case, and the secret wants memory that stays.
    let secret = Secret::new(Box::leak(Box::new([0; 256])));
    let bytes = if case.logo { Some(fs::read(LOGO).context(LOGO)?) } else { None };
    let logo = bytes.and_then(|bytes| Logo::parse(&bytes).ok());
    let (layouts, _) = Catalogue::new(&[], &[]).context("layouts")?;
    let mut session = Session::new(config, layouts, secret, 0).under_logo(logo);
    let ready = Event::Report(Report::Ready(Ready::default()));
    for event in [ready, devices(case)].into_iter().chain(typed.chars().map(Event::Text)) {
        session.update(0, event);
    }
    Ok(session)
}

/// What can be answered with; where it is nothing at the start, a keyboard comes. The serial line can
/// type, too.
fn devices(case: &Case) -> Event {
    let extra = case.qemu.contains(&"virtio-multitouch-pci");
    let pointing = usize::from(extra || matches!(case.input, Input::Touch | Input::Tablet));
    Event::Devices(Census::of(pointing, 1))
}

/// What the kernel says of its own keymap is what fbunlock has for machines that say nothing. Each line is
/// a table: its number and the values of its keys; or an accent: three code points behind 256.
pub(crate) fn is_us(lines: &[String]) -> Result<()> {
    let us = Keymap::us();
    let (mut tables, mut accents) = (0, 0);
    for line in lines {
        let numbers =
            line.split(' ').map(|word| u32::from_str_radix(word, 16)).collect::<std::result::Result<Vec<u32>, _>>();
        match numbers.context("read the keymap")?.as_slice() {
            [256, accent @ ..] => {
                let same = |ours: &&Accent| [ours.accent, ours.base, ours.result].map(u32::from) == *accent;
                accents += us.accents().iter().filter(same).count();
            }
            [number, values @ ..] => {
                for (code, value) in (1..).zip(values.iter().skip(1)) {
                    let (theirs, ours) = (Entry::of(*value as u16), us.entry(*number as u8, code));
                    if ours != Some(theirs) {
                        return fail(format!("table {number}, key {code}: the kernel has {theirs:?}, we {ours:?}"));
                    }
                }
                tables += 1;
            }
            [] => return fail("an empty line"),
        }
    }
    let wanted = (lines.len() - us.accents().len(), us.accents().len());
    if (tables, accents) == wanted { Ok(()) } else { fail(format!("{tables} tables, {accents} accents: {wanted:?}")) }
}

/// The cursor as the guest moves it.
#[derive(Default)]
pub(crate) struct Cursor {
    pointer: Pointer,
    at: Option<Point>,
}

impl Cursor {
    /// The counts of a mouse that bring it to a pixel of an upright panel.
    pub(crate) fn ways(&mut self, panel: Size, to: Point) -> Vec<(i32, i32)> {
        self.pointer.fit(embedded_graphics::geometry::Size::new(panel.width, panel.height));
        let longer = i64::from(panel.width.max(panel.height));
        let mut from = self.at.unwrap_or(Point { x: panel.width / 2, y: panel.height / 2 });
        let mut ways = Vec::new();
        // A few looks: each count is more than a pixel, or less.
        for _ in 0..8 {
            let counts = |from: u32, to: u32| ((i64::from(to) - i64::from(from)) * STEPS / longer) as i32;
            let way = (counts(from.x, to.x), counts(from.y, to.y));
            if way == (0, 0) {
                break;
            }
            let part = PARTS as i32;
            let at = self.pointer.push(0, way.0 * part, way.1 * part);
            from = Point { x: at.x.unsigned_abs(), y: at.y.unsigned_abs() };
            ways.push(way);
        }
        self.at = Some(from);
        ways
    }
}

/// The guest's session once more, here: told the same, it draws what the guest should show.
pub(crate) struct Twin {
    session: Session,
    now_ms: u64,
    keyboard: Keyboard,
    layer: usize,
}

impl Twin {
    /// At the moment when a passphrase can be tried.
    pub(crate) fn new(case: &Case) -> Result<Self> {
        let panel = case.panel();
        let mut session = session(case, "")?;
        let size = embedded_graphics::geometry::Size::new(panel.width, panel.height);
        session.set_panel(Panel { size, millimetres: (0, 0) }).context("panel")?;
        Ok(Self { session, now_ms: 0, keyboard: keyboard(case)?, layer: 0 })
    }

    /// Something comes that points, or moves a focus.
    pub(crate) fn plug(&mut self) {
        self.tell(Event::Devices(Census::of(1, 1)));
    }

    /// Taps the keys of a text.
    pub(crate) fn type_text(&mut self, text: &str) -> Result<()> {
        for at in self.keyboard.taps(text, &mut self.layer)? {
            self.finger(Phase::Down, at);
            self.finger(Phase::Up, at);
        }
        Ok(())
    }

    /// Puts a finger on the shown layer's key of a character and gives the place of that key.
    pub(crate) fn hold(&mut self, typed: char) -> Result<Point> {
        let at = self.keyboard.key_center(self.layer, Key::Character(typed))?;
        self.finger(Phase::Down, at);
        // It stays there until the screen was seen.
        self.pass(2000);
        Ok(at)
    }

    /// Holds a button for so long.
    pub(crate) fn button(&mut self, code: u16, held_ms: u64) {
        self.tell(Event::Key { code, stroke: Stroke::Press });
        self.pass(held_ms);
        self.session.update(self.now_ms, Event::Key { code, stroke: Stroke::Release });
    }

    /// Where the focus is; `None` while there is none.
    pub(crate) fn focus(&self) -> Option<Point> {
        let (view, plan) = (self.session.view(), self.session.plan()?);
        let center = plan.place(view.sheet, view.layer, view.focus?)?.face.center();
        Some(Point { x: center.x.unsigned_abs(), y: center.y.unsigned_abs() })
    }

    /// Lets time go by.
    fn pass(&mut self, ms: u64) {
        let end_ms = self.now_ms + ms;
        while let Some(due_ms) = self.session.deadline_ms().filter(|due_ms| *due_ms <= end_ms) {
            self.now_ms = due_ms;
            self.session.update(due_ms, Event::Tick);
        }
        self.now_ms = end_ms;
    }

    /// Lifts that finger.
    pub(crate) fn lift(&mut self, at: Point) {
        self.finger(Phase::Up, at);
    }

    /// Sends what was typed.
    pub(crate) fn enter(&mut self) {
        self.tell(Event::Text('\n'));
    }

    /// Hears that the passphrase was wrong.
    pub(crate) fn refuse(&mut self) {
        self.tell(Event::Report(Report::Failed(volume::failure::Failure::WrongPassphrase)));
        self.layer = self.session.view().layer;
    }

    /// What the screen shows now.
    pub(crate) fn frame(&self) -> Result<Frame> {
        picture_of(&self.session)
    }

    /// Every picture that the screen shows in turn while a passphrase is tried.
    pub(crate) fn frames(&mut self) -> Result<Vec<Frame>> {
        let mut frames = Vec::new();
        loop {
            let frame = self.frame()?;
            if frames.contains(&frame) {
                return Ok(frames);
            }
            frames.push(frame);
            let Some(next_ms) = self.session.deadline_ms() else { return Ok(frames) };
            self.now_ms = next_ms;
            self.session.update(self.now_ms, Event::Tick);
        }
    }

    fn finger(&mut self, phase: Phase, at: Point) {
        let at = embedded_graphics::geometry::Point::new(at.x.cast_signed(), at.y.cast_signed());
        self.tell(Event::Touch { contact: 0, phase, at });
    }

    fn tell(&mut self, event: Event) {
        // Slowly: two quick taps could mean something else.
        self.now_ms += 1000;
        self.session.update(self.now_ms, event);
    }
}
