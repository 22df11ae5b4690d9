//! What the kernel and the device tree say of how the panel is mounted.

use std::ffi::OsStr;
use std::fs;

use super::device_tree::Tree;
use super::graphics;
use crate::model::scanout::orientation::{self, Wish};
use crate::model::scanout::turn::Rotation;

const CONSOLE: &str = "/sys/class/graphics/fbcon/rotate";

/// How the picture is to be turned on the framebuffer of a name such as `fb0`.
pub fn rotation(wish: Wish, name: &OsStr, tree: &Tree) -> Rotation {
    let console = fs::read_to_string(CONSOLE).ok().and_then(|text| orientation::console(&text));
    let panel = || tree.panels().iter().find_map(|node| node.rotation);
    orientation::decide(wish, console, graphics::is_drm(name), panel)
}
