//! Which performance flags a dm-crypt mapping gets, and why.

/// What the user says about the work-queue flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// By kernel and disk.
    #[default]
    Auto,
    /// Always, where the kernel has them.
    On,
    /// Never.
    Off,
}
