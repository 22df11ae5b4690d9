//! The images that cryptsetup's own tests keep, from the source archive that `sysroot/build` has fetched.
//!
//! What this machine's cryptsetup opens must open here; what else opens here must not open with another
//! passphrase. The passphrases are those of that archive's tests.

use super::*;

/// Prints the path of cryptsetup's source archive, by the parts of sysroot/build; nothing where that has
/// never run.
const FIND: &str = r#"
    set -euo pipefail
    here=$1
    for part in "$here"/part/*.sh; do . "$part"; done
    [ -d "$cache/sources" ] || exit 0
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    source_get cryptsetup
"#;

/// The folder `tests` of the archive, unpacked, with what is packed in it.
pub(super) fn sources(folder: &Folder, archives: &[&str]) -> Option<PathBuf> {
    let sysroot = Path::new(env!("CARGO_MANIFEST_DIR")).join("sysroot");
    let found = Command::new("bash").args(["-c", FIND, "bash"]).arg(sysroot).output().expect("start bash");
    let path = String::from_utf8(found.stdout).expect("a path that is text");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    if path.trim().is_empty() {
        eprintln!("not tested: sysroot/build has never run here, so there is no source of cryptsetup");
        return None;
    }
    unpack(Path::new(path.trim()), &folder.0, &["--strip-components=1", "--wildcards", "*/tests/*.xz"]);
    let tests = folder.path("tests");
    archives.iter().for_each(|name| unpack(&tests.join(name), &tests, &[]));
    Some(tests)
}

fn unpack(archive: &Path, folder: &Path, arguments: &[&str]) {
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--sparse", "--no-same-owner", "--file"]).arg(archive).arg("--directory").arg(folder);
    assert!(tar.args(arguments).status().expect("start tar").success(), "unpack {}", archive.display());
}

/// Images packed one by one.
fn unpack_image(tests: &Path, name: &str) -> PathBuf {
    let mut xz = Command::new("xz");
    assert!(
        xz.args(["--decompress", "--keep"]).arg(tests.join(format!("{name}.xz"))).status().expect("start xz").success()
    );
    tests.join(name)
}

fn names(folder: &Path, starts: &[&str]) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("read a folder").flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| starts.iter().any(|start| name.starts_with(start))).collect();
    names.sort();
    names
}

/// One of four by default, since they take minutes; all of them with `FBUNLOCK_IMAGES=all`.
fn is_taken(at: usize) -> bool {
    at.is_multiple_of(4) || std::env::var_os("FBUNLOCK_IMAGES").is_some_and(|which| which == "all")
}

/// What was found out about a set of images.
#[derive(Default)]
struct Tally {
    opened: u32,
    /// Here and not by this machine's cryptsetup.
    more: Vec<String>,
    /// Neither here nor there, and why.
    shut: Vec<String>,
}

impl Tally {
    /// Compares one image: cryptsetup's arguments and our words for the same.
    fn compare(&mut self, image: &Path, arguments: &[&str], words: &str, passphrase: &[u8]) {
        let name = format!("{} {words}", image.file_name().unwrap_or_default().display());
        let all = [&["open", "--test-passphrase", "--key-file=-"], arguments, &[word(image)]].concat();
        let theirs = cryptsetup(&all, passphrase);
        match open(image, words, passphrase) {
            Ok(()) => {
                self.opened += 1;
                self.more.extend((!theirs).then(|| name.clone()));
                if self.opened > 3 {
                    return;
                }
                match open(image, words, b"not the one") {
                    Err(Failure::WrongPassphrase) => {}
                    // Older libraries end at the first cipher that they do not have.
                    Err(Failure::NoModule(module)) if module == "algif_skcipher" => {}
                    other => panic!("{name}: {other:?}"),
                }
            }
            Err(failure) => {
                // Those that the static library lacks.
                let is_known = matches!(&failure, Failure::NoHash(hash) if ["blake2s", "stribog512", "whirlpool"].contains(&hash.as_str()));
                assert!(!theirs || is_known, "{name}: {failure:?}, and cryptsetup opens it");
                self.shut.push(format!("{name}: {failure:?}"));
            }
        }
    }

    fn tell(&self, set: &str, opened_min: u32) {
        eprintln!("{set}: {} opened\n  beyond cryptsetup: {:#?}\n  shut: {:#?}", self.opened, self.more, self.shut);
        assert!(self.opened >= opened_min, "{set}: only {} opened", self.opened);
    }
}

#[test]
fn luks1() {
    let _alone = alone();
    let folder = Folder::new("kept-luks1");
    let Some(tests) = sources(&folder, &["luks1-images.tar.xz"]) else { return };
    let tests = tests.join("luks1-images");
    let key = fs::read(tests.join("keyfile1")).unwrap();
    let mut tally = Tally::default();
    for name in names(&tests, &["luks1_"]) {
        tally.compare(&tests.join(name), &["--type=luks1"], "luks", &key);
    }
    tally.tell("LUKS1", 3);
}

/// Those of compat-test, compat-test2, reencryption-compat-test and api-test-2.
const PASSPHRASES: [&[u8]; 10] = [
    b"compatkey",
    b"aaablabl",
    b"aaa",
    b"93R4P4pIqAH8",
    b"mymJeD8ivEhE",
    b"ocMakf3fAcQO",
    b"rUkL4RUryBom",
    b"Qx3qn46vq0v",
    b"1cND4319812f",
    b"1-9Qu5Ejfnqv",
];

#[test]
fn luks2_and_odd_headers() {
    let _alone = alone();
    let folder = Folder::new("kept-luks2");
    let archives = [
        "luks2_mda_images.tar.xz",
        "luks2_header_requirements.tar.xz",
        "LUKS-d238e48a-0ed3-4169-b841-f26b44693134.tar.xz",
    ];
    let Some(tests) = sources(&folder, &archives) else { return };
    let single = [
        "compatimage.img",
        "compatimage2.img",
        "compatv10image.img",
        "blkid-luks2-pv.img",
        "luks2_invalid_cipher.img",
        "luks2_keyslot_unassigned.img",
        "luks2_valid_hdr.img",
        "valid_header_file",
        "evil_hdr-keyslot_overlap",
        "evil_hdr-luks_hdr_damage",
        "evil_hdr-payload_overwrite",
        "evil_hdr-small_luks_device",
        "evil_hdr-stripes_payload_dmg",
    ];
    single.iter().for_each(|name| drop(unpack_image(&tests, name)));
    let mut tally = Tally::default();
    let kept = ["test_image_", "luks2_header_requirements", "LUKS-d238"];
    let names = names(&tests, &[&kept, single.as_slice()].concat()).into_iter();
    for name in names.filter(|name| !name.ends_with(".xz")) {
        let image = tests.join(&name);
        // The one that opens it, if any does.
        let fits = |passphrase: &&&[u8]| {
            cryptsetup(&["open", "--test-passphrase", "--key-file=-", word(&image)], passphrase)
                || open(&image, "", passphrase).is_ok()
        };
        let passphrase = PASSPHRASES.iter().find(fits).unwrap_or(&PASSPHRASES[0]);
        tally.compare(&image, &[], "", passphrase);
    }
    tally.tell("LUKS2 and odd headers", 4);
}

#[test]
fn bitlocker() {
    let _alone = alone();
    let folder = Folder::new("kept-bitlocker");
    let Some(tests) = sources(&folder, &["bitlk-images.tar.xz"]) else { return };
    let tests = tests.join("bitlk-images");
    let text = fs::read_to_string(tests.join("images.conf")).unwrap();
    let mut tally = Tally::default();
    let mut image = PathBuf::new();
    let mut at = 0;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            image = tests.join(format!("{name}.img"));
        }
        let passphrase = ["PW=", "RP=", "RP2="].iter().find_map(|key| line.strip_prefix(key));
        if let Some(passphrase) = passphrase.filter(|passphrase| !passphrase.is_empty()) {
            at += 1;
            if is_taken(at) {
                tally.compare(&image, &["--type=bitlk"], "bitlk", passphrase.as_bytes());
            }
        }
    }
    for (name, key) in [
        ("bitlk-aes-xts-128-startup-key.img", "4381F759-C4F8-4DE0-BB61-FC33A831BDA5.BEK"),
        ("bitlk-aes-xts-128-startup-key-win11.img", "AA80A52B-9B66-47AE-B097-33F536FFBB07.BEK"),
    ] {
        let key = fs::read(tests.join(key)).unwrap();
        tally.compare(&tests.join(name), &["--type=bitlk"], "bitlk", &key);
    }
    // Nobody has to say what it is.
    assert_eq!(open(&tests.join("bitlk-aes-xts-128.img"), "", b"anaconda"), Ok(()));
    // The library since 2.8 opens one whose protection is suspended.
    let clear = load(&tests.join("bitlk-aes-xts-128-clearkey-only.img"), None, "").unwrap();
    let opened = clear.activate_by_token(None, &Activation::default());
    assert!(matches!(opened, Ok(()) | Err(Failure::NoKeyslot)), "{opened:?}");
    eprintln!("BitLocker's clear key: {opened:?}");
    tally.tell("BitLocker", if is_taken(1) { 30 } else { 8 });
}

#[test]
fn truecrypt_and_veracrypt() {
    let _alone = alone();
    let folder = Folder::new("kept-tcrypt");
    let Some(tests) = sources(&folder, &["tcrypt-images.tar.xz"]) else { return };
    let tests = tests.join("tcrypt-images");
    let mut tally = Tally::default();
    for (at, name) in names(&tests, &["tc", "vc", "sys_"]).into_iter().enumerate() {
        // Those of the one cipher that needs no kernel are few, and quick.
        if !is_taken(at) && !name.starts_with("tc_3-") {
            continue;
        }
        // tc_4-sha512-xts-aes-twofish-hidden: the kind, hash, mode, chain of ciphers.
        let parts: Vec<&str> = name.trim_end_matches("-hidden").splitn(4, '-').collect();
        let [kind, hash, _, cipher] = parts.as_slice() else { panic!("{name}") };
        // The chain as the library calls it: the last one that decrypts first.
        let cipher = cipher.rsplit('-').collect::<Vec<_>>().join("-");
        let mut arguments = vec!["--type=tcrypt".to_owned(), format!("--hash={hash}")];
        let mut words = format!("tcrypt,hash={hash}");
        if cipher == "aes" {
            arguments.push("--cipher=aes".into());
            words.push_str(",cipher=aes");
        }
        if kind.starts_with("vcpim") {
            arguments.push("--veracrypt-pim=1234".into());
            words.push_str(",veracrypt-pim=1234");
        }
        if kind.starts_with("sys_") {
            arguments.push("--tcrypt-system".into());
            words.push_str(",tcrypt-system");
        }
        if kind.starts_with("tck") || kind.starts_with("vck") {
            let files = ["keyfile1", "keyfile2"].map(|file| tests.join(file));
            // cryptsetup takes files for these keys and the passphrase from elsewhere only on a terminal.
            files.iter().for_each(|file| words.push_str(&format!(",tcrypt-keyfile={}", word(file))));
        }
        let passphrase: &[u8] = match *kind {
            "vck_1_nopw" => b"",
            "vck_1_pw72" => b"aaaaaaaaaaaabbbbbbbbbbbbccccccccccccddddddddddddeeeeeeeeeeeeffffffffffff",
            _ => b"aaaaaaaaaaaa",
        };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        tally.compare(&tests.join(&name), &arguments, &words, passphrase);
        if name.ends_with("-hidden") {
            let arguments = [arguments.as_slice(), &["--tcrypt-hidden"]].concat();
            tally.compare(&tests.join(&name), &arguments, &format!("{words},tcrypt-hidden"), b"bbbbbbbbbbbb");
        }
    }
    tally.tell("TrueCrypt and VeraCrypt", 3);
}

#[test]
fn filevault() {
    let _alone = alone();
    let folder = Folder::new("kept-filevault");
    let Some(tests) = sources(&folder, &["fvault2-images.tar.xz"]) else { return };
    let image = tests.join("fvault2-images/small");
    use fbunlock::model::volume::option::Format;
    match open(&image, "fvault2", b"heslo123") {
        // The static library is made without it.
        Err(failure) => assert_eq!(failure, Failure::NotBuiltIn(Format::FileVault)),
        Ok(()) => assert_eq!(open(&image, "fvault2", b"other"), Err(Failure::WrongPassphrase)),
    }
}
