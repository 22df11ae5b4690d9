//! Ciphers as dm-crypt spells them, and the kernel modules that bring them.

/// A cipher and how it is used: `aes` and `xts-plain64` of `aes-xts-plain64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cipher<'a> {
    /// The cipher, such as `serpent`, or a whole `capi:…`.
    pub name: &'a str,
    /// Mode and IV, such as `cbc-essiv:sha256`.
    pub mode: &'a str,
}

/// What modules bring, and their names where those are others.
const MODULES: [(&str, &str); 20] = [
    ("adiantum", ""),
    ("aes", "aes_generic"),
    ("anubis", ""),
    ("aria", ""),
    ("blowfish", "blowfish_generic"),
    ("camellia", "camellia_generic"),
    ("cast5", "cast5_generic"),
    ("cast6", "cast6_generic"),
    ("cbc", ""),
    ("chacha20", "chacha_generic"),
    ("ctr", ""),
    ("des3_ede", "des_generic"),
    ("essiv", ""),
    ("lrw", ""),
    ("serpent", "serpent_generic"),
    ("sha256", "sha256_generic"),
    ("sha512", "sha512_generic"),
    ("sm4", "sm4_generic"),
    ("twofish", "twofish_generic"),
    ("xts", ""),
];

impl<'a> Cipher<'a> {
    /// Takes a specification apart, as libcryptsetup's `crypt_parse_name_and_mode` does.
    pub fn parse(spec: &'a str) -> Self {
        match spec.split_once('-') {
            _ if spec.starts_with("capi:") => Self { name: spec, mode: "" },
            Some((name, "plain")) => Self { name, mode: "cbc-plain" },
            Some((name, mode)) => Self { name, mode },
            None if matches!(spec, "null" | "cipher_null") => Self { name: "cipher_null", mode: "ecb" },
            None => Self { name: spec, mode: "cbc-plain" },
        }
    }

    /// The module that is missing most likely, by what the kernel has (`/proc/crypto`) after it was asked for
    /// the whole. `None` if all is there, or it has a name that is no module's.
    pub fn missing(&self, crypto: &str) -> Option<&'static str> {
        // `xts(aes)` has both, `__xts(aes)` too.
        let words: Vec<&str> = crypto
            .lines()
            .filter_map(|line| line.strip_prefix("name")?.split_once(':'))
            .flat_map(|(_, name)| name.split(BORDERS))
            .map(|word| word.trim_matches([' ', '_']))
            .collect();
        let part = self.parts().into_iter().find(|part| !words.contains(part))?;
        MODULES
            .iter()
            .find(|(name, _)| *name == part)
            .map(|(name, module)| if module.is_empty() { *name } else { *module })
    }

    /// What the kernel must have, the cipher first.
    fn parts(&self) -> Vec<&'a str> {
        // A whole `capi:essiv(cbc(aes),sha256)-plain64` names all but the IV, which is no algorithm.
        let whole = self.name.strip_prefix("capi:");
        let name = whole.map_or(self.name, |whole| whole.split('-').next().unwrap_or(whole));
        // Behind the colon of `aes:64` is loop-AES's count of keys.
        let name = if whole.is_none() { name.split(':').next().unwrap_or(name) } else { name };
        let mut parts: Vec<&str> = name.split(BORDERS).collect();
        // The cipher before what it is used in.
        parts.reverse();
        let (mode, iv) = self.mode.split_once('-').unwrap_or((self.mode, ""));
        parts.push(mode);
        if let Some(hash) = iv.strip_prefix("essiv:") {
            parts.extend(["essiv", hash]);
        }
        parts.retain(|part| !matches!(*part, "" | "ecb" | "cipher_null"));
        parts
            .into_iter()
            .map(|part| part.strip_prefix('x').filter(|part| part.starts_with("chacha")).map_or(part, |_| "chacha20"))
            .collect()
    }
}

/// Between the names in `adiantum(xchacha12,aes)`.
const BORDERS: [char; 3] = ['(', ')', ','];

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
            ("capi:cbc(aes)-plain64", ("capi:cbc(aes)-plain64", "")),
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
        let cases: [(&str, &[&str], Option<&str>); 17] = [
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
            ("capi:essiv(cbc(aes),sha256)-plain64", &["aes", "sha256", "cbc(aes)"], Some("essiv")),
            ("aes:64-cbc-lmk", &["cbc(aes)"], None),
            ("null", &["aes"], None),
            ("made_up-xts-plain64", &["aes"], None),
        ];
        for (spec, names, module) in cases {
            assert_eq!(Cipher::parse(spec).missing(&list(names)), module, "{spec} {names:?}");
        }
    }
}
