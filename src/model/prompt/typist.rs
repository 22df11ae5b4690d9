//! From fingers and key strokes to what they mean: layers, shift, and which key a finger is on.

use embedded_graphics::prelude::Point;

use super::decoder::Stroke;
use super::finger::{Finger, Order};
use super::ground::Ground;
use super::keymap::keyboard::{Keyboard, Meanings};
use super::keymap::{Keymap, Meaning};
use super::layout::{Layout, Press};
use super::view::{Choices, Sheet, Shift, Spot};

/// A second tap of shift within this time locks it.
const DOUBLE_TAP_MS: u64 = 400;

/// The contact of a button that presses what has the focus. Devices number theirs from below.
pub const BUTTON: u32 = u32::MAX;

/// A finger that stays on shift while others type.
#[derive(Clone, Copy, Debug)]
struct Chord {
    contact: u32,
    /// Something was typed meanwhile.
    used: bool,
}

/// Follows fingers and modifier keys.
#[derive(Debug, Default)]
pub struct Typist {
    layer: usize,
    shift: Shift,
    keyboard: Keyboard,
    /// The finger that came down last: a key counts when its finger lifts, or when the next one comes
    /// down, so that thumbs that overlap lose nothing, however many there are.
    held: Option<Finger>,
    chord: Option<Chord>,
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

    /// What a finger is on, of what is shown.
    pub fn pressed(&self, sheet: Sheet) -> Option<Spot> {
        let held = self.held.as_ref().filter(|held| held.sheet == sheet)?;
        let is_shown = sheet != Sheet::Keys || held.layer == self.layer;
        held.pressed().filter(|spot| is_shown || matches!(spot, Spot::Control(_)))
    }

    /// What a finger can choose from.
    pub fn choices(&self) -> Option<Choices> {
        self.held.as_ref()?.choices()
    }

    /// Whether a finger or a button is on anything.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Hardware keyboards, and what is on and held there.
    pub fn keyboard(&self) -> &Keyboard {
        &self.keyboard
    }

    /// Whether Caps Lock of a hardware keyboard is on.
    pub fn caps_lock(&self) -> bool {
        self.keyboard.caps_lock()
    }

    /// When [`Typist::tick`] has something to do.
    pub fn due_ms(&self) -> Option<u64> {
        self.held.as_ref()?.due_ms()
    }

    /// Forgets the fingers that are down: what they press does not count.
    pub fn let_go(&mut self) {
        (self.held, self.chord) = (None, None);
    }

    /// Shows the first layer again, for a passphrase or a layout that starts anew.
    pub fn reset(&mut self) {
        (self.layer, self.shift) = (0, Shift::Off);
        self.let_go();
    }

    /// Another finger comes down: the key of the one before counts, unless a button holds it.
    pub fn settle(&mut self, ground: Ground<'_>, now_ms: u64) -> Option<Order> {
        let held = self.held.take()?;
        if held.contact == BUTTON {
            return held.cancel();
        }
        let (contact, ground) = (held.contact, on(ground, &held));
        let order = held.lift(&ground)?;
        let order = self.take(&ground, now_ms, order);
        if order.is_none() && matches!(self.shift, Shift::Once { since_ms } if since_ms == now_ms) {
            self.chord = Some(Chord { contact, used: false });
        }
        order
    }

    /// A finger comes down.
    pub fn down(&mut self, ground: Ground<'_>, now_ms: u64, contact: u32, at: Point) {
        self.held = Finger::new(&ground, now_ms, contact, at);
    }

    /// A finger moves.
    pub fn slide(&mut self, ground: Ground<'_>, now_ms: u64, contact: u32, to: Point) -> Option<Order> {
        let held = self.held.as_mut().filter(|held| held.contact == contact)?;
        held.slide(&on(ground, held), now_ms, to)
    }

    /// A finger lifts.
    pub fn up(&mut self, ground: Ground<'_>, now_ms: u64, contact: u32) -> Option<Order> {
        self.unchord(ground.layout, contact);
        let held = self.held.take_if(|held| held.contact == contact)?;
        let ground = on(ground, &held);
        let order = held.lift(&ground)?;
        self.take(&ground, now_ms, order)
    }

