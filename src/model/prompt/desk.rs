//! What is in the keyboard's place: keys, a question, or nothing.

use super::census::Census;
use super::showing::Showing;
use super::view::Sheet;

/// A question that nobody answers goes away after this time.
const ASKED_MS: u64 = 10_000;

/// What lies over the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Layouts { page: usize },
    Power { until_ms: u64 },
}

/// The keys, hidden or not, and what lies over them.
#[derive(Debug, Default)]
pub struct Desk {
    showing: Showing,
    hidden: bool,
    over: Option<Over>,
    /// Once they were counted.
    devices: Option<Census>,
}

impl Desk {
    /// As it is wanted.
    pub fn new(showing: Showing) -> Self {
        Self { showing, hidden: showing == Showing::Hide, ..Self::default() }
    }

    /// What is shown.
    pub fn sheet(&self) -> Sheet {
        match self.over {
            Some(Over::Layouts { page }) => Sheet::Layouts(page),
            Some(Over::Power { .. }) => Sheet::Power,
            None if self.hidden => Sheet::Hidden,
            None => Sheet::Keys,
        }
    }

    /// What there is to answer with, once that is known.
    pub fn devices(&self) -> Option<Census> {
        self.devices
    }

    /// Whether there is nothing to answer with.
    pub fn is_bare(&self) -> bool {
        self.devices.is_some_and(|devices| devices.is_bare())
    }

    /// Shows the keys, or hides them.
    pub fn show(&mut self, shown: bool) {
        (self.hidden, self.over) = (!shown, None);
    }

    /// Shows all layouts, or as many as the first page has.
    pub fn open_layouts(&mut self) {
        self.over = Some(Over::Layouts { page: 0 });
    }

    /// Goes on to the next page of so many, from the last to the first.
    pub fn turn_page(&mut self, pages: usize) {
        if let Some(Over::Layouts { page }) = &mut self.over {
            *page = (*page + 1) % pages.max(1);
        }
    }

    /// Asks whether to switch the machine off.
    pub fn ask_power(&mut self, now_ms: u64) {
        self.over = Some(Over::Power { until_ms: now_ms.saturating_add(ASKED_MS) });
    }

    /// Takes away what lies over the keys; false when nothing does.
    pub fn back(&mut self) -> bool {
        self.over.take().is_some()
    }

    /// There is somebody.
    pub fn attend(&mut self, now_ms: u64) {
        if let Some(Over::Power { until_ms }) = &mut self.over {
            *until_ms = now_ms.saturating_add(ASKED_MS);
        }
    }

    /// When [`Desk::tick`] has something to do.
    pub fn due_ms(&self) -> Option<u64> {
        match self.over? {
            Over::Power { until_ms } => Some(until_ms),
            Over::Layouts { .. } => None,
        }
    }

    /// Time goes by. True if something changed that fingers may be on.
    pub fn tick(&mut self, now_ms: u64) -> bool {
        self.due_ms().is_some_and(|due_ms| due_ms <= now_ms) && self.back()
    }

    /// Devices were counted. A keyboard that is plugged in, or that is there where nothing points, is
    /// what will be used; the keys come back when it leaves. Those that are there from the start tell
    /// nothing: it may be the serial line of a phone.
    pub fn count(&mut self, devices: Census) {
        let before = self.devices.replace(devices);
        if self.showing != Showing::Auto {
            return;
        }
        let keyboards = devices.keyboards;
        let alone = devices.is_keyboard_alone();
        let was_alone = before.is_some_and(|before| before.is_keyboard_alone());
        let keyboards_before = before.map_or(keyboards, |before| before.keyboards);
        if keyboards > keyboards_before || (alone && !was_alone) {
            self.hidden = true;
        } else if !alone && (keyboards < keyboards_before || was_alone) {
            self.hidden = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(showing: Showing, counts: &[(usize, usize)]) -> Vec<bool> {
        let mut desk = Desk::new(showing);
        let hidden = |(pointing, keyboards): &(usize, usize)| {
            desk.count(Census::of(*pointing, *keyboards));
            desk.sheet() == Sheet::Hidden
        };
        counts.iter().map(hidden).collect()
    }

    #[test]
    fn a_keyboard_that_is_plugged_in_hides_the_keys_until_it_leaves() {
        // One that was there before is no reason.
        let counts = [(1, 1), (1, 2), (2, 2), (1, 2), (1, 1), (1, 1)];
        assert_eq!(counted(Showing::Auto, &counts), [false, true, true, true, false, false]);
    }

    #[test]
    fn where_nothing_points_a_keyboard_is_enough() {
        let counts = [(0, 1), (0, 2), (0, 1), (1, 1), (0, 1), (0, 0), (0, 1)];
        assert_eq!(counted(Showing::Auto, &counts), [true, true, true, false, true, false, true]);
    }

    #[test]
    fn what_comes_with_a_keyboard_does_not_bring_the_keys_back() {
        let mut desk = Desk::default();
        desk.count(Census { media: 2, ..Census::of(0, 1) });
        assert_eq!(desk.sheet(), Sheet::Hidden);
        desk.count(Census { keypads: 1, ..Census::default() });
        assert_eq!((desk.sheet(), desk.is_bare()), (Sheet::Keys, false));
    }

    #[test]
    fn somebody_may_want_it_otherwise() {
        assert_eq!(counted(Showing::Show, &[(0, 1), (1, 2), (0, 3)]), [false; 3]);
        assert_eq!(counted(Showing::Hide, &[(1, 0), (1, 1), (1, 0)]), [true; 3]);
    }

    #[test]
    fn a_question_goes_away_unless_somebody_is_there() {
        let mut desk = Desk::default();
        desk.ask_power(1000);
        assert_eq!((desk.sheet(), desk.due_ms()), (Sheet::Power, Some(11_000)));
        desk.attend(5000);
        assert!(!desk.tick(11_000));
        assert!(desk.tick(15_000));
        assert_eq!((desk.sheet(), desk.due_ms()), (Sheet::Keys, None));
    }

    #[test]
    fn words_read_as_what_they_are() {
        for showing in [Showing::Auto, Showing::Show, Showing::Hide] {
            assert_eq!(Showing::parse(showing.word()), Some(showing));
        }
        assert_eq!(Showing::parse("yes"), None);
    }
}
