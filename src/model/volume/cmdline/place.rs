//! The words of Arch (`cryptdevice=`, `cryptkey=`, `crypto=`), Alpine (`cryptroot=` and its kin) and
//! Debian (`cryptopts=`).

use super::super::amount::{whole, whole_u32};
use super::super::entry::{Entry, is_name};
use super::super::key::{Header, Key, colons};
use super::super::option::{Format, Options};
use super::super::origin::Origin;
use super::super::spec::{Spec, unquoted};
use super::{CommandLine, Taken, problem};

/// What Arch and Alpine call the mapping if nobody says otherwise.
const NAME: &str = "root";

/// What Debian calls it.
const DEBIAN_NAME: &str = "cryptroot";

/// What is said so far.
#[derive(Default)]
pub(super) struct Place {
    /// Arch's, and Debian's.
    arch: Vec<Entry>,
    debian: Vec<Entry>,
    alpine: Option<Spec>,
    alpine_name: Option<String>,
    alpine_options: Options,
    key: Option<Key>,
    plain: Option<Options>,
}

impl Place {
    pub(super) fn take(&mut self, key: &str, value: Option<&str>) -> Taken {
        if key == "cryptdiscards" {
            let mut on = false;
            let problems = super::switch(value, &mut on);
            self.alpine_options.discards = Some(on);
            return problems;
        }
        let known =
            ["cryptdevice", "cryptkey", "crypto", "cryptroot", "cryptdm", "cryptheader", "cryptoffset", "cryptopts"];
        if !known.contains(&key) {
            return None;
        }
        let Some(value) = value.filter(|value| !value.is_empty()) else { return problem("has no value; passed over") };
        let done = match key {
            "cryptdevice" => return Some(self.arch_device(value)),
            "cryptopts" => return Some(self.debian_options(value)),
            "cryptkey" => {
                fits(Key::of_command_line(value).filter(|key| *key != Key::Random), &mut self.key, "a key file")
            }
            "crypto" => fits(plain(value), &mut self.plain, "hash:cipher:bits:offset:skip"),
            "cryptroot" => fits(Spec::parse(value), &mut self.alpine, "a device"),
            "cryptdm" => fits(name(value), &mut self.alpine_name, "a name for a mapping"),
            "cryptheader" => fits(Header::parse(value), &mut self.alpine_options.header, "a file or device"),
            _ => fits(whole(value), &mut self.alpine_options.offset_sectors, "a number of sectors"),
        };
        Some(done.err().map(|wanted| format!("must be {wanted}; passed over")).into_iter().collect())
    }

    /// `device:name:options`; a later word for the same name counts.
    fn arch_device(&mut self, value: &str) -> Vec<String> {
        let parts = colons(value);
        let part = |index: usize| parts.get(index).map(String::as_str).filter(|part| !part.is_empty());
        let Some(device) = part(0).and_then(Spec::parse) else { return vec!["names no device; passed over".into()] };
        let Some(name) = name(part(1).unwrap_or(NAME)) else {
            return vec!["the second part is no name for a mapping; passed over".into()];
        };
        let text = parts.get(2..).unwrap_or_default().join(":");
        let (options, problems) = Options::read(&text);
        let mut entry = Entry::new(device, Origin::CommandLine("cryptdevice".into()));
        entry.is_whole = !text.is_empty();
        (entry.name, entry.options) = (Some(name), options);
        self.arch.retain(|other| other.name != entry.name);
        self.arch.push(entry);
        problems
    }

    /// `target=NAME,source=DEVICE,key=FILE` and words of crypttab.
    fn debian_options(&mut self, value: &str) -> Vec<String> {
        let own = |word: &&str| ["target=", "source=", "key="].iter().any(|start| word.starts_with(start));
        let (own, rest): (Vec<&str>, Vec<&str>) = value.split(',').partition(own);
        let said = |key: &str| own.iter().rev().find_map(|word| word.strip_prefix(key));
        let Some(device) = said("source=").and_then(Spec::parse) else {
            return vec!["no source= that names a device; passed over".into()];
        };
        let Some(name) = name(said("target=").unwrap_or(DEBIAN_NAME)) else {
            return vec!["target= is no name for a mapping; passed over".into()];
        };
        let (options, mut problems) = Options::read(&rest.join(","));
        let key = said("key=").and_then(|text| {
            let key = Key::parse(text).filter(|key| *key != Key::Random);
            if key.is_none() {
                problems.push("key= names no key file; the passphrase is asked for".into());
            }
            key
        });
        let mut entry = Entry::new(device, Origin::CommandLine("cryptopts".into()));
        (entry.name, entry.key, entry.options, entry.is_whole) = (Some(name), key, options, true);
        self.debian.push(entry);
        problems
    }

    /// Puts together what belongs together.
    pub(super) fn finish(self, line: &mut CommandLine) {
        let warn = |key: &str, text: &str| Origin::CommandLine(key.to_owned()).warning(text);
        if self.arch.is_empty() && self.alpine.is_none() && self.key.is_some() {
            line.warnings.push(warn("cryptkey", "without cryptdevice= or cryptroot= there is no volume for it"));
        }
        if self.arch.is_empty() && self.plain.is_some() {
            line.warnings.push(warn("crypto", "without cryptdevice= there is no volume for it"));
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
        } else if self.alpine_name.is_some() || self.alpine_options != Options::default() {
            line.warnings.push(warn("cryptroot", "is missing: the other words of its kind have no volume"));
        }
        line.entries.extend(self.debian);
    }
}

fn fits<T>(parsed: Option<T>, target: &mut Option<T>, wanted: &'static str) -> Result<(), &'static str> {
    *target = Some(parsed.ok_or(wanted)?);
    Ok(())
}

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
