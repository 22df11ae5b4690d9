//! `luks.*` and `rd.luks.*`: systemd-cryptsetup-generator(8), dracut.cmdline(7), and booster's
//! `rd.luks.header=`.

use super::super::amount::seconds;
use super::super::entry::{Entry, is_name};
use super::super::key::{Header, Key};
use super::super::option::Options;
use super::super::origin::Origin;
use super::super::spec::{Spec, unquoted};
use super::{CommandLine, Taken, problem, switch};

/// What is said so far.
pub(super) struct Luks {
    enabled: bool,
    crypttab: bool,
    is_selection: bool,
    volumes: Vec<Named>,
    /// For volumes without a key of their own.
    key: Option<Key>,
    /// For volumes without options of their own.
    options: Option<Options>,
    /// For every volume.
    overall: Options,
}

/// A volume, and whether it is to be opened.
struct Named {
    entry: Entry,
    opened: bool,
    /// Where the data lies, if not on the device with the header.
    data: Option<Spec>,
}

impl Default for Luks {
    fn default() -> Self {
        Self {
            enabled: true,
            crypttab: true,
            is_selection: false,
            volumes: Vec::new(),
            key: None,
            options: None,
            overall: Options::default(),
        }
    }
}

impl Luks {
    /// Takes a word whose key is without `rd.`.
    pub(super) fn take(&mut self, key: &str, value: Option<&str>) -> Taken {
        match key {
            "luks" => return switch(value, &mut self.enabled),
            "luks.crypttab" => return switch(value, &mut self.crypttab),
            "luks.allow-discards" if value.is_none() => {
                self.overall.discards = Some(true);
                return Some(Vec::new());
            }
            key if !key.starts_with("luks.") => return None,
            _ => {}
        }
        let Some(value) = value.map(unquoted).filter(|value| !value.is_empty()) else {
            return problem("has no value; passed over");
        };
        let problems = match key {
            "luks.uuid" => self.open(value),
            "luks.partuuid" => self.open_partition(value),
            "luks.name" => self.name(value),
            "luks.options" => self.set_options(value),
            "luks.key" => self.set_key(value),
            "luks.data" => self.set_data(value),
            "luks.header" => self.set_header(value),
            "luks.allow-discards" => match spec(value) {
                Some(device) => self.change(device, "luks.allow-discards", |entry| entry.options.discards = Some(true)),
                None => vec![NO_UUID.into()],
            },
            "luks.timeout" => span(value, &mut self.overall.timeout_s),
            "luks.key.tout" => span(value, &mut self.overall.key_timeout_s),
            _ => vec!["unknown word, passed over".into()],
        };
        Some(problems)
    }

    fn named(&mut self, device: Spec, key: &str) -> &mut Named {
        let known = self.volumes.iter().position(|named| named.entry.device.same(&device) == Some(true));
        let at = known.unwrap_or_else(|| {
            let entry = Entry::new(device, Origin::CommandLine(key.to_owned()));
            self.volumes.push(Named { entry, opened: false, data: None });
            self.volumes.len() - 1
        });
        &mut self.volumes[at]
    }

    fn change(&mut self, device: Spec, key: &str, change: impl FnOnce(&mut Entry)) -> Vec<String> {
        change(&mut self.named(device, key).entry);
        Vec::new()
    }

    fn open(&mut self, value: &str) -> Vec<String> {
        // dracut marks volumes that hold keys so.
        let Some(device) = spec(value.strip_prefix("keysource:").unwrap_or(value)) else {
            return vec![NO_UUID.into()];
        };
        self.is_selection = true;
        self.named(device, "luks.uuid").opened = true;
        Vec::new()
    }

    fn open_partition(&mut self, value: &str) -> Vec<String> {
        self.named(Spec::PartUuid(value.to_ascii_lowercase()), "luks.partuuid").opened = true;
        Vec::new()
    }

    fn name(&mut self, value: &str) -> Vec<String> {
        let Some((device, name)) = pair(value) else { return vec![NO_PAIR.into()] };
        if !is_name(name) {
            return vec![format!("\"{}\" is no name for a mapping; passed over", name.escape_debug())];
        }
        self.is_selection = true;
        let named = self.named(device, "luks.name");
        named.opened = true;
        named.entry.name = Some(name.to_owned());
        Vec::new()
    }

