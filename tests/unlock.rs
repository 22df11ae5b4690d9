//! `fbunlock unlock --test-passphrase` on image files: the whole way to libcryptsetup and back, with
//! neither root, framebuffer nor device-mapper.
//!
//! `FBUNLOCK_PROGRAM` names another program than the one that cargo built for the tests, and
//! `FBUNLOCK_EMULATOR` what starts it: `tests/units` tries those of other processors so.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nix::pty::openpty;

/// A folder of files for one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fbunlock-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("create a folder");
        Self(path)
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).expect("write a file");
        path
    }

    /// An image with a LUKS header that `secret` opens, as cheap as headers get.
    fn image(&self, kind: &[&str]) -> PathBuf {
        self.image_for(kind, b"secret")
    }

    fn image_for(&self, kind: &[&str], secret: &[u8]) -> PathBuf {
        let image = self.file("image", &[]);
        fs::File::options().write(true).open(&image).and_then(|file| file.set_len(20 << 20)).expect("grow the image");
        let mut format = Command::new("cryptsetup");
        format.env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()));
        format.args(["luksFormat", "--batch-mode", "--key-file=-"]).args(kind).arg(&image);
        let mut running = format.stdin(Stdio::piped()).spawn().expect("start cryptsetup (package cryptsetup-bin)");
        running.stdin.take().expect("a pipe").write_all(secret).expect("give the passphrase");
        assert!(running.wait().expect("wait for cryptsetup").success());
        image
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn program() -> Command {
    let path = std::env::var_os("FBUNLOCK_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_fbunlock").into());
    match std::env::var_os("FBUNLOCK_EMULATOR").filter(|emulator| !emulator.is_empty()) {
        None => Command::new(path),
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.arg(path);
            command
        }
    }
}

fn unlock(image: &Path, key: &Path) -> Output {
    let mut command = program();
    command.args(["unlock", "--test-passphrase", "--device-timeout", "1", "--device"]).arg(image);
    command.arg("--key-file").arg(key).stdin(Stdio::null());
    command.output().expect("start fbunlock")
}

/// Exit status and message, for one case.
fn expect(output: &Output, status: i32, message: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.contains(message), "{text}");
    assert!(!text.contains("secret"), "the passphrase was printed: {text}");
    assert!(output.stdout.is_empty());
}

const ARGON2: &[&str] =
    &["--type=luks2", "--pbkdf=argon2id", "--pbkdf-memory=32", "--pbkdf-parallel=1", "--pbkdf-force-iterations=4"];
const PBKDF2: &[&str] = &["--type=luks2", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000"];
const LUKS1: &[&str] = &["--type=luks1", "--pbkdf-force-iterations=1000"];

#[test]
fn right_and_wrong_passphrases() {
    for (name, kind) in [("argon2", ARGON2), ("pbkdf2", PBKDF2), ("luks1", LUKS1)] {
        let folder = Folder::new(name);
        let image = folder.image(kind);
        expect(&unlock(&image, &folder.file("right", b"secret")), 0, "");
        for wrong in ["secret\n", "secre", "secretx", "Secret"] {
            expect(&unlock(&image, &folder.file("wrong", wrong.as_bytes())), 2, "Wrong passphrase");
        }
    }
}

#[test]
fn what_is_no_volume_says_so() {
    let folder = Folder::new("bad");
    let key = folder.file("key", b"secret");
    expect(&unlock(Path::new("/nonexistent"), &key), 4, "The device is not there");
    expect(&unlock(&folder.file("empty", b""), &key), 4, "");
    expect(&unlock(&folder.file("zeros", &[0; 1 << 20]), &key), 4, "not a LUKS volume");
    let image = folder.image(ARGON2);
    expect(&unlock(&image, Path::new("/nonexistent")), 1, "ENOENT");
    expect(&unlock(&image, &folder.file("long", &vec![b'x'; (8 << 20) + 1])), 1, "more than 8388608 bytes");
    // Both copies of the header are damaged.
    let mut bytes = fs::read(&image).unwrap();
    bytes[100..40_000].fill(0);
    expect(&unlock(&folder.file("damaged", &bytes), &key), 4, "");
    // Cut off within the keyslots.
    fs::File::options().write(true).open(&image).and_then(|file| file.set_len(40_000)).unwrap();
    let cut = unlock(&image, &key);
    assert!(!cut.status.success() && cut.status.code().is_some_and(|code| (2..=5).contains(&code)), "{cut:?}");
}

#[test]
fn a_device_that_goes_away_is_not_in_use() {
    let folder = Folder::new("gone");
    let image = folder.image(ARGON2);
    let pty = openpty(None, None).unwrap();
    let mut command = program();
    command.args(["unlock", "--test-passphrase", "--framebuffer", "/nonexistent", "--device"]).arg(&image);
    let mut running = command.stdin(pty.slave).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(running.stderr.take().unwrap()).lines().map(|line| line.unwrap());
    assert!(lines.any(|line| line.ends_with("press Enter")));
    fs::remove_file(&image).unwrap();
    fs::File::from(pty.master.try_clone().unwrap()).write_all(b"secret\r").unwrap();
    let last = lines.last().unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(4), "{last}");
    assert!(last.ends_with("The device vanished"), "{last}");
}

#[test]
fn key_files_may_be_as_long_as_cryptsetups() {
    // 2048 and 4096 bytes are what people make with dd.
    for length in [2048, 4096, 8 << 20] {
        let folder = Folder::new(&format!("key-{length}"));
        let key: Vec<u8> = (0..length).map(|at| (at * 7 + at / 251) as u8).collect();
        let image = folder.image_for(PBKDF2, &key);
        expect(&unlock(&image, &folder.file("key", &key)), 0, "");
        expect(&unlock(&image, &folder.file("key", &key[1..])), 2, "Wrong passphrase");
    }
}

#[test]
fn random_headers_end_with_an_exit_status() {
    let folder = Folder::new("noise");
    let image = fs::read(folder.image(ARGON2)).unwrap();
    let key = folder.file("key", b"wrong");
    let mut noise = 0x1234_5678_u32;
    let mut next = |below: usize| {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        noise as usize % below
    };
    for _ in 0..40 {
        let mut damaged = image.clone();
        for _ in 0..=next(20) {
            let at = next(0x8000);
            damaged[at] = next(256) as u8;
        }
        let output = unlock(&folder.file("damaged", &damaged), &key);
        let code = output.status.code();
        assert!(
            code.is_some_and(|code| (2..=5).contains(&code)),
            "{code:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
