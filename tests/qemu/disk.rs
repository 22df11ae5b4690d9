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
use crate::fat;
use crate::gpt;
use crate::luks2;
use crate::tool::{Tools, output, run};
use crate::tree;

/// How a disk is made.
#[derive(Hash)]
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    pub(crate) passphrase: &'static str,
    /// Whether a program that can be init is on it.
    init: bool,
    /// Words for cryptsetup that decide the keyslot.
    keyslot: &'static [&'static str],
    /// Of the volume, where somebody looks for it by that; else it is made up.
    uuid: &'static str,
    form: Form,
}

/// What is on a disk. Names are those of other recipes.
#[derive(Hash)]
enum Form {
    /// A file system to boot from, encrypted in place.
    Root,
    /// A volume with nothing on it: words for cryptsetup.
    Empty(&'static [&'static str]),
    /// The same, and the header says then that the data is of this cipher: whoever makes it need not have it.
    Other(&'static str),
    /// The header of another volume, and nothing else.
    Header(&'static str),
    /// Another volume without its header.
    Headless(&'static str),
    /// Another volume whose first header is overwritten; the second one is good.
    Wounded(&'static str),
    /// A GUID partition table, and the partitions by their names.
    Parted(&'static [(&'static str, &'static str)]),
    /// A file system of that label with one file, `key`: the passphrase.
    Key(&'static str),
    /// The same as sticks come.
    FatKey(&'static str),
    /// A file system to boot from, not encrypted, and what dm-verity checks it by.
    Tree,
    /// The same on partitions.
    TreeParted(&'static str),
    /// The same with a byte of the data changed, which the file system does not look at.
    TreeCorrupt(&'static str),
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
/// 1 GiB, which is what cryptsetup takes where there is as much.
const HUNGRY: &[&str] =
    &["--pbkdf", "argon2id", "--pbkdf-memory", "1048576", "--pbkdf-parallel", "4", "--pbkdf-force-iterations", "4"];

/// 120 letters and digits.
const LONGEST: &str = "thequickbrownfoxjumpsoverlazydogs1234567890packmyboxwithfivedozenliquorjugs\
                       0987654321sphinxofblackquartzjudgemyvow135792468";

const ROOT: Recipe = Recipe { name: "", passphrase: "horse", init: true, keyslot: LIGHT, uuid: "", form: Form::Root };
const OTHER: Recipe = Recipe { init: false, ..ROOT };

const LUKS1: &[&str] = &["--type", "luks1", "--pbkdf-force-iterations", "1000"];
const LUKS2: &[&str] = &["--type", "luks2", "--luks2-keyslots-size", "1M", "--sector-size", "512"];
/// What the data of a new volume is encrypted by, with a key as long as adiantum's.
const SHORT_KEY: &[&str] = &["--type", "luks2", "--luks2-keyslots-size", "1M", "--key-size", "256"];

const RECIPES: &[Recipe] = &[
    Recipe { name: "light", passphrase: "horse", init: true, keyslot: LIGHT, ..ROOT },
    Recipe { name: "symbols", passphrase: "aB3$z", init: true, keyslot: LIGHT, ..ROOT },
    Recipe { name: "real", passphrase: "battery", init: true, keyslot: REAL, ..ROOT },
    // Letters next to each other and far apart, none twice in a row.
    Recipe { name: "long", passphrase: "thequickbrownfoxjumpsoverlazyd", init: true, keyslot: LIGHT, ..ROOT },
    // Half of what a passphrase may have; none twice in a row.
    Recipe { name: "longest", passphrase: LONGEST, init: true, keyslot: LIGHT, ..ROOT },
    Recipe { name: "no-init", passphrase: "horse", init: false, keyslot: LIGHT, ..ROOT },
    // What only the keymap of that country types, or no US one.
    Recipe { name: "german", passphrase: "Große€ê", init: true, keyslot: LIGHT, ..ROOT },
    Recipe { name: "french", passphrase: "reçu19€êŵ", init: true, keyslot: LIGHT, ..ROOT },
    Recipe { name: "russian", passphrase: "дом7Zz", init: true, keyslot: LIGHT, ..ROOT },
    Recipe { name: "international", passphrase: "naïf€", init: true, keyslot: LIGHT, ..ROOT },
    Recipe { name: "demo", passphrase: "Blue$Horse", init: true, keyslot: SLOW, ..ROOT },
    // Volumes that are looked for by what is on them.
    Recipe { name: "found", uuid: "5eed0001-0000-4000-8000-000000000001", ..ROOT },
    Recipe { name: "home", uuid: "5eed0001-0000-4000-8000-000000000002", form: Form::Empty(LUKS2), ..OTHER },
    Recipe { name: "data", uuid: "5eed0001-0000-4000-8000-000000000003", form: Form::Empty(LUKS2), ..OTHER },
    Recipe { name: "parted", form: Form::Parted(&[("esp", "keys"), ("cryptroot", "found")]), ..ROOT },
    Recipe { name: "keys", form: Form::Key("KEYS"), ..OTHER },
    Recipe { name: "keys-vfat", form: Form::FatKey("KEYS"), ..OTHER },
    // Formats.
    Recipe { name: "luks1", keyslot: &[], form: Form::Empty(LUKS1), ..OTHER },
    Recipe { name: "adiantum", form: Form::Other("xchacha12,aes-adiantum-plain64"), ..OTHER },
    Recipe { name: "header", form: Form::Header("found"), ..OTHER },
    Recipe { name: "headless", form: Form::Headless("found"), ..ROOT },
    Recipe { name: "tree", form: Form::Tree, ..ROOT },
    Recipe { name: "tree-parted", form: Form::TreeParted("tree"), ..ROOT },
    Recipe { name: "tree-corrupt", form: Form::TreeCorrupt("tree"), ..ROOT },
    Recipe { name: "wounded", form: Form::Wounded("found"), ..ROOT },
    Recipe { name: "slow", passphrase: "horse", keyslot: SLOW, ..ROOT },
    // More than the machine has.
    Recipe { name: "hungry", passphrase: "horse", keyslot: HUNGRY, ..ROOT },
];

/// Sizes: 16 MiB of file system, 8 MiB for the header.
const ROOT_MIB: u64 = 16;
const HEADER_MIB: u64 = 8;
/// Of a volume with nothing on it, header and all, and of a file system with a key.
const EMPTY_MIB: u64 = 6;
const KEY_MIB: u64 = 1;
/// Bytes of both headers that cryptsetup writes; the data begins behind them, or later.
const HEADER: usize = 4 << 20;
/// Bytes of the first one up to the second.
const FIRST: usize = 16 << 10;
/// Raise it when the way of making changes.
const VERSION: u32 = 4;
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
        let root = self.others().last().and_then(|name| recipe(name).ok()).unwrap_or(self);
        format!("plaintext-of-{}", root.name)
    }

    /// The recipes that it is made of.
    fn others(&self) -> Vec<&'static str> {
        match self.form {
            Form::Root | Form::Empty(_) | Form::Other(_) | Form::Key(_) | Form::FatKey(_) | Form::Tree => Vec::new(),
            Form::Header(other) | Form::Headless(other) | Form::Wounded(other) => vec![other],
            Form::TreeParted(other) | Form::TreeCorrupt(other) => vec![other],
            Form::Parted(parts) => parts.iter().map(|(_, other)| *other).collect(),
        }
    }

    /// The image, made now or earlier. Whoever boots from it must not write to it.
    pub(crate) fn image(&self, tools: &Tools, proof: &Path) -> Result<PathBuf> {
        // One at a time: two cases may want the same new image.
        static MAKING: Mutex<()> = Mutex::new(());
        let _guard = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let init = fs::read(proof).context(format_args!("read {}", proof.display()))?;
        self.made(tools, &init)
    }

    fn made(&self, tools: &Tools, init: &[u8]) -> Result<PathBuf> {
        let others: Vec<PathBuf> =
            self.others().into_iter().map(|name| recipe(name)?.made(tools, init)).collect::<Result<_>>()?;
        let folder = tools.images();
        let image = folder.join(self.file(init, &others));
        if let Ok(file) = File::options().write(true).open(&image) {
            // Of the last use: `prune` goes by it.
            file.set_modified(SystemTime::now()).context(format_args!("touch {}", image.display()))?;
            return Ok(image);
        }
        let work = folder.join(format!(".{}-{}", self.name, std::process::id()));
        let made = self.make(tools, (init, &others), &work).and_then(|raw| {
            fs::rename(&raw, &image).context(format_args!("rename {} to {}", raw.display(), image.display()))
        });
        // Nothing depends on the work folder any more; what went wrong is in `made`.
        let _ = fs::remove_dir_all(&work);
        made.context(format_args!("make disk {}", self.name))?;
        Ok(image)
    }

    /// The name of the image, which changes with anything that is in it.
    fn file(&self, init: &[u8], others: &[PathBuf]) -> String {
        let mut hasher = DefaultHasher::new();
        (VERSION, self, init).hash(&mut hasher);
        others.iter().for_each(|path| path.file_name().hash(&mut hasher));
        format!("{}-{:016x}.img", self.name, hasher.finish())
    }

    fn make(&self, tools: &Tools, (init, others): (&[u8], &[PathBuf]), work: &Path) -> Result<PathBuf> {
        let (raw, key) = (work.join("raw"), work.join("key"));
        fs::create_dir_all(work).context(format_args!("create {}", work.display()))?;
        let read = |path: &PathBuf| fs::read(path).context(format_args!("read {}", path.display()));
        let images: Vec<Vec<u8>> = others.iter().map(read).collect::<Result<_>>()?;
        write(&key, self.passphrase.as_bytes())?;
        match (&self.form, images.as_slice()) {
            (Form::Header(_), [image]) => write(&raw, &image[..HEADER])?,
            (Form::Headless(_), [image]) => write(&raw, &[&[0; HEADER], &image[HEADER..]].concat())?,
            (Form::Wounded(_), [image]) => write(&raw, &[&[0xa5; FIRST], &image[FIRST..]].concat())?,
            (Form::Parted(parts), images) => {
                let named: Vec<_> = parts.iter().map(|(name, _)| *name).zip(images).collect();
                write(&raw, &gpt::disk(&named))?;
            }
            (Form::Key(label), _) => {
                let root = work.join("root");
                fs::create_dir_all(&root).context(format_args!("create {}", root.display()))?;
                write(&root.join("key"), self.passphrase.as_bytes())?;
                resize(&raw, KEY_MIB)?;
                filesystem(tools, &["-O", "^has_journal", "-L", label], &root, &raw)?;
            }
            (Form::Tree, _) => {
                // No smaller than dm-verity's.
                self.filesystem(tools, init, (work, &raw), &["-b", "4096", "-O", "^has_journal,^orphan_file"])?;
                tree::grow(tools, &raw)?;
            }
            (Form::TreeParted(_), [image]) => write(&raw, &tree::parted(image)?)?,
            (Form::TreeCorrupt(_), [image]) => write(&raw, &[&[!image[0]], &image[1..]].concat())?,
            (Form::FatKey(label), _) => write(&raw, &fat::disk(label, self.passphrase.as_bytes()))?,
            (Form::Empty(words), _) => {
                self.format(tools, words, &raw, &key)?;
                self.check(tools, &raw, work)?;
            }
            (Form::Other(cipher), _) => {
                self.format(tools, SHORT_KEY, &raw, &key)?;
                luks2::set_cipher(&raw, cipher)?;
                self.check(tools, &raw, work)?;
            }
            _ => {
                self.encrypt(tools, init, (work, &raw), &key)?;
                self.check(tools, &raw, work)?;
            }
        }
        Ok(raw)
    }

    fn format(&self, tools: &Tools, words: &[&str], raw: &Path, key: &Path) -> Result<()> {
        resize(raw, EMPTY_MIB)?;
        let mut format = Command::new(tools.program("cryptsetup"));
        format.args(["luksFormat", "--disable-locks", "--batch-mode"]).args(self.keyslot).args(words);
        run(format.args(self.identity()).arg("--key-file").args([key, raw])).map(drop)
    }

    fn identity(&self) -> Vec<&'static str> {
        if self.uuid.is_empty() { Vec::new() } else { vec!["--uuid", self.uuid] }
    }

    /// Makes a file system with a program that can be init.
    fn filesystem(&self, tools: &Tools, init: &[u8], (work, raw): (&Path, &Path), words: &[&str]) -> Result<()> {
        let root = work.join("root");
        for folder in ["dev", "etc", "proc", "run", "sbin", "sys", "tmp"] {
            let path = root.join(folder);
            fs::create_dir_all(&path).context(format_args!("create {}", path.display()))?;
        }
        if self.init {
            write(&root.join("sbin/init"), init)?;
            executable(&root.join("sbin/init"))?;
        }
        write(&root.join("etc/marker"), self.marker().as_bytes())?;
        resize(raw, ROOT_MIB)?;
        // The file system's own, which `root=` may name.
        let inside = if self.uuid.is_empty() { "random".to_owned() } else { self.uuid.replace("5eed0001", "5eed00f5") };
        filesystem(tools, &[&["-U", &inside], words].concat(), &root, raw)
    }

    /// Makes a file system and encrypts it.
    fn encrypt(&self, tools: &Tools, init: &[u8], (work, raw): (&Path, &Path), key: &Path) -> Result<()> {
        self.filesystem(tools, init, (work, raw), &[])?;
        resize(raw, ROOT_MIB + HEADER_MIB)?;
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
        encrypt.args(self.keyslot).args(self.identity()).arg("--key-file").args([key, raw]);
        run(&mut encrypt).map(drop)
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

/// An ext4 file system from a folder.
fn filesystem(tools: &Tools, words: &[&str], root: &Path, raw: &Path) -> Result<()> {
    let mut make = Command::new(tools.program("mke2fs"));
    run(make.args(["-q", "-t", "ext4", "-E", "root_owner=0:0"]).args(words).arg("-d").args([root, raw])).map(drop)
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