    fn set_options(&mut self, value: &str) -> Vec<String> {
        // Words of options hold `=`, too: only a UUID before it makes a pair.
        let (device, text) = match pair(value) {
            Some((device, text)) => (Some(device), text),
            None => (None, value),
        };
        let (options, problems) = Options::read(text);
        match device {
            Some(device) => {
                let entry = &mut self.named(device, "luks.options").entry;
                let (discards, header) = (entry.options.discards, entry.options.header.take());
                entry.options = options;
                entry.options.discards = entry.options.discards.or(discards);
                entry.options.header = entry.options.header.take().or(header);
                entry.is_whole = true;
            }
            None => self.options = Some(options),
        }
        problems
    }

    fn set_key(&mut self, value: &str) -> Vec<String> {
        if let Some((device, text)) = pair(value) {
            return match Key::parse(text).filter(|key| *key != Key::Random) {
                Some(key) => self.change(device, "luks.key", |entry| entry.key = Some(key)),
                None => vec![NO_KEY.into()],
            };
        }
        // dracut's third part says whose key it is.
        let whose = value.rsplit_once(':').and_then(|(place, device)| {
            let (_, on) = place.rsplit_once(':')?;
            Spec::parse(on).and(luks_device(device)).map(|device| (place, device))
        });
        let text = whose.as_ref().map_or(value, |(place, _)| place);
        let Some(key) = Key::parse(text).filter(|key| *key != Key::Random) else { return vec![NO_KEY.into()] };
        match whose {
            Some((_, device)) => self.change(device, "luks.key", |entry| entry.key = Some(key)),
            None => {
                self.key = Some(key);
                Vec::new()
            }
        }
    }

    fn set_data(&mut self, value: &str) -> Vec<String> {
        let pair = pair(value).and_then(|(device, data)| Some((device, Spec::parse(data)?)));
        let Some((Spec::Uuid(uuid), data)) = pair else {
            return vec!["must be UUID=DEVICE, the UUID in full; passed over".into()];
        };
        self.named(Spec::Uuid(uuid), "luks.data").data = Some(data);
        Vec::new()
    }

    fn set_header(&mut self, value: &str) -> Vec<String> {
        match pair(value).and_then(|(device, text)| Some((device, Header::parse(text)?))) {
            Some((device, header)) => self.change(device, "luks.header", |entry| entry.options.header = Some(header)),
            None => vec!["must be UUID=PATH, UUID=PATH:DEVICE or UUID=DEVICE; passed over".into()],
        }
    }

    /// Puts together what belongs together.
    pub(super) fn finish(self, line: &mut CommandLine) {
        line.without_crypttab = !self.enabled || !self.crypttab;
        if !self.enabled {
            return;
        }
        line.is_selection = self.is_selection;
        line.options.fill(&self.overall);
        for Named { mut entry, opened, data } in self.volumes {
            if let (Some(data), Spec::Uuid(uuid)) = (data, &entry.device) {
                entry.uuid = Some(uuid.clone());
                entry.device = data;
            }
            if !opened {
                line.details.push(entry);
                continue;
            }
            entry.key = entry.key.or_else(|| self.key.clone());
            if let Some(options) = self.options.as_ref().filter(|_| !entry.is_whole) {
                entry.options.fill(options);
                entry.is_whole = true;
            }
            line.entries.push(entry);
        }
    }
}

const NO_UUID: &str = "must be a UUID, perhaps with luks- before it; passed over";
const NO_PAIR: &str = "must be UUID=NAME; passed over";
const NO_KEY: &str = "names no key file; passed over";

fn span(value: &str, target: &mut Option<u32>) -> Vec<String> {
    match seconds(value) {
        Some(span) => {
            *target = Some(span);
            Vec::new()
        }
        None => vec!["must be a span of time such as 90 or 1min; passed over".into()],
    }
}

/// A UUID, in full or its beginning.
fn spec(text: &str) -> Option<Spec> {
    let text = text.strip_prefix("UUID=").unwrap_or(text);
    let uuid = text.strip_prefix("luks-").unwrap_or(text).to_ascii_lowercase();
    let fits = !uuid.is_empty() && uuid.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    // 32 digits and 4 dashes.
    fits.then_some(if uuid.len() < 36 { Spec::LuksUuid(uuid) } else { Spec::Uuid(uuid) })
}

/// The device that dracut's key is for: a tag, a path, or a bare UUID.
fn luks_device(text: &str) -> Option<Spec> {
    match Spec::parse(text) {
        Some(Spec::Uuid(uuid)) => spec(&uuid),
        Some(other) => Some(other),
        None => spec(text),
    }
}

/// `UUID=value`.
fn pair(text: &str) -> Option<(Spec, &str)> {
    let (uuid, value) = text.split_once('=')?;
    spec(uuid).filter(|_| !value.is_empty()).map(|device| (device, value))
}
