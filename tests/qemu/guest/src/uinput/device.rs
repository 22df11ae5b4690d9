//! One device that is made, and the node that it has for others.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;

use nix::errno::Errno;
use nix::libc::{c_int, c_ulong};

use super::listener::{self, Told};

mod ioctl {
    nix::ioctl_none!(ui_dev_create, b'U', 1);
    nix::ioctl_read_buf!(ui_get_sysname, b'U', 44, u8);
    nix::ioctl_write_int!(ui_set_evbit, b'U', 100);
    nix::ioctl_write_int!(ui_set_keybit, b'U', 101);
    nix::ioctl_write_int!(ui_set_relbit, b'U', 102);
    nix::ioctl_write_int!(ui_set_absbit, b'U', 103);
    nix::ioctl_write_int!(ui_set_mscbit, b'U', 104);
    nix::ioctl_write_int!(ui_set_ledbit, b'U', 105);
    nix::ioctl_write_int!(ui_set_ffbit, b'U', 107);
    nix::ioctl_write_int!(ui_set_propbit, b'U', 110);
    nix::ioctl_write_int!(eviocgrab, b'E', 0x90);
}

/// `struct uinput_user_dev`: a name, four words of 16 bits, one of 32, and four for each axis.
const NAME: usize = 80;
const AXES: usize = 64;
const SETUP: usize = NAME + 8 + 4 + 4 * 4 * AXES;
const BUS: usize = NAME;
const EFFECTS: usize = NAME + 8;
const MAXIMA: usize = EFFECTS + 4;
const MINIMA: usize = MAXIMA + 4 * AXES;
/// How many effects one that rumbles has room for.
const EFFECTS_MAX: u32 = 4;
const FF_RUMBLE: i64 = 0x50;

/// What a device can do.
#[derive(Clone, Copy)]
pub(super) enum Ability {
    Key,
    Rel,
    Abs,
    Scan,
    Lamp,
    Effect,
    Property,
    Repeat,
}

pub(super) struct Device {
    file: File,
    setup: Vec<u8>,
    events: Vec<u8>,
    name: String,
    refuses: bool,
    told: Arc<Told>,
    /// Its node, while this program has it for itself.
    grabbed: Option<File>,
}

impl Device {
    pub(super) fn open() -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/uinput")?;
        let (name, told) = (String::new(), Arc::default());
        Ok(Self { file, setup: vec![0; SETUP], events: Vec::new(), name, refuses: false, told, grabbed: None })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn allow(&self, ability: Ability, code: i64) -> io::Result<()> {
        let fd = self.file.as_raw_fd();
        let number = code as nix::sys::ioctl::ioctl_param_type;
        // SAFETY: all of these take a number and no pointer.
        unsafe {
            match ability {
                Ability::Key => ioctl::ui_set_evbit(fd, 1).and(ioctl::ui_set_keybit(fd, number)),
                Ability::Rel => ioctl::ui_set_evbit(fd, 2).and(ioctl::ui_set_relbit(fd, number)),
                Ability::Abs => ioctl::ui_set_evbit(fd, 3).and(ioctl::ui_set_absbit(fd, number)),
                Ability::Scan => ioctl::ui_set_evbit(fd, 4).and(ioctl::ui_set_mscbit(fd, number)),
                Ability::Lamp => ioctl::ui_set_evbit(fd, 0x11).and(ioctl::ui_set_ledbit(fd, number)),
                Ability::Effect => ioctl::ui_set_evbit(fd, 0x15).and(ioctl::ui_set_ffbit(fd, number)),
                Ability::Property => ioctl::ui_set_propbit(fd, number),
                Ability::Repeat => ioctl::ui_set_evbit(fd, 0x14),
            }?;
        }
        Ok(())
    }

    pub(super) fn range(&mut self, axis: usize, minimum: i32, maximum: i32) {
        for (start, value) in [(MAXIMA, maximum), (MINIMA, minimum)] {
            self.setup[start + 4 * axis..][..4].copy_from_slice(&value.to_ne_bytes());
        }
    }

    pub(super) fn bus(&mut self, number: u16) {
        self.setup[BUS..][..2].copy_from_slice(&number.to_ne_bytes());
    }

    /// It claims that it can be felt, and may then refuse what it is given.
    pub(super) fn rumble(&mut self, refuses: bool) -> io::Result<()> {
        self.refuses = refuses;
        self.setup[EFFECTS..][..4].copy_from_slice(&EFFECTS_MAX.to_ne_bytes());
        self.allow(Ability::Effect, FF_RUMBLE)
    }

    pub(super) fn create(&mut self, name: &str) -> io::Result<()> {
        self.setup[..name.len()].copy_from_slice(name.as_bytes());
        self.name = name.to_owned();
        self.file.write_all(&self.setup)?;
        // SAFETY: it takes nothing.
        unsafe { ioctl::ui_dev_create(self.file.as_raw_fd()) }?;
        listener::start(self.file.try_clone()?, name.to_owned(), self.refuses, Arc::clone(&self.told));
        Ok(())
    }

    pub(super) fn event(&mut self, kind: u16, code: u16, value: i32) {
        self.events.extend([0; 2 * size_of::<c_ulong>()]);
        self.events.extend(kind.to_ne_bytes());
        self.events.extend(code.to_ne_bytes());
        self.events.extend(value.to_ne_bytes());
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        let events = std::mem::take(&mut self.events);
        self.file.write_all(&events)
    }

    /// What it was told until now.
    pub(super) fn told(&self) -> String {
        format!("{}: {}", self.name, self.told)
    }

    /// Takes what it tells from everybody else.
    pub(super) fn grab(&mut self) -> io::Result<()> {
        self.grabbed = Some(self.take()?);
        Ok(())
    }

    /// Gives it back.
    pub(super) fn release(&mut self) {
        self.grabbed = None;
    }

    /// Whether somebody else has taken it.
    pub(super) fn is_taken(&self) -> io::Result<bool> {
        match self.take() {
            Ok(_) => Ok(false),
            Err(error) if error.raw_os_error() == Some(Errno::EBUSY as c_int) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Its node, taken until it is closed.
    fn take(&self) -> io::Result<File> {
        let mut name = [0; 32];
        // SAFETY: the ioctl's number holds the size of the buffer, and the kernel writes no more.
        unsafe { ioctl::ui_get_sysname(self.file.as_raw_fd(), &mut name) }?;
        let length = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        let folder = format!("/sys/class/input/{}", String::from_utf8_lossy(&name[..length]));
        let names = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let node = names.into_iter().find(|name| name.starts_with("event"));
        let node = File::open(format!("/dev/input/{}", node.ok_or(io::ErrorKind::NotFound)?))?;
        // SAFETY: it takes a number and no pointer.
        unsafe { ioctl::eviocgrab(node.as_raw_fd(), 1) }?;
        Ok(node)
    }
}
