//! Bytes written as text.

/// Bytes of pairs of hexadecimal digits.
pub fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let pairs = digits.filter(|digits| !digits.is_empty() && digits.len().is_multiple_of(2))?;
    Some(pairs.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

/// Bytes of base 64 (RFC 4648, section 4), with or without padding.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for c in digits.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    // One digit alone is no byte, and bits that are left over are none of anybody's.
    (count < 6 && bits == 0 && !bytes.is_empty()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_the_standard() {
        let cases = [("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob"), ("Zm9vYmFy", "foobar")];
        for (text, bytes) in cases {
            assert_eq!(base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(base64("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
        for bad in ["", "Z", "Zh==", "Zm9v!", "Zm 9v", "Zm9vé", "===="] {
            assert_eq!(base64(bad), None, "{bad}");
        }
        assert_eq!(hex("00fFa0"), Some(vec![0, 255, 160]));
        assert_eq!(hex("0"), None);
    }
}
