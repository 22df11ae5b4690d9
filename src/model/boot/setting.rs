//! The settings by name: keys, values, and what is wrong with them.

use super::{Boot, OnFailure};
use crate::model::prompt::showing::Showing;
use crate::model::scanout::selection::Selection;
use crate::model::scanout::{orientation, refresh};
use crate::model::volume::policy::Choice;
use crate::model::volume::spec::Spec;

/// Every key, in the order in which a config is written.
pub const KEYS: &[&str] = &[
    "device",
    "name",
    "key_file",
    "readonly",
    "allow_discards",
    "perf_no_read_workqueue",
    "perf_no_write_workqueue",
    "options",
    "tries",
    "timeout",
    "device_timeout",
    "framebuffer",
    "rotate",
    "refresh",
    "display_timeout",
    "dim_after",
    "blank_after",
    "power_off_after",
    "layout",
    "keyboard",
    "reveal",
    "hide_length",
    "cancel",
    "input",
    "haptics",
    "theme",
    "logo",
    "color.background",
    "color.keyboard",
    "color.key",
    "color.key_other",
    "color.accent",
    "color.pressed",
    "color.text",
    "color.text_accent",
    "color.text_pressed",
    "color.text_dim",
    "color.alarm",
    "color.field",
    "color.border",
    "keymap",
    "root",
    "rootfstype",
    "rootflags",
    "rw",
    "init",
    "on_failure",
];

/// Keys of colours begin with this.
const COLOR: &str = "color.";

/// Keys that are yes or no, or leave it to the program: as flags and on the kernel command line they need no value.
pub const SWITCHES: &[&str] = &[
    "readonly",
    "allow_discards",
    "perf_no_read_workqueue",
    "perf_no_write_workqueue",
    "reveal",
    "hide_length",
    "cancel",
    "haptics",
    "rw",
    "ro",
];

/// Why a setting was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No such key.
    Key,
    /// The value does not fit; says what would.
    Value(&'static str),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key => f.write_str("no such setting"),
            Self::Value(wanted) => write!(f, "must be {wanted}"),
        }
    }
}

