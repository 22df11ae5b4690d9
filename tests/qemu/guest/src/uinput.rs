//! Input devices that a script makes and uses (drivers/input/misc/uinput.c, include/uapi/linux/uinput.h).
//!
//! ```text
//! key CODE | rel CODE | abs CODE MINIMUM MAXIMUM | property NUMBER
//! lamp CODE | scans | repeats | rumbles | refuses | bus NUMBER
//! create NAME
//! event TYPE CODE VALUE
//! wait MILLISECONDS
//! pace MILLISECONDS        the same, since the end of the last one
//! next                     makes another device
//! use NAME                 uses an earlier one again
//! freeze | thaw            stops the prompt, and lets it go on
//! grab | release           takes what the device tells from everybody else, and gives it back
//! whose                    says whether somebody else has taken it
//! busy MILLISECONDS        says how much the prompt runs meanwhile
//! clock                    says how long it is since the last one
//! told                     says what each device was told
//! ```
//!
//! What is said between two waits reaches the kernel in one call.

mod device;
mod listener;

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use self::device::{Ability, Device};
use crate::{Console, prompt};

/// What a script has made; its devices stay as long as this does.
pub struct Script<'a> {
    console: &'a Console,
    devices: Vec<Device>,
    /// The one in use.
    at: usize,
    paced: Instant,
    clock: Instant,
}

/// Runs a script.
pub fn run<'a>(text: &str, console: &'a Console) -> io::Result<Script<'a>> {
    let now = Instant::now();
    let mut script = Script { console, devices: vec![Device::open()?], at: 0, paced: now, clock: now };
    for line in text.lines().filter(|line| !line.is_empty()) {
        if script.set_up(line)? || script.play(line)? || script.look(line)? {
            continue;
        }
        return Err(io::Error::other(format!("unknown line {line:?}")));
    }
    script.device().flush()?;
    Ok(script)
}

fn words(line: &str) -> (&str, &str, Vec<i64>) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    (word, rest, rest.split(' ').filter_map(|number| number.parse().ok()).collect())
}

impl Script<'_> {
    fn device(&mut self) -> &mut Device {
        &mut self.devices[self.at]
    }

    /// Takes a line that says what a device can do; false if it is none.
    fn set_up(&mut self, line: &str) -> io::Result<bool> {
        let (word, rest, numbers) = words(line);
        let device = self.device();
        match (word, numbers.as_slice()) {
            ("key", &[code]) => device.allow(Ability::Key, code)?,
            ("rel", &[code]) => device.allow(Ability::Rel, code)?,
            ("lamp", &[code]) => device.allow(Ability::Lamp, code)?,
            ("property", &[number]) => device.allow(Ability::Property, number)?,
            ("scans", []) => device.allow(Ability::Scan, 4)?,
            ("repeats", []) => device.allow(Ability::Repeat, 0)?,
            ("rumbles", []) => device.rumble(false)?,
            ("refuses", []) => device.rumble(true)?,
            ("bus", &[number]) => device.bus(number as u16),
            ("abs", &[code, minimum, maximum]) => {
                device.allow(Ability::Abs, code)?;
                device.range(code as usize, minimum as i32, maximum as i32);
            }
            ("create", _) => device.create(rest)?,
            ("next", []) => {
                device.flush()?;
                self.devices.push(Device::open()?);
                self.at = self.devices.len() - 1;
            }
            ("use", _) => {
                device.flush()?;
                let found = self.devices.iter().position(|device| device.name() == rest);
                self.at = found.ok_or_else(|| io::Error::other(format!("no device {rest:?}")))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes a line that does something; false if it is none.
    fn play(&mut self, line: &str) -> io::Result<bool> {
        let (word, _, numbers) = words(line);
        match (word, numbers.as_slice()) {
            ("event", &[kind, code, value]) => self.device().event(kind as u16, code as u16, value as i32),
            ("wait", &[milliseconds]) => {
                self.device().flush()?;
                thread::sleep(Duration::from_millis(milliseconds as u64));
                self.paced = Instant::now();
            }
            ("pace", &[milliseconds]) => {
                self.device().flush()?;
                self.paced += Duration::from_millis(milliseconds as u64);
                thread::sleep(self.paced.saturating_duration_since(Instant::now()));
            }
            ("freeze", []) => prompt::freeze(),
            ("thaw", []) => prompt::thaw(),
            ("grab", []) => self.device().grab()?,
            ("release", []) => self.device().release(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes a line that says something; false if it is none.
    fn look(&mut self, line: &str) -> io::Result<bool> {
        let (word, _, numbers) = words(line);
        self.device().flush()?;
        match (word, numbers.as_slice()) {
            ("whose", []) => {
                let whose = if self.device().is_taken()? { "taken" } else { "free" };
                let name = self.device().name().to_owned();
                self.console.say(&format!("{name}: {whose}"));
            }
            ("busy", &[milliseconds]) => {
                let before = prompt::ticks();
                thread::sleep(Duration::from_millis(milliseconds as u64));
                self.console.say(&format!("busy for {}0 ms", prompt::ticks() - before));
            }
            ("clock", []) => {
                let now = Instant::now();
                let before = std::mem::replace(&mut self.clock, now);
                self.console.say(&format!("after {} ms", (now - before).as_millis()));
            }
            ("told", []) => self.devices.iter().for_each(|device| self.console.say(&device.told())),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
