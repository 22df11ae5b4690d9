//! `fbunlock unlock --root-hash … --test-passphrase` on image files: root hash, hashes and data are checked by
//! libcryptsetup, with neither root nor device-mapper.
//!
//! `FBUNLOCK_PROGRAM` and `FBUNLOCK_EMULATOR` are what they are for `unlock.rs`.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const BLOCK: usize = 4096;
/// So many that the tree has two levels.
const BLOCKS: usize = 300;

/// A folder of files for one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    /// With a file of random data, `data`.
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fbunlock-verity-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("create a folder");
        let folder = Self(path);
        let mut noise = 0x1234_5678_u32;
        let bytes = (0..BLOCKS * BLOCK).map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        });
        fs::write(folder.at("data"), bytes.collect::<Vec<u8>>()).unwrap();
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A copy of `from` with the byte at `at` turned round.
    fn turn(&self, from: &str, at: usize, to: &str) {
        let mut bytes = fs::read(self.at(from)).unwrap();
        bytes[at] = !bytes[at];
        fs::write(self.at(to), bytes).unwrap();
    }

    fn cut(&self, from: &str, length: usize, to: &str) {
        let bytes = fs::read(self.at(from)).unwrap();
        fs::write(self.at(to), &bytes[..length]).unwrap();
    }

    /// Makes hashes of `data` in `hashes`, and gives the root hash.
    fn format(&self, data: &str, hashes: &str, words: &[&str]) -> String {
        let mut format = Command::new("veritysetup");
        format.env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()));
        format.current_dir(&self.0).arg("format").args(words).args([data, hashes]);
        let output = format.output().expect("start veritysetup (package cryptsetup-bin)");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find_map(|line| line.strip_prefix("Root hash:")).expect("a root hash").trim().to_owned()
    }

    fn test(&self, words: &[&str]) -> Output {
        let path = std::env::var_os("FBUNLOCK_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_fbunlock").into());
        let mut command = match std::env::var_os("FBUNLOCK_EMULATOR").filter(|emulator| !emulator.is_empty()) {
            None => Command::new(path),
            Some(emulator) => {
                let mut command = Command::new(emulator);
                command.arg(path);
                command
            }
        };
        command
            .current_dir(&self.0)
            .args(["unlock", "--test-passphrase", "--device-timeout", "1", "--display-timeout", "0"])
            .args(words);
        command.stdin(Stdio::null()).output().expect("start fbunlock")
    }

    /// Exit status and message of a test of `data` by `hashes`.
    fn expect(&self, (data, hashes, hash): (&str, &str, &str), words: &[&str], status: i32, message: &str) {
        let mut all = vec!["--device", data, "--hash-device", hashes, "--root-hash", hash];
        all.extend(words);
        expect(&self.test(&all), status, message);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn expect(output: &Output, status: i32, message: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.contains(message), "{text}");
}

const CORRUPT: &str = "The data is not what its root hash vouches for";
const WRONG: &str = "The root hash is wrong";

#[test]
fn only_the_right_root_hash_is_taken() {
    let folder = Folder::new("hash");
    let hash = folder.format("data", "hashes", &[]);
    folder.expect(("data", "hashes", &hash), &[], 0, "");
    folder.expect(("data", "hashes", &hash.to_uppercase()), &[], 0, "");
    let other = if hash.starts_with('0') { "1" } else { "0" };
    folder.expect(("data", "hashes", &format!("{other}{}", &hash[1..])), &[], 2, WRONG);
    folder.expect(("data", "hashes", &hash[..62]), &[], 2, WRONG);
    folder.expect(("data", "hashes", &format!("{hash}00")), &[], 2, WRONG);
    folder.expect(("data", "hashes", "xyz"), &[], 1, "must be 32 to 128 hexadecimal digits");
}

