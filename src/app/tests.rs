//! Whole runs of the loop against a fake machine.

mod hand;

use std::collections::VecDeque;

use embedded_graphics::prelude::Size;
use embedded_graphics::primitives::Rectangle;

use super::*;
use crate::error::{Error, Exit};
use crate::model::prompt::decoder::{Phase, Stroke};
use crate::model::prompt::idle;
use crate::model::prompt::layout::{Layout, Press, US};
use crate::model::prompt::plan::Plan;
use crate::model::prompt::secret::Secret;
use crate::model::prompt::session::{Config, Question};
use crate::model::theme::{DARK, MONO};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{Ready, Report};

/// A machine that plays a script and keeps what it was shown.
struct Fake {
    panel: Option<Panel>,
    greys: Option<u32>,
    script: VecDeque<Vec<Event>>,
    now_ms: u64,
    lines: Vec<String>,
    unlocks: Vec<u32>,
    restarts: usize,
    panel_pixels: Vec<u32>,
    presents: usize,
    /// What is copied at once: how many pixels, each time.
    hastened: Option<Vec<u32>>,
    idle: idle::Config,
    lights: Vec<Light>,
    lamps: Vec<bool>,
    pulses: usize,
    /// Goes on where the script ends, once it is dark.
    in_the_dark: Vec<Vec<Event>>,
}

impl Fake {
    fn new(panel: Option<Panel>) -> Self {
        Self {
            panel,
            greys: None,
            script: VecDeque::new(),
            now_ms: 0,
            lines: Vec::new(),
            unlocks: Vec::new(),
            restarts: 0,
            panel_pixels: Vec::new(),
            presents: 0,
            hastened: None,
            idle: idle::Config::default(),
            lights: Vec::new(),
            lamps: Vec::new(),
            pulses: 0,
            in_the_dark: Vec::new(),
        }
    }
}

impl Fake {
    fn copy(&mut self, frame: &Frame, damage: &[Rectangle]) {
        let columns = self.panel.unwrap().size.width as usize;
        self.panel_pixels.resize(frame.pixels().len(), 0xdead_beef);
        for area in damage {
            for y in area.rows() {
                let (x, width) = (area.top_left.x as usize, area.size.width as usize);
                let start = y as usize * columns + x;
                self.panel_pixels[start..start + width].copy_from_slice(frame.row(x, y as usize, width));
            }
        }
    }
}

impl Platform for Fake {
    fn now_ms(&mut self) -> u64 {
        self.now_ms
    }

    fn panel(&self) -> Option<Panel> {
        self.panel
    }

    fn greys(&self) -> Option<u32> {
        self.greys
    }

    fn wait(&mut self, deadline_ms: Option<u64>, events: &mut Events) -> Result<()> {
        if self.lights.last() == Some(&Light::Dark) {
            assert!(self.panel_pixels.iter().all(|pixel| *pixel == 0), "the dark shows something");
            self.script.extend(self.in_the_dark.drain(..));
        }
        match self.script.pop_front() {
            Some(script) => {
                if script.contains(&Event::Redraw) {
                    // Another driver's picture.
                    self.panel_pixels.fill(0xdead_beef);
                }
                script.into_iter().for_each(|event| assert!(events.push(event)));
            }
            None => {
                self.now_ms = deadline_ms.expect("the script is over and nothing is due");
                assert!(events.push(Event::Tick));
            }
        }
        Ok(())
    }

    fn hasten(&mut self, frame: &Frame, damage: &[Rectangle]) -> bool {
        if self.hastened.is_some() {
            self.copy(frame, damage);
        }
        let pixels = damage.iter().map(|area| area.size.width * area.size.height).sum();
        self.hastened.as_mut().map(|hastened| hastened.push(pixels)).is_some()
    }

    fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()> {
        self.copy(frame, damage);
        self.presents += 1;
        Ok(())
    }

    fn idle(&self) -> idle::Config {
        self.idle
    }

    fn shine(&mut self, light: Light) {
        self.lights.push(light);
    }

    fn set_caps_lock(&mut self, on: bool) {
        self.lamps.push(on);
    }

    fn pulse(&mut self) {
        self.pulses += 1;
    }

    fn print(&mut self, line: &str) {
        self.lines.push(line.into());
    }

    fn act(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Unlock { length } => self.unlocks.push(length),
            Action::Restart => self.restarts += 1,
            Action::Next(_) => {}
            Action::PowerOff => {
                assert!(self.panel_pixels.iter().all(|pixel| *pixel == 0), "the last picture shows something");
                self.lines.push("off".into());
            }
            Action::Blank | Action::Finish(_) => panic!("the loop does that by itself"),
        }
        Ok(())
    }
}

