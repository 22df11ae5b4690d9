//! `fbunlock image`: writes an initramfs that holds fbunlock and the kernel modules it needs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{Error, Exit, Result};
use crate::model::boot::{Boot, LOGO_FILE, config};
use crate::model::elf::Elf;
use crate::model::initramfs::Initramfs;
use crate::model::logo::Logo;
use crate::model::modules::selection::{Selection, select};
use crate::sys::module_tree::ModuleTree;
use crate::sys::{logo, output};

/// What `image` was asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The kernel's modules folder; its last part is the kernel's release.
    pub modules_dir: PathBuf,
    /// The static fbunlock to put in; the running one if `None`.
    pub binary: Option<PathBuf>,
    /// Modules wanted beside the default ones, names or aliases.
    pub modules: Vec<String>,
    /// Leave the built-in list of modules out.
    pub no_default_modules: bool,
    /// The picture for above the title.
    pub logo: Option<PathBuf>,
    /// A config file to start from.
    pub config: Option<PathBuf>,
    /// Settings that overrule the config: key and value, as [`Boot::set`] takes them.
    pub settings: Vec<(String, String)>,
    /// Where the image goes.
    pub output: PathBuf,
}

/// Writes the image; what it holds is told on stderr.
///
/// # Errors
/// [`Exit::Parameters`] with the file and the reason; the output is then as it was.
pub fn run(options: &Options) -> Result<()> {
    let mut boot = settings(options)?;
    let logo = logo(options, &mut boot)?;
    let (binary, elf) = binary(options.binary.as_deref())?;
    let tree = ModuleTree::open(&options.modules_dir)?;
    let tables = tree.tables()?;
    let selection = Selection {
        asked: &options.modules,
        default: !options.no_default_modules,
        rootfstype: boot.rootfstype.as_deref(),
    };
    let names = select(&tables, &selection, tree.release())?;
    let mut modules = Vec::new();
    for load in tables.order(names.iter().map(String::as_str))? {
        let (path, bytes) = tree.module(load.path)?;
        check(&path, &bytes, elf)?;
        modules.push((path, bytes));
    }
    let initramfs =
        Initramfs { binary, logo, config: config::write(&boot), release: tree.release().to_owned(), modules };
    let packed = initramfs.pack(mtime_s()?)?;
    output::replace(&options.output, &packed)?;
    report(options, &boot, &initramfs, packed.len());
    Ok(())
}

fn settings(options: &Options) -> Result<Boot> {
    let mut boot = Boot::default();
    if let Some(path) = &options.config {
        let action = || format!("read {}", path.display());
        let text = fs::read_to_string(path).map_err(|error| Error::io(Exit::Parameters, action(), &error))?;
        // At boot a broken line is passed over; here there is someone to mend it.
        if let Some(problem) = config::read(&mut boot, &text).first() {
            let cause = problem.to_string();
            return Err(Error::new(Exit::Parameters, action(), cause));
        }
    }
    for (key, value) in &options.settings {
        boot.set(key, value).map_err(|refusal| {
            let action = format!("set {key} to {value:?}");
            Error::new(Exit::Parameters, action, refusal.to_string())
        })?;
    }
    Ok(boot)
}

/// The picture that is asked for, or that the config names, as a file of this machine. At boot a broken
/// one is passed over; here there is someone to mend it.
fn logo(options: &Options, boot: &mut Boot) -> Result<Option<Vec<u8>>> {
    let Some(path) = options.logo.clone().or_else(|| boot.logo.as_ref().map(PathBuf::from)) else { return Ok(None) };
    let bytes = logo::read(&path)?;
    Logo::parse(&bytes).map_err(|cause| Error::new(Exit::Parameters, format!("use {}", path.display()), cause))?;
    boot.logo = Some(LOGO_FILE.to_owned());
    Ok(Some(bytes))
}

fn binary(path: Option<&Path>) -> Result<(Vec<u8>, Elf)> {
    let path = match path {
        Some(path) => path.to_owned(),
        None => {
            std::env::current_exe().map_err(|error| Error::io(Exit::Parameters, "find the running program", &error))?
        }
    };
    let action = || format!("use {} as /init", path.display());
    let bytes = fs::read(&path).map_err(|error| Error::io(Exit::Parameters, action(), &error))?;
    let Some(elf) = Elf::parse(&bytes).filter(|elf| matches!(elf.kind, 2 | 3)) else {
        return Err(Error::new(Exit::Parameters, action(), "not an ELF program, or cut short"));
    };
    if elf.interpreted {
        let cause = "it is linked dynamically and an initramfs has no libraries";
        return Err(Error::new(Exit::Parameters, action(), cause).hint("give a static one with --binary"));
    }
    Ok((bytes, elf))
}

/// A module that the kernel would refuse is found here and not at boot.
fn check(path: &str, bytes: &[u8], program: Elf) -> Result<()> {
    let refuse = |cause: &str| Err(Error::new(Exit::Parameters, format!("add {path}"), cause));
    match Elf::parse(bytes) {
        Some(module) if module.kind != 1 => refuse("not a kernel module"),
        Some(module) if program.runs_on(module.machine) => Ok(()),
        Some(module) => {
            refuse(&format!("it is for {}, the program for {}", module.machine_name(), program.machine_name()))
        }
        None => refuse("not a kernel module, or cut short"),
    }
}

/// The time that every entry carries: 1970, or what reproducible builds agreed on
/// (the SOURCE_DATE_EPOCH specification).
fn mtime_s() -> Result<u32> {
    const NAME: &str = "SOURCE_DATE_EPOCH";
    match std::env::var_os(NAME) {
        None => Ok(0),
        Some(value) => value.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
            let cause = "must be seconds since 1970, below 2^32";
            Error::new(Exit::Parameters, format!("read {NAME}"), cause)
        }),
    }
}

fn report(options: &Options, boot: &Boot, initramfs: &Initramfs, packed: usize) {
    let modules: usize = initramfs.modules.iter().map(|(_, bytes)| bytes.len()).sum();
    // The image is written, whether or not somebody reads this.
    let mut stderr = std::io::stderr();
    let _ = writeln!(
        stderr,
        "fbunlock image: {}: {packed} bytes, of which {} modules for {} {modules}, program {}",
        options.output.display(),
        initramfs.modules.len(),
        initramfs.release,
        initramfs.binary.len(),
    );
    if boot.device.is_none() {
        let _ = writeln!(stderr, "fbunlock image: no --device: the kernel command line has to say fbunlock.device=…");
    }
}
