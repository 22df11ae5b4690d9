//! Whether the keyboard on the screen is shown.

/// What is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Showing {
    /// Until there is another one.
    #[default]
    Auto,
    /// From the start, whatever else there is.
    Show,
    /// Not before somebody touches the screen.
    Hide,
}

const WORDS: [(&str, Showing); 3] = [("auto", Showing::Auto), ("show", Showing::Show), ("hide", Showing::Hide)];

impl Showing {
    /// Reads `auto`, `show` or `hide`.
    pub fn parse(word: &str) -> Option<Self> {
        WORDS.iter().find(|(name, _)| *name == word).map(|(_, showing)| *showing)
    }

    /// The word that reads as this.
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|(_, showing)| *showing == self).map_or("auto", |(name, _)| name)
    }
}
