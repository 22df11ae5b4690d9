//! How many bytes a pixel really has: some drivers tell a depth that their rows contradict.

/// Rows may be this much longer than their pixels and still be taken for rows of just those pixels.
const SLACK: u32 = 64;

/// Shorter rows prove nothing: padding may be as long as their pixels.
const PROOF_MIN: u64 = 256;

/// Bytes of a pixel of more than 8 bits, from the depth in bits that the driver tells, the pixels
/// and the bytes of a row. The depth is believed where such pixels and usual padding explain the
/// row; otherwise the row is, for the driver's own drawing depends on it.
pub(crate) fn bytes(told_bits: u32, pixels: u32, line_length: u32) -> u32 {
    let told = told_bits.div_ceil(8).clamp(2, 4);
    let row = |bytes: u32| u64::from(pixels) * u64::from(bytes);
    let line = u64::from(line_length);
    // No row of whole words ends within one.
    let aligned = |bytes: u32| bytes == 3 || line_length.is_multiple_of(bytes);
    let exact = |bytes: &u32| aligned(*bytes) && row(*bytes) <= line && line - row(*bytes) < u64::from(SLACK);
    if row(told) > line {
        return (2..told).rev().find(|bytes| row(*bytes) <= line).unwrap_or(told);
    }
    if line < PROOF_MIN || is_padded(row(told), line) { told } else { (told + 1..=4).rev().find(exact).unwrap_or(told) }
}

/// Whether hardware pads rows like this: to a power of two, or to a multiple of up to 512 bytes.
fn is_padded(row: u64, line: u64) -> bool {
    row.checked_next_power_of_two() == Some(line)
        || (0..=9).any(|power| row.checked_next_multiple_of(1 << power) == Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_drivers_are_believed() {
        for (bits, pixels, line, meant) in [
            (32, 1366, 1366 * 4, 4),
            (32, 1366, 1376 * 4, 4),
            (16, 1366, 1376 * 2, 2),
            (16, 480, 1024, 2),
            (16, 1080, 4096, 2),
            // Twice its pixels, and no lie: rows of 512 bytes.
            (16, 128, 512, 2),
            (24, 1024, 3072, 3),
            // Rows of a power of two: the fourth byte is padding as far as anybody can tell.
            (24, 1024, 4096, 3),
            (24, 1366, 4100, 3),
            (15, 640, 1280, 2),
            (30, 1920, 7680, 4),
            (18, 320, 960, 3),
            (12, 320, 640, 2),
            (32, 64, 400, 4),
            (24, 6, 25, 3),
            (16, 6, 24, 2),
        ] {
            assert_eq!(bytes(bits, pixels, line), meant, "{bits} bits, {pixels} pixels in {line} bytes");
        }
    }

    #[test]
    fn a_lie_is_found_by_the_row() {
        for (bits, pixels, line, meant) in [
            // Creality AD5M: 800 pixels of "16 bits" in rows of 3200 bytes.
            (16, 800, 3200, 4),
            (16, 1024, 4096, 4),
            (16, 1366, 1376 * 4, 4),
            (24, 1366, 1366 * 4, 4),
            (24, 800, 3200, 4),
            (18, 800, 3200, 4),
            (32, 800, 1600, 2),
            (32, 800, 2400, 3),
            (24, 800, 1600, 2),
            (32, 800, 1700, 2),
        ] {
            assert_eq!(bytes(bits, pixels, line), meant, "{bits} bits, {pixels} pixels in {line} bytes");
        }
        // Nothing fits: that is for the check of the whole picture to say.
        assert_eq!(bytes(32, 800, 800), 4);
        assert_eq!(bytes(u32::MAX, u32::MAX, u32::MAX), 4);
        assert_eq!(bytes(16, 0, 0), 2);
    }
}
