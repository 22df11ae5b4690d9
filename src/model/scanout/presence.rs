//! What follows when there is no display: not yet, between two drivers, or no more.

/// Between two drivers there is no framebuffer for up to some seconds. For so long the terminal stays
/// in graphics mode, so that no text flashes up between two pictures.
const CHANGE_MS: u64 = 2000;

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Give the screen back to the console, which asks from now on.
    Text,
    /// End: there is nothing to ask on.
    GiveUp,
}

/// Whether there is a display, and since when not.
#[derive(Clone, Copy, Debug)]
pub struct Presence {
    timeout_ms: u64,
    /// Since when there is none.
    absent_ms: Option<u64>,
    /// Whether the console has the screen.
    is_text: bool,
}

impl Presence {
    /// There is no display yet. `timeout_s` says how long one is waited for where there is no console.
    pub fn new(timeout_s: u32, now_ms: u64) -> Self {
        Self { timeout_ms: u64::from(timeout_s) * 1000, absent_ms: Some(now_ms), is_text: true }
    }

    /// There is one.
    pub fn found(&mut self) {
        (self.absent_ms, self.is_text) = (None, false);
    }

    /// There is none any more.
    pub fn lost(&mut self, now_ms: u64) {
        self.absent_ms.get_or_insert(now_ms);
    }

    /// When [`Presence::step`] has something to say.
    pub fn deadline_ms(&self, has_console: bool) -> Option<u64> {
        let absent_ms = self.absent_ms?;
        let text = (!self.is_text).then(|| absent_ms.saturating_add(CHANGE_MS));
        let end = (!has_console).then(|| absent_ms.saturating_add(self.timeout_ms));
        text.into_iter().chain(end).min()
    }

    /// What is due, once.
    pub fn step(&mut self, now_ms: u64, has_console: bool) -> Option<Step> {
        let gone_ms = now_ms.saturating_sub(self.absent_ms?);
        if !has_console && gone_ms >= self.timeout_ms {
            return Some(Step::GiveUp);
        }
        if !self.is_text && gone_ms >= CHANGE_MS {
            self.is_text = true;
            return Some(Step::Text);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_console_one_is_waited_for_and_no_longer() {
        let mut presence = Presence::new(10, 500);
        assert_eq!(presence.deadline_ms(false), Some(10_500));
        assert_eq!(presence.step(10_499, false), None);
        assert_eq!(presence.step(10_500, false), Some(Step::GiveUp));
        let mut presence = Presence::new(0, 500);
        assert_eq!(presence.step(500, false), Some(Step::GiveUp));
    }

    #[test]
    fn with_a_console_nothing_ends() {
        let mut presence = Presence::new(10, 0);
        assert_eq!((presence.deadline_ms(true), presence.step(u64::MAX, true)), (None, None));
        // It may hang up.
        assert_eq!(presence.step(11_000, false), Some(Step::GiveUp));
    }

    #[test]
    fn a_change_of_drivers_shows_no_text() {
        let mut presence = Presence::new(10, 0);
        presence.found();
        assert_eq!((presence.deadline_ms(false), presence.step(9_000_000, false)), (None, None));
        presence.lost(1000);
        presence.lost(1500);
        assert_eq!(presence.deadline_ms(true), Some(3000));
        assert_eq!(presence.step(2999, true), None);
        presence.found();
        assert_eq!(presence.step(3000, true), None);
    }

    #[test]
    fn gone_for_good_gives_the_screen_back_once() {
        let mut presence = Presence::new(10, 0);
        presence.found();
        presence.lost(1000);
        assert_eq!(presence.step(3000, false), Some(Step::Text));
        assert_eq!((presence.step(3001, false), presence.deadline_ms(false)), (None, Some(11_000)));
        assert_eq!(presence.step(11_000, false), Some(Step::GiveUp));
        // And back again.
        presence.found();
        presence.lost(20_000);
        assert_eq!(presence.step(22_000, true), Some(Step::Text));
    }
}
