//! The processes of the prompt, as seen from beside it.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Stops it, so that it sees at once what happens until [`thaw`].
pub fn freeze() {
    signal(Signal::SIGSTOP);
}

/// Lets it go on.
pub fn thaw() {
    signal(Signal::SIGCONT);
}

/// How often all processes but this one were scheduled (proc_pid_status(5)).
pub fn switches() -> u64 {
    let count = |text: &str| -> u64 {
        let lines = text.lines().filter(|line| line.contains("ctxt_switches:"));
        lines.filter_map(|line| line.rsplit('\t').next()?.parse::<u64>().ok()).sum()
    };
    let files = processes().into_iter().filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/status")).ok());
    files.map(|text| count(&text)).sum()
}

/// How long they have run, in hundredths of a second (utime and stime of proc_pid_stat(5)).
pub fn ticks() -> u64 {
    let files = processes().into_iter().filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/stat")).ok());
    let count = |text: String| -> Option<u64> {
        // The name, in parentheses, may hold blanks.
        let (_, rest) = text.rsplit_once(") ")?;
        Some(rest.split(' ').skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum())
    };
    files.filter_map(count).sum()
}

/// The kernel's own have no words.
fn processes() -> Vec<u32> {
    let own = std::process::id();
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    let has_words = |pid: &u32| fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| !words.is_empty());
    pids.filter(|pid| *pid != own).filter(has_words).collect()
}

/// Process 1 cannot be stopped, and does nothing but wait.
fn signal(signal: Signal) {
    for pid in processes().into_iter().filter(|pid| *pid != 1) {
        // One that has ended needs none.
        let _ = kill(Pid::from_raw(pid.cast_signed()), signal);
    }
}
