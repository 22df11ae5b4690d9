//! Boot tests: real kernels under QEMU, touch and keys through its machine protocol, proof from the
//! system inside the encrypted disk.
//!
//! ```text
//! FBUNLOCK_QEMU=1 cargo test --test qemu -- [FILTER...] [--arch ARCH] [--jobs N] [--keep]
//! cargo test --test qemu -- --list | --targets [FILTER...] [--arch ARCH]
//! cargo test --test qemu -- --demo FOLDER [--arch ARCH] [--window]
//! ```
//!
//! Without `FBUNLOCK_QEMU=1` nothing runs, so that plain `cargo test` takes seconds and needs no
//! emulator. `FILTER` is a case's name or a part of some, such as `aarch64/touch`. The folder
//! `target/qemu/ARCH/CASE` of a failed case, or of every case with `--keep`, holds the serial line,
//! QEMU's own messages, pictures, and a script that starts the same machine. `--list` prints the
//! cases, `--targets` the Rust targets that they need fbunlock for. The last line is what `tests/demo`
//! runs.
//!
//! | file | what it is |
//! |---|---|
//! | `setup` | fetches QEMU, kernels and cryptsetup into the cache |
//! | `cases.rs`, `cases/`, `case.rs` | the cases; what a case is |
//! | `arch.rs` | the architectures that each case runs on |
//! | `run.rs`, `proof.rs` | what the steps of a case can do and check |
//! | `product.rs` | all that the harness knows about fbunlock |
//! | `disk.rs`, `gpt.rs`, `fat.rs`, `luks2.rs` | disks, from a table; partitions; a stick; headers |
//! | `file.rs` | files that a case adds to the initramfs |
//! | `tree.rs` | disks that dm-verity checks |
//! | `command.rs` | fbunlock run by hand inside a booted guest |
//! | `demo.rs` | what `tests/demo` shows |
//! | `vm.rs`, `serial.rs`, `qmp.rs`, `input.rs`, `screen.rs`, `typist.rs` | the machine and its user |
//! | `scanout.rs` | framebuffers that the device tree names, read back from memory |
//! | `keymap.rs` | keymaps that the guest's kernel is given first |
//! | `late.rs` | what happens to the display while the prompt is up |
//! | `guest/` | programs that run inside: the proof, and a stand-in for the unlocker |
//! | `probe.rs`, `cpio.rs`, `module.rs` | the harness' test of itself with that stand-in |

mod arch;
mod case;
mod cases;
mod command;
mod cpio;
mod demo;
mod disk;
mod failure;
mod fat;
mod file;
mod gpt;
mod hand;
mod input;
mod keymap;
mod late;
mod luks2;
mod module;
mod probe;
mod product;
mod proof;
mod qmp;
mod run;
mod scanout;
mod screen;
mod serial;
mod tool;
mod tree;
mod typist;
mod vm;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;
use std::time::Instant;

use arch::{ARCHES, Arch};
use case::Case;
use failure::{Failure, Result, fail};
use run::{Bench, Run};

/// Lines of the serial line that a failure shows.
const TAIL: usize = 30;

/// What the command line asks for.
#[derive(Default)]
struct Options {
    filters: Vec<String>,
    /// Only this one.
    arch: Option<&'static Arch>,
    jobs: usize,
    keep: bool,
    list: bool,
    targets: bool,
    /// Show the demo instead; its screenshots go here.
    demo: Option<PathBuf>,
    window: bool,
}

