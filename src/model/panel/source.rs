//! Everybody who says how large a panel is, and who of them is believed.

use embedded_graphics::prelude::Size;

use super::edid::Edid;
use super::extent::Extent;

/// Drivers of displays that do not exist, by the start of their framebuffer's name.
const EMULATED: [&str; 9] = ["bochs", "cirrus", "hyperv", "qxl", "vbox", "virtio", "vkms", "vmwgfx", "Virtual FB"];
/// Connectors of panels that are built in, as DRM names them (drivers/gpu/drm/drm_connector.c).
const BUILT_IN: [&str; 4] = ["-DPI-", "-DSI-", "-LVDS-", "-eDP-"];

/// A connected monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// Its connector, such as `card0-eDP-1`.
    pub connector: String,
    /// What it says.
    pub edid: Edid,
}

/// All that is claimed of the size of what a framebuffer shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The framebuffer's name, which is its driver's (`fb_fix_screeninfo.id`).
    pub name: String,
    /// What the driver says.
    pub driver: Extent,
    /// The connected monitors.
    pub monitors: Vec<Monitor>,
    /// What the panels of the device tree say (`width-mm`, `height-mm`).
    pub tree: Vec<Extent>,
}

impl Sources {
    /// The size of a panel that shows `size` pixels, the same way round; none when nobody is
    /// believed. The driver comes first: it knows which of several panels it shows.
    pub fn extent(&self, size: Size) -> Option<Extent> {
        // Where a monitor is invented, so is what the driver takes from it.
        let is_invented = EMULATED.iter().any(|name| self.name.starts_with(name))
            || self.monitors.iter().any(|monitor| monitor.edid.is_invented());
        let driver = if is_invented { None } else { self.driver.upright(size) };
        driver.or_else(|| self.monitor(size)).or_else(|| self.tree.iter().find_map(|extent| extent.upright(size)))
    }

    /// What the likeliest of the monitors says.
    fn monitor(&self, size: Size) -> Option<Extent> {
        let likeness = |monitor: &Monitor| {
            let native = monitor.edid.size;
            let is_native = native == size || Size::new(native.height, native.width) == size;
            let is_built_in = BUILT_IN.iter().any(|kind| monitor.connector.contains(kind));
            2 * u32::from(is_native) + u32::from(is_built_in)
        };
        let real = self.monitors.iter().filter(|monitor| !monitor.edid.is_invented());
        let told = real.filter_map(|monitor| Some((monitor, monitor.edid.extent(size)?)));
        // The order of names among equals.
        let first = told.min_by(|(a, _), (b, _)| (likeness(b), &a.connector).cmp(&(likeness(a), &b.connector)));
        first.map(|(_, extent)| extent)
    }
}

#[cfg(test)]
mod tests;
