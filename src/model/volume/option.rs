//! The options of a volume: what the fourth field of crypttab, `rd.luks.options=` and their kin say.
//!
//! The words are those of crypttab(5), Debian's and systemd's, and of `cryptsetup`; dashes and
//! underscores are the same in them.

mod word;

use super::key::Header;
use super::policy::Wish;

/// What is on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// LUKS1 or LUKS2, as the header says.
    Luks,
    /// dm-crypt without a header.
    Plain,
    /// TrueCrypt, VeraCrypt.
    Tcrypt,
    /// BitLocker.
    Bitlocker,
    /// FileVault2.
    FileVault,
}

/// What is shown of a passphrase while it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// The passphrase.
    Plain,
    /// Something for each character.
    Masked,
    /// Nothing.
    Silent,
}

/// How TrueCrypt and VeraCrypt headers are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tcrypt {
    /// The hidden volume's header.
    pub hidden: bool,
    /// The header of an encrypted system disk.
    pub system: bool,
    /// Whether VeraCrypt's headers are tried, too; `None` leaves it to the library.
    pub veracrypt: Option<bool>,
    /// VeraCrypt's personal iterations multiplier.
    pub pim: Option<u32>,
    /// Somebody is asked for the multiplier.
    pub asks_pim: bool,
    /// Files that go into the key beside the passphrase.
    pub key_files: Vec<String>,
}

/// All of it. `None`, `false`, `Auto` and empty stand for "not said".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What the device must hold.
    pub format: Option<Format>,
    /// Plain: the cipher as dm-crypt spells it, such as `aes-xts-plain64`.
    pub cipher: Option<String>,
    /// Plain: the hash that makes a key of the passphrase. TCRYPT: the header's.
    pub hash: Option<String>,
    /// Plain: the key's length in bits.
    pub key_bits: Option<u32>,
    /// Where the data begins on the device, in sectors of 512 bytes.
    pub offset_sectors: Option<u64>,
    /// Plain: sectors of 512 bytes that the IV skips.
    pub skip_sectors: Option<u64>,
    /// Plain: the sector size in bytes.
    pub sector_size: Option<u32>,
    /// The one keyslot to try.
    pub keyslot: Option<u32>,
    /// Where the key begins in its file, in bytes.
    pub key_file_offset: Option<u64>,
    /// How much of the file is the key, in bytes.
    pub key_file_size: Option<u64>,
    /// Seconds to wait for the key's device; 0 means for ever.
    pub key_timeout_s: Option<u32>,
    /// Where the header lies, if not before the data.
    pub header: Option<Header>,
    /// For TrueCrypt and VeraCrypt.
    pub tcrypt: Tcrypt,
    /// Open read-only.
    pub readonly: Option<bool>,
    /// Let discards through.
    pub discards: Option<bool>,
    /// dm-crypt's performance flags.
    pub wish: Wish,
    /// Wrong passphrases allowed; 0 means no limit.
    pub tries: Option<u32>,
    /// Seconds for somebody to answer; 0 means no limit.
    pub timeout_s: Option<u32>,
    /// Seconds to wait for the device; 0 means for ever.
    pub device_timeout_s: Option<u32>,
    /// What is shown while somebody types.
    pub echo: Option<Echo>,
    /// Goes on without this volume when it cannot be opened.
    pub nofail: Option<bool>,
    /// Not opened unless it is named elsewhere.
    pub noauto: bool,
    /// Needed early: `initramfs`, `x-initrd.attach`.
    pub initramfs: bool,
    /// An empty passphrase is tried before anybody is asked.
    pub tries_empty: bool,
    /// Nobody is to be asked.
    pub headless: bool,
    /// A swap or file system is made on it each time: `swap`, `tmp`.
    pub remade: bool,
    /// What was opened is to be looked at, and closed if it is nothing known: Debian's `check`.
    pub is_checked: bool,
    /// A program would give the key; it is not started.
    pub has_key_script: bool,
}

/// Why a word was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody knows it.
    Unknown,
    /// The value does not fit; says what would.
    Value(&'static str),
    /// It is known but not done; says what that means.
    NotDone(&'static str),
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown option, passed over"),
            Self::Value(wanted) => write!(f, "must be {wanted}; passed over"),
            Self::NotDone(consequence) => f.write_str(consequence),
        }
    }
}

impl Options {
    /// Reads words separated by commas (`\,` is a comma within a word). What is not taken comes back
    /// as a message, word by word.
    pub fn read(text: &str) -> (Self, Vec<String>) {
        let mut options = Self::default();
        let mut problems = Vec::new();
        for word in commas(text) {
            if let Err(refusal) = options.take(&word) {
                let name = word.split('=').next().unwrap_or_default();
                problems.push(format!("{}: {refusal}", name.escape_debug()));
            }
        }
        (options, problems)
    }

    /// Takes over what is not said here and is said in `other`.
    pub fn fill(&mut self, other: &Self) {
        macro_rules! fill {
            ($($field:ident),+ $(,)?) => { $(if self.$field.is_none() { self.$field.clone_from(&other.$field); })+ };
        }
        fill!(
            format,
            cipher,
            hash,
            key_bits,
            offset_sectors,
            skip_sectors,
            sector_size,
            keyslot,
            key_file_offset,
            key_file_size,
            key_timeout_s,
            header,
            readonly,
            discards,
            tries,
            timeout_s,
            device_timeout_s,
            echo,
            nofail,
        );
        self.wish.fill(other.wish);
        if self.tcrypt == Tcrypt::default() {
            self.tcrypt.clone_from(&other.tcrypt);
        }
        self.noauto |= other.noauto;
        self.initramfs |= other.initramfs;
        self.tries_empty |= other.tries_empty;
        self.headless |= other.headless;
        self.remade |= other.remade;
        self.is_checked |= other.is_checked;
        self.has_key_script |= other.has_key_script;
    }
}

/// Splits at commas that no backslash stands before. Empty words fall away.
fn commas(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        let Some(word) = words.last_mut() else { break };
        match c {
            ',' if escaped => {
                word.pop();
                word.push(',');
            }
            ',' => words.push(String::new()),
            c => word.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
