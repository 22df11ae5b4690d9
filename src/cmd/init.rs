//! `fbunlock init`: PID 1 of an initramfs of one file.

use crate::error::{Error, Exit};

/// Runs as PID 1.
pub fn run() -> Exit {
    Exit::Parameters
}

/// What every other process is told.
pub fn refusal() -> Error {
    Error::new(Exit::Parameters, "init", "only process 1 of an initramfs can be init")
}
