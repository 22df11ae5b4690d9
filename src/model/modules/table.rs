//! The tables of a modules folder: modules.dep, modules.builtin, modules.softdep, modules.alias.

use std::collections::{BTreeMap, BTreeSet};

use super::{name, name_of};
use crate::error::{Error, Exit, Result};

/// The text of each file; an absent file is the empty text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texts<'a> {
    /// modules.dep: `path: path path …`.
    pub dep: &'a str,
    /// modules.builtin: one path a line.
    pub builtin: &'a str,
    /// modules.softdep: `softdep NAME pre: NAME … post: NAME …`.
    pub softdep: &'a str,
    /// modules.alias: `alias PATTERN NAME`.
    pub alias: &'a str,
}

/// What a module likes to have loaded beside it, as names or aliases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Softdep {
    /// Loaded before it.
    pub pre: Vec<String>,
    /// Loaded after it.
    pub post: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) name: String,
    pub(super) path: String,
    /// Names of the modules whose symbols it uses.
    pub(super) needs: Vec<String>,
}

/// What a name turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// These modules, by index.
    Modules(Vec<usize>),
    /// Part of the kernel: nothing to load.
    Builtin,
    /// Neither a module, nor built in, nor an alias.
    Absent,
}

/// All tables of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub(super) modules: Vec<Module>,
    by_name: BTreeMap<String, usize>,
    builtin: BTreeSet<String>,
    softdeps: BTreeMap<String, Softdep>,
    aliases: BTreeMap<String, Vec<usize>>,
}

impl Tables {
    /// Reads the tables.
    ///
    /// # Errors
    /// [`Exit::Parameters`] with the line of modules.dep that is not of its form. The other files
    /// only add to it: lines that say nothing known are skipped there.
    pub fn parse(texts: &Texts<'_>) -> Result<Self> {
        let mut tables = Self::default();
        for (index, line) in texts.dep.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let module = module(line).ok_or_else(|| {
                let at = format!("read modules.dep, line {}", index + 1);
                Error::new(Exit::Parameters, at, "not of the form `path.ko: path.ko …`").hint("run depmod")
            })?;
            // The first of two modules of one name wins, as updates/ sorts before kernel/ in depmod.
            let next = tables.modules.len();
            if tables.by_name.contains_key(&module.name) {
                continue;
            }
            tables.by_name.insert(module.name.clone(), next);
            tables.modules.push(module);
        }
        tables.builtin = texts.builtin.lines().filter_map(name_of).collect();
        tables.read_softdeps(texts.softdep);
        tables.read_aliases(texts.alias);
        Ok(tables)
    }

    /// Looks a name up: a module, a built-in, or an alias without wildcards. An alias such as
    /// `crypto-aes` stands for every module that carries it.
    pub fn find(&self, word: &str) -> Found {
        let word = name(word);
        if let Some(&index) = self.by_name.get(&word) {
            return Found::Modules(vec![index]);
        }
        if self.builtin.contains(&word) {
            return Found::Builtin;
        }
        match self.aliases.get(&word) {
            Some(indexes) => Found::Modules(indexes.clone()),
            None => Found::Absent,
        }
    }

    /// The soft dependencies of a module, if it has any.
    pub(super) fn softdep(&self, module: &str) -> Option<&Softdep> {
        self.softdeps.get(module)
    }

    fn read_softdeps(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some("softdep"), Some(module)) = (words.next(), words.next()) else {
                continue;
            };
            let softdep = self.softdeps.entry(name(module)).or_default();
            let mut side = None;
            for word in words {
                match word {
                    "pre:" => side = Some(&mut softdep.pre),
                    "post:" => side = Some(&mut softdep.post),
                    word => {
                        if let Some(side) = side.as_mut() {
                            side.push(name(word));
                        }
                    }
                }
            }
        }
    }

    fn read_aliases(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some("alias"), Some(pattern), Some(module)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            // Patterns match devices; only plain words can be asked for by name.
            if pattern.contains(['*', '?', '[']) {
                continue;
            }
            if let Some(&index) = self.by_name.get(&name(module)) {
                let indexes = self.aliases.entry(name(pattern)).or_default();
                if !indexes.contains(&index) {
                    indexes.push(index);
                }
            }
        }
    }
}

/// One line of modules.dep. Paths are relative to the folder; depmod writes no others, and a path
/// that climbs out of it is none of ours.
fn module(line: &str) -> Option<Module> {
    let (path, needs) = line.split_once(':')?;
    let path = path.trim();
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return None;
    }
    Some(Module {
        name: name_of(path)?,
        path: path.to_owned(),
        needs: needs.split_whitespace().map(name_of).collect::<Option<_>>()?,
    })
}

/// One test for each file's form, and what is skipped.
#[cfg(test)]
mod tests {
    use super::*;

    const DEP: &str = "\
kernel/fs/ext4/ext4.ko.xz: kernel/fs/mbcache.ko.xz kernel/fs/jbd2/jbd2.ko.xz
kernel/fs/mbcache.ko.xz:
kernel/fs/jbd2/jbd2.ko.xz:
kernel/crypto/crc32c_generic.ko.xz:
kernel/arch/x86/crypto/crc32c-intel.ko.xz:
";

    fn tables() -> Tables {
        Tables::parse(&Texts {
            dep: DEP,
            builtin: "kernel/crypto/ecb.ko\nnonsense\n",
            softdep: "# a comment\nsoftdep ext4 pre: crc32c\nsoftdep a pre: b-c d post: e\n",
            alias: "alias crc32c crc32c_generic\nalias crc32c crc32c_intel\nalias pci:v* ext4\n",
        })
        .unwrap()
    }

    #[test]
    fn finds_modules_builtins_and_aliases() {
        let tables = tables();
        assert_eq!(tables.find("ext4"), Found::Modules(vec![0]));
        assert_eq!(tables.find("crc32c-generic"), Found::Modules(vec![3]));
        assert_eq!(tables.find("crc32c"), Found::Modules(vec![3, 4]));
        assert_eq!(tables.find("ecb"), Found::Builtin);
        assert_eq!(tables.find("pci:v*"), Found::Absent);
        assert_eq!(tables.find("zfs"), Found::Absent);
    }

    #[test]
    fn softdeps_have_two_sides() {
        let tables = tables();
        let softdep = tables.softdep("a").unwrap();
        assert_eq!(softdep.pre, ["b_c", "d"]);
        assert_eq!(softdep.post, ["e"]);
        assert_eq!(tables.softdep("ext4").unwrap().pre, ["crc32c"]);
    }

    #[test]
    fn broken_dep_names_its_line() {
        for line in ["no colon", "../x.ko:", "/x.ko:", "x.ko: y", "x.txt:"] {
            let dep = format!("kernel/a.ko:\n{line}\n");
            let texts = Texts { dep: &dep, ..Texts::default() };
            let text = Tables::parse(&texts).unwrap_err().to_string();
            assert!(text.starts_with("read modules.dep, line 2:"), "{text}");
            assert!(text.ends_with("run depmod"), "{text}");
        }
    }
}
