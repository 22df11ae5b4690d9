//! `fbunlock init`: PID 1 of an initramfs of one file.
