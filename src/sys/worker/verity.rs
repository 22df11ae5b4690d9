//! dm-verity volumes: found, tried and activated without asking anybody.

use std::path::{Path, PathBuf};

use super::service::{Answer, Service, is_disk, kernel};
use crate::error::{Error, Exit};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::{Opened, Report};
use crate::model::volume::policy::{Decision, Flags, Reason};
use crate::model::volume::spec::Spec;
use crate::model::volume::target;
use crate::model::volume::task::Task;
use crate::model::volume::verity::{Corruption, Signature, Verity, policy};
use crate::sys::crypt::{Places, Tree};
use crate::sys::{console, dm};

/// Bytes that a signature may have.
const SIGNATURE_MAX: u64 = 1 << 20;

impl Service<'_> {
    /// Activates a volume, or only tries its root hash, its hashes and its data.
    pub(super) fn verify(&self, task: &Task, volume: &Verity) -> Answer {
        if !task.test_passphrase && dm::mapping(&volume.name).is_some() {
            return if is_same(volume) {
                Ok(opened(task, volume, &volume.data.to_string(), true))
            } else {
                Err(Failure::Exists)
            };
        }
        let data = self.find(&volume.data, task)?;
        let hash = self.find_part(&volume.hash, "hash", task)?;
        let fec = volume.options.fec_device.as_ref().map(|spec| self.find_part(spec, "FEC", task)).transpose()?;
        if [Some(&data), Some(&hash), fec.as_ref()].into_iter().flatten().any(|path| !is_disk(path)) {
            return Err(Failure::NoTree);
        }
        let device = data.display().to_string();
        let tree = Tree::load(Places { data, hash, fec }, &volume.options, task.test_passphrase)?;
        tree.test(&volume.root_hash, task.test_passphrase)?;
        if !task.test_passphrase {
            let signature = volume.options.signature.as_ref().map(read).transpose()?;
            let (savings, left_out) = policy::possible(&volume.options, kernel(), dm::target_version("verity"));
            for word in left_out {
                let title = task.title();
                console::print(&format!("{title}: {word} is left out: this kernel lacks it, or is faulty with it"));
            }
            let manner = (volume.options.corruption, savings);
            tree.activate(&volume.name, &volume.root_hash, signature.as_deref(), manner)?;
        }
        Ok(opened(task, volume, &device, false))
    }

    /// The same as [`Service::find`]; one that does not come is told by its name, since it is not the one that is
    /// on the screen.
    fn find_part(&self, spec: &Spec, what: &str, task: &Task) -> Result<PathBuf, Failure> {
        self.find(spec, task).map_err(|failure| match failure {
            Failure::Missing => {
                let text = format!("The {what} device {spec} is not there");
                Failure::Told { exit: Exit::Device, text }
            }
            other => other,
        })
    }
}

/// Whether the mapping of that name checks by the same root hash, and does not let pass what this one is to stop.
fn is_same(volume: &Verity) -> bool {
    let table = dm::table(&volume.name);
    table.is_some_and(|(kind, table)| {
        kind == "verity"
            && target::has_root_hash(&table, &volume.root_hash, volume.options.corruption == Corruption::Ignore)
    })
}

fn opened(task: &Task, volume: &Verity, device: &str, is_old: bool) -> Report {
    let decision = Decision { flags: Flags::default(), reason: Reason::Verity };
    let name = if task.test_passphrase { String::new() } else { volume.name.clone() };
    Report::Opened(Opened { decision, effective: None, name, device: device.to_owned(), is_old })
}

fn read(signature: &Signature) -> Result<Vec<u8>, Failure> {
    match signature {
        Signature::Bytes(bytes) => Ok(bytes.clone()),
        Signature::File(path) => {
            let action = || format!("read signature {path}");
            let bytes = std::fs::metadata(Path::new(path)).and_then(|metadata| {
                // A pipe has no length, and may never end.
                if metadata.len() > SIGNATURE_MAX || !metadata.is_file() { Ok(Vec::new()) } else { std::fs::read(path) }
            });
            let bytes = bytes.map_err(|error| Failure::told(&Error::io(Exit::Parameters, action(), &error)))?;
            let empty = || Failure::told(&Error::new(Exit::Parameters, action(), "no file, empty, or more than 1 MiB"));
            Some(bytes).filter(|bytes| !bytes.is_empty()).ok_or_else(empty)
        }
    }
}
