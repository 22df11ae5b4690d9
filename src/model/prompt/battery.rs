//! A battery's level, from the words of `/sys/class/power_supply`
//! (Documentation/ABI/testing/sysfs-class-power).

/// How full a battery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Battery {
    /// 0 to 100.
    pub percent: u8,
    /// Whether it takes power in, or needs none.
    pub charging: bool,
}

impl Battery {
    /// Reads `capacity` and `status`; `None` where the driver does not know the level.
    pub fn parse(capacity: &str, status: &str) -> Option<Self> {
        // Drivers of worn batteries tell more than a hundred.
        let percent = capacity.trim().parse::<u32>().ok()?.min(100) as u8;
        Some(Self { percent, charging: matches!(status.trim(), "Charging" | "Full") })
    }

    /// Whether a supply is a battery of the machine: `kind` and `scope` are its files `type` and
    /// `scope`. A mouse has a battery, too, of the scope `Device`; most drivers tell no scope.
    pub fn is_ours(kind: &str, scope: Option<&str>) -> bool {
        kind.trim() == "Battery" && scope.is_none_or(|scope| scope.trim() != "Device")
    }

    /// So little that it will not last for long.
    pub fn is_low(self) -> bool {
        self.percent <= 15 && !self.charging
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_words_are_read() {
        let read = |capacity, status| Battery::parse(capacity, status).map(|it| (it.percent, it.charging, it.is_low()));
        assert_eq!(read("83\n", "Discharging\n"), Some((83, false, false)));
        assert_eq!(read("15\n", "Discharging\n"), Some((15, false, true)));
        assert_eq!(read("15\n", "Charging\n"), Some((15, true, false)));
        assert_eq!(read("104\n", "Full\n"), Some((100, true, false)));
        assert_eq!(read("0\n", "Not charging\n"), Some((0, false, true)));
        for unknown in ["", "\n", "-1\n", "full\n", "99999999999\n"] {
            assert_eq!(read(unknown, "Unknown\n"), None, "{unknown:?}");
        }
    }

    #[test]
    fn mice_and_mains_are_not_ours() {
        assert!(Battery::is_ours("Battery\n", None));
        assert!(Battery::is_ours("Battery\n", Some("System\n")));
        assert!(Battery::is_ours("Battery\n", Some("Unknown\n")));
        assert!(!Battery::is_ours("Battery\n", Some("Device\n")));
        assert!(!Battery::is_ours("Mains\n", None));
        assert!(!Battery::is_ours("USB\n", None));
    }
}
