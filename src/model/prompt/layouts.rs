//! The layouts that are always there: files in `layouts/`, which `build.rs` packs.

/// Name, start and length of each text, sorted by name.
static INDEX: &[(&str, u16, u16)] = include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
static TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/layouts.txt"));

/// The text of a layout, or of a file that layouts include.
pub fn find(name: &str) -> Option<&'static str> {
    let at = INDEX.binary_search_by_key(&name, |(name, ..)| name).ok()?;
    let (_, start, length) = *INDEX.get(at)?;
    TEXTS.get(usize::from(start)..usize::from(start) + usize::from(length))
}

/// What the reader of a layout is told that it is; none for files that are only included.
pub fn title(name: &str) -> Option<&'static str> {
    find(name)?.lines().next()?.strip_prefix("name ")
}

/// The names of all layouts, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    INDEX.iter().map(|(name, ..)| *name).filter(|name| title(name).is_some())
}

#[cfg(test)]
mod tests;
