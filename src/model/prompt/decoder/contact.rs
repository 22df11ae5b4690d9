//! One finger, pen or button: what its frames say, and what has been told of it.

use super::Phase;

/// What is known of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contact {
    /// The tracking id while it is down.
    pub(super) id: Option<i32>,
    pub(super) x: i32,
    pub(super) y: i32,
    /// It is no finger but the rest of the hand. Kept for the next one, as the kernel leaves out what
    /// did not change.
    palm: bool,
    /// It moved in this frame.
    moved: bool,
    /// An id left in this frame, though another may have come in its place.
    left: bool,
    /// Where it was last told to be, while it was told to be down.
    told: Option<(i32, i32)>,
    /// Nothing is told of it until it is another one: it was down before anybody looked, or is a palm.
    mute: bool,
}

impl Contact {
    /// What is down now was down before anybody looked, so it is no press of a key.
    pub(super) fn grow_stale(&mut self) {
        self.mute = self.id.is_some();
        self.told = self.id.map(|_| (self.x, self.y));
        (self.moved, self.left) = (false, false);
    }

    /// Another one, or none with -1.
    pub(super) fn identify(&mut self, id: i32) {
        let id = (id >= 0).then_some(id);
        if self.id != id {
            self.left |= self.id.is_some();
            self.id = id;
        }
    }

    pub(super) fn put(&mut self, x: Option<i32>, y: Option<i32>) {
        let (x, y) = (x.unwrap_or(self.x), y.unwrap_or(self.y));
        self.moved |= (x, y) != (self.x, self.y);
        (self.x, self.y) = (x, y);
    }

    pub(super) fn set_palm(&mut self, palm: bool) {
        self.palm = palm;
    }

    /// Whether it is told to be down.
    pub(super) fn is_told(&self) -> bool {
        self.told.is_some() && !self.mute
    }

    /// Whether it is down, told or not.
    pub(super) fn is_down(&self) -> bool {
        self.id.is_some()
    }

    /// Tells what the frame changed; true if it moved.
    #[inline(never)] // It is large, and called from where every kind of device is.
    pub(super) fn report(&mut self, tell: &mut dyn FnMut(Phase, (i32, i32))) -> bool {
        let (left, moved) = (core::mem::take(&mut self.left), core::mem::take(&mut self.moved));
        let here = (self.x, self.y);
        match self.told {
            // It leaves from where it was last seen: some screens say 0,0 as the finger lifts.
            Some(last) if left => {
                self.told = None;
                if !core::mem::take(&mut self.mute) {
                    let is_palm = self.palm && self.id.is_none();
                    tell(if is_palm { Phase::Cancel } else { Phase::Up }, last);
                }
            }
            Some(last) if self.palm && !self.mute => {
                self.mute = true;
                tell(Phase::Cancel, last);
            }
            Some(_) if moved && !self.mute => {
                self.told = Some(here);
                tell(Phase::Move, here);
            }
            // Down and up within one frame.
            None if left && self.id.is_none() && !self.palm => {
                tell(Phase::Down, here);
                tell(Phase::Up, here);
            }
            _ => {}
        }
        if self.id.is_some() && self.told.is_none() {
            self.told = Some(here);
            self.mute = self.palm;
            if !self.palm {
                tell(Phase::Down, here);
            }
        }
        moved
    }

    /// It is gone with its device.
    pub(super) fn cancel(&mut self, tell: &mut dyn FnMut(Phase, (i32, i32))) {
        if let Some(last) = self.told.filter(|_| !self.mute) {
            tell(Phase::Cancel, last);
        }
        *self = Self::default();
    }
}
