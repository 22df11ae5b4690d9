//! Where everything sits on a panel: the keys of every layer, the field, the lines of text.

mod choice;
mod control;
mod keyboard;
mod ruler;
mod sheet;
mod stack;

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use self::control::Controls;
use self::keyboard::Keyboard;
use self::ruler::Ruler;
pub use self::stack::Stack;
use super::layout::{Layout, Press};
use super::view::{Sheet, Spot};
use crate::error::Result;
pub use crate::model::panel::{Panel, SIZE_MIN};

/// A key in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it does.
    pub press: Press,
    /// What it offers first when it is held: the character of a row that the panel has no height for.
    pub hint: Option<char>,
    /// Its area in pixels, the gap to its neighbours included: a touch there means this key. Those
    /// of a layer share the keyboard out among them.
    pub touch: Rectangle,
    /// The area that is drawn.
    pub face: Rectangle,
}

impl Place {
    /// What it offers when it is held, the likeliest first; nothing but a character's key offers any.
    pub fn alternatives(&self, layout: &Layout) -> Vec<char> {
        let Press::Character(character) = self.press else { return Vec::new() };
        let others = layout.alternatives(character).iter().copied().filter(|other| Some(*other) != self.hint);
        self.hint.into_iter().chain(others).collect()
    }
}

/// Everything's place on one panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The panel's pixels.
    pub size: Size,
    /// Title, field and message over the keyboard.
    pub above: Stack,
    /// The same while the keyboard is hidden.
    pub alone: Stack,
    /// The keyboard's background: as wide as the panel, or a sheet in its middle.
    pub keyboard: Rectangle,
    /// The keys of each layer, in the layout's order.
    pub layers: Vec<Vec<Place>>,
    /// Pages of keys for layouts: one for each that there is, one that goes back, and one that goes on to the
    /// next page where there is more than one.
    pub layouts: Vec<Vec<Place>>,
    /// Whether to switch the machine off.
    pub power: Vec<Place>,
    /// What the keys of [`Plan::layouts`] show, by the number of the layout.
    pub names: Vec<String>,
    /// Where the machine's state can be told, at the right; empty where there is no room.
    pub status: Rectangle,
    /// Height of a key's face in pixels, which its label's size follows.
    pub key_height: u32,
    controls: Controls,
}

impl Plan {
    /// Lays `layout` out on `panel`; `names` are the short ones of all layouts that there are,
    /// which are shown in upper case.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`](crate::error::Exit::NoDisplay) when the panel is too small.
    pub fn new(panel: Panel, layout: &Layout, names: &[&str]) -> Result<Self> {
        panel.check()?;
        let ruler = Ruler::new(panel);
        let keyboard = Keyboard::new(&ruler, layout);
        let mut above = Stack::new(&ruler, keyboard.area.top_left.y.unsigned_abs());
        let mut alone = Stack::new(&ruler, panel.size.height);
        let controls = Controls::new(&ruler, &mut above, &mut alone);
        Ok(Self {
            size: panel.size,
            status: controls.status(&ruler, &above),
            controls,
            above,
            alone,
            keyboard: keyboard.area,
            layers: layout.layers().iter().map(|layer| keyboard.layer(layer)).collect(),
            layouts: sheet::layouts(&ruler, &keyboard, names.len()),
            power: sheet::power(&keyboard),
            names: names.iter().map(|name| name.to_uppercase()).collect(),
            key_height: keyboard.key_height(),
        })
    }

    /// Title, field and message of a sheet.
    pub fn stack(&self, sheet: Sheet) -> &Stack {
        if sheet == Sheet::Hidden { &self.alone } else { &self.above }
    }

    /// The keys of a sheet; `layer` counts for [`Sheet::Keys`] only.
    pub fn keys(&self, sheet: Sheet, layer: usize) -> &[Place] {
        match sheet {
            Sheet::Keys => self.layers.get(layer).map_or(&[], Vec::as_slice),
            Sheet::Layouts(page) => self.layouts.get(page).map_or(&[], Vec::as_slice),
            Sheet::Power => &self.power,
            Sheet::Hidden => &[],
        }
    }

    /// What can be pressed in the field and in the corners: the same on every sheet, and in the same
    /// order; some are elsewhere while the keyboard is hidden.
    pub fn controls(&self, sheet: Sheet) -> &[Place] {
        if sheet == Sheet::Hidden { &self.controls.alone } else { &self.controls.above }
    }

    /// What can be pressed at a pixel: keys, then controls.
    pub fn spot_at(&self, sheet: Sheet, layer: usize, at: Point) -> Option<Spot> {
        let find = |places: &[Place]| places.iter().position(|place| place.touch.contains(at));
        find(self.keys(sheet, layer)).map(Spot::Key).or_else(|| find(self.controls(sheet)).map(Spot::Control))
    }

    /// The place of a key or a control; those of alternatives are told by [`Plan::choices`].
    pub fn place(&self, sheet: Sheet, layer: usize, spot: Spot) -> Option<&Place> {
        match spot {
            Spot::Key(key) => self.keys(sheet, layer).get(key),
            Spot::Control(control) => self.controls(sheet).get(control),
            Spot::Choice(_) => None,
        }
    }

    /// The cells of `count` alternatives of a key that is held, the likeliest first: in one row above
    /// the key or in two, the first one right above the finger and the others beside it by nearness.
    /// No cell overlaps another or is beyond the panel.
    pub fn choices(&self, key: &Place, count: usize) -> Vec<Rectangle> {
        choice::cells(self.size, self.key_height, key, count)
    }
}

#[cfg(test)]
mod tests;
