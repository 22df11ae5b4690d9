//! The edges, and the only `unsafe`: one kernel object or C library per file.