const PHONE: Panel = Panel { size: Size::new(720, 1440), millimetres: (0, 0) };

fn session() -> Session {
    let question = Question { volume: "/dev/vda".into(), timeout_ms: 60_000, ..Question::default() };
    let config = Config { question, ..Config::default() };
    Session::new(config, Layout::parse("us", US).unwrap(), Secret::new(Box::leak(Box::new([0; 64]))), 0)
}

fn failed(failure: Failure) -> Event {
    Event::Report(Report::Failed(failure))
}

#[test]
fn draws_before_any_input_and_leaves_a_blank_panel() {
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Stop]);
    let error = run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(error.exit(), Exit::Cancelled);
    assert_eq!(fake.presents, 2);
    assert!(fake.panel_pixels.iter().all(|pixel| *pixel == 0), "the last frame shows something");
}

#[test]
fn a_picture_comes_in_parts_where_that_costs_nothing() {
    let whole = picture(&{
        let mut session = session();
        session.set_panel(PHONE).unwrap();
        session
    });
    for (hastens, greys) in [(true, None), (false, None), (true, Some(16))] {
        let mut fake = Fake { hastened: hastens.then(Vec::new), greys, ..Fake::new(Some(PHONE)) };
        let mut session = session();
        let mut screen = Screen {
            on: None,
            printed: String::new(),
            idle: Idle::new(fake.idle(), 0),
            light: Light::Full,
            lamp: None,
            felt: 0,
        };
        screen.show(&mut fake, &mut session).unwrap();
        let parts = if hastens && greys.is_none() { 2 } else { 0 };
        let hastened = fake.hastened.take().unwrap_or_default();
        assert_eq!((hastened.len(), fake.presents), (parts, 1));
        if parts > 0 {
            // Each of them once, down to the keyboard, which is presented.
            let above = session.plan().unwrap().keyboard.top_left.y as u32 * PHONE.size.width;
            assert_eq!(hastened.iter().sum::<u32>(), above, "{hastened:?}");
        }
        if greys.is_none() {
            assert_eq!(fake.panel_pixels, whole.as_ref().unwrap().pixels());
        }
        assert!(!fake.panel_pixels.contains(&0xdead_beef), "part of the panel was never drawn");
    }
}

#[test]
fn a_picture_that_was_to_be_drawn_anew_is_blanked_at_the_end() {
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Redraw, Event::Stop]);
    run(&mut fake, &mut session()).unwrap_err();
    assert!(fake.panel_pixels.iter().all(|pixel| *pixel == 0), "the last frame shows something");
}

#[test]
fn paper_is_black_and_white_and_changes_once_a_second() {
    for (greys, theme, wakes) in [(Some(16), MONO, 5..9), (None, DARK, 30..45)] {
        let mut fake = Fake { greys, ..Fake::new(Some(PHONE)) };
        fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default())), Event::Text('a')]);
        fake.script.push_back(vec![Event::Text('\n')]);
        let mut session = session();
        // Nobody answers, and the deadlines alone lead to the end.
        let mut hurried = Hurried { fake: &mut fake, until_ms: 3500, waits: 0 };
        let error = run(&mut hurried, &mut session).unwrap_err();
        assert_eq!((error.exit(), *session.style().0), (Exit::Cancelled, theme));
        assert!(wakes.contains(&hurried.waits), "woke {} times", hurried.waits);
    }
}

/// A machine that is stopped at some time.
struct Hurried<'a> {
    fake: &'a mut Fake,
    until_ms: u64,
    waits: u32,
}

impl Platform for Hurried<'_> {
    fn now_ms(&mut self) -> u64 {
        self.fake.now_ms()
    }
    fn panel(&self) -> Option<Panel> {
        self.fake.panel()
    }
    fn greys(&self) -> Option<u32> {
        self.fake.greys()
    }
    fn wait(&mut self, deadline_ms: Option<u64>, events: &mut Events) -> Result<()> {
        self.waits += 1;
        if self.fake.now_ms >= self.until_ms {
            assert!(events.push(Event::Stop));
            return Ok(());
        }
        self.fake.wait(deadline_ms.or(Some(self.until_ms)), events)
    }
    fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()> {
        self.fake.present(frame, damage)
    }
    fn idle(&self) -> idle::Config {
        self.fake.idle()
    }
    fn shine(&mut self, light: Light) {
        self.fake.shine(light);
    }
    fn set_caps_lock(&mut self, on: bool) {
        self.fake.set_caps_lock(on);
    }
    fn pulse(&mut self) {
        self.fake.pulse();
    }
    fn print(&mut self, line: &str) {
        self.fake.print(line);
    }
    fn act(&mut self, action: Action) -> Result<()> {
        self.fake.act(action)
    }
}

