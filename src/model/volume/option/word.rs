//! One word of the options.

use super::super::amount::{seconds, switch, whole, whole_u32};
use super::super::key::Header;
use super::super::policy::Choice;
use super::{Echo, Format, Options, Refusal};

/// Bytes of the sectors that dm-crypt encrypts as one.
const SECTOR_SIZES: [u32; 4] = [512, 1024, 2048, 4096];

/// Words for other programs, or about what is done here in any case.
const IDLE: &[&str] = &[
    "checkargs",
    "fixate-volume-key",
    "key-file-erase",
    "keyfile-erase",
    "link-volume-key",
    "loud",
    "lvm",
    "netdev",
    "noearly",
    "password-cache",
    "quiet",
    "resumedev",
    "rootdev",
    "verify",
];

impl Options {
    /// Takes one word, `name` or `name=value`.
    ///
    /// # Errors
    /// [`Refusal`]; nothing has changed then, unless the word is one that is known but not done.
    pub fn take(&mut self, word: &str) -> Result<(), Refusal> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let name = name.trim().to_ascii_lowercase().replace('_', "-");
        // `_netdev` is the one word that begins with such a character.
        let name = name.trim_start_matches('-');
        let name = name.strip_prefix("perf-").unwrap_or(name);
        let value = value.map(str::trim);
        if self.take_flag(name, value)? || self.take_format(name, value)? || self.take_value(name, value)? {
            return Ok(());
        }
        self.take_foreign(name)
    }

    /// Words that stand alone, or with a yes or no.
    fn take_flag(&mut self, name: &str, value: Option<&str>) -> Result<bool, Refusal> {
        let on = || value.map_or(Ok(true), |value| switch(value).ok_or(Refusal::Value("yes or no")));
        let choice = || match value {
            Some("auto") => Ok(Choice::Auto),
            _ => on().map(|on| if on { Choice::On } else { Choice::Off }),
        };
        match name {
            "readonly" | "read-only" => self.readonly = Some(on()?),
            "discard" | "discards" | "allow-discards" => self.discards = Some(on()?),
            "no-read-workqueue" => self.wish.read = choice()?,
            "no-write-workqueue" => self.wish.write = choice()?,
            "same-cpu-crypt" => self.wish.same_cpu_crypt = choice()?,
            "submit-from-crypt-cpus" => self.wish.submit_from_crypt_cpus = choice()?,
            "high-priority" => self.wish.high_priority = choice()?,
            "nofail" => self.nofail = Some(on()?),
            "noauto" => self.noauto = on()?,
            "initramfs" | "x-initrd.attach" => self.initramfs = on()?,
            "try-empty-password" => self.tries_empty = on()?,
            "headless" => self.headless = on()?,
            "swap" => self.remade = on()?,
            // The value is the file system to be made, and here the program that looks.
            "tmp" => self.remade = true,
            "check" => self.is_checked = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Words about what is on the device.
    fn take_format(&mut self, name: &str, value: Option<&str>) -> Result<bool, Refusal> {
        let format = match name {
            "luks" | "luks1" | "luks2" => Format::Luks,
            "plain" => Format::Plain,
            "bitlk" | "bitlocker" => Format::Bitlocker,
            "fvault2" => Format::FileVault,
            "tcrypt"
            | "tcrypthidden"
            | "tcrypt-hidden"
            | "tcryptsystem"
            | "tcrypt-system"
            | "tcrypt-veracrypt"
            | "veracrypt"
            | "veracrypt-pim"
            | "veracrypt-query-pim"
            | "tcrypt-keyfile" => Format::Tcrypt,
            _ => return Ok(false),
        };
        let tcrypt = &mut self.tcrypt;
        match name {
            "tcrypthidden" | "tcrypt-hidden" => tcrypt.hidden = true,
            "tcryptsystem" | "tcrypt-system" => tcrypt.system = true,
            "tcrypt-veracrypt" | "veracrypt" => tcrypt.veracrypt = Some(value.and_then(switch).unwrap_or(true)),
            "veracrypt-pim" => tcrypt.pim = Some(number_u32(value)?),
            "veracrypt-query-pim" => tcrypt.asks_pim = true,
            "tcrypt-keyfile" => tcrypt.key_files.push(path(value)?),
            _ => {}
        }
        self.format = Some(format);
        Ok(true)
    }

    /// Words with a value.
    fn take_value(&mut self, name: &str, value: Option<&str>) -> Result<bool, Refusal> {
        match name {
            "cipher" => self.cipher = Some(text(value)?),
            "hash" => self.hash = Some(text(value)?),
            "size" => self.key_bits = Some(key_bits(value)?),
            "offset" => self.offset_sectors = Some(number(value)?),
            "skip" => self.skip_sectors = Some(number(value)?),
            "sector-size" => self.sector_size = Some(sector_size(value)?),
            "keyslot" | "key-slot" => self.keyslot = Some(number_u32(value)?),
            "keyfile-offset" => self.key_file_offset = Some(number(value)?),
            "keyfile-size" => self.key_file_size = Some(number(value)?),
            "keyfile-timeout" => self.key_timeout_s = Some(span(value)?),
            "header" => self.header = Some(header(value)?),
            "tries" => self.tries = Some(number_u32(value)?),
            "timeout" => self.timeout_s = Some(span(value)?),
            "x-systemd.device-timeout" => self.device_timeout_s = Some(span(value)?),
            "password-echo" => self.echo = Some(echo(value)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Words that are known and not done, and all the rest.
    fn take_foreign(&mut self, name: &str) -> Result<(), Refusal> {
        if name == "keyscript" {
            self.has_key_script = true;
            return Err(Refusal::NotDone("no program is started for a key; the passphrase is asked for"));
        }
        let token = ["fido2-", "tpm2-", "pkcs11-", "token-"].iter().any(|start| name.starts_with(start));
        if token {
            return Err(Refusal::NotDone("such tokens are not used; the passphrase is asked for"));
        }
        if IDLE.contains(&name) || name.starts_with("x-") || name.starts_with("comment") {
            return Ok(());
        }
        Err(Refusal::Unknown)
    }
}

fn text(value: Option<&str>) -> Result<String, Refusal> {
    let fits = |value: &&str| !value.is_empty() && !value.contains(char::is_control);
    value.filter(fits).map(str::to_owned).ok_or(Refusal::Value("a word"))
}

fn path(value: Option<&str>) -> Result<String, Refusal> {
    let fits = |value: &&str| value.starts_with('/') && !value.contains(char::is_control);
    value.filter(fits).map(str::to_owned).ok_or(Refusal::Value("an absolute path"))
}

fn number(value: Option<&str>) -> Result<u64, Refusal> {
    value.filter(|value| !value.is_empty()).and_then(whole).ok_or(Refusal::Value("a whole number"))
}

fn number_u32(value: Option<&str>) -> Result<u32, Refusal> {
    value.filter(|value| !value.is_empty()).and_then(whole_u32).ok_or(Refusal::Value("a whole number"))
}

fn key_bits(value: Option<&str>) -> Result<u32, Refusal> {
    let fits = |bits: &u32| *bits > 0 && bits.is_multiple_of(8);
    number_u32(value).ok().filter(fits).ok_or(Refusal::Value("a number of bits, a multiple of 8"))
}

fn sector_size(value: Option<&str>) -> Result<u32, Refusal> {
    let fits = |size: &u32| SECTOR_SIZES.contains(size);
    number_u32(value).ok().filter(fits).ok_or(Refusal::Value("512, 1024, 2048 or 4096"))
}

fn span(value: Option<&str>) -> Result<u32, Refusal> {
    value.and_then(seconds).ok_or(Refusal::Value("a span of time such as 90 or 1min"))
}

fn echo(value: Option<&str>) -> Result<Echo, Refusal> {
    match value {
        Some("masked") => Ok(Echo::Masked),
        value => match value.and_then(switch) {
            Some(true) => Ok(Echo::Plain),
            Some(false) => Ok(Echo::Silent),
            None => Err(Refusal::Value("yes, no or masked")),
        },
    }
}

fn header(value: Option<&str>) -> Result<Header, Refusal> {
    let value = value.filter(|value| !value.contains(char::is_control));
    value.and_then(Header::parse).ok_or(Refusal::Value("an absolute path, path:DEVICE or a device"))
}
