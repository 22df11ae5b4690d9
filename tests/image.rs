//! `fbunlock image` from a modules folder to the archive, read back by a reader of its own.

// A test that fails may panic.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RELEASE: &str = "6.1.0-test";

/// A folder of a test, with a modules folder and a static program in it.
struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        let bench = Self { folder };
        bench.put(&format!("{RELEASE}/modules.dep"), DEP.as_bytes());
        bench.put(&format!("{RELEASE}/modules.builtin"), b"kernel/fs/btrfs/btrfs.ko\n");
        bench.put(&format!("{RELEASE}/modules.softdep"), b"softdep ext4 pre: crypto-crc32c\n");
        bench.put(&format!("{RELEASE}/modules.alias"), ALIAS.as_bytes());
        for name in ["fs/ext4/ext4", "drivers/md/dm-crypt", "crypto/xts", "extra/odd-thing"] {
            bench.put(&format!("{RELEASE}/kernel/{name}.ko"), &module(name));
        }
        bench.put(&format!("{RELEASE}/kernel/drivers/md/dm-mod.ko.xz"), XZ);
        bench.put(&format!("{RELEASE}/kernel/crypto/crc32c_generic.ko.zst"), ZST);
        bench.put("static", &program(2));
        bench
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Runs `fbunlock image` on the bench with further words.
    fn image(&self, words: &[&str]) -> Output {
        self.image_at(words, None)
    }

    fn image_at(&self, words: &[&str], epoch: Option<&str>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fbunlock"));
        command.current_dir(&self.folder).env_remove("SOURCE_DATE_EPOCH");
        command.args(["image", "--modules-dir", RELEASE, "--binary", "static", "--output", "out"]);
        if let Some(epoch) = epoch {
            command.env("SOURCE_DATE_EPOCH", epoch);
        }
        command.args(words).output().unwrap()
    }

    /// Runs it, expects exit status 1 and no output file, and gives the message.
    fn refused(&self, words: &[&str]) -> String {
        let output = self.image(words);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let names = fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names.filter(|name| name != RELEASE && name != "static" && name != "conf").collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        text
    }

    fn archive(&self) -> BTreeMap<String, Entry> {
        read(&fs::read(self.folder.join("out")).unwrap())
    }
}

const DEP: &str = "\
kernel/fs/ext4/ext4.ko:
kernel/drivers/md/dm-crypt.ko: kernel/drivers/md/dm-mod.ko.xz
kernel/drivers/md/dm-mod.ko.xz:
kernel/crypto/xts.ko:
kernel/crypto/crc32c_generic.ko.zst:
kernel/extra/odd-thing.ko:
";

const ALIAS: &str = "alias crypto-xts xts\nalias crypto-crc32c crc32c_generic\nalias pci:v*d* odd_thing\n";

/// An ELF head for x86-64 of type `kind`, with one program header of type `p_type` if not 0.
fn elf(kind: u8, p_type: u8) -> Vec<u8> {
    let mut bytes = vec![0; 64 + 56];
    bytes[..7].copy_from_slice(b"\x7FELF\x02\x01\x01");
    bytes[16] = kind;
    bytes[18] = 62;
    if p_type != 0 {
        (bytes[32], bytes[54], bytes[56], bytes[64]) = (64, 56, 1, p_type);
    }
    bytes
}

fn module(name: &str) -> Vec<u8> {
    [elf(1, 0), name.as_bytes().to_vec()].concat()
}

/// What [`XZ`] and [`ZST`] hold.
fn unpacked() -> Vec<u8> {
    [&elf(1, 0)[..64], b"packed module"].concat()
}

/// `kind` 2 is a static program; with `PT_INTERP` see the one test that wants it.
fn program(kind: u8) -> Vec<u8> {
    elf(kind, 1)
}

/// An entry, read with no help of the writer.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    ino: u32,
    mode: u32,
    mtime: u32,
    device: (u32, u32),
    data: Vec<u8>,
}

fn read(mut bytes: &[u8]) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    assert_eq!(bytes.len() % 512, 0);
    loop {
        assert_eq!(&bytes[..6], b"070701");
        let field = |index: usize| {
            let text = std::str::from_utf8(&bytes[6 + 8 * index..14 + 8 * index]).unwrap();
            u32::from_str_radix(text, 16).unwrap()
        };
        let (size, name_size) = (field(6) as usize, field(11) as usize);
        let name = std::str::from_utf8(&bytes[110..110 + name_size - 1]).unwrap().to_owned();
        assert_eq!(bytes[110 + name_size - 1], 0);
        let data_at = (110 + name_size).next_multiple_of(4);
        if name == "TRAILER!!!" {
            return entries;
        }
        if let Some((parent, _)) = name.rsplit_once('/') {
            assert!(entries.contains_key(parent), "{name} comes before its directory");
        }
        let entry = Entry {
            ino: field(0),
            mode: field(1),
            mtime: field(5),
            device: (field(9), field(10)),
            data: bytes[data_at..data_at + size].to_vec(),
        };
        assert_eq!((field(2), field(3)), (0, 0), "{name} is root's");
        assert_eq!(entry.ino as usize, entries.len() + 1);
        assert!(entries.insert(name, entry).is_none());
        bytes = &bytes[(data_at + size).next_multiple_of(4)..];
    }
}

