//! The edges, and the only `unsafe`: one kernel object or C library per file.

#[cfg(feature = "host")]
pub mod module_tree;
#[cfg(feature = "host")]
pub mod output;
