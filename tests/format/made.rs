//! Images that cryptsetup makes here.

use fbunlock::model::volume::note::Note;
use fbunlock::model::volume::policy::Flags;

use super::*;

const SECRET: &[u8] = b"secret";
const LENGTH: u64 = 20 << 20;
const FAST: &[&str] = &["--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000"];

/// Makes a LUKS header; `false` where this machine's cryptsetup or kernel cannot.
fn format(image: &Path, arguments: &[&str]) -> bool {
    let all = [&["luksFormat", "--key-file=-"], arguments, &[word(image)]].concat();
    cryptsetup(&all, SECRET)
}

/// What cryptsetup makes and opens of `arguments`, opens here, and nothing else does. Returns whether
/// cryptsetup could.
fn agrees(folder: &Folder, arguments: &[&str]) -> bool {
    let image = folder.blank("image", LENGTH);
    if !format(&image, arguments) {
        return false;
    }
    let theirs = cryptsetup(&["open", "--test-passphrase", "--key-file=-", word(&image)], SECRET);
    assert_eq!(open(&image, "luks", SECRET).is_ok(), theirs, "{arguments:?}");
    if theirs {
        assert_eq!(open(&image, "", b"Secret"), Err(Failure::WrongPassphrase), "{arguments:?}");
    }
    theirs
}

#[test]
fn hashes_and_derivations() {
    let _alone = alone();
    let folder = Folder::new("hashes");
    for hash in ["sha1", "sha256", "sha512", "ripemd160", "whirlpool"] {
        let hash = format!("--hash={hash}");
        for kind in ["--type=luks1", "--type=luks2"] {
            let iterations: &[&str] = if kind == "--type=luks1" { &["--pbkdf-force-iterations=1000"] } else { FAST };
            let image = folder.blank("image", LENGTH);
            let arguments = [&[kind, hash.as_str()], iterations].concat();
            assert!(format(&image, &arguments), "{arguments:?}");
            match open(&image, "", SECRET) {
                Ok(()) => assert_eq!(open(&image, "", b"other"), Err(Failure::WrongPassphrase)),
                // What the static library does not compute says so.
                Err(failure) => {
                    assert_eq!((failure, hash.as_str()), (Failure::NoHash("whirlpool".into()), "--hash=whirlpool"))
                }
            }
        }
    }
    for derivation in ["argon2i", "argon2id"] {
        let derivation = format!("--pbkdf={derivation}");
        let cost = ["--pbkdf-memory=32", "--pbkdf-parallel=2", "--pbkdf-force-iterations=4"];
        assert!(agrees(&folder, &[&["--type=luks2", derivation.as_str()], cost.as_slice()].concat()));
        let volume = load(&folder.path("image"), None, "").unwrap();
        assert_eq!(volume.memory_kib(), 32);
    }
}

#[test]
fn ciphers() {
    let _alone = alone();
    let folder = Folder::new("ciphers");
    let mut opened = Vec::new();
    for (cipher, bits) in [
        ("aes-xts-plain64", "512"),
        ("aes-xts-plain64", "256"),
        ("aes-cbc-essiv:sha256", "256"),
        ("serpent-xts-plain64", "512"),
        ("twofish-xts-plain64", "512"),
        ("xchacha20,aes-adiantum-plain64", "256"),
        ("xchacha12,aes-adiantum-plain64", "256"),
    ] {
        for kind in ["--type=luks1", "--type=luks2"] {
            let cipher = format!("--cipher={cipher}");
            let mut arguments = vec![kind, cipher.as_str(), "--key-size", bits, "--pbkdf-force-iterations=1000"];
            arguments.extend((kind == "--type=luks2").then_some("--pbkdf=pbkdf2"));
            if agrees(&folder, &arguments) {
                opened.push(cipher);
            }
        }
    }
    // Others need the kernel's ciphers or device-mapper.
    assert!(opened.iter().any(|cipher| cipher == "--cipher=aes-cbc-essiv:sha256"), "{opened:?}");
    eprintln!("opened: {opened:?}");
}

