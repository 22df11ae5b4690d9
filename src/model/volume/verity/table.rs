//! `/etc/veritytab`: name, data device, hash device, root hash, options.

use super::super::entry::is_name;
use super::super::origin::{Origin, Warning};
use super::super::spec::Spec;
use super::super::table;
use super::{Options, Verity, root_hash};

/// Where the table lies.
pub const FILE: &str = "/etc/veritytab";

/// Reads the volumes of a table, and what is wrong with it. A broken line costs itself.
pub fn read(text: &str, file: &str) -> (Vec<Verity>, Vec<Warning>) {
    let mut volumes = Vec::new();
    let mut warnings = Vec::new();
    for (origin, fields) in table::lines(text, file) {
        match volume(&fields, &origin, &mut warnings) {
            Ok(volume) => volumes.push(volume),
            Err(reason) => warnings.push(origin.warning(format!("{reason}; the line is passed over"))),
        }
    }
    (volumes, warnings)
}

fn volume(fields: &[String], origin: &Origin, warnings: &mut Vec<Warning>) -> Result<Verity, String> {
    let field = |index: usize| fields.get(index).map(String::as_str).unwrap_or_default();
    let name = field(0);
    if !is_name(name) {
        return Err(format!("\"{}\" is no name for a mapping", name.escape_debug()));
    }
    let device = |index: usize| {
        let text = field(index);
        Spec::parse(text).ok_or_else(|| format!("{}: \"{}\" is no device", name.escape_debug(), text.escape_debug()))
    };
    let (data, hash) = (device(1)?, device(2)?);
    let root_hash = root_hash(field(3))
        .ok_or_else(|| format!("{}: \"{}\" is no root hash", name.escape_debug(), field(3).escape_debug()))?;
    if fields.len() > 5 {
        warnings.push(origin.warning("more than five fields; the rest is passed over"));
    }
    let (options, problems) = Options::read(Some(field(4)).filter(|text| *text != "-").unwrap_or_default());
    warnings.extend(problems.into_iter().map(|problem| origin.warning(problem)));
    Ok(Verity { name: name.to_owned(), data, hash, root_hash, options, origins: vec![origin.clone()] })
}

#[cfg(test)]
mod tests {
    use super::super::Corruption;
    use super::*;

    const HASH: &str = "783847e6b0a6dd2a8c1c0a9c5a27fa9cd5bdd6a2e4bc6b6a7a1e6d0f1c2b3a49";

    #[test]
    fn a_table() {
        let text = format!(
            "# name data hash roothash options\n\
             usr PARTUUID=A /dev/sdb2 {HASH} restart-on-corruption,colour\n\
             bad /dev/sda /dev/sdb {}\n\
             bad /dev/sda\n\
             a/b /dev/sda /dev/sdb {HASH}\n\
             plain UUID=\"x\" UUID=y {HASH} -\n",
            HASH.get(1..).unwrap(),
        );
        let (volumes, warnings) = read(&text, "/v");
        let names: Vec<_> = volumes.iter().map(|volume| volume.name.as_str()).collect();
        assert_eq!(names, ["usr", "plain"]);
        assert_eq!(volumes[0].data.to_string(), "PARTUUID=a");
        assert_eq!(volumes[0].options.corruption, Corruption::Restart);
        assert_eq!(volumes[0].root_hash[..2], [0x78, 0x38]);
        let told: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told[0], "/v:2: colour: unknown option, passed over");
        assert!(told[1].starts_with("/v:3: bad: \"83847"), "{}", told[1]);
        assert_eq!(told[2], "/v:4: bad: \"\" is no device; the line is passed over");
        assert_eq!(told[3], "/v:5: \"a/b\" is no name for a mapping; the line is passed over");
        assert_eq!(told.len(), 4);
    }
}
