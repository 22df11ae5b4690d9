//! What a LUKS2 header says and libcryptsetup has no function for: the hashes behind its keyslots and digests.

/// From the header's JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The hashes with which the keyslots' keys are put together, by the keyslots' numbers.
    pub splits: Vec<(u32, String)>,
    /// What tells the right key from a wrong one.
    pub digests: Vec<Digest>,
}

/// A digest of the volume's key: its hash, and the salt and the result in base64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// The hash's name.
    pub hash: String,
    salt: String,
    result: String,
}

/// The hashes that any library has, and the bytes that come of them.
const HASHES: [(&str, usize); 6] =
    [("sha1", 20), ("sha224", 28), ("sha256", 32), ("sha384", 48), ("sha512", 64), ("ripemd160", 20)];

/// Bytes of a salt, and of the results that old headers have (`LUKS_SALTSIZE`, `LUKS_DIGESTSIZE`).
const SALT: usize = 32;
const RESULT: usize = 20;

impl Metadata {
    /// Reads what the library writes: json-c's pretty form, in which each name has a line of its own, two
    /// blanks further in than the one it belongs to. No text can look like one, since none has line ends.
    pub fn read(json: &str) -> Self {
        let mut metadata = Self::default();
        let mut path: Vec<&str> = Vec::new();
        for line in json.lines() {
            let text = line.trim_start_matches(' ');
            let depth = (line.len() - text.len()) / 2;
            let Some((name, value)) = text.strip_prefix('"').and_then(|rest| rest.split_once("\":")) else { continue };
            path.truncate(depth.saturating_sub(1));
            path.push(name);
            let value = value.trim_end_matches(',').trim_matches([' ', '"']);
            match path.as_slice() {
                ["keyslots", slot, "af", "hash"] => {
                    metadata.splits.extend(slot.parse().ok().map(|slot| (slot, value.to_owned())));
                }
                ["digests", _] => metadata.digests.push(Digest::default()),
                ["digests", _, name] => {
                    if let Some(digest) = metadata.digests.last_mut() {
                        digest.take(name, value);
                    }
                }
                _ => {}
            }
        }
        metadata
    }
}

impl Digest {
    fn take(&mut self, name: &str, value: &str) {
        let place = match name {
            "hash" => &mut self.hash,
            "salt" => &mut self.salt,
            "digest" => &mut self.result,
            _ => return,
        };
        value.clone_into(place);
    }

    /// Whether its hash is one that any library has.
    pub fn has_known_hash(&self) -> bool {
        self.length().is_some()
    }

    fn length(&self) -> Option<usize> {
        HASHES.iter().find(|(hash, _)| *hash == self.hash).map(|(_, length)| *length)
    }

    /// Whether all of it is as libraries write it.
    pub fn is_usual(&self) -> bool {
        let length = self.length();
        let result = decoded(&self.result);
        decoded(&self.salt) == Some(SALT) && length.is_some() && (result == length || result == Some(RESULT))
    }
}

/// Bytes that base64 stands for; `None` for anything else.
fn decoded(text: &str) -> Option<usize> {
    let data = text.trim_end_matches('=');
    let is_whole = text.len().is_multiple_of(4) && text.len() - data.len() <= 2;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    (is_whole && data.bytes().all(is_base64)).then_some(data.len() * 3 / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{
  "keyslots":{
    "0":{
      "type":"luks2",
      "af":{
        "type":"luks1",
        "hash":"sha256"
      },
      "kdf":{
        "hash":"md5"
      }
    },
    "31":{
      "af":{
        "hash":"whirlpool"
      }
    }
  },
  "tokens":{
    "0":{
      "af":{
        "hash":"none"
      },
      "note":"\"digests\":{\n    \"0\":{\n      \"hash\":\"text\""
    }
  },
  "digests":{
    "0":{
      "type":"pbkdf2",
      "keyslots":[
        "0",
        "31"
      ],
      "hash":"sha256",
      "salt":"EpzFnI7+PiO5kR0wtWe4LLR2a/duZWYpt+47Aq2QF88=",
      "digest":"RSNAp0YzfKBnOeHaXwlg3IIUoj+BQH2kEWvewQwg4Tg="
    },
    "1":{
      "digest": "x"
    }
  },
  "config":{
    "digest":"no"
  }
}"#;

    #[test]
    fn hashes_are_found_where_they_belong() {
        let metadata = Metadata::read(JSON);
        assert_eq!(metadata.splits, [(0, "sha256".into()), (31, "whirlpool".into())]);
        assert_eq!(metadata.digests.len(), 2);
        assert_eq!(metadata.digests[0].hash, "sha256");
        assert!(metadata.digests[0].is_usual());
        assert_eq!(metadata.digests[1], Digest { result: "x".into(), ..Digest::default() });
        assert!(!metadata.digests[1].is_usual());
        for length in 0..JSON.len() {
            let _ = Metadata::read(&JSON[..length]);
        }
        assert_eq!(Metadata::read("\"\n\":\n          \"a\":\n{}"), Metadata::default());
    }

    #[test]
    fn what_no_library_writes_is_not_usual() {
        let usual = Metadata::read(JSON).digests.remove(0);
        let (salt, result) = (usual.salt.clone(), usual.result.clone());
        let shorter = "A".repeat(41) + "==";
        let cases = [
            ("sha256", salt.as_str(), result.as_str(), true),
            ("sha256", &salt, &("A".repeat(27) + "="), true),
            ("sha512", &salt, &("A".repeat(86) + "=="), true),
            ("sha384", &salt, &"A".repeat(64), true),
            ("sha512", &salt, &result, false),
            ("whirlpool", &salt, &("A".repeat(86) + "=="), false),
            ("", &salt, &result, false),
            ("sha256", &shorter, &result, false),
            ("sha256", &salt, &shorter, false),
            ("sha256", "", &result, false),
            ("sha256", &salt, "", false),
            ("sha256", &salt, &result.replacen('I', " ", 1), false),
            ("sha256", &salt, "====", false),
        ];
        for (hash, salt, result, is_usual) in cases {
            let digest = Digest { hash: hash.into(), salt: salt.into(), result: result.into() };
            assert_eq!(digest.is_usual(), is_usual, "{digest:?}");
        }
    }
}
