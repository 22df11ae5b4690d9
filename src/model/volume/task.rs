//! What the worker process is to open, and how.

use super::entry::Entry;
use super::origin::Origin;
use super::spec::Spec;
use super::verity::Verity;

/// Seconds to wait for a device if nobody says how long.
const DEVICE_TIMEOUT_S: u32 = 10;

/// What kind of volume is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An encrypted one, by a key.
    Encrypted,
    /// One of dm-verity, by its root hash.
    Verity(Box<Verity>),
}

/// One volume and the way it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Where it is, where its key is, and what is said about it. Of a dm-verity volume it is what all volumes have:
    /// the name, the data's device, whether and how long to wait.
    pub entry: Entry,
    /// What it is.
    pub kind: Kind,
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
        Self { entry, kind: Kind::Encrypted, test_passphrase: false, persistent: false, asks: true }
    }

    /// A dm-verity volume: nobody is asked for anything.
    pub fn verity(volume: Verity) -> Self {
        let origin = volume.origins.first().cloned().unwrap_or(Origin::Argument);
        let mut entry = Entry::new(volume.data.clone(), origin);
        entry.name = Some(volume.name.clone());
        entry.options.nofail = Some(volume.options.nofail);
        entry.options.device_timeout_s = volume.options.device_timeout_s;
        Self { kind: Kind::Verity(Box::new(volume)), asks: false, ..Self::new(entry) }
    }

    /// The devices that it lies on, as far as they are named by themselves.
    pub fn devices(&self) -> Vec<&Spec> {
        match &self.kind {
            Kind::Encrypted => vec![&self.entry.device],
            Kind::Verity(volume) => volume.devices().collect(),
        }
    }

    /// What is waited for, in words.
    pub fn awaited(&self) -> String {
        let mut words: Vec<String> = self.devices().iter().map(ToString::to_string).collect();
        words.dedup();
        words.join(", ")
    }

    /// Whether it lies on the mapping that `other` is to make.
    fn lies_on(&self, other: &Self) -> bool {
        let name = other.entry.name(None);
        let is_it = |path: &str| path.strip_prefix("/dev/mapper/").is_some_and(|path| Some(path) == name.as_deref());
        self.devices().iter().any(|device| matches!(device, Spec::Path(path) if is_it(path)))
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

/// The volumes in the order in which they are opened: nobody waits for one that may be missing while one that is
/// needed is not open, and what is checked comes after what is decrypted, since it may lie on it. Whatever names
/// another one's mapping as its device comes after that one in any case.
pub fn order(tasks: Vec<Task>) -> Vec<Task> {
    let mut left: Vec<Option<Task>> = tasks.into_iter().map(Some).collect();
    let mut taken = Vec::with_capacity(left.len());
    for (is_optional, is_encrypted) in [(false, true), (false, false), (true, true), (true, false)] {
        for at in 0..left.len() {
            let is_next =
                |task: &Task| (task.is_optional(), task.kind == Kind::Encrypted) == (is_optional, is_encrypted);
            if left.get(at).is_some_and(|task| task.as_ref().is_some_and(is_next)) {
                take(&mut left, at, &mut taken);
            }
        }
    }
    taken
}

/// Takes a task out of those that are left, after those that it lies on.
fn take(left: &mut [Option<Task>], at: usize, taken: &mut Vec<Task>) {
    let Some(task) = left.get_mut(at).and_then(Option::take) else { return };
    for below in 0..left.len() {
        if left.get(below).is_some_and(|other| other.as_ref().is_some_and(|other| task.lies_on(other))) {
            take(left, below, taken);
        }
    }
    taken.push(task);
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
        let tasks =
            vec![task("/a", None, "nofail"), task("/b", None, ""), task("/c", None, "nofail"), task("/d", None, "")];
        let tasks = order(tasks);
        let titles: Vec<String> = tasks.iter().map(Task::title).collect();
        assert_eq!(titles, ["/b", "/d", "/a", "/c"]);
    }

    fn verity(line: &str) -> Task {
        let (volumes, warnings) = super::super::verity::table::read(line, "/v");
        assert!(warnings.is_empty(), "{warnings:?}");
        Task::verity(volumes.into_iter().next().unwrap())
    }

    fn titles(tasks: &[Task]) -> Vec<String> {
        tasks.iter().map(|task| task.entry.name(None).unwrap_or_default()).collect()
    }

    #[test]
    fn what_is_checked_comes_after_what_is_decrypted() {
        let hash = "0a".repeat(32);
        let checked = |name: &str, data: &str, hashes: &str, options: &str| {
            verity(&format!("{name} {data} {hashes} {hash} {options}"))
        };
        let tasks = vec![
            checked("root", "PARTUUID=a", "PARTUUID=b", ""),
            task("/dev/x", Some("maybe"), "nofail"),
            checked("extra", "/dev/y", "/dev/y", "nofail"),
            task("/dev/z", Some("crypt"), ""),
        ];
        let tasks = order(tasks);
        assert_eq!(titles(&tasks), ["crypt", "root", "maybe", "extra"]);
        // By need: the required one lies on one that may be missing, and that one on a third.
        let tasks = vec![
            checked("root", "/dev/v", "/dev/mapper/maybe", "-"),
            task("/dev/mapper/low", Some("maybe"), "nofail"),
            checked("low", "/dev/y", "/dev/w", "fec-device=/dev/mapper/crypt,nofail"),
            task("/dev/z", Some("crypt"), "nofail"),
        ];
        let tasks = order(tasks);
        assert_eq!(titles(&tasks), ["crypt", "low", "maybe", "root"]);
        // A circle has no order, and all of its volumes stay.
        let tasks = vec![checked("a", "/dev/mapper/b", "/dev/v", "-"), checked("b", "/dev/mapper/a", "/dev/v", "-")];
        let tasks = order(tasks);
        assert_eq!(titles(&tasks), ["b", "a"]);
    }

    #[test]
    fn a_checked_volume_says_what_it_waits_for() {
        let hash = "0a".repeat(32);
        let task = verity(&format!("usr PARTUUID=A /dev/b {hash} nofail,x-systemd.device-timeout=3,fec-device=/dev/b"));
        assert_eq!((task.title().as_str(), task.awaited().as_str()), ("usr", "PARTUUID=a, /dev/b"));
        assert_eq!((task.is_optional(), task.device_timeout_s(), task.asks), (true, Some(3), false));
        let task = verity(&format!("usr /dev/b /dev/b {hash}"));
        assert_eq!((task.awaited().as_str(), task.is_optional()), ("/dev/b", false));
    }
}
