//! Which keys of an on-screen keyboard to tap for a text, layer changes included.

use fbunlock::model::prompt::layout::Press;

use crate::failure::{Failure, Result, fail};
use crate::screen::Point;

/// What a key on the screen does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Character(char),
    /// From the lower to the upper layer for one character.
    Shift,
    Backspace,
    Enter,
    /// To the layer of this index.
    Layer(usize),
    /// What types nothing.
    Other(Press),
}

/// The keyboard on a panel: each layer's keys and their centres.
pub(crate) struct Keyboard {
    pub(crate) layers: Vec<Vec<(Key, Point)>>,
    pub(crate) lower: usize,
    pub(crate) upper: usize,
}

impl Keyboard {
    /// The centre of a key in a layer.
    pub(crate) fn key_center(&self, layer: usize, key: Key) -> Result<Point> {
        let found = self.layers.get(layer).and_then(|keys| keys.iter().find(|(other, _)| *other == key));
        found.map(|(_, center)| *center).ok_or_else(|| Failure(format!("layer {layer} has no key {key:?}")))
    }

    fn has(&self, layer: usize, key: Key) -> bool {
        self.layers[layer].iter().any(|(other, _)| *other == key)
    }

    /// The taps that type `text`, with the layer each one happens in; `layer` is left at the layer
    /// shown afterwards.
    pub(crate) fn taps(&self, text: &str, layer: &mut usize) -> Result<Vec<Point>> {
        let mut taps = Vec::new();
        for typed in text.chars() {
            let key = Key::Character(typed);
            let mut shifted = false;
            for (switch, to) in self.route(*layer, key)? {
                taps.push(self.key_center(*layer, switch)?);
                shifted = switch == Key::Shift && to == self.upper;
                *layer = to;
            }
            taps.push(self.key_center(*layer, key)?);
            if shifted {
                *layer = self.lower;
            }
        }
        Ok(taps)
    }

    /// The shortest way from a layer to one that has `key`: switch keys and the layers they show.
    fn route(&self, from: usize, key: Key) -> Result<Vec<(Key, usize)>> {
        let mut ways = vec![(from, Vec::new())];
        let mut at = 0;
        while let Some((layer, way)) = ways.get(at).cloned() {
            if self.has(layer, key) {
                return Ok(way);
            }
            for (switch, _) in &self.layers[layer] {
                let to = match switch {
                    Key::Layer(to) => *to,
                    Key::Shift if layer == self.upper => self.lower,
                    Key::Shift => self.upper,
                    _ => continue,
                };
                if to < self.layers.len() && ways.iter().all(|(known, _)| *known != to) {
                    let mut longer: Vec<(Key, usize)> = way.clone();
                    longer.push((*switch, to));
                    ways.push((to, longer));
                }
            }
            at += 1;
        }
        fail(format!("no layer has a key {key:?}"))
    }
}
