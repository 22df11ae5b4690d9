//! The program as a process: killed at the wrong moment, it gives the terminal back; told to stop, it
//! stops. Needs neither root nor a display.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::{Pid, mkfifo};

const DEADLINE: Duration = Duration::from_secs(10);

/// Waits for a device that never comes, on a terminal.
const ASK: &str = "unlock --device /nonexistent --name x --device-timeout 60 --framebuffer /nonexistent";

fn start(words: &str, input: impl Into<Stdio>) -> (Child, BufReader<ChildStderr>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fbunlock"));
    command.args(words.split(' ')).stdin(input).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    (child, stderr)
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
}

/// Waits until something holds; a process that hangs is killed.
fn eventually(child: &mut Child, what: &str, mut holds: impl FnMut(&mut Child) -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds(child) {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("{what}");
        }
        sleep(Duration::from_millis(10));
    }
}

fn end(child: &mut Child) -> ExitStatus {
    let mut status = None;
    eventually(child, "it does not end", |child| {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

fn echoes(terminal: &impl AsFd) -> bool {
    tcgetattr(terminal).unwrap().local_flags.contains(LocalFlags::ECHO | LocalFlags::ICANON)
}

#[test]
fn a_killed_guardian_leaves_a_terminal_that_echoes() {
    let pty = openpty(None, None).unwrap();
    let (mut child, stderr) = start(ASK, pty.slave.try_clone().unwrap());
    let asks = stderr.lines().any(|line| line.unwrap().contains("Waiting for"));
    assert!(asks && !echoes(&pty.slave), "the prompt is not up");
    signal(&child, Signal::SIGKILL);
    eventually(&mut child, "the terminal stays without echo", |_| echoes(&pty.slave));
    end(&mut child);
}

#[test]
fn escape_on_a_serial_line_cancels_and_an_arrow_does_not() {
    let pty = openpty(None, None).unwrap();
    let (mut child, stderr) = start(&format!("{ASK} --cancel=yes"), pty.slave.try_clone().unwrap());
    let mut lines = stderr.lines().map(|line| line.unwrap());
    assert!(lines.any(|line| line.contains("Waiting for")));
    nix::unistd::write(&pty.master, b"\x1b[A").unwrap();
    // Longer than it waits for the rest of a sequence.
    sleep(Duration::from_millis(150));
    assert_eq!(child.try_wait().unwrap(), None);
    nix::unistd::write(&pty.master, b"\x1b").unwrap();
    assert_eq!(end(&mut child).code(), Some(6));
    assert!(lines.any(|line| line.contains("unlock: cancelled")));
}

#[test]
fn a_key_file_that_never_comes_can_be_given_up() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let (mut child, _stderr) = start("unlock --device /nonexistent --name x --key-file -", reader);
    // `PID (fbunlock) S …`: it sleeps, and before it has all going there is nothing to sleep on.
    let stat = format!("/proc/{}/stat", child.id());
    eventually(&mut child, "it does not wait", |_| std::fs::read_to_string(&stat).unwrap().contains(" (fbunlock) S "));
    signal(&child, Signal::SIGTERM);
    assert_eq!(end(&mut child).code(), Some(6));
}

#[test]
fn a_stopped_line_stops_nothing_else() {
    let pty = openpty(None, None).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fbunlock"));
    command.args(["unlock", "--device", "/nonexistent", "--name", "x", "--device-timeout", "60"]);
    command.args(["--framebuffer", "/nonexistent"]);
    let slave = || pty.slave.try_clone().unwrap();
    let mut child = command.stdin(slave()).stderr(slave()).spawn().unwrap();
    eventually(&mut child, "the prompt is not up", |_| !echoes(&pty.slave));
    // What stops output on a terminal, then more lines than it has room for, which nobody reads.
    let noise = b"\x13".iter().chain(b"x\r\x15".repeat(2000).iter()).copied().collect::<Vec<u8>>();
    for chunk in noise.chunks(256) {
        nix::unistd::write(&pty.master, chunk).unwrap();
    }
    signal(&child, Signal::SIGTERM);
    assert_eq!(end(&mut child).code(), Some(6));
}

#[test]
fn without_display_and_console_it_waits_as_long_as_it_is_told_and_ends() {
    let started = std::time::Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fbunlock"));
    command.args(ASK.split(' ')).args(["--display-timeout", "1"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(8), "{text}");
    assert!(text.contains("open /nonexistent: No such file or directory (ENOENT); waiting for it"), "{text}");
    assert!(text.contains("(ENOENT); and there is no console to ask on"), "{text}");
    let waited_ms = started.elapsed().as_millis();
    assert!((1000..8000).contains(&waited_ms), "{waited_ms} ms");
}

#[test]
fn whoever_ignores_the_end_of_children_is_told_of_it_all_the_same() {
    let program = env!("CARGO_BIN_EXE_fbunlock");
    let words = "unlock --test-passphrase --device /nonexistent --device-timeout 1 --key-file /dev/null";
    let mut command = Command::new("env");
    command.args(["--ignore-signal=CHLD", program]).args(words.split(' '));
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(end(&mut child).code(), Some(4));
}

#[test]
fn a_passphrase_from_a_pipe_is_in_no_other_buffer() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped: the processes let nobody but root look into their memory");
        return;
    }
    let (reader, mut writer) = std::io::pipe().unwrap();
    let image = Image::new();
    let words = format!("unlock --test-passphrase --device {} --key-file -", image.0.display());
    let (mut child, _stderr) = start(&words, reader);
    let secret = b"correct-horse-battery-staple";
    // The pipe stays open: what has come of the passphrase stays where it was put.
    std::io::Write::write_all(&mut writer, secret).unwrap();
    // Guardian, session, worker.
    let mut family = Vec::new();
    eventually(&mut child, "nobody reads the passphrase", |child| {
        family = vec![child.id()];
        while let Some(next) = child_of(*family.last().unwrap()) {
            family.push(next);
        }
        family.len() == 3 && !places(family[2], secret).is_empty()
    });
    for process in &family {
        for (what, count) in places(*process, secret) {
            assert!(what.contains("zero") || what.contains("shared"), "{process}: {count} in {what}");
        }
    }
    signal(&child, Signal::SIGTERM);
    end(&mut child);
}

/// A LUKS volume in a file that goes with it.
struct Image(std::path::PathBuf);

impl Image {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("fbunlock-process-{}", std::process::id()));
        std::fs::write(&path, [])
            .and_then(|()| std::fs::File::options().write(true).open(&path)?.set_len(20 << 20))
            .unwrap();
        let mut format = Command::new("cryptsetup");
        format.env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()));
        let words = "luksFormat --batch-mode --type=luks1 --pbkdf-force-iterations=1000 --key-file=/proc/version";
        assert!(format.args(words.split(' ')).arg(&path).status().unwrap().success());
        Self(path)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The one child of a process.
