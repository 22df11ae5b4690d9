//! Millimetres on a panel, and how far from it one sits.

use embedded_graphics::prelude::Size;

use crate::model::panel::Panel;

/// The shorter side of a phone. It is held in the hand; larger panels stand farther away.
const HELD_MM: f32 = 75.0;
/// For so many more millimetres, text is twice as large.
const TWICE_MM: f32 = 190.0;
/// Nobody sits farther away than this many times a phone's distance.
const TIMES_MAX: f32 = 4.5;
/// Of what eyes need at a distance, this part is what hands get: fingers do not grow.
const HAND_PART: f32 = 0.5;

/// Measures pixels for hands and eyes.
pub(super) struct Ruler {
    /// The panel's pixels.
    pub(super) size: Size,
    px_per_mm: f32,
    /// How far away the panel is, a phone's distance being 1.
    times: f32,
}

impl Ruler {
    pub(super) fn new(panel: Panel) -> Self {
        let px_per_mm = panel.px_per_mm();
        let short_mm = panel.size.width.min(panel.size.height) as f32 / px_per_mm;
        let times = (1.0 + (short_mm - HELD_MM) / TWICE_MM).clamp(1.0, TIMES_MAX);
        Self { size: panel.size, px_per_mm, times }
    }

    /// Pixels of what looks so many millimetres high on a phone.
    pub(super) fn seen(&self, mm: f32) -> u32 {
        (mm * self.times * self.px_per_mm) as u32
    }

    /// Pixels of what feels so many millimetres large under a finger on a phone.
    pub(super) fn felt(&self, mm: f32) -> u32 {
        (mm * (1.0 + (self.times - 1.0) * HAND_PART) * self.px_per_mm) as u32
    }

    /// Pixels of so many millimetres.
    pub(super) fn real(&self, mm: f32) -> u32 {
        (mm * self.px_per_mm) as u32
    }

    /// Between things and the panel's edge.
    pub(super) fn margin(&self) -> u32 {
        self.seen(5.0).min(self.size.width / 20).max(4)
    }

    /// Whether the panel is higher than wide by so much that a hand holds it upright.
    pub(super) fn is_tall(&self) -> bool {
        self.size.height * 2 >= self.size.width * 3
    }
}
