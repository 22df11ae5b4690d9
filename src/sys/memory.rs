//! How much memory there is (`/proc/meminfo`), and who goes first when there is none
//! (`/proc/self/oom_score_adj`).

use std::fs;

/// KiB that a process can have at once: half of what an address reaches. Argon2 takes no more on
/// 32 bits (`ARGON2_MAX_MEMORY_BITS`), and the kernel keeps a quarter or a half for itself.
const ADDRESSABLE_KIB: u64 = 1 << (usize::BITS - 11);

/// KiB that this process could use without swapping; `None` where the kernel does not say. A 32-bit
/// machine may have more memory than one process can use.
pub fn available_kib() -> Option<u64> {
    free_kib(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn free_kib(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib.min(ADDRESSABLE_KIB))
}

/// How much sooner than others the OOM killer takes this process (proc(5)).
const OOM_SCORE: &str = "/proc/self/oom_score_adj";

/// Tells the OOM killer to take this process first: the prompt shall live on.
pub fn go_first() {
    // Without /proc nobody can be told, and nothing is lost but the order.
    let _ = fs::write(OOM_SCORE, "1000");
}

/// The OOM killer spares this process and those it forks until this is dropped: what PID 1 becomes shall not
/// inherit it.
pub struct Spared {
    before: Option<String>,
}

impl Spared {
    /// Tells the OOM killer so. Without the right to (CAP_SYS_RESOURCE) all stays as it is.
    pub fn begin() -> Self {
        let before = fs::read_to_string(OOM_SCORE).ok();
        Self { before: before.filter(|_| fs::write(OOM_SCORE, "-1000").is_ok()) }
    }
}

impl Drop for Spared {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = fs::write(OOM_SCORE, before.trim());
        }
    }
}

/// The flags of the mapping around an address (`VmFlags` of /proc/self/smaps); `None` under an emulator
/// whose program does not live at the kernel's addresses: its /proc/self/maps is another one.
#[cfg(test)]
pub(super) fn flags(address: usize) -> Option<Vec<String>> {
    let range = |line: &str| {
        let (from, to) = line.split_whitespace().next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        Some(number(from)?..number(to)?).filter(|range| range.contains(&address))
    };
    let read = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
    let smaps = read("smaps");
    let mut lines = smaps.lines().skip_while(|line| range(line).is_none());
    let found = range(lines.next()?);
    if !read("maps").lines().any(|line| range(line) == found) {
        return None;
    }
    let flags = lines.find_map(|line| line.strip_prefix("VmFlags:"))?;
    Some(flags.split_whitespace().map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_spared_is_so_for_a_while() {
        let score = || fs::read_to_string(OOM_SCORE).unwrap();
        let before = score();
        let spared = Spared::begin();
        let is_spared = spared.before.is_some();
        assert_eq!(score().trim() == "-1000", is_spared || before.trim() == "-1000");
        drop(spared);
        assert_eq!(score(), before);
    }

    #[test]
    fn what_no_address_reaches_is_not_free() {
        let text = "MemTotal:       24688640 kB\nMemAvailable:   16777216 kB\nBuffers: 7 kB\n";
        let wide = usize::BITS == 64;
        assert_eq!(free_kib(text), Some(if wide { 16 << 20 } else { 2 << 20 }));
        assert_eq!(free_kib("MemAvailable:     629760 kB\n"), Some(629_760));
        for broken in ["", "MemAvailable:\n", "MemAvailable: 7 MB\n", "MemTotal: 7 kB\n"] {
            assert_eq!(free_kib(broken), None, "{broken:?}");
        }
    }
}
