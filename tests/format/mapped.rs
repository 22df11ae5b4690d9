//! Mappings that the kernel makes: as `cryptsetup` would have made them. Not run by default, since they need
//! root and device-mapper: `cargo test --test format -- --ignored`.

use std::io::Read;

use fbunlock::model::volume::option::Format;
use fbunlock::model::volume::policy::Flags;
use fbunlock::sys::dm;

use super::*;

const SECRET: &[u8] = b"secret";
const LENGTH: u64 = 20 << 20;
const FAST: &[&str] = &["--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000"];

fn name(what: &str) -> String {
    format!("fbunlock-{what}-{}", std::process::id())
}

fn close(name: &str) {
    assert!(cryptsetup(&["close", name], b""), "close {name}");
}

/// Opens, with a key that was typed or is a file's.
fn map(volume: &Volume, name: &str, key: &[u8], is_key_file: bool, activation: &Activation) -> Result<(), Failure> {
    // SAFETY: the key lives until the call returns.
    unsafe { volume.activate(Some(name), (key.as_ptr().cast(), key.len()), is_key_file, activation) }
}

/// The beginning of a mapping's data.
fn data(name: &str) -> Vec<u8> {
    let mut data = Vec::new();
    let device = fs::File::open(Path::new("/dev/mapper").join(name)).expect("open the mapping");
    device.take(256 << 10).read_to_end(&mut data).expect("read the mapping");
    data
}

/// Both make the same of an image.
fn same(image: &Path, arguments: &[&str], words: &str, key: &[u8], is_key_file: bool) {
    let name = name("same");
    let volume = load(image, None, words).unwrap();
    let readonly = Activation { readonly: true, ..Activation::default() };
    assert_eq!(map(&volume, &name, key, is_key_file, &readonly), Ok(()), "{words}");
    let ours = data(&name);
    let mapping = dm::mapping(&name).unwrap();
    assert!(mapping.has_table);
    // Without UUID the device below tells, and that is a loop device of the library's own here.
    assert!(volume.format() != Format::Luks || volume.is_open(&name), "{mapping:?}");
    close(&name);
    let file = image.with_extension("key");
    fs::write(&file, key).unwrap();
    let source = if is_key_file { format!("--key-file={}", word(&file)) } else { "--key-file=-".into() };
    let all = [&["open", "--readonly", &source], arguments, &[word(image), name.as_str()]].concat();
    assert!(cryptsetup(&all, key), "{arguments:?}");
    assert!(ours == data(&name), "{words}: other data than cryptsetup's");
    close(&name);
}

#[test]
#[ignore = "needs root and device-mapper"]
fn volumes_without_header() {
    let _alone = alone();
    let folder = Folder::new("mapped-plain");
    let image = folder.blank("image", LENGTH);
    let long = [7; 64];
    same(
        &image,
        &["--type=plain", "--cipher=aes-xts-plain64", "--key-size=512", "--hash=sha512"],
        "plain,cipher=aes-xts-plain64,size=512,hash=sha512",
        SECRET,
        false,
    );
    same(
        &image,
        &[
            "--type=plain",
            "--cipher=aes-cbc-essiv:sha256",
            "--key-size=256",
            "--hash=ripemd160",
            "--offset=8",
            "--skip=16",
        ],
        "plain,cipher=aes-cbc-essiv:sha256,size=256,hash=ripemd160,offset=8,skip=16",
        SECRET,
        false,
    );
    same(
        &image,
        &["--type=plain", "--cipher=serpent-xts-plain64", "--key-size=512", "--sector-size=4096"],
        "plain,cipher=serpent-xts-plain64,size=512,sector-size=4096",
        &long,
        true,
    );
    let odd = folder.blank("odd", LENGTH + 512);
    let volume = load(&odd, None, "plain,cipher=aes-xts-plain64,size=512,hash=sha512,sector-size=4096").unwrap();
    let failed = map(&volume, &name("odd"), SECRET, false, &Activation::default());
    assert_eq!(failed, Err(Failure::SectorSize { bytes: 4096 }));
    let volume = load(&image, None, "plain,cipher=made_up-xts-plain64,size=512,hash=sha512").unwrap();
    let failed = map(&volume, &name("cipher"), SECRET, false, &Activation::default());
    assert_eq!(failed, Err(Failure::NoModule("made_up".into())));
}

