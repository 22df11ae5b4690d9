//! The words of each kind, switches, what does not fit, and noise.

use super::super::key::{Header, Key, Place};
use super::super::option::Format;
use super::super::policy::Choice;
use super::super::spec::Spec;
use super::super::verity::Corruption;
use super::*;
use crate::model::boot::cmdline::words;
use crate::model::noise::Noise;

const A: &str = "3f1a0000-1111-2222-3333-444455556666";
const B: &str = "b0b00000-1111-2222-3333-444455556666";
const HASH: &str = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef";

fn line(text: &str) -> CommandLine {
    read(&words(text), true)
}

/// Without problems.
fn good(text: &str) -> CommandLine {
    let line = line(text);
    assert_eq!(line.warnings, [], "{text}");
    line
}

fn told(text: &str) -> Vec<String> {
    line(text).warnings.iter().map(ToString::to_string).collect()
}

/// Device, and the name it gets.
fn opened(line: &CommandLine) -> Vec<(String, Option<String>)> {
    line.entries.iter().map(|entry| (entry.device.to_string(), entry.name(None))).collect()
}

fn one(device: &str, name: &str) -> Vec<(String, Option<String>)> {
    vec![(device.to_owned(), Some(name.to_owned()))]
}

fn on(path: &str, device: &str) -> Option<Key> {
    Some(Key::File(Place { path: path.into(), device: Spec::parse(device), filesystem: None }))
}

#[test]
fn volumes_by_uuid() {
    let by_uuid = format!("UUID={A}");
    for text in [format!("rd.luks.uuid={A}"), format!("luks.uuid=luks-{}", A.to_uppercase())] {
        let line = good(&text);
        assert_eq!(opened(&line), one(&by_uuid, &format!("luks-{A}")), "{text}");
        assert!(line.is_selection && !line.without_crypttab);
    }
    let line = good(&format!("rd.luks.name={A}=root rd.luks.uuid={A}"));
    assert_eq!(opened(&line), one(&by_uuid, "root"));
    // A beginning has no name before its device is found.
    let line = good("rd.luks.uuid=luks-3f1a");
    assert_eq!(line.entries[0].device, Spec::LuksUuid("3f1a".into()));
    assert_eq!(line.entries[0].name(None), None);
    assert_eq!(line.entries[0].name(Some(A)), Some(format!("luks-{A}")));
    assert_eq!(good(&format!("rd.luks.uuid=keysource:{A}")).entries.len(), 1);
    let line = good("rd.luks.partuuid=AB-01");
    assert_eq!(line.entries[0].device, Spec::PartUuid("ab-01".into()));
    // dracut names a partition's volume by the partition's UUID, too.
    let line =
        good("rd.luks.partuuid=AB-01 rd.luks.name=ab-01=data rd.luks.partuuid=keysource:cd rd.luks.options=cd=discard");
    assert_eq!(opened(&line), [one("PARTUUID=ab-01", "data"), one("PARTUUID=cd", "luks-cd")].concat());
    assert_eq!((line.details.len(), line.entries[1].options.discards), (0, Some(true)));
    // Options alone open nothing.
    let line = good(&format!("rd.luks.options={A}=discard"));
    assert_eq!((line.entries.len(), line.details.len(), line.is_selection), (0, 1, false));
}

#[test]
fn options_and_keys_of_one_and_of_all() {
    let line = good(&format!(
        "rd.luks.uuid={A} rd.luks.name={B}=data rd.luks.options=tries=7,discard rd.luks.options={B}=readonly,key-slot=2 \
         rd.luks.key=/all:LABEL=KEYS rd.luks.key={B}=/own rd.luks.timeout=90 rd.luks.key.tout=5"
    ));
    let [a, b] = line.entries.as_slice() else { panic!("two volumes") };
    assert_eq!((a.options.tries, a.options.discards, a.is_whole), (Some(7), Some(true), true));
    assert_eq!((b.options.tries, b.options.discards), (None, None));
    assert_eq!((b.options.readonly, b.options.keyslot), (Some(true), Some(2)));
    assert_eq!(a.key, on("/all", "LABEL=KEYS"));
    assert_eq!(b.key, Some(Key::File(Place::file("/own"))));
    assert_eq!((line.options.timeout_s, line.options.key_timeout_s), (Some(90), Some(5)));
}

