//! fbunlock.
pub mod error;
