//! Disks: a table from name to recipe, made without root.
//!
//! `mke2fs -d` makes the file system from a folder and `cryptsetup reencrypt --encrypt` encrypts the
//! plain file in place: neither needs a mount or device-mapper. Made once, then kept in the cache
//! under a hash of everything that went in.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, SystemTime};

use crate::failure::{Context, Failure, Result, fail};
use crate::tool::{Tools, output, run};

/// How a disk is made.
#[derive(Hash)]
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    pub(crate) passphrase: &'static str,
    /// Whether a program that can be init is on it.
    init: bool,
    /// Words for cryptsetup that decide the keyslot.
    keyslot: &'static [&'static str],
}

/// The smallest Argon2id that cryptsetup allows: a guess costs nothing, even in TCG.
const LIGHT: &[&str] =
    &["--pbkdf", "argon2id", "--pbkdf-memory", "32", "--pbkdf-parallel", "1", "--pbkdf-force-iterations", "4"];
/// 32 MiB in four lanes: what a real header does, with threads and memory, in two seconds of TCG.
const REAL: &[&str] =
    &["--pbkdf", "argon2id", "--pbkdf-memory", "32768", "--pbkdf-parallel", "4", "--pbkdf-force-iterations", "4"];
/// 128 MiB: long enough to watch.
const SLOW: &[&str] =
    &["--pbkdf", "argon2id", "--pbkdf-memory", "131072", "--pbkdf-parallel", "4", "--pbkdf-force-iterations", "4"];

/// 120 letters and digits.
const LONGEST: &str = "thequickbrownfoxjumpsoverlazydogs1234567890packmyboxwithfivedozenliquorjugs\
                       0987654321sphinxofblackquartzjudgemyvow135792468";

const RECIPES: &[Recipe] = &[
    Recipe { name: "light", passphrase: "horse", init: true, keyslot: LIGHT },
    Recipe { name: "symbols", passphrase: "aB3$z", init: true, keyslot: LIGHT },
    Recipe { name: "real", passphrase: "battery", init: true, keyslot: REAL },
    // Letters next to each other and far apart, none twice in a row.
    Recipe { name: "long", passphrase: "thequickbrownfoxjumpsoverlazyd", init: true, keyslot: LIGHT },
    // Half of what a passphrase may have; none twice in a row.
    Recipe { name: "longest", passphrase: LONGEST, init: true, keyslot: LIGHT },
    Recipe { name: "no-init", passphrase: "horse", init: false, keyslot: LIGHT },
    // What only the keymap of that country types, or no US one.
    Recipe { name: "german", passphrase: "Große€ê", init: true, keyslot: LIGHT },
    Recipe { name: "french", passphrase: "reçu19€êŵ", init: true, keyslot: LIGHT },
    Recipe { name: "russian", passphrase: "дом7Zz", init: true, keyslot: LIGHT },
    Recipe { name: "international", passphrase: "naïf€", init: true, keyslot: LIGHT },
    Recipe { name: "demo", passphrase: "Blue$Horse", init: true, keyslot: SLOW },
];

/// Sizes: 16 MiB of file system, 8 MiB for the header.
const ROOT_MIB: u64 = 16;
const HEADER_MIB: u64 = 8;
/// Raise it when the way of making changes.
const VERSION: u32 = 2;
/// Images that nobody used for this time go; another branch may want them before.
const KEEP: Duration = Duration::from_secs(7 * 24 * 3600);

/// Deletes old images, and work folders that a killed run left. What cannot be deleted stays.
pub(crate) fn prune(tools: &Tools) {
    let Ok(entries) = fs::read_dir(tools.images()) else { return };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|used| used.elapsed().ok());
        if age.is_none_or(|age| age < KEEP) {
            continue;
        }
        let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
    }
}

/// The recipe of that name.
pub(crate) fn recipe(name: &str) -> Result<&'static Recipe> {
    let found = RECIPES.iter().find(|recipe| recipe.name == name);
    found.ok_or_else(|| Failure(format!("no disk {name:?} in the table")))
}

impl Recipe {
    /// What /etc/marker inside the volume says.
    pub(crate) fn marker(&self) -> String {
        format!("plaintext-of-{}", self.name)
    }