#[test]
#[ignore = "needs root and device-mapper"]
fn kept_volumes() {
    let _alone = alone();
    let folder = Folder::new("mapped-kept");
    let Some(tests) = kept::sources(&folder, &["tcrypt-images.tar.xz", "bitlk-images.tar.xz", "luks1-images.tar.xz"])
    else {
        return;
    };
    for name in ["tc_5-sha512-xts-aes", "tc_4-sha512-xts-serpent-twofish-aes", "tc_2-ripemd160-lrw-twofish"] {
        same(&tests.join("tcrypt-images").join(name), &["--type=tcrypt"], "tcrypt", b"aaaaaaaaaaaa", false);
    }
    for name in ["bitlk-aes-xts-128", "bitlk-aes-xts-256", "bitlk-togo-aes-xts-128"] {
        let image = tests.join(format!("bitlk-images/{name}.img"));
        same(&image, &["--type=bitlk"], "", b"anaconda", false);
    }
    let key = fs::read(tests.join("luks1-images/keyfile1")).unwrap();
    for name in ["luks1_serpent-xts-plain64-sha256.img", "luks1_aes-lrw-plain64-sha1.img"] {
        same(&tests.join("luks1-images").join(name), &[], "", &key, true);
    }
}

#[test]
#[ignore = "needs root and device-mapper"]
fn flags_that_are_stored_are_kept_or_overruled() {
    let _alone = alone();
    let folder = Folder::new("mapped-flags");
    let image = folder.blank("image", LENGTH);
    assert!(cryptsetup(&[&["luksFormat", "--key-file=-"], FAST, &[word(&image)]].concat(), SECRET));
    let queues = Flags { no_read_workqueue: true, no_write_workqueue: true, ..Flags::default() };
    let cpus = Flags { same_cpu_crypt: true, submit_from_crypt_cpus: true, ..Flags::default() };
    load(&image, None, "").unwrap().persist(queues, Some(true)).unwrap();
    let name = name("flags");
    let cases =
        [(queues, None, true), (Flags::default(), None, true), (cpus, Some(false), false), (cpus, Some(true), true)];
    for (flags, discards, is_discarding) in cases {
        let volume = load(&image, None, "").unwrap();
        let activation = Activation { flags, discards, ..Activation::default() };
        assert_eq!(map(&volume, &name, SECRET, false, &activation), Ok(()));
        assert_eq!(volume.effective(&name), Some(flags));
        let status = Command::new("cryptsetup").args(["status", &name]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&status.stdout).contains("discards"), is_discarding, "{flags} {discards:?}");
        // It is there, and it is this one.
        assert_eq!(map(&volume, &name, SECRET, false, &activation), Err(Failure::Exists));
        assert!(volume.is_open(&name) && !volume.is_open("nothing"));
        assert_eq!(volume.deactivate(&name), Ok(false), "it works, so it stays");
        let other = folder.blank("other", LENGTH);
        assert!(cryptsetup(&[&["luksFormat", "--key-file=-"], FAST, &[word(&other)]].concat(), SECRET));
        assert!(!load(&other, None, "").unwrap().is_open(&name));
        close(&name);
    }
}

#[test]
#[ignore = "needs root and device-mapper"]
fn half_made_mappings_go() {
    let _alone = alone();
    let folder = Folder::new("mapped-half");
    let image = folder.blank("image", LENGTH);
    assert!(cryptsetup(&[&["luksFormat", "--key-file=-"], FAST, &[word(&image)]].concat(), SECRET));
    let volume = load(&image, None, "").unwrap();
    let name = name("half");
    let make = |uuid: &str| {
        let made = Command::new("dmsetup").args(["create", "--notable", "--uuid", uuid, &name]).status();
        assert!(made.expect("start dmsetup (package dmsetup)").success());
    };
    let uuid = volume.uuid().unwrap().replace('-', "");
    make(&format!("CRYPT-LUKS2-{uuid}-{name}"));
    assert!(!volume.is_open(&name) && volume.is(&dm::mapping(&name).unwrap(), &name));
    assert_eq!(volume.deactivate(&name), Ok(true));
    assert_eq!(dm::mapping(&name), None);
    assert_eq!(volume.deactivate(&name), Ok(false));
    make(&format!("CRYPT-LUKS2-{}-{name}", "0".repeat(32)));
    assert_eq!(volume.deactivate(&name), Ok(false), "it is somebody else's");
    assert!(dm::remove(&name));
}

#[test]
#[ignore = "needs root and device-mapper"]
fn authenticated_volumes() {
    let _alone = alone();
    let folder = Folder::new("mapped-integrity");
    let image = folder.blank("image", LENGTH);
    let arguments = ["luksFormat", "--key-file=-", "--integrity=hmac-sha256", "--cipher=aes-xts-plain64"];
    assert!(cryptsetup(&[&arguments, FAST, &[word(&image)]].concat(), SECRET));
    let volume = load(&image, None, "").unwrap();
    let name = name("integrity");
    // Discards are not refused but left out.
    let activation = Activation { discards: Some(true), ..Activation::default() };
    assert_eq!(map(&volume, &name, SECRET, false, &activation), Ok(()));
    assert!(data(&name).iter().all(|byte| *byte == 0) || data(&name).len() == 256 << 10);
    assert!(volume.is(&dm::mapping(&name).unwrap(), &name));
    close(&name);
}
