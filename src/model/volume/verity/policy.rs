//! Which of the wishes the kernel fulfils as it should.

use super::Options;
use crate::model::volume::policy::Version;

/// Since which version of the target (drivers/md/dm-verity-target.c) and of the kernel, which may be a later one.
type Since = (Version, Version);

const ZERO_BLOCKS: Since = (Version(1, 3, 0), Version(4, 5, 0));
const AT_MOST_ONCE: Since = (Version(1, 4, 0), Version(4, 17, 0));
/// The flag came with 6.0, and the tasklets that it meant corrupted memory until they were taken out
/// (0a9bab391e33). It is of use again with the queues of 6.9 (c375b223338828).
const TASKLET: Since = (Version(1, 9, 0), Version(6, 9, 0));

/// Takes back what only saves time and what this kernel does not have, or does badly. Comes back with the words for
/// that. What is about safety stays: a kernel that cannot do it must not get round it.
pub fn mask(options: &mut Options, kernel: Option<Version>, target: Option<Version>) -> Vec<&'static str> {
    let wishes = [
        ("ignore-zero-blocks", ZERO_BLOCKS, &mut options.ignore_zero_blocks),
        ("check-at-most-once", AT_MOST_ONCE, &mut options.check_at_most_once),
        ("try-verify-in-tasklet", TASKLET, &mut options.tasklet),
    ];
    let mut masked = Vec::new();
    for (word, (first_target, first_kernel), wish) in wishes {
        let fits = target.is_some_and(|version| version >= first_target)
            && kernel.is_some_and(|version| version >= first_kernel);
        if *wish && !fits {
            *wish = false;
            masked.push(word);
        }
    }
    masked
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
            let all = "ignore-zero-blocks,check-at-most-once,try-verify-in-tasklet,panic-on-corruption";
            let (mut options, _) = Options::read(all);
            let (kept, _) =
                Options::read(&all.split(',').filter(|word| !expected.contains(word)).collect::<Vec<_>>().join(","));
            assert_eq!(mask(&mut options, version(kernel), version(target)), expected, "{kernel} {target}");
            assert_eq!(options, kept, "{kernel} {target}");
        }
    }

    #[test]
    fn nothing_is_told_of_what_nobody_wants() {
        let mut options = Options::default();
        assert_eq!(mask(&mut options, None, None), [""; 0]);
        assert_eq!(options, Options::default());
    }
}
