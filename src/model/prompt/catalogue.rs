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

/// All layouts. Only the one that is used is held as keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    entries: Vec<Entry>,
    /// How many were asked for: the first ones.
    wanted: usize,
    at: usize,
    current: Layout,
}

impl Catalogue {
    /// The layouts called `wanted`, the first of which is used, and all others. `files` are those of
    /// the user, each a name and a text; they count more than built-in ones of the same name.
    ///
    /// With it come warnings: of names that nothing has and of files that are broken, which are left
    /// out. If nothing is left that was asked for, it is the one called `us`.
    ///
    /// # Errors
    /// Those of a broken program: a built-in layout cannot be read.
    pub fn new(wanted: &[String], files: &[(String, String)]) -> Result<(Self, Vec<Error>)> {
        let (own, mut warnings) = check(files);
        let mut entries: Vec<Entry> = Vec::new();
        let known = |name: &str| own.iter().find(|entry| entry.name == name).cloned().or_else(|| built_in(name));
        for name in wanted {
            match known(name) {
                Some(entry) if !entries.contains(&entry) => entries.push(entry),
                Some(_) => {}
                None => {
                    let cause = "there is no layout of this name";
                    warnings.push(Error::new(Exit::Parameters, format!("find layout {name:?}"), cause));
                }
            }
        }
        if entries.is_empty() {
            let plain = Entry { name: "us".into(), title: "US".into(), text: None };
            entries.push(known("us").unwrap_or(plain));
        }
        let wanted = entries.len();
        for entry in own.into_iter().chain(layouts::names().filter_map(built_in)) {
            if entries.iter().all(|known| known.name != entry.name) {
                entries.push(entry);
            }
        }
        let current = read(&entries, 0).or_else(|_| Layout::parse("us", US))?;
        Ok((Self { entries, wanted, at: 0, current }, warnings))
    }

    /// The layout that is used.
    pub fn current(&self) -> &Layout {
        &self.current
    }

    /// The short names of all of them.
    pub fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|entry| entry.name.as_str()).collect()
    }

    /// What the user reads of the one of this number; empty where there is none.
    pub fn title(&self, number: usize) -> &str {
        self.entries.get(number).map_or("", |entry| entry.title.as_str())
    }

    /// Goes on to the next one of those that were asked for. False where only one was: there is
    /// nothing but to choose among all.
    pub fn go_on(&mut self) -> bool {
        self.wanted > 1 && self.pick((self.at + 1) % self.wanted)
    }

    /// Takes the one of this number; false where there is none.
    pub fn pick(&mut self, number: usize) -> bool {
        match read(&self.entries, number) {
            Ok(layout) => {
                (self.at, self.current) = (number, layout);
                true
            }
            Err(_) => false,
        }
    }
}

/// A catalogue of one, as it is.
impl From<Layout> for Catalogue {
    fn from(layout: Layout) -> Self {
        let entry = Entry { name: layout.name().into(), title: layout.title().into(), text: None };
        Self { entries: vec![entry], wanted: 1, at: 0, current: layout }
    }
}

/// Those of a user's files that can be read, and why others cannot.
fn check(files: &[(String, String)]) -> (Vec<Entry>, Vec<Error>) {
    let (mut good, mut warnings) = (Vec::<Entry>::new(), Vec::new());
    for (name, text) in files {
        match Layout::parse_with(name, text, |name| find(files, name)) {
            Ok(layout) => {
                let (name, title) = (layout.name().to_owned(), layout.title().to_owned());
                good.retain(|entry| entry.name != name);
                good.push(Entry { name, title, text: Some(text.clone()) });
            }
            Err(error) => warnings.push(error),
        }
    }
    (good, warnings)
}

