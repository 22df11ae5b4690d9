//! Which of the wishes the kernel fulfils as it should.

use super::Options;
use crate::model::volume::policy::Version;

/// Ways to save time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Savings {
    /// Blocks that should be zero are not read.
    pub ignore_zero_blocks: bool,
    /// Each block is checked once only.
    pub check_at_most_once: bool,
    /// Checked where the read completes.
    pub tasklet: bool,
}

/// Since which version of the target (drivers/md/dm-verity-target.c) and of the kernel, which may be a later one.
type Since = (Version, Version);

const ZERO_BLOCKS: Since = (Version(1, 3, 0), Version(4, 5, 0));
const AT_MOST_ONCE: Since = (Version(1, 4, 0), Version(4, 17, 0));
/// The flag came with 6.0, and the tasklets that it meant corrupted memory until they were taken out
/// (0a9bab391e33). It is of use again with the queues of 6.9 (c375b223338828).
const TASKLET: Since = (Version(1, 9, 0), Version(6, 9, 0));

/// What only saves time, as far as it is wanted and this kernel has it and does it well. Comes with the words for what
/// was left out. What is about safety is none of it: a kernel that cannot do that must not get round it.
pub fn possible(options: &Options, kernel: Option<Version>, target: Option<Version>) -> (Savings, Vec<&'static str>) {
    let mut savings = Savings::default();
    let wishes = [
        ("ignore-zero-blocks", ZERO_BLOCKS, options.ignore_zero_blocks, &mut savings.ignore_zero_blocks),
        ("check-at-most-once", AT_MOST_ONCE, options.check_at_most_once, &mut savings.check_at_most_once),
        ("try-verify-in-tasklet", TASKLET, options.tasklet, &mut savings.tasklet),
    ];
    let mut left_out = Vec::new();
    for (word, (first_target, first_kernel), is_wanted, saving) in wishes {
        *saving = is_wanted && target >= Some(first_target) && kernel >= Some(first_kernel);
        if is_wanted && !*saving {
            left_out.push(word);
        }
    }
    (savings, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_has_stays() {
        let cases: [(&str, &str, &[&str]); 7] = [
            ("6.12.0", "1.10.0", &[]),
            ("6.9.0", "1.9.0", &[]),
            ("6.8.12", "1.9.0", &["try-verify-in-tasklet"]),
            ("6.1.0", "1.9.0", &["try-verify-in-tasklet"]),
            ("6.12.0", "1.8.0", &["try-verify-in-tasklet"]),
            ("4.16.0", "1.3.0", &["check-at-most-once", "try-verify-in-tasklet"]),
            ("", "", &["ignore-zero-blocks", "check-at-most-once", "try-verify-in-tasklet"]),
        ];
        for (kernel, target, expected) in cases {
            let version = |text: &str| Version::of_kernel(text, "");
            let (options, _) = Options::read("ignore-zero-blocks,check-at-most-once,try-verify-in-tasklet");
            let (savings, left_out) = possible(&options, version(kernel), version(target));
            assert_eq!(left_out, expected, "{kernel} {target}");
            let kept = [savings.ignore_zero_blocks, savings.check_at_most_once, savings.tasklet];
            assert_eq!(kept.iter().filter(|kept| **kept).count(), 3 - expected.len(), "{kernel} {target}");
            assert_eq!(savings.tasklet, !expected.contains(&"try-verify-in-tasklet"), "{kernel} {target}");
        }
    }

    #[test]
    fn nothing_is_told_of_what_nobody_wants() {
        assert_eq!(possible(&Options::default(), None, None), (Savings::default(), vec![]));
        let new = Some(Version(6, 12, 0));
        assert_eq!(possible(&Options::default(), new, new), (Savings::default(), vec![]));
    }
}
