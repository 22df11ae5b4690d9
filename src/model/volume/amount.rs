//! Numbers and spans of time as tables and command lines write them.

/// A whole number: digits and nothing else.
pub fn whole(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A whole number that fits 32 bits.
pub fn whole_u32(text: &str) -> Option<u32> {
    whole(text).and_then(|number| u32::try_from(number).ok())
}

/// A span of time in whole seconds, rounded up: `90`, `90s`, `1min30s`, `500ms`; `infinity` is 0,
/// which everywhere means "no limit" (systemd.time(7)).
pub fn seconds(text: &str) -> Option<u32> {
    if text == "infinity" {
        return Some(0);
    }
    let mut rest = text.trim();
    let mut total_ms = 0_u64;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = rest.split_at_checked(digits)?;
        let behind = behind.trim_start();
        let letters = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, behind) = behind.split_at_checked(letters)?;
        let span_ms = number.parse::<u64>().ok()?.checked_mul(unit_ms(unit)?)?;
        total_ms = total_ms.checked_add(span_ms)?;
        rest = behind.trim_start();
    }
    (!text.trim().is_empty()).then(|| u32::try_from(total_ms.div_ceil(1000)).ok()).flatten()
}

fn unit_ms(unit: &str) -> Option<u64> {
    Some(match unit {
        "" | "s" | "sec" | "second" | "seconds" => 1000,
        "ms" | "msec" => 1,
        "m" | "min" | "minute" | "minutes" => 60_000,
        "h" | "hr" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => 86_400_000,
        _ => return None,
    })
}

/// A switch as systemd reads it.
pub fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "yes" | "y" | "true" | "t" | "on" => Some(true),
        "0" | "no" | "n" | "false" | "f" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let cases = [
            ("0", Some(0)),
            ("90", Some(90)),
            ("90s", Some(90)),
            ("1min30s", Some(90)),
            ("1min 30 sec", Some(90)),
            ("2h", Some(7200)),
            ("1d", Some(86_400)),
            ("500ms", Some(1)),
            ("1001ms", Some(2)),
            ("infinity", Some(0)),
            ("", None),
            (" ", None),
            ("s", None),
            ("-1", None),
            ("1.5s", None),
            ("1 parsec", None),
            ("99999999999999999999", None),
            ("9999999999999999d", None),
            ("99999999999s", None),
            ("1é", None),
        ];
        for (text, span) in cases {
            assert_eq!(seconds(text), span, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_digits() {
        for text in ["", "+1", "-1", "0x10", "1 ", "99999999999999999999999"] {
            assert_eq!(whole(text), None, "{text:?}");
        }
        assert_eq!(whole("0042"), Some(42));
        assert_eq!(whole_u32("4294967296"), None);
        assert_eq!(switch("Yes"), Some(true));
        assert_eq!(switch("0"), Some(false));
        assert_eq!(switch("maybe"), None);
    }
}
