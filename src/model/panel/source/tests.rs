//! What real devices claim, and what is made of it.

use super::super::Panel;
use super::super::extent::INCH_MM;
use super::*;

const NOTHING: Extent = Extent { width_mm: 0, height_mm: 0 };
const MINUS_ONE: Extent = Extent { width_mm: u32::MAX, height_mm: u32::MAX };

fn monitor(connector: &str, maker: &[u8; 3], size: (u32, u32), millimetres: (u32, u32)) -> Monitor {
    let round = |side: u32| (side + 5) / 10 * 10;
    let rounded = Extent::from((round(millimetres.0), round(millimetres.1)));
    let size = Size::new(size.0, size.1);
    Monitor { connector: connector.into(), edid: Edid { maker: *maker, size, rounded, exact: millimetres.into() } }
}

fn sources(name: &str, driver: Extent) -> Sources {
    Sources { name: name.into(), driver, ..Sources::default() }
}

/// Dots an inch that a panel of `size` gets.
fn dpi(sources: &Sources, (width, height): (u32, u32)) -> u32 {
    let size = Size::new(width, height);
    let extent = sources.extent(size).unwrap_or_default();
    let panel = Panel { size, millimetres: (extent.width_mm, extent.height_mm) };
    (panel.px_per_mm() * INCH_MM).round() as u32
}

#[test]
fn drivers_that_know_are_believed() {
    for (name, size, driver, expected) in [
        ("mxsfb-drmdrmfb", (720, 1440), (65, 130), 281),
        ("sun4i-drmdrmfb", (720, 1440), (68, 136), 269),
        ("msmdrmfb", (1080, 2400), (68, 151), 404),
        ("amdgpudrmfb", (800, 1280), (95, 151), 215),
        ("mediatekdrmfb", (1200, 1920), (135, 216), 226),
        ("i915drmfb", (1920, 1080), (530, 300), 92),
        ("i915drmfb", (2560, 1440), (600, 340), 108),
        ("i915drmfb", (3840, 2160), (600, 340), 162),
        ("vc4drmfb", (800, 480), (154, 86), 137),
    ] {
        let sources = sources(name, driver.into());
        assert_eq!(dpi(&sources, size), expected, "{name}");
        // The same device, its picture turned.
        assert_eq!(dpi(&sources, (size.1, size.0)), expected, "{name} sideways");
    }
}

#[test]
fn without_a_driver_that_knows_the_monitor_is_asked() {
    let panel = monitor("card0-eDP-1", b"AUO", (1366, 768), (309, 173));
    for (name, driver) in [("EFI VGA", MINUS_ONE), ("VESA VGA", MINUS_ONE), ("i915drmfb", NOTHING)] {
        let sources = Sources { monitors: vec![panel.clone()], ..sources(name, driver) };
        assert_eq!(dpi(&sources, (1366, 768)), 113, "{name}");
    }
    // Two are connected: the one of as many pixels shows the picture, or else the one that is built in.
    let large = monitor("card0-DP-1", b"DEL", (3840, 2160), (597, 336));
    let both = Sources { monitors: vec![large, panel], ..sources("EFI VGA", MINUS_ONE) };
    assert_eq!(dpi(&both, (3840, 2160)), 163);
    assert_eq!(dpi(&both, (1366, 768)), 113);
    assert_eq!(both.extent(Size::new(1280, 720)), Some((309, 173).into()));
}

#[test]
fn the_device_tree_is_asked_last() {
    let tree = vec![NOTHING, (68, 136).into()];
    let sources = Sources { tree, ..sources("simple", NOTHING) };
    assert_eq!(dpi(&sources, (720, 1440)), 269);
    assert_eq!(dpi(&sources, (1440, 720)), 269);
    let told = Sources { driver: (65, 130).into(), ..sources };
    assert_eq!(dpi(&told, (720, 1440)), 281);
}

#[test]
fn what_emulators_invent_is_guessed_instead() {
    let bare = |size| dpi(&Sources::default(), size);
    for (name, size, driver) in [
        ("bochs-drmdrmfb", (1280, 800), (320, 200)),
        ("virtio_gpudrmfb", (720, 1440), (180, 360)),
        ("virtio_gpudrmfb", (1366, 768), (350, 200)),
        ("qxldrmfb", (1024, 768), (0, 0)),
        ("vmwgfxdrmfb", (1280, 800), (340, 210)),
    ] {
        assert_eq!(dpi(&sources(name, driver.into()), size), bare(size), "{name}");
    }
    // An unknown driver's name, a monitor that gives it away.
    let invented = monitor("card0-Virtual-1", b"RHT", (720, 1440), (180, 360));
    let sources = Sources { monitors: vec![invented], ..sources("newdrmfb", (180, 360).into()) };
    assert_eq!(dpi(&sources, (720, 1440)), bare((720, 1440)));
}

#[test]
fn nonsense_is_guessed_instead() {
    let bare = dpi(&Sources::default(), (1920, 1080));
    for driver in [(0, 0), (u32::MAX, u32::MAX), (160, 90), (1600, 900), (16, 9), (300, 300), (20_000, 11_000)] {
        assert_eq!(dpi(&sources("i915drmfb", driver.into()), (1920, 1080)), bare, "{driver:?}");
    }
}
