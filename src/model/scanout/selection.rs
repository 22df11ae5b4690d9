//! Which of several framebuffers is drawn on.

use std::path::{Path, PathBuf};

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The one that most likely has somebody in front of it.
    #[default]
    Auto,
    /// That one, and its picture on all others.
    All,
    /// This device.
    Path(PathBuf),
}

impl Selection {
    /// Reads `auto`, `all` or a path.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "all" => Some(Self::All),
            path if path.starts_with('/') => Some(Self::Path(path.into())),
            _ => None,
        }
    }

    /// What [`Selection::parse`] reads; what is not Unicode is told as well as it can be.
    pub fn word(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::All => "all".to_owned(),
            Self::Path(path) => path.display().to_string(),
        }
    }
}

/// A framebuffer, and what sysfs says of the connectors of the card behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its device.
    pub path: PathBuf,
    /// Name (`card0-DSI-1`) and `status` (`connected`) of each; none where the driver is not a DRM one.
    pub connectors: Vec<(String, String)>,
}

/// How likely somebody looks at it; more is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A card with nothing connected.
    Nobody,
    /// A driver that knows nothing of connectors.
    Unknown,
    /// A monitor.
    Monitor,
    /// A panel that is built in: where the touch screen is.
    BuiltIn,
}

/// Types of connectors of panels that are built in (`drm_connector_enum_list` of the kernel).
const BUILT_IN: [&str; 5] = ["DSI", "eDP", "LVDS", "DPI", "SPI"];

impl Candidate {
    fn rank(&self) -> Rank {
        let connected = || self.connectors.iter().filter(|(_, status)| status.trim() == "connected");
        let is_built_in = |name: &str| BUILT_IN.iter().any(|kind| name.split('-').nth(1) == Some(kind));
        if connected().any(|(name, _)| is_built_in(name)) {
            Rank::BuiltIn
        } else if connected().next().is_some() {
            Rank::Monitor
        } else if self.connectors.is_empty() {
            Rank::Unknown
        } else {
            Rank::Nobody
        }
    }

    /// The number in the device's name.
    fn number(&self) -> u32 {
        number(&self.path).unwrap_or(u32::MAX)
    }
}

/// The number in a name such as `/dev/fb1`; `None` for what is no framebuffer.
pub fn number(path: &Path) -> Option<u32> {
    let digits = path.file_name()?.to_str()?.strip_prefix("fb")?;
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Puts the best one first. Of those alike the lowest number is.
pub fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by_key(|candidate| (core::cmp::Reverse(candidate.rank()), candidate.number()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(path: &str, connectors: &[(&str, &str)]) -> Candidate {
        let connectors = connectors.iter().map(|(name, status)| ((*name).to_owned(), (*status).to_owned()));
        Candidate { path: path.into(), connectors: connectors.collect() }
    }

    fn order(mut candidates: Vec<Candidate>) -> Vec<PathBuf> {
        sort(&mut candidates);
        candidates.into_iter().map(|candidate| candidate.path).collect()
    }

    #[test]
    fn somebody_in_front_of_it_counts() {
        let paths = order(vec![
            candidate("/dev/fb10", &[]),
            candidate("/dev/fb0", &[("card0-HDMI-A-1", "disconnected\n"), ("card0-Writeback-1", "unknown\n")]),
            candidate("/dev/fb2", &[]),
            candidate("/dev/fb3", &[("card1-HDMI-A-1", "connected\n")]),
            candidate("/dev/fb4", &[("card2-HDMI-A-2", "connected\n"), ("card2-DSI-1", "connected\n")]),
        ]);
        let expected = ["/dev/fb4", "/dev/fb3", "/dev/fb2", "/dev/fb10", "/dev/fb0"];
        assert_eq!(paths, expected.map(PathBuf::from));
    }

    #[test]
    fn a_panel_that_is_off_is_not_built_in() {
        let paths = order(vec![
            candidate("/dev/fb0", &[("card0-eDP-1", "disconnected\n")]),
            candidate("/dev/fb1", &[("card1-Virtual-1", "connected\n")]),
        ]);
        assert_eq!(paths.first().unwrap(), Path::new("/dev/fb1"));
    }

    #[test]
    fn names_of_framebuffers() {
        assert_eq!(number(Path::new("/dev/fb31")), Some(31));
        for other in ["/dev/fb", "/dev/fbx", "/dev/fb+1", "/dev/fb0x", "/dev/xfb0", "/"] {
            assert_eq!(number(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn words_go_both_ways() {
        for word in ["auto", "all", "/dev/fb1"] {
            assert_eq!(Selection::parse(word).unwrap().word(), word);
        }
        for nonsense in ["", "fb1", "none"] {
            assert_eq!(Selection::parse(nonsense), None, "{nonsense:?}");
        }
    }
}
