//! Which volume, how it is opened, and what can go wrong.

pub mod failure;
pub mod message;
pub mod policy;
pub mod target;
pub mod task;
