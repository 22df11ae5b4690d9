//! Input devices: found, classified, read and grabbed.
//!
//! `evdev` opens devices, tells what they can do and grabs them. Events are read here, into a
//! buffer that is wiped, since its own buffer would keep what was typed.

mod devices;
mod effect;

pub use devices::Devices;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;

use evdev::raw_stream::RawDevice;
use evdev::{AbsInfo, AttributeSet, EventType, FFEffectCode, LedCode, PropType, RelativeAxisCode};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc::{CLOCK_MONOTONIC, c_int, c_ulong};
use zeroize::Zeroize;

use crate::model::prompt::calibration::{Matrix, Treatment};
use crate::model::prompt::code::{
    ABS_HAT0X, ABS_HAT0Y, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_SLOT, ABS_MT_TOOL_TYPE, ABS_MT_TRACKING_ID,
    ABS_X, ABS_Y, EV_FF, EV_LED, EV_SYN, FF_RUMBLE, LED_CAPSL, REL_X, REL_Y, SYN_REPORT,
};
use crate::model::prompt::decoder::{Decoder, Finger, Input, Raw, Snapshot};
use crate::model::prompt::device::{Capabilities, Range, Role, SLOTS};
use crate::model::prompt::hardware::Hardware;

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
nix::ioctl_write_ptr! {
    #[doc = "EVIOCSCLOCKID."]
    eviocsclockid, b'E', 0xa0, c_int
}

/// Chunks that are read to catch up after lost events. There is little left then: the kernel has just
/// thrown its queue away.
const CATCH_UP: usize = 2;

/// One device in use.
pub struct Device {
    raw: RawDevice,
    role: Role,
    /// Moves places of its surface.
    matrix: Matrix,
    decoder: Decoder,
    grabbed: bool,
    /// Somebody else had it, and was told what happened.
    missed: bool,
    /// A number that tells its fingers from those of other devices.
    number: u32,
    /// Whether its lamp of Caps Lock was on when it was opened.
    lamp: Option<bool>,
    /// What is played so that it is felt, once the device has it.
    effect: Option<u16>,
}

impl Device {
    /// Opens a device; `None` when it is of no use. An error may pass: a node can be there before its
    /// device answers.
    fn open(path: &Path, number: u32, hardware: &Hardware) -> std::io::Result<Option<Self>> {
        // Written to where that is allowed, for the lamps; else only read.
        let raw = RawDevice::open(path)?;
        let mut role = Role::of(&capabilities(&raw));
        role.rumbles &= hardware.haptics;
        let matrix = match hardware.input.of(raw.name().unwrap_or_default()) {
            Treatment::Use(matrix) if !role.is_useless() => matrix,
            Treatment::Use(_) | Treatment::Ignore => return Ok(None),
        };
        let flags = fcntl(raw.as_raw_fd(), FcntlArg::F_GETFL)?;
        let flags = OFlag::from_bits_retain(flags) | OFlag::O_NONBLOCK;
        fcntl(raw.as_raw_fd(), FcntlArg::F_SETFL(flags))?;
        // A clock that somebody may set would make a tap long. Kernels since 3.4 know the call; without
        // it nothing else is wrong.
        // SAFETY: the call reads one int, from where one is.
        let _ = unsafe { eviocsclockid(raw.as_raw_fd(), &CLOCK_MONOTONIC) };
        let decoder = Decoder::new(role, &snapshot(&raw, role));
        let is_lit = |leds: AttributeSet<LedCode>| leds.contains(LedCode(LED_CAPSL));
        let lamp = if role.lamp { raw.get_led_state().ok().map(is_lit) } else { None };
        Ok(Some(Self { raw, role, matrix, decoder, grabbed: false, missed: false, number, lamp, effect: None }))
    }

    /// What it is used for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// A number that tells its fingers from those of other devices.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Moves places of its surface.
    pub fn matrix(&self) -> Matrix {
        self.matrix
    }

