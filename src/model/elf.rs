//! The head of an ELF file: for which machine it is, and whether it runs without an interpreter.
//!
//! Layout as in the System V ABI, chapter 4 and 5, and elf(5).

/// What counts of a program or a kernel module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elf {
    /// `e_type`: 1 relocatable (a module), 2 executable, 3 shared object or position-independent
    /// executable.
    pub kind: u16,
    /// `e_machine`, such as 62 for x86-64 and 183 for AArch64.
    pub machine: u16,
    /// Whether it has a program header `PT_INTERP`: it needs a dynamic loader and libraries.
    pub interpreted: bool,
}

const PT_INTERP: u64 = 3;

impl Elf {
    /// Reads the header and the program headers; `None` if `bytes` are no ELF file or end early.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.get(..4)? != b"\x7FELF" {
            return None;
        }
        let wide = match bytes.get(4)? {
            1 => false,
            2 => true,
            _ => return None,
        };
        let big = match bytes.get(5)? {
            1 => false,
            2 => true,
            _ => return None,
        };
        let reader = Reader { bytes, big };
        // e_phoff, e_phentsize and e_phnum lie behind e_entry, whose width varies.
        let (offset, size, count) = if wide {
            (reader.number(32, 8)?, reader.number(54, 2)?, reader.number(56, 2)?)
        } else {
            (reader.number(28, 4)?, reader.number(42, 2)?, reader.number(44, 2)?)
        };
        // Sections are described at the end of the file: one that was cut short lacks them.
        let (sections, section, sections_count) = if wide {
            (reader.number(40, 8)?, reader.number(58, 2)?, reader.number(60, 2)?)
        } else {
            (reader.number(32, 4)?, reader.number(46, 2)?, reader.number(48, 2)?)
        };
        let end = sections.checked_add(section.checked_mul(sections_count)?)?;
        if end > bytes.len() as u64 {
            return None;
        }
        let mut interpreted = false;
        for index in 0..count {
            let at = offset.checked_add(index.checked_mul(size)?)?;
            // p_type comes first in both classes.
            interpreted |= reader.number(usize::try_from(at).ok()?, 4)? == PT_INTERP;
        }
        Some(Self {
            kind: u16::try_from(reader.number(16, 2)?).ok()?,
            machine: u16::try_from(reader.number(18, 2)?).ok()?,
            interpreted,
        })
    }

    /// The processor's name, or its number.
    pub fn machine_name(self) -> String {
        let known = match self.machine {
            3 => "i386",
            8 => "MIPS",
            21 => "PowerPC64",
            40 => "ARM",
            62 => "x86-64",
            183 => "AArch64",
            243 => "RISC-V",
            258 => "LoongArch",
            other => return format!("ELF machine {other}"),
        };
        known.to_owned()
    }

    /// Whether a kernel whose modules are for `module` can run a program for `self`: the same
    /// machine, or its 32-bit forerunner (386 on x86-64, ARM on AArch64).
    pub const fn runs_on(self, module: u16) -> bool {
        self.machine == module || matches!((self.machine, module), (3, 62) | (40, 183))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl Reader<'_> {
    fn number(&self, at: usize, width: usize) -> Option<u64> {
        let field = self.bytes.get(at..at.checked_add(width)?)?;
        let push = |number: u64, byte: &u8| (number << 8) | u64::from(*byte);
        Some(if self.big { field.iter().fold(0, push) } else { field.iter().rev().fold(0, push) })
    }
}

/// Both classes, both byte orders, and files cut short.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    /// A 64-bit little-endian file with one program header.
    fn file(p_type: u8) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7FELF\x02\x01");
        bytes[16] = 3;
        bytes[18] = 183;
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = p_type;
        bytes
    }

    #[test]
    fn a_file_cut_short_is_none() {
        let mut bytes = file(2);
        bytes[40] = 100;
        bytes[58] = 10;
        bytes[60] = 2;
        assert!(Elf::parse(&bytes).is_some());
        bytes.truncate(119);
        assert!(Elf::parse(&bytes).is_none());
    }

    #[test]
    fn interpreter_is_seen() {
        let elf = Elf::parse(&file(3)).unwrap();
        assert_eq!((elf.kind, elf.machine, elf.interpreted), (3, 183, true));
        assert!(!Elf::parse(&file(2)).unwrap().interpreted);
    }

    #[test]
    fn narrow_big_endian_file_is_read() {
        let mut bytes = vec![0; 52 + 32];
        bytes[..6].copy_from_slice(b"\x7FELF\x01\x02");
        bytes[17] = 2;
        bytes[19] = 20;
        bytes[31] = 52;
        bytes[43] = 32;
        bytes[45] = 1;
        bytes[55] = 3;
        let elf = Elf::parse(&bytes).unwrap();
        assert_eq!((elf.kind, elf.machine, elf.interpreted), (2, 20, true));
    }

    #[test]
    fn short_and_odd_files_are_none() {
        let whole = file(3);
        for length in 0..68 {
            assert_eq!(Elf::parse(&whole[..length]), None, "{length}");
        }
        let mut far = file(3);
        far[32..40].fill(0xFF);
        assert_eq!(Elf::parse(&far), None);
        assert_eq!(Elf::parse(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn random_heads_never_panic() {
        let mut noise = Noise::new(0x2545_F491_4F6C_DD1D);
        for _ in 0..20_000 {
            let mut bytes = file(3);
            for byte in bytes.iter_mut().skip(4) {
                let state = noise.draw();
                if state & 3 == 0 {
                    *byte = (state >> 8) as u8;
                }
            }
            let _ = Elf::parse(&bytes);
        }
    }

    #[test]
    fn older_programs_run_on_wider_kernels() {
        let elf = |machine| Elf { kind: 2, machine, interpreted: false };
        assert!(elf(62).runs_on(62));
        assert!(elf(40).runs_on(183));
        assert!(!elf(62).runs_on(3));
        assert!(!elf(62).runs_on(183));
    }
}
