//! Input devices: found, classified, read and grabbed.
//!
//! `evdev` opens devices, tells what they can do and grabs them. Events are read here, into a
//! buffer that is wiped, since its own buffer would keep what was typed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};

use evdev::raw_stream::RawDevice;
use evdev::{AbsoluteAxisCode, PropType};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc::c_ulong;
use zeroize::Zeroize;

use crate::model::prompt::decoder::{Decoder, Input, Snapshot};
use crate::model::prompt::device::{
    ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_SLOT, ABS_MT_TRACKING_ID, ABS_X, ABS_Y, Capabilities, Keys, Pointing,
    Range, Role, SLOTS,
};

/// Where the kernel puts the devices.
pub const FOLDER: &str = "/dev/input";
/// Events read at once, so that a full queue of the loop is never exceeded by one device.
pub const CHUNK: usize = 16;
/// Bytes before type, code and value: the time, as two `unsigned long` (include/uapi/linux/input.h),
/// whatever width the C library's `time_t` has.
const TIME: usize = 2 * size_of::<c_ulong>();
const EVENT: usize = TIME + 8;

const _: () = assert!(EVENT == if size_of::<c_ulong>() == 8 { 24 } else { 16 });

/// What EVIOCGMTSLOTS fills in: the axis that is asked for, then its value in each slot.
type SlotValues = [i32; SLOTS + 1];

// What `evdev` asks the kernel about an axis, by the libc crate's structure.
const _: () = assert!(size_of::<nix::libc::input_absinfo>() == 24);

nix::ioctl_read! {
    #[doc = "EVIOCGMTSLOTS."]
    eviocgmtslots, b'E', 0x0a, SlotValues
}

/// One device in use.
pub struct Device {
    raw: RawDevice,
    role: Role,
    decoder: Decoder,
    grabbed: bool,
    /// A number that tells its fingers from those of other devices.
    number: u32,
}

impl Device {
    /// Opens a device; `None` when it is of no use. An error may pass: a node can be there before its
    /// device answers.
    fn open(path: &Path, number: u32) -> std::io::Result<Option<Self>> {
        let raw = RawDevice::open(path)?;
        let role = Role::of(&capabilities(&raw));
        if role.is_useless() {
            return Ok(None);
        }
        let flags = fcntl(raw.as_raw_fd(), FcntlArg::F_GETFL)?;
        let flags = OFlag::from_bits_retain(flags) | OFlag::O_NONBLOCK;
        fcntl(raw.as_raw_fd(), FcntlArg::F_SETFL(flags))?;
        let decoder = Decoder::new(role, &snapshot(&raw, role));
        Ok(Some(Self { raw, role, decoder, grabbed: false, number }))
    }

    /// What it is used for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// A number that tells its fingers from those of other devices.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Takes the device for this program alone, once no key is held: the console would see a held
    /// key for ever.
    fn grab(&mut self) {
        if !self.grabbed && self.decoder.keys().iter().next().is_none() {
            // EBUSY: somebody else has it. Then it is shared.
            let _ = self.raw.grab();
            self.grabbed = true;
        }
    }

    /// Reads at most [`CHUNK`] events; false when the device is gone.
    pub fn read(&mut self, emit: &mut dyn FnMut(Input)) -> bool {
        let mut bytes = [0_u8; EVENT * CHUNK];
        let count = match nix::unistd::read(self.raw.as_raw_fd(), &mut bytes) {
            Ok(0) => return false,
            Ok(count) => count,
            Err(Errno::EAGAIN | Errno::EINTR) => return true,
            Err(_) => return false,
        };
        for event in bytes.get(..count).unwrap_or(&[]).chunks_exact(EVENT) {
            let Some((kind, code, value)) = fields(event) else { continue };
            if self.decoder.feed(kind, code, value, emit) {
                let snapshot = snapshot(&self.raw, self.role);
                self.decoder.resync(&snapshot, emit);
            }
        }
        bytes.zeroize();
        self.grab();
        true
    }

    /// Lets go of the keys and fingers of a device that is gone.
    pub fn unplug(&mut self, emit: &mut dyn FnMut(Input)) {
        self.decoder.unplug(emit);
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.raw.as_fd()
    }
}

fn fields(event: &[u8]) -> Option<(u16, u16, i32)> {
    let (kind, rest) = event.get(TIME..)?.split_first_chunk::<2>()?;
    let (code, rest) = rest.split_first_chunk::<2>()?;
    let (value, _) = rest.split_first_chunk::<4>()?;
    Some((u16::from_ne_bytes(*kind), u16::from_ne_bytes(*code), i32::from_ne_bytes(*value)))
}

