//! The prompt: what is typed, what is shown, and what follows from it.

pub mod backlight;
pub mod battery;
pub mod calibration;
pub mod code;
pub mod decoder;
pub mod device;
pub mod event;
pub mod hardware;
pub mod idle;
pub mod keymap;
pub mod layout;
pub mod plan;
pub mod platform;
pub mod pointer;
pub mod repeat;
pub mod secret;
pub mod session;
pub mod terminal;
pub mod typist;
pub mod view;
