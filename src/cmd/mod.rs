//! One file per command. A command composes the other rooms and decides nothing itself.

#[cfg(feature = "host")]
pub mod image;
pub mod init;
#[cfg(feature = "host")]
pub mod preview;
pub mod unlock;
