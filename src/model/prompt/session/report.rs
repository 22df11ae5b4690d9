//! What follows from what the worker says.

use super::super::event::Action;
use super::super::view::Tone;
use super::{CLOSING_MS, Session, State};
use crate::error::Error;
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{Ready, Report};

impl Session {
    pub(super) fn report(&mut self, report: Report) -> Option<Action> {
        self.stir_ms = self.now_ms;
        match (report, &self.state) {
            // By whomever, and even if it was given up a moment ago.
            (Report::Opened(_), _) => self.next(None),
            (_, State::Closing { .. }) => None,
            (Report::Ready(ready), State::Waiting { submitted }) => {
                let submitted = *submitted;
                self.state = State::Asking;
                // What went wrong before stays to be read.
                if self.tone == Tone::Calm {
                    self.say(Tone::Calm, "");
                    self.warn(&ready);
                }
                if submitted { self.submit() } else { None }
            }
            (Report::Ready(_), _) => None,
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

    /// Says before anything is typed that no passphrase can open the volume for now.
    fn warn(&mut self, ready: &Ready) {
        if ready.memory_kib > ready.free_kib && ready.free_kib > 0 {
            let shortage = Failure::Memory { needed_kib: ready.memory_kib, free_kib: ready.free_kib };
            self.say(Tone::Alarm, shortage.text());
        }
    }

    /// Goes on with the next volume, or ends with success after the last. This one is open, or was given up for
    /// that reason.
    fn next(&mut self, error: Option<Error>) -> Option<Action> {
        self.secret.wipe();
        self.edited();
        self.hide();
        let Some(question) = self.config.later.pop_front() else {
            self.passed = error;
            return Some(Action::Finish(Ok(())));
        };
        self.config.question = question;
        self.typist.reset();
        self.let_go();
        self.desk.back();
        self.tried = 0;
        self.state = State::Waiting { submitted: false };
        (self.started_ms, self.input_ms) = (self.now_ms, self.now_ms);
        self.say(Tone::Calm, "");
        self.change(self.desk.sheet());
        Some(Action::Next(error))
    }

    /// Ends with an error, unless there is another volume and it goes without this one.
    pub(super) fn pass_over(&mut self, error: Error) -> Option<Action> {
        if self.config.question.is_optional { self.next(Some(error)) } else { self.finish(error) }
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
            let left = self.config.question.tries.saturating_sub(self.tried);
            match (self.config.question.tries, left) {
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
        let error = Error::new(failure.exit(), format!("unlock {}", self.config.question.volume), failure.text());
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
                self.say(Tone::Calm, if self.config.question.test { "Checking\u{2026}" } else { "Unlocking\u{2026}" });
                self.let_go();
                self.desk.back();
                Some(Action::Unlock { length: self.secret.len() as u32 })
            }
            State::Working { .. } | State::Closing { .. } => None,
        }
    }
}
