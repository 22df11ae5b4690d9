//! The options of a dm-verity volume.

use super::super::amount::{seconds, switch, whole, whole_u32};
use super::super::option::Refusal;
use super::super::spec::Spec;
use super::code::{base64, hex};

/// What the kernel does where a block is not what it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corruption {
    /// The read fails.
    #[default]
    Error,
    /// It is logged, and the block given.
    Ignore,
    /// The machine starts again.
    Restart,
    /// The kernel stops.
    Panic,
}

/// A signature of the root hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// In a file, PKCS#7 in DER.
    File(String),
    /// The bytes themselves.
    Bytes(Vec<u8>),
}

/// All that can be said. `None` and `false` stand for "not said".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the hash device begins with a superblock, as it does if nobody says otherwise.
    pub superblock: Option<bool>,
    /// The tree's format: 1, or 0 for ChromeOS's.
    pub format: Option<u32>,
    /// Bytes of a data block.
    pub data_block_size: Option<u32>,
    /// Bytes of a hash block.
    pub hash_block_size: Option<u32>,
    /// How many data blocks there are.
    pub data_blocks: Option<u64>,
    /// Where the hashes begin on their device, in bytes.
    pub hash_offset: Option<u64>,
    /// The hash, such as `sha256`.
    pub algorithm: Option<String>,
    /// The salt; empty for none.
    pub salt: Option<Vec<u8>>,
    /// The UUID for the mapping.
    pub uuid: Option<String>,
    /// What happens on corruption.
    pub corruption: Corruption,
    /// Blocks that should be zero are not read.
    pub ignore_zero_blocks: bool,
    /// Each block is checked once only.
    pub check_at_most_once: bool,
    /// Checked where the read completes, if the kernel can.
    pub tasklet: bool,
    /// Where the data of the error correction lies.
    pub fec_device: Option<Spec>,
    /// Where it begins there, in bytes.
    pub fec_offset: Option<u64>,
    /// Its roots.
    pub fec_roots: Option<u32>,
    /// The root hash's signature.
    pub signature: Option<Signature>,
    /// Seconds to wait for the devices; 0 means for ever.
    pub device_timeout_s: Option<u32>,
    /// Goes on without this volume when it cannot be activated.
    pub nofail: bool,
    /// Not activated unless it is named elsewhere.
    pub noauto: bool,
    /// Needed early.
    pub initramfs: bool,
}

impl Options {
    /// Reads words separated by commas. What is not taken comes back as a message, word by word.
    pub fn read(text: &str) -> (Self, Vec<String>) {
        let mut options = Self::default();
        let mut problems = Vec::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            if let Err(refusal) = options.take(word) {
                let name = word.split('=').next().unwrap_or_default();
                problems.push(format!("{}: {refusal}", name.escape_debug()));
            }
        }
        (options, problems)
    }

    fn take(&mut self, word: &str) -> Result<(), Refusal> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.trim())),
            None => (word, None),
        };
        let name = name.trim().to_ascii_lowercase().replace('_', "-");
        let name = name.trim_start_matches('-');
        if self.take_flag(name, value) {
            return Ok(());
        }
        match name {
            "superblock" => self.superblock = Some(value.and_then(switch).ok_or(Refusal::Value("yes or no"))?),
            "format" => self.format = Some(number(value).ok().filter(|n| *n < 2).ok_or(Refusal::Value("0 or 1"))?),
            "data-block-size" => self.data_block_size = Some(block(value)?),
            "hash-block-size" => self.hash_block_size = Some(block(value)?),
            "data-blocks" => self.data_blocks = Some(long(value)?),
            "hash-offset" => self.hash_offset = Some(sectors(value)?),
            "hash" => self.algorithm = Some(text(value)?),
            "salt" => self.salt = Some(salt(value)?),
            "uuid" => self.uuid = Some(text(value)?),
            "fec-device" => self.fec_device = Some(value.and_then(Spec::parse).ok_or(Refusal::Value("a device"))?),
            "fec-offset" => self.fec_offset = Some(sectors(value)?),
            "fec-roots" => self.fec_roots = Some(roots(value)?),
            "root-hash-signature" => self.signature = Some(signature(value)?),
            "x-systemd.device-timeout" => {
                let span = value.and_then(seconds).ok_or(Refusal::Value("a span of time such as 90 or 1min"))?;
                self.device_timeout_s = Some(span);
            }
            "netdev" => {}
            name if name.starts_with("x-") => {}
            _ => return Err(Refusal::Unknown),
        }
        Ok(())
    }

    /// Words that stand alone.
    fn take_flag(&mut self, name: &str, value: Option<&str>) -> bool {
        let on = value.is_none_or(|value| switch(value) == Some(true));
        match name {
            "ignore-corruption" => self.corrupt(Corruption::Ignore, on),
            "restart-on-corruption" => self.corrupt(Corruption::Restart, on),
            "panic-on-corruption" => self.corrupt(Corruption::Panic, on),
            "ignore-zero-blocks" => self.ignore_zero_blocks = on,
            "check-at-most-once" => self.check_at_most_once = on,
            "try-verify-in-tasklet" | "use-tasklets" => self.tasklet = on,
            "nofail" => self.nofail = on,
            "noauto" => self.noauto = on,
            "initramfs" | "x-initrd.attach" => self.initramfs = on,
            _ => return false,
        }
        true
    }

    /// The strictest word counts, as in libcryptsetup: panic before restart before ignore.
    fn corrupt(&mut self, wanted: Corruption, on: bool) {
        if on && wanted as u8 > self.corruption as u8 {
            self.corruption = wanted;
        }
    }
}