fn list(archive: &BTreeMap<String, Entry>) -> Vec<String> {
    let text = String::from_utf8(archive["etc/fbunlock/modules"].data.clone()).unwrap();
    let prefix = format!("/lib/modules/{RELEASE}/kernel/");
    text.lines().map(|line| line.strip_prefix(&prefix).unwrap().to_owned()).collect()
}

#[test]
fn an_image_holds_what_a_boot_needs() {
    let bench = Bench::new("whole");
    let output = bench.image(&["--device", "/dev/vda2", "--allow-discards", "--module", "odd_thing"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("of which 6 modules for 6.1.0-test"), "{told}");
    let archive = bench.archive();
    assert_eq!(archive["init"].mode, 0o100_755);
    assert_eq!(archive["init"].data, program(2));
    assert_eq!((archive["dev/console"].mode, archive["dev/console"].device), (0o020_600, (5, 1)));
    assert_eq!((archive["dev/null"].mode, archive["dev/null"].device), (0o020_666, (1, 3)));
    for directory in ["dev", "proc", "sys", "run", "newroot"] {
        assert_eq!(archive[directory].mode, 0o040_755);
    }
    let config = String::from_utf8(archive["etc/fbunlock/config"].data.clone()).unwrap();
    assert_eq!(config, "device = \"/dev/vda2\"\nallow_discards = \"yes\"\n");
    assert!(archive.values().all(|entry| entry.mtime == 0));
    assert_eq!(
        list(&archive),
        [
            "drivers/md/dm-mod.ko",
            "crypto/xts.ko",
            "drivers/md/dm-crypt.ko",
            "crypto/crc32c_generic.ko",
            "fs/ext4/ext4.ko",
            "extra/odd-thing.ko"
        ]
    );
    let file = |name: &str| &archive[&format!("lib/modules/{RELEASE}/kernel/{name}")].data;
    assert_eq!(file("fs/ext4/ext4.ko"), &module("fs/ext4/ext4"));
    assert_eq!(file("drivers/md/dm-mod.ko"), &unpacked());
    assert_eq!(file("crypto/crc32c_generic.ko"), &unpacked());
}

#[test]
fn an_image_says_nothing_of_the_host_and_is_the_same_each_time() {
    let bench = Bench::new("same");
    assert!(bench.image(&[]).status.success());
    let first = fs::read(bench.folder.join("out")).unwrap();
    assert!(bench.image(&[]).status.success(), "an old image is replaced");
    assert_eq!(first, fs::read(bench.folder.join("out")).unwrap());
    let host = bench.folder.to_str().unwrap().as_bytes();
    assert!(!first.windows(host.len()).any(|window| window == host));
    assert!(bench.image_at(&[], Some("1700000000")).status.success());
    assert!(bench.archive().values().all(|entry| entry.mtime == 1_700_000_000));
    assert_eq!(bench.image_at(&[], Some("yesterday")).status.code(), Some(1));
}

#[test]
fn built_in_is_no_error_and_absent_is_one() {
    let bench = Bench::new("absent");
    let told = bench.refused(&["--module", "zfs"]);
    assert_eq!(told, "fbunlock: add module zfs: kernel 6.1.0-test has no such module\n");
    assert!(bench.refused(&["--rootfstype", "xfs"]).contains("add module xfs"));
    assert!(bench.image(&["--module", "btrfs", "--no-default-modules"]).status.success());
    assert_eq!(list(&bench.archive()), [""; 0]);
}

#[test]
fn config_file_and_flags_come_together() {
    let bench = Bench::new("config");
    bench.put("conf", b"# mine\nname = crypt\ntries = 5\n");
    assert!(bench.image(&["--config", "conf", "--tries", "0", "--rootfstype", "btrfs"]).status.success());
    let archive = bench.archive();
    let config = String::from_utf8(archive["etc/fbunlock/config"].data.clone()).unwrap();
    assert_eq!(config, "name = \"crypt\"\ntries = \"0\"\nrootfstype = \"btrfs\"\n");
    assert!(!list(&archive).iter().any(|path| path.contains("ext4")));
    fs::remove_file(bench.folder.join("out")).unwrap();
    bench.put("conf", b"name = crypt\ncolour = red\n");
    let told = bench.refused(&["--config", "conf"]);
    assert_eq!(told, "fbunlock: read conf: line 2: colour: no such setting\n");
    let told = bench.refused(&["--on-failure", "panic"]);
    assert!(told.contains("set on_failure to \"panic\": must be retry, wait, poweroff or reboot"), "{told}");
}

#[test]
fn a_logo_goes_in_unless_it_is_broken() {
    const LOGO: &[u8] = include_bytes!("logo.qoi");
    let bench = Bench::new("logo");
    bench.put("conf", LOGO);
    assert!(bench.image(&["--logo", "conf"]).status.success());
    let archive = bench.archive();
    assert_eq!(archive["etc/fbunlock/logo"].data, LOGO);
    let config = String::from_utf8(archive["etc/fbunlock/config"].data.clone()).unwrap();
    assert!(config.contains("logo = \"/etc/fbunlock/logo\"\n"), "{config}");
    // The config's own names a file of this machine.
    let path = bench.folder.join("conf.qoi");
    bench.put("conf.qoi", LOGO);
    bench.put("conf", format!("logo = {}\n", path.display()).as_bytes());
    assert!(bench.image(&["--config", "conf"]).status.success());
    assert_eq!(bench.archive()["etc/fbunlock/logo"].data, LOGO);
    assert!(bench.image(&[]).status.success());
    assert!(!bench.archive().contains_key("etc/fbunlock/logo"));
    fs::remove_file(bench.folder.join("out")).unwrap();
    fs::remove_file(path).unwrap();
    bench.put("conf", &LOGO[..1000]);
    assert_eq!(bench.refused(&["--logo", "conf"]), "fbunlock: use conf: it is cut short\n");
    assert!(bench.refused(&["--logo", "none"]).contains("read none: No such file"));
}

#[test]
fn a_dynamic_program_is_refused() {
    let bench = Bench::new("dynamic");
    bench.put("static", &elf(3, 3));
    let told = bench.refused(&[]);
    assert!(told.contains("use static as /init: it is linked dynamically"), "{told}");
    bench.put("static", b"#!/bin/sh\n");
    assert!(bench.refused(&[]).contains("not an ELF program"));
}

#[test]
fn modules_of_another_machine_are_refused() {
    let bench = Bench::new("machine");
    let mut foreign = program(2);
    foreign[18] = 183;
    bench.put("static", &foreign);
    let told = bench.refused(&[]);
    assert!(told.contains("is for x86-64, the program for AArch64"), "{told}");
}

#[test]
fn damaged_modules_are_refused() {
    let bench = Bench::new("damaged");
    let packed = [("kernel/drivers/md/dm-mod.ko.xz", XZ), ("kernel/crypto/crc32c_generic.ko.zst", ZST)];
    for (path, bytes) in packed {
        let place = format!("{RELEASE}/{path}");
        for length in [0, 5, bytes.len() / 2, bytes.len() - 1] {
            bench.put(&place, &bytes[..length]);
            let told = bench.refused(&[]);
            assert!(told.starts_with(&format!("fbunlock: unpack {place}: ")), "{length}: {told}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x10;
            bench.put(&place, &damaged);
            // The format's spare bits may turn; the content may not.
            if bench.image(&[]).status.success() {
                let archive = bench.archive();
                let (plain, _) = path.rsplit_once('.').unwrap();
                let data = &archive[&format!("lib/modules/{RELEASE}/{plain}")].data;
                assert_eq!(data, &unpacked(), "byte {at} of {path}");
                fs::remove_file(bench.folder.join("out")).unwrap();
            }
        }
        bench.put(&place, bytes);
    }
    bench.put(&format!("{RELEASE}/kernel/crypto/xts.ko"), b"not ELF");
    assert!(bench.refused(&[]).contains("add kernel/crypto/xts.ko: not a kernel module"));
    fs::remove_file(bench.folder.join(RELEASE).join("kernel/crypto/xts.ko")).unwrap();
    let told = bench.refused(&[]);
    assert!(told.contains("read 6.1.0-test/kernel/crypto/xts.ko: No such file or directory"), "{told}");
}

#[test]
fn what_is_no_module_is_not_waited_for() {
    let bench = Bench::new("pipe");
    let odd = bench.folder.join(RELEASE).join("kernel/extra/odd-thing.ko");
    fs::remove_file(&odd).unwrap();
    nix::unistd::mkfifo(&odd, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(bench.refused(&["--module", "odd-thing"]).contains("not a regular file"));
}

#[test]
fn a_release_that_would_break_the_list_of_modules_is_refused() {
    let bench = Bench::new("release");
    fs::rename(bench.folder.join(RELEASE), bench.folder.join("6.1\n")).unwrap();
    std::os::unix::fs::symlink("6.1\n", bench.folder.join(RELEASE)).unwrap();
    let output = bench.image(&[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn broken_folders_are_told() {
    let bench = Bench::new("folders");
    fs::remove_file(bench.folder.join(RELEASE).join("modules.dep")).unwrap();
    let told = bench.refused(&[]);
    assert!(told.contains("open 6.1.0-test/modules.dep: No such file or directory; run depmod"), "{told}");
    let told = bench.refused(&["--modules-dir", "nowhere"]);
    assert_eq!(told, "fbunlock: open nowhere: No such file or directory (ENOENT)\n");
    bench.put(&format!("{RELEASE}/modules.dep"), b"kernel/dm-crypt.ko.gz:\n");
    bench.put(&format!("{RELEASE}/kernel/dm-crypt.ko.gz"), b"\x1F\x8B");
    assert!(bench.refused(&[]).contains("neither .ko nor .ko.xz nor .ko.zst"));
}

#[test]
fn an_unwritable_output_is_told() {
    let bench = Bench::new("output");
    let told = bench.refused(&["--output", "nowhere/out"]);
    assert!(told.ends_with("write nowhere/out: No such file or directory (ENOENT)\n"), "{told}");
    assert!(bench.refused(&["--output", "/dev/full"]).ends_with("write /dev/full: not a regular file\n"));
    assert!(bench.refused(&["--output", RELEASE]).ends_with("not a regular file\n"));
}

/// A limit on file sizes stands for a full disk.
#[test]
fn a_full_disk_leaves_the_old_image() {
    let bench = Bench::new("full");
    bench.put("out", b"old");
    let mut command = Command::new("sh");
    command.current_dir(&bench.folder).args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    command.args([env!("CARGO_BIN_EXE_fbunlock"), "image", "--modules-dir", RELEASE]);
    let output = command.args(["--binary", "static", "--output", "out"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "fbunlock: write out: File too large (EFBIG)\n");
    assert_eq!(fs::read(bench.folder.join("out")).unwrap(), b"old");
    fs::remove_file(bench.folder.join("out")).unwrap();
    bench.refused(&["--modules-dir", "nowhere"]);
}

/// cpio(1) reads the same names, where it is installed.
#[test]
fn cpio_lists_the_same() {
    let bench = Bench::new("cpio");
    assert!(bench.image(&[]).status.success());
    let archive = fs::File::open(bench.folder.join("out")).unwrap();
    let Ok(output) = Command::new("cpio").arg("-t").arg("--quiet").stdin(archive).output() else {
        eprintln!("cpio is not installed");
        return;
    };
    let names = String::from_utf8(output.stdout).unwrap();
    let archive = bench.archive();
    assert!(names.lines().eq(archive.keys()), "{names}");
}

// `xz -9 --check=crc32` and `zstd -19` of an ELF head and the words "packed module".
const XZ: &[u8] = &[
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01, 0x1c, 0x00, 0x00,
    0x00, 0x10, 0xcf, 0x58, 0xcc, 0xe0, 0x00, 0x4c, 0x00, 0x20, 0x5d, 0x00, 0x3f, 0x91, 0x45, 0x84, 0x68, 0x3d, 0x89,
    0xa6, 0xda, 0x9c, 0xa6, 0xac, 0x43, 0xb1, 0xf2, 0xa8, 0x63, 0x8e, 0xfb, 0x64, 0xb2, 0xce, 0xe3, 0x91, 0xe9, 0xa1,
    0xa3, 0x68, 0x39, 0xfd, 0x3f, 0xc0, 0x00, 0x97, 0xa5, 0x11, 0xe3, 0x00, 0x01, 0x38, 0x4d, 0xfd, 0x34, 0x74, 0x3f,
    0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a,
];

const ZST: &[u8] = &[
    0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x4d, 0x0d, 0x01, 0x00, 0xc8, 0x7f, 0x45, 0x4c, 0x46, 0x02, 0x01, 0x01, 0x00, 0x01,
    0x00, 0x3e, 0x00, 0x70, 0x61, 0x63, 0x6b, 0x65, 0x64, 0x20, 0x6d, 0x6f, 0x64, 0x75, 0x6c, 0x65, 0x02, 0x00, 0x01,
    0x43, 0x5e, 0xc0, 0x05, 0x67, 0x45, 0x34, 0x82,
];
