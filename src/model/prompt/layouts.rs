//! The layouts that are always there: files in `layouts/`, which `build.rs` packs.

/// Sorted by name, which is the first line of each; a NUL ends it.
static FILES: &str = include_str!(concat!(env!("OUT_DIR"), "/layouts.txt"));

/// Names and texts of all files.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.split('\0').filter_map(|file| file.split_once('\n'))
}

/// The text of a layout, or of a file that layouts include.
pub fn find(name: &str) -> Option<&'static str> {
    files().find(|(found, _)| *found == name).map(|(_, text)| text)
}

/// What the user reads as a layout's name; none for files that are only included.
pub fn title(name: &str) -> Option<&'static str> {
    titled(find(name)?)
}

fn titled(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix("name ")
}

/// The names of all layouts, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    files().filter(|(_, text)| titled(text).is_some()).map(|(name, _)| name)
}

#[cfg(test)]
mod tests;
