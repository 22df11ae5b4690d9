//! The static program as a file: it runs in an initramfs that holds nothing else, so it must ask for
//! no loader and no library, load anywhere, and be small.
//!
//! `FBUNLOCK_BINARY=$(sysroot/build) cargo test --test binary` checks it; several paths, for several
//! targets, have a `:` between them. Without the variable the test is skipped and says so; with
//! `FBUNLOCK_REQUIRE_BINARY=1` that is a failure.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

use std::{env, fs};

const SIZE_MAX: usize = 2 * 1024 * 1024;

/// A processor that the sysroot has a target for.
#[derive(Debug, PartialEq, Eq)]
struct Processor {
    /// `e_machine`.
    machine: u16,
    name: &'static str,
    /// Whether its files are ELF64.
    wide: bool,
    /// The type of the one relocation that the start file does: add the address that all was loaded at.
    relative: u64,
}

const PROCESSORS: [Processor; 4] = [
    Processor { machine: 3, name: "i686", wide: false, relative: 8 },
    Processor { machine: EM_ARM, name: "armv7", wide: false, relative: 23 },
    Processor { machine: 62, name: "x86_64", wide: true, relative: 8 },
    Processor { machine: 183, name: "aarch64", wide: true, relative: 1027 },
];

const EM_ARM: u16 = 40;
/// `EF_ARM_EABI_VER5` and `EF_ARM_ABI_FLOAT_HARD`: the same calls in Rust's code and in C's.
const ARM_HARD_FLOAT: u32 = 0x0500_0400;

/// One load instruction of the kernel or of the dynamic linker.
struct Segment {
    kind: u32,
    flags: u32,
    offset: usize,
    address: u64,
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
const DT_PLTRELSZ: u64 = 2;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_REL: u64 = 17;
const DT_RELSZ: u64 = 18;
const DT_TEXTREL: u64 = 22;
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_1_PIE: u64 = 0x0800_0000;

const ET_DYN: u16 = 3;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;

/// A little-endian ELF file. Reading past its end is a broken file, so a panic here is a failed test.
struct Elf<'a> {
    file: &'a [u8],
    /// ELF64; else ELF32.
    wide: bool,
}

