//! What a probe reads from: a device or file, or bytes in a test.

/// Bytes that can be read anywhere.
pub trait Medium {
    /// Fills the buffer from `offset` (bytes) on. `false` if not all of it could be read.
    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool;

    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Some bytes at an offset.
    fn bytes<const N: usize>(&mut self, offset: u64) -> Option<[u8; N]>
    where
        Self: Sized,
    {
        let mut bytes = [0; N];
        self.read(offset, &mut bytes).then_some(bytes)
    }
}

impl Medium for &[u8] {
    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool {
        let from = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)?.get(..buffer.len()));
        from.map(|from| buffer.copy_from_slice(from)).is_some()
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }
}

/// Numbers and text in a block of bytes; what lies outside reads as zero.
#[derive(Clone, Copy)]
pub struct Block<'a>(pub &'a [u8]);

impl<'a> Block<'a> {
    /// `N` bytes at an offset.
    pub fn at<const N: usize>(self, offset: usize) -> [u8; N] {
        let bytes = self.0.get(offset..).and_then(|rest| rest.first_chunk::<N>());
        bytes.copied().unwrap_or([0; N])
    }

    /// Whether the bytes stand there.
    pub fn has(self, offset: usize, bytes: &[u8]) -> bool {
        self.0.get(offset..).is_some_and(|rest| rest.starts_with(bytes))
    }

    /// Little-endian, 16 bits.
    pub fn u16(self, offset: usize) -> u16 {
        u16::from_le_bytes(self.at(offset))
    }

    /// Little-endian, 32 bits.
    pub fn u32(self, offset: usize) -> u32 {
        u32::from_le_bytes(self.at(offset))
    }

    /// Little-endian, 64 bits.
    pub fn u64(self, offset: usize) -> u64 {
        u64::from_le_bytes(self.at(offset))
    }

    /// Text of at most `length` bytes, up to a NUL; `None` if it is empty or no UTF-8.
    #[inline(never)]
    pub fn text(self, offset: usize, length: usize) -> Option<&'a str> {
        let rest = self.0.get(offset..)?;
        let field = rest.get(..length).unwrap_or(rest);
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        core::str::from_utf8(field.get(..end)?).ok().filter(|text| !text.is_empty())
    }

    /// UTF-16, little-endian, of at most `length` units, up to a NUL.
    #[inline(never)]
    pub fn utf16(self, offset: usize, length: usize) -> Option<String> {
        let units = (0..length).map(|index| self.u16(offset + 2 * index)).take_while(|unit| *unit != 0);
        let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Some(text).filter(|text| !text.is_empty())
    }

    /// A UUID of 16 bytes in their order; `None` if it is zero.
    #[inline(never)]
    pub fn uuid(self, offset: usize) -> Option<String> {
        let bytes = self.at::<16>(offset);
        (bytes != [0; 16]).then(|| super::verity::uuid(&bytes))
    }

    /// A GUID, whose first three numbers are little-endian (UEFI specification, appendix A).
    #[inline(never)]
    pub fn guid(self, offset: usize) -> Option<String> {
        let mut bytes = self.at::<16>(offset);
        for part in [0..4, 4..6, 6..8] {
            if let Some(part) = bytes.get_mut(part) {
                part.reverse();
            }
        }
        (bytes != [0; 16]).then(|| super::verity::uuid(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_outside() {
        let mut medium: &[u8] = &[1, 2, 3];
        assert_eq!(medium.bytes::<2>(1), Some([2, 3]));
        assert_eq!(medium.bytes::<2>(2), None);
        assert_eq!(medium.bytes::<1>(u64::MAX), None);
        let block = Block(&[1, 2, 3]);
        assert_eq!((block.u16(1), block.u32(0), block.u16(usize::MAX)), (0x302, 0, 0));
        assert!(!block.has(4, b"") && block.has(3, b""));
    }

    #[test]
    fn text_ends_at_a_nul() {
        let block = Block(b"ab\0c\xff");
        assert_eq!((block.text(0, 9), block.text(0, 1), block.text(2, 2)), (Some("ab"), Some("a"), None));
        assert_eq!((block.text(3, 9), block.text(6, 1)), (None, None));
        let wide = Block(&[b'a', 0, 0x3d, 0xd8, 0x00, 0xde, 0, 0]);
        assert_eq!(wide.utf16(0, 9).as_deref(), Some("a😀"));
        assert_eq!(wide.utf16(0, 2).as_deref(), Some("a\u{fffd}"));
        assert_eq!(wide.utf16(6, 9), None);
    }

    #[test]
    fn both_kinds_of_uuid() {
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(Block(&bytes).uuid(0).as_deref(), Some("00010203-0405-0607-0809-0a0b0c0d0e0f"));
        assert_eq!(Block(&bytes).guid(0).as_deref(), Some("03020100-0504-0706-0809-0a0b0c0d0e0f"));
        assert_eq!(Block(&[0; 16]).uuid(0), None);
    }
}
