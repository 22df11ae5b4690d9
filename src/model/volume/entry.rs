//! What is said about one volume: by one place, or by several, laid over one another.

use super::key::{Key, Place};
use super::option::{Format, Options};
use super::origin::Origin;
use super::spec::Spec;

/// Bytes that a mapping's name may have (`DM_NAME_LEN` in include/uapi/linux/dm-ioctl.h is 128, the
/// NUL included).
const NAME_MAX: usize = 127;

/// Folders where systemd looks for `NAME.key` (crypttab(5)).
const KEY_FOLDERS: [&str; 2] = ["/etc/cryptsetup-keys.d", "/run/cryptsetup-keys.d"];

/// Where Arch, Alpine and postmarketOS look.
const KEY_FILE: &str = "/crypto_keyfile.bin";

/// A volume to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The mapping's name; see [`Entry::name`].
    pub name: Option<String>,
    /// The device that holds the data, and the header unless that is detached.
    pub device: Spec,
    /// The UUID of the LUKS header, where the device is named otherwise (`rd.luks.data=`).
    pub uuid: Option<String>,
    /// Where the key comes from; `None` if nobody said.
    pub key: Option<Key>,
    /// All the rest.
    pub options: Options,
    /// The options are all that there are, as those of a crypttab line: they stand instead of those
    /// of a lower place and are not laid over them.
    pub is_whole: bool,
    /// Who spoke of it, the highest first.
    pub origins: Vec<Origin>,
}

impl Entry {
    /// A volume of which nothing but the device is known.
    #[inline(never)]
    pub fn new(device: Spec, origin: Origin) -> Self {
        Self {
            name: None,
            device,
            uuid: None,
            key: None,
            options: Options::default(),
            is_whole: false,
            origins: vec![origin],
        }
    }

    /// The mapping's name: the given one, or `luks-UUID`, as systemd and dracut call it. `found` is the UUID that the
    /// header turned out to have; without it and without a name there is `None`.
    pub fn name(&self, found: Option<&str>) -> Option<String> {
        let said = match &self.device {
            Spec::Uuid(uuid) => Some(uuid.as_str()),
            _ => None,
        };
        let uuid = self.uuid.as_deref().or(found).or(said);
        self.name.clone().or_else(|| Some(format!("luks-{}", uuid?)).filter(|name| is_name(name)))
    }

    /// Keys to try before anybody is asked, the likeliest first. Those in files that are not there are to be
    /// passed over: most of them are places by custom.
    pub fn keys(&self, name: &str) -> Vec<Key> {
        match &self.key {
            Some(Key::Ask) | None => {
                let own = KEY_FOLDERS.iter().map(|folder| format!("{folder}/{name}.key"));
                // That one is not meant for this very volume.
                let common = self.refuses_wrong_keys().then(|| KEY_FILE.to_owned());
                own.chain(common).map(|path| Key::File(Place::file(&path))).collect()
            }
            Some(key) => vec![key.clone()],
        }
    }

    /// Whether a key that is not the volume's is told from one that is. A plain volume "opens" with any, and what
    /// it holds is noise then: keys that are only likely must not be tried on it.
    pub fn refuses_wrong_keys(&self) -> bool {
        self.options.format != Some(Format::Plain)
    }

    /// Whether an empty passphrase is tried before anybody is asked.
    pub fn tries_empty(&self) -> bool {
        self.options.tries_empty && self.refuses_wrong_keys()
    }

    /// Takes over what is not said here from a lower place that speaks of the same volume.
    pub fn fill(&mut self, lower: &Self) {
        // Here the header is named, there where the data of that header lies.
        let is_header = |uuid: &String| Spec::Uuid(uuid.clone()).same(&self.device) == Some(true);
        if self.uuid.is_none() && lower.uuid.as_ref().is_some_and(is_header) {
            self.device.clone_from(&lower.device);
        }
        self.name = self.name.take().or_else(|| lower.name.clone());
        self.uuid = self.uuid.take().or_else(|| lower.uuid.clone());
        self.key = self.key.take().or_else(|| lower.key.clone());
        if !(self.is_whole && lower.is_whole) {
            self.options.fill(&lower.options);
        }
        self.is_whole |= lower.is_whole;
        self.origins.extend(lower.origins.iter().cloned());
    }
}

