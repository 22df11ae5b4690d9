//! What the kernel's framebuffer devices take and give (include/uapi/linux/fb.h).

use std::fs::File;
use std::os::fd::AsRawFd;

use nix::libc::c_ulong;

use crate::model::pixel::field::Field;
use crate::model::pixel::palette::ColorMap;
use crate::model::scanout::description::{Choice, Description};

/// `struct fb_fix_screeninfo` (include/uapi/linux/fb.h).
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct FixScreeninfo {
    pub(super) id: [u8; 16],
    pub(super) smem_start: c_ulong,
    pub(super) smem_len: u32,
    pub(super) kind: u32,
    type_aux: u32,
    pub(super) visual: u32,
    pub(super) xpanstep: u16,
    pub(super) ypanstep: u16,
    ywrapstep: u16,
    pub(super) line_length: u32,
    mmio_start: c_ulong,
    mmio_len: u32,
    accel: u32,
    capabilities: u16,
    reserved: [u16; 2],
}

// Two addresses in it are as wide as the processor's, and move what follows; both layouts are the
// kernel's (drivers/video/fbdev/core/fb_chrdev.c has the narrow one as `fb_fix_screeninfo32`).
const _: () = {
    const WIDE: bool = size_of::<c_ulong>() == 8;
    assert!(size_of::<FixScreeninfo>() == if WIDE { 80 } else { 68 });
    assert!(core::mem::offset_of!(FixScreeninfo, id) == 0);
    assert!(core::mem::offset_of!(FixScreeninfo, smem_start) == 16);
    assert!(core::mem::offset_of!(FixScreeninfo, smem_len) == if WIDE { 24 } else { 20 });
    assert!(core::mem::offset_of!(FixScreeninfo, kind) == if WIDE { 28 } else { 24 });
    assert!(core::mem::offset_of!(FixScreeninfo, type_aux) == if WIDE { 32 } else { 28 });
    assert!(core::mem::offset_of!(FixScreeninfo, visual) == if WIDE { 36 } else { 32 });
    assert!(core::mem::offset_of!(FixScreeninfo, xpanstep) == if WIDE { 40 } else { 36 });
    assert!(core::mem::offset_of!(FixScreeninfo, ypanstep) == if WIDE { 42 } else { 38 });
    assert!(core::mem::offset_of!(FixScreeninfo, ywrapstep) == if WIDE { 44 } else { 40 });
    assert!(core::mem::offset_of!(FixScreeninfo, line_length) == if WIDE { 48 } else { 44 });
    assert!(core::mem::offset_of!(FixScreeninfo, mmio_start) == if WIDE { 56 } else { 48 });
    assert!(core::mem::offset_of!(FixScreeninfo, mmio_len) == if WIDE { 64 } else { 52 });
    assert!(core::mem::offset_of!(FixScreeninfo, accel) == if WIDE { 68 } else { 56 });
    assert!(core::mem::offset_of!(FixScreeninfo, capabilities) == if WIDE { 72 } else { 60 });
    assert!(core::mem::offset_of!(FixScreeninfo, reserved) == if WIDE { 74 } else { 62 });
};

/// `struct fb_var_screeninfo`: forty 32-bit numbers, of which [`describe`] reads some.
pub(super) type VarScreeninfo = [u32; 40];

const _: () = assert!(size_of::<VarScreeninfo>() == 160);

/// `struct fb_cmap`.
#[repr(C)]
pub(super) struct Cmap {
    start: u32,
    len: u32,
    red: *mut u16,
    green: *mut u16,
    blue: *mut u16,
    transp: *mut u16,
}

const _: () = assert!(size_of::<Cmap>() == 8 + 4 * size_of::<usize>());

nix::ioctl_read_bad! {
    #[doc = "FBIOGET_VSCREENINFO."]
    fbioget_vscreeninfo, 0x4600, VarScreeninfo
}
nix::ioctl_read_bad! {
    #[doc = "FBIOGET_FSCREENINFO."]
    fbioget_fscreeninfo, 0x4602, FixScreeninfo
}
nix::ioctl_readwrite_bad! {
    #[doc = "FBIOPUT_VSCREENINFO."]
    fbioput_vscreeninfo, 0x4601, VarScreeninfo
}
nix::ioctl_readwrite_bad! {
    #[doc = "FBIOGETCMAP."]
    fbiogetcmap, 0x4604, Cmap
}
nix::ioctl_write_ptr_bad! {
    #[doc = "FBIOPUTCMAP."]
    fbioputcmap, 0x4605, Cmap
}
nix::ioctl_readwrite_bad! {
    #[doc = "FBIOPAN_DISPLAY."]
    fbiopan_display, 0x4606, VarScreeninfo
}

