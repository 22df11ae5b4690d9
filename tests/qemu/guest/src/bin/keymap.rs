//! Gives the kernel a keymap as distributions do, and becomes the product's /init: /keymap-tables in the
//! format `bkeymap`, /keymap-accents as triples of code points.

use std::ffi::CString;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;

use nix::mount::{MsFlags, mount, umount};
use nix::unistd::execv;

const DEV: &str = "/keymap-dev";
/// Bytes of the magic word and the list of tables.
const HEADER: usize = 7 + 256;
const KEYS: usize = 128;
/// In the first place of a table: takes it away.
const K_NOSUCHMAP: u16 = 0x027f;

/// `struct kbentry` (include/uapi/linux/kd.h).
#[repr(C)]
struct Entry {
    table: u8,
    index: u8,
    value: u16,
}

/// `struct kbdiacrsuc`.
#[repr(C)]
struct Accents {
    count: u32,
    accents: [[u32; 3]; 256],
}

mod ioctl {
    nix::ioctl_write_ptr_bad!(kdskbent, 0x4B47, super::Entry);
    nix::ioctl_write_ptr_bad!(kdskbdiacruc, 0x4BFB, super::Accents);
}

fn main() {
    if let Err(error) = load() {
        // PID 1 that ends is a panic of the kernel, with this above it.
        eprintln!("keymap: {error}");
        std::process::exit(1);
    }
    let mut words: Vec<CString> = std::env::args().skip(1).filter_map(|word| CString::new(word).ok()).collect();
    words.insert(0, c"/init".to_owned());
    let _ = execv(c"/init", &words);
}

fn load() -> io::Result<()> {
    mount(Some("dev"), DEV, Some("devtmpfs"), MsFlags::empty(), None::<&str>)?;
    let tty = OpenOptions::new().read(true).write(true).open(format!("{DEV}/tty0"))?;
    let file = fs::read("/keymap-tables")?;
    let mut values = file[HEADER..].chunks_exact(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    let set = |table: u8, index: u8, value: u16| -> io::Result<()> {
        // SAFETY: the kernel reads the structure.
        unsafe { ioctl::kdskbent(tty.as_raw_fd(), &Entry { table, index, value }) }?;
        Ok(())
    };
    for (table, is_there) in (0..=u8::MAX).zip(&file[7..HEADER]) {
        if *is_there == 0 {
            set(table, 0, K_NOSUCHMAP)?;
            continue;
        }
        for (index, value) in (0..).zip(values.by_ref().take(KEYS)) {
            set(table, index, value)?;
        }
    }
    let numbers = fs::read("/keymap-accents")?;
    let numbers: Vec<u32> =
        numbers.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    if !numbers.is_empty() {
        let mut accents = Accents { count: 0, accents: [[0; 3]; 256] };
        for (place, three) in accents.accents.iter_mut().zip(numbers.chunks_exact(3)) {
            place.copy_from_slice(three);
            accents.count += 1;
        }
        // SAFETY: the kernel reads the structure.
        unsafe { ioctl::kdskbdiacruc(tty.as_raw_fd(), &accents) }?;
    }
    drop(tty);
    Ok(umount(DEV)?)
}