    /// A finger is gone without having been lifted.
    pub fn cancel(&mut self, layout: &Layout, contact: u32) -> Option<Order> {
        self.unchord(layout, contact);
        self.held.take_if(|held| held.contact == contact)?.cancel()
    }

    /// Time goes by.
    pub fn tick(&mut self, ground: Ground<'_>, now_ms: u64) -> Option<Order> {
        let held = self.held.as_mut()?;
        held.tick(&on(ground, held), now_ms)
    }

    /// Takes a button off what it holds. Choices that it has opened stay, to be gone through.
    pub fn release(&mut self, ground: Ground<'_>, now_ms: u64) -> Option<Order> {
        if self.choices().is_some() { None } else { self.up(ground, now_ms, BUTTON) }
    }

    /// Goes through the choices that a button has opened.
    pub fn choose(&mut self, forward: bool) {
        if let Some(held) = &mut self.held {
            held.choose(forward);
        }
    }

    /// Takes the choice that a button has come to.
    pub fn pick(&mut self, ground: Ground<'_>, now_ms: u64) -> Option<Order> {
        self.up(ground, now_ms, BUTTON)
    }

    /// Presses the shift key.
    pub fn press_shift(&mut self, layout: &Layout, now_ms: u64) {
        let shift = match self.shift {
            Shift::Off => Shift::Once { since_ms: now_ms },
            Shift::Once { since_ms } if now_ms.saturating_sub(since_ms) <= DOUBLE_TAP_MS => Shift::Lock,
            Shift::Once { .. } | Shift::Lock => Shift::Off,
        };
        self.set_shift(layout, shift);
    }

    /// Does what concerns nobody else.
    fn take(&mut self, ground: &Ground<'_>, now_ms: u64, order: Order) -> Option<Order> {
        match order {
            Order::Character(_) => {
                if let Some(chord) = &mut self.chord {
                    chord.used = true;
                } else if let Shift::Once { .. } = self.shift {
                    self.set_shift(ground.layout, Shift::Off);
                }
            }
            Order::Press(Press::Layer(layer)) => {
                (self.layer, self.shift, self.chord) = (layer, Shift::Off, None);
                return None;
            }
            Order::Press(Press::Shift) => {
                self.press_shift(ground.layout, now_ms);
                return None;
            }
            Order::Press(_) | Order::Caret(_) | Order::Peek(_) | Order::Picker => {}
        }
        Some(order)
    }

    /// Shift was held while something was typed, and now it is not.
    fn unchord(&mut self, layout: &Layout, contact: u32) {
        let chord = self.chord.take_if(|chord| chord.contact == contact);
        if chord.is_some_and(|chord| chord.used) && matches!(self.shift, Shift::Once { .. }) {
            self.set_shift(layout, Shift::Off);
        }
    }

    fn set_shift(&mut self, layout: &Layout, shift: Shift) {
        let (was, is) = (self.shift != Shift::Off, shift != Shift::Off);
        if was != is {
            let Some(partner) = layout.layers().get(self.layer).and_then(|layer| layer.shift) else { return };
            self.layer = partner;
        }
        self.shift = shift;
    }

    /// Keyboards have this keymap from now on.
    pub fn set_keymap(&mut self, keymap: Keymap) {
        self.keyboard.set_keymap(keymap);
    }

    /// A keyboard's lamp shows that Caps Lock is on, or is not.
    pub fn set_caps_lock(&mut self, on: bool) {
        self.keyboard.set_caps_lock(on);
    }

    /// A key of a hardware keyboard.
    pub fn key(&mut self, code: u16, stroke: Stroke) -> Meanings {
        self.keyboard.key(code, stroke)
    }
}

/// The keys among which a finger came down.
fn on<'a>(ground: Ground<'a>, held: &Finger) -> Ground<'a> {
    Ground { sheet: held.sheet, layer: held.layer, ..ground }
}

/// A character that came over the console.
pub fn text(character: char) -> Option<Meaning> {
    match character {
        '\r' | '\n' => Some(Meaning::Enter),
        '\x08' | '\x7f' => Some(Meaning::Backspace),
        '\x15' | '\x17' => Some(Meaning::Clear),
        '\x1b' => Some(Meaning::Cancel),
        other if other.is_control() => None,
        other => Some(Meaning::Character(other)),
    }
}
