//! How the driver is told of a new picture.
//!
//! Most displays read their memory all the time and need not be told. Panels with a memory of their
//! own, which phones have, show what is new when the driver sends it: when the picture is panned, or
//! when the mode is set anew.

use nix::errno::Errno;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// What the driver is known to need.
    #[default]
    Auto,
    /// Set the mode anew for each picture.
    On,
    /// Tell the driver nothing.
    Off,
}

impl Wish {
    /// Every value, as it is written in a config.
    const WORDS: [(&str, Self); 3] = [("auto", Self::Auto), ("on", Self::On), ("off", Self::Off)];

    /// Reads `auto`, `on` or `off`.
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, wish)| *wish)
    }

    /// What [`Wish::parse`] reads.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, wish)| *wish == self).map_or("auto", |(word, _)| word)
    }
}

/// What is done after a picture was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Nothing.
    Still,
    /// FBIOPAN_DISPLAY to where the picture is.
    Pan,
    /// FBIOPUT_VSCREENINFO of the same mode with FB_ACTIVATE_FORCE.
    Force,
}

/// Drivers under which people saw no picture, or an old one, until the mode was set anew: Qualcomm's
/// (`msmdrmfb`), whose panels mostly have a memory of their own.
const FORCED: &[&[u8]] = &[b"msmdrm"];

/// Which way is taken, and what came of it so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refresh {
    way: Way,
    pans: bool,
    busy: bool,
}

impl Refresh {
    /// `id` is the driver's name, `pans` whether it says that it can pan (`xpanstep`, `ypanstep`).
    pub fn new(wish: Wish, id: &[u8], pans: bool) -> Self {
        let forced = wish == Wish::On || FORCED.iter().any(|known| id.starts_with(known));
        let way = match wish {
            Wish::Off => Way::Still,
            _ if forced => Way::Force,
            _ if pans => Way::Pan,
            _ => Way::Still,
        };
        Self { way, pans, busy: false }
    }

    /// What to do after the next picture.
    pub fn way(&self) -> Way {
        self.way
    }

    /// Takes in what came of it; true when somebody must be told that another program holds the
    /// display, which is once.
    pub fn outcome(&mut self, result: Result<(), Errno>) -> bool {
        match result {
            Ok(()) | Err(Errno::EINTR | Errno::EAGAIN | Errno::ENODEV) => false,
            // It may end, so the way stays.
            Err(Errno::EBUSY) => !core::mem::replace(&mut self.busy, true),
            // EINVAL, ENOTTY and whatever else: it will not be different the next time.
            Err(_) => {
                self.way = if self.way == Way::Force && self.pans { Way::Pan } else { Way::Still };
                false
            }
        }
    }
}

/// The line of `/sys/class/graphics/fbN/modes` to write into `mode`, where that is empty: some
/// drivers come up with no mode at all.
pub fn missing_mode<'a>(mode: &str, modes: &'a str) -> Option<&'a str> {
    let first = modes.lines().map(str::trim).find(|line| !line.is_empty());
    first.filter(|_| mode.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_chosen_by_wish_and_driver() {
        for (wish, id, pans, way) in [
            (Wish::Auto, &b"EFI VGA"[..], false, Way::Still),
            (Wish::Auto, b"virtio_gpudrmfb", true, Way::Pan),
            (Wish::Auto, b"msmdrmfb", true, Way::Force),
            (Wish::Auto, b"msmfb43", true, Way::Pan),
            (Wish::On, b"EFI VGA", false, Way::Force),
            (Wish::On, b"bochs-drmdrmfb", true, Way::Force),
            (Wish::Off, b"msmdrmfb", true, Way::Still),
        ] {
            assert_eq!(Refresh::new(wish, id, pans).way(), way, "{wish:?} {id:?}");
        }
    }

    #[test]
    fn what_is_refused_is_not_tried_again() {
        let mut refresh = Refresh::new(Wish::On, b"", true);
        assert!(!refresh.outcome(Err(Errno::EINVAL)));
        assert_eq!(refresh.way(), Way::Pan);
        assert!(!refresh.outcome(Err(Errno::ENOTTY)));
        assert_eq!(refresh.way(), Way::Still);
        let mut refresh = Refresh::new(Wish::On, b"", false);
        refresh.outcome(Err(Errno::ENOTTY));
        assert_eq!(refresh.way(), Way::Still);
    }

    #[test]
    fn a_display_in_use_is_told_once_and_tried_again() {
        let mut refresh = Refresh::new(Wish::Auto, b"", true);
        assert!(refresh.outcome(Err(Errno::EBUSY)));
        assert!(!refresh.outcome(Err(Errno::EBUSY)));
        for passing in [Ok(()), Err(Errno::EINTR), Err(Errno::ENODEV)] {
            assert!(!refresh.outcome(passing));
            assert_eq!(refresh.way(), Way::Pan);
        }
    }

    #[test]
    fn an_empty_mode_is_filled_from_the_first_line() {
        assert_eq!(missing_mode("", "U:720x1280p-0\nU:640x480p-60\n"), Some("U:720x1280p-0"));
        assert_eq!(missing_mode("\n", "\nD:1x1p-0"), Some("D:1x1p-0"));
        assert_eq!(missing_mode("U:1x1p-0\n", "U:720x1280p-0\n"), None);
        assert_eq!(missing_mode("", ""), None);
    }

    #[test]
    fn words_go_both_ways() {
        for (word, wish) in Wish::WORDS {
            assert_eq!((Wish::parse(word), wish.word()), (Some(wish), word));
        }
        assert_eq!(Wish::parse("yes"), None);
    }
}
