//! What lies where in the initramfs that `fbunlock image` writes and `fbunlock init` runs in.

use std::collections::BTreeMap;

use super::boot::{CONFIG_FILE, LOGO_FILE, MODULES_FILE};
use super::cpio::{Archive, Entry};
use crate::error::Result;

/// Mount points that PID 1 uses. The new root hangs on [`NEW_ROOT`] until it becomes `/`.
const DIRECTORIES: &[&str] = &["dev", "proc", "sys", "run", "newroot"];

/// Where the new root is mounted first.
pub const NEW_ROOT: &str = "/newroot";

/// The content of an initramfs.
#[derive(Clone, Debug, Default)]
pub struct Initramfs {
    /// fbunlock itself, as `/init`.
    pub binary: Vec<u8>,
    /// The picture for above the title, if there is one.
    pub logo: Option<Vec<u8>>,
    /// The text of the config file.
    pub config: String,
    /// The kernel's release, such as `6.1.0-50-amd64`.
    pub release: String,
    /// Modules in loading order: the path in the modules folder and the file, both unpacked.
    pub modules: Vec<(String, Vec<u8>)>,
}

impl Initramfs {
    /// Packs it as newc, entries sorted by name, each with the modification time `mtime_s`.
    ///
    /// # Errors
    /// [`Exit::Parameters`](crate::error::Exit) for a name or a size that the format cannot hold.
    pub fn pack(&self, mtime_s: u32) -> Result<Vec<u8>> {
        let list = self.list();
        let mut entries: BTreeMap<String, (u32, Entry<'_>)> = BTreeMap::new();
        for name in DIRECTORIES {
            entries.insert((*name).to_owned(), (0o755, Entry::Directory));
        }
        // The kernel opens the console before init runs, and the standard library opens the null
        // device when it could not: both have to be there before /dev is mounted.
        let console = Entry::Character { major: 5, minor: 1 };
        let null = Entry::Character { major: 1, minor: 3 };
        let mut files = vec![
            ("dev/console".to_owned(), 0o600, console),
            ("dev/null".to_owned(), 0o666, null),
            ("init".to_owned(), 0o755, Entry::File(&self.binary)),
            (inside(CONFIG_FILE), 0o644, Entry::File(self.config.as_bytes())),
            (inside(MODULES_FILE), 0o644, Entry::File(list.as_bytes())),
        ];
        if let Some(logo) = &self.logo {
            files.push((inside(LOGO_FILE), 0o644, Entry::File(logo)));
        }
        for (path, bytes) in &self.modules {
            files.push((inside(&self.place(path)), 0o644, Entry::File(bytes)));
        }
        for (name, mode, entry) in files {
            for (at, _) in name.match_indices('/') {
                if let Some(parent) = name.get(..at) {
                    entries.entry(parent.to_owned()).or_insert((0o755, Entry::Directory));
                }
            }
            entries.insert(name, (mode, entry));
        }
        let mut archive = Archive::new(mtime_s);
        // Sorted by name, a directory comes before what lies in it.
        for (name, (mode, entry)) in entries {
            archive.add(&name, mode, entry)?;
        }
        Ok(archive.finish())
    }

    /// The text of the list of modules: one absolute path a line.
    fn list(&self) -> String {
        let modules = self.modules.iter();
        modules.map(|(path, _)| self.place(path) + "\n").collect()
    }

    fn place(&self, path: &str) -> String {
        format!("/lib/modules/{}/{path}", self.release)
    }
}

/// The kernel's release that a list of modules is for.
pub fn release_of(list: &str) -> Option<&str> {
    let path = list.lines().next()?.strip_prefix("/lib/modules/")?;
    path.split_once('/').map(|(release, _)| release)
}

fn inside(path: &str) -> String {
    path.trim_start_matches('/').to_owned()
}

/// What is in it; the bytes are cpio's matter.
#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Initramfs {
        Initramfs {
            binary: b"elf".to_vec(),
            logo: Some(b"qoif".to_vec()),
            config: "tries = \"1\"\n".to_owned(),
            release: "6.1.0".to_owned(),
            modules: vec![("kernel/b.ko".to_owned(), b"B".to_vec()), ("kernel/a.ko".to_owned(), b"A".to_vec())],
        }
    }

    #[test]
    fn list_keeps_the_loading_order() {
        let list = sample().list();
        assert_eq!(list, "/lib/modules/6.1.0/kernel/b.ko\n/lib/modules/6.1.0/kernel/a.ko\n");
        assert_eq!(release_of(&list), Some("6.1.0"));
        assert_eq!(release_of(""), None);
    }

    #[test]
    fn packing_twice_gives_equal_bytes() {
        let bytes = sample().pack(0).unwrap();
        assert_eq!(bytes, sample().pack(0).unwrap());
        assert_ne!(bytes, sample().pack(1).unwrap());
    }
}
