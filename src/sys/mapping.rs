//! Mappings of device-mapper, as sysfs tells of them (drivers/md/dm-sysfs.c).

use std::fs;
use std::path::{Path, PathBuf};

/// A mapping that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Device-mapper's UUID; libcryptsetup's is `CRYPT-LUKS2-`, the header's without dashes, `-` and the name.
    pub uuid: String,
    /// Whether it has a table and is not suspended: one that is being made has none yet.
    pub is_live: bool,
}

/// The name of a mapping that libcryptsetup made.
pub fn first() -> Option<String> {
    let mut mappings = all(Path::new("/sys/class/block"));
    mappings.sort();
    mappings.into_iter().find(|(_, uuid, _)| uuid.starts_with("CRYPT-")).map(|(_, _, name)| name)
}

impl Mapping {
    /// The mapping called `name`; `None` also without sysfs.
    pub fn named(name: &str) -> Option<Self> {
        Self::below(Path::new("/sys/class/block"), name)
    }

    fn below(class: &Path, name: &str) -> Option<Self> {
        let (folder, uuid, _) = all(class).into_iter().find(|(.., other)| other == name)?;
        let has_table = !matches!(read(&folder, "size").as_str(), "" | "0");
        Some(Self { uuid, is_live: has_table && read(&folder, "dm/suspended") == "0" })
    }

    /// Whether it is of the volume whose header has this UUID, in any way of writing it.
    pub fn is_of(&self, uuid: &str) -> bool {
        let bare: String = uuid.chars().filter(|c| *c != '-').collect();
        !bare.is_empty()
            && self.uuid.starts_with("CRYPT-")
            && self.uuid.split('-').nth(2).is_some_and(|part| part.eq_ignore_ascii_case(&bare))
    }
}

/// Folder, UUID and name of all mappings.
fn all(class: &Path) -> Vec<(PathBuf, String, String)> {
    let folders = fs::read_dir(class).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"dm-"));
    let of = |folder: PathBuf| (read(&folder, "dm/uuid"), read(&folder, "dm/name"), folder);
    folders.map(|entry| of(entry.path())).map(|(uuid, name, folder)| (folder, uuid, name)).collect()
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_found_and_told_apart() {
        let class = std::env::temp_dir().join(format!("fbunlock-mapping-{}", std::process::id()));
        let make = |node: &str, name: &str, uuid: &str, size: &str, suspended: &str| {
            let folder = class.join(node);
            fs::create_dir_all(folder.join("dm")).unwrap();
            for (file, text) in [("dm/name", name), ("dm/uuid", uuid), ("dm/suspended", suspended), ("size", size)] {
                fs::write(folder.join(file), format!("{text}\n")).unwrap();
            }
        };
        make("dm-0", "root", "CRYPT-LUKS2-3f1a00000000400080000000000000aa-root", "4096", "0");
        make("dm-1", "half", "CRYPT-LUKS1-bb-half", "0", "0");
        make("dm-2", "still", "LVM-cc", "8", "1");
        fs::create_dir_all(class.join("sda")).unwrap();
        let root = Mapping::below(&class, "root").unwrap();
        assert!(root.is_live && root.is_of("3F1A0000-0000-4000-8000-0000000000aa"));
        assert!(!root.is_of("3f1a") && !root.is_of("") && !root.is_of("root-"));
        assert!(!Mapping::below(&class, "half").unwrap().is_live);
        let still = Mapping::below(&class, "still").unwrap();
        assert!(!still.is_live && !still.is_of("cc"));
        assert_eq!(Mapping::below(&class, "sda"), None);
        assert_eq!(Mapping::below(&class.join("none"), "root"), None);
        fs::remove_dir_all(class).unwrap();
    }
}
