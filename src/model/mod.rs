//! Everything that is decided or computed: no files, no clock, no environment, no `unsafe`.

pub mod boot;
pub mod cpio;
pub mod elf;
pub mod frame;
pub mod initramfs;
pub mod logo;
pub mod modules;
#[cfg(test)]
pub mod noise;
pub mod panel;
pub mod pixel;
pub mod prompt;
pub mod scale;
pub mod scanout;
pub mod theme;
pub mod uevent;
pub mod volume;
