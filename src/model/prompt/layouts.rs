//! The built-in layouts by their names.

use super::layout::US;

/// The text of the layout called `name`.
pub fn find(name: &str) -> Option<&'static str> {
    (name == "us").then_some(US)
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    core::iter::once("us")
}

/// What the user reads.
pub fn title(name: &str) -> Option<&'static str> {
    (name == "us").then_some("US English")
}
