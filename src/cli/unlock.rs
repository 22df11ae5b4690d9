//! The flags of `unlock`.

use lexopt::prelude::*;

use super::Command;
use super::word::{choice, color, layouts, path, switch, theme, value, wish, wrong};
use crate::cmd;
use crate::error::Result;
use crate::model::prompt::showing::Showing;
use crate::model::scanout::selection::Selection;
use crate::model::scanout::{orientation, refresh};
use crate::model::volume::entry::{Entry, is_name};
use crate::model::volume::key::{Key, Place};
use crate::model::volume::option::{Options, Refusal};
use crate::model::volume::origin::Origin;
use crate::model::volume::policy::Choice;
use crate::model::volume::spec::Spec;

/// Words of crypttab's options that are flags here, too, by cryptsetup's name and crypttab's. These need a value.
const VALUES: [(&str, &str); 16] = [
    ("type", ""),
    ("tries", "tries"),
    ("timeout", "timeout"),
    ("device-timeout", "x-systemd.device-timeout"),
    ("key-slot", "keyslot"),
    ("keyfile-offset", "keyfile-offset"),
    ("keyfile-size", "keyfile-size"),
    ("header", "header"),
    ("cipher", "cipher"),
    ("hash", "hash"),
    ("key-size", "size"),
    ("offset", "offset"),
    ("skip", "skip"),
    ("sector-size", "sector-size"),
    ("veracrypt-pim", "veracrypt-pim"),
    ("options", ""),
];

/// These may stand alone.
const SWITCHES: [(&str, &str); 11] = [
    ("readonly", "readonly"),
    ("allow-discards", "discard"),
    ("perf-no_read_workqueue", "no-read-workqueue"),
    ("perf-no_write_workqueue", "no-write-workqueue"),
    ("perf-same_cpu_crypt", "same-cpu-crypt"),
    ("perf-submit_from_crypt_cpus", "submit-from-crypt-cpus"),
    ("perf-high_priority", "high-priority"),
    ("veracrypt", "veracrypt"),
    ("tcrypt-hidden", "tcrypt-hidden"),
    ("tcrypt-system", "tcrypt-system"),
    ("nofail", "nofail"),
];

/// Takes a flag that says how volumes are opened; `None` if it is none.
fn volume(flag: &str, parser: &mut lexopt::Parser, said: &mut Options) -> Option<Result<()>> {
    if let Some((_, word)) = SWITCHES.iter().find(|(name, _)| *name == flag) {
        let value = parser.optional_value();
        let word = value.map_or_else(|| (*word).to_owned(), |value| format!("{word}={}", value.display()));
        return Some(take(flag, &word, said));
    }
    let (_, word) = VALUES.iter().find(|(name, _)| *name == flag)?;
    Some(value(parser).and_then(|value: String| match (flag, *word) {
        // A type is a word without a value; options are words already.
        (_, "") => value.split(',').try_for_each(|word| take(flag, word, said)),
        ("header", _) => take(flag, &format!("header={}", absolute(&value)), said),
        (_, word) => take(flag, &format!("{word}={value}"), said),
    }))
}

fn take(flag: &str, word: &str, said: &mut Options) -> Result<()> {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    said.take(word).map_err(|refusal| match refusal {
        Refusal::Unknown => wrong(format!("--{flag}: {value:?} is no option of a volume").into()),
        Refusal::Value(wanted) => wrong(format!("--{flag} {value:?} must be {wanted}").into()),
        Refusal::NotDone(text) => wrong(format!("--{flag} {value:?}: {text}").into()),
    })
}

/// A path as it is from anywhere; what is no path stays as it is.
fn absolute(text: &str) -> String {
    match text.contains('=') {
        true => text.to_owned(),
        false => std::path::absolute(text).map_or_else(|_| text.to_owned(), |path| path.display().to_string()),
    }
}

/// A volume by its device, or `None` for a word that can only be a name.
fn device(word: &str) -> Option<Entry> {
    (word.contains(['/', '='])).then(|| Entry::new(Spec::argument(word), Origin::Argument))
}

