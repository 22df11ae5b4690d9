//! Precedence, sameness, selection, names.

use super::super::key::Key;
use super::super::{cmdline, crypttab};
use super::*;
use crate::model::boot::cmdline::words;
use crate::model::noise::Noise;

const A: &str = "3f1a0000-1111-2222-3333-444455556666";
const B: &str = "b0b00000-1111-2222-3333-444455556666";

fn table(text: &str) -> Vec<Entry> {
    crypttab::read(text, "/t").0
}

fn sources(line: &str, tables: &str) -> Sources {
    let command_line = cmdline::read(&words(line), true);
    Sources { command_line, tables: table(tables), ..Sources::default() }
}

fn entry(device: &str, name: &str, options: &str, origin: Origin) -> Entry {
    let mut entry = Entry::new(Spec::parse(device).unwrap(), origin);
    entry.name = Some(name.into()).filter(|name: &String| !name.is_empty());
    entry.options = Options::read(options).0;
    entry
}

fn blind(_: &Spec, _: &Spec) -> Option<bool> {
    None
}

fn merged(sources: &Sources) -> (Vec<Entry>, Vec<String>) {
    let (entries, warnings) = merge(sources, blind);
    (entries, warnings.iter().map(ToString::to_string).collect())
}

fn names(entries: &[Entry]) -> Vec<String> {
    entries.iter().filter_map(|entry| entry.name(None)).collect()
}

#[test]
fn every_place_fills_what_the_higher_left_open() {
    let mut sources = sources(&format!("rd.luks.name={A}=line"), &format!("table UUID={A} /k tries=1,discard,nofail"));
    sources.arguments = Said {
        entries: vec![entry(&format!("UUID={A}"), "", "tries=9", Origin::Argument)],
        options: Options::read("timeout=5").0,
    };
    sources.config = Said {
        entries: vec![entry(&format!("UUID={A}"), "config", "discard=no,keyslot=1", Origin::Config)],
        options: Options::read("timeout=7,high-priority").0,
    };
    let (entries, told) = merged(&sources);
    assert_eq!(names(&entries), ["line"]);
    let expected = "tries=9,discard=no,keyslot=1,nofail,timeout=5,high-priority";
    assert_eq!(entries[0].options, Options::read(expected).0);
    assert_eq!(entries[0].key, crate::model::volume::key::Key::parse("/k"));
    assert_eq!(entries[0].origins.len(), 4);
    let renamed = |place: &str, other: &str| format!("{place}: UUID={A} is opened as line, not as {other}");
    assert_eq!(told, [renamed("config", "config"), renamed("/t:1", "table")]);
}

#[test]
fn options_of_the_line_replace_those_of_a_table() {
    let tables = format!("root UUID={A} none discard,tries=1\nroot UUID={A} none readonly");
    let (entries, told) = merged(&sources(&format!("rd.luks.options={A}=nofail"), &tables));
    assert_eq!((names(&entries), told.len()), (vec!["root".to_owned()], 0));
    assert_eq!(entries[0].options, Options::read("nofail").0);
    // Of two tables the first.
    let (entries, _) = merged(&sources("", &tables));
    assert_eq!(entries[0].options, Options::read("discard,tries=1").0);
    // What holds for all fills nevertheless.
    let (entries, _) =
        merged(&sources("rd.luks.allow-discards rd.luks.timeout=9", &format!("root UUID={A} none tries=1")));
    assert_eq!(entries[0].options, Options::read("tries=1,discard,timeout=9").0);
}

#[test]
fn a_selection_leaves_the_others_out() {
    let tables = format!("root UUID={A}\ndata UUID={B}\nlater UUID=cd none noauto");
    let (entries, told) = merged(&sources(&format!("rd.luks.uuid={B}"), &tables));
    assert_eq!(names(&entries), ["data"]);
    assert_eq!(told, ["/t:1: root: not among the volumes of the kernel command line; left out"]);
    let (entries, told) = merged(&sources("", &tables));
    assert_eq!((names(&entries), told.len()), (vec!["root".to_owned(), "data".to_owned()], 0));
    let (entries, _) = merged(&sources("rd.luks.crypttab=0", &tables));
    assert_eq!(entries, []);
    // What is not opened by itself is, if somebody names it.
    let mut sources = sources("", &tables);
    sources.arguments.entries = vec![entry("UUID=cd", "", "", Origin::Argument)];
    let (entries, told) = merged(&sources);
    assert_eq!((names(&entries), told.len()), (vec!["later".to_owned()], 0));
}

#[test]
fn a_name_made_of_the_uuid_is_that_volume() {
    let tables = format!("luks-{A} /dev/sda2 /k readonly");
    let (entries, told) = merged(&sources(&format!("rd.luks.uuid={A}"), &tables));
    assert_eq!((names(&entries), told.len()), (vec![format!("luks-{A}")], 0));
    assert_eq!((entries[0].key.clone(), entries[0].options.readonly), (Key::parse("/k"), Some(true)));
    // It is known to be another one.
    let (entries, warnings) = merge(&sources(&format!("rd.luks.uuid={A}"), &tables), |_, _| Some(false));
    assert_eq!((entries[0].key.clone(), warnings.len()), (None, 1));
}

