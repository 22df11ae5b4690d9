//! fbunlock asks for a disk passphrase on the bare framebuffer and opens the disk.
//!
//! Four principles hold everywhere:
//! 1. Never a dead end: whatever fails is told on the screen or the console, and what can be tried
//!    again can be tried again.
//! 2. Deciding is pure. [`model`] has no files, no clock and no `unsafe`; the edges in [`sys`] hand
//!    facts in and carry decisions out.
//! 3. One thread, one loop ([`app`]); whatever may block or die lives in a process of its own.
//! 4. A passphrase lives in one locked buffer and is wiped as soon as it is not needed.
//!
//! Imports run down only: `main` → [`cli`] → [`cmd`] → [`app`] → [`ui`] → [`model`], and
//! [`cmd`] → [`sys`] → [`model`]. `tests/tidy.rs` keeps it so.

// A test that fails may panic.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod app;
pub mod cli;
pub mod cmd;
pub mod error;
pub mod model;
pub mod sys;
pub mod ui;
