//! The layouts of the keyboard on the screen: those built in, and the user's files.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Exit, Result};
use crate::model::prompt::catalogue::Catalogue;

/// How the names of files of layouts end.
const ENDING: &str = ".layout";
/// More of a file is not read: it is refused for its size then.
const BYTES_MAX: u64 = 1 << 20;

/// A file: its name without folders, and its text.
pub type Text = (String, String);

/// All layouts, those called `words` first: names, or files beside those in `folder`. With them come
/// warnings of what cannot be used; what is built in is used instead.
///
/// # Errors
/// Those of a broken program.
pub fn catalogue(words: &[String], folder: &Path) -> Result<(Catalogue, Vec<Error>)> {
    let (mut files, mut warnings) = texts(folder);
    let mut names = Vec::new();
    for word in words {
        if !is_file(word) {
            names.push(word.clone());
            continue;
        }
        match read(Path::new(word)) {
            Ok((name, text)) => {
                names.push(stem(&name).to_owned());
                files.push((name, text));
            }
            Err(warning) => warnings.push(warning),
        }
    }
    let (catalogue, more) = Catalogue::new(&names, &files)?;
    warnings.extend(more);
    Ok((catalogue, warnings))
}

/// Whether a word means a file, and no name.
pub fn is_file(word: &str) -> bool {
    word.contains('/') || word.ends_with(ENDING)
}

/// The name of a layout by that of its file.
pub fn stem(file: &str) -> &str {
    file.strip_suffix(ENDING).unwrap_or(file)
}

/// Reads a file of a layout.
///
/// # Errors
/// [`Exit::Parameters`] with its path and the reason.
pub fn read(path: &Path) -> Result<Text> {
    let action = || format!("read layout {}", path.display());
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
    file.map_err(|error| Error::io(Exit::Parameters, action(), &error))?;
    let text = String::from_utf8(bytes).map_err(|_| Error::new(Exit::Parameters, action(), "not UTF-8"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, text))
}

/// The files of a folder, in the order of their names. Where it is not there, there are none.
fn texts(folder: &Path) -> (Vec<Text>, Vec<Error>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ENDING)));
    paths.sort();
    let (mut files, mut warnings) = (Vec::new(), Vec::new());
    for path in paths {
        match read(&path) {
            Ok(file) => files.push(file),
            Err(warning) => warnings.push(warning),
        }
    }
    (files, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name Mine\nlayer one 1\na b enter backspace";

    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("fbunlock-layout-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, bytes: &[u8]) -> String {
            let path = self.0.join(name);
            fs::write(&path, bytes).unwrap();
            path.display().to_string()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn files_are_layouts_beside_those_built_in() {
        let folder = Folder::new("good");
        folder.file("ours.layout", TEXT.replace("Mine", "Ours").as_bytes());
        folder.file("notes.txt", b"none");
        let mine = folder.file("mine.layout", TEXT.as_bytes());
        let (catalogue, warnings) = super::catalogue(&[mine, "us".into()], &folder.0).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(catalogue.names()[..3], ["mine", "us", "ours"]);
        assert_eq!(catalogue.current().title(), "Mine");
    }

    #[test]
    fn what_is_broken_is_warned_of_with_file_line_and_reason() {
        let folder = Folder::new("bad");
        folder.file("a.layout", b"layer one 1\na b");
        folder.file("b.layout", b"name \xff");
        let far = folder.0.join("none.layout").display().to_string();
        let (catalogue, warnings) = super::catalogue(&[far, "a".into()], &folder.0).unwrap();
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 4, "{warnings:?}");
        assert!(warnings[0].ends_with("b.layout: not UTF-8"), "{warnings:?}");
        assert!(warnings[1].contains("none.layout: No such file"), "{warnings:?}");
        assert!(warnings[2].contains("a.layout, line 1: layer one needs the keys"), "{warnings:?}");
        assert_eq!(
            (warnings[3].as_str(), catalogue.current().name()),
            ("find layout \"a\": there is no layout of this name", "us")
        );
    }

    #[test]
    fn no_folder_is_no_fault() {
        let (catalogue, warnings) = super::catalogue(&[], Path::new("/nowhere")).unwrap();
        assert!(warnings.is_empty());
        assert_eq!(catalogue.current().name(), "us");
    }
}