#[test]
fn what_is_made_anew_at_each_boot_is_left_to_the_system() {
    let tables =
        format!("swap UUID={A} /key swap,plain\ntmp /dev/b /key tmp=ext4\nresume UUID={B} none luks,swap,initramfs");
    let (entries, told) = merged(&sources("", &tables));
    assert_eq!((names(&entries), told.len()), (vec!["resume".to_owned()], 0));
    let mut sources = sources("", &tables);
    sources.arguments.entries = vec![entry("/dev/b", "", "", Origin::Argument)];
    assert_eq!(names(&merged(&sources).0), ["tmp"]);
}

#[test]
fn arguments_that_name_volumes_name_all() {
    let mut sources = sources("cryptdevice=/dev/b:b", "root /dev/a none discard\nc /dev/c");
    sources.config.entries = vec![entry("/dev/d", "d", "", Origin::Config)];
    assert_eq!(names(&merged(&sources).0), ["b", "d", "root", "c"]);
    sources.arguments.entries = vec![entry("/dev/a", "", "", Origin::Argument)];
    let (entries, _) = merged(&sources);
    assert_eq!(names(&entries), ["root"]);
    assert_eq!(entries[0].options.discards, Some(true));
}

#[test]
fn one_device_by_two_names() {
    let sources = sources("cryptdevice=PARTUUID=ab:root", "root /dev/sda2 none discard\nother /dev/sdb");
    // Nobody knows: the name says so.
    let (entries, told) = merged(&sources);
    assert_eq!((names(&entries), told.len()), (vec!["root".to_owned(), "other".to_owned()], 0));
    assert_eq!(entries[0].options.discards, Some(true));
    // It is known to be another one.
    let (entries, warnings) = merge(&sources, |_, _| Some(false));
    assert_eq!((names(&entries), entries[0].options.discards), (vec!["root".to_owned(), "other".to_owned()], None));
    assert_eq!(warnings[0].to_string(), "/t:1: root: the name is taken by PARTUUID=ab; left out");
    // It is known to be `other`, too.
    let same = |one: &Spec, two: &Spec| Some([one, two].iter().any(|spec| spec.to_string() == "/dev/sdb"));
    let (entries, warnings) = merge(&sources, same);
    assert_eq!(names(&entries), ["root"]);
    assert_eq!(warnings[1].to_string(), "/t:2: /dev/sdb is opened as root, not as other");
}

#[test]
fn a_header_elsewhere_is_the_volume() {
    let text = format!("rd.luks.uuid={A} rd.luks.data={A}=/dev/sdb");
    let (entries, told) = merged(&sources(&text, &format!("data UUID={A} none discard\nx UUID={B}")));
    assert_eq!((names(&entries), told.len()), (vec!["data".to_owned()], 1));
    assert_eq!((entries[0].device.to_string(), entries[0].options.discards), ("/dev/sdb".into(), Some(true)));
    // Named for a table's volume alone.
    let (entries, _) = merged(&sources(&format!("rd.luks.data={A}=/dev/sdb"), &format!("data UUID={A} none discard")));
    assert_eq!((entries.len(), entries[0].device.to_string()), (1, "/dev/sdb".into()));
    let mut sources = sources(&text, "");
    sources.arguments.entries = vec![entry(&format!("UUID={A}"), "x", "", Origin::Argument)];
    assert_eq!(merged(&sources).0[0].device.to_string(), "/dev/sdb");
    // A beginning is the whole.
    let (entries, _) = merged(&super::tests::sources("rd.luks.uuid=3f1a", &format!("data UUID={A} none discard")));
    assert_eq!((names(&entries), entries.len()), (vec!["data".to_owned()], 1));
}

#[test]
fn any_two_places_agree_on_one_name_each() {
    let mut noise = Noise::new(4_768_777_513_237_032_717);
    let mut random = move || noise.draw() as usize;
    let devices = [format!("UUID={A}"), format!("UUID={B}"), "/dev/a".into(), "PARTUUID=1".into(), "LABEL=x".into()];
    for _ in 0..5_000 {
        let mut text = String::new();
        for _ in 0..random() % 5 {
            text.push_str(&format!("n{} {} none discard\n", random() % 3, devices[random() % devices.len()]));
        }
        let line = ["", "cryptdevice=/dev/a:n0", "rd.luks.uuid=3f1a", "rd.luks.options=3f1a=nofail"][random() % 4];
        let verdict = [None, Some(true), Some(false)][random() % 3];
        let (entries, _) = merge(&sources(line, &text), |_, _| verdict);
        let mut seen = names(&entries);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), names(&entries).len(), "{line} {text}");
        for (at, one) in entries.iter().enumerate() {
            assert!(entries.iter().skip(at + 1).all(|two| one.device.same(&two.device) != Some(true)), "{line} {text}");
        }
    }
}