impl<'a> Elf<'a> {
    fn new(file: &'a [u8]) -> Option<Self> {
        let wide = match file.get(4)? {
            1 => false,
            2 => true,
            _ => return None,
        };
        (file.starts_with(b"\x7fELF") && file.get(5) == Some(&1)).then_some(Self { file, wide })
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.file[at..at + N].try_into().unwrap()
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    /// The one of two values, most often places of a field, that the file's class has.
    fn of(&self, narrow: usize, wide: usize) -> usize {
        if self.wide { wide } else { narrow }
    }

    /// A number as wide as an address.
    fn word(&self, at: usize) -> u64 {
        if self.wide { u64::from_le_bytes(self.bytes(at)) } else { u64::from(self.u32(at)) }
    }

    fn offset(&self, at: usize) -> usize {
        usize::try_from(self.word(at)).unwrap()
    }

    fn machine(&self) -> u16 {
        self.u16(0x12)
    }

    fn flags(&self) -> u32 {
        self.u32(self.of(0x24, 0x30))
    }

    /// Program headers: `e_phoff`, `e_phentsize`, `e_phnum`.
    fn segments(&self) -> Vec<Segment> {
        let (start, step) = (self.offset(self.of(0x1c, 0x20)), usize::from(self.u16(self.of(0x2a, 0x36))));
        (0..usize::from(self.u16(self.of(0x2c, 0x38))))
            .map(|i| start + i * step)
            .map(|at| Segment {
                kind: self.u32(at),
                flags: self.u32(at + self.of(0x18, 4)),
                offset: self.offset(at + self.of(4, 8)),
                address: self.word(at + self.of(8, 0x10)),
                size: self.offset(at + self.of(0x10, 0x20)),
            })
            .collect()
    }

    /// Tags and values of the dynamic section.
    fn dynamic(&self) -> Vec<(u64, u64)> {
        let word = self.of(4, 8);
        self.segments()
            .iter()
            .filter(|s| s.kind == PT_DYNAMIC)
            .flat_map(|s| (s.offset..s.offset + s.size).step_by(2 * word))
            .map(|at| (self.word(at), self.word(at + word)))
            .take_while(|&(tag, _)| tag != DT_NULL)
            .collect()
    }

    /// Types of the relocations. Those that are packed (DT_RELR) have none: all are relative.
    fn relocations(&self) -> Vec<u64> {
        let (dynamic, segments, word) = (self.dynamic(), self.segments(), self.of(4, 8));
        let value = |wanted| dynamic.iter().find(|&&(tag, _)| tag == wanted).map(|&(_, value)| value);
        let mut kinds = Vec::new();
        for (table, bytes, words) in [(DT_REL, DT_RELSZ, 2), (DT_RELA, DT_RELASZ, 3)] {
            let (Some(address), Some(bytes)) = (value(table), value(bytes)) else { continue };
            let inside = |s: &&Segment| s.kind == PT_LOAD && (s.address..s.address + s.size as u64).contains(&address);
            let segment = segments.iter().find(inside).unwrap();
            let start = segment.offset + usize::try_from(address - segment.address).unwrap();
            let end = start + usize::try_from(bytes).unwrap();
            let info = (start..end).step_by(words * word).map(|at| self.word(at + word));
            kinds.extend(info.map(|info| if self.wide { info & 0xffff_ffff } else { info & 0xff }));
        }
        kinds
    }

    /// Type and bytes of each section: `e_shoff`, `e_shentsize`, `e_shnum`.
    fn sections(&self) -> Vec<(u32, usize)> {
        let (start, step) = (self.offset(self.of(0x20, 0x28)), usize::from(self.u16(self.of(0x2e, 0x3a))));
        (0..usize::from(self.u16(self.of(0x30, 0x3c))))
            .map(|i| start + i * step)
            .map(|at| (self.u32(at + 4), self.offset(at + self.of(0x14, 0x20))))
            .collect()
    }
}

/// The processor that a file is for, and what speaks against the file as the only one in an initramfs:
/// nothing when it is fit.
fn judge(file: &[u8]) -> (&'static str, Vec<&'static str>) {
    let Some(elf) = Elf::new(file) else {
        return ("no processor", vec!["is no little-endian ELF file"]);
    };
    let known = PROCESSORS.iter().find(|known| known.machine == elf.machine() && known.wide == elf.wide);
    let Some(processor) = known else {
        return ("unknown processor", vec!["is for a processor that there is no target for"]);
    };
    let segments = elf.segments();
    let dynamic = elf.dynamic();
    let sections = elf.sections();
    let has = |kind| segments.iter().any(|s| s.kind == kind);
    let tag = |wanted| dynamic.iter().find(|&&(tag, _)| tag == wanted);
    let stack = segments.iter().find(|s| s.kind == PT_GNU_STACK);
    let writable_code = PF_W | PF_X;
    let null_symbol = elf.of(16, 24);

    let faults = [
        (elf.u16(0x10) != ET_DYN, "cannot be loaded at any address (e_type is not ET_DYN)"),
        (
            processor.machine == EM_ARM && elf.flags() & ARM_HARD_FLOAT != ARM_HARD_FLOAT,
            "passes numbers in other registers than the hard-float EABI",
        ),
        (!has(PT_DYNAMIC), "has no dynamic section to relocate itself by"),
        (has(PT_INTERP), "asks for a dynamic loader (PT_INTERP)"),
        (tag(DT_NEEDED).is_some(), "asks for a library (DT_NEEDED)"),
        (tag(DT_TEXTREL).is_some(), "relocates its code (DT_TEXTREL)"),
        (tag(DT_PLTRELSZ).is_some(), "calls through a table that nobody fills in (DT_PLTRELSZ)"),
        (
            elf.relocations().iter().any(|kind| *kind != processor.relative),
            "needs a dynamic linker: its start file passes over all relocations but the relative ones",
        ),
        (
            sections.iter().any(|&(kind, size)| kind == SHT_DYNSYM && size > null_symbol),
            "has symbols for a dynamic linker (SHT_DYNSYM)",
        ),
        // Without one it would be a program of before the flag, whose e_type says all.
        (tag(DT_FLAGS_1).is_some_and(|(_, v)| v & DF_1_PIE == 0), "is a library (no DF_1_PIE)"),
        (stack.is_none_or(|s| s.flags & PF_X != 0), "has an executable stack"),
        (!has(PT_GNU_RELRO), "leaves its pointer tables writable (no PT_GNU_RELRO)"),
        (
            segments.iter().any(|s| s.kind == PT_LOAD && s.flags & writable_code == writable_code),
            "has a segment that is writable and executable",
        ),
        (sections.iter().any(|&(kind, _)| kind == SHT_SYMTAB), "is not stripped"),
        (file.len() > SIZE_MAX, "is larger than 2 MiB"),
    ];
    (processor.name, faults.into_iter().filter_map(|(wrong, what)| wrong.then_some(what)).collect())
}

#[test]
fn static_binary_is_fit() {
    let Ok(paths) = env::var("FBUNLOCK_BINARY") else {
        assert!(
            env::var("FBUNLOCK_REQUIRE_BINARY").as_deref() != Ok("1"),
            "FBUNLOCK_BINARY is not set: set it to the path that sysroot/build prints",
        );
        eprintln!("skipped: FBUNLOCK_BINARY is not set");
        return;
    };
    let mut unfit = Vec::new();
    for path in paths.split(':') {
        let file = fs::read(path).unwrap_or_else(|error| panic!("read {path:?}: {error}"));
        let (processor, faults) = judge(&file);
        eprintln!("{path}: {processor}, {} bytes", file.len());
        if !faults.is_empty() {
            unfit.push(format!("{path} ({processor}) {}", faults.join("; it ")));
        }
    }
    assert!(unfit.is_empty(), "{}", unfit.join("\n"));
}

/// The test program itself is what the static one must not be.
#[cfg(target_env = "gnu")]
#[test]
fn dynamic_program_is_refused() {
    let mut file = fs::read(env::current_exe().unwrap()).unwrap();
    file.resize(file.len() + SIZE_MAX, 0);
    let (_, faults) = judge(&file);
    for part in ["PT_INTERP", "DT_NEEDED", "dynamic linker: ", "SHT_DYNSYM", "larger"] {
        assert!(faults.iter().any(|fault| fault.contains(part)), "{part} went unnoticed: {faults:?}");
    }
}

#[test]
fn other_files_are_refused() {
    for file in [&b"#!/bin/sh\n"[..], b"", b"\x7fELF", b"\x7fELF\x02\x02\x01"] {
        assert_eq!(judge(file).1, ["is no little-endian ELF file"], "{file:?}");
    }
}

/// A file that is fit, as small as one can be: headers, a dynamic section, one relocation.
struct Sample {
    file: Vec<u8>,
    wide: bool,
}

impl Sample {
    /// The last one is spare: PT_NULL.
    const SEGMENTS: [(u32, u32); 5] = [(PT_LOAD, 4), (PT_DYNAMIC, 6), (PT_GNU_STACK, 6), (PT_GNU_RELRO, 4), (0, 0)];
    const DYNAMIC: usize = 0x200;
    const RELOCATION: usize = 0x300;
    const SECTIONS: usize = 0x400;
    const BASE: usize = 0x1_0000;

