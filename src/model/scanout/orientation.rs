//! Which way up the picture goes: what was asked for, else what the machine says of its panel.

use super::turn::Rotation;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// What the machine says.
    #[default]
    Auto,
    /// This, whatever the machine says.
    Fixed(Rotation),
}

impl Wish {
    /// Every value, as it is written in a config.
    const WORDS: [(&str, Self); 5] = [
        ("auto", Self::Auto),
        ("0", Self::Fixed(Rotation::Upright)),
        ("90", Self::Fixed(Rotation::Clockwise)),
        ("180", Self::Fixed(Rotation::UpsideDown)),
        ("270", Self::Fixed(Rotation::Counterclockwise)),
    ];

    /// Reads `auto` or degrees clockwise.
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, wish)| *wish)
    }

    /// What [`Wish::parse`] reads.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, wish)| *wish == self).map_or("auto", |(word, _)| word)
    }
}

/// Reads `/sys/class/graphics/fbcon/rotate`, a number from 0 to 3.
pub fn console(text: &str) -> Option<Rotation> {
    Rotation::from_fbcon(text.trim().parse().ok()?)
}

/// Reads the property `rotation` of a panel in the device tree: degrees as a big-endian word
/// (Documentation/devicetree/bindings/display/panel/panel-common.yaml). The kernel takes 90 for a
/// panel whose right side is up, and turns its console to 1 for that (`of_drm_get_panel_orientation`
/// and `drm_client_modeset_probe`), so both count alike.
pub fn panel(property: &[u8]) -> Option<Rotation> {
    Rotation::from_degrees(u32::from_be_bytes(property.try_into().ok()?))
}

/// How the picture is to be turned.
///
/// `console` is what the kernel's console does, where it can be turned; `is_drm` tells whether the
/// framebuffer is that of a DRM driver, which has told the console of the panel: then its "upright"
/// is an answer, and the driver may turn the picture by itself. Of any other framebuffer the console
/// knows nothing, unless it was told on the kernel command line. `panel` looks into the device tree,
/// which takes time, and is asked last.
pub fn decide(
    wish: Wish,
    console: Option<Rotation>,
    is_drm: bool,
    panel: impl FnOnce() -> Option<Rotation>,
) -> Rotation {
    match (wish, console) {
        (Wish::Fixed(rotation), _) => rotation,
        (Wish::Auto, Some(rotation)) if is_drm || rotation != Rotation::Upright => rotation,
        (Wish::Auto, _) => panel().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_counts_most_and_the_tree_least() {
        let tree = || Some(Rotation::UpsideDown);
        let (cw, ccw, upright) = (Rotation::Clockwise, Rotation::Counterclockwise, Rotation::Upright);
        assert_eq!(decide(Wish::Fixed(upright), Some(cw), true, tree), upright);
        assert_eq!(decide(Wish::Fixed(ccw), None, false, tree), ccw);
        assert_eq!(decide(Wish::Auto, Some(cw), true, tree), cw);
        assert_eq!(decide(Wish::Auto, Some(cw), false, tree), cw);
        // A console that can be turned and was not: DRM meant it, others know of nothing.
        assert_eq!(decide(Wish::Auto, Some(upright), true, tree), upright);
        assert_eq!(decide(Wish::Auto, Some(upright), false, tree), Rotation::UpsideDown);
        assert_eq!(decide(Wish::Auto, None, true, tree), Rotation::UpsideDown);
        assert_eq!(decide(Wish::Auto, None, false, || None), upright);
    }

    #[test]
    fn the_tree_is_not_walked_where_it_does_not_count() {
        let walk = || panic!("walked");
        decide(Wish::Fixed(Rotation::Upright), None, false, walk);
        decide(Wish::Auto, Some(Rotation::Upright), true, walk);
        decide(Wish::Auto, Some(Rotation::Clockwise), false, walk);
    }

    #[test]
    fn what_the_kernel_tells_is_read() {
        assert_eq!(console("1\n"), Some(Rotation::Clockwise));
        assert_eq!(console("3\n"), Some(Rotation::Counterclockwise));
        assert_eq!(panel(&[0, 0, 0, 90]), Some(Rotation::Clockwise));
        assert_eq!(panel(&[0, 0, 1, 14]), Some(Rotation::Counterclockwise));
        for nonsense in ["", "4\n", "-1\n", "x"] {
            assert_eq!(console(nonsense), None, "{nonsense:?}");
        }
        for nonsense in [&[][..], &[90], &[90, 0, 0, 0], &[0, 0, 0, 45], &[0, 0, 0, 90, 0]] {
            assert_eq!(panel(nonsense), None, "{nonsense:?}");
        }
    }

    #[test]
    fn words_go_both_ways() {
        for (word, wish) in Wish::WORDS {
            assert_eq!((Wish::parse(word), wish.word()), (Some(wish), word));
        }
        for nonsense in ["", "1", "45", "360", "left", "+90", "AUTO"] {
            assert_eq!(Wish::parse(nonsense), None, "{nonsense:?}");
        }
    }
}
