//! Runs fbunlock by hand, line by line of a list, and reports on each run: its end, its output, and
//! what it left behind.
//!
//! A line is `SETTING\tMARKER\tSTEPS\tWORDS`; see `tests/qemu/command.rs`. Every wait ends.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::mount::{MsFlags, mount};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::{Mode, SFlag, makedev, mknod};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::{Console, dm, tty};

const FOLDER: &str = "/tmp";
const PROGRAM: &str = "fbunlock";
/// Longer than any run that ends by itself.
const DEADLINE: Duration = Duration::from_secs(20);
/// Until what was told to end, or to give back, has done so.
const SETTLE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(10);
/// The mapping of the root, which is not the runs'.
const ROOT: &str = "root";
/// What the program tells others.
pub const STATUS: &str = "/run/fbunlock/status";
/// Nodes of virtual terminals, by minor number; the major one is 4.
const TERMINALS: [(&str, u64); 2] = [("/dev/tty0", 0), ("/dev/tty1", 1)];

/// Runs the list on `device`.
pub fn run_all(device: &str, console: &Console) {
    if let Err(errno) = mount(Some(device), FOLDER, Some("ext4"), MsFlags::MS_RDONLY, None::<&str>) {
        console.say(&format!("mount {device}: {errno}"));
        return;
    }
    match fs::read_to_string(Path::new(FOLDER).join("commands")) {
        Ok(list) => list.lines().enumerate().for_each(|(number, line)| {
            let say = |text: String| console.say(&format!("run {number} {text}"));
            if let Err(error) = run(line, &say) {
                say(format!("failed: {error}"));
            }
        }),
        Err(error) => console.say(&format!("read the list of commands: {error}")),
    }
}

fn run(line: &str, say: &dyn Fn(String)) -> io::Result<()> {
    let mut fields = line.split('\t');
    let mut field = || fields.next().ok_or_else(|| io::Error::other("a line of too few fields"));
    let (setting, marker, steps, words) = (field()?, field()?, field()?, field()?);
    if setting.contains("no-vt") {
        TERMINALS.iter().try_for_each(|(path, _)| fs::remove_file(path))?;
    }
    for left in setting.split(' ').filter_map(|word| word.strip_prefix("half:")) {
        let (name, uuid) = left.split_once(':').unwrap_or((left, ""));
        dm::create(name, uuid)?;
    }
    // Read afterwards: it is this run's, or nobody's.
    let _ = fs::remove_file(STATUS);
    let input = if setting.contains("console") { "/dev/console" } else { "/dev/null" };
    let (output, writer) = io::pipe()?;
    let mut child = std::process::Command::new(Path::new(FOLDER).join(PROGRAM))
        .args(words.split_whitespace())
        .stdin(Stdio::from(File::options().read(true).write(true).open(input)?))
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()?;
    let (text, reader) = collect(output);
    let started = Instant::now();
    let status = watch(&mut child, marker, steps, &text, say)?;
    let ms = started.elapsed().as_millis();
    let processes = settle(setting.contains("no-vt"));
    // A process that outlives the run must not hold it up.
    let deadline = Instant::now() + SETTLE;
    while !reader.is_finished() && Instant::now() < deadline {
        thread::sleep(POLL);
    }
    for line in text.lock().unwrap_or_else(PoisonError::into_inner).lines() {
        say(format!("says: {line}"));
    }
    for line in fs::read_to_string(STATUS).unwrap_or_default().lines() {
        say(format!("status: {line}"));
    }
    for line in dm::tables()?.iter().filter(|line| !line.starts_with("root: ")) {
        say(format!("table: {line}"));
    }
    for name in dm::names()?.iter().filter(|name| *name != ROOT) {
        say(format!("mapping: {name}"));
        dm::remove(name)?;
    }
    if setting.contains("no-vt") {
        let mode = Mode::from_bits_truncate(0o600);
        for (path, minor) in TERMINALS {
            mknod(path, SFlag::S_IFCHR, mode, makedev(4, minor))?;
        }
    }
    say(format!("after: {} processes={processes}", tty::all_modes()));
    // The next run is judged by what it does itself.
    tty::reset()?;
    say(format!("took {ms} ms"));
    say(match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => format!("exit={code}"),
        Some((None, signal)) => format!("exit=signal {}", signal.unwrap_or(0)),
        None => "exit=timeout".to_owned(),
    });
    Ok(())
}

/// What comes out of a pipe, as it comes, and the thread that reads it.
fn collect(mut pipe: io::PipeReader) -> (Arc<Mutex<String>>, JoinHandle<()>) {
    let text = Arc::new(Mutex::new(String::new()));
    let writer = Arc::clone(&text);
    let reader = thread::spawn(move || {
        let (mut chunk, mut bytes) = ([0; 512], Vec::new());
        while let Ok(length @ 1..) = pipe.read(&mut chunk) {
            bytes.extend_from_slice(&chunk[..length]);
            *writer.lock().unwrap_or_else(PoisonError::into_inner) = String::from_utf8_lossy(&bytes).into_owned();
        }
    });
    (text, reader)
}

