//! What the kernel and the device tree say of how the panel is mounted.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::graphics;
use crate::model::scanout::orientation::{self, Wish};
use crate::model::scanout::turn::Rotation;

const CONSOLE: &str = "/sys/class/graphics/fbcon/rotate";
const TREE: &str = "/sys/firmware/devicetree/base";

/// Folders of the device tree that are looked into: phones have some three thousand, and a tree may
/// not hold the first picture up for ever.
const FOLDERS_MAX: usize = 8192;
/// Panels hang below their bus and its controller, not deeper.
const DEPTH_MAX: usize = 8;
/// Large branches that hold no panel.
const BARREN: [&str; 6] = ["__symbols__", "cpus", "opp-table", "pinctrl", "reserved-memory", "thermal-zones"];

/// How the picture is to be turned on the framebuffer of a name such as `fb0`.
pub fn rotation(wish: Wish, name: &OsStr) -> Rotation {
    let console = fs::read_to_string(CONSOLE).ok().and_then(|text| orientation::console(&text));
    orientation::decide(wish, console, graphics::is_drm(name), || panel(Path::new(TREE)))
}

/// The rotation of the first panel in the tree that has one and is not switched off.
fn panel(tree: &Path) -> Option<Rotation> {
    let mut folders = vec![(tree.to_owned(), 0)];
    for _ in 0..FOLDERS_MAX {
        let (folder, depth) = folders.pop()?;
        let mut below: Vec<PathBuf> = children(&folder);
        if let Some(rotation) = below.iter().filter(|path| is_panel(path)).find_map(|path| rotation_of(path)) {
            return Some(rotation);
        }
        // Popped from the end: the first one comes next, so that the order is that of the names.
        below.sort_unstable_by(|a, b| b.cmp(a));
        if depth < DEPTH_MAX {
            folders.extend(below.into_iter().map(|path| (path, depth + 1)));
        }
    }
    None
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let fertile = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        !BARREN.iter().any(|barren| name.starts_with(barren.as_bytes()))
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    entries.flatten().filter(fertile).map(|entry| entry.path()).collect()
}

fn is_panel(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"panel"))
}

fn rotation_of(node: &Path) -> Option<Rotation> {
    // A property is a string with its NUL; without one the device is there.
    let status = fs::read(node.join("status")).unwrap_or_default();
    if !status.is_empty() && !status.starts_with(b"ok") {
        return None;
    }
    orientation::panel(&fs::read(node.join("rotation")).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(name: &str, nodes: &[(&str, Option<u32>, &[u8])]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("fbunlock-tree-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for (node, degrees, status) in nodes {
            let folder = root.join(node);
            fs::create_dir_all(&folder).unwrap();
            if let Some(degrees) = degrees {
                fs::write(folder.join("rotation"), degrees.to_be_bytes()).unwrap();
            }
            if !status.is_empty() {
                fs::write(folder.join("status"), status).unwrap();
            }
        }
        root
    }

    #[test]
    fn the_panel_of_a_phones_tree_is_found() {
        let root = tree(
            "phone",
            &[
                ("cpus/panel@0", Some(180), b""),
                ("soc/camera@1", Some(270), b""),
                ("soc/mdss@1a00000/dsi@1a98000/panel@0", Some(90), b"okay\0"),
                ("soc/mdss@1a00000/dsi@1a98000/ports", None, b""),
            ],
        );
        assert_eq!(panel(&root), Some(Rotation::Clockwise));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn panels_that_are_off_or_tell_nothing_do_not_count() {
        let root = tree(
            "off",
            &[
                ("a/panel-lvds", Some(90), b"disabled\0"),
                ("b/panel@0", None, b""),
                ("c/panel", Some(45), b""),
                ("d/panel", Some(180), b"ok\0"),
            ],
        );
        assert_eq!(panel(&root), Some(Rotation::UpsideDown));
        assert_eq!(panel(&root.join("a")), None);
        assert_eq!(panel(&root.join("nothing")), None);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_tree_that_is_too_deep_is_left() {
        let root = tree("deep", &[("1/2/3/4/5/6/7/8/9/10/panel", Some(90), b"")]);
        assert_eq!(panel(&root), None);
        fs::remove_dir_all(root).unwrap();
    }
}
