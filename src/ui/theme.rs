//! Colours.

use embedded_graphics::pixelcolor::Rgb888;

/// The colours of everything that is drawn.
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
    /// The key that tries the passphrase, and shift while it is on.
    pub accent: Rgb888,
    /// A key under a finger.
    pub pressed: Rgb888,
    /// Text on keys and in the field.
    pub text: Rgb888,
    /// Text on the accent colour.
    pub text_accent: Rgb888,
    /// The message, and labels of keys that do nothing now.
    pub text_dim: Rgb888,
    /// A message that something went wrong.
    pub alarm: Rgb888,
    /// Inside the field.
    pub field: Rgb888,
    /// Around the field.
    pub border: Rgb888,
}

/// Light text on dark ground.
pub const DARK: Theme = Theme {
    background: Rgb888::new(0x16, 0x18, 0x1d),
    keyboard: Rgb888::new(0x1f, 0x22, 0x29),
    key: Rgb888::new(0x3a, 0x40, 0x4b),
    key_other: Rgb888::new(0x2a, 0x2e, 0x37),
    accent: Rgb888::new(0x2f, 0x6f, 0xe0),
    pressed: Rgb888::new(0x6b, 0x76, 0x89),
    text: Rgb888::new(0xf3, 0xf5, 0xf7),
    text_accent: Rgb888::new(0xff, 0xff, 0xff),
    text_dim: Rgb888::new(0x9a, 0xa4, 0xb2),
    alarm: Rgb888::new(0xff, 0x7a, 0x6b),
    field: Rgb888::new(0x0e, 0x10, 0x13),
    border: Rgb888::new(0x4a, 0x52, 0x60),
};
