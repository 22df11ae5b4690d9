//! Which file system types to try, and mount options as mount(2) wants them.

/// The flags of mount(2) that have words in `rootflags=`. `ro` and `rw` are not among them: they
/// are a setting of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `noatime`
    NoAtime,
    /// `nodiratime`
    NoDirAtime,
    /// `relatime`
    RelAtime,
    /// `strictatime`
    StrictAtime,
    /// `lazytime`
    LazyTime,
    /// `nosuid`
    NoSuid,
    /// `nodev`
    NoDev,
    /// `noexec`
    NoExec,
    /// `sync`
    Sync,
    /// `dirsync`
    DirSync,
}

/// Mount options, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Those that every file system has.
    pub flags: Vec<Flag>,
    /// The rest, separated by commas, for the file system.
    pub data: String,
    /// The last of `ro` and `rw`, if there is one.
    pub rw: Option<bool>,
}

/// Takes `rootflags` apart as mount(8) does with `-o`. `defaults` and the words that concern only
/// fstab fall away.
pub fn flags(text: &str) -> Flags {
    let mut taken = Flags::default();
    for word in text.split(',').map(str::trim) {
        let flag = match word {
            "noatime" => Flag::NoAtime,
            "nodiratime" => Flag::NoDirAtime,
            "relatime" => Flag::RelAtime,
            "strictatime" => Flag::StrictAtime,
            "lazytime" => Flag::LazyTime,
            "nosuid" => Flag::NoSuid,
            "nodev" => Flag::NoDev,
            "noexec" => Flag::NoExec,
            "sync" => Flag::Sync,
            "dirsync" => Flag::DirSync,
            "ro" | "rw" => {
                taken.rw = Some(word == "rw");
                continue;
            }
            "" | "defaults" | "auto" | "noauto" | "nofail" | "_netdev" => continue,
            word if word.starts_with("x-") => continue,
            word => {
                if !taken.data.is_empty() {
                    taken.data.push(',');
                }
                taken.data.push_str(word);
                continue;
            }
        };
        taken.flags.push(flag);
    }
    taken
}

/// The types to try, in order: the wanted ones (separated by commas), or all that the kernel has
/// for block devices, from the text of /proc/filesystems (fs/filesystems.c: a type without a device
/// begins with `nodev`).
pub fn types(wanted: Option<&str>, filesystems: &str) -> Vec<String> {
    let filled = |word: &&str| !word.is_empty();
    if let Some(wanted) = wanted.filter(|word| *word != "auto") {
        return wanted.split(',').map(str::trim).filter(filled).map(str::to_owned).collect();
    }
    let known = filesystems.lines().filter_map(|line| line.strip_prefix('\t')).map(str::trim).filter(filled);
    // fuseblk is no type of its own: it needs a program that serves it.
    let mut types: Vec<String> = known.filter(|word| *word != "fuseblk").map(str::to_owned).collect();
    // ext4 mounts its forerunners; tried as them, it only logs errors.
    if types.iter().any(|word| word == "ext4") {
        types.retain(|word| word != "ext2" && word != "ext3");
    }
    types
}

/// Words and order.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_apart() {
        let taken = flags("noatime,subvol=@,compress=zstd:1,ro,,defaults,x-a=b,nosuid");
        assert_eq!(taken.flags, [Flag::NoAtime, Flag::NoSuid]);
        assert_eq!(taken.data, "subvol=@,compress=zstd:1");
        assert_eq!(taken.rw, Some(false));
        assert_eq!(flags(""), Flags::default());
    }

    #[test]
    fn types_are_the_wanted_or_those_with_a_device() {
        let text = "nodev\tsysfs\nnodev\ttmpfs\n\tfuseblk\n\text3\n\text4\n\txfs\n";
        assert_eq!(types(None, text), ["ext4", "xfs"]);
        assert_eq!(types(Some("auto"), "\text3\n"), ["ext3"]);
        assert_eq!(types(Some("btrfs, xfs"), text), ["btrfs", "xfs"]);
    }
}
