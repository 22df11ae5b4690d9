//! The kernel command line, split as the kernel splits it, and what of it concerns a boot.

use super::Boot;

/// A word of the command line: `key`, or `key=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// What stands before the first `=`.
    pub key: &'a str,
    /// What stands behind it, without the quotes around it.
    pub value: Option<&'a str>,
}

/// Splits /proc/cmdline as lib/cmdline.c (`next_arg`) does: blanks separate words unless they are in
/// double quotes; quotes around a value or a whole word are taken off. A bare `--` ends the kernel's
/// words: what follows is init's.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut quoted = false;
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        // Also a quote that never closes ends with the text.
        let ends = at == text.len() || (c.is_ascii_whitespace() && !quoted);
        match (ends, start) {
            (true, Some(from)) => {
                let raw = text.get(from..at).unwrap_or_default();
                if raw == "--" {
                    break;
                }
                words.push(word(raw));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
        if c == '"' {
            quoted = !quoted;
        }
    }
    words
}

fn word(raw: &str) -> Word<'_> {
    if let Some(rest) = raw.strip_prefix('"') {
        let inner = rest.strip_suffix('"').unwrap_or(rest);
        return match inner.split_once('=') {
            Some((key, value)) => Word { key, value: Some(value) },
            None => Word { key: inner, value: None },
        };
    }
    match raw.split_once('=') {
        None => Word { key: raw, value: None },
        Some((key, value)) => {
            let inner = value.strip_prefix('"');
            let inner = inner.map(|rest| rest.strip_suffix('"').unwrap_or(rest));
            Word { key, value: Some(inner.unwrap_or(value)) }
        }
    }
}

/// Lets the command line overrule `boot`: `root=`, `rootfstype=`, `rootflags=`, `init=`, `ro`, `rw`,
/// and every setting as `fbunlock.KEY=VALUE` (a switch also without a value). The last word of a
/// kind counts. What does not fit is left out and comes back as a message.
pub fn apply(boot: &mut Boot, words: &[Word<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    for word in words {
        let (key, value) = match (word.key, word.value) {
            (key @ ("root" | "rootfstype" | "rootflags" | "init"), Some(value)) => (key, value),
            (key @ ("ro" | "rw"), None) => (key, "yes"),
            (key, value) => match key.strip_prefix("fbunlock.") {
                Some(key) => (key, value.unwrap_or("yes")),
                None => continue,
            },
        };
        if let Err(refusal) = boot.set(key, value) {
            let key = word.key.escape_debug();
            problems.push(format!("kernel command line: {key}: {refusal}"));
        }
    }
    problems
}

/// Splitting, overruling, and noise.
#[cfg(test)]
mod tests {
    use super::super::OnFailure;
    use super::*;
    use crate::model::noise::Noise;

    fn pairs(text: &str) -> Vec<(&str, Option<&str>)> {
        words(text).iter().map(|w| (w.key, w.value)).collect()
    }

    #[test]
    fn splits_as_the_kernel_does() {
        assert_eq!(
            pairs("quiet  a=b=c x=\"1 2\" \"y=3 4\" \"z\" p=q\"r s\" e=\n"),
            [
                ("quiet", None),
                ("a", Some("b=c")),
                ("x", Some("1 2")),
                ("y", Some("3 4")),
                ("z", None),
                ("p", Some("q\"r s\"")),
                ("e", Some("")),
            ]
        );
        assert_eq!(pairs("a -- b"), [("a", None)]);
        assert_eq!(pairs("a=\"b c"), [("a", Some("b c"))]);
        assert_eq!(pairs(""), []);
    }

    #[test]
    fn overrules_the_config() {
        let mut boot = Boot::default();
        boot.set("root", "/dev/a").unwrap();
        boot.set("tries", "5").unwrap();
        let line = "root=/dev/b rootfstype=btrfs rootflags=\"subvol=a b\" init=/bin/sh ro rw \
                    fbunlock.device=/dev/vda fbunlock.on-failure=wait fbunlock.allow_discards \
                    console=ttyS0 vda.root=/x fbunlock.input=\"a b: swap\" fbunlock.input=c:ignore fbunlock.haptics";
        assert_eq!(apply(&mut boot, &words(line)), [""; 0]);
        assert_eq!((boot.input.to_string().as_str(), boot.haptics), ("a b: swap; c:ignore", Some(true)));
        assert_eq!(boot.root.as_deref(), Some("/dev/b"));
        assert_eq!(boot.rootfstype.as_deref(), Some("btrfs"));
        assert_eq!(boot.rootflags.as_deref(), Some("subvol=a b"));
        assert_eq!(boot.inits()[0], "/bin/sh");
        assert_eq!(boot.rw, Some(true));
        assert_eq!(boot.device.as_deref(), Some("/dev/vda"));
        assert_eq!(boot.on_failure, Some(OnFailure::Wait));
        assert_eq!(boot.allow_discards, Some(true));
        assert_eq!(boot.tries, Some(5));
    }

    #[test]
    fn what_does_not_fit_is_told_and_left_out() {
        let mut boot = Boot::default();
        let problems = apply(&mut boot, &words("fbunlock.tries=x fbunlock.colour=red init=sh"));
        assert_eq!(
            problems,
            [
                "kernel command line: fbunlock.tries: must be a whole number",
                "kernel command line: fbunlock.colour: no such setting",
                "kernel command line: init: must be an absolute path",
            ]
        );
        assert_eq!(boot, Boot::default());
    }

    #[test]
    fn random_lines_never_panic() {
        let mut noise = Noise::new(2_463_534_242);
        let mut random = move || noise.draw();
        let pieces = ["root=", "\"", " ", "--", "=", "fbunlock.", "tries", "é", "\n", "\0", "rw"];
        for _ in 0..20_000 {
            let count = random() % 16;
            let pick = |_| pieces[(random() % pieces.len() as u64) as usize];
            let text: String = (0..count).map(pick).collect();
            let words = words(&text);
            apply(&mut Boot::default(), &words);
        }
    }
}
