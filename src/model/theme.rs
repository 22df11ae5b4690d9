//! Colours: the themes, and what a user wants of them.

use embedded_graphics::pixelcolor::Rgb888;

/// The colours of everything that is drawn, and how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Behind title, field and message.
    pub background: Rgb888,
    /// Behind the keys.
    pub keyboard: Rgb888,
    /// Keys that type.
    pub key: Rgb888,
    /// Keys that do something else.
    pub key_other: Rgb888,
    /// The key that tries the passphrase, shift while it is locked, and what moves.
    pub accent: Rgb888,
    /// A key under a finger.
    pub pressed: Rgb888,
    /// Text on keys and in the field.
    pub text: Rgb888,
    /// Text on the accent colour.
    pub text_accent: Rgb888,
    /// Text on a key under a finger.
    pub text_pressed: Rgb888,
    /// The message, and labels of keys that do nothing now.
    pub text_dim: Rgb888,
    /// A message that something went wrong.
    pub alarm: Rgb888,
    /// Inside the field.
    pub field: Rgb888,
    /// Around the field, and around keys that are outlined.
    pub border: Rgb888,
    /// Whether keys have a border.
    pub outlined: bool,
    /// Whether anything moves or pops up.
    pub motion: bool,
    /// Whether edges fade; otherwise there are no colours between those of the theme.
    pub smooth: bool,
}

const fn rgb(hex: u32) -> Rgb888 {
    let [_, red, green, blue] = hex.to_be_bytes();
    Rgb888::new(red, green, blue)
}

/// Light text on dark ground.
pub const DARK: Theme = Theme {
    background: rgb(0x16181d),
    keyboard: rgb(0x1f2229),
    key: rgb(0x3a404b),
    key_other: rgb(0x2a2e37),
    accent: rgb(0x2f6fe0),
    pressed: rgb(0xe4e9f0),
    text: rgb(0xf3f5f7),
    text_accent: rgb(0xffffff),
    text_pressed: rgb(0x14161a),
    text_dim: rgb(0xaab3c0),
    alarm: rgb(0xff8577),
    field: rgb(0x0e1013),
    border: rgb(0x4a5260),
    outlined: false,
    motion: true,
    smooth: true,
};

/// Dark text on light ground.
pub const LIGHT: Theme = Theme {
    background: rgb(0xf4f5f7),
    keyboard: rgb(0xd9dde3),
    key: rgb(0xffffff),
    key_other: rgb(0xc3c9d2),
    accent: rgb(0x1f5fd6),
    pressed: rgb(0x2b3340),
    text: rgb(0x16191e),
    text_accent: rgb(0xffffff),
    text_pressed: rgb(0xffffff),
    text_dim: rgb(0x47505d),
    alarm: rgb(0xb3261e),
    field: rgb(0xffffff),
    border: rgb(0x9aa3af),
    ..DARK
};

/// For eyes that need more: white and yellow on black, and every key outlined.
pub const CONTRAST: Theme = Theme {
    background: rgb(0x000000),
    keyboard: rgb(0x000000),
    key: rgb(0x000000),
    key_other: rgb(0x1c1c1c),
    accent: rgb(0xffd800),
    pressed: rgb(0xffffff),
    text: rgb(0xffffff),
    text_accent: rgb(0x000000),
    text_pressed: rgb(0x000000),
    text_dim: rgb(0xe0e0e0),
    alarm: rgb(0xff9a8c),
    field: rgb(0x000000),
    border: rgb(0xffffff),
    outlined: true,
    ..DARK
};

/// Black and white and nothing between, and nothing that moves: for electronic paper, whose quick
/// waveforms know no greys, and for panels of one bit.
pub const MONO: Theme = Theme {
    background: rgb(0xffffff),
    keyboard: rgb(0xffffff),
    key: rgb(0xffffff),
    key_other: rgb(0xffffff),
    accent: rgb(0x000000),
    pressed: rgb(0x000000),
    text: rgb(0x000000),
    text_accent: rgb(0xffffff),
    text_pressed: rgb(0xffffff),
    text_dim: rgb(0x000000),
    alarm: rgb(0x000000),
    field: rgb(0xffffff),
    border: rgb(0x000000),
    outlined: true,
    motion: false,
    smooth: false,
};

