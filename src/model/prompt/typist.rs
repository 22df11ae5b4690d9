//! From fingers and key strokes to what they mean: layers, shift, and which key a finger is on.

use embedded_graphics::prelude::Point;

use super::decoder::{Phase, Stroke};
use super::keymap::keyboard::{Keyboard, Meanings};
use super::keymap::{Keymap, Meaning};
use super::layout::{Layout, Press};
use super::plan::Plan;
use super::view::{Sheet, Shift, Spot};

/// A second tap of shift within this time locks it.
const DOUBLE_TAP_MS: u64 = 400;

/// The finger that came down last, and the key that it is on now.
#[derive(Clone, Copy, Debug)]
struct Held {
    contact: u32,
    layer: usize,
    key: Option<usize>,
}

/// Follows fingers and modifier keys.
#[derive(Debug, Default)]
pub struct Typist {
    layer: usize,
    shift: Shift,
    keyboard: Keyboard,
    held: Option<Held>,
}

impl Typist {
    /// The layer of keys that is shown.
    pub fn layer(&self) -> usize {
        self.layer
    }

    /// The state of the on-screen shift key.
    pub fn shift(&self) -> Shift {
        self.shift
    }

    /// The key of the shown layer that a finger is on.
    pub fn pressed(&self) -> Option<Spot> {
        self.held.filter(|held| held.layer == self.layer)?.key.map(Spot::Key)
    }

    /// Hardware keyboards, and what is on and held there.
    pub fn keyboard(&self) -> &Keyboard {
        &self.keyboard
    }

    /// Whether Caps Lock of a hardware keyboard is on.
    pub fn caps_lock(&self) -> bool {
        self.keyboard.caps_lock()
    }

    /// Sets Caps Lock, as a keyboard's lamp shows it.
    pub fn set_caps_lock(&mut self, is_on: bool) {
        self.keyboard.set_caps_lock(is_on);
    }

    /// Forgets the fingers that are down: what they press does not count.
    pub fn let_go(&mut self) {
        self.held = None;
    }

    /// Shows the first layer again, for a passphrase that starts anew.
    pub fn reset(&mut self) {
        (self.layer, self.shift, self.held) = (0, Shift::Off, None);
    }

    /// A finger on the panel. A key counts when its finger lifts, or when the next finger comes
    /// down: two thumbs that overlap lose nothing.
    pub fn touch(
        &mut self,
        (plan, layout): (&Plan, &Layout),
        now_ms: u64,
        (contact, phase, at): (u32, Phase, Point),
    ) -> Option<Meaning> {
        match phase {
            Phase::Down => {
                let meaning = self.press(plan, layout, now_ms);
                // Looked up now: the other finger's key may have changed the layer.
                let key = key_at(plan, self.layer, at);
                self.held = key.map(|key| Held { contact, layer: self.layer, key: Some(key) });
                meaning
            }
            Phase::Move => {
                let held = self.held.as_mut().filter(|held| held.contact == contact)?;
                // Sliding corrects; sliding off the keys takes the press back.
                held.key = key_at(plan, held.layer, at);
                None
            }
            Phase::Up => {
                self.held.filter(|held| held.contact == contact)?;
                self.press(plan, layout, now_ms)
            }
            Phase::Cancel => {
                self.held = self.held.filter(|held| held.contact != contact);
                None
            }
        }
    }

    /// Presses the key that is held, if there is one.
    fn press(&mut self, plan: &Plan, layout: &Layout, now_ms: u64) -> Option<Meaning> {
        let held = self.held.take()?;
        match plan.layers.get(held.layer)?.get(held.key?)?.press {
            Press::Character(character) => {
                if let Shift::Once { .. } = self.shift {
                    self.set_shift(layout, Shift::Off);
                }
                return Some(Meaning::Character(character));
            }
            Press::Clear => return Some(Meaning::Clear),
            Press::Reveal => return Some(Meaning::Reveal),
            Press::Left => return Some(Meaning::Left),
            Press::Right => return Some(Meaning::Right),
            Press::Next | Press::Pick(_) | Press::Hide | Press::Power | Press::PowerOff | Press::Back => {}
            Press::Backspace => return Some(Meaning::Backspace),
            Press::Enter => return Some(Meaning::Enter),
            Press::Layer(layer) => {
                self.layer = layer;
                self.shift = Shift::Off;
            }
            Press::Shift => self.set_shift(
                layout,
                match self.shift {
                    Shift::Off => Shift::Once { since_ms: now_ms },
                    Shift::Once { since_ms } if now_ms.saturating_sub(since_ms) <= DOUBLE_TAP_MS => Shift::Lock,
                    Shift::Once { .. } | Shift::Lock => Shift::Off,
                },
            ),
        }
        None
    }

    fn set_shift(&mut self, layout: &Layout, shift: Shift) {
        self.shift = shift;
        let name = if shift == Shift::Off { "lower" } else { "upper" };
        self.layer = layout.find(name).unwrap_or(self.layer);
    }

    /// Keyboards have this keymap from now on.
    pub fn set_keymap(&mut self, keymap: Keymap) {
        self.keyboard.set_keymap(keymap);
    }

    /// A key of a hardware keyboard.
    pub fn key(&mut self, code: u16, stroke: Stroke) -> Meanings {
        self.keyboard.key(code, stroke)
    }
}

/// The key of a layer at a pixel.
fn key_at(plan: &Plan, layer: usize, at: Point) -> Option<usize> {
    plan.keys(Sheet::Keys, layer).iter().position(|place| place.touch.contains(at))
}

/// A character that came over the console.
pub fn text(character: char) -> Option<Meaning> {
    match character {
        '\r' | '\n' => Some(Meaning::Enter),
        '\x08' | '\x7f' => Some(Meaning::Backspace),
        '\x15' => Some(Meaning::Clear),
        other if other.is_control() => None,
        other => Some(Meaning::Character(other)),
    }
}
