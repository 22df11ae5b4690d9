//! Where a volume's key comes from.

use super::amount::whole;
use super::spec::Spec;

/// A file, perhaps on another device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Absolute; from the root of the device's file system where there is a device.
    pub path: String,
    /// The device to look on; `None` for the files at hand.
    pub device: Option<Spec>,
    /// The file system to try first.
    pub filesystem: Option<String>,
}

impl Place {
    /// Reads `path` or `path:DEVICE`. A colon belongs to the path unless what follows names a device.
    pub fn parse(text: &str) -> Option<Self> {
        if !text.starts_with('/') {
            return None;
        }
        let split = text.rsplit_once(':').and_then(|(path, device)| Some((path, Spec::parse(device)?)));
        Some(match split.filter(|(path, _)| !path.is_empty()) {
            Some((path, device)) => Self { path: path.to_owned(), device: Some(device), filesystem: None },
            None => Self::file(text),
        })
    }

    /// A file at hand.
    pub fn file(path: &str) -> Self {
        Self { path: path.to_owned(), device: None, filesystem: None }
    }
}

/// Where a detached header lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// At the beginning of a device.
    Device(Spec),
    /// In a file.
    File(Place),
}

impl Header {
    /// Reads a path, `path:DEVICE` or a device.
    pub fn parse(text: &str) -> Option<Self> {
        match Place::parse(text) {
            Some(Place { path, device: None, .. }) if path.starts_with("/dev/") => Spec::parse(&path).map(Self::Device),
            Some(place) => Some(Self::File(place)),
            None => Spec::parse(text).map(Self::Device),
        }
    }
}

/// A source of key material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Somebody types it.
    Ask,
    /// A file holds it.
    File(Place),
    /// It stands on a device outside of any file system.
    Bytes {
        /// The device.
        device: Spec,
        /// Where it begins, in bytes; a key-file offset of the options comes on top.
        offset: u64,
        /// How long it is, in bytes; `None` goes to the end, or as far as the options say.
        size: Option<u64>,
    },
    /// A new one is made up each time, so there is nothing to unlock.
    Random,
}

/// Devices that give random bytes.
const RANDOM: [&str; 4] = ["/dev/urandom", "/dev/random", "/dev/hwrng", "/dev/hw_random"];

impl Key {
    /// Reads the third field of a crypttab line. `None` if it names nothing that can be read.
    pub fn parse(text: &str) -> Option<Self> {
        if matches!(text, "" | "none" | "-") {
            return Some(Self::Ask);
        }
        if RANDOM.contains(&text) {
            return Some(Self::Random);
        }
        match Place::parse(text)? {
            // A whole device is the key, and perhaps one that only udev would give this path.
            Place { path, device: None, .. } if path.starts_with("/dev/") => {
                Some(Self::Bytes { device: Spec::parse(&path)?, offset: 0, size: None })
            }
            place => Some(Self::File(place)),
        }
    }

    /// Reads the value of `cryptkey=`: Arch's `DEVICE:FILESYSTEM:PATH`, `DEVICE:OFFSET:SIZE` (bytes)
    /// and `rootfs:PATH`, with `\:` for a colon that does not part; Alpine's `yes`, `no` and path.
    pub fn of_command_line(text: &str) -> Option<Self> {
        match text {
            "yes" => return Some(Self::File(Place::file("/crypto_keyfile.bin"))),
            "no" => return Some(Self::Ask),
            _ => {}
        }
        let parts = colons(text);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["rootfs", path] => path.starts_with('/').then(|| Self::File(Place::file(path))),
            [path] => Self::parse(path),
            [device, second, third] => {
                let device = Spec::parse(device)?;
                if let Some(offset) = whole(second) {
                    return Some(Self::Bytes { device, offset, size: Some(whole(third)?) });
                }
                let filesystem = Some((*second).to_owned()).filter(|kind| !matches!(kind.as_str(), "" | "auto"));
                let path = format!("/{}", third.trim_start_matches('/'));
                (path.len() > 1).then_some(Self::File(Place { path, device: Some(device), filesystem }))
            }
            _ => None,
        }
    }
}

