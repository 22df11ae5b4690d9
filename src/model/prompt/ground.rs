//! What fingers and buttons act on: the keys that are shown, where they are and what they do.

use embedded_graphics::prelude::Point;
use embedded_graphics::primitives::Rectangle;

use super::layout::{Layout, Press};
use super::plan::{Place, Plan};
use super::view::{Sheet, Spot};

/// A sheet of a plan, as it is shown.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// Where everything is.
    pub plan: &'a Plan,
    /// What the keys can do.
    pub layout: &'a Layout,
    /// What is in the keyboard's place.
    pub sheet: Sheet,
    /// The layer of keys, where it is keys.
    pub layer: usize,
}

impl<'a> Ground<'a> {
    /// What can be pressed at a pixel.
    pub fn spot_at(&self, at: Point) -> Option<Spot> {
        self.plan.spot_at(self.sheet, self.layer, at)
    }

    /// Where a key or a control is.
    pub fn place(&self, spot: Spot) -> Option<&'a Place> {
        self.plan.place(self.sheet, self.layer, spot)
    }

    /// What a key or a control does.
    pub fn press(&self, spot: Spot) -> Option<Press> {
        Some(self.place(spot)?.press)
    }

    /// What a key can type when it is held, its own character first; nothing if that is all it can.
    pub fn choices(&self, spot: Spot) -> Vec<char> {
        match (self.place(spot), self.press(spot)) {
            (Some(place), Some(Press::Character(own))) => {
                let more = place.alternatives(self.layout);
                if more.is_empty() { more } else { Some(own).into_iter().chain(more).collect() }
            }
            _ => Vec::new(),
        }
    }

    /// Where so many choices of a key are.
    pub fn choice_areas(&self, spot: Spot, count: usize) -> Vec<Rectangle> {
        self.place(spot).map_or_else(Vec::new, |key| self.plan.choices(key, count))
    }

    /// Everything that can be pressed, and where it is drawn.
    pub fn spots(&self) -> impl Iterator<Item = (Spot, Rectangle)> {
        let keys = self.plan.keys(self.sheet, self.layer).iter().enumerate().map(|(at, key)| (Spot::Key(at), key.face));
        let controls = self.plan.controls(self.sheet).iter().enumerate();
        keys.chain(controls.map(|(at, control)| (Spot::Control(at), control.face)))
    }
}