/// Index of `activate` in [`VarScreeninfo`], and what is put there.
const ACTIVATE: usize = 21;
const FB_ACTIVATE_NOW: u32 = 0;
const FB_ACTIVATE_FORCE: u32 = 128;

/// What does not change while the mode stays.
pub(super) fn fix(file: &File) -> nix::Result<FixScreeninfo> {
    let mut fix = FixScreeninfo::default();
    // SAFETY: the kernel fills in the structure, whose size and layout are asserted above.
    unsafe { fbioget_fscreeninfo(file.as_raw_fd(), &mut fix)? };
    Ok(fix)
}

/// The mode.
pub(super) fn var(file: &File) -> nix::Result<VarScreeninfo> {
    let mut var: VarScreeninfo = [0; 40];
    // SAFETY: the structure is forty 32-bit numbers on every architecture, as in fb.h.
    unsafe { fbioget_vscreeninfo(file.as_raw_fd(), &mut var)? };
    Ok(var)
}

/// Shows the visible part where it is: drivers that scan out by command refresh on this.
pub(super) fn pan(file: &File) -> nix::Result<()> {
    let mut var = var(file)?;
    // SAFETY: as `var` does, the kernel reads and writes this structure and no more.
    unsafe { fbiopan_display(file.as_raw_fd(), &mut var)? };
    Ok(())
}

/// Sets the mode that there is anew, whether it seems needed or not.
pub(super) fn force(file: &File) -> nix::Result<()> {
    let mut var = var(file)?;
    if let Some(activate) = var.get_mut(ACTIVATE) {
        *activate = FB_ACTIVATE_NOW | FB_ACTIVATE_FORCE;
    }
    // SAFETY: as `var` does, the kernel reads and writes this structure and no more.
    unsafe { fbioput_vscreeninfo(file.as_raw_fd(), &mut var)? };
    Ok(())
}

/// What the driver says of its pixels.
pub(super) fn describe(var: &VarScreeninfo, fix: &FixScreeninfo) -> Description {
    let [xres, yres, xres_virtual, _, xoffset, yoffset, bits_per_pixel, grayscale, rest @ ..] = *var;
    let [red, green, blue, transp] =
        [0, 3, 6, 9].map(|at| Field { offset: rest[at], length: rest[at + 1], msb_right: rest[at + 2] != 0 });
    Description {
        xres,
        yres,
        xres_virtual,
        xoffset,
        yoffset,
        bits_per_pixel,
        grayscale,
        red,
        green,
        blue,
        transp,
        nonstd: rest[12],
        kind: fix.kind,
        visual: fix.visual,
        line_length: fix.line_length,
    }
}

/// Loads the colours that were chosen, or makes do with those that are there. A display that refuses
/// both still shows something.
pub(super) fn set_colors(file: &File, choice: &mut Choice) {
    let loaded = choice.load.as_mut().is_some_and(|map| {
        // SAFETY: the kernel reads as many entries as the structure says, and each list has them.
        unsafe { fbioputcmap(file.as_raw_fd(), &cmap(map)) }.is_ok()
    });
    let Some(entries) = choice.read.filter(|_| !loaded) else { return };
    let mut map = ColorMap::greys(entries);
    // SAFETY: the kernel writes as many entries as the structure says, and each list has them.
    if unsafe { fbiogetcmap(file.as_raw_fd(), &mut cmap(&mut map)) }.is_ok() {
        choice.use_map(&map);
    }
}

/// All entries of `map`, which must outlive what is made of it.
fn cmap(map: &mut ColorMap) -> Cmap {
    let len = u32::try_from(map.len()).unwrap_or(0);
    let [red, green, blue] = [&mut map.red, &mut map.green, &mut map.blue].map(|channel| channel.as_mut_ptr());
    Cmap { start: 0, len, red, green, blue, transp: core::ptr::null_mut() }
}
