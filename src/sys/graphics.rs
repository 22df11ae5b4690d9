//! Framebuffers as `/dev` and sysfs list them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::model::scanout::refresh::missing_mode;
use crate::model::scanout::selection::{self, Candidate, Selection};

const DEVICES: &str = "/dev";
const CLASS: &str = "/sys/class/graphics";
/// Cards, and their connectors.
const CARDS: &str = "/sys/class/drm";

/// Whether a DRM driver is behind the framebuffer of a name such as `fb0`.
pub fn is_drm(name: &OsStr) -> bool {
    Path::new(CLASS).join(name).join("device/drm").is_dir()
}

/// The framebuffers that may be drawn on, the best one first.
pub fn devices(selection: &Selection) -> Vec<PathBuf> {
    if let Selection::Path(path) = selection {
        return if path.exists() { vec![path.clone()] } else { Vec::new() };
    }
    let paths: Vec<PathBuf> = nodes().filter(|path| selection::number(path).is_some()).collect();
    // What is not to be compared need not be asked.
    if paths.len() < 2 {
        return paths;
    }
    let candidate = |path: PathBuf| Candidate { connectors: connectors(&path), path };
    let mut candidates: Vec<Candidate> = paths.into_iter().map(candidate).collect();
    selection::sort(&mut candidates);
    candidates.into_iter().map(|candidate| candidate.path).collect()
}

/// What may be a framebuffer. /dev has hundreds of nodes, and to read through it takes longer than all
/// else that is asked before the first picture, so sysfs is asked what there is, where there is one.
fn nodes() -> impl Iterator<Item = PathBuf> {
    let class = fs::read_dir(CLASS).ok();
    let all = if class.is_none() { fs::read_dir(DEVICES).ok() } else { None };
    let named = class.into_iter().flatten().flatten().map(|entry| Path::new(DEVICES).join(entry.file_name()));
    // A node may be made a moment later; whoever watches /dev hears of it.
    named.filter(|path| path.exists()).chain(all.into_iter().flatten().flatten().map(|entry| entry.path()))
}

/// Names and states of the connectors of the card behind a framebuffer.
fn connectors(path: &Path) -> Vec<(String, String)> {
    let Some(name) = path.file_name() else { return Vec::new() };
    let cards = children(&Path::new(CLASS).join(name).join("device/drm"));
    let states = cards.flat_map(|card| children(&card)).filter_map(|connector| {
        let name = connector.file_name()?.to_string_lossy().into_owned();
        Some((name, fs::read_to_string(connector.join("status")).ok()?))
    });
    states.collect()
}

/// The connectors of all cards that have something on them.
pub fn connected() -> Vec<PathBuf> {
    let is_connected =
        |path: &PathBuf| fs::read_to_string(path.join("status")).is_ok_and(|state| state.trim() == "connected");
    children(Path::new(CARDS)).filter(is_connected).collect()
}

/// Gives a framebuffer that came up without any mode the first one that its driver knows. DRM
/// drivers have one and do not tell it here.
pub fn fill_mode(path: &Path) {
    let Some(name) = path.file_name().filter(|name| !is_drm(name)) else { return };
    let folder = Path::new(CLASS).join(name);
    let read = |file: &str| fs::read_to_string(folder.join(file));
    if let (Ok(mode), Ok(modes)) = (read("mode"), read("modes"))
        && let Some(first) = missing_mode(&mode, &modes)
    {
        // A driver that refuses shows nothing, and nothing more can be done for it.
        let _ = fs::write(folder.join("mode"), first);
    }
}

fn children(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
