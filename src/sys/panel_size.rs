//! How large the panel behind a framebuffer is, from what sysfs has of it. What of that is believed,
//! `model/panel/source.rs` decides.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::device_tree::Tree;
use crate::model::panel::Panel;
use crate::model::panel::edid::{BLOCK, Edid};
use crate::model::panel::extent::Extent;
use crate::model::panel::source::{Monitor, Sources};

/// The panel of the framebuffer at `path`, which the driver describes as `panel`: with millimetres
/// that are believed, or with none.
pub fn measured(path: &Path, panel: Panel, tree: &Tree) -> Panel {
    measured_in(Path::new("/sys"), path.file_name().unwrap_or_default(), panel, tree)
}

fn measured_in(sys: &Path, node: &OsStr, panel: Panel, tree: &Tree) -> Panel {
    let name = fs::read_to_string(sys.join("class/graphics").join(node).join("name")).unwrap_or_default();
    let monitors = monitors(&sys.join("class/drm"));
    let mut sources = Sources { name, driver: panel.millimetres.into(), monitors, tree: Vec::new() };
    let extent = sources.extent(panel.size).or_else(|| {
        // Only now: the tree is large.
        sources.tree = tree.panels().iter().filter_map(|node| node.extent).collect();
        sources.extent(panel.size)
    });
    let Extent { width_mm, height_mm } = extent.unwrap_or_default();
    Panel { millimetres: (width_mm, height_mm), ..panel }
}

/// The monitors that tell anything. The EDID of a connector without one is empty.
fn monitors(folder: &Path) -> Vec<Monitor> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let monitor = |entry: fs::DirEntry| {
        let mut block = Vec::with_capacity(BLOCK);
        let file = File::open(entry.path().join("edid")).ok()?;
        file.take(BLOCK as u64).read_to_end(&mut block).ok()?;
        let connector = entry.file_name().to_string_lossy().into_owned();
        Some(Monitor { connector, edid: Edid::parse(&block)? })
    };
    entries.flatten().filter_map(monitor).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use embedded_graphics::prelude::Size;

    use super::*;

    /// A sysfs of a test, gone with it.
    struct Sysfs(PathBuf);

    impl Sysfs {
        fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("fbunlock-panel-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            fs::create_dir_all(&root).unwrap();
            Self(root)
        }

        fn file(self, path: &str, bytes: &[u8]) -> Self {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
            self
        }

        fn tree(self, node: &str, width_mm: u32, height_mm: u32) -> Self {
            let node = format!("firmware/devicetree/base/{node}");
            self.file(&format!("{node}/width-mm"), &width_mm.to_be_bytes())
                .file(&format!("{node}/height-mm"), &height_mm.to_be_bytes())
        }

        fn measured(&self, (width, height): (u32, u32), millimetres: (u32, u32)) -> (u32, u32) {
            let panel = Panel { size: Size::new(width, height), millimetres };
            let tree = Tree::below(&self.0.join("firmware/devicetree/base"));
            measured_in(&self.0, OsStr::new("fb0"), panel, &tree).millimetres
        }
    }

    impl Drop for Sysfs {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A base block without a timing.
    fn edid(maker: [u8; 2], centimetres: (u8, u8)) -> Vec<u8> {
        let mut block = vec![0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, maker[0], maker[1]];
        block.resize(256, 0);
        (block[21], block[22]) = centimetres;
        block[127] = block[..127].iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
        block
    }

    #[test]
    fn without_sysfs_the_driver_is_asked() {
        let sysfs = Sysfs::new("none");
        assert_eq!(sysfs.measured((720, 1440), (65, 130)), (65, 130));
        assert_eq!(sysfs.measured((720, 1440), (0, 0)), (0, 0));
        assert_eq!(sysfs.measured((720, 1440), (u32::MAX, u32::MAX)), (0, 0));
    }

    #[test]
    fn connected_monitors_are_read() {
        let sysfs = Sysfs::new("drm")
            .file("class/graphics/fb0/name", b"EFI VGA\n")
            .file("class/drm/version", b"drm 1.1.0 20060810\n")
            .file("class/drm/card0-HDMI-A-1/edid", b"")
            .file("class/drm/card0-eDP-1/edid", &edid([0x06, 0xaf], (31, 17)));
        assert_eq!(sysfs.measured((1366, 768), (u32::MAX, u32::MAX)), (310, 170));
    }

    #[test]
    fn what_an_emulator_says_counts_for_nothing() {
        // RHT: that of QEMU.
        let sysfs = Sysfs::new("emulator").file("class/drm/card0-Virtual-1/edid", &edid([0x49, 0x14], (32, 20)));
        assert_eq!(sysfs.measured((1280, 800), (320, 200)), (0, 0));
        let sysfs = Sysfs::new("emulated").file("class/graphics/fb0/name", b"virtio_gpudrmfb\n");
        assert_eq!(sysfs.measured((1280, 800), (320, 200)), (0, 0));
    }

    #[test]
    fn the_tree_is_searched_for_panels_that_are_on() {
        let sysfs = Sysfs::new("tree")
            .tree("cpus/panel", 65, 130)
            .tree("soc/dsi@1/panel@0", 90, 180)
            .file("firmware/devicetree/base/soc/dsi@1/panel@0/status", b"disabled\0")
            .tree("soc/dsi@2/panel@0", 68, 136)
            .file("firmware/devicetree/base/soc/dsi@3/panel@0/width-mm", &[0, 0]);
        assert_eq!(sysfs.measured((720, 1440), (0, 0)), (68, 136));
        assert_eq!(sysfs.measured((1440, 720), (0, 0)), (136, 68));
    }
}
