//! Volumes on the kernel command line, in the words of systemd, dracut, Arch, Alpine and Debian.

mod distribution;
mod luks;
mod verity;

use super::entry::Entry;
use super::option::Options;
use super::origin::{Origin, Warning};
use super::verity::Verity;
use crate::model::boot::cmdline::Word;

/// What the command line says about volumes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// Volumes to open.
    pub entries: Vec<Entry>,
    /// Words about volumes that something else must name (`rd.luks.options=UUID=…` alone opens nothing).
    pub details: Vec<Entry>,
    /// What holds for every volume (`rd.luks.timeout=`, `rd.luks.allow-discards`).
    pub options: Options,
    /// The tables are not to be read: `rd.luks=0`, `rd.luks.crypttab=0`, `cryptopts=`.
    pub without_crypttab: bool,
    /// Volumes are named by `rd.luks.uuid=` or `rd.luks.name=`: of the tables only these count.
    pub is_selection: bool,
    /// dm-verity volumes to activate.
    pub verity: Vec<Verity>,
    /// `/etc/veritytab` is not to be read.
    pub without_veritytab: bool,
    /// What was passed over.
    pub warnings: Vec<Warning>,
}

/// Reads the words. Those that begin with `rd.` count only in an initramfs.
pub fn read(words: &[Word<'_>], in_initramfs: bool) -> CommandLine {
    let mut line = CommandLine::default();
    let mut luks = luks::Luks::default();
    let mut distribution = distribution::Distribution::default();
    let mut verity = verity::Words::default();
    for word in words {
        let key = match word.key.strip_prefix("rd.") {
            Some(_) if !in_initramfs => continue,
            Some(key) => key,
            None => word.key,
        };
        let mut told = Told { key: word.key, warnings: &mut line.warnings };
        let _ = luks.take(key, word.value, &mut told)
            || distribution.take(word.key, word.value, &mut told)
            || verity.take(key, word.value, &mut told);
    }
    luks.finish(&mut line);
    distribution.finish(&mut line);
    verity.finish(&mut line);
    line
}

/// Takes down what is wrong with a word.
struct Told<'a> {
    key: &'a str,
    warnings: &'a mut Vec<Warning>,
}

impl Told<'_> {
    /// Never inlined: there are many things to tell.
    #[inline(never)]
    fn tell(&mut self, text: &str) {
        self.warnings.push(Origin::CommandLine(self.key.to_owned()).warning(text));
    }

    fn options(&mut self, text: &str) -> Options {
        let (options, problems) = Options::read(text);
        problems.iter().for_each(|problem| self.tell(problem));
        options
    }

    /// Sets what fits, and tells what would have.
    fn set<T>(&mut self, parsed: Option<T>, target: &mut Option<T>, wanted: &str) {
        match parsed {
            Some(_) => *target = parsed,
            None => self.tell(wanted),
        }
    }

    /// A switch without a value is on.
    fn switch(&mut self, value: Option<&str>, target: &mut bool) {
        match value.map_or(Some(true), super::amount::switch) {
            Some(on) => *target = on,
            None => self.tell("must be yes or no; passed over"),
        }
    }
}

#[cfg(test)]
mod tests;
