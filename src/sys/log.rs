//! The kernel's log, `/dev/kmsg`: what PID 1 says there can still be read on the running system
//! (Documentation/ABI/testing/dev-kmsg).

use std::fs::{File, OpenOptions};
use std::io::Write;

use super::console;

/// Messages of PID 1. Before [`Log::open`], and where there is no `/dev/kmsg`, all go to stderr.
#[derive(Debug, Default)]
pub struct Log {
    kmsg: Option<File>,
}

impl Log {
    /// Opens `/dev/kmsg`, which is there once `/dev` is mounted.
    pub fn open(&mut self) {
        self.kmsg = OpenOptions::new().write(true).open("/dev/kmsg").ok();
    }

    /// What went well. Not on the console of a quiet boot.
    pub fn info(&mut self, text: &str) {
        if !self.kernel(6, text) {
            console::print(text);
        }
    }

    /// What went wrong and was got over. Not on the console of a quiet boot.
    pub fn warn(&mut self, text: &str) {
        if !self.kernel(4, text) {
            console::print(text);
        }
    }

    /// What somebody has to read now: on the console, whatever its log level.
    pub fn error(&mut self, text: &str) {
        console::print(text);
        // Level 7 keeps the kernel from printing it a second time.
        self.kernel(7, text);
    }

    /// One record of the kernel's log; false if it did not take it. The kernel refuses records of
    /// 1024 bytes and more, prefix included.
    fn kernel(&mut self, level: u8, text: &str) -> bool {
        const TEXT_MAX: usize = 960;
        let Some(kmsg) = &mut self.kmsg else { return false };
        let mut end = text.len().min(TEXT_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end).unwrap_or_default();
        // One write is one record.
        kmsg.write_all(format!("<{level}>fbunlock: {text}\n").as_bytes()).is_ok()
    }
}
