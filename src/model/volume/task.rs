//! What the worker process is to open, and how.

use super::entry::Entry;
use super::spec::Spec;

/// Seconds to wait for a device if nobody says how long.
const DEVICE_TIMEOUT_S: u32 = 10;

/// One volume and the way it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Where it is, where its key is, and what is said about it.
    pub entry: Entry,
    /// Only check the passphrase: no device-mapper, no mapping.
    pub test_passphrase: bool,
    /// Keep the flags in the header, where it has room for them.
    pub persistent: bool,
    /// Somebody can be asked if no key is found.
    pub asks: bool,
}

impl Task {
    /// A volume that is opened, if need be by asking.
    pub const fn new(entry: Entry) -> Self {
        Self { entry, test_passphrase: false, persistent: false, asks: true }
    }

    /// What the volume is called on the screen: as its owner did, or by the device that holds it.
    pub fn title(&self) -> String {
        match (&self.entry.device, &self.entry.name) {
            (Spec::Path(path), _) => path.clone(),
            (_, Some(name)) => name.clone(),
            (device, None) => device.to_string(),
        }
    }

    /// Seconds to wait for the device; `None` for as long as it takes.
    pub fn device_timeout_s(&self) -> Option<u32> {
        Some(self.entry.options.device_timeout_s.unwrap_or(DEVICE_TIMEOUT_S)).filter(|seconds| *seconds > 0)
    }

    /// Seconds to wait for a key's device; `None` for as long as it takes.
    pub fn key_timeout_s(&self) -> Option<u32> {
        Some(self.entry.options.key_timeout_s.unwrap_or(DEVICE_TIMEOUT_S)).filter(|seconds| *seconds > 0)
    }

    /// Whether one can go on without the volume.
    pub fn is_optional(&self) -> bool {
        self.entry.options.nofail == Some(true)
    }
}

/// The volumes in the order in which they are opened: nobody waits for one that may be missing while
/// one that is needed is not open.
pub fn order(tasks: &mut [Task]) {
    tasks.sort_by_key(Task::is_optional);
}

#[cfg(test)]
mod tests {
    use super::super::option::Options;
    use super::super::origin::Origin;
    use super::*;

    fn task(device: &str, name: Option<&str>, options: &str) -> Task {
        let mut entry = Entry::new(Spec::parse(device).unwrap(), Origin::Config);
        entry.name = name.map(str::to_owned);
        entry.options = Options::read(options).0;
        Task::new(entry)
    }

    #[test]
    fn titles_are_short_and_known_to_the_owner() {
        let cases = [
            ("/dev/vda", Some("root"), "/dev/vda"),
            ("UUID=3f1a", Some("root"), "root"),
            ("UUID=3f1a", None, "UUID=3f1a"),
        ];
        for (device, name, title) in cases {
            assert_eq!(task(device, name, "").title(), title);
        }
    }

    #[test]
    fn times_have_a_default_and_no_end_at_zero() {
        assert_eq!(task("/d", None, "").device_timeout_s(), Some(10));
        assert_eq!(task("/d", None, "x-systemd.device-timeout=0").device_timeout_s(), None);
        assert_eq!(task("/d", None, "x-systemd.device-timeout=3").device_timeout_s(), Some(3));
        assert_eq!(task("/d", None, "keyfile-timeout=7").key_timeout_s(), Some(7));
    }

    #[test]
    fn what_may_be_missing_comes_last() {
        let mut tasks =
            [task("/a", None, "nofail"), task("/b", None, ""), task("/c", None, "nofail"), task("/d", None, "")];
        order(&mut tasks);
        let titles: Vec<String> = tasks.iter().map(Task::title).collect();
        assert_eq!(titles, ["/b", "/d", "/a", "/c"]);
    }
}