#[test]
fn keyslots() {
    let _alone = alone();
    let folder = Folder::new("keyslots");
    let image = folder.blank("image", LENGTH);
    assert!(format(&image, FAST));
    let key = folder.path("second");
    fs::write(&key, "second").unwrap();
    let add = |arguments: &[&str]| {
        let all = [&["luksAddKey", "--key-file=-"], FAST, arguments, &[word(&image), word(&key)]].concat();
        assert!(cryptsetup(&all, SECRET), "{arguments:?}");
    };
    add(&["--key-slot=5"]);
    fs::write(&key, "unbound").unwrap();
    add(&["--unbound", "--key-slot=7", "--key-size=256"]);
    assert_eq!(load(&image, None, "").unwrap().notes(), [Note::Unbound { count: 1 }]);

    let cases: [(&str, &[u8], Result<(), Failure>); 9] = [
        ("", SECRET, Ok(())),
        ("", b"second", Ok(())),
        ("keyslot=0", SECRET, Ok(())),
        ("keyslot=5", b"second", Ok(())),
        ("keyslot=5", SECRET, Err(Failure::WrongPassphrase)),
        ("keyslot=0", b"second", Err(Failure::WrongPassphrase)),
        ("keyslot=3", SECRET, Err(Failure::Keyslot { slot: 3 })),
        ("keyslot=7", b"unbound", Err(Failure::Keyslot { slot: 7 })),
        ("", b"unbound", Err(Failure::WrongPassphrase)),
    ];
    for (words, passphrase, expected) in cases {
        assert_eq!(open(&image, words, passphrase), expected, "{words} {passphrase:?}");
    }
    assert_eq!(open(&image, "keyslot=99", SECRET), Err(Failure::Keyslot { slot: 99 }));
    assert!(cryptsetup(&["luksErase", word(&image)], b""));
    assert_eq!(open(&image, "", SECRET), Err(Failure::NoKeyslot));
}

#[test]
fn detached_headers() {
    let _alone = alone();
    let folder = Folder::new("detached");
    for kind in ["--type=luks1", "--type=luks2"] {
        let (data, header) = (folder.blank("data", LENGTH), folder.blank("header", 0));
        fs::remove_file(&header).unwrap();
        let iterations: &[&str] = if kind == "--type=luks1" { &["--pbkdf-force-iterations=1000"] } else { FAST };
        assert!(format(&data, &[&[kind, "--header", word(&header)], iterations].concat()), "{kind}");
        assert_eq!(open(&data, "", SECRET), Err(Failure::NotVolume));
        let volume = load(&data, Some(&header), "").unwrap();
        assert_eq!(test(&volume, SECRET), Ok(()), "{kind}");
        assert_eq!(test(&volume, b"other"), Err(Failure::WrongPassphrase));
        assert_eq!(volume.uuid().map(|uuid| uuid.len()), Some(36));
        assert_eq!(load(&data, Some(Path::new("/nonexistent")), "").err(), Some(Failure::Missing));
        assert_eq!(load(&data, Some(Path::new("/dev/null")), "").err(), Some(Failure::NotVolume));
    }
}

/// Both copies of the header begin with so much; the second one lies behind the first.
const HEADER: usize = 0x4000;

#[test]
fn a_damaged_header_is_repaired_and_told() {
    let _alone = alone();
    let folder = Folder::new("damaged");
    let image = folder.blank("image", LENGTH);
    assert!(format(&image, FAST));
    let whole = fs::read(&image).unwrap();
    assert_eq!(load(&image, None, "").unwrap().notes(), []);
    for (at, is_second) in [(0, false), (300, false), (0x1200, false), (HEADER, true), (HEADER + 0x1200, true)] {
        let mut damaged = whole.clone();
        damaged[at..at + 64].fill(0x55);
        fs::write(&image, &damaged).unwrap();
        let volume = load(&image, None, "").unwrap();
        assert_eq!(volume.notes(), [Note::Damaged { is_second, is_repaired: true }], "{at:#x}");
        assert_eq!(test(&volume, SECRET), Ok(()));
        drop(volume);
        assert_eq!(load(&image, None, "").unwrap().notes(), [], "{at:#x}");
    }
    let mut damaged = whole.clone();
    damaged[0x1200..0x1240].fill(0x55);
    damaged[HEADER + 0x1200..HEADER + 0x1240].fill(0x55);
    fs::write(&image, &damaged).unwrap();
    assert_eq!(load(&image, None, "").err(), Some(Failure::Damaged));
    // Cut off before the data, and within the keyslots.
    fs::write(&image, &whole[..HEADER * 2 + 4096]).unwrap();
    assert_eq!(open(&image, "", SECRET), Err(Failure::TooSmall));
}