/// Waits for the end, taking the steps meanwhile; `None` when it had to be forced.
fn watch(
    child: &mut Child,
    marker: &str,
    steps: &str,
    text: &Mutex<String>,
    say: &dyn Fn(String),
) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + DEADLINE;
    let (mut steps, mut seen) = (steps.split_whitespace().peekable(), 0);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline {
            for (pid, _) in processes() {
                signal(pid, Signal::SIGKILL);
            }
            child.wait()?;
            return Ok(None);
        }
        let found = {
            let text = text.lock().unwrap_or_else(PoisonError::into_inner);
            let end = |marker| text[seen..].find(&format!("{marker}\n")).map(|at| seen + at + str::len(marker));
            marker.split('|').filter_map(end).min()
        };
        if let (Some(end), Some(step)) = (found, steps.peek()) {
            seen = end;
            say(format!("meanwhile: {}", tty::all_modes()));
            take(step, child.id())?;
            steps.next();
        }
        thread::sleep(POLL);
    }
}

/// The guardian is the process that was started, the prompt its child, the worker the prompt's.
fn take(step: &str, guardian: u32) -> io::Result<()> {
    let child_of = |parent: u32| {
        let all = processes();
        let found = all.iter().find(|(_, of)| *of == parent).map(|(pid, _)| *pid);
        found.ok_or_else(|| io::Error::other(format!("process {parent} has no child")))
    };
    if let Some(words) = step.strip_prefix("run:") {
        // Whatever comes of it is seen by the first one.
        let mut other = std::process::Command::new(Path::new(FOLDER).join(PROGRAM));
        other.args(words.split(',')).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        other.spawn()?.wait()?;
        return Ok(());
    }
    match step {
        "term" => signal(guardian, Signal::SIGTERM),
        "kill" => signal(guardian, Signal::SIGKILL),
        "kill-prompt" => signal(child_of(guardian)?, Signal::SIGKILL),
        "kill-worker" => signal(child_of(child_of(guardian)?)?, Signal::SIGKILL),
        "renew" => renew(child_of(guardian)?)?,
        other => return Err(io::Error::other(format!("unknown step {other}"))),
    }
    Ok(())
}

/// Takes screen and input device away and gives new ones of the same names, all while the prompt does
/// not look. It must have found the new ones soon.
fn renew(prompt: u32) -> io::Result<()> {
    let mut bound = Vec::new();
    for driver in ["/sys/bus/pci/drivers/bochs-drm", "/sys/bus/virtio/drivers/virtio_input"] {
        for entry in fs::read_dir(driver)?.flatten().filter(|entry| entry.path().join("driver").exists()) {
            bound.push((Path::new(driver), entry.file_name()));
        }
    }
    signal(prompt, Signal::SIGSTOP);
    for file in ["unbind", "bind"] {
        bound.iter().try_for_each(|(driver, device)| fs::write(driver.join(file), device.as_encoded_bytes()))?;
    }
    signal(prompt, Signal::SIGCONT);
    let deadline = Instant::now() + SETTLE;
    loop {
        let files = fs::read_dir(format!("/proc/{prompt}/fd"))?.flatten();
        // The links of nodes that are gone end with `(deleted)`.
        let open: Vec<_> =
            files.filter_map(|file| fs::read_link(file.path()).ok()).filter(|path| path.exists()).collect();
        let any = |start: &str| open.iter().any(|path| path.to_string_lossy().starts_with(start));
        if any("/dev/fb0") && any("/dev/input/event") {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(io::Error::other(format!("the prompt has open {open:?}")));
        }
        thread::sleep(POLL);
    }
}

fn signal(pid: u32, signal: Signal) {
    // A process that is gone already is what the signal was for.
    let _ = kill(Pid::from_raw(pid.cast_signed()), signal);
}

/// Every process of the program, zombies too, and its parent.
fn processes() -> Vec<(u32, u32)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let stats = entries.flatten().filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    // `PID (NAME) STATE PARENT …`
    let parse = |stat: String| {
        let (pid, rest) = stat.split_once(" (")?;
        let parent = rest.strip_prefix(PROGRAM)?.strip_prefix(") ")?.split(' ').nth(1)?;
        Some((pid.parse().ok()?, parent.parse().ok()?))
    };
    stats.filter_map(parse).collect()
}

/// Waits until every process of the program is gone and the terminals are as they should be. Tells
/// what is left in the end, having ended it.
fn settle(no_vt: bool) -> String {
    let deadline = Instant::now() + SETTLE;
    loop {
        // Orphans come to this process, which is PID 1.
        while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive) {}
        let left = processes();
        if left.is_empty() && (no_vt || tty::all_modes() == tty::AT_REST) {
            return "none".to_owned();
        }
        if Instant::now() > deadline {
            left.iter().for_each(|(pid, _)| signal(*pid, Signal::SIGKILL));
            return if left.is_empty() { "none".to_owned() } else { left.len().to_string() };
        }
        thread::sleep(POLL);
    }
}
