//! Drawing: a view in, pixels out. Drawing into memory cannot fail.

pub mod font;
pub mod picture;
pub mod shape;
pub mod theme;
