//! What is drawn with: a colour, and the one behind it.

use embedded_graphics::pixelcolor::{Rgb888, RgbColor};

/// A colour and the one behind it, which smooth edges fade into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// The colour of text and shapes.
    pub text: Rgb888,
    /// What is behind it.
    pub paper: Rgb888,
    /// Whether edges fade; otherwise a pixel is the one or the other.
    pub smooth: bool,
}

impl Ink {
    /// The colour of `coverage` parts in `full` of text.
    pub fn blend(self, coverage: u32, full: u32) -> Rgb888 {
        if coverage == full {
            return self.text;
        }
        if !self.smooth {
            return if coverage * 2 > full { self.text } else { self.paper };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_fade_or_do_not() {
        let smooth = Ink { text: Rgb888::WHITE, paper: Rgb888::BLACK, smooth: true };
        let hard = Ink { smooth: false, ..smooth };
        assert_eq!(smooth.blend(100, 255), Rgb888::new(100, 100, 100));
        for coverage in 0..=255 {
            let whole = if coverage < 128 { Rgb888::BLACK } else { Rgb888::WHITE };
            assert_eq!(hard.blend(coverage, 255), whole, "{coverage}");
        }
    }
}
