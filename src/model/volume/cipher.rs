//! Ciphers as dm-crypt spells them, and the kernel modules that bring them.

/// A cipher and how it is used: `aes` and `xts-plain64` of `aes-xts-plain64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cipher<'a> {
    /// The cipher, such as `serpent`, or a whole `capi:…`.
    pub name: &'a str,
    /// Mode and IV, such as `cbc-essiv:sha256`.
    pub mode: &'a str,
}

/// The modules that bring what is called otherwise; the rest is called like its module.
const MODULES: [(&str, &str); 10] = [
    ("aes", "aes_generic"),
    ("blowfish", "blowfish_generic"),
    ("camellia", "camellia_generic"),
    ("cast5", "cast5_generic"),
    ("cast6", "cast6_generic"),
    ("des3_ede", "des_generic"),
    ("serpent", "serpent_generic"),
    ("sha256", "sha256_generic"),
    ("sha512", "sha512_generic"),
    ("twofish", "twofish_generic"),
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

    /// The module that is missing most likely, by what the kernel has (`/proc/crypto`). `None` if all that can
    /// be told is there: what combines a cipher with a mode is listed only once somebody has used it.
    pub fn missing(&self, crypto: &str) -> Option<&'static str> {
        const KNOWN: [&str; 22] = [
            "aes",
            "adiantum",
            "anubis",
            "aria",
            "blowfish",
            "camellia",
            "cast5",
            "cast6",
            "cbc",
            "chacha20",
            "ctr",
            "des3_ede",
            "essiv",
            "hctr2",
            "lrw",
            "nhpoly1305",
            "serpent",
            "sha256",
            "sha512",
            "sm4",
            "twofish",
            "xts",
        ];
        let names = crypto.lines().filter_map(|line| Some(line.strip_prefix("name")?.split_once(':')?.1.trim()));
        let names: Vec<&str> = names.collect();
        // `xts(aes)` has both, `__xts(aes)` too.
        let has = |part: &str| {
            let words = |name: &&str| name.split(['(', ')', ',']).any(|word| word.trim_start_matches('_') == part);
            names.iter().any(words)
        };
        // Ready-made combinations need neither the plain cipher nor the template.
        let whole = self.mode.split('-').next().map(|mode| format!("{mode}({})", self.cipher()));
        let is_whole = |whole: &String| names.iter().any(|name| name.trim_start_matches('_') == whole);
        let is_ready = whole.as_ref().is_some_and(is_whole);
        let part = self.parts().find(|part| !(has(part) || is_ready && self.is_combined(part)))?;
        let known = KNOWN.into_iter().find(|known| *known == part)?;
        Some(MODULES.iter().find(|(name, _)| *name == known).map_or(known, |(_, module)| module))
    }

    /// The cipher without what stands behind a colon: `aes:64` is loop-AES's count of keys.
    fn cipher(&self) -> &'a str {
        self.name.split(':').next().unwrap_or(self.name)
    }

    /// Whether a ready-made combination of cipher and mode has this in it.
    fn is_combined(&self, part: &str) -> bool {
        part == self.cipher() || self.mode.split('-').next() == Some(part)
    }

    /// What the kernel must have, the cipher first.
    fn parts(&self) -> impl Iterator<Item = &'a str> {
        // capi:cbc(aes)-plain64; xchacha20,aes-adiantum-plain64.
        let ciphers =
            self.name.strip_prefix("capi:").map(|rest| rest.split(['(', ')', '-', ','])).into_iter().flatten();
        let plain = (!self.name.starts_with("capi:")).then(|| self.cipher().split(',')).into_iter().flatten();
        let mode = self.mode.split('-').next().filter(|mode| !mode.is_empty() && *mode != "ecb");
        let essiv = self.mode.split_once("essiv:").map(|(_, hash)| ["essiv", hash]).into_iter().flatten();
        plain.chain(ciphers).chain(mode).chain(essiv).map(|part| match part {
            "xchacha20" | "xchacha12" => "chacha20",
            part => part,
        })
    }
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
        let cases: [(&str, &[&str], Option<&str>); 14] = [
            ("aes-xts-plain64", &[], Some("aes_generic")),
            ("aes-xts-plain64", &["aes", "sha256"], Some("xts")),
            ("aes-xts-plain64", &["aes", "xts(aes)"], None),
            ("aes-xts-plain64", &["__xts(aes)"], None),
            ("serpent-xts-plain64", &["aes", "xts(aes)"], Some("serpent_generic")),
            ("serpent-xts-plain64", &["serpent", "xts(aes)"], None),
            ("twofish-cbc-essiv:sha256", &["cbc(twofish)"], Some("essiv")),
            ("aes-cbc-essiv:sha256", &["cbc(aes)", "essiv(cbc(aes),sha256)"], None),
            ("aes-cbc-essiv:sha256", &["cbc(aes)", "essiv(cbc(twofish),sha512)"], Some("sha256_generic")),
            ("xchacha20,aes-adiantum-plain64", &["aes"], Some("chacha20")),
            ("xchacha12,aes-adiantum-plain64", &["aes", "chacha20"], Some("adiantum")),
            ("capi:xts(camellia)-plain64", &["xts(aes)"], Some("camellia_generic")),
            ("null", &["aes"], None),
            ("made_up-xts-plain64", &["aes"], None),
        ];
        for (spec, names, module) in cases {
            assert_eq!(Cipher::parse(spec).missing(&list(names)), module, "{spec} {names:?}");
        }
    }
}
