//! Volumes on the kernel command line, in the words of systemd, dracut, Arch, Alpine and Debian.

mod luks;
mod place;
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
    /// The tables are not to be read: `rd.luks=0`, `rd.luks.crypttab=0`.
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
    let mut place = place::Place::default();
    let mut verity = verity::Words::default();
    for word in words {
        let key = match word.key.strip_prefix("rd.") {
            Some(_) if !in_initramfs => continue,
            Some(key) => key,
            None => word.key,
        };
        let problems = luks.take(key, word.value).or_else(|| place.take(word.key, word.value));
        let problems = problems.or_else(|| verity.take(key, word.value)).unwrap_or_default();
        let origin = Origin::CommandLine(word.key.to_owned());
        line.warnings.extend(problems.into_iter().map(|problem| origin.warning(problem)));
    }
    luks.finish(&mut line);
    place.finish(&mut line);
    verity.finish(&mut line);
    line
}

/// A word's problems; `None` if the word is not one of those at hand.
type Taken = Option<Vec<String>>;

/// A switch without a value is on.
fn switch(value: Option<&str>, target: &mut bool) -> Taken {
    match value.map_or(Some(true), super::amount::switch) {
        Some(on) => {
            *target = on;
            Some(Vec::new())
        }
        None => problem("must be yes or no; passed over"),
    }
}

fn problem(text: impl Into<String>) -> Taken {
    Some(vec![text.into()])
}

#[cfg(test)]
mod tests;