    /// The image, made now or earlier. Whoever boots from it must not write to it.
    pub(crate) fn image(&self, tools: &Tools, proof: &Path) -> Result<PathBuf> {
        // One at a time: two cases may want the same new image.
        static MAKING: Mutex<()> = Mutex::new(());
        let _guard = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let init = fs::read(proof).context(format_args!("read {}", proof.display()))?;
        let folder = tools.images();
        let image = folder.join(self.file(&init));
        if let Ok(file) = File::options().write(true).open(&image) {
            // Of the last use: `prune` goes by it.
            file.set_modified(SystemTime::now()).context(format_args!("touch {}", image.display()))?;
            return Ok(image);
        }
        let work = folder.join(format!(".{}-{}", self.name, std::process::id()));
        let made = self.make(tools, &init, &work).and_then(|raw| {
            fs::rename(&raw, &image).context(format_args!("rename {} to {}", raw.display(), image.display()))
        });
        // Nothing depends on the work folder any more; what went wrong is in `made`.
        let _ = fs::remove_dir_all(&work);
        made.context(format_args!("make disk {}", self.name))?;
        Ok(image)
    }

    /// The name of the image, which changes with anything that is in it.
    fn file(&self, init: &[u8]) -> String {
        let mut hasher = DefaultHasher::new();
        (VERSION, self, init).hash(&mut hasher);
        format!("{}-{:016x}.img", self.name, hasher.finish())
    }

    fn make(&self, tools: &Tools, init: &[u8], work: &Path) -> Result<PathBuf> {
        let (root, raw, key) = (work.join("root"), work.join("raw"), work.join("key"));
        for folder in ["dev", "etc", "proc", "run", "sbin", "sys", "tmp"] {
            let path = root.join(folder);
            fs::create_dir_all(&path).context(format_args!("create {}", path.display()))?;
        }
        if self.init {
            write(&root.join("sbin/init"), init)?;
            executable(&root.join("sbin/init"))?;
        }
        write(&root.join("etc/marker"), self.marker().as_bytes())?;
        write(&key, self.passphrase.as_bytes())?;
        resize(&raw, ROOT_MIB)?;
        run(Command::new(tools.program("mke2fs"))
            .args(["-q", "-t", "ext4", "-E", "root_owner=0:0", "-d"])
            .args([&root, &raw]))?;
        resize(&raw, ROOT_MIB + HEADER_MIB)?;
        let mut encrypt = Command::new(tools.program("cryptsetup"));
        // The lock is a file that only root may make; nobody else knows of this image yet.
        encrypt.args([
            "reencrypt",
            "--encrypt",
            "--disable-locks",
            "--batch-mode",
            "--type",
            "luks2",
            "--resilience",
            "none",
        ]);
        encrypt.args(["--force-offline-reencrypt", "--reduce-device-size", &format!("{HEADER_MIB}M")]);
        encrypt.args(self.keyslot).arg("--key-file").args([&key, &raw]);
        run(&mut encrypt)?;
        self.check(tools, &raw, work)?;
        Ok(raw)
    }

    /// A new image opens with its passphrase and with no other.
    fn check(&self, tools: &Tools, raw: &Path, work: &Path) -> Result<()> {
        let key = work.join("guess");
        for (guess, wanted) in [(self.passphrase.to_owned(), 0), (format!("{}x", self.passphrase), 2)] {
            write(&key, guess.as_bytes())?;
            let mut open = Command::new(tools.program("cryptsetup"));
            open.args(["open", "--test-passphrase", "--disable-locks", "--batch-mode", "--key-file"]).args([&key, raw]);
            let output = output(&mut open)?;
            if output.status.code() != Some(wanted) {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                return fail(format!("passphrase {guess:?}: {}, expected {wanted}: {text}", output.status));
            }
        }
        Ok(())
    }
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::write(path, content).context(format_args!("write {}", path.display()))
}

fn executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, mode).context(format_args!("chmod {}", path.display()))
}

fn resize(path: &Path, mib: u64) -> Result<()> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    file.and_then(|file| file.set_len(mib << 20)).context(format_args!("resize {}", path.display()))
}
