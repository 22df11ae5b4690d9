//! Which layouts there are: those that were asked for, in their order, and all others behind them.

use super::layout::{Layout, US};
use super::layouts;
use crate::error::{Error, Exit, Result};

/// One layout.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    title: String,
    /// The text of a user's file; a built-in one has none.
    text: Option<String>,
}

/// All layouts, and which of them is used. Only that one is held as keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    entries: Vec<Entry>,
    /// How many were asked for: the first ones.
    wanted: usize,
    current: usize,
}

impl Catalogue {
    /// The layouts called `wanted`, the first of which is used, and all others. `files` are those of
    /// the user, each a name and a text; they count more than built-in ones of the same name.
    ///
    /// With it come warnings: of names that nothing has and of files that are broken, which are left
    /// out. If nothing is left that was asked for, it is the US layout.
    pub fn new(wanted: &[String], files: &[(String, String)]) -> (Self, Vec<Error>) {
        let mut warnings = Vec::new();
        let mut good: Vec<Entry> = Vec::new();
        for (name, text) in files {
            match Layout::parse_with(name, text, |name| find(files, name)) {
                Ok(layout) => {
                    let name = layout.name().to_owned();
                    good.retain(|entry| entry.name != name);
                    good.push(Entry { name, title: layout.title().to_owned(), text: Some(text.clone()) });
                }
                Err(error) => warnings.push(error),
            }
        }
        let mut entries: Vec<Entry> = Vec::new();
        for name in wanted {
            let known = good.iter().find(|entry| entry.name == *name).cloned().or_else(|| built_in(name));
            match known {
                Some(entry) if !entries.contains(&entry) => entries.push(entry),
                Some(_) => {}
                None => {
                    let cause = "there is none of this name; `fbunlock preview --layout help` lists them";
                    warnings.push(Error::new(Exit::Parameters, format!("find layout {name:?}"), cause));
                }
            }
        }
        if entries.is_empty() {
            entries.push(Entry { name: "us".into(), title: "US English".into(), text: None });
        }
        let wanted = entries.len();
        for entry in good.into_iter().chain(layouts::names().filter_map(built_in)) {
            if entries.iter().all(|known| known.name != entry.name) {
                entries.push(entry);
            }
        }
        (Self { entries, wanted, current: 0 }, warnings)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never true: there is always one.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of the one that is used.
    pub fn current(&self) -> usize {
        self.current
    }

    /// The short names of all, which the user may read, in upper case.
    pub fn names(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.name.to_uppercase()).collect()
    }

    /// What the user reads of the one of this number; empty where there is none.
    pub fn title(&self, number: usize) -> &str {
        self.entries.get(number).map_or("", |entry| entry.title.as_str())
    }

    /// The number of the next one of those that were asked for. `None` where only one was: there is
    /// nothing but to choose among all.
    pub fn next(&self) -> Option<usize> {
        (self.wanted > 1).then(|| (self.current + 1) % self.wanted)
    }

    /// The layout of this number, which is used from now on.
    ///
    /// # Errors
    /// [`Exit::Parameters`] when there is none, or its text is broken; the one before stays in use.
    pub fn pick(&mut self, number: usize) -> Result<Layout> {
        let layout = self.layout(number)?;
        self.current = number;
        Ok(layout)
    }

    /// The layout that is used. The US layout if it is broken, which only a file can be that was good
    /// before.
    ///
    /// # Errors
    /// None but those of a broken program.
    pub fn layout_in_use(&self) -> Result<Layout> {
        self.layout(self.current).or_else(|_| Layout::parse("us", US))
    }

    fn layout(&self, number: usize) -> Result<Layout> {
        let none = || Error::new(Exit::Parameters, format!("find layout {number}"), "there are not so many");
        let entry = self.entries.get(number).ok_or_else(none)?;
        let find = |name: &str| {
            let own = self.entries.iter().find(|entry| entry.name == name).and_then(|entry| entry.text.as_deref());
            own.or_else(|| layouts::find(name))
        };
        let text = find(&entry.name).ok_or_else(none)?;
        let layout = Layout::parse_with(&entry.name, text, find)?;
        Ok(if self.entries.len() > 1 { layout } else { layout.without_next() })
    }
}

