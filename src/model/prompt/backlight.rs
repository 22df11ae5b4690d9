//! How bright a backlight is to be, in its own steps (`brightness` and `max_brightness` below
//! `/sys/class/backlight`; Documentation/ABI/stable/sysfs-class-backlight).

use super::idle::Light;

/// The share of the highest step that a backlight gets which was found dark.
const RAISED_PERCENT: u64 = 40;
/// What is left of the brightness when it is dimmed.
const DIMMED_PERCENT: u64 = 25;

/// What a backlight was set to when it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its step.
    pub brightness: u32,
    /// The highest step.
    pub max_brightness: u32,
}

/// What a backlight is to be set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its step.
    pub brightness: u32,
    /// Whether it has power: `bl_power` 0, and not 4.
    pub powered: bool,
}

impl Found {
    /// What it is set to for a light.
    ///
    /// Some phones boot in the dark. What was raised for that stays so at the end: darkness would be
    /// of no use to whoever comes next.
    pub fn setting(self, light: Light) -> Setting {
        let full = if self.brightness == 0 { part(self.max_brightness, RAISED_PERCENT) } else { self.brightness };
        match light {
            Light::Full => Setting { brightness: full, powered: true },
            Light::Dim => Setting { brightness: part(full, DIMMED_PERCENT), powered: true },
            // The step stays for drivers which turn the light on again with the power; those that know
            // of no power have their picture blanked.
            Light::Dark => Setting { brightness: part(full, DIMMED_PERCENT), powered: false },
        }
    }
}

/// At least one step, where there is any.
fn part(of: u32, percent: u64) -> u32 {
    let steps = u64::from(of) * percent / 100;
    u32::try_from(steps.max(1)).unwrap_or(of).min(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brightness(brightness: u32, max_brightness: u32, light: Light) -> u32 {
        Found { brightness, max_brightness }.setting(light).brightness
    }

    #[test]
    fn a_dark_backlight_is_raised_and_a_lit_one_stays() {
        assert_eq!(brightness(0, 255, Light::Full), 102);
        assert_eq!(brightness(0, 1, Light::Full), 1);
        assert_eq!(brightness(7, 255, Light::Full), 7);
        assert_eq!(brightness(0, u32::MAX, Light::Full), 1_717_986_918);
    }

    #[test]
    fn dimmed_is_never_dark() {
        assert_eq!(brightness(200, 255, Light::Dim), 50);
        assert_eq!(brightness(0, 100, Light::Dim), 10);
        assert_eq!(brightness(1, 255, Light::Dim), 1);
        // A backlight without steps.
        assert_eq!(brightness(0, 0, Light::Full), 0);
    }

    #[test]
    fn only_the_dark_has_no_power() {
        let found = Found { brightness: 9, max_brightness: 10 };
        let powered = [Light::Full, Light::Dim, Light::Dark].map(|light| found.setting(light).powered);
        assert_eq!(powered, [true, true, false]);
    }
}
