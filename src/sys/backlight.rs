//! The backlights of the panels (`/sys/class/backlight`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::model::prompt::backlight::Found;
use crate::model::prompt::idle::Light;

const CLASS: &str = "/sys/class/backlight";
/// FB_BLANK_UNBLANK and FB_BLANK_POWERDOWN of include/uapi/linux/fb.h.
const POWER_ON: &str = "0";
const POWER_OFF: &str = "4";

/// All that there are, and how bright they were when they were found.
pub struct Backlights {
    lamps: Vec<(PathBuf, Found)>,
    light: Light,
}

impl Default for Backlights {
    /// None are known yet.
    fn default() -> Self {
        Self { lamps: Vec::new(), light: Light::Full }
    }
}

impl Backlights {
    /// Looks for those of this machine that are not known yet, and lights those that are dark.
    pub fn again(&mut self) {
        self.look(Path::new(CLASS));
    }

    fn look(&mut self, class: &Path) {
        for path in children(class) {
            if self.lamps.iter().all(|(known, _)| *known != path)
                && let Some(found) = found(&path)
            {
                set(&path, found, self.light);
                self.lamps.push((path, found));
            }
        }
    }

    /// Sets all of them; nothing is written that is so already.
    pub fn shine(&mut self, light: Light) {
        if core::mem::replace(&mut self.light, light) != light {
            self.lamps.iter().for_each(|(path, found)| set(path, *found, light));
        }
    }

    /// How bright they are now, to be given back by [`Backlights::restore`]; none is changed.
    pub fn saved() -> Self {
        let paths = children(Path::new(CLASS));
        Self { lamps: paths.filter_map(|path| found(&path).map(|found| (path, found))).collect(), light: Light::Full }
    }

    /// Gives back the brightness that they had. What was dark and was lit since stays lit, and is lit
    /// again if it was put out or dimmed: darkness would be of no use to whoever comes next.
    pub fn restore(&self) {
        for (path, found) in &self.lamps {
            if found.brightness > 0 || number(path, "brightness").is_some_and(|now| now > 0) {
                set(path, *found, Light::Full);
            }
        }
    }
}

fn children(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn found(path: &Path) -> Option<Found> {
    Some(Found { brightness: number(path, "brightness")?, max_brightness: number(path, "max_brightness")? })
}

fn set(path: &Path, found: Found, light: Light) {
    let setting = found.setting(light);
    let power = if setting.powered { POWER_ON } else { POWER_OFF };
    // Each write may be a slow message to the panel, so only what differs is written. What is refused
    // stays as it is.
    if number(path, "brightness") != Some(setting.brightness) {
        let _ = fs::write(path.join("brightness"), setting.brightness.to_string());
    }
    if fs::read_to_string(path.join("bl_power")).is_ok_and(|now| now.trim() != power) {
        let _ = fs::write(path.join("bl_power"), power);
    }
}

fn number(path: &Path, file: &str) -> Option<u32> {
    fs::read_to_string(path.join(file)).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, lamps: &[(&str, &str, &str)]) -> PathBuf {
        let class = std::env::temp_dir().join(format!("fbunlock-backlight-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&class);
        fs::create_dir_all(&class).unwrap();
        for (lamp, brightness, power) in lamps {
            let folder = class.join(lamp);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("brightness"), brightness).unwrap();
            fs::write(folder.join("max_brightness"), "100\n").unwrap();
            if !power.is_empty() {
                fs::write(folder.join("bl_power"), power).unwrap();
            }
        }
        class
    }

    fn read(class: &Path, lamp: &str) -> (String, String) {
        let read = |file| fs::read_to_string(class.join(lamp).join(file)).unwrap_or_default().trim().to_owned();
        (read("brightness"), read("bl_power"))
    }

    fn is(class: &Path, lamp: &str, brightness: &str, power: &str) {
        assert_eq!(read(class, lamp), (brightness.to_owned(), power.to_owned()), "{lamp}");
    }

    fn below(class: &Path) -> Backlights {
        let mut backlights = Backlights::default();
        backlights.look(class);
        backlights
    }

    #[test]
    fn dark_ones_are_lit_dimmed_put_out_and_restored() {
        let class = class("all", &[("dark", "0\n", "4\n"), ("lit", "80\n", "0\n"), ("simple", "60\n", "")]);
        let mut backlights = below(&class);
        is(&class, "dark", "40", "0");
        is(&class, "lit", "80", "0");
        backlights.shine(Light::Dim);
        is(&class, "dark", "10", "0");
        is(&class, "lit", "20", "0");
        is(&class, "simple", "15", "");
        backlights.shine(Light::Dark);
        is(&class, "lit", "20", "4");
        backlights.restore();
        is(&class, "dark", "40", "0");
        is(&class, "lit", "80", "0");
        is(&class, "simple", "60", "");
        // Nobody has lit it.
        fs::write(class.join("dark/brightness"), "0\n").unwrap();
        backlights.restore();
        is(&class, "dark", "0", "0");
        backlights.shine(Light::Full);
        is(&class, "dark", "40", "0");
        fs::remove_dir_all(class).unwrap();
    }

    #[test]
    fn one_that_comes_later_gets_the_light_of_the_others() {
        let class = class("late", &[("first", "80\n", "0\n")]);
        let mut backlights = below(&class);
        backlights.shine(Light::Dim);
        fs::create_dir_all(class.join("second")).unwrap();
        // Not all of it is there yet.
        fs::write(class.join("second/brightness"), "40\n").unwrap();
        backlights.look(&class);
        fs::write(class.join("second/max_brightness"), "100\n").unwrap();
        backlights.look(&class);
        is(&class, "second", "10", "");
        assert_eq!(backlights.lamps.len(), 2);
        fs::remove_dir_all(class).unwrap();
    }
}