impl Boot {
    /// Sets one key; `-` and `_` are the same. `ro` is `rw` turned round.
    ///
    /// # Errors
    /// [`Refusal`]; the setting keeps its old value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Refusal> {
        match key.replace('-', "_").as_str() {
            "device" => self.device = Some(device(value)?),
            "name" => self.name = Some(mapping(value)?),
            "key_file" => self.key_file = Some(path(value)?),
            "readonly" => self.readonly = Some(yes_no(value)?),
            "allow_discards" => self.allow_discards = Some(yes_no(value)?),
            "perf_no_read_workqueue" => self.no_read_workqueue = Some(choice(value)?),
            "perf_no_write_workqueue" => self.no_write_workqueue = Some(choice(value)?),
            "options" => self.options = Some(text(value)?),
            "tries" => self.tries = Some(number(value)?),
            "timeout" => self.timeout_s = Some(number(value)?),
            "device_timeout" => self.device_timeout_s = Some(number(value)?),
            "framebuffer" => self.framebuffer = Some(framebuffer(value)?),
            "rotate" => self.rotate = Some(wish(orientation::Wish::parse(value), "auto, 0, 90, 180 or 270")?),
            "refresh" => self.refresh = Some(wish(refresh::Wish::parse(value), "auto, on or off")?),
            "display_timeout" => self.display_timeout_s = Some(number(value)?),
            "dim_after" => self.dim_after_s = Some(number(value)?),
            "blank_after" => self.blank_after_s = Some(number(value)?),
            "power_off_after" => self.power_off_after_s = Some(number(value)?),
            "layout" => self.layout = Some(layouts(value)?),
            "keyboard" => self.keyboard = Some(wish(Showing::parse(value), "auto, show or hide")?),
            "reveal" => self.reveal = Some(yes_no(value)?),
            "hide_length" => self.hide_length = Some(yes_no(value)?),
            "cancel" => self.cancel = Some(yes_no(value)?),
            // Each adds to those before.
            "input" => self.input.add(value).map_err(Refusal::Value)?,
            "haptics" => self.haptics = Some(yes_no(value)?),
            "theme" => self.theme.set_base(value).map_err(Refusal::Value)?,
            "logo" => self.logo = Some(path(value)?),
            "keymap" => self.keymap = Some(path(value)?),
            "root" => self.root = Some(text(value)?),
            "rootfstype" => self.rootfstype = Some(text(value)?),
            "rootflags" => self.rootflags = Some(text(value)?),
            "rw" => self.rw = Some(yes_no(value)?),
            "ro" => self.rw = Some(!yes_no(value)?),
            "init" => self.init = Some(path(value)?),
            "on_failure" => self.on_failure = Some(on_failure(value)?),
            key => return self.set_color(key, value),
        }
        Ok(())
    }

    fn set_color(&mut self, key: &str, value: &str) -> Result<(), Refusal> {
        let name = key.strip_prefix(COLOR).filter(|_| KEYS.contains(&key)).ok_or(Refusal::Key)?;
        self.theme.set_color(name, value).map_err(Refusal::Value)
    }

    /// The value of a key as [`Boot::set`] takes it; `None` if it is not set or unknown.
    pub fn get(&self, key: &str) -> Option<String> {
        let yes_no = |on: bool| if on { "yes" } else { "no" }.to_owned();
        match key {
            "device" => self.device.clone(),
            "name" => self.name.clone(),
            "key_file" => self.key_file.clone(),
            "readonly" => self.readonly.map(yes_no),
            "allow_discards" => self.allow_discards.map(yes_no),
            "perf_no_read_workqueue" => self.no_read_workqueue.map(word_of),
            "perf_no_write_workqueue" => self.no_write_workqueue.map(word_of),
            "options" => self.options.clone(),
            "tries" => self.tries.map(|n| n.to_string()),
            "timeout" => self.timeout_s.map(|n| n.to_string()),
            "device_timeout" => self.device_timeout_s.map(|n| n.to_string()),
            "framebuffer" => self.framebuffer.as_ref().map(Selection::word),
            "rotate" => self.rotate.map(|wish| wish.word().to_owned()),
            "refresh" => self.refresh.map(|wish| wish.word().to_owned()),
            "display_timeout" => self.display_timeout_s.map(|n| n.to_string()),
            "dim_after" => self.dim_after_s.map(|n| n.to_string()),
            "blank_after" => self.blank_after_s.map(|n| n.to_string()),
            "logo" => self.logo.clone(),
            "power_off_after" => self.power_off_after_s.map(|n| n.to_string()),
            "layout" => self.layout.clone(),
            "keyboard" => self.keyboard.map(|showing| showing.word().to_owned()),
            "reveal" => self.reveal.map(yes_no),
            "hide_length" => self.hide_length.map(yes_no),
            "cancel" => self.cancel.map(yes_no),
            "keymap" => self.keymap.clone(),
            "input" => Some(self.input.to_string()).filter(|text| !text.is_empty()),
            "haptics" => self.haptics.map(yes_no),
            "root" => self.root.clone(),
            "rootfstype" => self.rootfstype.clone(),
            "rootflags" => self.rootflags.clone(),
            "rw" => self.rw.map(yes_no),
            "init" => self.init.clone(),
            "on_failure" => self.on_failure.and_then(|action| {
                let word = ON_FAILURE.iter().find(|(_, other)| *other == action);
                word.map(|(word, _)| (*word).to_owned())
            }),
            "theme" => self.theme.base().map(str::to_owned),
            key => self.theme.color(key.strip_prefix(COLOR)?),
        }
    }
}

fn device(value: &str) -> Result<String, Refusal> {
    let wanted = Refusal::Value("an absolute path, UUID=, PARTUUID=, LABEL=, PARTLABEL= or ID=");
    text(value).ok().filter(|value| Spec::parse(value).is_some()).ok_or(wanted)
}

/// A config file could not give these back.
fn unwritable(c: char) -> bool {
    c == '"' || c.is_control()
}

fn text(value: &str) -> Result<String, Refusal> {
    if value.is_empty() || value.contains(unwritable) {
        return Err(Refusal::Value("a word without quotes"));
    }
    Ok(value.to_owned())
}

fn path(value: &str) -> Result<String, Refusal> {
    if !value.starts_with('/') || value.contains(unwritable) {
        return Err(Refusal::Value("an absolute path"));
    }
    Ok(value.to_owned())
}

fn framebuffer(value: &str) -> Result<Selection, Refusal> {
    let writable = Some(value).filter(|value| !value.contains(unwritable));
    wish(writable.and_then(Selection::parse), "auto, all or an absolute path")
}

fn wish<T>(parsed: Option<T>, wanted: &'static str) -> Result<T, Refusal> {
    parsed.ok_or(Refusal::Value(wanted))
}

