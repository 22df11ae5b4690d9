//! The static program as a file: it runs in an initramfs that holds nothing else, so it must ask for
//! no loader and no library, load anywhere, and be small.
//!
//! `FBUNLOCK_BINARY=$(sysroot/build) cargo test --test binary` checks it. Without the variable the
//! test is skipped and says so; with `FBUNLOCK_REQUIRE_BINARY=1` that is a failure.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

use std::{env, fs};

const SIZE_MAX: usize = 2 * 1024 * 1024;

/// One load instruction of the kernel or of the dynamic linker.
struct Segment {
    kind: u32,
    flags: u32,
    offset: usize,
    size: usize,
}

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;
const PT_GNU_STACK: u32 = 0x6474_e551;
const PT_GNU_RELRO: u32 = 0x6474_e552;
const PF_X: u32 = 1;
const PF_W: u32 = 2;

const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_TEXTREL: u64 = 22;
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_1_PIE: u64 = 0x0800_0000;

const ET_DYN: u16 = 3;
const SHT_SYMTAB: u32 = 2;

/// A little-endian ELF64 file. Reading past its end is a broken file, so a panic here is a failed
/// test.
struct Elf<'a>(&'a [u8]);

impl Elf<'_> {
    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().unwrap()
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    fn offset(&self, at: usize) -> usize {
        usize::try_from(self.u64(at)).unwrap()
    }

    fn is_elf64_le(&self) -> bool {
        self.0.starts_with(b"\x7fELF\x02\x01")
    }

    /// Program headers: `e_phoff`, `e_phentsize`, `e_phnum`.
    fn segments(&self) -> Vec<Segment> {
        let (start, step) = (self.offset(0x20), usize::from(self.u16(0x36)));
        (0..usize::from(self.u16(0x38)))
            .map(|i| start + i * step)
            .map(|at| Segment {
                kind: self.u32(at),
                flags: self.u32(at + 4),
                offset: self.offset(at + 8),
                size: self.offset(at + 0x20),
            })
            .collect()
    }

    /// Tags and values of the dynamic section.
    fn dynamic(&self) -> Vec<(u64, u64)> {
        self.segments()
            .iter()
            .filter(|s| s.kind == PT_DYNAMIC)
            .flat_map(|s| (s.offset..s.offset + s.size).step_by(16))
            .map(|at| (self.u64(at), self.u64(at + 8)))
            .take_while(|&(tag, _)| tag != DT_NULL)
            .collect()
    }

    /// Types of the sections: `e_shoff`, `e_shentsize`, `e_shnum`.
    fn sections(&self) -> Vec<u32> {
        let (start, step) = (self.offset(0x28), usize::from(self.u16(0x3a)));
        (0..usize::from(self.u16(0x3c))).map(|i| self.u32(start + i * step + 4)).collect()
    }
}

/// What speaks against the file as the only one in an initramfs; empty when it is fit.
fn faults(file: &[u8]) -> Vec<&'static str> {
    let elf = Elf(file);
    if !elf.is_elf64_le() {
        return vec!["is no little-endian ELF64 file"];
    }
    let segments = elf.segments();
    let dynamic = elf.dynamic();
    let has = |kind| segments.iter().any(|s| s.kind == kind);
    let tag = |wanted| dynamic.iter().find(|&&(tag, _)| tag == wanted);
    let stack = segments.iter().find(|s| s.kind == PT_GNU_STACK);
    let writable_code = PF_W | PF_X;

    [
        (elf.u16(0x10) != ET_DYN, "cannot be loaded at any address (e_type is not ET_DYN)"),
        (!has(PT_DYNAMIC), "has no dynamic section to relocate itself by"),
        (has(PT_INTERP), "asks for a dynamic loader (PT_INTERP)"),
        (tag(DT_NEEDED).is_some(), "asks for a library (DT_NEEDED)"),
        (tag(DT_TEXTREL).is_some(), "relocates its code (DT_TEXTREL)"),
        (tag(DT_FLAGS_1).is_some_and(|(_, v)| v & DF_1_PIE == 0), "is a library (no DF_1_PIE)"),
        (stack.is_none_or(|s| s.flags & PF_X != 0), "has an executable stack"),
        (!has(PT_GNU_RELRO), "leaves its pointer tables writable (no PT_GNU_RELRO)"),
        (
            segments.iter().any(|s| s.kind == PT_LOAD && s.flags & writable_code == writable_code),
            "has a segment that is writable and executable",
        ),
        (elf.sections().contains(&SHT_SYMTAB), "is not stripped"),
        (file.len() > SIZE_MAX, "is larger than 2 MiB"),
    ]
    .into_iter()
    .filter_map(|(wrong, what)| wrong.then_some(what))
    .collect()
}

#[test]
fn static_binary_is_fit() {
    let Ok(path) = env::var("FBUNLOCK_BINARY") else {
        assert!(
            env::var("FBUNLOCK_REQUIRE_BINARY").as_deref() != Ok("1"),
            "FBUNLOCK_BINARY is not set: set it to the path that sysroot/build prints",
        );
        eprintln!("skipped: FBUNLOCK_BINARY is not set");
        return;
    };
    let file = fs::read(&path).unwrap_or_else(|error| panic!("read {path}: {error}"));
    eprintln!("{path}: {} bytes", file.len());
    let faults = faults(&file);
    assert!(faults.is_empty(), "{path} {}", faults.join("; it "));
}

/// The test program itself is what the static one must not be.
#[cfg(target_env = "gnu")]
#[test]
fn dynamic_program_is_refused() {
    let mut file = fs::read(env::current_exe().unwrap()).unwrap();
    file.resize(file.len() + SIZE_MAX, 0);
    let faults = faults(&file);
    for part in ["PT_INTERP", "DT_NEEDED", "larger"] {
        assert!(faults.iter().any(|fault| fault.contains(part)), "{part} went unnoticed: {faults:?}");
    }
}

#[test]
fn other_files_are_refused() {
    assert_eq!(faults(b"#!/bin/sh\n").len(), 1);
    assert_eq!(faults(b"").len(), 1);
}
