//! Everything the harness knows about fbunlock itself, and the only file that changes with it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use fbunlock::model::prompt::layout::{Layout, Press, US};
use fbunlock::model::prompt::plan::{Panel, Place, Plan};

use crate::case::Case;
use crate::failure::{Context, Failure, Result, fail};
use crate::screen::{Frame, Point, Size};
use crate::tool::run;
use crate::typist::{Key, Keyboard};

/// On the console once the prompt is drawn and input is read.
pub(crate) const PROMPT: &str = "fbunlock: prompt ready";
/// On the console after a wrong passphrase.
pub(crate) const REFUSED: &str = "fbunlock: wrong passphrase";
/// Added to the kernel's command line.
pub(crate) const CMDLINE: &str = "root=/dev/mapper/root rootfstype=ext4 ro";

/// The two builds of fbunlock that a boot test needs.
pub(crate) struct Product {
    /// Writes the initramfs; runs here.
    host: PathBuf,
    /// Goes into the initramfs: static.
    binary: PathBuf,
}

impl Product {
    /// `FBUNLOCK_BINARY` is what `sysroot/build` printed; `FBUNLOCK_HOST` overrides cargo's build.
    pub(crate) fn find() -> Result<Self> {
        let Some(binary) = env::var_os("FBUNLOCK_BINARY") else {
            return fail("FBUNLOCK_BINARY is not set: give it the path that sysroot/build prints last");
        };
        let host = env::var_os("FBUNLOCK_HOST").unwrap_or_else(|| env!("CARGO_BIN_EXE_fbunlock").into());
        let product = Self { host: host.into(), binary: binary.into() };
        match product.binary.is_file() {
            true => Ok(product),
            false => fail(format!("FBUNLOCK_BINARY={} is no file", product.binary.display())),
        }
    }

    /// Writes the initramfs for a case with `fbunlock image`.
    pub(crate) fn initramfs(&self, case: &Case, modules: &Path, file: &Path) -> Result<()> {
        let mut image = Command::new(&self.host);
        image.arg("image").arg("--modules-dir").arg(modules).arg("--binary").arg(&self.binary);
        for name in case.modules() {
            image.args(["--module", name]);
        }
        image.args(["--device", case.device(), "--name", "root", "--output"]).arg(file);
        run(&mut image).map(drop)
    }
}

/// The keyboard that the prompt shows on a panel. Emulated displays claim sizes in millimetres that
/// fbunlock does not believe, so none is given here.
pub(crate) fn keyboard(panel: Size) -> Result<Keyboard> {
    let layout = Layout::parse("us", US).context("layout")?;
    let size = embedded_graphics::geometry::Size::new(panel.width, panel.height);
    let plan = Plan::new(Panel { size, millimetres: (0, 0) }, &layout).context("plan")?;
    let layer = |name: &str| layout.find(name).ok_or_else(|| Failure(format!("the layout has no layer {name}")));
    let key = |press: Press| match press {
        Press::Character(typed) => Key::Character(typed),
        Press::Shift => Key::Shift,
        Press::Backspace => Key::Backspace,
        Press::Enter => Key::Enter,
        Press::Layer(to) => Key::Layer(to),
    };
    let place = |place: &Place| {
        let center = place.face.center();
        (key(place.press), Point { x: center.x.unsigned_abs(), y: center.y.unsigned_abs() })
    };
    let layers = plan.layers.iter().map(|places| places.iter().map(place).collect()).collect();
    Ok(Keyboard { layers, lower: layer("lower")?, upper: layer("upper")? })
}

/// The prompt as it first appears on a panel.
pub(crate) fn first_frame(panel: Size) -> Result<Frame> {
    Err(Failure(format!("the expected frame for {panel:?} is not plugged in yet")))
}