#[test]
fn key_of_dracut() {
    let cases = [
        (format!("/k:UUID=ab:UUID={A}"), on("/k", "UUID=ab")),
        (format!("/k:/dev/sdb1:luks-{A}"), on("/k", "/dev/sdb1")),
        ("/k:LABEL=x:3f1a".to_owned(), on("/k", "LABEL=x")),
        ("/k:LABEL=x".to_owned(), on("/k", "LABEL=x")),
        ("/k".to_owned(), Some(Key::File(Place::file("/k")))),
    ];
    for (value, key) in cases {
        let line = good(&format!("rd.luks.uuid={A} rd.luks.key={value}"));
        assert_eq!(line.entries.len(), 1, "{value}");
        assert_eq!(line.entries[0].key, key, "{value}");
    }
    let line = good(&format!("rd.luks.uuid={A} rd.luks.key=/k:LABEL=x:UUID={B}"));
    assert_eq!((line.entries[0].key.clone(), line.details.len()), (None, 1));
}

#[test]
fn headers_elsewhere() {
    let line = good(&format!(
        "rd.luks.data={A}=/dev/sdb rd.luks.uuid={A} rd.luks.options={A}=header=/h:LABEL=boot rd.luks.allow-discards={A}"
    ));
    let entry = &line.entries[0];
    assert_eq!((entry.device.to_string().as_str(), entry.uuid.as_deref()), ("/dev/sdb", Some(A)));
    assert_eq!(entry.name(None), Some(format!("luks-{A}")));
    assert_eq!(entry.options.discards, Some(true));
    let line = good(&format!("rd.luks.header={A}=/dev/sdc rd.luks.options={A}=discard rd.luks.uuid={A}"));
    assert_eq!(line.entries[0].options.header, Spec::parse("/dev/sdc").map(Header::Device));
    assert_eq!(good("rd.luks.allow-discards").options.discards, Some(true));
}

#[test]
fn switches() {
    let off = good(&format!("rd.luks=0 rd.luks.uuid={A} cryptdevice=/dev/a:b"));
    assert!(off.without_crypttab && !off.is_selection);
    // Arch's words are none of systemd's.
    assert_eq!(opened(&off), one("/dev/a", "b"));
    assert!(good("luks.crypttab=no").without_crypttab);
    assert!(!good("luks=yes luks.crypttab").without_crypttab);
    let text = format!("rd.luks=0 rd.luks.uuid={A} luks.uuid={B}");
    let outside = read(&words(&text), false);
    assert_eq!(opened(&outside), one(&format!("UUID={B}"), &format!("luks-{B}")));
}

#[test]
fn arch() {
    let line = good("cryptdevice=UUID=AB:root:allow-discards,perf-no_read_workqueue cryptkey=LABEL=k:vfat:/f");
    assert_eq!(opened(&line), one("UUID=ab", "root"));
    assert_eq!(line.entries[0].options.discards, Some(true));
    assert_eq!(line.entries[0].options.wish.read, Choice::On);
    let place = Place { path: "/f".into(), device: Spec::parse("LABEL=k"), filesystem: Some("vfat".into()) };
    assert_eq!(line.entries[0].key, Some(Key::File(place)));
    assert_eq!(opened(&good("cryptdevice=/dev/disk/by-id/a\\:b:x")), one("ID=a:b", "x"));
    assert_eq!(opened(&good("cryptdevice=/dev/sda2")), one("/dev/sda2", "root"));
    assert_eq!(opened(&good("cryptdevice=/dev/a:x cryptdevice=/dev/b:x")), one("/dev/b", "x"));
    let line = good("cryptdevice=/dev/sda2:c crypto=sha512:twofish-xts-plain64:512:2048:");
    let options = &line.entries[0].options;
    assert_eq!((options.format, options.key_bits), (Some(Format::Plain), Some(512)));
    assert_eq!((options.hash.as_deref(), options.cipher.as_deref()), (Some("sha512"), Some("twofish-xts-plain64")));
    assert_eq!((options.offset_sectors, options.skip_sectors), (Some(2048), None));
}

