//! Kernel modules: which exist, what they need, in which order they load.
//!
//! The files that depmod(8) writes into a kernel's modules folder are read as text; formats as in
//! modules.dep(5) and depmod.d(5).

mod order;
pub mod parameter;
pub mod selection;
pub mod set;
mod table;

pub use order::Load;
pub use table::{Found, Softdep, Tables, Texts};

/// A module's name as the kernel spells it: `-` and `_` are the same, and `_` is what counts.
pub fn name(word: &str) -> String {
    word.replace('-', "_")
}

/// The name of the module in a file: `kernel/drivers/hid/hid-generic.ko.xz` is `hid_generic`.
/// `None` if the path is not that of a module.
pub fn name_of(path: &str) -> Option<String> {
    let file = path.rsplit('/').next()?;
    let (stem, suffix) = file.split_once(".ko")?;
    let known = suffix.is_empty() || suffix.starts_with('.');
    (known && !stem.is_empty()).then(|| name(stem))
}

/// Spelling of names.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_the_stem_with_underscores() {
        let cases = [
            ("kernel/drivers/hid/hid-generic.ko.xz", Some("hid_generic")),
            ("ext4.ko", Some("ext4")),
            ("a/b.ko.zst", Some("b")),
            ("a/b.koala", None),
            ("a/.ko", None),
            ("a/b.txt", None),
        ];
        for (path, expected) in cases {
            assert_eq!(name_of(path).as_deref(), expected, "{path}");
        }
    }
}
