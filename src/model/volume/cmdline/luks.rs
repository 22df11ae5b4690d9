//! `luks.*` and `rd.luks.*`: systemd-cryptsetup-generator(8), dracut.cmdline(7), and booster's
//! `rd.luks.header=`.

use super::super::amount::seconds;
use super::super::entry::{Entry, is_name};
use super::super::key::{Header, Key};
use super::super::option::Options;
use super::super::origin::Origin;
use super::super::spec::{Spec, unquoted};
use super::{CommandLine, Told};

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
    /// Takes a word whose key is without `rd.`; `false` if it is none of these.
    pub(super) fn take(&mut self, key: &str, value: Option<&str>, told: &mut Told<'_>) -> bool {
        if key != "luks" && !key.starts_with("luks.") {
            return false;
        }
        let given = value.map(unquoted).filter(|value| !value.is_empty());
        match (key, given) {
            ("luks", _) => told.switch(value, &mut self.enabled),
            ("luks.crypttab", _) => told.switch(value, &mut self.crypttab),
            ("luks.allow-discards", None) => self.overall.discards = Some(true),
            (_, None) => told.tell("has no value; passed over"),
            (_, Some(value)) => self.take_value(key, value, told),
        }
        true
    }

    fn take_value(&mut self, key: &str, value: &str, told: &mut Told<'_>) {
        match key {
            "luks.uuid" => self.open(value, told),
            "luks.partuuid" => self.open_partition(value, told),
            "luks.name" => self.name(value, told),
            "luks.options" => self.set_options(value, told),
            "luks.key" => self.set_key(value, told),
            "luks.data" => self.set_data(value, told),
            "luks.header" => self.set_header(value, told),
            "luks.allow-discards" => match spec(value) {
                Some(device) => self.named(device, told).entry.options.discards = Some(true),
                None => told.tell(NO_UUID),
            },
            "luks.timeout" => told.set(seconds(value), &mut self.overall.timeout_s, NO_SPAN),
            "luks.key.tout" => told.set(seconds(value), &mut self.overall.key_timeout_s, NO_SPAN),
            _ => told.tell("unknown word, passed over"),
        }
    }

    #[inline(never)]
    fn named(&mut self, device: Spec, told: &Told<'_>) -> &mut Named {
        let known = self.volumes.iter().position(|named| named.entry.device.same(&device) == Some(true));
        let at = known.unwrap_or_else(|| {
            let entry = Entry::new(device, Origin::CommandLine(told.key.to_owned()));
            self.volumes.push(Named { entry, opened: false, data: None });
            self.volumes.len() - 1
        });
        &mut self.volumes[at]
    }

    fn open(&mut self, value: &str, told: &mut Told<'_>) {
        // dracut marks volumes that hold keys so.
        let Some(device) = spec(value.strip_prefix("keysource:").unwrap_or(value)) else { return told.tell(NO_UUID) };
        self.is_selection = true;
        self.named(device, told).opened = true;
    }

    fn open_partition(&mut self, value: &str, told: &Told<'_>) {
        let uuid = value.strip_prefix("keysource:").unwrap_or(value);
        let uuid = uuid.strip_prefix("luks-").unwrap_or(uuid).to_ascii_lowercase();
        self.named(Spec::PartUuid(uuid), told).opened = true;
    }

    /// dracut names a partition and the header on it in one way, and calls the mapping after what it was told.
    fn join_partitions(&mut self) {
        let uuid_of = |named: &Named| match &named.entry.device {
            Spec::PartUuid(uuid) => Some(uuid.clone()),
            _ => None,
        };
        let uuids: Vec<String> = self.volumes.iter().filter_map(uuid_of).collect();
        for uuid in uuids {
            let is_twin =
                |named: &Named| matches!(&named.entry.device, Spec::Uuid(text) | Spec::LuksUuid(text) if *text == uuid);
            let twin = self.volumes.iter().position(is_twin).map(|at| self.volumes.remove(at));
            let partition = Spec::PartUuid(uuid.clone());
            let Some(named) = self.volumes.iter_mut().find(|named| named.entry.device == partition) else { continue };
            twin.iter().for_each(|twin| named.entry.fill(&twin.entry));
            let name = named.entry.name.take().or_else(|| Some(format!("luks-{uuid}")));
            named.entry.name = name.filter(|name| is_name(name));
        }
    }

    fn name(&mut self, value: &str, told: &mut Told<'_>) {
        let Some((device, name)) = pair(value).filter(|(_, name)| is_name(name)) else {
            return told.tell("must be UUID=NAME, the name one for a mapping; passed over");
        };
        self.is_selection = true;
        let named = self.named(device, told);
        named.opened = true;
        named.entry.name = Some(name.to_owned());
    }

    fn set_options(&mut self, value: &str, told: &mut Told<'_>) {
        // Words of options hold `=`, too: only a UUID before it makes a pair.
        let Some((device, text)) = pair(value) else {
            self.options = Some(told.options(value));
            return;
        };
        let mut options = told.options(text);
        let entry = &mut self.named(device, told).entry;
        // Words of their own, wherever they stand.
        options.discards = options.discards.or(entry.options.discards);
        options.header = options.header.take().or_else(|| entry.options.header.take());
        entry.options = options;
        entry.is_whole = true;
    }

    fn set_key(&mut self, value: &str, told: &mut Told<'_>) {
        // dracut's third part says whose key it is.
        let third = || {
            let (place, device) = value.rsplit_once(':')?;
            let (_, on) = place.rsplit_once(':')?;
            Spec::parse(on).and(luks_device(device)).map(|device| (device, place))
        };
        let (device, text) = match pair(value).or_else(third) {
            Some((device, text)) => (Some(device), text),
            None => (None, value),
        };
        let Some(key) = Key::parse(text).filter(|key| *key != Key::Random) else {
            return told.tell("names no key file; passed over");
        };
        match device {
            Some(device) => self.named(device, told).entry.key = Some(key),
            None => self.key = Some(key),
        }
    }

    fn set_data(&mut self, value: &str, told: &mut Told<'_>) {
        match pair(value).map(|(device, data)| (device, Spec::parse(data))) {
            Some((device @ Spec::Uuid(_), Some(data))) => self.named(device, told).data = Some(data),
            _ => told.tell("must be UUID=DEVICE, the UUID in full; passed over"),
        }
    }

    fn set_header(&mut self, value: &str, told: &mut Told<'_>) {
        match pair(value).map(|(device, text)| (device, Header::parse(text))) {
            Some((device, Some(header))) => self.named(device, told).entry.options.header = Some(header),
            _ => told.tell("must be UUID=PATH, UUID=PATH:DEVICE or UUID=DEVICE; passed over"),
        }
    }

    /// Puts together what belongs together.
    pub(super) fn finish(mut self, line: &mut CommandLine) {
        line.without_crypttab = !self.enabled || !self.crypttab;
        if !self.enabled {
            return;
        }
        self.join_partitions();
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
const NO_SPAN: &str = "must be a span of time such as 90 or 1min; passed over";

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
