//! What a device is told: its lamps, and what is to be felt. Effects are asked for and must be answered,
//! or whoever gives them waits for half a minute.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use nix::errno::Errno;
use nix::libc::c_ulong;

use crate::Console;

const TIME: usize = 2 * size_of::<c_ulong>();
const EV_LED: u16 = 0x11;
const EV_FF: u16 = 0x15;
const EV_UINPUT: u16 = 0x101;
const UI_FF_UPLOAD: u16 = 1;
const UI_FF_ERASE: u16 = 2;

/// `struct uinput_ff_upload` in words of 16 bits: the request, the answer, an effect and another one.
const EFFECT: usize = if size_of::<c_ulong>() == 8 { 24 } else { 22 };
type Upload = [u16; 4 + 2 * EFFECT];
/// `struct uinput_ff_erase`: the request, the answer, the number of the effect.
type Erase = [u32; 3];

mod ioctl {
    nix::ioctl_readwrite!(ui_begin_ff_upload, b'U', 200, super::Upload);
    nix::ioctl_write_ptr!(ui_end_ff_upload, b'U', 201, super::Upload);
    nix::ioctl_readwrite!(ui_begin_ff_erase, b'U', 202, super::Erase);
    nix::ioctl_write_ptr!(ui_end_ff_erase, b'U', 203, super::Erase);
}

/// How often a device was told what.
#[derive(Default)]
pub(super) struct Told {
    effects: AtomicU32,
    pulses: AtomicU32,
}

impl fmt::Display for Told {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let [effects, pulses] = [&self.effects, &self.pulses].map(|count| count.load(Ordering::Relaxed));
        write!(formatter, "{effects} effects, {pulses} pulses")
    }
}

/// Listens in a thread for as long as the device is there.
pub(super) fn start(mut file: File, name: String, refuses: bool, told: Arc<Told>) {
    thread::spawn(move || {
        let console = Console::open("late");
        let mut event = [0; TIME + 8];
        while file.read_exact(&mut event).is_ok() {
            let word = |at: usize| u16::from_ne_bytes([event[TIME + at], event[TIME + at + 1]]);
            let value = i32::from_ne_bytes([4, 5, 6, 7].map(|at| event[TIME + at]));
            let line = match (word(0), word(2)) {
                (EV_LED, code) => format!("lamp {code} {value}"),
                (EV_FF, _) => {
                    told.pulses.fetch_add(value.unsigned_abs(), Ordering::Relaxed);
                    continue;
                }
                (EV_UINPUT, UI_FF_UPLOAD) => {
                    told.effects.fetch_add(1, Ordering::Relaxed);
                    upload(&file, value.cast_unsigned(), refuses).unwrap_or_else(|errno| errno.to_string())
                }
                (EV_UINPUT, UI_FF_ERASE) => match erase(&file, value.cast_unsigned()) {
                    Ok(()) => continue,
                    Err(errno) => errno.to_string(),
                },
                _ => continue,
            };
            console.say(&format!("{name}: {line}"));
        }
    });
}

/// Takes an effect, or refuses it; tells what it is.
fn upload(file: &File, request: u32, refuses: bool) -> nix::Result<String> {
    let mut words: Upload = [0; 4 + 2 * EFFECT];
    let place = |words: &mut Upload, at: usize, value: u32| {
        let [a, b, c, d] = value.to_ne_bytes();
        words[at] = u16::from_ne_bytes([a, b]);
        words[at + 1] = u16::from_ne_bytes([c, d]);
    };
    place(&mut words, 0, request);
    // SAFETY: the ioctl's number holds the structure's size; the kernel reads and writes no more.
    unsafe { ioctl::ui_begin_ff_upload(file.as_raw_fd(), &mut words) }?;
    place(&mut words, 2, if refuses { (-(Errno::EINVAL as i32)).cast_unsigned() } else { 0 });
    // SAFETY: the same, but for the writing.
    unsafe { ioctl::ui_end_ff_upload(file.as_raw_fd(), &words) }?;
    let (kind, length_ms, strong, weak) = (words[4], words[9], words[12], words[13]);
    Ok(format!("effect {kind:#x} of {length_ms} ms, {strong} {weak}"))
}

fn erase(file: &File, request: u32) -> nix::Result<()> {
    let mut words: Erase = [request, 0, 0];
    // SAFETY: the ioctl's number holds the structure's size; the kernel reads and writes no more.
    unsafe { ioctl::ui_begin_ff_erase(file.as_raw_fd(), &mut words) }?;
    // SAFETY: the same, but for the writing.
    unsafe { ioctl::ui_end_ff_erase(file.as_raw_fd(), &words) }?;
    Ok(())
}
