//! The architectures of the guests: a table. What differs between them is here and nowhere else.

use std::fmt;

/// A machine that QEMU emulates and the programs that run on it.
#[derive(PartialEq, Eq)]
pub(crate) struct Arch {
    /// As in `qemu-system-NAME` and in `tests/qemu/setup`.
    pub(crate) name: &'static str,
    /// Rust's target for what runs in the guest.
    pub(crate) target: &'static str,
    /// `e_machine` of its programs (elf.h).
    pub(crate) elf_machine: u16,
    /// QEMU's words for a machine without what no test needs: each part left out is time that the
    /// kernel does not probe.
    pub(crate) machine: &'static [&'static str],
    /// The kernel's command line: where the console is, and what costs seconds in TCG left out.
    pub(crate) cmdline: &'static str,
    /// The kernel for `-kernel`, and the one that firmware can start.
    pub(crate) kernel: &'static str,
    pub(crate) efi_kernel: &'static str,
    /// UEFI below the tools' /usr/share.
    pub(crate) firmware: &'static str,
    /// What gives the machine a bus `ide.0`; empty where it has one.
    pub(crate) ahci: &'static str,
    /// Where the RAM begins.
    pub(crate) ram_start: u64,
}

/// Not i8042: "AT Translated Set 2 keyboard" would be one more input device. The kernel is not to check
/// its timer (`no_timer_check`): it counts ticks in a loop of its own speed, and panics where the
/// machine is too busy to deliver them.
pub(crate) const X86_64: Arch = Arch {
    name: "x86_64",
    target: "x86_64-unknown-linux-musl",
    elf_machine: 62,
    machine: &["-machine", "q35,hpet=off,smm=off,vmport=off,usb=off,i8042=off", "-cpu", "max"],
    cmdline: "console=ttyS0 rodata=off tsc=reliable noreplace-smp mitigations=off no_timer_check",
    kernel: "vmlinux",
    efi_kernel: "vmlinuz",
    firmware: "ovmf/OVMF.fd",
    ahci: "",
    ram_start: 0,
};

/// Not pointer authentication, which TCG does in software and slowly.
pub(crate) const AARCH64: Arch = Arch {
    name: "aarch64",
    target: "aarch64-unknown-linux-musl",
    elf_machine: 183,
    machine: &["-machine", "virt", "-cpu", "max,pauth=off"],
    cmdline: "console=ttyAMA0 rodata=off mitigations=off",
    kernel: "vmlinuz",
    efi_kernel: "vmlinuz",
    firmware: "qemu-efi-aarch64/QEMU_EFI.fd",
    ahci: "ich9-ahci,id=ide",
    ram_start: 0x4000_0000,
};

/// Debian's kernel without LPAE reaches nothing above 4 GiB, hence `highmem=off`.
pub(crate) const ARM: Arch = Arch {
    name: "arm",
    target: "armv7-unknown-linux-musleabihf",
    elf_machine: 40,
    machine: &["-machine", "virt,highmem=off", "-cpu", "cortex-a15"],
    firmware: "",
    ..AARCH64
};

/// All of them.
pub(crate) const ARCHES: &[&Arch] = &[&X86_64, &AARCH64, &ARM];

impl Arch {
    /// The architecture of that name.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        ARCHES.iter().copied().find(|arch| arch.name == name)
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
