//! Which volume, how it is opened, and what can go wrong.

pub mod amount;
pub mod cipher;
pub mod cmdline;
pub mod crypttab;
pub mod entry;
pub mod failure;
pub mod key;
pub mod medium;
pub mod merge;
pub mod message;
pub mod metadata;
pub mod note;
pub mod option;
pub mod origin;
pub mod outcome;
pub mod partition;
pub mod policy;
pub mod raid;
pub mod spec;
pub mod superblock;
pub mod table;
pub mod target;
pub mod task;
pub mod verity;
