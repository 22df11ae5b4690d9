//! The prompt: what is typed, what is shown, and what follows from it.

pub mod decoder;
pub mod device;
pub mod keymap;
pub mod layout;
pub mod plan;
pub mod secret;
