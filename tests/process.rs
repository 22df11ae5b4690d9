//! The program as a process: killed at the wrong moment, it gives the terminal back; told to stop, it
//! stops. Needs neither root nor a display.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

use std::io::{BufRead, BufReader, Write};
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
fn a_stray_control_s_stops_nothing() {
    let pty = openpty(None, None).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fbunlock"));
    let terminal = || pty.slave.try_clone().unwrap();
    let mut child = command.args(ASK.split(' ')).stdin(terminal()).stderr(terminal()).spawn().unwrap();
    eventually(&mut child, "the prompt is not up", |_| !echoes(&pty.slave));
    std::fs::File::from(pty.master.try_clone().unwrap()).write_all(b"\x13").unwrap();
    signal(&child, Signal::SIGTERM);
    assert_eq!(end(&mut child).code(), Some(6));
}

#[test]
fn a_prompt_that_is_stopped_can_be_ended() {
    let pty = openpty(None, None).unwrap();
    let (mut child, stderr) = start(ASK, pty.slave.try_clone().unwrap());
    assert!(stderr.lines().any(|line| line.unwrap().contains("Waiting for")));
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let prompt = std::fs::read_to_string(children).unwrap().trim().parse().unwrap();
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
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let prompt = std::fs::read_to_string(children).unwrap().trim().parse().unwrap();
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