fn child_of(process: u32) -> Option<u32> {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// The writable mappings of a process that hold `secret`, by permissions and name. Empty where the
/// process may not be looked into.
fn places(process: u32, secret: &[u8]) -> Vec<(String, usize)> {
    use std::os::unix::fs::FileExt;
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let Ok(memory) = std::fs::File::open(format!("/proc/{process}/mem")) else { return Vec::new() };
    let mut found = Vec::new();
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (range, modes) = (words.next().unwrap(), words.next().unwrap());
        let Some((start, end)) = range.split_once('-').filter(|_| modes.contains('w')) else { continue };
        let [start, end] = [start, end].map(|number| u64::from_str_radix(number, 16).unwrap());
        let mut bytes = vec![0; (end - start) as usize];
        if memory.read_exact_at(&mut bytes, start).is_err() {
            continue;
        }
        let count = bytes.windows(secret.len()).filter(|window| *window == secret).count();
        if count > 0 {
            let kind = if modes.ends_with('s') { "shared" } else { "private" };
            found.push((format!("{kind} {}", words.nth(3).unwrap_or("no file")), count));
        }
    }
    found
}

#[test]
fn a_prompt_that_is_stopped_can_be_ended() {
    let pty = openpty(None, None).unwrap();
    let (mut child, stderr) = start(ASK, pty.slave.try_clone().unwrap());
    assert!(stderr.lines().any(|line| line.unwrap().contains("Waiting for")));
    let prompt = child_of(child.id()).unwrap().cast_signed();
    kill(Pid::from_raw(prompt), Signal::SIGSTOP).unwrap();
    signal(&child, Signal::SIGTERM);
    assert_eq!(end(&mut child).code(), Some(6));
}

