//! Input devices that a script makes and uses (drivers/input/misc/uinput.c, include/uapi/linux/uinput.h).
//!
//! ```text
//! key CODE | rel CODE | abs CODE MINIMUM MAXIMUM | property NUMBER
//! create NAME
//! event TYPE CODE VALUE
//! wait MILLISECONDS
//! ```
//!
//! What is said between two waits reaches the kernel in one call.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

use nix::libc::c_ulong;

mod ioctl {
    nix::ioctl_none!(ui_dev_create, b'U', 1);
    nix::ioctl_write_int!(ui_set_evbit, b'U', 100);
    nix::ioctl_write_int!(ui_set_keybit, b'U', 101);
    nix::ioctl_write_int!(ui_set_relbit, b'U', 102);
    nix::ioctl_write_int!(ui_set_absbit, b'U', 103);
    nix::ioctl_write_int!(ui_set_propbit, b'U', 110);
}

/// `struct uinput_user_dev`: a name, four words of 16 bits, one of 32, and four for each axis.
const NAME: usize = 80;
const AXES: usize = 64;
const SETUP: usize = NAME + 8 + 4 + 4 * 4 * AXES;
const MAXIMA: usize = NAME + 8 + 4;
const MINIMA: usize = MAXIMA + 4 * AXES;

/// Runs a script; its devices stay until the end of this process.
pub fn run(script: &str) -> io::Result<Vec<File>> {
    let mut devices = Vec::new();
    let mut device = Device::open()?;
    for line in script.lines().filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Vec<i64> = rest.split(' ').filter_map(|number| number.parse().ok()).collect();
        match (word, numbers.as_slice()) {
            ("create", _) => device.create(rest)?,
            ("event", &[kind, code, value]) => device.event(kind as u16, code as u16, value as i32),
            ("wait", &[milliseconds]) => {
                device.flush()?;
                thread::sleep(Duration::from_millis(milliseconds as u64));
            }
            ("key", &[code]) => device.allow(Ability::Key, code)?,
            ("rel", &[code]) => device.allow(Ability::Rel, code)?,
            ("property", &[number]) => device.allow(Ability::Property, number)?,
            ("abs", &[code, minimum, maximum]) => {
                device.allow(Ability::Abs, code)?;
                device.range(code as usize, minimum as i32, maximum as i32);
            }
            ("next", []) => {
                device.flush()?;
                devices.push(std::mem::replace(&mut device, Device::open()?).file);
            }
            _ => return Err(io::Error::other(format!("script: {line}"))),
        }
    }
    device.flush()?;
    devices.push(device.file);
    Ok(devices)
}

#[derive(Clone, Copy)]
enum Ability {
    Key,
    Rel,
    Abs,
    Property,
}

struct Device {
    file: File,
    setup: Vec<u8>,
    events: Vec<u8>,
}

impl Device {
    fn open() -> io::Result<Self> {
        let file = OpenOptions::new().write(true).open("/dev/uinput")?;
        Ok(Self { file, setup: vec![0; SETUP], events: Vec::new() })
    }

    fn allow(&self, ability: Ability, code: i64) -> io::Result<()> {
        let fd = self.file.as_raw_fd();
        let number = code as nix::sys::ioctl::ioctl_param_type;
        // SAFETY: all of these take a number and no pointer.
        unsafe {
            match ability {
                Ability::Key => ioctl::ui_set_evbit(fd, 1).and(ioctl::ui_set_keybit(fd, number)),
                Ability::Rel => ioctl::ui_set_evbit(fd, 2).and(ioctl::ui_set_relbit(fd, number)),
                Ability::Abs => ioctl::ui_set_evbit(fd, 3).and(ioctl::ui_set_absbit(fd, number)),
                Ability::Property => ioctl::ui_set_propbit(fd, number),
            }?;
        }
        Ok(())
    }

    fn range(&mut self, axis: usize, minimum: i32, maximum: i32) {
        for (start, value) in [(MAXIMA, maximum), (MINIMA, minimum)] {
            self.setup[start + 4 * axis..][..4].copy_from_slice(&value.to_ne_bytes());
        }
    }

    fn create(&mut self, name: &str) -> io::Result<()> {
        self.setup[..name.len()].copy_from_slice(name.as_bytes());
        self.file.write_all(&self.setup)?;
        // SAFETY: it takes nothing.
        unsafe { ioctl::ui_dev_create(self.file.as_raw_fd()) }?;
        Ok(())
    }

    fn event(&mut self, kind: u16, code: u16, value: i32) {
        self.events.extend([0; 2 * size_of::<c_ulong>()]);
        self.events.extend(kind.to_ne_bytes());
        self.events.extend(code.to_ne_bytes());
        self.events.extend(value.to_ne_bytes());
    }

    fn flush(&mut self) -> io::Result<()> {
        let events = std::mem::take(&mut self.events);
        self.file.write_all(&events)
    }
}
