//! The framebuffer device.
//!
//! `linuxfb` unblanks and tells the millimetres. Of the pixels' layout it tells only a part, and it
//! neither maps by the stride, nor pans, nor sets colours: that is done here on a descriptor of our
//! own.

use core::ffi::c_void;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::Path;

use embedded_graphics::primitives::Rectangle;
use nix::errno::Errno;
use nix::libc::c_ulong;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap, munmap};
use nix::unistd::{SysconfVar, sysconf};

use crate::error::{Error, Exit, Result};
use crate::model::frame::Frame;
use crate::model::pixel::field::Field;
use crate::model::pixel::palette::ColorMap;
use crate::model::prompt::plan::Panel;
use crate::model::scanout::Scanout;
use crate::model::scanout::description::{Choice, Description};
use crate::model::scanout::turn::Rotation;

/// `struct fb_fix_screeninfo` (include/uapi/linux/fb.h).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FixScreeninfo {
    id: [u8; 16],
    smem_start: c_ulong,
    smem_len: u32,
    kind: u32,
    type_aux: u32,
    visual: u32,
    xpanstep: u16,
    ypanstep: u16,
    ywrapstep: u16,
    line_length: u32,
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
type VarScreeninfo = [u32; 40];

const _: () = assert!(size_of::<VarScreeninfo>() == 160);

/// `struct fb_cmap`.
#[repr(C)]
struct Cmap {
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

/// An open and mapped framebuffer.
pub struct Framebuffer {
    file: File,
    map: Map,
    panel: Panel,
    scanout: Scanout,
    /// Whether the driver wants to be told of a new picture.
    pans: bool,
}

impl Framebuffer {
    /// Opens, maps and unblanks the device at `path`.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when there is no such device or its pixels cannot be written.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |verb: &str, errno| Error::os(Exit::NoDisplay, format!("{verb} {}", path.display()), errno);
        let device = linuxfb::Framebuffer::new(path).map_err(|error| failed("open", errno(&error)))?;
        // Not every driver can be blanked; a screen that stays dark cannot be helped from here.
        let _ = device.blank(linuxfb::BlankingLevel::Unblank);

        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| Error::io(Exit::NoDisplay, format!("open {}", path.display()), &error))?;
        let mut fix = FixScreeninfo::default();
        // SAFETY: the kernel fills in the structure, whose size and layout are asserted above.
        unsafe { fbioget_fscreeninfo(file.as_raw_fd(), &mut fix) }.map_err(|errno| failed("ask", errno))?;
        let var = var(&file).map_err(|errno| failed("ask", errno))?;
        let mut choice = describe(&var, &fix).choose(Rotation::Upright)?;
        let length = choice.scanout.check(fix.smem_len as usize)?;
        set_colors(&file, &mut choice);
        let scanout = choice.scanout;
        let (width_mm, height_mm) = device.get_physical_size();
        let is_sideways = scanout.rotation.is_sideways();
        let millimetres = if is_sideways { (height_mm, width_mm) } else { (width_mm, height_mm) };
        let panel = Panel { size: scanout.turn().size(), millimetres };
        // The kernel maps whole pages; the first pixel may be within the first one.
        let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(4096).unsigned_abs();
        let inset = (fix.smem_start & (page as c_ulong - 1)) as usize;
        let map = Map::new(&file, inset, length).map_err(|errno| failed("map", errno))?;
        let pans = fix.xpanstep > 0 || fix.ypanstep > 0;
        Ok(Self { file, map, panel, scanout, pans })
    }

    /// Size in pixels and millimetres, as the one who looks at it sees it.
    pub fn panel(&self) -> Panel {
        self.panel
    }

    /// Whether the driver still answers; after another one took its place it does not.
    pub fn is_alive(&self) -> bool {
        var(&self.file).is_ok()
    }

    /// Copies the rectangles of `frame` that changed. What lies outside the panel is left out.
    pub fn present(&mut self, frame: &Frame, damage: &[Rectangle]) {
        self.scanout.copy(frame, damage, self.map.bytes());
        if self.pans {
            self.pans = self.pan().is_ok();
        }
    }

    /// Shows the visible part where it is: drivers that scan out by command refresh on this.
    fn pan(&self) -> nix::Result<()> {
        let mut var = var(&self.file)?;
        // SAFETY: as `var` does, the kernel reads and writes this structure and no more.
        unsafe { fbiopan_display(self.file.as_raw_fd(), &mut var)? };
        Ok(())
    }
}

fn var(file: &File) -> nix::Result<VarScreeninfo> {
    let mut var: VarScreeninfo = [0; 40];
    // SAFETY: the structure is forty 32-bit numbers on every architecture, as in fb.h.
    unsafe { fbioget_vscreeninfo(file.as_raw_fd(), &mut var)? };
    Ok(var)
}

/// What the driver says of its pixels.
fn describe(var: &VarScreeninfo, fix: &FixScreeninfo) -> Description {
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
fn set_colors(file: &File, choice: &mut Choice) {
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

fn errno(error: &linuxfb::Error) -> Errno {
    let io = error.io.as_ref().and_then(std::io::Error::raw_os_error);
    Errno::from_raw(io.or(error.fb.as_ref().map(|fb| fb.errno)).unwrap_or(0))
}

/// Memory of the device.
struct Map {
    start: NonNull<c_void>,
    length: usize,
    /// Bytes before the first pixel.
    inset: usize,
}

impl Map {
    /// Maps `length` bytes from the first pixel on, which is `inset` bytes into its page.
    fn new(file: &File, inset: usize, length: usize) -> nix::Result<Self> {
        let length = length.checked_add(inset).ok_or(Errno::EINVAL)?;
        let size = NonZeroUsize::new(length).ok_or(Errno::EINVAL)?;
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping replaces nothing; the driver backs `smem_len` bytes, and `length`
        // was checked against it.
        let start = unsafe { mmap(None, size, protection, MapFlags::MAP_SHARED, file, 0) }?;
        // A worker that is started later must not hold on to the device's memory: it would keep the
        // driver from making room for its successor. Where this fails, it lives a little longer.
        // SAFETY: the mapping made above, in its whole length; what is in it is not changed.
        let _ = unsafe { madvise(start, length, MmapAdvise::MADV_DONTFORK) };
        Ok(Self { start, length, inset })
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping lives as long as `self`, which is borrowed. The hardware only reads it.
        let bytes = unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.length) };
        bytes.get_mut(self.inset..).unwrap_or(&mut [])
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: made by `new` in this length, and no slice of it is left.
        let _ = unsafe { munmap(self.start, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_framebuffer_is_told() {
        let missing = Framebuffer::open(Path::new("/nonexistent/fb0")).err().unwrap();
        assert_eq!(missing.exit(), Exit::NoDisplay);
        assert_eq!(missing.to_string(), "open /nonexistent/fb0: No such file or directory (ENOENT)");
        let other = Framebuffer::open(Path::new("/dev/null")).err().unwrap();
        assert_eq!(other.errno(), Some(Errno::ENOTTY));
    }
}
