//! The edges, and the only `unsafe`: one kernel object or C library per file.

pub mod block;
pub mod console;
pub mod crypt;
pub mod dm;
pub mod fb;
pub mod guard;
pub mod input;
pub mod locked;
pub mod machine;
pub mod memory;
pub mod poll;
pub mod signal;
pub mod tty;
pub mod worker;
