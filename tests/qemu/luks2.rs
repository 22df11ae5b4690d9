//! Changes the header of a LUKS2 volume (LUKS2 on-disk format, §2 and §3) where cryptsetup does not.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Context, Result, fail};
use crate::tool::run;

/// Bytes of each of the two headers, binary part and JSON, as cryptsetup makes them.
const HEADER: usize = 16 << 10;
/// Where the binary part has its checksum, SHA-256 of the whole with nothing there.
const CHECKSUM: std::ops::Range<usize> = 448..512;
const OLD: &str = "\"encryption\":\"aes-xts-plain64\"";

/// Lets a header say that its data is encrypted by `cipher`.
pub(crate) fn set_cipher(image: &Path, cipher: &str) -> Result<()> {
    let mut bytes = fs::read(image).context(format_args!("read {}", image.display()))?;
    let part = image.with_extension("part");
    for header in bytes[..2 * HEADER].chunks_exact_mut(HEADER) {
        let text = String::from_utf8_lossy(&header[4096..]).trim_end_matches('\0').to_owned();
        // That of the keyslot comes first, that of the data last.
        let Some((start, end)) = text.rsplit_once(OLD) else { return fail(format!("no {OLD} in {text}")) };
        let text = format!("{start}\"encryption\":\"{cipher}\"{end}");
        header[4096..].fill(0);
        header[4096..][..text.len()].copy_from_slice(text.as_bytes());
        header[CHECKSUM].fill(0);
        fs::write(&part, &header).context(format_args!("write {}", part.display()))?;
        let output = run(Command::new("sha256sum").arg(&part))?;
        let digits = String::from_utf8_lossy(&output.stdout).into_owned();
        for (at, place) in header[CHECKSUM].iter_mut().enumerate().take(32) {
            let digits = digits.get(2 * at..2 * at + 2).unwrap_or_default();
            *place = u8::from_str_radix(digits, 16).context(format_args!("read {digits:?}"))?;
        }
    }
    fs::write(image, bytes).context(format_args!("write {}", image.display()))
}