#[test]
fn alpine() {
    let line = good(
        "cryptroot=UUID=ab cryptdm=enc cryptheader=/boot/h cryptoffset=8 cryptdiscards=yes cryptkey=yes root=/dev/mapper/enc",
    );
    assert_eq!(opened(&line), one("UUID=ab", "enc"));
    let entry = &line.entries[0];
    assert_eq!(entry.key, Some(Key::File(Place::file("/crypto_keyfile.bin"))));
    assert_eq!(entry.options.header, Some(Header::File(Place::file("/boot/h"))));
    assert_eq!((entry.options.offset_sectors, entry.options.discards), (Some(8), Some(true)));
    assert_eq!(good("cryptroot=/dev/x cryptdiscards").entries[0].options.discards, Some(true));
    assert_eq!(good("cryptroot=/dev/x cryptdiscards=no").entries[0].options.discards, Some(false));
    assert_eq!(opened(&good("cryptroot=/dev/x")), one("/dev/x", "root"));
}

#[test]
fn debian() {
    let line = good("cryptopts=target=c,source=/dev/sda2,key=/k,tries=9,lvm=vg-root cryptopts=source=UUID=ab");
    let expected = [one("/dev/sda2", "c"), one("UUID=ab", "cryptroot")].concat();
    assert_eq!(opened(&line), expected);
    assert_eq!((line.entries[0].options.tries, &line.entries[1].key), (Some(9), &None));
    assert_eq!(line.entries[0].key, Some(Key::File(Place::file("/k"))));
    // They stand for the whole table, and an empty one for none.
    assert!(line.without_crypttab);
    assert!(good("cryptopts=").without_crypttab && good("cryptopts=").entries.is_empty());
    let line = good("cryptopts=target=my\\040disk,source=LABEL=a\\054b");
    assert_eq!(opened(&line), one("LABEL=a,b", "my disk"));
}

#[test]
fn verity() {
    let line = good(&format!("roothash={HASH} systemd.verity_root_options=panic-on-corruption"));
    let root = &line.verity[0];
    assert_eq!((root.name.as_str(), root.root_hash.len(), root.options.corruption), ("root", 32, Corruption::Panic));
    assert_eq!(root.data.to_string(), "PARTUUID=00112233-4455-6677-8899-aabbccddeeff");
    assert_eq!(root.hash.to_string(), "PARTUUID=01234567-89ab-cdef-0123-456789abcdef");
    let line = good(&format!("usrhash={HASH} systemd.verity_usr_data=PARTLABEL=u rd.systemd.verity_usr_hash=/dev/b"));
    let usr = &line.verity[0];
    assert_eq!(
        (usr.name.as_str(), usr.data.to_string(), usr.hash.to_string()),
        ("usr", "PARTLABEL=u".into(), "/dev/b".into())
    );
    let off = good(&format!("roothash={HASH} rd.systemd.verity=0"));
    assert!(off.verity.is_empty() && off.without_veritytab);
    assert!(good("veritytab=no").without_veritytab);
    let short = "00112233445566778899aabbccddeeff";
    assert_eq!(
        told(&format!("roothash={short}")),
        ["kernel command line: roothash: is too short to find partitions by: name both devices"]
    );
    assert_eq!(
        good(&format!("roothash={short} systemd.verity_root_data=/a systemd.verity_root_hash=/b")).verity.len(),
        1
    );
}

