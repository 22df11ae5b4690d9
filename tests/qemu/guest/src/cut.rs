//! Kills the process that opens a volume at one system call after the other, from the first one after which the
//! mapping exists to the last. Whenever that is, nothing half-made may be left, and a new try must work.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::command::{FOLDER, PROGRAM, child_of};
use crate::dm;

/// The mapping that the words make.
const NAME: &str = "x";
const DEADLINE: Duration = Duration::from_secs(10);
/// More calls than an activation makes.
const CUTS_MAX: usize = 400;
const EACH: usize = 24;
const STRIDE: usize = 8;

/// Goes through all calls, and says how many there were and what was wrong. The exit code is 0 when the last
/// try of all was good.
pub(crate) fn run(words: &str, say: &dyn Fn(String)) -> io::Result<()> {
    let mut halves = 0;
    // The first ones are those that make the mapping.
    for cut in (0..EACH).chain((EACH..CUTS_MAX).step_by(STRIDE)) {
        let mut child = start(words)?;
        let is_cut = kill_after(child.id(), cut)?;
        child.wait()?;
        let is_half = names()? && !has_table()?;
        halves += usize::from(is_half);
        let mut second = start(words)?;
        let status = second.wait()?;
        // Also a sign of life.
        say(format!("cut: {cut}, half: {is_half}"));
        let has_node = Path::new("/dev/mapper").join(NAME).exists();
        if !status.success() || !has_table()? || !has_node {
            let has_table = has_table()?;
            say(format!("says: cut {cut}: the next try: {status}, table: {has_table}, node: {has_node}"));
        }
        dm::remove(NAME)?;
        if !is_cut {
            say(format!("says: {} cuts, {halves} left half a mapping", if cut > 9 { "many" } else { "few" }));
            say("after: text keyboard=unicode console=cooked processes=none".to_owned());
            say("exit=0".to_owned());
            return Ok(());
        }
    }
    Err(io::Error::other("there is no end to it"))
}

fn start(words: &str) -> io::Result<Child> {
    let mut program = Command::new(Path::new(FOLDER).join(PROGRAM));
    program.args(words.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn names() -> io::Result<bool> {
    Ok(dm::names()?.iter().any(|name| name == NAME))
}

fn has_table() -> io::Result<bool> {
    Ok(dm::tables()?.iter().any(|line| line.starts_with(&format!("{NAME}: "))))
}

/// Kills the worker `cut` stops after the mapping has come; `false` if it has ended before.
fn kill_after(guardian: u32, cut: usize) -> io::Result<bool> {
    let deadline = Instant::now() + DEADLINE;
    let worker = loop {
        match child_of(guardian).and_then(child_of) {
            Ok(worker) => break Pid::from_raw(worker.cast_signed()),
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => std::thread::yield_now(),
        }
    };
    ptrace::attach(worker)?;
    let mut left = None;
    loop {
        match waitpid(worker, None)? {
            WaitStatus::Exited(..) | WaitStatus::Signaled(..) => return Ok(false),
            _ => {}
        }
        left = match left {
            Some(0) => {
                kill(worker, Signal::SIGKILL)?;
                // PID 1 is not its parent, yet the one who is told.
                waitpid(worker, None)?;
                return Ok(true);
            }
            Some(left) => Some(left - 1),
            None => names()?.then_some(cut),
        };
        ptrace::syscall(worker, None)?;
    }
}
