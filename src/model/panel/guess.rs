//! How dense a panel of which nothing but the pixels is known probably is.

use embedded_graphics::prelude::Size;

use super::extent::INCH_MM;

/// Long and short side from which on a portrait panel is a phone's and not a tablet's.
const PHONE_RATIO: f32 = 1.75;
/// Beyond it, it is the panel of an instrument.
const BAR_RATIO: f32 = 2.6;
/// Inches of a monitor that stands on a desk, from top to bottom.
const MONITOR_INCHES: f32 = 13.2;

/// Pixels a millimetre.
pub fn px_per_mm(size: Size) -> f32 {
    dpi(size) / INCH_MM
}

fn dpi(size: Size) -> f32 {
    let (long, short) = (size.width.max(size.height) as f32, size.width.min(size.height).max(1) as f32);
    let ratio = long / short;
    match () {
        // Watches and modules of one to three inches.
        () if long <= 400.0 => 180.0,
        () if ratio > BAR_RATIO && short < 1000.0 => 200.0,
        () if size.height > size.width && ratio >= PHONE_RATIO => {
            (diagonal(long, short) / phone_inches(short)).min(600.0)
        }
        () if size.height > size.width => 215.0,
        // Old monitors, and what virtual machines begin with.
        () if ratio < 1.4 && (800.0..=1600.0).contains(&long) => 100.0,
        // Modules of three to ten inches.
        () if long <= 1024.0 => 150.0,
        () if long <= 1366.0 => 118.0,
        // Laptops and tablets are less wide than the monitors of so many pixels.
        () if ratio < 1.7 && long >= 2160.0 => 210.0,
        () => (short / MONITOR_INCHES).clamp(110.0, 220.0),
    }
}

/// Not `hypot`: C libraries round it each in their own way, and screens are compared pixel by pixel.
fn diagonal(long: f32, short: f32) -> f32 {
    (long * long + short * short).sqrt()
}

/// Inches across a phone: those of fewer pixels are older and smaller.
fn phone_inches(short_px: f32) -> f32 {
    if short_px < 720.0 {
        return (4.0 + (short_px - 480.0) / 150.0).max(2.5);
    }
    (5.6 + (short_px - 720.0) / 450.0).min(6.4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels and inches across of devices that exist.
    const DEVICES: [(&str, (u32, u32), f32); 33] = [
        ("phone 720x1440", (720, 1440), 5.7),
        ("phone 1080x2400", (1080, 2400), 6.5),
        ("PinePhone", (720, 1440), 5.95),
        ("Librem 5", (720, 1440), 5.7),
        ("OnePlus 6", (1080, 2280), 6.3),
        ("Nexus 5", (1080, 1920), 4.95),
        ("Moto G4 Play", (720, 1280), 5.0),
        ("Galaxy S8", (1440, 2960), 5.8),
        ("old phone 480x800", (480, 800), 4.0),
        ("Nokia N900", (800, 480), 3.5),
        ("Steam Deck", (800, 1280), 7.0),
        ("GPD Win 2", (720, 1280), 6.0),
        ("GPD Win Max", (800, 1280), 8.0),
        ("GPD Pocket", (1200, 1920), 7.0),
        ("Lenovo Duet", (1200, 1920), 10.1),
        ("PineNote", (1404, 1872), 10.3),
        ("Nexus 7", (800, 1280), 7.0),
        ("Raspberry Pi 7\"", (800, 480), 7.0),
        ("module 1024x600", (1024, 600), 7.0),
        ("module 480x320", (480, 320), 3.5),
        ("module 320x240", (320, 240), 2.4),
        ("module 240x240", (240, 240), 1.3),
        ("laptop 1366x768", (1366, 768), 14.0),
        ("laptop 1920x1080", (1920, 1080), 15.6),
        ("laptop 1920x1200", (1920, 1200), 14.0),
        ("13\" 2560x1600", (2560, 1600), 13.3),
        ("Framework 13", (2256, 1504), 13.5),
        ("Surface Book", (3000, 2000), 13.5),
        ("24\" 1920x1080", (1920, 1080), 24.0),
        ("27\" 2560x1440", (2560, 1440), 27.0),
        ("27\" 3840x2160", (3840, 2160), 27.0),
        ("34\" 3440x1440", (3440, 1440), 34.0),
        ("15\" 1024x768", (1024, 768), 15.0),
    ];

    #[test]
    fn near_what_devices_are() {
        for (name, (width, height), inches) in DEVICES {
            let real = (width as f32).hypot(height as f32) / inches;
            let off = dpi(Size::new(width, height)) / real;
            assert!((0.56..=1.45).contains(&off), "{name}: {} for {real}", off * real);
        }
    }

    #[test]
    fn within_what_panels_are() {
        for width in (1..=8192).step_by(97) {
            for height in (1..=8192).step_by(101) {
                let dpi = dpi(Size::new(width, height));
                assert!((100.0..=700.0).contains(&dpi), "{width}x{height}: {dpi}");
            }
        }
    }
}