    fn new(processor: &Processor) -> Self {
        let mut sample = Self { file: vec![0; 0x500], wide: processor.wide };
        let of = |narrow, wide| if processor.wide { wide } else { narrow };
        sample.file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', of(1, 2) as u8, 1]);
        for (at, value) in [(0x10, usize::from(ET_DYN)), (0x12, processor.machine.into())] {
            sample.half(at, value);
        }
        sample.word(of(0x1c, 0x20), of(0x34, 0x40));
        sample.word(of(0x20, 0x28), Self::SECTIONS);
        sample.half(of(0x24, 0x30), ARM_HARD_FLOAT as usize & 0xffff);
        sample.half(of(0x26, 0x32), ARM_HARD_FLOAT as usize >> 16);
        sample.half(of(0x2a, 0x36), of(0x20, 0x38));
        sample.half(of(0x2c, 0x38), Self::SEGMENTS.len());
        sample.half(of(0x2e, 0x3a), of(0x28, 0x40));
        sample.half(of(0x30, 0x3c), 1);
        for (index, (kind, flags)) in Self::SEGMENTS.into_iter().enumerate() {
            let (offset, size) = if kind == PT_DYNAMIC { (Self::DYNAMIC, of(0x20, 0x40)) } else { (0, 0x500) };
            sample.segment(index, kind, flags, offset, size);
        }
        let relocation = processor.relative as usize;
        let tables =
            [(DT_FLAGS_1, DF_1_PIE as usize), (DT_RELA, Self::BASE + Self::RELOCATION), (DT_RELASZ, of(12, 24))];
        for (index, (tag, value)) in tables.into_iter().enumerate() {
            sample.dynamic(index, tag, value);
        }
        sample.word(Self::RELOCATION + of(4, 8), relocation);
        sample
    }

