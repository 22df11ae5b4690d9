//! The framebuffer device.
//!
//! `linuxfb` reads size, pixel layout, offset and millimetres, and unblanks. It neither tells the
//! stride nor maps by it, nor pans, so those three are done here on a descriptor of our own.

use core::ffi::c_void;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::Path;

use embedded_graphics::prelude::Size;
use embedded_graphics::primitives::Rectangle;
use nix::errno::Errno;
use nix::libc::c_ulong;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap, munmap};
use nix::unistd::{SysconfVar, sysconf};

use super::panel_size;
use crate::error::{Error, Exit, Result};
use crate::model::frame::Frame;
use crate::model::pixel::{Field, Format};
use crate::model::prompt::plan::Panel;
use crate::model::scanout::Scanout;

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

/// `struct fb_var_screeninfo`: forty 32-bit numbers, which are only handed back to the kernel.
type VarScreeninfo = [u32; 40];

const _: () = assert!(size_of::<VarScreeninfo>() == 160);

/// FB_TYPE_PACKED_PIXELS.
const PACKED_PIXELS: u32 = 0;

nix::ioctl_read_bad! {
    #[doc = "FBIOGET_VSCREENINFO."]
    fbioget_vscreeninfo, 0x4600, VarScreeninfo
}
nix::ioctl_read_bad! {
    #[doc = "FBIOGET_FSCREENINFO."]
    fbioget_fscreeninfo, 0x4602, FixScreeninfo
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
        if fix.kind != PACKED_PIXELS {
            let cause = format!("its pixels are not packed (type {})", fix.kind);
            return Err(Error::new(Exit::NoDisplay, format!("use {}", path.display()), cause));
        }

        let (width, height) = device.get_size();
        let panel = Panel { size: Size::new(width, height), millimetres: device.get_physical_size() };
        let panel = panel_size::measured(path, panel);
        let (x, y) = device.get_offset();
        let scanout =
            Scanout { format: format(&device)?, stride: fix.line_length as usize, offset: (x as usize, y as usize) };
        let length = scanout.check(panel.size, fix.smem_len as usize)?;
        // The kernel maps whole pages; the first pixel may be within the first one.
        let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(4096).unsigned_abs();
        let inset = (fix.smem_start & (page as c_ulong - 1)) as usize;
        let map = Map::new(&file, inset, length).map_err(|errno| failed("map", errno))?;
        let pans = fix.xpanstep > 0 || fix.ypanstep > 0;
        Ok(Self { file, map, panel, scanout, pans })
    }

    /// Size in pixels and millimetres.
    pub fn panel(&self) -> Panel {
        self.panel
    }

    /// Whether the driver still answers; after another one took its place it does not.
    pub fn is_alive(&self) -> bool {
        self.var().is_ok()
    }

    fn var(&self) -> nix::Result<VarScreeninfo> {
        let mut var: VarScreeninfo = [0; 40];
        // SAFETY: the structure is forty 32-bit numbers on every architecture, as in fb.h.
        unsafe { fbioget_vscreeninfo(self.file.as_raw_fd(), &mut var)? };
        Ok(var)
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
        let mut var = self.var()?;
        // SAFETY: as `var` does, the kernel reads and writes this structure and no more.
        unsafe { fbiopan_display(self.file.as_raw_fd(), &mut var)? };
        Ok(())
    }
}

fn format(device: &linuxfb::Framebuffer) -> Result<Format> {
    let layout = device.get_pixel_layout();
    let field = |channel: linuxfb::PixelLayoutChannel| Field { offset: channel.offset, length: channel.length };
    let bits = device.get_bytes_per_pixel() * 8;
    Format::new(bits, field(layout.red), field(layout.green), field(layout.blue), field(layout.alpha))
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