    /// Takes the device for this program alone, once no key is held: the console would see a held
    /// key for ever.
    fn grab(&mut self) {
        if !self.grabbed && self.decoder.keys().iter().next().is_none() {
            // EBUSY: somebody else has it. Nothing is told here until that ends, and then this is tried again.
            self.missed = self.raw.grab().is_err_and(|error| error.raw_os_error() == Some(Errno::EBUSY as i32));
            self.grabbed = !self.missed;
        }
    }

    /// Reads at most [`CHUNK`] events, and some more where events were lost; false when the device is
    /// gone.
    pub fn read(&mut self, emit: &mut dyn FnMut(Input)) -> bool {
        let mut bytes = [0_u8; EVENT * CHUNK];
        let alive = match self.read_bytes(&mut bytes) {
            Some(count) => {
                self.decode(bytes.get(..count).unwrap_or(&[]), emit);
                true
            }
            None => false,
        };
        bytes.zeroize();
        if alive {
            self.grab();
        }
        alive
    }

    /// Bytes that were read, none if there are none now; `None` when the device is gone.
    fn read_bytes(&self, bytes: &mut [u8]) -> Option<usize> {
        match nix::unistd::read(self.raw.as_raw_fd(), bytes) {
            Ok(0) => None,
            Ok(count) => Some(count),
            Err(Errno::EAGAIN | Errno::EINTR) => Some(0),
            Err(_) => None,
        }
    }

    fn decode(&mut self, bytes: &[u8], emit: &mut dyn FnMut(Input)) {
        let mut events = bytes.chunks_exact(EVENT).filter_map(fields);
        let decoder = &mut self.decoder;
        let lost = core::mem::take(&mut self.missed) || events.by_ref().any(|raw| decoder.feed(raw, emit));
        if !lost {
            return;
        }
        events.for_each(|raw| decoder.pass_over(raw, emit));
        // What is queued is older than the state that is read then, and reading keys empties the queue
        // of them.
        let mut bytes = [0_u8; EVENT * CHUNK];
        for _ in 0..CATCH_UP {
            let count = self.read_bytes(&mut bytes).unwrap_or(0);
            let events = bytes.get(..count).unwrap_or(&[]).chunks_exact(EVENT).filter_map(fields);
            events.for_each(|raw| self.decoder.pass_over(raw, emit));
            if count < bytes.len() {
                break;
            }
        }
        bytes.zeroize();
        let snapshot = snapshot(&self.raw, self.role);
        self.decoder.resync(&snapshot, emit);
    }

    /// Lets go of the keys and fingers of a device that is gone.
    pub fn unplug(&mut self, emit: &mut dyn FnMut(Input)) {
        self.decoder.unplug(emit);
    }

    /// Sets its lamp of Caps Lock, if it has one.
    fn set_caps_lock(&mut self, on: bool) {
        if self.role.lamp {
            // A lamp is not worth an error.
            let _ = self.write(EV_LED, LED_CAPSL, on.into());
            let _ = self.write(EV_SYN, SYN_REPORT, 0);
        }
    }

    /// Is felt for a moment, if it can be.
    fn pulse(&mut self) {
        if !self.role.rumbles {
            return;
        }
        self.effect = self.effect.or_else(|| effect::upload(&self.raw));
        match self.effect {
            // One that is gone, or busy, is silent.
            Some(effect) => drop(self.write(EV_FF, effect, 1)),
            // It will not take it the next time either.
            None => self.role.rumbles = false,
        }
    }

    fn write(&self, kind: u16, code: u16, value: i32) -> nix::Result<usize> {
        let mut event = [0_u8; EVENT];
        let fields = kind.to_ne_bytes().into_iter().chain(code.to_ne_bytes()).chain(value.to_ne_bytes());
        event.iter_mut().skip(TIME).zip(fields).for_each(|(place, byte)| *place = byte);
        nix::unistd::write(&self.raw, &event)
    }
}