#[test]
fn every_block_is_checked() {
    let folder = Folder::new("block");
    let hash = folder.format("data", "hashes", &["--fec-device=fec"]);
    for at in [0, 150 * BLOCK + 7, BLOCKS * BLOCK - 1] {
        folder.turn("data", at, "bad");
        folder.expect(("bad", "hashes", &hash), &[], 4, CORRUPT);
        let fec = format!("fec-device={}", folder.at("fec").display());
        folder.expect(("bad", "hashes", &hash), &["--verity-options", &fec], 0, "repairable");
    }
    // The superblock comes first, then the root's block, then the blocks below.
    folder.turn("hashes", BLOCK, "bad");
    folder.expect(("data", "bad", &hash), &[], 2, WRONG);
    folder.turn("hashes", 2 * BLOCK, "bad");
    folder.expect(("data", "bad", &hash), &[], 4, CORRUPT);
}

#[test]
fn volumes_of_all_shapes() {
    let folder = Folder::new("shape");
    let one = |name: &str| folder.cut("data", BLOCK, name);
    one("one");
    let hash = folder.format("one", "hashes", &[]);
    folder.expect(("one", "hashes", &hash), &[], 0, "");
    folder.turn("one", 9, "bad");
    // Without a tree the root hash is the data's own.
    folder.expect(("bad", "hashes", &hash), &[], 2, WRONG);
    for algorithm in ["sha1", "sha512"] {
        let words = [&format!("--hash={algorithm}"), "--hash-block-size=1024", "--data-block-size=1024", "--salt=-"];
        let hash = folder.format("data", "hashes", &words);
        folder.expect(("data", "hashes", &hash), &[], 0, "");
    }
    let hash = folder.format("data", "bare", &["--no-superblock", "--salt=00ff", "--format=0"]);
    let bare = ["--verity-options", "superblock=no,salt=00ff,format=0"];
    folder.expect(("data", "bare", &hash), &bare, 0, "");
    folder.expect(("data", "bare", &hash), &["--verity-options", "superblock=no,salt=00fe,format=0"], 2, WRONG);
    folder.expect(("data", "bare", &hash), &[], 4, "There is no dm-verity superblock on the hash device");
    // Behind the data, on its device.
    let (end, blocks) = ((BLOCKS * BLOCK).to_string(), BLOCKS.to_string());
    let words = [format!("--hash-offset={end}"), format!("--data-blocks={blocks}")];
    let hash = folder.format("data", "data", &words.each_ref().map(String::as_str));
    let options = format!("hash-offset={end}");
    expect(&folder.test(&["--device", "data", "--root-hash", &hash, "--verity-options", &options]), 0, "");
}

#[test]
fn what_is_missing_is_told() {
    let folder = Folder::new("missing");
    let hash = folder.format("data", "hashes", &[]);
    folder.expect(("nope", "hashes", &hash), &[], 4, "The device is not there");
    folder.expect(("data", "nope", &hash), &[], 4, "The hash device nope is not there");
    folder.cut("data", 100 * BLOCK, "short");
    folder.expect(("short", "hashes", &hash), &[], 4, "The device ends before the volume does");
    folder.cut("hashes", BLOCK, "short");
    folder.expect(("data", "short", &hash), &[], 4, "The device ends before the volume does");
    for none in ["/dev/null", "/tmp"] {
        folder.expect(("data", none, &hash), &[], 4, "There is no dm-verity superblock");
    }
    expect(&folder.test(&["--device", "data", "--hash-device", "hashes"]), 1, "needs --root-hash");
}

#[test]
fn random_superblocks_end_with_an_exit_status() {
    let folder = Folder::new("noise");
    let hash = folder.format("data", "hashes", &[]);
    let whole = fs::read(folder.at("hashes")).unwrap();
    let mut noise = 0x9e37_79b9_u32;
    let mut next = |below: usize| {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        noise as usize % below
    };
    for _ in 0..40 {
        let mut damaged = whole.clone();
        for _ in 0..=next(4) {
            // What has a meaning is in the first 80 bytes; 12 to 32 are the UUID.
            let at = 8 + next(80);
            damaged[at] = next(256) as u8;
        }
        fs::write(folder.at("damaged"), damaged).unwrap();
        let output = folder.test(&["--device", "data", "--hash-device", "damaged", "--root-hash", &hash]);
        let code = output.status.code();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(code.is_some_and(|code| matches!(code, 0 | 2..=4)), "{code:?}: {text}");
        assert!(!text.contains("crashed"), "{text}");
    }
}
