//! Whatever happens, time goes on: no deadline is kept for ever, which would be a busy loop.

use super::*;
use crate::model::noise::Noise;

/// What may happen.
struct Chance(Noise);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0.below(end)
    }

    fn bool(&mut self) -> bool {
        self.below(2) == 0
    }

    fn event(&mut self, bench: &Bench) -> Event {
        const CODES: [u16; 20] = [
            1, 14, 15, 28, 30, 42, 58, 114, 115, 116, 142, 0x130, 0x131, 0x133, 0x13b, 0x220, 0x221, 0x222, 0x223, 105,
        ];
        let strokes = [Stroke::Press, Stroke::Press, Stroke::Release, Stroke::Release, Stroke::Repeat];
        let phases = [Phase::Down, Phase::Up, Phase::Move, Phase::Cancel, Phase::Down, Phase::Up];
        match self.below(30) {
            0..=12 => {
                let phase = phases[self.below(6) as usize];
                Event::Touch { contact: self.below(4) as u32, phase, at: self.point(bench) }
            }
            13..=22 => Event::Key { code: CODES[self.below(20) as usize], stroke: strokes[self.below(5) as usize] },
            23 => Event::Text(['a', '\n', '\u{7f}', '\u{15}'][self.below(4) as usize]),
            24 => Event::Devices(Census::of(self.below(2) as usize, self.below(3) as usize)),
            25 => Event::Hover(self.bool().then(|| self.point(bench))),
            26 => Event::Report(Report::Ready(Ready::default())),
            27 => Event::Report(Report::Failed(match self.below(3) {
                0 => Failure::WrongPassphrase,
                1 => Failure::Memory { needed_kib: 2, free_kib: 1 },
                _ => Failure::Died { signal: 9 },
            })),
            28 => Event::Redraw,
            _ => Event::Battery(None),
        }
    }

    /// Mostly on something that can be pressed.
    fn point(&mut self, bench: &Bench) -> Point {
        let view = bench.session.view();
        let Some(plan) = bench.session.plan() else { return Point::zero() };
        let places: Vec<_> = plan.keys(view.sheet, view.layer).iter().chain(plan.controls(view.sheet)).collect();
        let random = Point::new(self.below(720) as i32, self.below(1440) as i32);
        if self.below(4) == 0 { random } else { places[self.below(places.len() as u64) as usize].face.center() }
    }
}

#[test]
fn ticks_at_deadlines_get_somewhere_whatever_happened() {
    for seed in 1..=25 {
        let mut noise = Chance(Noise::new(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed)));
        let question = || Question { timeout_ms: [0, 90_000][(seed & 1) as usize], tries: 0, ..Question::default() };
        let optional = Question { is_optional: true, ..question() };
        let mut bench = Bench::with(Config {
            question: question(),
            later: [question(), optional, question()].into(),
            power_off_after_ms: [0, 40_000][noise.below(2) as usize],
            hide_length: noise.bool(),
            reveal: noise.bool(),
            cancel: noise.bool(),
            ..Bench::config()
        });
        for step in 0..1500 {
            let event = noise.event(&bench);
            match noise.below(40) {
                0 => bench.session.look_away(),
                1 => bench.session.set_panel(Panel { size: Size::new(720, 1440), millimetres: (0, 0) }).unwrap(),
                _ => {}
            }
            let mut action = bench.send(event.clone());
            // As many at one moment as there are things that can be due.
            let mut at_once = 0;
            let end_ms = bench.now_ms + [0, 10, 100, 700, 3000][noise.below(5) as usize];
            while let Some(due_ms) = bench.session.deadline_ms().filter(|due_ms| *due_ms <= end_ms) {
                if matches!(action, Some(Action::Finish(_))) {
                    break;
                }
                at_once = if due_ms > bench.now_ms { 0 } else { at_once + 1 };
                assert!(at_once < 8, "seed {seed}, step {step}, after {event:?}: due at {due_ms} for ever");
                bench.now_ms = due_ms.max(bench.now_ms);
                action = bench.send(Event::Tick);
            }
            if matches!(action, Some(Action::Finish(_))) {
                assert_eq!(bench.characters(), 0);
                break;
            }
            bench.now_ms = end_ms;
            let view = bench.session.view();
            assert!(view.revealed || bench.session.typed().is_empty());
            assert!(view.caret <= view.characters);
            assert!(bench.session.config.reveal || !view.revealed);
        }
    }
}

#[test]
fn nobody_who_looks_away_comes_back_to_what_was_held() {
    let mut bench = Bench::ready(3);
    bench.type_keys("abc");
    let at = bench.at(Press::Backspace);
    for code in [114, 115, 116, 0x130, 0x131, 0x223] {
        bench.stroke(code, Stroke::Press);
    }
    bench.finger(1, Phase::Down, at);
    bench.session.look_away();
    assert_eq!(bench.session.deadline_ms(), Some(60_000), "only the timeout is due");
    bench.pass(5000);
    for code in [114, 115, 116, 0x130, 0x131, 0x223] {
        assert_eq!(bench.stroke(code, Stroke::Release), None);
    }
    assert_eq!(bench.finger(1, Phase::Up, at), None);
    assert_eq!((bench.sheet(), bench.session.view().focus), (Sheet::Keys, None));
}