#[test]
fn control_backslash_gives_the_terminal_back() {
    let pty = openpty(None, None).unwrap();
    let (mut child, stderr) = start(ASK, pty.slave.try_clone().unwrap());
    assert!(stderr.lines().any(|line| line.unwrap().contains("Waiting for")) && !echoes(&pty.slave));
    // What the terminal does: every process of it gets the signal.
    let prompt = child_of(child.id()).unwrap().cast_signed();
    kill(Pid::from_raw(prompt), Signal::SIGQUIT).unwrap();
    signal(&child, Signal::SIGQUIT);
    assert_eq!(end(&mut child).code(), Some(6));
    assert!(echoes(&pty.slave));
}

#[test]
fn a_pipe_is_no_volume() {
    let path = std::env::temp_dir().join(format!("fbunlock-pipe-{}", std::process::id()));
    mkfifo(&path, Mode::S_IRWXU).unwrap();
    let words = format!("unlock --test-passphrase --key-file /dev/null --device {}", path.display());
    let (mut child, stderr) = start(&words, Stdio::null());
    let status = end(&mut child);
    std::fs::remove_file(path).unwrap();
    assert_eq!(status.code(), Some(4));
    assert!(stderr.lines().any(|line| line.unwrap().contains("not a LUKS volume")));
}

#[test]
fn a_reader_that_hangs_up_changes_no_exit_status() {
    for (words, code) in [("--help", 0), ("--version", 0), ("nonsense", 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_fbunlock"));
        command.arg(words).stdout(writer.try_clone().unwrap()).stderr(writer);
        assert_eq!(command.status().unwrap().code(), Some(code), "{words}");
    }
}

#[test]
fn a_worker_that_is_killed_costs_one_volume_where_nobody_is_asked() {
    let program = env!("CARGO_BIN_EXE_fbunlock");
    let words = "unlock --test-passphrase /nonexistent/a /nonexistent/b --nofail --device-timeout 2 \
                 --key-file /dev/null --json";
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut worker = None;
    eventually(&mut child, "there is no worker", |child| {
        worker = child_of(child.id()).and_then(child_of);
        worker.is_some()
    });
    kill(Pid::from_raw(worker.unwrap().cast_signed()), Signal::SIGKILL).unwrap();
    assert_eq!(end(&mut child).code(), Some(0));
    let told = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    let exits: Vec<bool> = told.lines().zip([3, 4]).map(|(line, n)| line.contains(&format!("\"exit\":{n},"))).collect();
    assert_eq!(exits, [true, true], "{told}");
}

#[test]
fn a_table_of_thousands_of_lines_holds_nobody_up() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped: nobody but root can have an /etc of their own");
        return;
    }
    let table = std::env::temp_dir().join(format!("fbunlock-table-{}", std::process::id()));
    let line = |n| format!("v{n} /dev/disk/by-path/none-{n} none luks,nofail,x-systemd.device-timeout=60\n");
    std::fs::write(&table, (0..4000).map(line).collect::<String>()).unwrap();
    let pty = openpty(None, None).unwrap();
    let program = env!("CARGO_BIN_EXE_fbunlock");
    let words = format!("mount -t tmpfs none /etc && cp {} /etc/crypttab && exec {program} unlock", table.display());
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &format!("{words} --test-passphrase --framebuffer /nonexistent")]);
    let mut child = command.stdin(pty.slave.try_clone().unwrap()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    eventually(&mut child, "the prompt is not up", |_| !echoes(&pty.slave));
    signal(&child, Signal::SIGTERM);
    end(&mut child);
    let mut told = String::new();
    std::io::Read::read_to_string(&mut stderr, &mut told).unwrap();
    std::fs::remove_file(&table).unwrap();
    assert!(told.contains("more than 256 volumes; ") && told.lines().count() < 20, "{told}");
}
