//! The lamps of Caps Lock.

/// What they shall show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lamp(Option<bool>);

impl Lamp {
    /// What a keyboard that comes shall show; `None` as long as nobody has said it.
    pub fn shown(self) -> Option<bool> {
        self.0
    }

    /// The lamp of a keyboard shows this, if there is one. Tells it if it is the first one, and Caps Lock
    /// is as it says.
    pub fn find(&mut self, lit: Option<bool>) -> Option<bool> {
        if self.0.is_some() {
            return None;
        }
        self.0 = lit;
        lit
    }

    /// All shall show this. That Caps Lock is off says nothing as long as there is no keyboard: the first one
    /// that comes may have it on.
    pub fn set(&mut self, on: bool) {
        if on || self.0.is_some() {
            self.0 = Some(on);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lamp_counts_however_late() {
        let mut lamp = Lamp::default();
        lamp.set(false);
        assert_eq!((lamp.shown(), lamp.find(None)), (None, None));
        assert_eq!((lamp.find(Some(true)), lamp.shown()), (Some(true), Some(true)));
        // Those that come later follow.
        assert_eq!((lamp.find(Some(false)), lamp.shown()), (None, Some(true)));
        lamp.set(false);
        assert_eq!(lamp.shown(), Some(false));
    }

    #[test]
    fn what_was_pressed_counts_more_than_a_lamp() {
        let mut lamp = Lamp::default();
        lamp.set(true);
        assert_eq!((lamp.find(Some(false)), lamp.shown()), (None, Some(true)));
        let mut lamp = Lamp::default();
        lamp.set(true);
        lamp.set(false);
        assert_eq!((lamp.find(Some(true)), lamp.shown()), (None, Some(false)));
    }
}
