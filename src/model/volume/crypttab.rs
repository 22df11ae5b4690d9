//! `/etc/crypttab` and `/etc/crypttab.initramfs`: name, device, key, options.
//!
//! Source: crypttab(5) of Debian and of systemd. A broken line costs itself and not the file.

use super::entry::{Entry, is_name};
use super::key::Key;
use super::option::Options;
use super::origin::{Origin, Warning};
use super::spec::Spec;
use super::table;

/// The table of a running system, and of most initramfs.
pub const FILE: &str = "/etc/crypttab";

/// Arch's table for the initramfs, where it is not renamed.
pub const INITRAMFS_FILE: &str = "/etc/crypttab.initramfs";

/// Reads the volumes of a table, and what is wrong with it. `file` is its path, for the warnings.
pub fn read(text: &str, file: &str) -> (Vec<Entry>, Vec<Warning>) {
    let mut entries = Vec::new();
    let mut warnings = Vec::new();
    for (origin, fields) in table::lines(text, file) {
        match entry(&fields, &origin, &mut warnings) {
            Ok(entry) => entries.push(entry),
            Err(reason) => warnings.push(origin.warning(format!("{reason}; the line is passed over"))),
        }
    }
    (entries, warnings)
}

fn entry(fields: &[String], origin: &Origin, warnings: &mut Vec<Warning>) -> Result<Entry, String> {
    let field = |index: usize| fields.get(index).map(String::as_str);
    let name = field(0).unwrap_or_default();
    if !is_name(name) {
        return Err(format!("\"{}\" is no name for a mapping", name.escape_debug()));
    }
    let device = field(1).ok_or_else(|| format!("{}: no device", name.escape_debug()))?;
    let device = Spec::parse(device)
        .ok_or_else(|| format!("{}: \"{}\" is no device", name.escape_debug(), device.escape_debug()))?;
    if fields.len() > 4 {
        warnings.push(origin.warning("more than four fields; the rest is passed over"));
    }
    let (options, problems) = Options::read(field(3).filter(|text| *text != "-").unwrap_or_default());
    warnings.extend(problems.into_iter().map(|problem| origin.warning(problem)));
    let text = field(2).unwrap_or_default();
    let key = match Key::parse(text) {
        // It is the program's word then.
        _ if options.has_key_script => Key::Ask,
        Some(Key::Random) => {
            return Err(format!("{}: a random key each time leaves nothing to unlock", name.escape_debug()));
        }
        Some(key) => key,
        None => {
            let text = text.escape_debug();
            warnings.push(origin.warning(format!("\"{text}\" is no key file; the passphrase is asked for")));
            Key::Ask
        }
    };
    let mut entry = Entry::new(device, origin.clone());
    (entry.name, entry.key, entry.options, entry.is_whole) = (Some(name.to_owned()), Some(key), options, true);
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::super::key::{Header, Place};
    use super::super::option::Format;
    use super::super::policy::Choice;
    use super::*;
    use crate::model::noise::Noise;

    fn told(warnings: &[Warning]) -> Vec<String> {
        warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_table_of_both_kinds() {
        let text = "# <target> <source> <key> <options>\n\
                    sda3_crypt UUID=3F1A none luks,discard,initramfs\n\
                    data\t/dev/disk/by-partlabel/data  /etc/keys/data:LABEL=KEYS  no-read-workqueue,tries=5\n\
                    \n\
                    two UUID=\"AB\"\n\
                    three PARTUUID=0A-01 -\n\
                    my\\040disk LABEL=a\\040b - -\n\
                    vera /dev/sdb none tcrypt-veracrypt,veracrypt-pim=9,nofail\n";
        let (entries, warnings) = read(text, FILE);
        assert_eq!(told(&warnings), [""; 0]);
        let names: Vec<_> = entries.iter().map(|entry| entry.name.as_deref().unwrap()).collect();
        assert_eq!(names, ["sda3_crypt", "data", "two", "three", "my disk", "vera"]);
        let devices: Vec<_> = entries.iter().map(|entry| entry.device.to_string()).collect();
        let expected = ["UUID=3f1a", "PARTLABEL=data", "UUID=ab", "PARTUUID=0a-01", "LABEL=a b", "/dev/sdb"];
        assert_eq!(devices, expected);
        let place = Place { path: "/etc/keys/data".into(), device: Spec::parse("LABEL=KEYS"), filesystem: None };
        assert_eq!(entries[1].key, Some(Key::File(place)));
        assert_eq!(entries[1].options.wish.read, Choice::On);
        assert_eq!(entries[3].key, Some(Key::Ask));
        assert_eq!(entries[5].options.format, Some(Format::Tcrypt));
        assert_eq!(entries[5].origins, [Origin::Line { file: FILE.into(), line: 8 }]);
    }

    #[test]
    fn an_escaped_comma_parts_no_options() {
        let (entries, warnings) = read("a\\054b /dev/x\\054y /k\\054 tries=2,header=/h\\054i\\,j,discard", "/t");
        assert_eq!(told(&warnings), [""; 0]);
        let entry = &entries[0];
        assert_eq!((entry.name.as_deref(), entry.device.to_string().as_str()), (Some("a,b"), "/dev/x,y"));
        assert_eq!((entry.key.clone(), entry.options.discards), (Key::parse("/k,"), Some(true)));
        assert_eq!(entry.options.header, Header::parse("/h,i,j"));
    }

    #[test]
    fn a_broken_line_costs_itself() {
        let text = "good UUID=1 none luks\n\
                    lonely\n\
                    a/b UUID=2\n\
                    odd sda2 none\n\
                    swap /dev/sda5 /dev/urandom swap,cipher=aes-xts-plain64\n\
                    script UUID=3 some:thing keyscript=/lib/x,colour=red\n\
                    relative UUID=4 key luks\n\
                    long UUID=5 none luks more\n\
                    last UUID=6";
        let (entries, warnings) = read(text, "/t");
        let names: Vec<_> = entries.iter().map(|entry| entry.name.as_deref().unwrap()).collect();
        assert_eq!(names, ["good", "script", "relative", "long", "last"]);
        assert_eq!(
            told(&warnings),
            [
                "/t:2: lonely: no device; the line is passed over",
                "/t:3: \"a/b\" is no name for a mapping; the line is passed over",
                "/t:4: odd: \"sda2\" is no device; the line is passed over",
                "/t:5: swap: a random key each time leaves nothing to unlock; the line is passed over",
                "/t:6: keyscript: no program is started for a key; the passphrase is asked for",
                "/t:6: colour: unknown option, passed over",
                "/t:7: \"key\" is no key file; the passphrase is asked for",
                "/t:8: more than four fields; the rest is passed over",
            ]
        );
        assert_eq!(entries[1].key, Some(Key::Ask));
    }

    #[test]
    fn noise_never_panics_and_lines_stand_alone() {
        let mut noise = Noise::new(1_181_783_497_276_652_981);
        let mut random = move || noise.draw() as usize;
        let pieces = [
            "name", " ", "\t", "UUID=", "/dev/sda", "\"", "\\040", "none", ",", "luks", "#", "\r", "=", "é", "\0", ":",
        ];
        for _ in 0..20_000 {
            let line: String = (0..random() % 14).map(|_| pieces[random() % pieces.len()]).collect();
            let (alone, _) = read(&line, "/t");
            assert!(alone.len() <= 1);
            let (entries, _) = read(&format!("{line}\ngood UUID=1 none luks"), "/t");
            assert_eq!(entries.last().and_then(|entry| entry.name.as_deref()), Some("good"), "{line:?}");
        }
    }
}