fn text(value: Option<&str>) -> Result<String, Refusal> {
    let fits = |value: &&str| !value.is_empty() && !value.contains(char::is_control);
    value.filter(fits).map(str::to_owned).ok_or(Refusal::Value("a word"))
}

fn number(value: Option<&str>) -> Result<u32, Refusal> {
    value.filter(|value| !value.is_empty()).and_then(whole_u32).ok_or(Refusal::Value("a whole number"))
}

fn long(value: Option<&str>) -> Result<u64, Refusal> {
    value.filter(|value| !value.is_empty()).and_then(whole).ok_or(Refusal::Value("a whole number"))
}

/// Offsets are in bytes and must lie between sectors.
fn sectors(value: Option<&str>) -> Result<u64, Refusal> {
    let fits = |bytes: &u64| bytes.is_multiple_of(512);
    long(value).ok().filter(fits).ok_or(Refusal::Value("a number of bytes, a multiple of 512"))
}

fn block(value: Option<&str>) -> Result<u32, Refusal> {
    let fits = |size: &u32| size.is_power_of_two() && (512..=1 << 19).contains(size);
    number(value).ok().filter(fits).ok_or(Refusal::Value("a power of two from 512 to 524288"))
}

fn roots(value: Option<&str>) -> Result<u32, Refusal> {
    let fits = |roots: &u32| (2..=24).contains(roots);
    number(value).ok().filter(fits).ok_or(Refusal::Value("a number from 2 to 24"))
}

/// A dash is a salt of no bytes (veritysetup(8)).
fn salt(value: Option<&str>) -> Result<Vec<u8>, Refusal> {
    match value {
        Some("-") => Ok(Vec::new()),
        // `salt` of the superblock has 256 bytes (lib/verity/verity.c).
        value => value.and_then(hex).filter(|salt| salt.len() <= 256).ok_or(Refusal::Value("hexadecimal digits or -")),
    }
}

fn signature(value: Option<&str>) -> Result<Signature, Refusal> {
    let wanted = Refusal::Value("an absolute path, or base64: and the bytes");
    let value = value.ok_or(wanted)?;
    match value.strip_prefix("base64:") {
        Some(code) => base64(code).map(Signature::Bytes).ok_or(wanted),
        None if value.starts_with('/') => Ok(Signature::File(value.to_owned())),
        None => Err(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    type Effect = fn(&mut Options);

    const WORDS: &[(&str, Effect)] = &[
        ("superblock=no", |o| o.superblock = Some(false)),
        ("format=0", |o| o.format = Some(0)),
        ("data-block-size=4096", |o| o.data_block_size = Some(4096)),
        ("hash-block-size=512", |o| o.hash_block_size = Some(512)),
        ("data-blocks=100", |o| o.data_blocks = Some(100)),
        ("hash-offset=1048576", |o| o.hash_offset = Some(1 << 20)),
        ("hash=sha256", |o| o.algorithm = Some("sha256".into())),
        ("salt=00ff", |o| o.salt = Some(vec![0, 255])),
        ("salt=-", |o| o.salt = Some(vec![])),
        ("uuid=ab", |o| o.uuid = Some("ab".into())),
        ("ignore-corruption", |o| o.corruption = Corruption::Ignore),
        ("restart-on-corruption,ignore-corruption", |o| o.corruption = Corruption::Restart),
        ("restart-on-corruption,panic-on-corruption", |o| o.corruption = Corruption::Panic),
        ("ignore_zero_blocks", |o| o.ignore_zero_blocks = true),
        ("check-at-most-once", |o| o.check_at_most_once = true),
        ("try_verify_in_tasklet", |o| o.tasklet = true),
        ("fec-device=PARTLABEL=fec", |o| o.fec_device = Spec::parse("PARTLABEL=fec")),
        ("fec-offset=512", |o| o.fec_offset = Some(512)),
        ("fec-roots=24", |o| o.fec_roots = Some(24)),
        ("root-hash-signature=/s", |o| o.signature = Some(Signature::File("/s".into()))),
        ("root-hash-signature=base64:Zm8=", |o| o.signature = Some(Signature::Bytes(b"fo".to_vec()))),
        ("nofail,noauto,x-initrd.attach,_netdev,x-y", |o| (o.nofail, o.noauto, o.initramfs) = (true, true, true)),
        ("x-systemd.device-timeout=1min", |o| o.device_timeout_s = Some(60)),
    ];

    #[test]
    fn every_word() {
        for (text, effect) in WORDS {
            let mut expected = Options::default();
            effect(&mut expected);
            assert_eq!(Options::read(text), (expected, vec![]), "{text}");
        }
    }

    #[test]
    fn what_is_not_taken_is_told() {
        let bad = [
            "format=2",
            "data-block-size=1000",
            "hash-block-size=1048576",
            "hash-offset=100",
            "salt=0",
            "fec-roots=1",
            "fec-device=x",
            "root-hash-signature=s",
            "root-hash-signature=base64:!",
            "superblock",
            "colour=red",
            "hash=",
        ];
        for text in bad {
            let (options, problems) = Options::read(text);
            assert_eq!((options, problems.len()), (Options::default(), 1), "{text}");
        }
        assert_eq!(Options::read("fec-roots=1").1, ["fec-roots: must be a number from 2 to 24; passed over"]);
    }

    #[test]
    fn noise_never_panics() {
        let mut noise = Noise::new(2_685_821_657_736_338_717);
        let mut random = move || noise.draw() as usize;
        for _ in 0..10_000 {
            let mut text = String::new();
            for _ in 0..random() % 8 {
                match random() % 2 {
                    0 => text.push_str(WORDS[random() % WORDS.len()].0),
                    _ => text.push([',', '=', ':', '-', 'é', '0', '\0', 'Z'][random() % 8]),
                }
            }
            let _ = Options::read(&text);
        }
    }
}
