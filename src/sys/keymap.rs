//! The keymap of the kernel's console, read from a virtual terminal.

use std::os::fd::{AsFd, AsRawFd};

use crate::model::prompt::keymap::{ACCENTS_MAX, ALT, Accent, CTRL, KEYS, Keymap, Table};

/// `struct kbentry` (include/uapi/linux/kd.h).
#[repr(C)]
struct Entry {
    table: u8,
    index: u8,
    value: u16,
}

/// `struct kbdiacrsuc` of the same file: accent, base and result, so many of them.
#[repr(C)]
struct Accents {
    count: u32,
    accents: [[u32; 3]; ACCENTS_MAX],
}

const _: () = assert!(size_of::<Entry>() == 4 && size_of::<Accents>() == 3076);

// Numbers from include/uapi/linux/kd.h.
nix::ioctl_read_bad! {
    #[doc = "KDGKBENT."]
    kdgkbent, 0x4b46, Entry
}
nix::ioctl_read_bad! {
    #[doc = "KDGKBDIACRUC."]
    kdgkbdiacruc, 0x4bfa, Accents
}

/// What the first place of a table says that is not there (K_NOSUCHMAP).
const NO_TABLE: u16 = 0x027f;

/// Reads all of it, from a terminal whose keyboard is in the mode for Unicode. `None` where the kernel
/// has no keymap. Where another one is `wanted`, only the accents are read, which files do not hold.
///
/// A table takes one call a key, so those that no modifier leads to are left out: distributions load
/// 128 tables, of which a keyboard without groups has 32. With Ctrl and Alt together nobody types.
pub fn read(terminal: &impl AsFd, wanted: Option<Keymap>) -> Option<Keymap> {
    let keymap = match wanted {
        Some(keymap) => keymap,
        None => tables(terminal)?,
    };
    Some(match accents(terminal) {
        Some(accents) => keymap.with_accents(accents),
        None => keymap,
    })
}

fn tables(terminal: &impl AsFd) -> Option<Keymap> {
    let mut keymap = Keymap::empty();
    keymap.set(0, &table(terminal, 0)?);
    let mut asked = 0;
    loop {
        let modifiers = keymap.modifiers();
        let is_used = |number: u8| number & (CTRL | ALT) != CTRL | ALT && number & !modifiers == 0;
        let is_new = |number: u8| is_used(number) && number & !asked != 0;
        for number in (1..=u8::MAX).filter(|number| is_new(*number)) {
            if let Some(table) = table(terminal, number) {
                keymap.set(number, &table);
            }
        }
        if asked == modifiers {
            return Some(keymap);
        }
        asked = modifiers;
    }
}

fn table(terminal: &impl AsFd, number: u8) -> Option<Table> {
    if value(terminal, number, 0)? == NO_TABLE {
        return None;
    }
    let mut table = [0; KEYS];
    for (index, place) in (0..).zip(&mut table) {
        *place = value(terminal, number, index)?;
    }
    Some(table)
}

fn value(terminal: &impl AsFd, table: u8, index: u8) -> Option<u16> {
    let mut entry = Entry { table, index, value: 0 };
    // SAFETY: the kernel reads the first two fields of the structure and writes the third.
    unsafe { kdgkbent(terminal.as_fd().as_raw_fd(), &mut entry) }.ok()?;
    Some(entry.value)
}

fn accents(terminal: &impl AsFd) -> Option<Vec<Accent>> {
    let mut accents = Accents { count: 0, accents: [[0; 3]; ACCENTS_MAX] };
    // SAFETY: the kernel writes no more than the structure holds: its own table is as long.
    unsafe { kdgkbdiacruc(terminal.as_fd().as_raw_fd(), &mut accents) }.ok()?;
    let accent = |[accent, base, result]: &[u32; 3]| {
        let [accent, base, result] = [*accent, *base, *result].map(char::from_u32);
        Some(Accent { accent: accent?, base: base?, result: result? })
    };
    Some(accents.accents.iter().take(accents.count as usize).filter_map(accent).collect())
}