/// Reads the layout of this number.
fn read(entries: &[Entry], number: usize) -> Result<Layout> {
    let none = || Error::new(Exit::Parameters, format!("find layout {number}"), "there are not so many");
    let entry = entries.get(number).ok_or_else(none)?;
    let find = |name: &str| {
        let own = entries.iter().find(|entry| entry.name == name).and_then(|entry| entry.text.as_deref());
        own.or_else(|| layouts::find(name))
    };
    let layout = Layout::parse_with(&entry.name, find(&entry.name).ok_or_else(none)?, find)?;
    Ok(if entries.len() > 1 { layout } else { layout.without_next() })
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

    fn catalogue(wanted: &[&str], files: &[(String, String)]) -> (Catalogue, Vec<String>) {
        let (catalogue, warnings) = Catalogue::new(&words(wanted), files).unwrap();
        (catalogue, warnings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn those_asked_for_come_first_and_are_cycled_through() {
        let files = [file("mine.layout", PIN), file("other.layout", "include mine\nhold 1 \u{b9}")];
        let (mut catalogue, warnings) = catalogue(&["other", "us", "other"], &files);
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(catalogue.names()[..3], ["other", "us", "mine"]);
        assert_eq!((catalogue.title(0), catalogue.title(2), catalogue.title(999)), ("other", "Number pad", ""));
        assert_eq!(catalogue.current().alternatives('1'), ['\u{b9}']);
        assert!(catalogue.go_on());
        assert_eq!(catalogue.current().name(), "us");
        assert!(catalogue.go_on());
        assert_eq!(catalogue.current().name(), "other");
        assert!(catalogue.pick(2) && !catalogue.pick(999));
        assert_eq!(catalogue.current().title(), "Number pad");
        assert!(catalogue.go_on());
        assert_eq!(catalogue.current().name(), "us", "the one after the first");
    }

    #[test]
    fn what_cannot_be_used_is_warned_of_and_left_out() {
        let files = [file("mine.layout", "layer one 1\nenter"), file("us.layout", "layer one 1\na")];
        let (mut catalogue, warnings) = catalogue(&["mine", "klingon"], &files);
        assert_eq!(warnings.len(), 4, "{warnings:?}");
        assert!(warnings[0].starts_with("read layout mine.layout, line 1: layer one needs"), "{warnings:?}");
        assert!(warnings[1].starts_with("read layout us.layout, line 1: layer one needs"), "{warnings:?}");
        assert!(warnings[2].starts_with("find layout \"mine\": there is no layout"), "{warnings:?}");
        assert!(warnings[3].starts_with("find layout \"klingon\": there is no layout"), "{warnings:?}");
        // Nothing is left that was asked for: it is the built-in layout, if a file of its name is broken.
        assert_eq!(catalogue.title(0), "US English");
        assert!(catalogue.current().layers().len() > 1 && !catalogue.go_on());
    }

    #[test]
    fn a_file_counts_more_than_a_built_in_layout() {
        // Of the one that nobody asks for as well.
        for wanted in [&["us"][..], &[], &["klingon"]] {
            let (catalogue, _) = catalogue(wanted, &[file("us.layout", PIN)]);
            assert_eq!(catalogue.title(0), "Number pad");
            assert_eq!(catalogue.names().iter().filter(|name| **name == "us").count(), 1);
            assert_eq!(catalogue.current().title(), "Number pad");
        }
    }

    #[test]
    fn the_key_to_the_next_one_is_there_when_there_is_one() {
        let has_next = |layout: &Layout| {
            layout.layers().iter().any(|layer| layer.rows(true).flatten().any(|key| key.press == Press::Next))
        };
        let (catalogue, _) = catalogue(&[], &[file("mine", PIN)]);
        assert!(catalogue.names().len() > 1 && has_next(catalogue.current()));
        assert!(!has_next(&read(&catalogue.entries[..1], 0).unwrap()));
        let given = Catalogue::from(Layout::parse("us", US).unwrap());
        assert!(has_next(given.current()) && given.names() == ["us"]);
    }

    #[test]
    fn every_built_in_layout_can_be_used() {
        let (mut catalogue, warnings) = catalogue(&[], &[]);
        assert!(warnings.is_empty());
        for number in 0..catalogue.names().len() {
            assert!(catalogue.pick(number), "{number}");
            assert_eq!(catalogue.current().title(), catalogue.title(number), "{number}");
        }
    }
}