fn capabilities(raw: &RawDevice) -> Capabilities {
    let keys = raw.supported_keys().map(|keys| keys.iter().map(|key| key.code()).collect::<Keys>());
    let ranges: BTreeMap<u16, Range> = raw
        .get_absinfo()
        .map(|axes| {
            let range = |info: evdev::AbsInfo| Range { minimum: info.minimum(), maximum: info.maximum() };
            axes.map(|(axis, info)| (axis.0, range(info))).collect()
        })
        .unwrap_or_default();
    Capabilities {
        keys: keys.unwrap_or_default(),
        axes: ranges.into_iter().collect(),
        direct: raw.properties().contains(PropType::DIRECT),
        accelerometer: raw.properties().contains(PropType::ACCELEROMETER),
    }
}

/// The device's state now. What cannot be read counts as up and at rest.
fn snapshot(raw: &RawDevice, role: Role) -> Snapshot {
    let keys = raw.get_key_state().map(|keys| keys.iter().map(|key| key.code()).collect()).unwrap_or_default();
    let axes = role.pointing.and_then(|_| raw.get_abs_state().ok());
    let axis = |code: u16| axes.as_ref().and_then(|axes| axes.get(usize::from(code))).map_or(0, |info| info.value);
    let contacts = match role.pointing {
        Some(Pointing::Slots { .. }) => {
            let [ids, x, y] = [ABS_MT_TRACKING_ID, ABS_MT_POSITION_X, ABS_MT_POSITION_Y].map(|axis| slots(raw, axis));
            (1..=SLOTS).map(|slot| (at(&ids, slot, -1), at(&x, slot, 0), at(&y, slot, 0))).collect()
        }
        Some(Pointing::Single { .. }) => vec![(-1, axis(ABS_X), axis(ABS_Y))],
        None => Vec::new(),
    };
    Snapshot { keys, slot: axis(ABS_MT_SLOT), contacts }
}

fn at(values: &Option<SlotValues>, slot: usize, otherwise: i32) -> i32 {
    values.as_ref().and_then(|values| values.get(slot)).copied().unwrap_or(otherwise)
}

fn slots(raw: &RawDevice, axis: u16) -> Option<SlotValues> {
    let mut values: SlotValues = [if axis == ABS_MT_TRACKING_ID { -1 } else { 0 }; SLOTS + 1];
    *values.first_mut()? = i32::from(axis);
    // SAFETY: the ioctl's number holds the array's size, and the kernel writes no more than that.
    unsafe { eviocgmtslots(raw.as_raw_fd(), &mut values) }.ok()?;
    Some(values)
}

/// All devices in [`FOLDER`]. A place without a device is one of no use, so that it is not opened
/// again and again.
#[derive(Default)]
pub struct Devices {
    known: BTreeMap<OsString, Option<Device>>,
    next: u32,
}

impl Devices {
    /// Looks for new devices and hands each to `add`; forgets those whose node is gone.
    /// Without `keyboards`, those are left to the console.
    pub fn scan(&mut self, keyboards: bool, mut add: impl FnMut(&Device)) {
        let nodes: Vec<PathBuf> = fs::read_dir(FOLDER)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        let is_event =
            |path: &&PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"event"));
        let nodes: BTreeMap<OsString, &PathBuf> =
            nodes.iter().filter(is_event).filter_map(|path| Some((path.file_name()?.to_owned(), path))).collect();
        self.known.retain(|name, device| device.is_some() || nodes.contains_key(name));
        for (name, path) in nodes {
            if self.known.contains_key(&name) {
                continue;
            }
            let Ok(mut device) = Device::open(path, self.next) else { continue };
            if device.as_ref().is_some_and(|device| device.role.keyboard && !keyboards) {
                continue;
            }
            if let Some(device) = &mut device {
                device.grab();
                self.next = self.next.wrapping_add(1);
                add(device);
            }
            self.known.insert(name, device);
        }
    }

    /// The device of a number.
    pub fn find(&mut self, number: u32) -> Option<&mut Device> {
        self.known.values_mut().flatten().find(|device| device.number == number)
    }

    /// Forgets a node that is gone; gives back the device that was behind it. Another one may come
    /// under the same name.
    pub fn take(&mut self, name: &OsStr) -> Option<Device> {
        self.known.remove(name).flatten()
    }

    /// Forgets the device of a number, and gives it back.
    pub fn take_number(&mut self, number: u32) -> Option<Device> {
        let is_it = |device: &Option<Device>| device.as_ref().is_some_and(|device| device.number == number);
        let name = self.known.iter().find_map(|(name, device)| is_it(device).then(|| name.clone()))?;
        self.take(&name)
    }

    /// How many can point, and how many can type.
    pub fn count(&self) -> (usize, usize) {
        let devices = || self.known.values().flatten();
        let pointing = devices().filter(|device| device.role.pointing.is_some()).count();
        (pointing, devices().filter(|device| device.role.keyboard).count())
    }
}

/// The axis of `evdev` and the code of the kernel are the same number.
const _: () = assert!(AbsoluteAxisCode::ABS_MT_SLOT.0 == ABS_MT_SLOT);
