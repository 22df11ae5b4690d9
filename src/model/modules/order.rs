//! The order in which modules load: what a module needs comes before it.

use std::collections::BTreeSet;

use super::set;
use super::table::{Found, Tables};
use crate::error::{Error, Exit, Result};

/// A module to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load<'a> {
    /// Its name, with underscores.
    pub name: &'a str,
    /// Its file, relative to the modules folder.
    pub path: &'a str,
}

/// A step of a depth-first walk without recursion: chains are as long as the input wants.
enum Step {
    Enter(usize),
    Leave(usize),
}

impl Tables {
    /// The modules that `wanted` names (or aliases) stand for, each once, with all that they need:
    /// hard dependencies first, soft ones and the companions of [`set`] where the kernel has them.
    /// Names that the kernel does not have are left out; see [`Tables::find`].
    ///
    /// # Errors
    /// [`Exit::Parameters`] if modules.dep names a dependency that it does not list.
    pub fn order<'a>(&self, wanted: impl IntoIterator<Item = &'a str>) -> Result<Vec<Load<'_>>> {
        let wanted: Vec<usize> = wanted.into_iter().flat_map(|word| self.found(word)).collect();
        let liked = walk(&wanted, |index| self.around(index))?;
        // Soft dependencies may form circles with hard ones. A second walk along the hard ones
        // alone keeps the order where it was right and puts it right where it was not.
        let ordered = walk(&liked, |index| Ok((self.needs(index)?, Vec::new())))?;
        let modules = ordered.iter().filter_map(|&index| self.modules.get(index));
        Ok(modules.map(|module| Load { name: &module.name, path: &module.path }).collect())
    }

    fn found(&self, word: &str) -> Vec<usize> {
        match self.find(word) {
            Found::Modules(indexes) => indexes,
            Found::Builtin | Found::Absent => Vec::new(),
        }
    }

    fn needs(&self, index: usize) -> Result<Vec<usize>> {
        let Some(module) = self.modules.get(index) else {
            return Ok(Vec::new());
        };
        let mut indexes = Vec::new();
        // modules.dep lists the nearest need first; they load from the far end.
        for need in module.needs.iter().rev() {
            match self.find(need) {
                Found::Modules(found) => indexes.extend(found),
                Found::Builtin => {}
                Found::Absent => {
                    let action = format!("load {} before {}", need, module.name);
                    let cause = "modules.dep does not list it";
                    return Err(Error::new(Exit::Parameters, action, cause).hint("run depmod"));
                }
            }
        }
        Ok(indexes)
    }

    /// What loads before and after a module.
    fn around(&self, index: usize) -> Result<(Vec<usize>, Vec<usize>)> {
        let mut before = self.needs(index)?;
        let mut after = Vec::new();
        if let Some(module) = self.modules.get(index) {
            if let Some(softdep) = self.softdep(&module.name) {
                before.extend(softdep.pre.iter().flat_map(|word| self.found(word)));
                after.extend(softdep.post.iter().flat_map(|word| self.found(word)));
            }
            let companions = set::companions(&module.name);
            before.extend(companions.iter().flat_map(|word| self.found(word)));
        }
        Ok((before, after))
    }
}

fn walk(roots: &[usize], around: impl Fn(usize) -> Result<(Vec<usize>, Vec<usize>)>) -> Result<Vec<usize>> {
    let mut seen = BTreeSet::new();
    let mut ordered = Vec::new();
    let mut steps: Vec<Step> = roots.iter().rev().map(|&root| Step::Enter(root)).collect();
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(index) => ordered.push(index),
            // A circle ends here: what is being visited is not visited again.
            Step::Enter(index) if !seen.insert(index) => {}
            Step::Enter(index) => {
                let (before, after) = around(index)?;
                steps.extend(after.into_iter().rev().map(Step::Enter));
                steps.push(Step::Leave(index));
                steps.extend(before.into_iter().rev().map(Step::Enter));
            }
        }
    }
    Ok(ordered)
}

/// Order, circles, and noise.
#[cfg(test)]
mod tests {
    use super::super::Texts;
    use super::*;
    use crate::model::noise::Noise;

