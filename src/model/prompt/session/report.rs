//! What follows from what the worker says.

use super::super::event::Action;
use super::super::view::Tone;
use super::{CLOSING_MS, Session, State};
use crate::error::Error;
use crate::model::volume::failure::Failure;
use crate::model::volume::message::Report;

impl Session {
    pub(super) fn report(&mut self, report: Report) -> Option<Action> {
        self.stir_ms = self.now_ms;
        match (report, &self.state) {
            (_, State::Closing { .. }) => None,
            (Report::Ready { .. }, State::Waiting { submitted: true }) => {
                self.state = State::Asking;
                self.submit()
            }
            (Report::Ready { .. }, State::Waiting { submitted: false }) => {
                self.state = State::Asking;
                // What went wrong before stays to be read.
                if self.tone == Tone::Calm {
                    self.say(Tone::Calm, "");
                }
                None
            }
            (Report::Ready { .. }, _) => None,
            (Report::Opened { .. }, _) => {
                self.secret.wipe();
                Some(Action::Finish(Ok(())))
            }
            (Report::Failed(failure), _) => {
                self.input_ms = self.now_ms;
                // A worker that died starts anew and says when it is ready. Only now: an answer sent
                // meanwhile was for the one that is gone.
                let died = matches!(failure, Failure::Died { .. });
                self.fail(failure);
                died.then_some(Action::Restart)
            }
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.say(Tone::Alarm, failure.text());
        // What was typed stays, unless it was wrong: it is not lost to a lack of memory.
        if failure == Failure::WrongPassphrase {
            self.secret.wipe();
            self.edited();
            self.hide();
            self.typist.reset();
            self.tried += 1;
            let left = self.config.tries.saturating_sub(self.tried);
            match (self.config.tries, left) {
                (0, _) => {}
                (_, 0) => return self.close(failure),
                (_, 1) => self.message.push_str(". One try left"),
                (_, left) => self.message.push_str(&format!(". {left} tries left")),
            }
        }
        if failure.can_retry() {
            let died = matches!(failure, Failure::Died { .. });
            self.state = if died { State::Waiting { submitted: false } } else { State::Asking };
        } else {
            self.close(failure);
        }
        self.change(self.desk.sheet());
    }

    fn close(&mut self, failure: Failure) {
        self.secret.wipe();
        self.edited();
        self.hide();
        self.let_go();
        self.desk.back();
        let error = Error::new(failure.exit(), format!("unlock {}", self.config.volume), failure.text());
        self.state = State::Closing { until_ms: self.now_ms.saturating_add(CLOSING_MS), error };
    }

    pub(super) fn submit(&mut self) -> Option<Action> {
        if self.secret.is_empty() {
            // Who presses Enter once more as a passphrase is refused has not read that yet.
            if self.tone == Tone::Calm {
                self.say(Tone::Calm, "Type the passphrase first");
            }
            return None;
        }
        self.hide();
        match &mut self.state {
            State::Waiting { submitted } => {
                *submitted = true;
                None
            }
            State::Asking => {
                self.state = State::Working { since_ms: self.now_ms };
                self.say(Tone::Calm, if self.config.test { "Checking\u{2026}" } else { "Unlocking\u{2026}" });
                self.let_go();
                self.desk.back();
                Some(Action::Unlock { length: self.secret.len() as u32 })
            }
            State::Working { .. } | State::Closing { .. } => None,
        }
    }
}