#[test]
fn types_without_a_panel() {
    let mut fake = Fake::new(None);
    let ready = Event::Report(Report::Ready(Ready::default()));
    let mut typed: Vec<Event> = "secret\n".chars().map(Event::Text).collect();
    typed.insert(0, ready);
    fake.script.push_back(typed);
    fake.script.push_back(vec![failed(Failure::WrongPassphrase)]);
    fake.script.push_back("right\n".chars().map(Event::Text).collect());
    fake.script.push_back(vec![Event::Stop]);
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(fake.unlocks, [6, 5]);
    let asks = "type the passphrase and press Enter";
    let expected = [
        "Unlock /dev/vda".to_owned(),
        "Unlock /dev/vda: Unlocking\u{2026}".into(),
        format!("Unlock /dev/vda: Wrong passphrase. 2 tries left: {asks}"),
        "Unlock /dev/vda: Unlocking\u{2026}".into(),
    ];
    assert_eq!(fake.lines, expected);
}

#[test]
fn an_answer_to_a_dead_worker_is_not_given_to_the_next_one() {
    let mut fake = Fake::new(Some(PHONE));
    let ready = || Event::Report(Report::Ready(Ready::default()));
    fake.script.push_back(vec![ready(), Event::Text('x')]);
    // The worker died before Enter was pressed, but that is told after it.
    fake.script.push_back(vec![Event::Text('\n'), failed(Failure::Died { signal: 9 })]);
    fake.script.push_back(vec![ready(), Event::Stop]);
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!((fake.unlocks.as_slice(), fake.restarts), (&[1][..], 1));
}

#[test]
fn a_busy_prompt_moves_and_a_quiet_one_does_not() {
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default())), Event::Text('x'), Event::Text('\n')]);
    fake.script.extend((0..5).map(|_| Vec::new()));
    let mut session = session();
    // Nothing happens five times: nothing is presented. Then time passes, until the timeout of a
    // failed try.
    let mut script = std::mem::take(&mut fake.script);
    script.push_back(vec![failed(Failure::WrongPassphrase)]);
    fake.script = script;
    let error = run(&mut fake, &mut session).unwrap_err();
    assert_eq!(error.exit(), Exit::TimedOut);
    // First picture, busy, wrong, blank.
    assert_eq!(fake.presents, 4);
}

#[test]
fn another_panel_gets_a_whole_picture_and_keeps_what_was_typed() {
    struct Swap(Fake);
    impl Platform for Swap {
        fn now_ms(&mut self) -> u64 {
            self.0.now_ms()
        }
        fn panel(&self) -> Option<Panel> {
            self.0.panel()
        }
        fn wait(&mut self, deadline_ms: Option<u64>, events: &mut Events) -> Result<()> {
            self.0.wait(deadline_ms, events)?;
            if self.0.script.len() == 1 {
                self.0.panel = Some(Panel { size: Size::new(1280, 800), millimetres: (0, 0) });
                self.0.panel_pixels.clear();
            }
            Ok(())
        }
        fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()> {
            self.0.present(frame, damage)?;
            assert!(!self.0.panel_pixels.contains(&0xdead_beef), "part of the panel was never drawn");
            Ok(())
        }
        fn print(&mut self, line: &str) {
            self.0.print(line);
        }
        fn act(&mut self, action: Action) -> Result<()> {
            self.0.act(action)
        }
    }
    let mut swap = Swap(Fake::new(Some(PHONE)));
    swap.0.script.push_back(vec![Event::Report(Report::Ready(Ready::default())), Event::Text('a'), Event::Text('b')]);
    swap.0.script.push_back(vec![Event::Redraw]);
    swap.0.script.push_back(vec![Event::Text('\n'), Event::Stop]);
    run(&mut swap, &mut session()).unwrap_err();
    assert_eq!(swap.0.unlocks, [2]);
}

#[test]
fn touches_reach_the_keys_that_are_drawn() {
    let mut probe = session();
    probe.set_panel(PHONE).unwrap();
    let key = probe.plan().unwrap().layers[0].iter().find(|place| place.press == Press::Character('q')).unwrap();
    let at = key.face.center();
    let tap = |phase| Event::Touch { contact: 0, phase, at };
    let mut fake = Fake::new(Some(PHONE));
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default())), tap(Phase::Down)]);
    fake.script.push_back(vec![tap(Phase::Up), Event::Text('\n'), Event::Stop]);
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(fake.unlocks, [1]);
}

