//! The panels that the device tree knows (Documentation/devicetree/bindings/display/panel).

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use crate::model::panel::extent::Extent;
use crate::model::scanout::orientation;
use crate::model::scanout::turn::Rotation;

/// Where the kernel shows it.
const BASE: &str = "/sys/firmware/devicetree/base";

/// Folders that are looked into: phones have some three thousand, and a tree may not hold the first
/// picture up for ever.
const FOLDERS_MAX: usize = 8192;
/// Panels hang below their bus and its controller, not deeper.
const DEPTH_MAX: usize = 8;
/// Large branches that hold no panel.
const BARREN: [&[u8]; 6] = [b"__symbols__", b"cpus", b"opp-table", b"pinctrl", b"reserved-memory", b"thermal-zones"];

/// What a panel's node tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// `width-mm` and `height-mm`.
    pub extent: Option<Extent>,
    /// `rotation`.
    pub rotation: Option<Rotation>,
}

/// The tree, which is walked when somebody asks, and once.
pub struct Tree {
    base: PathBuf,
    panels: OnceCell<Vec<Node>>,
}

impl Default for Tree {
    /// That of this machine.
    fn default() -> Self {
        Self::below(Path::new(BASE))
    }
}

impl Tree {
    /// The one below a folder.
    pub fn below(base: &Path) -> Self {
        Self { base: base.into(), panels: OnceCell::new() }
    }

    /// The panels that are not switched off, in the order of their paths.
    pub fn panels(&self) -> &[Node] {
        self.panels.get_or_init(|| panels(&self.base))
    }
}

/// The panels below `base` that are not switched off, in the order of their paths.
fn panels(base: &Path) -> Vec<Node> {
    let mut found: Vec<(PathBuf, Node)> = Vec::new();
    let mut folders = vec![(base.to_owned(), 0)];
    for _ in 0..FOLDERS_MAX {
        let Some((folder, depth)) = folders.pop() else { break };
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut is_panel = folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"panel"));
        for entry in entries.flatten() {
            let name = entry.file_name();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let barren = BARREN.iter().any(|barren| name.as_encoded_bytes().starts_with(barren));
                folders.extend((!barren && depth < DEPTH_MAX).then(|| (entry.path(), depth + 1)));
            } else {
                is_panel |= name == "width-mm";
            }
        }
        if is_panel && is_on(&folder) {
            let node = read(&folder);
            found.push((folder, node));
        }
    }
    // Whatever the kernel's order is.
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    found.into_iter().map(|(_, node)| node).collect()
}

/// A property is a string with its NUL; without one the device is there.
fn is_on(node: &Path) -> bool {
    let status = fs::read(node.join("status")).unwrap_or_default();
    status.is_empty() || status.starts_with(b"ok")
}

fn read(node: &Path) -> Node {
    let number = |name: &str| fs::read(node.join(name)).ok()?.try_into().ok().map(u32::from_be_bytes);
    let extent = number("width-mm").zip(number("height-mm"));
    Node {
        extent: extent.map(|(width_mm, height_mm)| Extent { width_mm, height_mm }),
        rotation: fs::read(node.join("rotation")).ok().and_then(|property| orientation::panel(&property)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of a test, gone with it.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, properties: &[(&str, &[u8])]) -> Self {
            let root = std::env::temp_dir().join(format!("fbunlock-tree-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            fs::create_dir_all(&root).unwrap();
            for (path, bytes) in properties {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            Self(root)
        }

        fn rotations(&self) -> Vec<Rotation> {
            panels(&self.0).iter().filter_map(|node| node.rotation).collect()
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_panel_of_a_phone_is_found() {
        let panel = "soc/mdss@1a00000/dsi@1a98000/panel@0";
        let of = |property: &str| format!("{panel}/{property}");
        let tree = Tree::new(
            "phone",
            &[
                ("cpus/panel@0/rotation", &180_u32.to_be_bytes()),
                ("soc/camera@1/rotation", &270_u32.to_be_bytes()),
                (&of("status"), b"okay\0"),
                (&of("rotation"), &90_u32.to_be_bytes()),
                (&of("width-mm"), &65_u32.to_be_bytes()),
                (&of("height-mm"), &130_u32.to_be_bytes()),
                ("soc/mdss@1a00000/dsi@1a98000/ports/reg", &[0; 4]),
            ],
        );
        let extent = Some(Extent { width_mm: 65, height_mm: 130 });
        assert_eq!(panels(&tree.0), [Node { extent, rotation: Some(Rotation::Clockwise) }]);
    }

    #[test]
    fn panels_that_are_off_or_tell_nothing_do_not_count() {
        let tree = Tree::new(
            "off",
            &[
                ("a/panel-lvds/rotation", &90_u32.to_be_bytes()),
                ("a/panel-lvds/status", b"disabled\0"),
                ("b/panel@0/compatible", b"some\0"),
                ("c/panel/rotation", &45_u32.to_be_bytes()),
                ("d/panel/rotation", &180_u32.to_be_bytes()),
                ("d/panel/status", b"ok\0"),
                ("e/panel/rotation", b"short"),
            ],
        );
        assert_eq!(tree.rotations(), [Rotation::UpsideDown]);
        assert_eq!(panels(&tree.0.join("a")), []);
        assert_eq!(panels(&tree.0.join("nothing")), []);
    }

    #[test]
    fn a_tree_that_is_too_deep_is_left() {
        let tree = Tree::new("deep", &[("1/2/3/4/5/6/7/8/9/10/panel/rotation", &90_u32.to_be_bytes())]);
        assert_eq!(tree.rotations(), []);
    }
}
