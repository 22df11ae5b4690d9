//! Everything that is decided or computed: no files, no clock, no environment, no `unsafe`.

pub mod volume;