#[test]
fn a_panel_that_is_too_small_is_an_error() {
    let mut fake = Fake::new(Some(Panel { size: Size::new(3, 3), millimetres: (0, 0) }));
    assert_eq!(run(&mut fake, &mut session()).unwrap_err().exit(), Exit::NoDisplay);
}

#[test]
fn a_machine_that_fails_ends_the_run() {
    struct Broken(Fake);
    impl Platform for Broken {
        fn now_ms(&mut self) -> u64 {
            0
        }
        fn panel(&self) -> Option<Panel> {
            self.0.panel()
        }
        fn wait(&mut self, _: Option<u64>, _: &mut Events) -> Result<()> {
            Err(Error::new(Exit::NoDisplay, "wait", "gone"))
        }
        fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()> {
            self.0.present(frame, damage)
        }
        fn print(&mut self, _: &str) {}
        fn act(&mut self, _: Action) -> Result<()> {
            Ok(())
        }
    }
    let mut broken = Broken(Fake::new(Some(PHONE)));
    assert_eq!(run(&mut broken, &mut session()).unwrap_err().exit(), Exit::NoDisplay);
}

#[test]
fn the_dark_shows_nothing_and_what_wakes_types_nothing() {
    let key = |stroke| Event::Key { code: 30, stroke };
    let mut fake = Fake::new(Some(PHONE));
    fake.idle = idle::Config { dim_after_ms: 1000, blank_after_ms: 3000 };
    fake.script.push_back(vec![
        Event::Report(Report::Ready(Ready::default())),
        key(Stroke::Press),
        key(Stroke::Release),
    ]);
    fake.in_the_dark = vec![
        [Stroke::Press, Stroke::Repeat, Stroke::Release].map(key).to_vec(),
        vec![key(Stroke::Press), key(Stroke::Release), Event::Text('\n'), Event::Stop],
    ];
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(fake.lights, [Light::Dim, Light::Dark, Light::Full]);
    // One character before the dark, none by waking, one after it.
    assert_eq!(fake.unlocks, [2]);
}

#[test]
fn a_display_that_comes_in_the_dark_shows_the_prompt() {
    let mut fake = Fake::new(Some(PHONE));
    fake.idle = idle::Config { dim_after_ms: 0, blank_after_ms: 3000 };
    fake.script.push_back(vec![Event::Report(Report::Ready(Ready::default()))]);
    fake.in_the_dark = vec![vec![Event::Redraw], vec![Event::Text('\n'), Event::Stop]];
    run(&mut fake, &mut session()).unwrap_err();
    assert_eq!(fake.lights, [Light::Dark, Light::Full]);
    // The first picture, the dark, the prompt again, and the end.
    assert_eq!(fake.presents, 4);
}

#[test]
fn a_console_asks_again_when_the_panel_is_gone() {
    struct Gone(Fake);
    impl Platform for Gone {
        fn now_ms(&mut self) -> u64 {
            self.0.now_ms()
        }
        fn panel(&self) -> Option<Panel> {
            self.0.panel()
        }
        fn wait(&mut self, deadline_ms: Option<u64>, events: &mut Events) -> Result<()> {
            self.0.wait(deadline_ms, events)?;
            self.0.panel = if self.0.script.len() == 1 { None } else { Some(PHONE) };
            Ok(())
        }
        fn present(&mut self, frame: &Frame, damage: &[Rectangle]) -> Result<()> {
            self.0.present(frame, damage)
        }
        fn print(&mut self, line: &str) {
            self.0.print(line);
        }
        fn act(&mut self, action: Action) -> Result<()> {
            self.0.act(action)
        }
    }
    let mut gone = Gone(Fake::new(Some(PHONE)));
    let ready = Event::Report(Report::Ready(Ready::default()));
    gone.0.script.push_back(vec![ready, Event::Redraw, Event::Text('a')]);
    gone.0.script.push_back(vec![Event::Redraw, Event::Text('b')]);
    gone.0.script.push_back(vec![Event::Redraw, Event::Text('\n'), Event::Stop]);
    run(&mut gone, &mut session()).unwrap_err();
    let asks = "Unlock /dev/vda: type the passphrase and press Enter";
    assert_eq!(gone.0.lines.iter().filter(|line| *line == asks).count(), 2, "{:?}", gone.0.lines);
    assert_eq!(gone.0.unlocks, [2]);
}
