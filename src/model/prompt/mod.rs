//! The prompt: what is typed, what is shown, and what follows from it.

pub mod backlight;
pub mod battery;
pub mod decoder;
pub mod device;
pub mod event;
pub mod idle;
pub mod keymap;
pub mod layout;
pub mod layouts;
pub mod plan;
pub mod platform;
pub mod secret;
pub mod session;
pub mod terminal;
pub mod typist;
pub mod view;
