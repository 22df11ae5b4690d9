//! The flags of `unlock` for dm-verity volumes.

use super::word::{value, wrong};
use crate::error::Result;
use crate::model::volume::entry::is_name;
use crate::model::volume::origin::Origin;
use crate::model::volume::spec::Spec;
use crate::model::volume::verity::{Options, Verity, partitions, root_hash};

/// In place of a name where there is to be no mapping.
const NAMELESS: &str = "verity";

/// What is said so far.
#[derive(Default)]
pub(super) struct Words {
    root_hash: Option<Vec<u8>>,
    hash: Option<Spec>,
    options: Option<Options>,
}

impl Words {
    /// Takes a flag; `None` if it is none of these.
    #[inline(never)]
    pub(super) fn take(&mut self, flag: &str, parser: &mut lexopt::Parser) -> Option<Result<()>> {
        if !matches!(flag, "root-hash" | "hash-device" | "verity-options") {
            return None;
        }
        Some(value(parser).and_then(|text: String| self.set(flag, &text)))
    }

    fn set(&mut self, flag: &str, text: &str) -> Result<()> {
        match flag {
            "root-hash" => {
                let wanted = || wrong(format!("--root-hash {text:?} must be 32 to 128 hexadecimal digits").into());
                self.root_hash = Some(root_hash(text).ok_or_else(wanted)?);
            }
            "hash-device" => self.hash = Some(Spec::argument(text)),
            _ => {
                let (options, problems) = Options::read(text);
                if let Some(problem) = problems.first() {
                    return Err(wrong(format!("--verity-options {problem}").into()));
                }
                self.options = Some(options);
            }
        }
        Ok(())
    }

    /// The volume, on the data device that was `given`; `None` if no root hash was.
    #[inline(never)]
    pub(super) fn finish(self, given: Option<&str>, name: Option<&str>, is_test: bool) -> Result<Option<Verity>> {
        let Some(root_hash) = self.root_hash else {
            let is_said = self.hash.is_some() || self.options.is_some();
            return if is_said { Err(wrong("this needs --root-hash HEX".into())) } else { Ok(None) };
        };
        let (data, hash) = match (given.map(Spec::argument), self.hash) {
            (Some(data), Some(hash)) => (data, hash),
            // Behind the data, where veritysetup's --hash-offset has put the hashes.
            (Some(data), None) => (data.clone(), data),
            (None, None) => partitions(&root_hash)
                .ok_or_else(|| wrong("--root-hash is too short to find partitions by; say --device".into()))?,
            (None, Some(_)) => return Err(wrong("--hash-device DEVICE goes with --device DEVICE".into())),
        };
        let name = match name {
            Some(name) if is_name(name) => name,
            None if is_test => NAMELESS,
            _ => return Err(wrong("--root-hash HEX goes with --name NAME".into())),
        };
        let (options, origins) = (self.options.unwrap_or_default(), vec![Origin::Argument]);
        Ok(Some(Verity { name: name.to_owned(), data, hash, root_hash, options, origins }))
    }
}