    fn order(texts: &Texts<'_>, wanted: &[&str]) -> Vec<String> {
        let tables = Tables::parse(texts).unwrap();
        let loads = tables.order(wanted.iter().copied()).unwrap();
        loads.iter().map(|load| load.name.to_owned()).collect()
    }

    #[test]
    fn needs_come_first_and_once() {
        let dep = "a.ko: b.ko c.ko\nb.ko: c.ko\nc.ko:\nd.ko: c.ko\n";
        let texts = Texts { dep, ..Texts::default() };
        assert_eq!(order(&texts, &["a", "d"]), ["c", "b", "a", "d"]);
        assert_eq!(order(&texts, &["nothing"]), [""; 0]);
    }

    #[test]
    fn softdeps_and_companions_come_along() {
        let texts = Texts {
            dep: "ext4.ko: jbd2.ko\njbd2.ko:\ncrc32c_generic.ko:\ncrc32c-intel.ko:\nz.ko:\n\
                  dm-crypt.ko: dm-mod.ko\ndm-mod.ko:\nxts.ko:\n",
            builtin: "kernel/crypto/ecb.ko\n",
            softdep: "softdep ext4 pre: crc32c post: z\n",
            alias: "alias crc32c crc32c_generic\nalias crc32c crc32c_intel\nalias crypto-xts xts\n",
        };
        assert_eq!(order(&texts, &["ext4"]), ["jbd2", "crc32c_generic", "crc32c_intel", "ext4", "z"]);
        assert_eq!(order(&texts, &["dm_crypt"]), ["dm_mod", "xts", "dm_crypt"]);
    }

    #[test]
    fn hard_needs_win_over_soft_circles() {
        let texts = Texts {
            dep: "a.ko:\nb.ko:\nc.ko: a.ko\n",
            softdep: "softdep a pre: b\nsoftdep b pre: c\n",
            ..Texts::default()
        };
        let names = order(&texts, &["a"]);
        let at = |name: &str| names.iter().position(|other| other == name).unwrap();
        assert_eq!(names.len(), 3);
        assert!(at("a") < at("c"), "{names:?}");
    }

    #[test]
    fn hard_circles_end() {
        let texts = Texts { dep: "a.ko: b.ko\nb.ko: a.ko\n", ..Texts::default() };
        assert_eq!(order(&texts, &["a"]).len(), 2);
    }

    #[test]
    fn unlisted_need_is_told() {
        let texts = Texts { dep: "a.ko: gone.ko\n", ..Texts::default() };
        let error = Tables::parse(&texts).unwrap().order(["a"]).unwrap_err();
        let text = "load gone before a: modules.dep does not list it; run depmod";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        let line = |i: u32| format!("m{i}.ko: m{}.ko\n", i + 1);
        let dep: String = (0..50_000).map(line).collect::<String>() + "m50000.ko:\n";
        let texts = Texts { dep: &dep, ..Texts::default() };
        let names = order(&texts, &["m0"]);
        assert_eq!(names.len(), 50_001);
        assert_eq!(names[0], "m50000");
    }

    #[test]
    fn random_tables_never_panic() {
        let mut noise = Noise::new(0x9E37_79B9_7F4A_7C15);
        let mut random = move || noise.draw();
        let words = [
            "a.ko", "b.ko", "c.ko", ":", " ", "\n", "softdep ", "alias ", "a", "b ", "pre:", "post:", "\0", "é", "/",
            "..", "*", "#",
        ];
        for _ in 0..20_000 {
            let mut text = || -> String {
                let count = random() % 24;
                let pick = |_| words[(random() % words.len() as u64) as usize];
                (0..count).map(pick).collect()
            };
            let (dep, builtin, softdep, alias) = (text(), text(), text(), text());
            let texts = Texts { dep: &dep, builtin: &builtin, softdep: &softdep, alias: &alias };
            if let Ok(tables) = Tables::parse(&texts) {
                let _ = tables.order(["a", "b", "c", &alias]);
            }
        }
    }
}
