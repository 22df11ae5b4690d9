//! The framebuffer device.
//!
//! `linuxfb` blanks, unblanks and tells the millimetres. Of the pixels' layout it tells only a part,
//! and it neither knows the stride, nor pans, nor sets colours: that is done here on a descriptor of
//! our own.
//!
//! Pixels are written by pwrite(2) and not through a mapping. Under a DRM driver the first write to
//! each mapped page is a fault, of which a picture has a thousand, and the driver looks at mapped pages
//! only after 50 ms (`fb_deferred_io`), but at once at what is written by calls. Nothing is left to
//! fault on when the driver goes away, and Linux 6.12 hangs when virtio-gpu goes away while its
//! framebuffer is mapped. Drivers that take no calls are mapped.

mod kernel;
mod map;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use embedded_graphics::prelude::{OriginDimensions, Point};
use embedded_graphics::primitives::Rectangle;
use nix::errno::Errno;
use nix::libc::c_ulong;
use nix::unistd::{SysconfVar, sysconf};

use super::device_tree::Tree;
use super::{graphics, orientation, panel_size};
use crate::error::{Error, Exit, Result};
use crate::model::frame::Frame;
use crate::model::prompt::plan::Panel;
use crate::model::scanout::demand::Demand;
use crate::model::scanout::refresh::{Refresh, Way};
use crate::model::scanout::turn::Turn;
use crate::model::scanout::{Piece, Scanout};
use map::Map;

/// An open framebuffer.
pub struct Framebuffer {
    path: PathBuf,
    file: File,
    device: linuxfb::Framebuffer,
    panel: Panel,
    scanout: Scanout,
    refresh: Refresh,
    /// Bytes from the first pixel to the end of the last row, and before it in its page.
    length: usize,
    inset: usize,
    /// Where pixels are put together before they are written.
    buffer: Vec<u8>,
    /// For drivers that take no calls.
    map: Option<Map>,
    /// Whether the driver was missed when something was written.
    is_gone: bool,
}