/// The text of a layout: that of a user's file, or else of a built-in one.
fn find<'a>(files: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let stem = |file: &'a str| file.strip_suffix(".layout").unwrap_or(file);
    let own = files.iter().find(|(file, _)| stem(file) == name).map(|(_, text)| text.as_str());
    own.or_else(|| layouts::find(name))
}

fn built_in(name: &str) -> Option<Entry> {
    Some(Entry { name: name.to_owned(), title: layouts::title(name)?.to_owned(), text: None })
}

#[cfg(test)]
mod tests {
    use super::super::layout::Press;
    use super::*;

    const PIN: &str = "name Number pad\nlayer one 1\n1 2 3\nnext space enter backspace";

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn those_asked_for_come_first_and_are_cycled_through() {
        let files = [file("mine.layout", PIN), file("other.layout", "include mine\nhold 1 \u{b9}")];
        let (mut catalogue, warnings) = Catalogue::new(&words(&["other", "us", "other"]), &files);
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(catalogue.names()[..3], ["OTHER", "US", "MINE"]);
        assert_eq!((catalogue.title(0), catalogue.title(2), catalogue.title(999)), ("other", "Number pad", ""));
        assert_eq!(catalogue.layout_in_use().unwrap().alternatives('1'), ['\u{b9}']);
        assert_eq!(catalogue.next(), Some(1));
        assert_eq!(catalogue.pick(1).unwrap().name(), "us");
        assert_eq!((catalogue.current(), catalogue.next()), (1, Some(0)));
        assert_eq!(catalogue.pick(2).unwrap().title(), "Number pad");
        assert_eq!((catalogue.current(), catalogue.next()), (2, Some(1)));
        let error = catalogue.pick(999).unwrap_err();
        assert_eq!(error.to_string(), "find layout 999: there are not so many");
        assert_eq!(catalogue.current(), 2);
    }

    #[test]
    fn what_cannot_be_used_is_warned_of_and_left_out() {
        let files = [file("mine.layout", "layer one 1\nenter"), file("us.layout", PIN)];
        let (catalogue, warnings) = Catalogue::new(&words(&["mine", "klingon"]), &files);
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings[0].starts_with("read layout mine.layout, line 1: layer one needs"), "{warnings:?}");
        assert!(warnings[1].starts_with("find layout \"mine\": there is none"), "{warnings:?}");
        assert!(warnings[2].starts_with("find layout \"klingon\": there is none"), "{warnings:?}");
        // Nothing is left that was asked for: it is the built-in layout, whatever a file is called.
        assert_eq!(catalogue.title(0), "US English");
        let layout = catalogue.layout_in_use().unwrap();
        assert!(layout.layers().len() > 1 && catalogue.next().is_none());
    }

    #[test]
    fn a_file_counts_more_than_a_built_in_layout() {
        let (catalogue, _) = Catalogue::new(&words(&["us"]), &[file("us", PIN)]);
        assert_eq!(catalogue.title(0), "Number pad");
        assert_eq!(catalogue.names().iter().filter(|name| *name == "US").count(), 1);
        assert_eq!(catalogue.layout_in_use().unwrap().title(), "Number pad");
    }

    #[test]
    fn the_key_to_the_next_one_is_there_when_there_is_one() {
        let has_next = |catalogue: &Catalogue| {
            let layout = catalogue.layout_in_use().unwrap();
            layout.layers().iter().any(|layer| layer.rows(true).flatten().any(|key| key.press == Press::Next))
        };
        let (catalogue, _) = Catalogue::new(&[], &[file("mine", PIN)]);
        assert!(catalogue.len() > 1 && !catalogue.is_empty() && has_next(&catalogue));
        let alone = Catalogue { entries: catalogue.entries[..1].to_vec(), ..catalogue };
        assert!(!has_next(&alone));
    }

    #[test]
    fn every_built_in_layout_can_be_used() {
        let (mut catalogue, warnings) = Catalogue::new(&[], &[]);
        assert!(warnings.is_empty());
        for number in 0..catalogue.len() {
            let title = catalogue.title(number).to_owned();
            assert_eq!(catalogue.pick(number).unwrap().title(), title, "{number}");
        }
    }
}
