//! `roothash=`, `usrhash=` and `systemd.verity_*`: systemd-veritysetup-generator(8).

use super::super::origin::Origin;
use super::super::spec::Spec;
use super::super::verity::{Options, Verity, partitions, root_hash};
use super::{CommandLine, Told};

/// What is said so far.
pub(super) struct Words {
    enabled: bool,
    table: bool,
    root: Volume,
    usr: Volume,
}

/// One of the two volumes that have names.
#[derive(Default)]
struct Volume {
    root_hash: Option<Vec<u8>>,
    data: Option<Spec>,
    hash: Option<Spec>,
    options: Options,
}

impl Default for Words {
    fn default() -> Self {
        Self { enabled: true, table: true, root: Volume::default(), usr: Volume::default() }
    }
}

impl Words {
    /// Takes a word whose key is without `rd.`; `false` if it is none of these.
    pub(super) fn take(&mut self, key: &str, value: Option<&str>, told: &mut Told<'_>) -> bool {
        let volume = if key.contains("usr") { &mut self.usr } else { &mut self.root };
        let text = value.unwrap_or_default();
        const NO_DEVICE: &str = "must be a device; passed over";
        match key {
            "systemd.verity" => told.switch(value, &mut self.enabled),
            "veritytab" => told.switch(value, &mut self.table),
            "roothash" | "usrhash" => {
                told.set(root_hash(text), &mut volume.root_hash, "must be a root hash; passed over");
            }
            "systemd.verity_root_options" | "systemd.verity_usr_options" => {
                let (options, problems) = Options::read(text);
                volume.options = options;
                problems.iter().for_each(|problem| told.tell(problem));
            }
            "systemd.verity_root_data" | "systemd.verity_usr_data" => {
                told.set(Spec::parse(text), &mut volume.data, NO_DEVICE);
            }
            "systemd.verity_root_hash" | "systemd.verity_usr_hash" => {
                told.set(Spec::parse(text), &mut volume.hash, NO_DEVICE);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn finish(self, line: &mut CommandLine) {
        line.without_veritytab = !self.enabled || !self.table;
        if !self.enabled {
            return;
        }
        for (volume, name, key) in [(self.root, "root", "roothash"), (self.usr, "usr", "usrhash")] {
            let mut told = Told { key, warnings: &mut line.warnings };
            let Some(root_hash) = volume.root_hash else {
                if volume.data.is_some() || volume.hash.is_some() {
                    told.tell("is missing: the volume's devices are known and not its hash");
                }
                continue;
            };
            let (data, hash) = partitions(&root_hash).unzip();
            let (Some(data), Some(hash)) = (volume.data.or(data), volume.hash.or(hash)) else {
                told.tell("is too short to find partitions by: name both devices");
                continue;
            };
            let (name, origins) = (name.to_owned(), vec![Origin::CommandLine(key.to_owned())]);
            line.verity.push(Verity { name, data, hash, root_hash, options: volume.options, origins });
        }
    }
}