impl Drop for Device {
    /// The lamp shows again what it showed: nobody follows it from now on.
    fn drop(&mut self) {
        if let Some(on) = self.lamp {
            self.set_caps_lock(on);
        }
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.raw.as_fd()
    }
}

fn fields(event: &[u8]) -> Option<Raw> {
    let (time, rest) = event.split_at_checked(TIME)?;
    let mut time = time.chunks_exact(TIME / 2).map(|word| word.try_into().map_or(0, c_ulong::from_ne_bytes));
    let (seconds, microseconds) = (time.next()?, time.next()?);
    // As wide as the kernel has them.
    #[allow(clippy::useless_conversion)]
    let time_ms = u64::from(seconds).wrapping_mul(1000).wrapping_add(u64::from(microseconds) / 1000);
    let (kind, rest) = rest.split_first_chunk::<2>()?;
    let (code, rest) = rest.split_first_chunk::<2>()?;
    let (value, _) = rest.split_first_chunk::<4>()?;
    let (kind, code) = (u16::from_ne_bytes(*kind), u16::from_ne_bytes(*code));
    Some(Raw { time_ms, kind, code, value: i32::from_ne_bytes(*value) })
}

fn capabilities(raw: &RawDevice) -> Capabilities {
    let range =
        |info: AbsInfo| Range { minimum: info.minimum(), maximum: info.maximum(), resolution: info.resolution() };
    let axes = raw.get_absinfo().map(|axes| axes.map(|(axis, info)| (axis.0, range(info))).collect());
    let properties = raw.properties();
    let moves = |code| raw.supported_relative_axes().is_some_and(|axes| axes.contains(RelativeAxisCode(code)));
    Capabilities {
        keys: raw.supported_keys().into_iter().flat_map(|keys| keys.iter().map(|key| key.code())).collect(),
        axes: axes.unwrap_or_default(),
        moves: moves(REL_X) && moves(REL_Y),
        lamp: raw.supported_leds().is_some_and(|lamps| lamps.contains(LedCode(LED_CAPSL))),
        rumbles: raw.supported_ff().is_some_and(|effects| effects.contains(FFEffectCode(FF_RUMBLE))),
        direct: properties.contains(PropType::DIRECT),
        pointer: properties.contains(PropType::POINTER),
        accelerometer: properties.contains(PropType::ACCELEROMETER),
        repeats: raw.supported_events().contains(EventType::REPEAT),
    }
}

/// The device's state now. What cannot be read counts as up and at rest.
fn snapshot(raw: &RawDevice, role: Role) -> Snapshot {
    let keys = raw.get_key_state().map(|keys| keys.iter().map(|key| key.code()).collect()).unwrap_or_default();
    let wanted = role.pad.is_some() || role.pointing.is_some();
    let axes = if wanted { raw.get_abs_state().ok() } else { None };
    let axis = |code: u16| axes.as_ref().and_then(|axes| axes.get(usize::from(code))).map_or(0, |info| info.value);
    let contacts = if role.pointing.is_some_and(|pointing| pointing.has_slots()) {
        let axes = [ABS_MT_TRACKING_ID, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TOOL_TYPE];
        let [ids, x, y, tools] = axes.map(|axis| slots(raw, axis));
        let finger =
            |slot| Finger { id: at(&ids, slot, -1), x: at(&x, slot, 0), y: at(&y, slot, 0), tool: at(&tools, slot, 0) };
        (1..=SLOTS).map(finger).collect()
    } else {
        vec![Finger { id: -1, x: axis(ABS_X), y: axis(ABS_Y), tool: 0 }]
    };
    let sticks = [ABS_X, ABS_Y, ABS_HAT0X, ABS_HAT0Y].map(axis);
    Snapshot { keys, slot: axis(ABS_MT_SLOT), contacts, sticks }
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
