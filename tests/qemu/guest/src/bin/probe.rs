//! A stand-in for the unlocker, /init of an initramfs: shows that the harness itself works.
//!
//! Loads /modules/* in the order of their names, paints the test picture on /dev/fb0, then writes
//! every input event to the console. Never ends by itself.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use guest::{Console, module, picture, tty};

/// `struct input_event` (include/uapi/linux/input.h): two unsigned long of time, whatever time_t is,
/// u16 type, u16 code, i32 value.
const INPUT_EVENT: usize = 2 * size_of::<nix::libc::c_ulong>() + 8;
/// Devices appear when the driver is done, some a moment after it was loaded.
const SETTLE: Duration = Duration::from_millis(50);

fn main() {
    let mount_errors = guest::mount_kernel_filesystems();
    let console = Console::open("probe");
    for error in mount_errors {
        console.say(&error);
    }
    module::load("/modules", &console);
    let wanted = fs::read_to_string("/expected").unwrap_or_default();
    for path in wanted.split_whitespace() {
        while !Path::new(path).exists() {
            thread::sleep(SETTLE);
        }
    }
    for disk in guest::disks() {
        console.say(&format!("disk {disk}"));
    }
    if Path::new("/dev/fb0").exists() {
        match paint() {
            Ok(shape) => console.say(&format!("painted {shape}")),
            Err(error) => console.say(&format!("paint: {error}")),
        }
    }
    for path in inputs() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let label = fs::read_to_string(format!("/sys/class/input/{name}/device/name"));
        console.say(&format!("input {name} {}", label.unwrap_or_default().trim()));
        match File::open(&path) {
            Ok(device) => drop(thread::spawn(move || echo(device))),
            Err(error) => console.say(&format!("open {name}: {error}")),
        }
    }
    console.say("ready");
    loop {
        thread::park();
    }
}

/// Paints the test picture through write(2): 32 bits per pixel, blue first.
fn paint() -> io::Result<String> {
    let number = |file: &str| -> io::Result<Vec<u32>> {
        let text = fs::read_to_string(format!("/sys/class/graphics/fb0/{file}"))?;
        text.trim().split(',').map(|word| word.parse().map_err(io::Error::other)).collect()
    };
    let (size, stride, bits) = (number("virtual_size")?, number("stride")?, number("bits_per_pixel")?);
    let ([width, height], [stride], [bits @ 32]) = (&size[..], &stride[..], &bits[..]) else {
        return Err(io::Error::other(format!("unexpected shape {size:?} {stride:?} {bits:?}")));
    };
    tty::set_graphics()?;
    let mut frame = vec![0; (*stride * *height) as usize];
    for (y, line) in frame.chunks_exact_mut(*stride as usize).enumerate() {
        for (x, bytes) in line.chunks_exact_mut(4).enumerate().take(*width as usize) {
            let [red, green, blue] = picture::pixel(x as u32, y as u32);
            bytes.copy_from_slice(&[blue, green, red, 0]);
        }
    }
    File::options().write(true).open("/dev/fb0")?.write_all(&frame)?;
    Ok(format!("{width}x{height} {bits} bpp, stride {stride}"))
}

fn inputs() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("/dev/input") else { return Vec::new() };
    let events = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = events.filter(|path| path.to_string_lossy().contains("event")).collect();
    paths.sort();
    paths
}

fn echo(mut device: File) {
    let console = Console::open("probe");
    let mut event = [0; INPUT_EVENT];
    while device.read_exact(&mut event).is_ok() {
        let [.., t0, t1, c0, c1, v0, v1, v2, v3] = event;
        let (kind, code) = (u16::from_le_bytes([t0, t1]), u16::from_le_bytes([c0, c1]));
        let value = i32::from_le_bytes([v0, v1, v2, v3]);
        console.say(&format!("event {kind} {code} {value}"));
    }
}
