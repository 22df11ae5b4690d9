//! The config file: lines of `key = value`; `#` begins a comment.

use std::fmt;

use super::{Boot, KEYS, Refusal};

/// A line that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counted from 1.
    pub line: usize,
    /// The key, or the whole line where it has none.
    pub key: String,
    /// Why; `None` if the line is not of the form `key = value`.
    pub refusal: Option<Refusal>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: ", self.line, self.key)?;
        match &self.refusal {
            Some(refusal) => refusal.fmt(f),
            None => f.write_str("not of the form `key = value`"),
        }
    }
}

/// Reads a config into `boot`. What is wrong with it comes back line by line and the rest counts:
/// a typo must not lock anybody out.
pub fn read(boot: &mut Boot, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let line = uncommented(line).trim();
        if line.is_empty() {
            continue;
        }
        let problem = |key: &str, refusal| Problem { line: index + 1, key: key.escape_debug().to_string(), refusal };
        let Some((key, value)) = line.split_once('=') else {
            problems.push(problem(line, None));
            continue;
        };
        let (key, value) = (key.trim(), unquoted(value.trim()));
        if let Err(refusal) = boot.set(key, value) {
            problems.push(problem(key, Some(refusal)));
        }
    }
    problems
}

/// Writes the settings that are set, so that [`read`] gives the same again.
pub fn write(boot: &Boot) -> String {
    let set = KEYS.iter().filter_map(|key| Some((key, boot.get(key)?)));
    set.map(|(key, value)| format!("{key} = \"{value}\"\n")).collect()
}

/// The line up to a `#` that stands at its beginning or after a blank, outside quotes; a colour that
/// is the value begins with one, too.
fn uncommented(line: &str) -> &str {
    let mut quoted = false;
    let mut blank = true;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if blank && !quoted && !is_color(line, at) => return line.get(..at).unwrap_or(line),
            _ => {}
        }
        blank = c.is_whitespace();
    }
    line
}

/// Whether the `#` at a byte of the line begins a colour that is the value of a key for one.
fn is_color(line: &str, at: usize) -> bool {
    let Some((before, after)) = line.split_at_checked(at) else { return false };
    let word = after.split_whitespace().next().unwrap_or_default();
    let hex = word.len() == 7 && word.bytes().skip(1).all(|byte| byte.is_ascii_hexdigit());
    hex && before.trim_start().starts_with("color.") && before.trim_end().ends_with('=')
}

fn unquoted(value: &str) -> &str {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(value)
}

/// Form, comments, problems, the way there and back, and noise.
#[cfg(test)]
mod tests {
    use super::super::OnFailure;
    use super::*;
    use crate::model::noise::Noise;

    #[test]
    fn reads_keys_comments_and_quotes() {
        let mut boot = Boot::default();
        let text = "\u{FEFF}# the disk\n\
                    device = /dev/vda2   # by the bay\r\n\
                    name=crypt\n\
                    rootflags = \"subvol=@,compress\"\n\
                    root=/dev/disk#1\n\
                    \n\
                    allow-discards = yes\n\
                    on_failure = poweroff\n\
                    color.key = #a0b1C2 #3 is none\n\
                    color.text =\t#102030\n\
                    theme = light #102030\n\
                    ro = no\n";
        assert_eq!(read(&mut boot, text), []);
        assert_eq!(boot.device.as_deref(), Some("/dev/vda2"));
        assert_eq!(boot.name(), "crypt");
        assert_eq!(boot.rootflags.as_deref(), Some("subvol=@,compress"));
        assert_eq!(boot.root.as_deref(), Some("/dev/disk#1"));
        assert_eq!(boot.allow_discards, Some(true));
        assert_eq!(boot.on_failure, Some(OnFailure::PowerOff));
        assert_eq!(boot.rw, Some(true));
        assert_eq!(boot.theme.color("key").as_deref(), Some("#a0b1c2"));
        assert_eq!(boot.theme.color("text").as_deref(), Some("#102030"));
        assert_eq!(boot.theme.base(), Some("light"));
    }

    #[test]
    fn problems_name_line_and_reason_and_the_rest_counts() {
        let mut boot = Boot::default();
        let problems = read(&mut boot, "colour = red\nnonsense\ntries = many\ntries = 5\n");
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "line 1: colour: no such setting",
                "line 2: nonsense: not of the form `key = value`",
                "line 3: tries: must be a whole number",
            ]
        );
        assert_eq!(boot.tries, Some(5));
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut boot = Boot::default();
        boot.set("device", "/dev/disk/by # odd").unwrap();
        boot.set("tries", "0").unwrap();
        boot.set("rw", "yes").unwrap();
        boot.set("color.border", "#00ff00").unwrap();
        boot.set("perf-no_read_workqueue", "auto").unwrap();
        boot.set("input", "Goodix: matrix 0 -1 1 1 0 0").unwrap();
        boot.set("input", "swap").unwrap();
        let mut again = Boot::default();
        assert_eq!(read(&mut again, &write(&boot)), []);
        assert_eq!(again, boot);
        assert_eq!(write(&Boot::default()), "");
    }

    #[test]
    fn random_text_never_panics_and_reads_back() {
        let mut noise = Noise::new(88_172_645_463_325_252);
        let mut random = move || noise.draw();
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..random() % 20 {
                let pick = random() as usize;
                match pick % 4 {
                    0 => text.push_str(KEYS[(pick / 4) % KEYS.len()]),
                    1 => text.push(['=', '#', '"', '\n', ' ', '-'][(pick / 4) % 6]),
                    2 => text.push_str(["/x", "yes", "1", "off", "\r\n", "\0"][(pick / 4) % 6]),
                    _ => text.push(char::from_u32((pick / 4) as u32 % 0x500).unwrap_or('x')),
                }
            }
            let mut boot = Boot::default();
            read(&mut boot, &text);
            let mut again = Boot::default();
            assert_eq!(read(&mut again, &write(&boot)), [], "{text:?}");
            assert_eq!(again, boot, "{text:?}");
        }
    }
}
