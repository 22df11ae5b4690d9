//! One file per command. A command composes the other rooms and decides nothing itself.

#[cfg(feature = "host")]
pub mod image;
pub mod init;
pub mod unlock;
