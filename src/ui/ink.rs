//! What is drawn with: a colour, and the one behind it.

use embedded_graphics::pixelcolor::{Rgb888, RgbColor};

/// A colour and the one behind it, which anti-aliased edges fade into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// The colour of text and shapes.
    pub text: Rgb888,
    /// What is behind it.
    pub paper: Rgb888,
}

impl Ink {
    /// The colour of `coverage` parts in `full` of text.
    pub fn blend(self, coverage: u32, full: u32) -> Rgb888 {
        if coverage == full {
            return self.text;
        }
        let mix = |text: u8, paper: u8| {
            let (text, paper) = (u32::from(text), u32::from(paper));
            ((text * coverage + paper * (full - coverage) + full / 2) / full) as u8
        };
        Rgb888::new(
            mix(self.text.r(), self.paper.r()),
            mix(self.text.g(), self.paper.g()),
            mix(self.text.b(), self.paper.b()),
        )
    }
}
