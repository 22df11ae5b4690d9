//! One kind of error for the whole harness: a sentence that keeps every cause.

use std::fmt;

/// What was tried and why it did not work.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A failure with this text.
pub(crate) fn fail<T>(text: impl Into<String>) -> Result<T> {
    Err(Failure(text.into()))
}

/// Says what was tried, before the cause.
pub(crate) trait Context<T> {
    fn context(self, what: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, what: impl fmt::Display) -> Result<T> {
        self.map_err(|cause| Failure(format!("{what}: {cause}")))
    }
}
