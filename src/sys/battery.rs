//! The machine's battery in `/sys/class/power_supply`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::model::prompt::battery::Battery;

const FOLDER: &str = "/sys/class/power_supply";

/// Between two looks at it.
const PAUSE_MS: u64 = 30_000;

/// A battery that is looked at now and then: first as soon as somebody asks.
pub struct Gauge {
    supplies: PathBuf,
    /// Its folder, once there is one.
    folder: Option<PathBuf>,
    due_ms: u64,
}

impl Default for Gauge {
    fn default() -> Self {
        Self::of(Path::new(FOLDER))
    }
}

impl Gauge {
    fn of(supplies: &Path) -> Self {
        Self { supplies: supplies.into(), folder: None, due_ms: 0 }
    }

    /// When the next look is due; `None` where there is no battery, so that nobody is woken for it.
    pub fn due_ms(&self) -> Option<u64> {
        (self.due_ms == 0 || self.folder.is_some()).then_some(self.due_ms)
    }

    /// The level, when a look is due; `Some(None)` when the driver does not tell it.
    pub fn look(&mut self, now_ms: u64) -> Option<Option<Battery>> {
        if self.due_ms().is_none_or(|due_ms| due_ms > now_ms) {
            return None;
        }
        self.due_ms = now_ms + PAUSE_MS;
        if self.folder.is_none() {
            self.folder = find(&self.supplies);
        }
        self.folder.as_deref().map(level)
    }
}

/// The first battery by name that is the machine's.
fn find(supplies: &Path) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(supplies).ok()?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders.into_iter().find(|folder| {
        let word = |file: &str| fs::read_to_string(folder.join(file)).ok();
        word("type").is_some_and(|kind| Battery::is_ours(&kind, word("scope").as_deref()))
    })
}

fn level(folder: &Path) -> Option<Battery> {
    let word = |file: &str| fs::read_to_string(folder.join(file)).ok();
    Battery::parse(&word("capacity")?, &word("status").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(root: &Path, name: &str, files: &[(&str, &str)]) {
        fs::create_dir_all(root.join(name)).unwrap();
        for (file, word) in files {
            fs::write(root.join(name).join(file), word).unwrap();
        }
    }

    #[test]
    fn the_machines_battery_is_found_and_read() {
        let root = std::env::temp_dir().join(format!("fbunlock-battery-{}", std::process::id()));
        supply(&root, "AC", &[("type", "Mains\n"), ("online", "1\n")]);
        supply(&root, "a-mouse", &[("type", "Battery\n"), ("scope", "Device\n"), ("capacity", "3\n")]);
        assert_eq!(find(&root), None);
        supply(&root, "qcom-battery", &[("type", "Battery\n"), ("capacity", "71\n"), ("status", "Charging\n")]);
        let found = find(&root).unwrap();
        assert_eq!(level(&found), Some(Battery { percent: 71, charging: true }));
        fs::remove_file(found.join("capacity")).unwrap();
        assert_eq!(level(&found), None);
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(find(&root), None);
    }

    #[test]
    fn it_is_looked_at_now_and_then_and_nobody_is_woken_without_one() {
        let root = std::env::temp_dir().join(format!("fbunlock-gauge-{}", std::process::id()));
        let mut gauge = Gauge::of(&root);
        assert_eq!((gauge.due_ms(), gauge.look(5), gauge.due_ms()), (Some(0), None, None));
        supply(&root, "battery", &[("type", "Battery\n"), ("capacity", "71\n")]);
        let mut gauge = Gauge::of(&root);
        let level = |percent| Some(Some(Battery { percent, charging: false }));
        assert_eq!((gauge.look(5), gauge.due_ms(), gauge.look(30_004)), (level(71), Some(30_005), None));
        supply(&root, "battery", &[("capacity", "70\n")]);
        assert_eq!((gauge.look(30_005), gauge.due_ms()), (level(70), Some(60_005)));
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(gauge.look(60_005), Some(None));
    }
}
