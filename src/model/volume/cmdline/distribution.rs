//! The words of Arch (`cryptdevice=`, `cryptkey=`, `crypto=`), Alpine (`cryptroot=` and its kin) and
//! Debian (`cryptopts=`).

use super::super::amount::{whole, whole_u32};
use super::super::entry::{Entry, is_name};
use super::super::key::{Header, Key, colons};
use super::super::option::{Format, Options};
use super::super::origin::Origin;
use super::super::spec::{Spec, unquoted};
use super::super::table::unescaped;
use super::{CommandLine, Told};

/// What Arch and Alpine call the mapping if nobody says otherwise.
const NAME: &str = "root";

/// What Debian calls it.
const DEBIAN_NAME: &str = "cryptroot";

/// The words but for `cryptdiscards`, which needs no value.
const WORDS: [&str; 8] =
    ["cryptdevice", "cryptkey", "crypto", "cryptroot", "cryptdm", "cryptheader", "cryptoffset", "cryptopts"];

/// What is said so far.
#[derive(Default)]
pub(super) struct Distribution {
    /// Arch's, and Debian's.
    arch: Vec<Entry>,
    debian: Vec<Entry>,
    /// Debian's words stand for the whole table; an empty one for one without lines.
    is_debian: bool,
    alpine: Option<Spec>,
    alpine_name: Option<String>,
    alpine_options: Options,
    key: Option<Key>,
    plain: Option<Options>,
}

impl Distribution {
    /// Takes a word; `false` if it is none of these.
    pub(super) fn take(&mut self, key: &str, value: Option<&str>, told: &mut Told<'_>) -> bool {
        if key == "cryptdiscards" {
            let mut on = false;
            told.switch(value, &mut on);
            self.alpine_options.discards = Some(on);
            return true;
        }
        if !WORDS.contains(&key) {
            return false;
        }
        let value = value.unwrap_or_default();
        let options = &mut self.alpine_options;
        match key {
            "cryptdevice" => self.arch_device(value, told),
            "cryptopts" => self.debian_options(value, told),
            "cryptkey" => told.set(key_of(value), &mut self.key, "must be a key file; passed over"),
            "crypto" => told.set(plain(value), &mut self.plain, "must be hash:cipher:bits:offset:skip; passed over"),
            "cryptroot" => told.set(Spec::parse(value), &mut self.alpine, "must be a device; passed over"),
            "cryptdm" => told.set(name(value), &mut self.alpine_name, "must be a name for a mapping; passed over"),
            "cryptheader" => {
                told.set(Header::parse(value), &mut options.header, "must be a file or device; passed over")
            }
            _ => told.set(
                whole(value).filter(|_| !value.is_empty()),
                &mut options.offset_sectors,
                "must be a number of sectors; passed over",
            ),
        }
        true
    }

    /// `device:name:options`; a later word for the same name counts.
    fn arch_device(&mut self, value: &str, told: &mut Told<'_>) {
        let parts = colons(value);
        let part = |index: usize| parts.get(index).map(String::as_str).filter(|part| !part.is_empty());
        let device = part(0).and_then(Spec::parse);
        let (Some(device), Some(name)) = (device, name(part(1).unwrap_or(NAME))) else {
            return told.tell("must be a device, a colon and a name for a mapping; passed over");
        };
        let text = parts.get(2..).unwrap_or_default().join(":");
        let mut entry = Entry::new(device, Origin::CommandLine(told.key.to_owned()));
        entry.is_whole = !text.is_empty();
        (entry.name, entry.options) = (Some(name), told.options(&text));
        self.arch.retain(|other| other.name != entry.name);
        self.arch.push(entry);
    }

    /// `target=NAME,source=DEVICE,key=FILE` and words of crypttab.
    fn debian_options(&mut self, value: &str, told: &mut Told<'_>) {
        self.is_debian = true;
        if value.is_empty() {
            return;
        }
        let (mut target, mut source, mut key) = (DEBIAN_NAME.to_owned(), String::new(), String::new());
        let mut rest = String::new();
        for word in value.split(',') {
            match word.split_once('=') {
                // It becomes a line of the table, escapes and all.
                Some(("target", value)) => target = unescaped(value, false),
                Some(("source", value)) => source = unescaped(value, false),
                Some(("key", value)) => key = unescaped(value, false),
                _ => {
                    rest.push_str(&unescaped(word, true));
                    rest.push(',');
                }
            }
        }
        let (Some(device), Some(name)) = (Spec::parse(&source), name(&target)) else {
            return told.tell("must have source=, a device, and target=, a name for a mapping; passed over");
        };
        let parsed = Key::parse(&key).filter(|key| *key != Key::Random);
        if parsed.is_none() {
            told.tell("key= names no key file; the passphrase is asked for");
        }
        let mut entry = Entry::new(device, Origin::CommandLine(told.key.to_owned()));
        entry.is_whole = true;
        // Nothing said is something else than `none`.
        let key = parsed.filter(|_| !key.is_empty());
        (entry.name, entry.key, entry.options) = (Some(name), key, told.options(&rest));
        self.debian.push(entry);
    }

    /// Puts together what belongs together.
    pub(super) fn finish(self, line: &mut CommandLine) {
        let mut tell = |key, text| Told { key, warnings: &mut line.warnings }.tell(text);
        if self.arch.is_empty() && self.alpine.is_none() && self.key.is_some() {
            tell("cryptkey", "without cryptdevice= or cryptroot= there is no volume for it");
        }
        if self.arch.is_empty() && self.plain.is_some() {
            tell("crypto", "without cryptdevice= there is no volume for it");
        }
        if self.alpine.is_none() && (self.alpine_name.is_some() || self.alpine_options != Options::default()) {
            tell("cryptroot", "is missing: the other words of its kind have no volume");
        }
        for mut entry in self.arch {
            entry.key.clone_from(&self.key);
            if let Some(plain) = &self.plain {
                entry.options.fill(plain);
            }
            line.entries.push(entry);
        }
        if let Some(device) = self.alpine {
            let mut entry = Entry::new(device, Origin::CommandLine("cryptroot".into()));
            let name = self.alpine_name.unwrap_or_else(|| NAME.to_owned());
            (entry.name, entry.key, entry.options) = (Some(name), self.key, self.alpine_options);
            line.entries.push(entry);
        }
        line.entries.extend(self.debian);
        line.without_crypttab |= self.is_debian;
    }
}

fn key_of(value: &str) -> Option<Key> {
    Key::of_command_line(value).filter(|key| !value.is_empty() && *key != Key::Random)
}

#[inline(never)]
fn name(text: &str) -> Option<String> {
    let text = unquoted(text);
    is_name(text).then(|| text.to_owned())
}

/// A plain mapping as Arch tells of it; empty parts are left to the defaults.
fn plain(value: &str) -> Option<Options> {
    let parts = colons(value);
    let [hash, cipher, bits, offset, skip] = parts.as_slice() else { return None };
    let word = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let number = |text: &str| if text.is_empty() { Some(None) } else { whole(text).map(Some) };
    let key_bits = if bits.is_empty() { None } else { Some(whole_u32(bits)?) };
    Some(Options {
        format: Some(Format::Plain),
        hash: word(hash),
        cipher: word(cipher),
        key_bits,
        offset_sectors: number(offset)?,
        skip_sectors: number(skip)?,
        ..Options::default()
    })
}