/// Whether device-mapper takes the name, and it is one file below `/dev/mapper`.
pub fn is_name(text: &str) -> bool {
    let bad = |c: char| c == '/' || c.is_control();
    !text.is_empty() && text.len() <= NAME_MAX && !text.contains(bad) && !matches!(text, "." | ".." | "control")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(device: &str) -> Entry {
        Entry::new(Spec::parse(device).unwrap(), Origin::Config)
    }

    #[test]
    fn names_are_made_of_what_is_known() {
        let by_uuid = entry("UUID=AB-12");
        assert_eq!(by_uuid.name(None).as_deref(), Some("luks-ab-12"));
        let mut by_path = entry("/dev/sda2");
        assert_eq!(by_path.name(None), None);
        assert_eq!(by_path.name(Some("cd")).as_deref(), Some("luks-cd"));
        by_path.uuid = Some("ef".into());
        assert_eq!(by_path.name(Some("cd")).as_deref(), Some("luks-ef"));
        by_path.name = Some("root".into());
        assert_eq!(by_path.name(None).as_deref(), Some("root"));
        for bad in ["", ".", "..", "control", "a/b", "a\nb", &"x".repeat(128)] {
            assert!(!is_name(bad), "{bad:?}");
        }
        assert!(is_name(&"x".repeat(127)));
        assert!(is_name("my name"));
    }

    #[test]
    fn keys_by_custom_come_where_none_is_named() {
        let mut entry = entry("/dev/sda2");
        let custom = ["/etc/cryptsetup-keys.d/root.key", "/run/cryptsetup-keys.d/root.key", "/crypto_keyfile.bin"];
        let custom = custom.map(|path| Key::File(Place::file(path)));
        assert_eq!(entry.keys("root"), custom);
        entry.key = Some(Key::Ask);
        assert_eq!(entry.keys("root"), custom);
        entry.key = Key::parse("/k");
        assert_eq!(entry.keys("root"), [Key::File(Place::file("/k"))]);
    }

    #[test]
    fn a_volume_that_any_key_opens_is_tried_with_its_own_alone() {
        let mut entry = entry("/dev/sda2");
        assert!(entry.refuses_wrong_keys());
        entry.options = Options::read("try-empty-password").0;
        assert!(entry.tries_empty());
        entry.options = Options::read("plain,try-empty-password").0;
        assert!(!entry.refuses_wrong_keys() && !entry.tries_empty());
        let own = ["/etc/cryptsetup-keys.d/x.key", "/run/cryptsetup-keys.d/x.key"];
        assert_eq!(entry.keys("x"), own.map(|path| Key::File(Place::file(path))));
        entry.key = Key::parse("/crypto_keyfile.bin");
        assert_eq!(entry.keys("x"), [Key::File(Place::file("/crypto_keyfile.bin"))]);
    }

    #[test]
    fn whole_options_replace_and_others_fill() {
        let options = |text| Options::read(text).0;
        let mut high = entry("UUID=ab");
        high.options = options("tries=5");
        let mut middle = entry("UUID=ab");
        (middle.options, middle.is_whole) = (options("readonly"), true);
        let mut low = entry("UUID=ab");
        (low.options, low.is_whole, low.name) = (options("discard,tries=1"), true, Some("data".into()));
        high.fill(&middle);
        high.fill(&low);
        assert_eq!(high.options, options("tries=5,readonly"));
        assert_eq!(high.name.as_deref(), Some("data"));
        assert_eq!(high.origins.len(), 3);
    }
}
