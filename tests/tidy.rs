//! The rules of the source tree, so that they hold and need not be remembered.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

/// Lines that a source file may have. Data has its own files.
const LINES_MAX: usize = 500;

/// The rooms of the crate, and which of the others each may import.
const ROOMS: [(&str, &[&str]); 8] = [
    ("main", &["cli"]),
    ("cli", &["cmd", "error", "model"]),
    ("cmd", &["app", "sys", "model", "error"]),
    ("app", &["ui", "model", "error"]),
    ("ui", &["model", "error"]),
    ("sys", &["model", "error"]),
    ("model", &["error"]),
    ("error", &[]),
];

/// Crates that one file alone uses, or one module's files.
const OWNERS: [(&str, &str); 3] =
    [("libcryptsetup_rs_sys", "src/sys/crypt"), ("evdev", "src/sys/input.rs"), ("linuxfb", "src/sys/fb.rs")];

/// What may stand beside the sources.
const TOP: [&str; 14] = [
    ".cargo",
    ".ci",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "build.rs",
    "fonts",
    "hooks",
    "rustfmt.toml",
    "src",
    "sysroot",
    "tests",
];

/// A source file: its path from the root, and its lines outside of tests, without comments.
struct Source {
    path: String,
    text: String,
    code: Vec<(usize, String)>,
}

impl Source {
    fn room(&self) -> &str {
        let inside = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        inside.split('/').next().unwrap_or(inside)
    }

    /// Lines that hold `word` as a whole word.
    fn lines_with<'a>(&'a self, word: &'a str) -> impl Iterator<Item = String> + 'a {
        let hit = move |(number, line): &'a (usize, String)| {
            holds(line, word).then(|| format!("{}:{number}: {}", self.path, line.trim()))
        };
        self.code.iter().filter_map(hit)
    }
}

/// Whether a line holds `word` and not as a part of a longer word.
fn holds(line: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // An end that is punctuation, as of `crate::`, has no longer word to be a part of.
    let starts = word.chars().next().is_some_and(is_word);
    let ends = word.chars().next_back().is_some_and(is_word);
    line.match_indices(word).any(|(at, _)| {
        let before = starts && line[..at].chars().next_back().is_some_and(is_word);
        let after = ends && line[at + word.len()..].chars().next().is_some_and(is_word);
        !before && !after
    })
}

#[test]
fn words_are_found() {
    for (line, word) in [
        ("use crate::{cmd, sys};", "crate::{"),
        ("use crate::sys::fb;", "crate::sys"),
        ("let device = evdev::Device::open();", "evdev::"),
        ("unsafe { x() }", "unsafe"),
    ] {
        assert!(holds(line, word), "{word} in {line}");
    }
    for (line, word) in [("use crate::system;", "crate::sys"), ("let my_evdev::x", "evdev::"), ("unsafely", "unsafe")] {
        assert!(!holds(line, word), "{word} in {line}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("read a source folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    files(&root().join("src"), &mut found);
    found.sort();
    let rust = found.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    rust.map(|path| {
        let text = fs::read_to_string(&path).expect("read a source file");
        let relative = path.strip_prefix(root()).expect("below the root").display().to_string();
        let is_test = relative.ends_with("/tests.rs") || relative.contains("/tests/");
        let tests = text.find("\n#[cfg(test)]\nmod tests").unwrap_or(text.len());
        let end = if is_test { 0 } else { tests };
        let code = text[..end]
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line.split("//").next().unwrap_or(line).to_owned()))
            .collect();
        Source { path: relative, text, code }
    })
    .collect()
}

fn none(what: &str, offences: Vec<String>) {
    assert!(offences.is_empty(), "{what}:\n{}", offences.join("\n"));
}

#[test]
fn imports_run_down_only() {
    let mut offences = Vec::new();
    for source in sources() {
        let Some((_, allowed)) = ROOMS.iter().find(|(room, _)| *room == source.room()) else { continue };
        for (other, _) in ROOMS {
            if other == source.room() || allowed.contains(&other) {
                continue;
            }
            for path in [format!("crate::{other}"), format!("fbunlock::{other}")] {
                offences.extend(source.lines_with(&path));
            }
        }
        // These would hide the rooms from this test.
        offences.extend(source.lines_with("crate::{"));
        if source.path.matches('/').count() == 2 {
            offences.extend(source.lines_with("super::super"));
        }
        offences.extend(source.lines_with("super::super::super"));
    }
    none("imports that go up or sideways", offences);
}

