//! Lines of fields, as in crypttab and veritytab.

use super::origin::Origin;

/// The lines that say something, each with its place and its fields, without comments.
///
/// Blanks part fields; within double quotes they do not, and quotes around a whole field are taken
/// off. An octal escape such as `\040` stands for its character, as in fstab(5); among the options, which are
/// the fourth field or a later one, one for a comma parts no words.
#[inline(never)]
pub fn lines(text: &str, file: &str) -> Vec<(Origin, Vec<String>)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let lines = text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        Some((Origin::Line { file: file.to_owned(), line: index + 1 }, fields(line)))
    });
    lines.collect()
}

fn fields(line: &str) -> Vec<String> {
    let mut quoted = false;
    let parts = line.split(move |c: char| {
        quoted ^= c == '"';
        c.is_whitespace() && !quoted
    });
    parts.filter(|part| !part.is_empty()).enumerate().map(|(index, part)| field(part, index >= OPTIONS)).collect()
}

/// Where options may begin.
const OPTIONS: usize = 3;

fn field(raw: &str, is_options: bool) -> String {
    let whole = raw.len() > 1 && raw.starts_with('"') && raw.ends_with('"') && raw.matches('"').count() == 2;
    unescaped(if whole { raw.trim_matches('"') } else { raw }, is_options)
}

/// Takes back octal escapes; in options a comma becomes `\,`.
pub fn unescaped(inner: &str, is_options: bool) -> String {
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        let escape = rest.get(1..4).filter(|_| c == '\\').and_then(octal);
        match escape {
            Some(b',') if is_options => bytes.extend_from_slice(b"\\,"),
            Some(byte) => bytes.push(byte),
            None => {
                let mut buffer = [0; 4];
                bytes.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
            }
        }
        rest = rest.get(if escape.is_some() { 4 } else { c.len_utf8() }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A byte of three octal digits; a NUL is none that a name could hold.
fn octal(digits: &str) -> Option<u8> {
    let fits = digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    fits.then(|| u8::from_str_radix(digits, 8).ok()).flatten().filter(|byte| *byte != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parted() {
        let cases: &[(&str, &[&str])] = &[
            ("a b\tc  d", &["a", "b", "c", "d"]),
            ("a UUID=\"x y\" \"c d\" \"\"", &["a", "UUID=\"x y\"", "c d", ""]),
            ("my\\040name a\\134b \\303\\251 \\999 \\04", &["my name", "a\\b", "é", "\\999", "\\04"]),
            ("\\000 \\", &["\\000", "\\"]),
            ("a \"b c", &["a", "\"b c"]),
            ("\" é\\é", &["\" é\\é"]),
        ];
        for (line, expected) in cases {
            assert_eq!(fields(line), *expected, "{line}");
        }
    }

    #[test]
    fn lines_are_counted_and_comments_skipped() {
        let seen = lines("\u{FEFF}# x\r\n\n a b\r\n\t#c\nd", "/t");
        let at = |line| Origin::Line { file: "/t".into(), line };
        assert_eq!(seen, [(at(3), vec!["a".into(), "b".into()]), (at(5), vec!["d".into()])]);
    }
}
