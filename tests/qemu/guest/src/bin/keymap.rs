//! Gives the kernel a keymap as distributions do, and becomes the product's /init: /keymap-tables in the
//! format `bkeymap`, /keymap-accents as triples of code points. Without them, tells the kernel's own.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

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
    nix::ioctl_read_bad!(kdgkbent, 0x4B46, super::Entry);
    nix::ioctl_read_bad!(kdgkbdiacruc, 0x4BFA, super::Accents);
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
    let result = if Path::new("/keymap-tables").exists() { set(&tty) } else { tell(&tty) };
    drop(tty);
    umount(DEV)?;
    result
}

/// Tells the tables that there are, and the accents: numbers in hexadecimal digits, behind 256 for an accent.
fn tell(tty: &File) -> io::Result<()> {
    let get = |table: u8, index: u8| -> io::Result<u16> {
        let mut entry = Entry { table, index, value: 0 };
        // SAFETY: the kernel reads and writes the structure.
        unsafe { ioctl::kdgkbent(tty.as_raw_fd(), &raw mut entry) }?;
        Ok(entry.value)
    };
    for table in 0..=u8::MAX {
        if get(table, 0)? == K_NOSUCHMAP {
            continue;
        }
        let mut line = format!("{table:x}");
        for index in 0..KEYS as u8 {
            line += &format!(" {:x}", get(table, index)?);
        }
        eprintln!("keymap: {line}");
    }
    let mut accents = Accents { count: 0, accents: [[0; 3]; 256] };
    // SAFETY: the kernel writes the structure.
    unsafe { ioctl::kdgkbdiacruc(tty.as_raw_fd(), &raw mut accents) }?;
    for [accent, base, result] in accents.accents.iter().take(accents.count as usize) {
        eprintln!("keymap: 100 {accent:x} {base:x} {result:x}");
    }
    eprintln!("keymap: end");
    Ok(())
}

fn set(tty: &File) -> io::Result<()> {
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
    Ok(())
}
