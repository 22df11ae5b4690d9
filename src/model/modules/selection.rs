//! Which modules an image holds, as names for [`Tables::order`].

use super::set::{DEFAULT, ROOT_DEFAULT};
use super::table::{Found, Tables};
use crate::error::{Error, Exit, Result};

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Selection<'a> {
    /// Names of `--module`; each has to exist.
    pub asked: &'a [String],
    /// Whether the built-in list comes along, and the root's file system.
    pub default: bool,
    /// File system types of the root, separated by commas; each has to exist.
    pub rootfstype: Option<&'a str>,
}

/// The names, those that load first first.
///
/// # Errors
/// [`Exit::Parameters`] with the module or file system that was asked for and that the kernel of
/// `release` does not have.
pub fn select(tables: &Tables, selection: &Selection<'_>, release: &str) -> Result<Vec<String>> {
    let absent = |word: &str| {
        let cause = format!("kernel {release} has no such module");
        Error::new(Exit::Parameters, format!("add module {word}"), cause)
    };
    let mut names = Vec::new();
    if selection.default {
        names.extend(DEFAULT.iter().map(|name| (*name).to_owned()));
        let types = selection.rootfstype.unwrap_or(ROOT_DEFAULT);
        for kind in types.split(',').map(str::trim).filter(|k| !k.is_empty()) {
            let found = filesystem(tables, kind);
            if found.is_none() && selection.rootfstype.is_some() {
                return Err(absent(kind));
            }
            names.extend(found);
        }
    }
    for word in selection.asked {
        if tables.find(word) == Found::Absent {
            return Err(absent(word));
        }
        names.push(word.clone());
    }
    Ok(names)
}

/// The module of a file system: of its name, with its alias `fs-NAME`, or ext4, which serves its
/// forerunners too (fs/ext4/Kconfig, EXT4_USE_FOR_EXT2).
fn filesystem(tables: &Tables, kind: &str) -> Option<String> {
    let heir = if matches!(kind, "ext2" | "ext3") { "ext4" } else { kind };
    let names = [kind.to_owned(), format!("fs-{kind}"), heir.to_owned()];
    let mut names = names.into_iter();
    names.find(|name| tables.find(name) != Found::Absent)
}

/// Asked for, or only hoped for.
#[cfg(test)]
mod tests {
    use super::super::Texts;
    use super::*;

    fn tables() -> Tables {
        Tables::parse(&Texts {
            dep: "dm-crypt.ko:\next4.ko:\nkernel/odd.ko:\n",
            builtin: "kernel/fs/btrfs/btrfs.ko\n",
            alias: "alias fs-strange odd\n",
            ..Texts::default()
        })
        .unwrap()
    }

    fn select_with(asked: &[&str], default: bool, kind: Option<&str>) -> Result<Vec<String>> {
        let asked: Vec<String> = asked.iter().map(|word| (*word).to_owned()).collect();
        let selection = Selection { asked: &asked, default, rootfstype: kind };
        select(&tables(), &selection, "6.1")
    }

    #[test]
    fn asked_names_have_to_exist() {
        let error = select_with(&["ext4", "zfs"], false, None).unwrap_err();
        assert_eq!(error.to_string(), "add module zfs: kernel 6.1 has no such module");
        assert_eq!(select_with(&["dm-crypt"], false, None).unwrap(), ["dm-crypt"]);
    }

    #[test]
    fn the_roots_file_system_comes_along() {
        let last = |kind| select_with(&[], true, kind).unwrap().pop().unwrap();
        assert_eq!(last(None), "ext4");
        assert_eq!(last(Some("ext3")), "ext4");
        assert_eq!(last(Some("btrfs")), "btrfs");
        assert_eq!(last(Some("strange")), "fs-strange");
        assert!(select_with(&[], true, Some("xfs")).is_err());
    }
}
