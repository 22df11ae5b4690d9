//! How much memory there is (`/proc/meminfo`), and who goes first when there is none
//! (`/proc/self/oom_score_adj`).

use std::fs;

/// KiB that could be used without swapping; `None` where the kernel does not say.
pub fn available_kib() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Tells the OOM killer to take this process first: the prompt shall live on.
pub fn go_first() {
    // Without /proc nobody can be told, and nothing is lost but the order.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
}
