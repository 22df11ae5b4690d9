//! The guest's serial line: written to a file as it comes, searched with a deadline.
//!
//! Waiting for a marker instead of sleeping is what keeps the tests right on a loaded machine.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Context, Result, fail};

/// Nothing good comes after this.
const PANIC: &str = "Kernel panic";
/// From the end of a machine to the end of what it wrote.
const REST: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Log {
    text: String,
    ended: bool,
}

#[derive(Default)]
struct Shared {
    log: Mutex<Log>,
    grown: Condvar,
}

impl Shared {
    /// A reader that panicked leaves a log that is still worth reading.
    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes whole characters out of `bytes`; the beginning of one that is cut off stays for later.
fn decode(bytes: &mut Vec<u8>) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    let taken: Vec<u8> = bytes.drain(..whole).collect();
    String::from_utf8_lossy(&taken).into_owned()
}

pub(crate) struct Serial {
    shared: Arc<Shared>,
    /// Everything before this was seen by an earlier wait.
    seen: usize,
}

impl Serial {
    /// Reads `source` in a thread until it ends.
    pub(crate) fn new(mut source: impl Read + Send + 'static, file: &Path) -> Result<Self> {
        let mut file = File::create(file).context(format_args!("create {}", file.display()))?;
        let shared = Arc::new(Shared::default());
        let writer = Arc::clone(&shared);
        thread::spawn(move || {
            let (mut chunk, mut bytes) = ([0; 4096], Vec::new());
            while let Ok(length @ 1..) = source.read(&mut chunk) {
                // The file is for people; a full disk must not stop the test.
                let _ = file.write_all(&chunk[..length]);
                bytes.extend_from_slice(&chunk[..length]);
                writer.lock().text.push_str(&decode(&mut bytes).replace('\r', ""));
                writer.grown.notify_all();
            }
            writer.lock().ended = true;
            writer.grown.notify_all();
        });
        Ok(Self { shared, seen: 0 })
    }

    /// Waits until `marker` appears after what was seen before.
    pub(crate) fn expect(&mut self, marker: &str, limit: Duration) -> Result<()> {
        self.wait(marker, limit, |text| text.find(marker).map(|at| (String::new(), at + marker.len()))).map(drop)
    }

    /// Waits for a whole line that holds `marker` and gives what follows the marker in it.
    pub(crate) fn line(&mut self, marker: &str, limit: Duration) -> Result<String> {
        self.wait(marker, limit, |text| {
            let start = text.find(marker)? + marker.len();
            let end = start + text[start..].find('\n')?;
            Some((text[start..end].to_owned(), end))
        })
    }

    fn wait<T>(&mut self, marker: &str, limit: Duration, find: impl Fn(&str) -> Option<(T, usize)>) -> Result<T> {
        let deadline = Instant::now() + limit;
        let mut log = self.shared.lock();
        loop {
            let fresh = &log.text[self.seen..];
            if let Some((found, end)) = find(fresh) {
                self.seen += end;
                return Ok(found);
            }
            if fresh.contains(PANIC) {
                return fail(format!("the kernel panicked while waiting for {marker:?}"));
            }
            if log.ended {
                return fail(format!("the machine ended while waiting for {marker:?}"));
            }
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return fail(format!("no {marker:?} within {} s", limit.as_secs()));
            };
            log = self.shared.grown.wait_timeout(log, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Nothing that was written until now, or until the end of a machine that `ended`, is a panic of
    /// the kernel.
    pub(crate) fn calm(&self, ended: bool) -> Result<()> {
        let log = self.shared.lock();
        let unfinished = |log: &mut Log| ended && !log.ended;
        let (log, _) =
            self.shared.grown.wait_timeout_while(log, REST, unfinished).unwrap_or_else(PoisonError::into_inner);
        match log.text.lines().find(|line| line.contains(PANIC)) {
            Some(line) => fail(format!("the kernel panicked: {line}")),
            None => Ok(()),
        }
    }

    /// Whether `marker` was written at any time until now.
    pub(crate) fn contains(&self, marker: &str) -> bool {
        self.shared.lock().text.contains(marker)
    }

    /// The last `count` lines.
    pub(crate) fn tail(&self, count: usize) -> String {
        let log = self.shared.lock();
        let lines: Vec<&str> = log.text.lines().collect();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }
}
