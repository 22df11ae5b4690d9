//! Everything the harness knows about fbunlock itself, and the only file that changes with it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fbunlock::model::elf::Elf;
use fbunlock::model::logo::Logo;
use fbunlock::model::prompt::decoder::Phase;
use fbunlock::model::prompt::event::Event;
use fbunlock::model::prompt::layout::{Layout, Press, US};
use fbunlock::model::prompt::plan::{Panel, Place, Plan};
use fbunlock::model::prompt::secret::Secret;
use fbunlock::model::prompt::session::{Config, Session};
use fbunlock::model::volume;
use fbunlock::model::volume::message::Report;

use crate::arch::Arch;
use crate::case::{Case, Initramfs};
use crate::failure::{Context, Failure, Result, fail};
use crate::screen::{Frame, Point, Size};
use crate::tool::run;
use crate::typist::{Key, Keyboard};

/// Added to the kernel's command line.
pub(crate) const CMDLINE: &str = "root=/dev/mapper/root rootfstype=ext4 ro";

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
        image.arg("--output").arg(file);
        run(&mut image).map(drop)
    }
}

/// The keyboard that the prompt shows on the case's panel, in pixels of that panel. Emulated displays
/// claim sizes in millimetres that fbunlock does not believe, so none is given here.
pub(crate) fn keyboard(case: &Case) -> Result<Keyboard> {
    let layout = layout()?;
    let panel = case.panel().turned(case.rotation);
    let size = embedded_graphics::geometry::Size::new(panel.width, panel.height);
    let plan = Plan::new(Panel { size, millimetres: (0, 0) }, &layout).context("plan")?;
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
    session.update(0, Event::Devices { pointing: 0, keyboards: 0 });
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
    let config = Config { volume: case.device().to_owned(), tries: 3, timeout_ms: 0, test: false };
    // Leaked: a few bytes a case, and the secret wants memory that stays.
    let secret = Secret::new(Box::leak(Box::new([0; 256])));
    let bytes = if case.logo { Some(fs::read(LOGO).context(LOGO)?) } else { None };
    let logo = bytes.and_then(|bytes| Logo::parse(&bytes).ok());
    let mut session = Session::new(config, layout()?, secret, 0).under_logo(logo);
    let ready = Event::Report(Report::Ready { memory_kib: 0 });
    for event in [ready].into_iter().chain(typed.chars().map(Event::Text)) {
        session.update(0, event);
    }
    Ok(session)
}

fn layout() -> Result<Layout> {
    Layout::parse("us", US).context("layout")
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
        Ok(at)
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
