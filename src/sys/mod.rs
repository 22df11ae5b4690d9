//! The edges, and the only `unsafe`: one kernel object or C library per file.

pub mod child;
pub mod log;
pub mod module;
#[cfg(feature = "host")]
pub mod module_tree;
pub mod mount;
#[cfg(feature = "host")]
pub mod output;
pub mod power;
pub mod stdio;
pub mod switch_root;
