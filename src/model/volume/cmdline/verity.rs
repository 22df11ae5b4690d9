//! `roothash=`, `usrhash=` and `systemd.verity_*`: systemd-veritysetup-generator(8).

use super::super::origin::Origin;
use super::super::spec::Spec;
use super::super::verity::{Options, Verity, partitions, root_hash};
use super::{CommandLine, Taken, problem, switch};

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
    /// Takes a word whose key is without `rd.`.
    pub(super) fn take(&mut self, key: &str, value: Option<&str>) -> Taken {
        let volume = if key.contains("usr") { &mut self.usr } else { &mut self.root };
        match key {
            "systemd.verity" => return switch(value, &mut self.enabled),
            "veritytab" => return switch(value, &mut self.table),
            "roothash" | "usrhash" => {
                let Some(hash) = value.and_then(root_hash) else { return problem("must be a root hash; passed over") };
                volume.root_hash = Some(hash);
            }
            "systemd.verity_root_options" | "systemd.verity_usr_options" => {
                let (options, problems) = Options::read(value.unwrap_or_default());
                volume.options = options;
                return Some(problems);
            }
            "systemd.verity_root_data" | "systemd.verity_usr_data" => match value.and_then(Spec::parse) {
                Some(device) => volume.data = Some(device),
                None => return problem("must be a device; passed over"),
            },
            "systemd.verity_root_hash" | "systemd.verity_usr_hash" => match value.and_then(Spec::parse) {
                Some(device) => volume.hash = Some(device),
                None => return problem("must be a device; passed over"),
            },
            _ => return None,
        }
        Some(Vec::new())
    }

    pub(super) fn finish(self, line: &mut CommandLine) {
        line.without_veritytab = !self.enabled || !self.table;
        if !self.enabled {
            return;
        }
        for (volume, name, key) in [(self.root, "root", "roothash"), (self.usr, "usr", "usrhash")] {
            let origin = Origin::CommandLine(key.to_owned());
            let Some(root_hash) = volume.root_hash else {
                if volume.data.is_some() || volume.hash.is_some() {
                    line.warnings.push(origin.warning("is missing: the volume's devices are known and not its hash"));
                }
                continue;
            };
            let (data, hash) = match partitions(&root_hash) {
                Some((data, hash)) => (volume.data.or(Some(data)), volume.hash.or(Some(hash))),
                None => (volume.data, volume.hash),
            };
            let (Some(data), Some(hash)) = (data, hash) else {
                line.warnings.push(origin.warning("is too short to find partitions by: name both devices"));
                continue;
            };
            let name = name.to_owned();
            line.verity.push(Verity { name, data, hash, root_hash, options: volume.options, origins: vec![origin] });
        }
    }
}