/// Every theme by its name.
pub const THEMES: [(&str, Theme); 4] = [("dark", DARK), ("light", LIGHT), ("contrast", CONTRAST), ("mono", MONO)];

/// What [`Wish::set_base`] takes.
pub const BASES: &str = "auto, dark, light, contrast or mono";

/// What [`Wish::set_color`] takes.
pub const COLOR: &str = "a colour such as #1a2b3c";

/// Where a theme keeps a colour.
type Place = fn(&mut Theme) -> &mut Rgb888;

/// Every colour by its name.
const PARTS: [(&str, Place); 13] = [
    ("background", |theme| &mut theme.background),
    ("keyboard", |theme| &mut theme.keyboard),
    ("key", |theme| &mut theme.key),
    ("key_other", |theme| &mut theme.key_other),
    ("accent", |theme| &mut theme.accent),
    ("pressed", |theme| &mut theme.pressed),
    ("text", |theme| &mut theme.text),
    ("text_accent", |theme| &mut theme.text_accent),
    ("text_pressed", |theme| &mut theme.text_pressed),
    ("text_dim", |theme| &mut theme.text_dim),
    ("alarm", |theme| &mut theme.alarm),
    ("field", |theme| &mut theme.field),
    ("border", |theme| &mut theme.border),
];

impl Theme {
    /// The theme that fits a panel of so many greys, or of colours, where nobody asked for another:
    /// greys that are so few belong to electronic paper.
    pub const fn suited(greys: Option<u32>) -> Self {
        match greys {
            Some(..=16) => MONO,
            _ => DARK,
        }
    }
}

/// What a user wants: a theme, and other colours in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Its place in [`THEMES`].
    base: Option<usize>,
    colors: [Option<Rgb888>; PARTS.len()],
}

impl Wish {
    /// Chooses a theme by its name; `auto` is the one that suits the panel.
    ///
    /// # Errors
    /// What fits instead, [`BASES`].
    pub fn set_base(&mut self, name: &str) -> Result<(), &'static str> {
        let base = THEMES.iter().position(|(known, _)| *known == name);
        if base.is_none() && name != "auto" {
            return Err(BASES);
        }
        self.base = base;
        Ok(())
    }

    /// Changes the colour called `name`, whatever theme it is in, to `#rrggbb`. The `#` may be left
    /// out: it begins a comment elsewhere.
    ///
    /// # Errors
    /// What fits instead: the names, or [`COLOR`].
    pub fn set_color(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        let Some(at) = part(name) else {
            return Err("one of background, keyboard, key, key_other, accent, pressed, text, text_accent, \
                        text_pressed, text_dim, alarm, field and border");
        };
        let hex = value.strip_prefix('#').unwrap_or(value);
        if hex.len() != 6 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(COLOR);
        }
        let number = u32::from_str_radix(hex, 16).map_err(|_| COLOR)?;
        if let Some(color) = self.colors.get_mut(at) {
            *color = Some(rgb(number));
        }
        Ok(())
    }

    /// The name of the chosen theme.
    pub fn base(&self) -> Option<&'static str> {
        Some(THEMES.get(self.base?)?.0)
    }

    /// The changed colour called `name` as [`Wish::set_color`] takes it.
    pub fn color(&self, name: &str) -> Option<String> {
        use embedded_graphics::pixelcolor::RgbColor;
        let color = self.colors.get(part(name)?).copied().flatten()?;
        Some(format!("#{:02x}{:02x}{:02x}", color.r(), color.g(), color.b()))
    }

    /// The theme to draw in; `suited` is taken where none was chosen.
    pub fn theme(&self, suited: Theme) -> Theme {
        let base = self.base.and_then(|base| THEMES.get(base));
        let mut theme = base.map_or(suited, |(_, theme)| *theme);
        for ((_, place), color) in PARTS.iter().zip(self.colors) {
            if let Some(color) = color {
                *place(&mut theme) = color;
            }
        }
        theme
    }
}

