//! Drawing: a view in, pixels out. Drawing into memory cannot fail.

pub mod direction;
pub mod font;
pub mod glyph;
pub mod icon;
pub mod ink;
pub mod outline;
pub mod passage;
pub mod picture;
pub mod shape;
pub mod theme;
