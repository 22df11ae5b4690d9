//! Each word in each spelling, what does not fit, filling up, and noise.

use super::super::key::Place;
use super::super::policy::Choice;
use super::super::spec::Spec;
use super::*;
use crate::model::noise::Noise;

fn read(text: &str) -> Options {
    let (options, problems) = Options::read(text);
    assert_eq!(problems, [""; 0], "{text}");
    options
}

/// What one word sets.
type Effect = fn(&mut Options);

const WORDS: &[(&str, Effect)] = &[
    ("luks", |o| o.format = Some(Format::Luks)),
    ("LUKS", |o| o.format = Some(Format::Luks)),
    ("plain", |o| o.format = Some(Format::Plain)),
    ("bitlk", |o| o.format = Some(Format::Bitlocker)),
    ("fvault2", |o| o.format = Some(Format::FileVault)),
    ("tcrypt", |o| o.format = Some(Format::Tcrypt)),
    ("tcrypt,tcrypt-hidden", |o| (o.format, o.tcrypt.hidden) = (Some(Format::Tcrypt), true)),
    ("tcrypthidden", |o| (o.format, o.tcrypt.hidden) = (Some(Format::Tcrypt), true)),
    ("tcrypt-system", |o| (o.format, o.tcrypt.system) = (Some(Format::Tcrypt), true)),
    ("veracrypt", |o| (o.format, o.tcrypt.veracrypt) = (Some(Format::Tcrypt), Some(true))),
    ("tcrypt-veracrypt", |o| (o.format, o.tcrypt.veracrypt) = (Some(Format::Tcrypt), Some(true))),
    ("veracrypt-pim=485", |o| (o.format, o.tcrypt.pim) = (Some(Format::Tcrypt), Some(485))),
    ("veracrypt-query-pim", |o| (o.format, o.tcrypt.asks_pim) = (Some(Format::Tcrypt), true)),
    ("tcrypt-keyfile=/a,tcrypt-keyfile=/b", |o| {
        (o.format, o.tcrypt.key_files) = (Some(Format::Tcrypt), vec!["/a".into(), "/b".into()]);
    }),
    ("cipher=aes-cbc-essiv:sha256", |o| o.cipher = Some("aes-cbc-essiv:sha256".into())),
    ("hash=sha512", |o| o.hash = Some("sha512".into())),
    ("size=256", |o| o.key_bits = Some(256)),
    ("offset=2048", |o| o.offset_sectors = Some(2048)),
    ("skip=8", |o| o.skip_sectors = Some(8)),
    ("sector-size=4096", |o| o.sector_size = Some(4096)),
    ("sector_size=512", |o| o.sector_size = Some(512)),
    ("key-slot=3", |o| o.keyslot = Some(3)),
    ("keyslot=0", |o| o.keyslot = Some(0)),
    ("keyfile-offset=512", |o| o.key_file_offset = Some(512)),
    ("keyfile-size=32", |o| o.key_file_size = Some(32)),
    ("keyfile-timeout=10s", |o| o.key_timeout_s = Some(10)),
    ("header=/h", |o| o.header = Some(Header::File(Place::file("/h")))),
    ("header=UUID=ab", |o| o.header = Spec::parse("UUID=ab").map(Header::Device)),
    ("tries=0", |o| o.tries = Some(0)),
    ("timeout=1min", |o| o.timeout_s = Some(60)),
    ("x-systemd.device-timeout=0", |o| o.device_timeout_s = Some(0)),
    ("discard", |o| o.discards = Some(true)),
    ("allow-discards", |o| o.discards = Some(true)),
    ("--allow-discards", |o| o.discards = Some(true)),
    ("readonly", |o| o.readonly = Some(true)),
    ("read-only", |o| o.readonly = Some(true)),
    ("no-read-workqueue", |o| o.wish.read = Choice::On),
    ("no_read_workqueue", |o| o.wish.read = Choice::On),
    ("perf-no_read_workqueue", |o| o.wish.read = Choice::On),
    ("no-write-workqueue=no", |o| o.wish.write = Choice::Off),
    ("perf-no_write_workqueue=auto", |o| o.wish.write = Choice::Auto),
    ("same-cpu-crypt", |o| o.wish.same_cpu_crypt = Choice::On),
    ("submit-from-crypt-cpus", |o| o.wish.submit_from_crypt_cpus = Choice::On),
    ("high_priority", |o| o.wish.high_priority = Choice::On),
    ("nofail", |o| o.nofail = Some(true)),
    ("noauto", |o| o.noauto = true),
    ("initramfs", |o| o.initramfs = true),
    ("x-initrd.attach", |o| o.initramfs = true),
    ("try-empty-password=yes", |o| o.tries_empty = true),
    ("headless=true", |o| o.headless = true),
    ("swap", |o| o.remade = true),
    ("tmp=ext4", |o| o.remade = true),
    ("password-echo=masked", |o| o.echo = Some(Echo::Masked)),
    ("password-echo=no", |o| o.echo = Some(Echo::Silent)),
    ("check", |o| o.is_checked = true),
    ("check=ext2", |o| o.is_checked = true),
    // Nothing to be done about, and nothing to be told.
    ("_netdev,loud,quiet,noearly,verify,password-cache=yes,x-systemd.requires=a.service,,", |_| ()),
    ("link-volume-key=@s::%user:x,lvm=vg,rootdev", |_| ()),
];