/// Splits at colons; a backslash takes the meaning from what follows it.
pub fn colons(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            ':' if !escaped => parts.push(String::new()),
            c => {
                escaped = false;
                if let Some(part) = parts.last_mut() {
                    part.push(c);
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(path: &str, device: &str) -> Option<Key> {
        Some(Key::File(Place { path: path.into(), device: Spec::parse(device), filesystem: None }))
    }

    fn bytes(device: &str, offset: u64, size: Option<u64>) -> Option<Key> {
        Some(Key::Bytes { device: Spec::parse(device).unwrap(), offset, size })
    }

    #[test]
    fn fields() {
        let cases = [
            ("", Some(Key::Ask)),
            ("none", Some(Key::Ask)),
            ("-", Some(Key::Ask)),
            ("/etc/key", Some(Key::File(Place::file("/etc/key")))),
            ("/k:UUID=AB", on("/k", "UUID=ab")),
            ("/k:/dev/sdb1", on("/k", "/dev/sdb1")),
            ("/a:b", Some(Key::File(Place::file("/a:b")))),
            ("/a:b:LABEL=x", on("/a:b", "LABEL=x")),
            ("/dev/urandom", Some(Key::Random)),
            ("/dev/sdb", bytes("/dev/sdb", 0, None)),
            ("/dev/disk/by-id/usb-x", bytes("ID=usb-x", 0, None)),
            ("key", None),
            (":UUID=ab", None),
        ];
        for (text, key) in cases {
            assert_eq!(Key::parse(text), key, "{text}");
        }
    }

    #[test]
    fn headers() {
        let device = |text: &str| Some(Header::Device(Spec::parse(text).unwrap()));
        let place = Place { path: "/h".into(), device: Spec::parse("LABEL=boot"), filesystem: None };
        let cases = [
            ("/boot/header", Some(Header::File(Place::file("/boot/header")))),
            ("/h:LABEL=boot", Some(Header::File(place))),
            ("/dev/sdb1", device("/dev/sdb1")),
            ("/dev/disk/by-partlabel/h", device("PARTLABEL=h")),
            ("UUID=ab", device("UUID=ab")),
            ("header", None),
            ("", None),
        ];
        for (text, header) in cases {
            assert_eq!(Header::parse(text), header, "{text}");
        }
    }

    #[test]
    fn words_of_the_command_line() {
        let with = |kind: &str| {
            let device = Spec::parse("UUID=ab");
            Some(Key::File(Place { path: "/k/f".into(), device, filesystem: Some(kind.into()) }))
        };
        let cases = [
            ("yes", Some(Key::File(Place::file("/crypto_keyfile.bin")))),
            ("no", Some(Key::Ask)),
            ("/etc/key", Some(Key::File(Place::file("/etc/key")))),
            ("rootfs:/etc/key", Some(Key::File(Place::file("/etc/key")))),
            ("UUID=ab:vfat:/k/f", with("vfat")),
            ("UUID=ab:vfat:k/f", with("vfat")),
            ("UUID=ab:auto:/k/f", on("/k/f", "UUID=ab")),
            ("/dev/disk/by-id/a\\:b:512:64", bytes("ID=a:b", 512, Some(64))),
            ("/dev/sdb:0:x", None),
            ("/dev/sdb:ext4:", None),
            ("sdb:ext4:/k", None),
            ("rootfs:k", None),
            ("a:b", None),
            ("a:b:c:d", None),
        ];
        for (text, key) in cases {
            assert_eq!(Key::of_command_line(text), key, "{text}");
        }
    }

    #[test]
    fn colons_can_be_escaped() {
        assert_eq!(colons("a\\:b:c\\\\:"), ["a:b", "c\\", ""]);
        assert_eq!(colons(""), [""]);
        assert_eq!(colons("a\\"), ["a"]);
    }
}