fn part(name: &str) -> Option<usize> {
    PARTS.iter().position(|(known, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use embedded_graphics::pixelcolor::RgbColor;

    use super::*;

    /// Relative luminance and contrast ratio as WCAG 2.2 defines them.
    fn contrast(one: Rgb888, other: Rgb888) -> f64 {
        let linear = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let luminance =
            |color: Rgb888| 0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b()) + 0.05;
        let (one, other) = (luminance(one), luminance(other));
        one.max(other) / one.min(other)
    }

    #[test]
    fn ratios_are_those_of_the_guideline() {
        assert!((contrast(Rgb888::WHITE, Rgb888::BLACK) - 21.0).abs() < 0.001);
        // #767676 is the lightest grey that passes 4.5 on white.
        assert!(contrast(rgb(0x767676), Rgb888::WHITE) > 4.5 && contrast(rgb(0x777777), Rgb888::WHITE) < 4.5);
    }

    #[test]
    fn text_can_be_read_in_every_theme() {
        for (name, theme) in THEMES {
            let wanted = if ["contrast", "mono"].contains(&name) { 7.0 } else { 4.5 };
            let pairs = [
                (theme.text, theme.background),
                (theme.text, theme.key),
                (theme.text, theme.key_other),
                (theme.text, theme.field),
                (theme.text_accent, theme.accent),
                (theme.text_pressed, theme.pressed),
                (theme.text_dim, theme.background),
                (theme.text_dim, theme.field),
                (theme.text_dim, theme.key),
                (theme.text_dim, theme.key_other),
                (theme.alarm, theme.background),
                (theme.alarm, theme.field),
            ];
            for (at, (text, ground)) in pairs.into_iter().enumerate() {
                let ratio = contrast(text, ground);
                assert!(ratio >= wanted, "{name}, pair {at}: {ratio:.2}");
            }
            // WCAG 1.4.11: what shows a state differs by 3 to 1 from what it was before.
            assert!(contrast(theme.pressed, theme.key) >= 3.0, "{name}");
            // Keys without an outline are seen by their fill.
            assert!(theme.outlined || theme.key != theme.keyboard, "{name}");
        }
    }

    #[test]
    fn mono_is_black_and_white() {
        for (name, place) in PARTS {
            let color = *place(&mut { MONO });
            assert!([Rgb888::BLACK, Rgb888::WHITE].contains(&color), "{name}");
        }
        assert_eq!(Theme::suited(Some(2)), MONO);
        assert_eq!(Theme::suited(Some(16)), MONO);
        assert_eq!(Theme::suited(Some(256)), DARK);
        assert_eq!(Theme::suited(None), DARK);
    }

    #[test]
    fn wishes_change_what_they_name() {
        let mut wish = Wish::default();
        assert_eq!(wish.theme(LIGHT), LIGHT);
        wish.set_color("key_other", "#010aFf").unwrap();
        wish.set_color("text", "102030").unwrap();
        wish.set_base("mono").unwrap();
        assert_eq!(wish.theme(LIGHT), Theme { key_other: rgb(0x010aff), text: rgb(0x102030), ..MONO });
        assert_eq!((wish.base(), wish.color("text").as_deref()), (Some("mono"), Some("#102030")));
        wish.set_base("auto").unwrap();
        assert_eq!((wish.base(), wish.color("field")), (None, None));
    }

    #[test]
    fn every_part_is_another_place() {
        let names = Wish::default().set_color("", "").unwrap_err();
        for (name, place) in PARTS {
            assert!(names.split([' ', ',']).any(|word| word == name), "{name} is not told of");
            let mut wish = Wish::default();
            wish.set_color(name, "#123456").unwrap();
            let mut theme = wish.theme(DARK);
            assert_eq!(*place(&mut theme), rgb(0x123456), "{name}");
            *place(&mut theme) = *place(&mut { DARK });
            assert_eq!(theme, DARK, "{name}");
        }
    }

    #[test]
    fn wrong_wishes_change_nothing_and_say_what_fits() {
        let mut wish = Wish::default();
        for value in ["", "#", "#12345", "#1234567", "#12345g", "#+12345", "red", "##123456", "#\u{e9}1234"] {
            assert_eq!(wish.set_color("key", value), Err(COLOR), "{value:?}");
        }
        assert!(wish.set_color("shadow", "#123456").unwrap_err().starts_with("one of background"));
        assert_eq!(wish.set_base("blue"), Err(BASES));
        assert_eq!(wish, Wish::default());
    }
}