/// Changes the JSON of both copies of a header, and their checksums. What stands there and what comes there
/// are of one length.
fn rewrite(image: &Path, old: &str, new: &str) {
    let mut bytes = fs::read(image).unwrap();
    for copy in bytes[..2 * HEADER].chunks_exact_mut(HEADER) {
        let json = String::from_utf8_lossy(&copy[4096..]).replace(old, new);
        assert!(json.contains(new) && json.len() == HEADER - 4096, "{old}");
        copy[4096..].copy_from_slice(json.as_bytes());
        copy[448..512].fill(0);
        let mut running = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        running.stdin.take().unwrap().write_all(copy).unwrap();
        let sum = String::from_utf8(running.wait_with_output().unwrap().stdout).unwrap();
        for (at, byte) in copy[448..480].iter_mut().enumerate() {
            *byte = u8::from_str_radix(&sum[2 * at..2 * at + 2], 16).unwrap();
        }
    }
    fs::write(image, bytes).unwrap();
}

#[test]
fn a_header_that_takes_any_key_opens_with_none() {
    let _alone = alone();
    let folder = Folder::new("any");
    let image = folder.blank("image", LENGTH);
    assert!(format(&image, &[FAST, &["--hash=sha512"]].concat()));
    let json = fs::read(&image).unwrap()[4096..HEADER].to_vec();
    let json = String::from_utf8(json).unwrap();
    let digests = &json[json.find("\"digests\"").unwrap()..];
    let value = |name: &str| {
        let key = format!("\"{name}\":\"");
        let from = digests.find(&key).unwrap() + key.len();
        digests[from..].split('"').next().unwrap()
    };
    // As it is, nothing of it stands in the way.
    assert_eq!((open(&image, "", SECRET), open(&image, "", b"other")), (Ok(()), Err(Failure::WrongPassphrase)));
    let whole = fs::read(&image).unwrap();
    let (salt, digest) = (value("salt"), value("digest"));
    let cases = [
        (format!("\"digest\":\"{digest}\""), format!("\"digest\":\"{}\"    ", &digest[..digest.len() - 4])),
        (format!("\"salt\":\"{salt}\""), format!("\"salt\":\"{}\"    ", &salt[..salt.len() - 4])),
    ];
    for (old, new) in cases {
        fs::write(&image, &whole).unwrap();
        rewrite(&image, &old, &new);
        assert_eq!(open(&image, "", b"other"), Err(Failure::Damaged), "{new}");
        assert_eq!(open(&image, "", SECRET), Err(Failure::Damaged), "{new}");
    }
    // The digest's hash is no longer the one of the keyslot.
    fs::write(&image, &whole).unwrap();
    let arguments =
        ["luksConvertKey", "--key-file=-", "--hash=sha256", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000"];
    assert!(cryptsetup(&[&arguments[..], &[word(&image)]].concat(), SECRET));
    rewrite(&image, "\"hash\":\"sha512\"", "\"hash\":\"made-u\"");
    assert_eq!(open(&image, "", b"other"), Err(Failure::NoHash("made-u".into())));
}

#[test]
fn a_keyslot_that_makes_no_sense_is_damage() {
    let _alone = alone();
    let folder = Folder::new("senseless");
    let image = folder.blank("image", LENGTH);
    let cost = ["--pbkdf=argon2id", "--pbkdf-memory=32", "--pbkdf-parallel=1", "--pbkdf-force-iterations=4"];
    assert!(format(&image, &cost));
    let whole = fs::read(&image).unwrap();
    for (old, new) in [("\"cpus\":1", "\"cpus\":0"), ("\"memory\":32", "\"memory\":00")] {
        fs::write(&image, &whole).unwrap();
        rewrite(&image, old, new);
        assert_eq!(open(&image, "", SECRET), Err(Failure::Damaged), "{new}");
    }
    // What a later library may write is none, and no backup would help.
    fs::write(&image, &whole).unwrap();
    rewrite(&image, "argon2id", "argon3id");
    assert_eq!(load(&image, None, "").err(), Some(Failure::Unsupported));
}

#[test]
fn hashes_of_the_keys_parts_are_not_taken_for_a_wrong_passphrase() {
    let _alone = alone();
    let folder = Folder::new("parts");
    let image = folder.blank("image", LENGTH);
    let cost = ["--pbkdf=argon2id", "--pbkdf-memory=32", "--pbkdf-parallel=1", "--pbkdf-force-iterations=4"];
    assert!(format(&image, &[&cost[..], &["--hash=whirlpool"]].concat()));
    // Not in the static library: told before anybody is asked.
    let is_lacking = cfg!(feature = "static");
    match load(&image, None, "") {
        Ok(volume) => assert_eq!((test(&volume, SECRET), test(&volume, b"x")), (Ok(()), Err(Failure::WrongPassphrase))),
        Err(failure) => assert_eq!((failure, is_lacking), (Failure::NoHash("whirlpool".into()), true)),
    }
    // The other keyslot is none the worse for it.
    assert!(format(&image, FAST));
    let key = folder.path("second");
    fs::write(&key, "second").unwrap();
    let add = [&["luksAddKey", "--key-file=-", "--hash=whirlpool"], &cost[..], &[word(&image), word(&key)]].concat();
    assert!(cryptsetup(&add, SECRET));
    let volume = load(&image, None, "").unwrap();
    let note = Note::NoHash { hash: "whirlpool".into(), count: 1 };
    assert_eq!(volume.notes(), if is_lacking { vec![note] } else { vec![] });
    assert_eq!((test(&volume, SECRET), test(&volume, b"second").is_err()), (Ok(()), is_lacking));
}

#[test]
fn keyslots_to_be_ignored_are_used_by_their_number() {
    let _alone = alone();
    let folder = Folder::new("ignored");
    let image = folder.blank("image", LENGTH);
    assert!(format(&image, FAST));
    let key = folder.path("second");
    fs::write(&key, "second").unwrap();
    let set = |priority| assert!(cryptsetup(&["config", "--key-slot=0", priority, word(&image)], b""));
    set("--priority=ignore");
    let told = open(&image, "", SECRET).unwrap_err();
    assert_eq!((told.text().as_str(), told.exit().code()), ("Keyslots are used by number only here. Ask for one", 2));
    assert_eq!(open(&image, "keyslot=0", SECRET), Ok(()));
    set("--priority=normal");
    let add = [&["luksAddKey", "--key-file=-", "--key-slot=1"], FAST, &[word(&image), word(&key)]].concat();
    assert!(cryptsetup(&add, SECRET));
    set("--priority=ignore");
    assert_eq!(open(&image, "", b"second"), Ok(()));
    assert_eq!(open(&image, "", SECRET), Err(Failure::WrongPassphrase));
}

#[test]
fn what_the_header_asks_for_is_read_and_written() {
    let _alone = alone();
    let folder = Folder::new("persistent");
    let image = folder.blank("image", LENGTH);
    assert!(format(&image, FAST));
    let stored = || load(&image, None, "").unwrap().stored();
    assert_eq!(stored(), (Flags::default(), false));
    let queues = Flags { no_read_workqueue: true, no_write_workqueue: true, ..Flags::default() };
    let cases = [
        (queues, None, false),
        (queues, Some(true), true),
        (Flags::default(), None, true),
        (queues, Some(false), false),
    ];
    for (flags, discards, is_discarding) in cases {
        load(&image, None, "").unwrap().persist(flags, discards).unwrap();
        assert_eq!(stored(), (flags, is_discarding));
    }
    assert_eq!(open(&image, "", SECRET), Ok(()));
    assert!(format(&image, &["--type=luks1", "--pbkdf-force-iterations=1000"]));
    let told = load(&image, None, "").unwrap().persist(queues, None).unwrap_err().text();
    assert_eq!(told, "only LUKS2 headers have a place for them");
}

#[test]
fn authenticated_volumes() {
    let _alone = alone();
    let folder = Folder::new("integrity");
    // Without device-mapper cryptsetup writes the header and does not wipe the data.
    let made = agrees(
        &folder,
        &[&["--type=luks2", "--cipher=aes-xts-plain64", "--integrity=hmac-sha256", "--integrity-no-wipe"], FAST]
            .concat(),
    );
    eprintln!("authenticated volumes: {}", if made { "opened" } else { "this machine cannot make one" });
}

#[test]
fn tokens_of_the_kernels_keyring() {
    let _alone = alone();
    let folder = Folder::new("token");
    let image = folder.blank("image", LENGTH);
    assert!(format(&image, FAST));
    let activate = || load(&image, None, "").unwrap().activate_by_token(None, &Activation::default());
    assert_eq!(activate(), Err(Failure::NoKeyslot));
    let description = format!("fbunlock-test-{}", std::process::id());
    assert!(cryptsetup(&["token", "add", "--key-description", &description, word(&image)], b""));
    // There is a token and no key. Libraries differ in what they call that.
    assert!(matches!(activate(), Err(Failure::NoKeyslot | Failure::WrongPassphrase)));
    let add = |passphrase: &str| keyring(&description, passphrase);
    if !add("wrong") {
        eprintln!("not tested: this kernel has no keyring");
        return;
    }
    assert_eq!(activate(), Err(Failure::WrongPassphrase));
    assert!(add("secret"));
    assert_eq!(activate(), Ok(()));
    // A token of a kind that nobody knows is left alone.
    let json = folder.path("token.json");
    fs::write(&json, r#"{"type":"made-up","keyslots":["0"],"device":"none"}"#).unwrap();
    assert!(cryptsetup(&["token", "import", "--json-file", word(&json), "--token-id=3", word(&image)], b""));
    assert_eq!(activate(), Ok(()));
    assert!(cryptsetup(&["token", "remove", "--token-id=0", word(&image)], b""));
    assert_eq!(activate(), Err(Failure::NoKeyslot));
    assert_eq!(open(&image, "", SECRET), Ok(()));
}

/// Puts a passphrase into this thread's keyring.
fn keyring(description: &str, passphrase: &str) -> bool {
    const KEY_SPEC_THREAD_KEYRING: nix::libc::c_long = -1;
    let description = std::ffi::CString::new(description).unwrap();
    // SAFETY: strings that live until the call returns, and a length that is the passphrase's.
    let key = unsafe {
        nix::libc::syscall(
            nix::libc::SYS_add_key,
            c"user".as_ptr(),
            description.as_ptr(),
            passphrase.as_ptr(),
            passphrase.len(),
            KEY_SPEC_THREAD_KEYRING,
        )
    };
    key >= 0
}

#[test]
fn without_a_header_nothing_can_be_tested() {
    let _alone = alone();
    let folder = Folder::new("plain");
    let image = folder.blank("image", LENGTH);
    let volume = load(&image, None, "plain").unwrap();
    assert_eq!(volume.notes(), [Note::Defaults { missing: "cipher, size, hash".into() }]);
    assert_eq!(test(&volume, SECRET), Err(Failure::Untestable));
    let volume = load(&image, None, "plain,cipher=aes-xts-plain64,size=512,hash=sha512").unwrap();
    assert_eq!(volume.notes(), []);
    // A key file that is too short is told before device-mapper is asked.
    // SAFETY: the passphrase lives until the call returns.
    let short = unsafe { volume.activate(Some("x"), (SECRET.as_ptr().cast(), 6), true, &Activation::default()) };
    assert_eq!(short, Err(Failure::ShortKey { bytes: 64 }));
}

#[test]
fn other_formats_are_told_apart() {
    let _alone = alone();
    let folder = Folder::new("other");
    let image = folder.blank("image", LENGTH);
    use fbunlock::model::volume::option::Format;
    assert_eq!(open(&image, "", SECRET), Err(Failure::NotVolume));
    assert_eq!(open(&image, "bitlk", SECRET), Err(Failure::NotFormat(Format::Bitlocker)));
    let vault = open(&image, "fvault2", SECRET);
    assert!(
        [Failure::NotFormat(Format::FileVault), Failure::NotBuiltIn(Format::FileVault)]
            .contains(&vault.clone().unwrap_err()),
        "{vault:?}"
    );
    assert_eq!(open(&image, "tcrypt,tcrypt-keyfile=/nonexistent", SECRET), Err(Failure::NoKeyFile));
    let mut marked = fs::read(&image).unwrap();
    marked[..6].copy_from_slice(b"LUKS\xde\xad");
    fs::write(&image, marked).unwrap();
    assert_eq!(open(&image, "", SECRET), Err(Failure::Reencrypting));
}
