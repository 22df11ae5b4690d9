//! Headers laid out by their specifications, those that the real tools write, damage, and noise.
//!
//! The hand-made ones are there because their tools are not on every machine.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;
use crate::model::noise::Noise;

const UUID: &str = "00010203-0405-0607-0809-0a0b0c0d0e0f";

/// An image of which some bytes are not zero.
fn image(size: usize, parts: &[(usize, &[u8])]) -> Vec<u8> {
    let mut image = vec![0; size];
    for (at, bytes) in parts {
        image[*at..*at + bytes.len()].copy_from_slice(bytes);
    }
    image
}

fn uuid_bytes() -> Vec<u8> {
    (0..16).collect()
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Kind, UUID, label.
fn found(image: &[u8]) -> Option<(Kind, Option<String>, Option<String>)> {
    let mut medium = image;
    probe(&mut medium).map(|block| (block.kind, block.uuid, block.label))
}

fn expected(kind: Kind, uuid: &str, label: &str) -> Option<(Kind, Option<String>, Option<String>)> {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Some((kind, some(uuid), some(label)))
}

fn xfs() -> Vec<u8> {
    image(4096, &[(0, b"XFSB"), (32, &uuid_bytes()), (108, b"twelve_bytes"), (120, b"x")])
}

fn btrfs() -> Vec<u8> {
    let at = 0x1_0000;
    image(0x1_1000, &[(at + 64, b"_BHRfS_M"), (at + 32, &uuid_bytes()), (at + 299, b"b label")])
}

fn f2fs() -> Vec<u8> {
    let parts: [(usize, &[u8]); 3] =
        [(1024, &0xf2f5_2010_u32.to_le_bytes()), (1132, &uuid_bytes()), (1148, &wide("läbel"))];
    image(4096, &parts)
}

/// FAT16 of 4 sectors a cluster, one reserved sector, two tables of 8 sectors.
fn fat16(boot_label: &[u8], entry: &[u8]) -> Vec<u8> {
    let root = (1 + 2 * 8) * 512;
    let parts: [(usize, &[u8]); 8] = [
        (11, &[0, 2, 4, 1, 0, 2]),
        (22, &[8, 0]),
        (39, &[0xef, 0xcd, 0xab, 0x12]),
        (43, boot_label),
        (54, b"FAT16   "),
        (510, &[0x55, 0xaa]),
        (root, b"A FILE     \x20"),
        (root + 32, entry),
    ];
    image(32 << 10, &parts)
}

/// FAT32 of 2 sectors a cluster, 32 reserved sectors, two tables of 8 sectors, the root in cluster 3.
fn fat32() -> Vec<u8> {
    let root = (32 + 2 * 8 + 2) * 512;
    let parts: [(usize, &[u8]); 8] = [
        (11, &[0, 2, 2, 32, 0, 2]),
        (36, &[8, 0, 0, 0]),
        (44, &[3, 0, 0, 0]),
        (67, &[0xef, 0xcd, 0xab, 0x12]),
        (71, b"NO NAME    "),
        (82, b"FAT32   "),
        (510, &[0x55, 0xaa]),
        (root, b"MY KEYS    \x08"),
    ];
    image(64 << 10, &parts)
}

/// exFAT of 512 bytes a sector and 8 sectors a cluster; clusters begin at sector 16, the root is in the third.
fn exfat() -> Vec<u8> {
    let label = wide("exläbel");
    let root = (16 + 8) * 512;
    let parts: [(usize, &[u8]); 8] = [
        (3, b"EXFAT   "),
        (88, &[16, 0, 0, 0]),
        (96, &[3, 0, 0, 0]),
        (100, &[0xef, 0xcd, 0xab, 0x12]),
        (108, &[9, 3]),
        (510, &[0x55, 0xaa]),
        (root, &[0x83, 7]),
        (root + 2, &label),
    ];
    image(32 << 10, &parts)
}

fn bitlocker() -> Vec<u8> {
    let identifier = [0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01];
    let metadata = 0x2000;
    let parts: [(usize, &[u8]); 5] = [
        (3, b"-FVE-FS-"),
        (160, &identifier),
        (176, &[0, 0x20]),
        (metadata, b"-FVE-FS-"),
        (metadata + 80, &uuid_bytes()),
    ];
    image(0x4000, &parts)
}

fn verity() -> Vec<u8> {
    image(4096, &[(0, b"verity\0\0\x01\0\0\0\x01\0\0\0"), (16, &uuid_bytes())])
}

#[test]
fn by_specification() {
    let mut vista = bitlocker();
    vista[160] = 0;
    let cases = [
        (xfs(), expected(Kind::Xfs, UUID, "twelve_bytes")),
        (btrfs(), expected(Kind::Btrfs, UUID, "b label")),
        (f2fs(), expected(Kind::F2fs, UUID, "läbel")),
        (fat16(b"BOOT       ", b"ROOT       \x08"), expected(Kind::Vfat, "12ab-cdef", "ROOT")),
        (fat16(b"BOOT       ", b"\xe5OOT       \x08"), expected(Kind::Vfat, "12ab-cdef", "BOOT")),
        (fat16(b"NO NAME    ", b"long       \x0f"), expected(Kind::Vfat, "12ab-cdef", "")),
        (fat32(), expected(Kind::Vfat, "12ab-cdef", "MY KEYS")),
        (exfat(), expected(Kind::Exfat, "12ab-cdef", "exläbel")),
        (bitlocker(), expected(Kind::Bitlocker, "03020100-0504-0706-0809-0a0b0c0d0e0f", "")),
        (vista, expected(Kind::Bitlocker, "", "")),
        (verity(), expected(Kind::Verity, UUID, "")),
        (image(4096, &[(0, b"hsqs")]), expected(Kind::Squashfs, "", "")),
        (image(4096, &[(1024, &0xe0f5_e1e2_u32.to_le_bytes()), (1088, b"e")]), expected(Kind::Erofs, "", "e")),
        (image(4096, &[(510, &[0x55, 0xaa])]), None),
        (image(4096, &[(0, b"LUKS\xba\xbe\0\x03")]), None),
        (image(16, &[]), None),
        (Vec::new(), None),
    ];
    for (image, expected) in cases {
        assert_eq!(found(&image), expected);
    }
}

#[test]
fn file_systems_have_names_for_mount() {
    assert_eq!(Kind::Vfat.filesystem(), Some("vfat"));
    assert_eq!(Kind::Ext.filesystem(), Some("ext4"));
    assert_eq!(Kind::Luks2.filesystem(), None);
}

/// An image file, gone with the test.
struct File(PathBuf);

impl File {
    fn new(name: &str, size: u64) -> Self {
        let path = std::env::temp_dir().join(format!("fbunlock-superblock-{name}-{}", std::process::id()));
        fs::File::create(&path).and_then(|file| file.set_len(size)).unwrap();
        Self(path)
    }

    /// Runs a tool with the file as its last argument.
    fn run(&self, tool: &str, arguments: &[&str]) {
        let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(tool);
        command.env("PATH", path).args(arguments).arg(&self.0).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut running = command.spawn().unwrap_or_else(|error| panic!("{tool}: {error}"));
        // Those that want no secret may be done already.
        let _ = running.stdin.take().unwrap().write_all(b"secret");
        assert!(running.wait().unwrap().success(), "{tool}");
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.0).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

const FORMAT: [&str; 6] =
    ["luksFormat", "--batch-mode", "--key-file=-", "--pbkdf-force-iterations=1000", "--uuid", UUID];

#[test]
fn luks_of_both_versions() {
    let file = File::new("luks1", 4 << 20);
    file.run("cryptsetup", &[FORMAT.as_slice(), &["--type=luks1"]].concat());
    assert_eq!(found(&file.bytes()), expected(Kind::Luks1, UUID, ""));

    let file = File::new("luks2", 20 << 20);
    let options = ["--type=luks2", "--pbkdf=pbkdf2", "--label=my disk", "--subsystem=sub"];
    file.run("cryptsetup", &[FORMAT.as_slice(), &options].concat());
    let mut bytes = file.bytes();
    assert_eq!(found(&bytes), expected(Kind::Luks2, UUID, "my disk"));
    assert_eq!(probe(&mut bytes.as_slice()).unwrap().subsystem.as_deref(), Some("sub"));
    // The first header is lost.
    bytes[..4096].fill(0);
    let second = probe(&mut bytes.as_slice()).unwrap();
    assert!(second.is_second);
    assert_eq!((second.uuid.as_deref(), second.label.as_deref()), (Some(UUID), Some("my disk")));
    // A file system came after it, and did not reach the second one.
    bytes[..4096].copy_from_slice(&xfs());
    assert_eq!(found(&bytes).unwrap().0, Kind::Xfs);
    // The second header says where it lies.
    bytes[..4096].fill(0);
    assert!(found(&bytes).is_some());
    bytes.splice(..0, [0; 0x4000]);
    assert_eq!(found(&bytes), None);
}

#[test]
fn a_file_system_of_mke2fs() {
    let file = File::new("ext", 1 << 20);
    file.run("mke2fs", &["-q", "-F", "-t", "ext4", "-L", "sixteen bytes ok", "-U", UUID]);
    assert_eq!(found(&file.bytes()), expected(Kind::Ext, UUID, "sixteen bytes ok"));
}

#[test]
fn hashes_of_veritysetup() {
    let data = File::new("data", 64 << 10);
    let hash = File::new("hash", 64 << 10);
    hash.run("veritysetup", &["format", "--uuid", UUID, data.0.to_str().unwrap()]);
    assert_eq!(found(&hash.bytes()), expected(Kind::Verity, UUID, ""));
}

#[test]
fn damage_and_noise_never_panic() {
    let mut noise = Noise::new(5_573_589_319_906_701_683);
    let mut random = move || noise.draw() as usize;
    let images =
        [xfs(), f2fs(), fat16(b"BOOT       ", b"ROOT       \x08"), fat32(), exfat(), bitlocker(), verity(), btrfs()];
    for round in 0..8_000 {
        let mut bytes = images[round % images.len()].clone();
        for _ in 0..1 + random() % 16 {
            let at = random() % 512;
            bytes[at] = [0, 1, 0x7f, 0xff, random() as u8][random() % 5];
        }
        bytes.truncate(1 + random() % bytes.len());
        let _ = probe(&mut bytes.as_slice());
    }
}