impl Options {
    fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self { jobs: 2, ..Self::default() };
        let mut words = words;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--keep" => options.keep = true,
                "--list" => options.list = true,
                "--targets" => options.targets = true,
                "--window" => options.window = true,
                "--demo" => {
                    let folder = words.next().ok_or_else(|| Failure("--demo takes a folder".to_owned()))?;
                    options.demo = Some(folder.into());
                }
                "--arch" => {
                    let known = words.next().and_then(|name| Arch::find(&name));
                    let names: Vec<&str> = ARCHES.iter().map(|arch| arch.name).collect();
                    let explain = || Failure(format!("--arch takes one of {}", names.join(", ")));
                    options.arch = Some(known.ok_or_else(explain)?);
                }
                "--jobs" => {
                    let count = words.next().and_then(|count| count.parse().ok()).filter(|count| *count > 0);
                    options.jobs = count.ok_or_else(|| Failure("--jobs takes a number above 0".to_owned()))?;
                }
                // What people give to all test programs of a package at once.
                "--nocapture" | "--show-output" | "--quiet" | "-q" => {}
                _ if word.starts_with('-') => return fail(format!("unknown option {word}")),
                _ => options.filters.push(word),
            }
        }
        Ok(options)
    }

    /// The cases asked for, each on the architectures asked for.
    fn cases(&self) -> Vec<(&'static Case, &'static Arch)> {
        let arches = ARCHES.iter().copied().filter(|arch| self.arch.is_none_or(|wanted| wanted == *arch));
        let all = arches.flat_map(|arch| cases::all().map(move |case| (case, arch)));
        all.filter(|(case, arch)| case.on.contains(arch) && self.wants(case, arch)).collect()
    }

    fn wants(&self, case: &Case, arch: &Arch) -> bool {
        let full = format!("{arch}/{}", case.name);
        // A whole name means that case alone, though it may be the beginning of others.
        let whole = |filter: &str| {
            let name = filter.split_once('/').map_or(filter, |(_, name)| name);
            cases::all().any(|case| case.name == name)
        };
        let fits = |filter: &String| match whole(filter) {
            true => *filter == full || filter == case.name,
            false => full.contains(filter.as_str()),
        };
        self.filters.is_empty() || self.filters.iter().any(fits)
    }
}

fn main() -> ExitCode {
    let asked = std::env::var_os("FBUNLOCK_QEMU").is_some_and(|value| value == "1");
    let listed = std::env::args().any(|word| ["--list", "--targets", "--demo"].contains(&word.as_str()));
    if !asked && !listed {
        println!("boot tests skipped: set FBUNLOCK_QEMU=1 or use tests/run");
        return ExitCode::SUCCESS;
    }
    match run_all() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            println!("{failure}{}", if listed { "" } else { "\n0 passed, 1 failed" });
            ExitCode::FAILURE
        }
    }
}

/// Runs what was asked for and tells whether all went well.
fn run_all() -> Result<bool> {
    let options = Options::parse(std::env::args().skip(1))?;
    if let Some(folder) = &options.demo {
        return Ok(demo::show(folder, options.arch.unwrap_or(&arch::X86_64), options.window));
    }
    let cases = options.cases();
    if options.list {
        cases.iter().for_each(|(case, arch)| println!("{arch}/{}: test", case.name));
        return Ok(true);
    }
    if options.targets {
        let wanted = ARCHES.iter().filter(|arch| cases.iter().any(|(_, other)| other == *arch));
        wanted.for_each(|arch| println!("{}", arch.target));
        return Ok(true);
    }
    if cases.is_empty() {
        return fail(format!("no case has {:?} in its name", options.filters));
    }
    let bench = Bench::set_up(&cases, false)?;
    disk::prune(&bench.tools);
    let queue = Mutex::new(cases.iter());
    let failed = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..options.jobs.min(cases.len()) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((case, arch)) = next else { break };
                    if !report(case, arch, &bench, options.keep) {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{} passed, {failed} failed", cases.len() - failed);
    Ok(failed == 0)
}

/// Runs one case and prints its line, in one write so that two cases never mix.
fn report(case: &Case, arch: &'static Arch, bench: &Bench, keep: bool) -> bool {
    let name = format!("{arch}/{}", case.name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/qemu").join(&name);
    let start = Instant::now();
    // A panic in the harness is the failure of this case and not the end of the others.
    let result = panic::catch_unwind(AssertUnwindSafe(|| attempt(case, arch, bench, &folder)))
        .unwrap_or_else(|_| fail("the harness panicked, see above"));
    let seconds = start.elapsed().as_secs_f32();
    match result {
        Ok(()) => {
            if !keep {
                // A folder that stays is untidy, not wrong.
                let _ = fs::remove_dir_all(&folder);
            }
            println!("ok   {name:<32} {seconds:5.1} s");
            true
        }
        Err(failure) => {
            let text = failure.to_string().replace('\n', "\n     ");
            println!("FAIL {name:<32} {seconds:5.1} s\n     {text}");
            false
        }
    }
}

fn attempt(case: &Case, arch: &'static Arch, bench: &Bench, folder: &Path) -> Result<()> {
    run::empty(folder)?;
    let mut run = Run::start(case, arch, bench, folder)?;
    run.go().map_err(|Failure(text)| {
        let tail = run.vm.serial.tail(TAIL);
        Failure(format!("{}: {text}\nserial line (all of it: {}/serial.log):\n{tail}", run.step, folder.display()))
    })
}