    fn half(&mut self, at: usize, value: usize) {
        self.file[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
    }

    fn word(&mut self, at: usize, value: usize) {
        let bytes = (value as u64).to_le_bytes();
        let width = if self.wide { 8 } else { 4 };
        self.file[at..at + width].copy_from_slice(&bytes[..width]);
    }

    fn segment(&mut self, index: usize, kind: u32, flags: u32, offset: usize, size: usize) {
        let wide = self.wide;
        let of = |narrow, wide_one| if wide { wide_one } else { narrow };
        let at = of(0x34, 0x40) + index * of(0x20, 0x38);
        self.file[at..at + 4].copy_from_slice(&kind.to_le_bytes());
        self.file[at + of(0x18, 4)..][..4].copy_from_slice(&flags.to_le_bytes());
        self.word(at + of(4, 8), offset);
        self.word(at + of(8, 0x10), Self::BASE + offset);
        self.word(at + of(0x10, 0x20), size);
    }

    fn dynamic(&mut self, index: usize, tag: u64, value: usize) {
        let word = if self.wide { 8 } else { 4 };
        let at = Self::DYNAMIC + index * 2 * word;
        self.word(at, tag as usize);
        self.word(at + word, value);
    }

    fn section(&mut self, kind: u32, size: usize) {
        let place = if self.wide { 0x20 } else { 0x14 };
        self.file[Self::SECTIONS + 4..][..4].copy_from_slice(&kind.to_le_bytes());
        self.word(Self::SECTIONS + place, size);
    }
}

#[test]
fn each_fault_is_told_for_each_processor() {
    type Damage = fn(&mut Sample);
    let damages: [(&str, Damage); 14] = [
        ("ET_DYN", |sample| sample.half(0x10, 2)),
        ("no target", |sample| sample.half(0x12, 8)),
        ("no dynamic section", |sample| sample.segment(1, 0, 0, 0, 0)),
        ("PT_INTERP", |sample| sample.segment(4, PT_INTERP, 4, 0, 8)),
        ("DT_NEEDED", |sample| sample.dynamic(0, DT_NEEDED, 1)),
        ("DT_TEXTREL", |sample| sample.dynamic(0, DT_TEXTREL, 0)),
        ("DT_PLTRELSZ", |sample| sample.dynamic(0, DT_PLTRELSZ, 8)),
        ("dynamic linker: ", |sample| sample.word(Sample::RELOCATION + if sample.wide { 8 } else { 4 }, 2)),
        ("SHT_DYNSYM", |sample| sample.section(SHT_DYNSYM, 48)),
        ("DF_1_PIE", |sample| sample.dynamic(0, DT_FLAGS_1, 1)),
        ("executable stack", |sample| sample.segment(2, PT_GNU_STACK, 7, 0, 0)),
        ("PT_GNU_RELRO", |sample| sample.segment(3, PT_GNU_STACK, 6, 0, 0)),
        ("writable and executable", |sample| sample.segment(0, PT_LOAD, 7, 0, 0x500)),
        ("not stripped", |sample| sample.section(SHT_SYMTAB, 48)),
    ];
    for processor in &PROCESSORS {
        assert_eq!(judge(&Sample::new(processor).file), (processor.name, vec![]));
        for (told, damage) in &damages {
            let mut sample = Sample::new(processor);
            damage(&mut sample);
            let (_, faults) = judge(&sample.file);
            assert!(matches!(faults[..], [fault] if fault.contains(told)), "{}: {told}: {faults:?}", processor.name);
        }
    }
}

/// Both float ABIs run on the same processor, and mixing them gives wrong numbers and no error.
#[test]
fn soft_float_is_refused() {
    let mut sample = Sample::new(&PROCESSORS[1]);
    sample.half(0x24, 0x200);
    assert!(judge(&sample.file).1.iter().any(|fault| fault.contains("hard-float")));
}
