//! One virtual machine: started from a list of arguments, killed when dropped.
//!
//! Always TCG: a /dev/kvm that opens may still hang in early kernel code, and a test must run the
//! same everywhere.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::arch::Arch;
use crate::failure::{Context, Result, fail};
use crate::qmp::Client;
use crate::serial::Serial;
use crate::tool::Tools;

/// QEMU opens its sockets before it starts the guest.
const SOCKET: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);

const MEMORY_MIB: &str = "512";
/// What every machine has.
const BASE: &[&str] = &["-accel", "tcg", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"];
/// Without self-tests, which cost seconds in TCG. A dead init makes the kernel panic, and with
/// `-no-reboot` that ends QEMU at once.
const CMDLINE: &str = "quiet loglevel=3 cryptomgr.notests=1 nokaslr panic=-1 random.trust_cpu=on";

/// What a machine is made of.
pub(crate) struct Recipe<'a> {
    /// QEMU and what makes it this machine, without devices.
    pub(crate) machine: &'a [String],
    pub(crate) kernel: PathBuf,
    pub(crate) initramfs: PathBuf,
    /// Added to the kernel's command line.
    pub(crate) cmdline: String,
    /// Devices and what else QEMU shall know.
    pub(crate) arguments: Vec<String>,
}

pub(crate) struct Vm {
    child: Child,
    pub(crate) qmp: Client,
    pub(crate) serial: Serial,
    /// What the guest's serial line receives.
    typed: Option<ChildStdin>,
    socket: PathBuf,
}

/// QEMU's words for a machine of one CPU without devices.
pub(crate) fn machine(tools: &Tools, arch: &Arch) -> Vec<String> {
    let program = tools.program(&format!("qemu-system-{arch}")).display().to_string();
    let words = BASE.iter().chain(arch.machine).copied().chain(["-m", MEMORY_MIB, "-smp", "1"]);
    std::iter::once(program).chain(words.map(str::to_owned)).collect()
}

/// The kernel's command line, with words of the case's own.
pub(crate) fn cmdline(arch: &Arch, more: &str) -> String {
    format!("{} {CMDLINE} {more}", arch.cmdline).trim_end().to_owned()
}

impl Vm {
    /// Starts QEMU. `folder` gets `command` (to start the same by hand), `serial.log` and `qemu.log`.
    pub(crate) fn start(recipe: &Recipe, folder: &Path) -> Result<Self> {
        // Not in `folder`: the path of a socket has at most 107 bytes.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let socket = std::env::temp_dir().join(format!("fbunlock-{}-{number}", std::process::id()));
        let log = folder.join("qemu.log");
        let log = fs::File::create(&log).context(format_args!("create {}", log.display()))?;
        let mut words = recipe.machine.to_vec();
        let path = |flag: &str, path: &Path| [flag.to_owned(), path.display().to_string()];
        words.extend(path("-kernel", &recipe.kernel).into_iter().chain(path("-initrd", &recipe.initramfs)));
        words.extend(["-append".to_owned(), recipe.cmdline.clone()]);
        words.extend(recipe.arguments.iter().cloned());
        words.extend(["-serial", "stdio"].map(str::to_owned));
        save(&folder.join("command"), &words)?;
        words.extend(["-qmp".to_owned(), format!("unix:{},server=on,wait=off", socket.display())]);
        // setpriv (util-linux): no machine outlives a harness that was killed.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).args(&words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().context("start QEMU through setpriv (package util-linux)")?;
        match Self::connect(&mut child, &socket, folder) {
            Ok((qmp, serial)) => Ok(Self { typed: child.stdin.take(), child, qmp, serial, socket }),
            Err(failure) => {
                end(&mut child, &socket);
                Err(failure)
            }
        }
    }

    fn connect(child: &mut Child, socket: &Path, folder: &Path) -> Result<(Client, Serial)> {
        let Some(output) = child.stdout.take() else { return fail("QEMU has no output") };
        let serial = Serial::new(output, &folder.join("serial.log"))?;
        let deadline = Instant::now() + SOCKET;
        loop {
            let cause = match UnixStream::connect(socket) {
                Ok(stream) => return Ok((Client::new(stream)?, serial)),
                Err(error) => error,
            };
            if let Some(status) = child.try_wait().context("look at QEMU")? {
                let said = fs::read_to_string(folder.join("qemu.log")).unwrap_or_default();
                return fail(format!("QEMU ended with {status}: {}", said.trim()));
            }
            if Instant::now() > deadline {
                return fail(format!("QMP socket {}: {cause}", socket.display()));
            }
            thread::sleep(POLL);
        }
    }

    /// Types on the serial line.
    pub(crate) fn type_serial(&mut self, text: &str) -> Result<()> {
        let Some(line) = &mut self.typed else { return fail("QEMU has no input") };
        line.write_all(text.as_bytes()).and_then(|()| line.flush()).context("type on the serial line")
    }

    /// The machine runs on for this long.
    pub(crate) fn stays(&mut self, time: Duration) -> Result<()> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().context("look at QEMU")? {
                return fail(format!("the machine ended ({status}) where it should stay"));
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    /// The kernel did not panic.
    pub(crate) fn calm(&mut self) -> Result<()> {
        let ended = self.child.try_wait().context("look at QEMU")?.is_some();
        self.serial.calm(ended)
    }

    /// Waits until the guest has switched itself off.
    pub(crate) fn ended(&mut self, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        while self.child.try_wait().context("look at QEMU")?.is_none() {
            if Instant::now() > deadline {
                return fail(format!("the machine still runs after {} s", limit.as_secs()));
            }
            thread::sleep(POLL);
        }
        Ok(())
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        end(&mut self.child, &self.socket);
    }
}

/// Both fail when QEMU has ended by itself, which is as good.
fn end(child: &mut Child, socket: &Path) {
    let _ = child.kill();
    let _ = child.wait();
    let _ = fs::remove_file(socket);
}

/// Writes a script that starts the same machine by hand.
fn save(file: &Path, words: &[String]) -> Result<()> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    fs::write(file, format!("#!/bin/sh\nexec {}\n", quoted.join(" ")))
        .and_then(|()| fs::set_permissions(file, fs::Permissions::from_mode(0o755)))
        .context(format_args!("write {}", file.display()))
}