#[test]
fn every_word() {
    for (text, effect) in WORDS {
        let mut expected = Options::default();
        effect(&mut expected);
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_taken_is_told() {
    let cases = [
        ("colour=red", "colour: unknown option, passed over"),
        ("no-road-workqueue", "no-road-workqueue: unknown option, passed over"),
        ("size=100", "size: must be a number of bits, a multiple of 8; passed over"),
        ("size=", "size: must be a number of bits, a multiple of 8; passed over"),
        ("tries=-1", "tries: must be a whole number; passed over"),
        ("tries=", "tries: must be a whole number; passed over"),
        ("key-slot", "key-slot: must be a whole number; passed over"),
        ("sector-size=513", "sector-size: must be 512, 1024, 2048 or 4096; passed over"),
        ("timeout=soon", "timeout: must be a span of time such as 90 or 1min; passed over"),
        ("header=x", "header: must be an absolute path, path:DEVICE or a device; passed over"),
        ("discard=perhaps", "discard: must be yes or no; passed over"),
        ("cipher", "cipher: must be a word; passed over"),
        ("password-echo=loud", "password-echo: must be yes, no or masked; passed over"),
        ("tpm2-device=auto", "tpm2-device: such tokens are not used; the passphrase is asked for"),
        ("fido2-device=auto", "fido2-device: such tokens are not used; the passphrase is asked for"),
        ("pkcs11-uri=auto", "pkcs11-uri: such tokens are not used; the passphrase is asked for"),
    ];
    for (text, problem) in cases {
        assert_eq!(Options::read(text), (Options::default(), vec![problem.to_owned()]), "{text}");
    }
    let (options, problems) = Options::read("keyscript=/lib/x,nofail");
    assert_eq!(problems, ["keyscript: no program is started for a key; the passphrase is asked for"]);
    assert_eq!((options.has_key_script, options.nofail), (true, Some(true)));
    assert_eq!(Options::read("\u{1b}c").1, ["\\u{1b}c: unknown option, passed over"]);
}

#[test]
fn commas_can_be_escaped() {
    assert_eq!(commas("a\\,b, c ,,d\\\\"), ["a,b", "c", "d\\\\"]);
    assert_eq!(read("cipher=capi:a(b\\,c)-x").cipher.as_deref(), Some("capi:a(b,c)-x"));
}

#[test]
fn gaps_are_filled_and_nothing_else() {
    let mut mine = read("tries=5,no-read-workqueue=off,discard=no");
    mine.fill(&read("tries=7,discard,nofail,no-read-workqueue,no-write-workqueue,header=/h,initramfs,veracrypt"));
    let expected = "tries=5,no-read-workqueue=off,discard=no,nofail,no-write-workqueue,header=/h,initramfs,veracrypt";
    assert_eq!(mine, read(expected));
    // A field that is forgotten in `fill` would be missing here.
    for (text, _) in WORDS {
        let mut empty = Options::default();
        empty.fill(&read(text));
        assert_eq!(empty, read(text), "{text}");
    }
}

#[test]
fn noise_never_panics() {
    let mut noise = Noise::new(6_364_136_223_846_793_005);
    let mut random = move || noise.draw() as usize;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random() % 12 {
            match random() % 3 {
                0 => text.push_str(WORDS[random() % WORDS.len()].0),
                1 => text.push([',', '=', '\\', '-', '_', ' ', '\0', '"'][random() % 8]),
                _ => text.push(char::from_u32((random() % 0x500) as u32).unwrap_or('x')),
            }
        }
        let _ = Options::read(&text);
    }
}
