//! Loads modules, or does other things to the display, while the product's prompt is up: leaves a child
//! behind that waits for a device of QEMU's to be plugged in, and becomes the product's /init.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use guest::hash::hash;
use guest::{Console, module, palette, prompt, tty, uinput};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{ForkResult, Pid, execv, fork};

/// Vendor and device of QEMU's `edu` (docs/specs/edu.rst of QEMU).
const TRIGGER: &str = "0x12340x11e8";
const LOOK: Duration = Duration::from_millis(20);
/// Between two looks at the framebuffer.
const SHOW: Duration = Duration::from_millis(300);
/// Until nothing happens any more, and how long it is counted then.
const SETTLE: Duration = Duration::from_secs(2);
const COUNTED: Duration = Duration::from_secs(5);
/// How long a display is held.
const HELD: Duration = Duration::from_secs(4);

fn main() {
    // SAFETY: this program has one thread.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => wait_and_load(),
        Ok(ForkResult::Parent { .. }) | Err(_) => become_init(),
    }
}

/// PID 1 keeps its words.
fn become_init() {
    let mut words: Vec<CString> = std::env::args().skip(1).filter_map(|word| CString::new(word).ok()).collect();
    words.insert(0, c"/init".to_owned());
    let _ = execv(c"/init", &words);
}

/// The product mounts /sys and /dev.
fn wait_and_load() {
    while !is_plugged_in() {
        thread::sleep(LOOK);
    }
    let console = Console::open("late");
    module::load("/late-modules", &console);
    let action = fs::read_to_string("/late-action").unwrap_or_default();
    match action.as_str() {
        "read" | "" => {}
        "master" => {
            // Whoever opens a card first is its master.
            let card = File::open("/dev/dri/card0");
            console.say("done");
            thread::sleep(HELD);
            drop(card);
        }
        "switch" => {
            if let Err(error) = tty::away_and_back() {
                console.say(&format!("switch terminals: {error}"));
            }
        }
        "script" => match uinput::run(&fs::read_to_string("/late-script").unwrap_or_default(), &console) {
            Ok(script) => {
                console.say("done");
                thread::sleep(HELD);
                drop(script);
            }
            Err(error) => console.say(&format!("script: {error}")),
        },
        "open" => {
            let words = fs::read_to_string("/late-script").unwrap_or_default();
            match Command::new("/init").args(words.split_whitespace()).stdin(Stdio::null()).output() {
                Ok(output) => console.say(&format!("opened with {}", output.status)),
                Err(error) => console.say(&format!("start /init: {error}")),
            }
        }
        "kill-worker" => {
            // The last one that was started.
            let worker = processes().into_iter().max();
            console.say(&format!("kill {worker:?}"));
            let killed = worker.map(|worker| kill(Pid::from_raw(worker), Signal::SIGKILL));
            if !matches!(killed, Some(Ok(()))) {
                console.say(&format!("kill the worker: {killed:?}"));
            }
        }
        "count" => {
            thread::sleep(SETTLE);
            let before = prompt::switches();
            thread::sleep(COUNTED);
            console.say(&format!("{} switches", prompt::switches() - before));
        }
        "text" => {
            if let Err(error) = tty::set_text() {
                console.say(&format!("text mode: {error}"));
            }
        }
        "unplug" => {
            if let Err(error) = pull_monitor() {
                console.say(&format!("pull the monitor out: {error}"));
            }
        }
        driver => unbind(driver, &console),
    }
    console.say("done");
    if action != "read" {
        return;
    }
    loop {
        match picture() {
            Ok(bytes) => console.say(&format!("picture {:016x}", hash(&bytes))),
            Err(error) => console.say(&format!("read /dev/fb0: {error}")),
        }
        thread::sleep(SHOW);
    }
}

/// What can be seen of the framebuffer's memory: the prompt's pictures begin at its first byte. Numbers
/// of eight bits become the colours that they stand for.
fn picture() -> io::Result<Vec<u8>> {
    let number = |file: &str| -> io::Result<usize> {
        let text = fs::read_to_string(format!("/sys/class/graphics/fb0/{file}"))?;
        let last = text.trim().rsplit(',').next().unwrap_or_default();
        last.parse().map_err(io::Error::other)
    };
    let mut bytes = vec![0; number("stride")? * number("virtual_size")?];
    let mut framebuffer = File::open("/dev/fb0")?;
    framebuffer.read_exact(&mut bytes)?;
    if number("bits_per_pixel")? == 8 { palette::colors(&framebuffer, &bytes) } else { Ok(bytes) }
}

/// The product's processes but PID 1.
fn processes() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(|pid| *pid > 1);
    let is_init = |pid: &i32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|path| path == Path::new("/init"));
    pids.filter(is_init).collect()
}

/// Says that nothing is connected to the first card (status_store of drivers/gpu/drm/drm_sysfs.c), and
/// then, as the card's driver would, that something changed.
fn pull_monitor() -> io::Result<()> {
    for entry in fs::read_dir("/sys/class/drm")?.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(b"card0-") {
            fs::write(entry.path().join("status"), "off")?;
        }
    }
    fs::write("/sys/class/drm/card0/uevent", "change")
}

/// Takes the driver whose folder is told off all its devices.
fn unbind(driver: &str, console: &Console) {
    let devices = fs::read_dir(driver).into_iter().flatten().flatten().map(|entry| entry.file_name());
    for name in devices.filter(|name| name.as_encoded_bytes().starts_with(b"virtio")) {
        if let Err(error) = fs::write(Path::new(driver).join("unbind"), name.as_encoded_bytes()) {
            console.say(&format!("unbind {}: {error}", name.display()));
        }
    }
}

fn is_plugged_in() -> bool {
    let Ok(devices) = fs::read_dir("/sys/bus/pci/devices") else { return false };
    let read = |path: std::path::PathBuf| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    devices.flatten().any(|device| read(device.path().join("vendor")) + &read(device.path().join("device")) == TRIGGER)
}