/// Device-mapper names are file names (`DM_NAME_LEN` is 128, the NUL included).
fn mapping(value: &str) -> Result<String, Refusal> {
    let bad = |c: char| c == '/' || c.is_whitespace() || unwritable(c);
    if value.is_empty() || value.len() > 127 || value.contains(bad) || matches!(value, "." | "..") {
        return Err(Refusal::Value("a name without `/` and blanks, at most 127 bytes"));
    }
    Ok(value.to_owned())
}

fn number(value: &str) -> Result<u32, Refusal> {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse() {
        Ok(number) if digits => Ok(number),
        _ => Err(Refusal::Value("a whole number")),
    }
}

/// Reads yes or no, in all the words for them.
pub fn switch(value: &str) -> Option<bool> {
    match value {
        "yes" | "y" | "true" | "on" | "1" => Some(true),
        "no" | "n" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

fn yes_no(value: &str) -> Result<bool, Refusal> {
    switch(value).ok_or(Refusal::Value("yes or no"))
}

/// Names of layouts with commas between.
fn layouts(value: &str) -> Result<String, Refusal> {
    let is_name = |name: &str| !name.is_empty() && !name.contains('/') && !name.contains(char::is_whitespace);
    if !value.split(',').all(is_name) || value.contains(unwritable) {
        return Err(Refusal::Value("names with commas between"));
    }
    Ok(value.to_owned())
}

fn choice(value: &str) -> Result<Choice, Refusal> {
    match value {
        "auto" => Ok(Choice::Auto),
        value => match switch(value) {
            Some(true) => Ok(Choice::On),
            Some(false) => Ok(Choice::Off),
            None => Err(Refusal::Value("on, off or auto")),
        },
    }
}

fn word_of(choice: Choice) -> String {
    match choice {
        Choice::Auto => "auto",
        Choice::On => "on",
        Choice::Off => "off",
    }
    .to_owned()
}

fn on_failure(value: &str) -> Result<OnFailure, Refusal> {
    let word = ON_FAILURE.iter().find(|(word, _)| *word == value);
    word.map(|(_, action)| *action).ok_or(Refusal::Value("retry, wait, poweroff or reboot"))
}

const ON_FAILURE: [(&str, OnFailure); 4] = [
    ("retry", OnFailure::Retry),
    ("wait", OnFailure::Wait),
    ("poweroff", OnFailure::PowerOff),
    ("reboot", OnFailure::Reboot),
];

/// Keys and values.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_do_not_fit_change_nothing() {
        let cases = [
            ("tries", "-1"),
            ("tries", "+1"),
            ("tries", "99999999999"),
            ("timeout", ""),
            ("rw", "maybe"),
            ("name", "a/b"),
            ("name", ".."),
            ("init", "sbin/init"),
            ("framebuffer", "fb1"),
            ("rotate", "left"),
            ("refresh", "yes"),
            ("on_failure", "panic"),
            ("perf-no_read_workqueue", "maybe"),
            ("device", ""),
            ("device", "a\" #b"),
            ("root", "/a\nb"),
            ("input", "rotate"),
            ("input", "ignore"),
            ("haptics", "strong"),
            ("theme", "blue"),
            ("color.key", "red"),
            ("keyboard", "yes"),
            ("layout", "de,"),
            ("layout", "/etc/x"),
            ("reveal", "auto"),
        ];
        let mut boot = Boot::default();
        for (key, value) in cases {
            let refusal = boot.set(key, value);
            assert!(matches!(refusal, Err(Refusal::Value(_))), "{key} = {value}");
        }
        for unknown in ["colour", "color.", "color.shadow", "color"] {
            assert_eq!(boot.set(unknown, "#102030"), Err(Refusal::Key));
        }
        assert_eq!(boot, Boot::default());
    }

    #[test]
    fn every_key_can_be_set_and_got() {
        for key in KEYS {
            let mut boot = Boot::default();
            assert_eq!(boot.get(key), None);
            let values = ["/x", "yes", "1", "wait", "dark", "auto", "#102030", "swap", "word"];
            let value = values.iter().find(|value| boot.set(key, value).is_ok());
            assert!(value.is_some(), "one of them fits {key}");
            let mut again = Boot::default();
            again.set(key, &boot.get(key).expect("it is set")).unwrap();
            assert_eq!(again, boot, "{key}");
        }
    }
}
