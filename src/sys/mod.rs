//! The edges, and the only `unsafe`: one kernel object or C library per file.

pub mod block;
pub mod child;
pub mod console;
pub mod crypt;
pub mod dm;
pub mod fb;
pub mod guard;
pub mod input;
pub mod locked;
pub mod log;
pub mod machine;
pub mod memory;
pub mod module;
#[cfg(feature = "host")]
pub mod module_tree;
pub mod mount;
#[cfg(feature = "host")]
pub mod output;
pub mod panel_size;
pub mod poll;
pub mod power;
pub mod signal;
pub mod stdio;
pub mod switch_root;
pub mod tty;
pub mod worker;