#[test]
fn what_does_not_fit_is_told() {
    let cases = [
        ("rd.luks=maybe", "rd.luks: must be yes or no; passed over"),
        ("rd.luks.uuid=xyz", "rd.luks.uuid: must be a UUID, perhaps with luks- before it; passed over"),
        ("rd.luks.uuid", "rd.luks.uuid: has no value; passed over"),
        ("rd.luks.name=3f1a", "rd.luks.name: must be UUID=NAME, the name one for a mapping; passed over"),
        ("rd.luks.name=3f1a=a/b", "rd.luks.name: must be UUID=NAME, the name one for a mapping; passed over"),
        ("rd.luks.options=3f1a=colour", "rd.luks.options: colour: unknown option, passed over"),
        ("rd.luks.key=key", "rd.luks.key: names no key file; passed over"),
        ("rd.luks.key=/dev/urandom", "rd.luks.key: names no key file; passed over"),
        ("rd.luks.data=3f1a=/dev/b", "rd.luks.data: must be UUID=DEVICE, the UUID in full; passed over"),
        ("rd.luks.timeout=soon", "rd.luks.timeout: must be a span of time such as 90 or 1min; passed over"),
        ("rd.luks.colour=red", "rd.luks.colour: unknown word, passed over"),
        ("cryptdevice=sda2:root", "cryptdevice: must be a device, a colon and a name for a mapping; passed over"),
        ("cryptdevice=/dev/a:b/c", "cryptdevice: must be a device, a colon and a name for a mapping; passed over"),
        ("cryptdevice=/dev/a:b:no-road-workqueue", "cryptdevice: no-road-workqueue: unknown option, passed over"),
        ("cryptkey=/k", "cryptkey: without cryptdevice= or cryptroot= there is no volume for it"),
        ("crypto=a:b", "crypto: must be hash:cipher:bits:offset:skip; passed over"),
        ("cryptdm=x", "cryptroot: is missing: the other words of its kind have no volume"),
        ("cryptoffset=x", "cryptoffset: must be a number of sectors; passed over"),
        (
            "cryptopts=target=x",
            "cryptopts: must have source=, a device, and target=, a name for a mapping; passed over",
        ),
        ("roothash=xyz", "roothash: must be a root hash; passed over"),
        ("systemd.verity_root_data=/a", "roothash: is missing: the volume's devices are known and not its hash"),
    ];
    for (text, warning) in cases {
        assert_eq!(told(text), [format!("kernel command line: {warning}")], "{text}");
        assert!(line(text).verity.is_empty(), "{text}");
    }
    assert_eq!(line("quiet root=/dev/a ro console=ttyS0 rd.shell rd.udev.log_level=3"), CommandLine::default());
}

#[test]
fn noise_never_panics() {
    let mut noise = Noise::new(3_202_034_522_624_059_733);
    let mut random = move || noise.draw() as usize;
    let pieces = [
        "rd.luks.",
        "luks.",
        "uuid=",
        "name=",
        "key=",
        "options=",
        "data=",
        "header=",
        A,
        "3f1a",
        "=",
        ":",
        "/k",
        "UUID=",
        " ",
        "\"",
        "cryptdevice=",
        "cryptkey=",
        "crypto=",
        "cryptopts=",
        "source=",
        "roothash=",
        HASH,
        "\\",
        "é",
        ",",
        "discard",
        "\0",
    ];
    for _ in 0..30_000 {
        let text: String = (0..random() % 16).map(|_| pieces[random() % pieces.len()]).collect();
        let line = line(&text);
        for entry in line.entries.iter().chain(&line.details) {
            assert!(entry.name(None).is_none_or(|name| super::super::entry::is_name(&name)), "{text:?}");
        }
    }
}
