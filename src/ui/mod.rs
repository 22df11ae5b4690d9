//! Drawing: a view in, pixels out. Drawing into memory cannot fail.

mod canvas;
mod caption;
pub mod direction;
mod emblem;
mod field;
pub mod font;
pub mod glyph;
pub mod icon;
pub mod ink;
mod key;
pub mod outline;
pub mod passage;
pub mod picture;
mod popover;
mod scene;
pub mod shape;
mod supply;