impl Framebuffer {
    /// Opens and unblanks the device at `path`, turned and refreshed as `demand` says.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when there is no such device or its pixels cannot be written.
    pub fn open(path: &Path, demand: &Demand) -> Result<Self> {
        let failed = |verb: &str, errno| Error::os(Exit::NoDisplay, format!("{verb} {}", path.display()), errno);
        let device = linuxfb::Framebuffer::new(path).map_err(|error| failed("open", errno(&error)))?;
        // Not every driver can be blanked; a screen that stays dark cannot be helped from here.
        let _ = device.blank(linuxfb::BlankingLevel::Unblank);
        graphics::fill_mode(path);

        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| Error::io(Exit::NoDisplay, format!("open {}", path.display()), &error))?;
        let fix = kernel::fix(&file).map_err(|errno| failed("ask", errno))?;
        let var = kernel::var(&file).map_err(|errno| failed("ask", errno))?;
        let tree = Tree::default();
        let rotation = orientation::rotation(demand.rotate, path.file_name().unwrap_or_default(), &tree);
        let mut choice = kernel::describe(&var, &fix).choose(rotation)?;
        let length = choice.scanout.check(fix.smem_len as usize)?;
        kernel::set_colors(&file, &mut choice);
        let scanout = choice.scanout;
        let built = Panel { size: scanout.size, millimetres: device.get_physical_size() };
        let (width_mm, height_mm) = panel_size::measured(path, built, &tree).millimetres;
        let is_sideways = scanout.rotation.is_sideways();
        let millimetres = if is_sideways { (height_mm, width_mm) } else { (width_mm, height_mm) };
        let panel = Panel { size: scanout.turn().size(), millimetres };
        // The kernel maps whole pages; the first pixel may be within the first one.
        let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(4096).unsigned_abs();
        let inset = (fix.smem_start & (page as c_ulong - 1)) as usize;
        let refresh = Refresh::new(demand.refresh, &fix.id, fix.xpanstep > 0 || fix.ypanstep > 0);
        let (buffer, map, is_gone) = (Vec::new(), None, false);
        Ok(Self { path: path.into(), file, device, panel, scanout, refresh, length, inset, buffer, map, is_gone })
    }

    /// The device's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size in pixels and millimetres, as the one who looks at it sees it.
    pub fn panel(&self) -> Panel {
        self.panel
    }

    /// How many shades of grey it shows; `None` for colours.
    pub fn greys(&self) -> Option<u32> {
        self.scanout.format.greys()
    }

    /// Between places of the frame and places of the panel.
    pub fn turn(&self) -> Turn {
        self.scanout.turn()
    }

    /// Whether the driver still answers; after another one took its place it does not.
    pub fn is_alive(&self) -> bool {
        !self.is_gone && kernel::var(&self.file).is_ok()
    }

    /// Whether it did not when the last picture was written.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Copies the rectangles of `frame` that changed. What lies outside the panel is left out. Gives
    /// what the user must be told, which happens once.
    pub fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Option<Error> {
        if !self.copy(frame, damage) {
            return None;
        }
        let result = match self.refresh.way() {
            Way::Still => return None,
            Way::Pan => kernel::pan(&self.file),
            Way::Force => kernel::force(&self.file),
        };
        self.refresh.outcome(result).then(|| {
            let action = format!("show the picture on {}", self.path.display());
            let hint = "another program holds the display, a boot splash perhaps: the picture appears when it ends";
            Error::os(Exit::NoDisplay, action, Errno::EBUSY).hint(hint)
        })
    }

    /// Does of [`Framebuffer::present`] what may already be enough to be seen. False when the driver
    /// takes nothing now.
    pub fn copy(&mut self, frame: &Frame, damage: &[Rectangle]) -> bool {
        let whole = [Rectangle::new(Point::zero(), frame.size())];
        let mut damage = damage;
        if self.map.is_none()
            && let Err(errno) = self.write(frame, damage)
        {
            self.is_gone |= errno == Errno::ENODEV;
            if is_passing(errno) {
                return false;
            }
            self.map = Map::new(&self.file, self.inset, self.length).ok();
            damage = &whole;
        }
        if let Some(map) = &mut self.map {
            self.scanout.copy(frame, damage, map.bytes());
        }
        true
    }

    fn write(&mut self, frame: &Frame, damage: &[Rectangle]) -> nix::Result<()> {
        let file = &self.file;
        self.scanout.write(frame, damage, &mut self.buffer, |at, piece| {
            let written = match piece {
                Piece::Bytes(bytes) => file.write_all_at(bytes, at as u64),
                Piece::Pixels(pixels) => write_pixels(file, pixels, at as u64),
            };
            written.map_err(|error| error.raw_os_error().map_or(Errno::EIO, Errno::from_raw))
        })
    }

    /// Switches the panel off, or on again. Not every driver can.
    pub fn blank(&self, is_dark: bool) {
        use linuxfb::BlankingLevel::{Powerdown, Unblank};
        let _ = self.device.blank(if is_dark { Powerdown } else { Unblank });
    }
}

/// Writes pixels as little-endian words.
fn write_pixels(file: &File, pixels: &[u32], at: u64) -> std::io::Result<()> {
    const _: () = assert!(cfg!(target_endian = "little"), "the words of a frame are not what a framebuffer reads");
    // SAFETY: the same memory, whose every byte is initialised and may be read as one; it is borrowed
    // for as long as the slice lives.
    let bytes = unsafe { core::slice::from_raw_parts(pixels.as_ptr().cast::<u8>(), size_of_val(pixels)) };
    file.write_all_at(bytes, at)
}

/// Whether the driver would have taken it at another time: it is gone, or asleep (`fb_write` in
/// drivers/video/fbdev/core/fb_chrdev.c).
fn is_passing(errno: Errno) -> bool {
    matches!(errno, Errno::ENODEV | Errno::EPERM | Errno::EINTR | Errno::ENOMEM)
}

fn errno(error: &linuxfb::Error) -> Errno {
    let io = error.io.as_ref().and_then(std::io::Error::raw_os_error);
    Errno::from_raw(io.or(error.fb.as_ref().map(|fb| fb.errno)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_framebuffer_is_told() {
        let open = |path| Framebuffer::open(Path::new(path), &Demand::default()).err().unwrap();
        let missing = open("/nonexistent/fb0");
        assert_eq!(missing.exit(), Exit::NoDisplay);
        assert_eq!(missing.to_string(), "open /nonexistent/fb0: No such file or directory (ENOENT)");
        assert_eq!(open("/dev/null").errno(), Some(Errno::ENOTTY));
    }
}
