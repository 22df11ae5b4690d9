//! Where the emulator, kernels and programs are, and how a program is run to its end.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::arch::Arch;
use crate::failure::{Context, Result, fail};

/// Seconds that a program may take; a first build of the guests is the longest.
const PROGRAM_S: &str = "600";
/// Exit status of timeout(1).
const TIMED_OUT: i32 = 124;

/// A Debian kernel as `tests/qemu/setup` laid it out.
pub(crate) struct Kernel {
    /// Where its files are.
    pub(crate) folder: PathBuf,
    /// `lib/modules/VERSION`.
    pub(crate) modules: PathBuf,
}

pub(crate) struct Tools {
    cache: PathBuf,
}

impl Tools {
    /// Runs `tests/qemu/setup` with these words, which returns at once when everything is there.
    pub(crate) fn set_up(words: &[String]) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/qemu/setup");
        let status = Command::new(&script).args(words).status().context(format_args!("run {}", script.display()))?;
        if !status.success() {
            return fail(format!("{} failed, see above for what is missing", script.display()));
        }
        let home = |path: String| Path::new(&path).join(".cache");
        let cache = match (env::var("FBUNLOCK_CACHE"), env::var("XDG_CACHE_HOME"), env::var("HOME")) {
            (Ok(own), _, _) => PathBuf::from(own),
            (_, Ok(cache), _) => Path::new(&cache).join("fbunlock"),
            (_, _, Ok(path)) => home(path).join("fbunlock"),
            _ => return fail("neither FBUNLOCK_CACHE, XDG_CACHE_HOME nor HOME is set"),
        };
        Ok(Self { cache: cache.join("qemu") })
    }

    /// One of the wrapper scripts.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.cache.join("tools/bin").join(name)
    }

    /// A file that comes with them, below /usr/share.
    pub(crate) fn share(&self, name: &str) -> PathBuf {
        self.cache.join("tools/root/usr/share").join(name)
    }

    /// Where disk images are kept between runs.
    pub(crate) fn images(&self) -> PathBuf {
        self.cache.join("images")
    }

    /// The kernel of a series such as `6.12`.
    pub(crate) fn kernel(&self, arch: &Arch, series: &str) -> Result<Kernel> {
        let folder = self.cache.join("kernels").join(arch.name).join(series);
        let version = folder.join("version");
        let version = fs::read_to_string(&version).context(format_args!("read {}", version.display()))?;
        let modules = folder.join("modules/lib/modules").join(version.trim());
        Ok(Kernel { folder, modules })
    }
}

/// Builds the programs that run inside the guests and gives the folder they are in.
///
/// A crate and a target folder of its own: cargo's lock on the main target folder is not in the way.
pub(crate) fn build_guests(arch: &Arch) -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = root.join("target/qemu/guest");
    let mut command = Command::new("bash");
    command.current_dir(root.join("tests/qemu/guest")).args(["-euc", BUILD, "build", arch.target]).arg(&target);
    run(&mut command)?;
    Ok(target.join(arch.target).join("release"))
}

/// Words: Rust's target, cargo's target folder. The environment is that of the static program: it
/// knows a linker for each target.
const BUILD: &str = r#"
exports=$(../../../sysroot/env "$1")
eval "$exports"
cargo build --quiet --release --locked --target "$1" --target-dir "$2"
"#;

/// Runs a program to its end; anything but success is a failure with all it said.
pub(crate) fn run(command: &mut Command) -> Result<Output> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(output);
    }
    fail(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()))
}

/// Runs a program to its end, whatever that is; timeout (coreutils) ends it when it hangs.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    let mut limited = Command::new("timeout");
    limited.args(["--kill-after=5", PROGRAM_S]).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    let output = limited.output().context(format_args!("run {limited:?}"))?;
    match output.status.code() {
        Some(TIMED_OUT) => fail(format!("{command:?} still ran after {PROGRAM_S} s")),
        _ => Ok(output),
    }
}
