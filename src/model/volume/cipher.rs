//! Ciphers as dm-crypt spells them, and the kernel modules that bring them.

/// A cipher and how it is used: `aes` and `xts-plain64` of `aes-xts-plain64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cipher<'a> {
    /// The cipher, such as `serpent`, or `capi:xts(serpent)`.
    pub name: &'a str,
    /// Mode and IV, such as `cbc-essiv:sha256`.
    pub mode: &'a str,
}

/// What comes in modules of other names.
const MODULES: [(&str, &str); 12] = [
    ("aes", "aes_generic"),
    ("blowfish", "blowfish_generic"),
    ("camellia", "camellia_generic"),
    ("cast5", "cast5_generic"),
    ("cast6", "cast6_generic"),
    ("chacha20", "chacha_generic"),
    ("des3_ede", "des_generic"),
    ("serpent", "serpent_generic"),
    ("sha256", "sha256_generic"),
    ("sha512", "sha512_generic"),
    ("sm4", "sm4_generic"),
    ("twofish", "twofish_generic"),
];

impl<'a> Cipher<'a> {
    /// Takes a specification apart, as libcryptsetup's `crypt_parse_name_and_mode` does.
    pub fn parse(spec: &'a str) -> Self {
        match spec.split_once('-') {
            Some((name, "plain")) if !name.starts_with("capi:") => Self { name, mode: "cbc-plain" },
            Some((name, mode)) => Self { name, mode },
            None if matches!(spec, "null" | "cipher_null") => Self { name: "cipher_null", mode: "ecb" },
            None => Self { name: spec, mode: if spec.starts_with("capi:") { "" } else { "cbc-plain" } },
        }
    }
}

/// What is no algorithm of the kernel's crypto API: ways of making an IV, and what stands for none.
const OTHERS: [&str; 14] = [
    "",
    "benbi",
    "capi",
    "cipher_null",
    "eboiv",
    "ecb",
    "elephant",
    "lmk",
    "null",
    "plain",
    "plain64",
    "plain64be",
    "random",
    "tcw",
];

/// The module that is missing most likely for a specification, by what the kernel has (`/proc/crypto`) after it
/// was asked for the whole. `None` if all is there.
pub fn missing<'a>(spec: &'a str, crypto: &str) -> Option<&'a str> {
    // `aes:64` is loop-AES's, with a count of keys; other names have letters.
    let words = spec.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    for word in words {
        let part = if word.starts_with("xchacha") { "chacha20" } else { word };
        // What combines a cipher and a mode is listed as `xts(aes)`, and its driver as `xts-aes-aesni`.
        if OTHERS.contains(&part) || part.starts_with(|c: char| c.is_ascii_digit()) || crypto.contains(part) {
            continue;
        }
        return Some(MODULES.iter().find(|(name, _)| *name == part).map_or(part, |(_, module)| *module));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_taken_apart() {
        let cases = [
            ("aes-xts-plain64", ("aes", "xts-plain64")),
            ("aes-cbc-essiv:sha256", ("aes", "cbc-essiv:sha256")),
            ("xchacha12,aes-adiantum-plain64", ("xchacha12,aes", "adiantum-plain64")),
            ("aes", ("aes", "cbc-plain")),
            ("aes-plain", ("aes", "cbc-plain")),
            ("null", ("cipher_null", "ecb")),
            ("capi:cbc(aes)-plain64", ("capi:cbc(aes)", "plain64")),
            ("capi:cbc(aes)-plain", ("capi:cbc(aes)", "plain")),
            ("", ("", "cbc-plain")),
        ];
        for (spec, (name, mode)) in cases {
            assert_eq!(Cipher::parse(spec), Cipher { name, mode }, "{spec}");
        }
    }

    #[test]
    fn the_missing_module_is_named() {
        let list = |names: &[&str]| -> String {
            names.iter().map(|name| format!("name         : {name}\ndriver       : {name}-x\n\n")).collect()
        };
        let cases: [(&str, &[&str], Option<&str>); 18] = [
            ("aes-xts-plain64", &[], Some("aes_generic")),
            ("aes-xts-plain64", &["aes", "sha256"], Some("xts")),
            ("aes-xts-plain64", &["aes", "xts(aes)"], None),
            ("aes-xts-plain64", &["__xts(aes)"], None),
            ("aes-xts-plain64", &["aes", "xts(camellia)"], None),
            ("serpent-xts-plain64", &["aes", "xts(aes)"], Some("serpent_generic")),
            ("serpent-xts-plain64", &["serpent", "xts(aes)"], None),
            ("twofish-cbc-essiv:sha256", &["cbc(twofish)"], Some("essiv")),
            ("aes-cbc-essiv:sha256", &["cbc(aes)", "essiv(cbc(aes),sha256)"], None),
            ("aes-cbc-essiv:sha256", &["cbc(aes)", "essiv(cbc(twofish),sha512)"], Some("sha256_generic")),
            ("xchacha20,aes-adiantum-plain64", &["aes"], Some("chacha_generic")),
            ("xchacha12,aes-adiantum-plain64", &["aes", "chacha20"], Some("adiantum")),
            ("capi:xts(camellia)-plain64", &["xts(aes)"], Some("camellia_generic")),
            ("aes-cbc-plain", &["cbc(aes)"], None),
            ("capi:essiv(cbc(aes),sha256)-plain64", &["aes", "sha256", "cbc(aes)"], Some("essiv")),
            ("aes:64-cbc-lmk", &["cbc(aes)"], None),
            ("null", &["aes"], None),
            ("made_up-xts-plain64", &["aes"], Some("made_up")),
        ];
        for (spec, names, module) in cases {
            assert_eq!(missing(spec, &list(names)), module, "{spec} {names:?}");
        }
    }
}
