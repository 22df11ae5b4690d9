//! Where everything sits on a panel: the keys of every layer, the field, the lines of text.

mod keyboard;
mod ruler;
mod stack;

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use self::keyboard::Keyboard;
use self::ruler::Ruler;
use self::stack::Stack;
use super::layout::{Layout, Press};
use super::view::{Sheet, Spot};
use crate::error::Result;
pub use crate::model::panel::{Panel, SIZE_MIN};

/// A key in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it does.
    pub press: Press,
    /// Its area in pixels, the gap to its neighbours included: a touch there means this key. Those
    /// of a layer share the keyboard out among them.
    pub touch: Rectangle,
    /// The area that is drawn.
    pub face: Rectangle,
}

/// Everything's place on one panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The panel's pixels.
    pub size: Size,
    /// The line that says which volume is asked for.
    pub title: Rectangle,
    /// The field that shows what was typed.
    pub field: Rectangle,
    /// What went wrong, what is going on: lines from the top, as many as there is room for.
    pub message: Rectangle,
    /// The keyboard's background: as wide as the panel, or a sheet in its middle.
    pub keyboard: Rectangle,
    /// The keys of each layer, in the layout's order.
    pub layers: Vec<Vec<Place>>,
    /// A key for each layout that there is.
    pub layouts: Vec<Place>,
    /// Whether to switch the machine off.
    pub power: Vec<Place>,
    /// What can be pressed beside the field and in the corners; stays while sheets change.
    pub controls: Vec<Place>,
    /// Height of a key's face in pixels, which its label's size follows.
    pub key_height: u32,
    /// Height of the title's line in pixels.
    pub text_height: u32,
    /// Height of a line of the message in pixels, at the most.
    pub message_height: u32,
}

impl Plan {
    /// Lays `layout` out on `panel`.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`](crate::error::Exit::NoDisplay) when the panel is too small.
    pub fn new(panel: Panel, layout: &Layout) -> Result<Self> {
        panel.check()?;
        let ruler = Ruler::new(panel);
        let keyboard = Keyboard::new(&ruler, layout);
        let stack = Stack::new(&ruler, keyboard.area.top_left.y.unsigned_abs());
        Ok(Self {
            size: panel.size,
            title: stack.title,
            field: stack.field,
            message: stack.message,
            keyboard: keyboard.area,
            layers: layout.layers().iter().map(|layer| keyboard.keys(&layer.rows)).collect(),
            layouts: Vec::new(),
            power: Vec::new(),
            controls: Vec::new(),
            key_height: keyboard.key_height(),
            text_height: stack.title_line,
            message_height: stack.message_line,
        })
    }

    /// The keys of a sheet; `layer` counts for [`Sheet::Keys`] only.
    pub fn keys(&self, sheet: Sheet, layer: usize) -> &[Place] {
        match sheet {
            Sheet::Keys => self.layers.get(layer).map_or(&[], Vec::as_slice),
            Sheet::Layouts => &self.layouts,
            Sheet::Power => &self.power,
            Sheet::Hidden => &[],
        }
    }

    /// What can be pressed at a pixel: keys, then controls.
    pub fn spot_at(&self, sheet: Sheet, layer: usize, at: Point) -> Option<Spot> {
        let find = |places: &[Place]| places.iter().position(|place| place.touch.contains(at));
        find(self.keys(sheet, layer)).map(Spot::Key).or_else(|| find(&self.controls).map(Spot::Control))
    }

    /// The place of a key or a control; those of alternatives are told by [`Plan::choices`].
    pub fn place(&self, sheet: Sheet, layer: usize, spot: Spot) -> Option<&Place> {
        match spot {
            Spot::Key(key) => self.keys(sheet, layer).get(key),
            Spot::Control(control) => self.controls.get(control),
            Spot::Choice(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