#[test]
fn every_room_is_known() {
    let unknown = sources()
        .into_iter()
        .filter(|source| source.room() != "lib" && !ROOMS.iter().any(|(room, _)| *room == source.room()))
        .map(|source| source.path);
    none("files outside of the rooms", unknown.collect());
}

#[test]
fn unsafe_code_is_in_sys() {
    let outside = sources().into_iter().filter(|source| source.room() != "sys");
    let found: Vec<String> = outside.flat_map(|source| source.lines_with("unsafe").collect::<Vec<_>>()).collect();
    none("unsafe code outside of src/sys", found);
}

#[test]
fn the_model_is_pure() {
    let impure =
        ["std::fs", "std::env", "std::time", "std::process", "std::net", "std::io::stdin", "std::thread", "Instant"];
    let mut offences = Vec::new();
    for source in sources().iter().filter(|source| ["model", "ui"].contains(&source.room())) {
        for word in impure {
            offences.extend(source.lines_with(word));
        }
        offences.extend(source.lines_with("std::{"));
        // Error numbers are names for numbers; everything else of nix acts.
        offences.extend(source.lines_with("nix").filter(|line| !line.contains("nix::errno")));
    }
    none("files, clocks, processes in a pure room", offences);
}

#[test]
fn one_crate_has_one_file() {
    let mut offences = Vec::new();
    for source in sources() {
        for (name, owner) in OWNERS {
            let is_owner = source
                .path
                .strip_prefix(owner)
                .is_some_and(|rest| ["", ".rs"].contains(&rest) || rest.starts_with('/'));
            if !is_owner {
                offences.extend(source.lines_with(&format!("{name}::")));
                offences.extend(source.lines_with(&format!("use {name}")));
            }
        }
    }
    none("crates used outside of their file", offences);
}

#[test]
fn nothing_panics_on_purpose() {
    let words = [".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unreachable!(", "assert!(", "dbg!("];
    let mut offences = Vec::new();
    for source in sources() {
        for (number, line) in &source.code {
            // Asserts of constants are checked when the crate is built.
            let constant = line.contains("const _")
                || line.trim_start().starts_with("assert!(size_of")
                || line.trim_start().starts_with("assert!(core::mem::offset_of");
            if !constant && words.iter().any(|word| line.contains(word)) {
                offences.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none("code that panics: a machine that does not boot", offences);
}

#[test]
fn files_are_short_named_and_introduced() {
    let vague = ["util", "utils", "helper", "helpers", "common", "manager", "misc"];
    let mut offences = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count();
        if lines > LINES_MAX {
            offences.push(format!("{}: {lines} lines", source.path));
        }
        // Code behind the tests would be looked at by nobody: a module of tests ends the file.
        let tests = source.text.find("\n#[cfg(test)]\nmod tests {").map(|at| &source.text[at..]);
        if tests.is_some_and(|tests| tests.matches("\n}\n").count() != 1 || !tests.ends_with("\n}\n")) {
            offences.push(format!("{}: code behind the tests", source.path));
        }
        if !source.text.starts_with("//! ") {
            offences.push(format!("{}: does not begin with what it is for", source.path));
        }
        let name = Path::new(&source.path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if vague.contains(&name.as_str()) {
            offences.push(format!("{}: a name that says nothing", source.path));
        }
    }
    none("files", offences);
}

#[test]
fn the_top_level_holds_what_it_should() {
    // What is tracked counts: what lies about in somebody's folder is nobody else's business.
    let listed = std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(listed) = listed.ok().filter(|output| output.status.success()) else {
        eprintln!("not checked: this is no git checkout");
        return;
    };
    let text = String::from_utf8_lossy(&listed.stdout);
    let names: std::collections::BTreeSet<&str> = text.split('\0').filter_map(|path| path.split('/').next()).collect();
    let strange = names.into_iter().filter(|name| !name.is_empty() && !TOP.contains(name)).map(String::from);
    none("tracked files at the top level that do not belong there (see TOP in this test)", strange.collect());
}

#[test]
fn there_is_one_nix() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("read Cargo.lock");
    assert_eq!(lock.lines().filter(|line| *line == "name = \"nix\"").count(), 1);
}