/// Reads them.
pub(super) fn parse(parser: &mut lexopt::Parser) -> Result<Command> {
    let mut options = cmd::unlock::Options::default();
    let (mut given, mut name): (Option<String>, Option<String>) = (None, None);
    let mut verity = super::verity::Words::default();
    while let Some(word) = parser.next().map_err(wrong)? {
        let flag = match &word {
            Short('r') => "readonly".to_owned(),
            Short('T') => "tries".to_owned(),
            Short('t') => "timeout".to_owned(),
            Short('S') => "key-slot".to_owned(),
            Short('o') => "options".to_owned(),
            Long(flag) => (*flag).to_owned(),
            _ => String::new(),
        };
        match word {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("device") => {
                // Nobody is to find out after the boot that one was left closed.
                if given.replace(value(parser)?).is_some() {
                    return Err(wrong("--device DEVICE is for one volume; several are words without a flag".into()));
                }
            }
            Long("name") => name = Some(value(parser)?),
            Value(word) => {
                let word = word.into_string().map_err(|word| wrong(format!("{} is no text", word.display()).into()))?;
                match device(&word) {
                    Some(entry) => options.said.entries.push(entry),
                    None => options.names.push(word),
                }
            }
            Long("test-passphrase") => options.test_passphrase = true,
            Long("persistent") => options.persistent = true,
            Long("json") => options.json = true,
            Short('d') | Long("key-file") => {
                let text: String = value(parser)?;
                // In crypttab a dash is no key; here it is standard input.
                let parsed = Key::parse(&text).filter(|key| *key != Key::Ask);
                options.key = Some(parsed.unwrap_or_else(|| Key::File(Place::file(&text))));
                options.asks = false;
            }
            Long("framebuffer") => {
                options.display.framebuffer = wish(parser, "auto, all or an absolute path", Selection::parse)?;
            }
            Long("rotate") => {
                options.display.rotate = wish(parser, "auto, 0, 90, 180 or 270", orientation::Wish::parse)?;
            }
            Long("refresh") => options.display.refresh = wish(parser, "auto, on or off", refresh::Wish::parse)?,
            Long("display-timeout") => options.display.timeout_s = value(parser)?,
            Long("dim-after") => options.dim_after_s = value(parser)?,
            Long("blank-after") => options.blank_after_s = value(parser)?,
            Long("power-off-after") => options.power_off_after_s = value(parser)?,
            Long("layout") => options.layout.extend(layouts(parser)?),
            Long("keyboard") => options.keyboard = wish(parser, "auto, show or hide", Showing::parse)?,
            Long("reveal") => options.reveal = switch(parser)?,
            Long("hide-length") => options.hide_length = switch(parser)?,
            Long("cancel") => options.cancel = switch(parser)?,
            Long("keymap") => options.keymap = Some(path(parser)?),
            Long("input") => {
                let rules: String = value(parser)?;
                let added = options.hardware.input.add(&rules);
                added.map_err(|wanted| wrong(format!("--input {rules:?} must be {wanted}").into()))?;
            }
            Long("haptics") => options.hardware.haptics = choice(parser)? == Choice::On,
            Long("theme") => theme(parser, &mut options.theme)?,
            Long("color") => color(parser, &mut options.theme)?,
            Long("logo") => options.logo = Some(path(parser)?),
            word => {
                let error = wrong(word.unexpected());
                let taken = verity.take(&flag, parser);
                taken.or_else(|| volume(&flag, parser, &mut options.said.options)).unwrap_or(Err(error))?;
            }
        }
    }
    if let Some(checked) = verity.finish(given.as_deref(), name.as_deref(), options.test_passphrase)? {
        options.verity.push(checked);
        (given, name) = (None, None);
    }
    if let Some(given) = given {
        options.said.entries.push(Entry::new(Spec::argument(&given), Origin::Argument));
    } else if name.is_some() {
        return Err(wrong("--name NAME goes with --device DEVICE".into()));
    }
    name_them(&mut options, name)?;
    if options.key.is_some() && options.said.entries.is_empty() && options.names.is_empty() {
        return Err(wrong("--key-file FILE needs a volume".into()));
    }
    Ok(Command::Unlock(Box::new(options)))
}

/// Gives the mapping of the one volume its name.
fn name_them(options: &mut cmd::unlock::Options, name: Option<String>) -> Result<()> {
    let Some(name) = name else { return Ok(()) };
    // Found out by device-mapper otherwise, when the passphrase was typed.
    if !is_name(&name) {
        return Err(wrong(
            format!("--name {name:?} must be 1 to 127 characters without /, and not \"control\"").into(),
        ));
    }
    match options.said.entries.as_mut_slice() {
        [entry] => entry.name = Some(name),
        _ => return Err(wrong("--name NAME is for one volume".into())),
    }
    Ok(())
}
