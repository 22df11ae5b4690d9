//! The layouts that there are, and which of them is shown.

use super::layout::Layout;

/// One or more layouts.
pub struct Catalogue {
    layouts: Vec<Layout>,
    at: usize,
    first: Layout,
}

impl Catalogue {
    /// The layout that is shown.
    pub fn current(&self) -> &Layout {
        self.layouts.get(self.at).unwrap_or(&self.first)
    }

    /// The short names of all of them.
    pub fn names(&self) -> Vec<&str> {
        self.layouts.iter().map(Layout::name).collect()
    }

    /// Goes on to the next one.
    pub fn next(&mut self) {
        self.at = (self.at + 1) % self.layouts.len().max(1);
    }

    /// Takes one by its number.
    pub fn pick(&mut self, at: usize) {
        if at < self.layouts.len() {
            self.at = at;
        }
    }
}

impl From<Layout> for Catalogue {
    fn from(layout: Layout) -> Self {
        Self { layouts: vec![layout.clone()], at: 0, first: layout }
    }
}

impl From<Vec<Layout>> for Catalogue {
    fn from(layouts: Vec<Layout>) -> Self {
        let first = layouts[0].clone();
        Self { layouts, at: 0, first }
    }
}
