//! One list of volumes from everything that speaks of them.
//!
//! Precedence: arguments, kernel command line, config, `crypttab.initramfs`, `crypttab`. The same
//! device named twice is one volume. What the higher place says about it stands, what it leaves
//! open is filled from below; only the options of one table line, or of `rd.luks.options=`, are a
//! whole and stand instead of a lower line's, as with systemd.

use super::cmdline::CommandLine;
use super::entry::Entry;
use super::option::Options;
use super::origin::{Origin, Warning};
use super::spec::Spec;

/// Volumes of one place, and what it says about all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The volumes.
    pub entries: Vec<Entry>,
    /// What holds for every volume.
    pub options: Options,
}

/// Everything that speaks of volumes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The program's arguments. If they name volumes, these are all: the other places only tell more of them.
    pub arguments: Said,
    /// The kernel command line.
    pub command_line: CommandLine,
    /// The config file.
    pub config: Said,
    /// The lines of `crypttab.initramfs` and of `crypttab`, in this order.
    pub tables: Vec<Entry>,
}

/// The volumes to open, in the order in which they are to be asked for, and what was left out.
///
/// `same` tells of two devices that are named differently whether they are one, where somebody has
/// looked at them; `None` where nobody knows. Volumes of one name are then taken for one, because
/// there can be but one mapping of a name.
pub fn merge(sources: &Sources, same: impl Fn(&Spec, &Spec) -> Option<bool>) -> (Vec<Entry>, Vec<Warning>) {
    let line = &sources.command_line;
    let mut list = List { entries: Vec::new(), warnings: line.warnings.clone(), same };
    let is_closed = !sources.arguments.entries.is_empty();
    for entry in &sources.arguments.entries {
        list.add(entry, true);
    }
    for entry in &line.entries {
        list.add(entry, !is_closed);
    }
    for entry in &line.details {
        list.add(entry, false);
    }
    for entry in &sources.config.entries {
        list.add(entry, !is_closed);
    }
    let tables = if line.without_crypttab { &[] } else { sources.tables.as_slice() };
    for entry in tables {
        let details = line.details.iter().filter(|detail| list.are_one(detail, entry));
        let mut told = details.cloned().reduce(|mut high, low| {
            high.fill(&low);
            high
        });
        let entry = match &mut told {
            Some(told) => {
                // Unless it says where the data lies, the table's way to name the device is the fuller one.
                if told.uuid.is_none() {
                    told.device.clone_from(&entry.device);
                }
                told.fill(entry);
                told
            }
            None => entry,
        };
        // What is made anew at each boot is none of those that a boot waits for.
        let is_later = entry.options.noauto || (entry.options.remade && !entry.options.initramfs);
        let is_left_out = is_closed || line.is_selection || is_later;
        if !list.add(entry, !is_left_out) && line.is_selection && !is_closed && !is_later {
            let reason = "not among the volumes of the kernel command line; left out";
            list.warn(entry, reason);
        }
    }
    list.finish(sources)
}

/// The volumes so far.
struct List<F> {
    entries: Vec<Entry>,
    warnings: Vec<Warning>,
    same: F,
}

impl<F: Fn(&Spec, &Spec) -> Option<bool>> List<F> {
    /// Adds to the volume that this one is, or, if `is_new` may be, as a new one. Whether it found a place.
    fn add(&mut self, entry: &Entry, is_new: bool) -> bool {
        if let Some(at) = self.entries.iter().position(|known| self.are_one(known, entry)) {
            let Some(known) = self.entries.get_mut(at) else { return false };
            if let (Some(mine), Some(other)) = (&known.name, &entry.name)
                && mine != other
            {
                let text = format!("{} is opened as {mine}, not as {other}", entry.device);
                self.warnings.extend(entry.origins.first().map(|origin| origin.warning(text)));
            }
            known.fill(entry);
            return true;
        }
        if !is_new {
            return false;
        }
        let name = entry.name(None);
        if let Some(taken) = self.entries.iter().find(|known| name.is_some() && known.name(None) == name) {
            let taken = taken.device.to_string();
            self.warn(entry, &format!("the name is taken by {taken}; left out"));
            return true;
        }
        self.entries.push(entry.clone());
        true
    }

    /// Whether both speak of one volume: by device, by header, or, where that is not known, by name.
    fn are_one(&self, one: &Entry, two: &Entry) -> bool {
        let by_header = match (&one.uuid, &two.uuid) {
            (Some(one), Some(two)) => Some(one == two),
            (Some(uuid), None) => Spec::Uuid(uuid.clone()).same(&two.device).filter(|same| *same),
            (None, Some(uuid)) => Spec::Uuid(uuid.clone()).same(&one.device).filter(|same| *same),
            (None, None) => None,
        };
        let by_device = || one.device.same(&two.device).or_else(|| (self.same)(&one.device, &two.device));
        by_header.or_else(by_device).unwrap_or_else(|| {
            // Also `luks-UUID`, by which systemd knows a line of a table.
            let name = one.name(None);
            name.is_some() && name == two.name(None)
        })
    }

    fn warn(&mut self, entry: &Entry, text: &str) {
        let name = entry.name.clone().unwrap_or_else(|| entry.device.to_string());
        let origin = entry.origins.first().unwrap_or(&Origin::Argument);
        self.warnings.push(origin.warning(format!("{}: {text}", name.escape_debug())));
    }

    /// Lays what holds for all volumes over and under each of them.
    fn finish(mut self, sources: &Sources) -> (Vec<Entry>, Vec<Warning>) {
        for entry in &mut self.entries {
            let said = core::mem::take(&mut entry.options);
            entry.options.clone_from(&sources.arguments.options);
            entry.options.fill(&said);
            entry.options.fill(&sources.command_line.options);
            entry.options.fill(&sources.config.options);
        }
        (self.entries, self.warnings)
    }
}

#[cfg(test)]
mod tests;
