//! How a device is named: by its path, or by something that is found on it.

use core::fmt;

/// A name for a block device, or for an image file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// An absolute path.
    Path(String),
    /// `UUID=`: of the LUKS header or file system on the device, compared without regard to case.
    Uuid(String),
    /// The beginning of a LUKS header's UUID, as dracut takes it.
    LuksUuid(String),
    /// `LABEL=`: of the LUKS2 header or file system.
    Label(String),
    /// `PARTUUID=`: of the partition, compared without regard to case.
    PartUuid(String),
    /// `PARTLABEL=`: the partition's name.
    PartLabel(String),
    /// `ID=`: a link's name under `/dev/disk/by-id`.
    Id(String),
}

/// A beginning, and what follows it is.
type Sort = (&'static str, fn(String) -> Spec);

/// Folders of udev's links, whose names say what is looked for.
const LINKS: [Sort; 5] = [
    ("/dev/disk/by-uuid/", Spec::uuid),
    ("/dev/disk/by-label/", Spec::Label),
    ("/dev/disk/by-partuuid/", Spec::part_uuid),
    ("/dev/disk/by-partlabel/", Spec::PartLabel),
    ("/dev/disk/by-id/", Spec::Id),
];

const TAGS: [Sort; 5] = [
    ("UUID", Spec::uuid),
    ("LABEL", |text| Spec::Label(decoded(&text))),
    ("PARTUUID", Spec::part_uuid),
    ("PARTLABEL", |text| Spec::PartLabel(decoded(&text))),
    ("ID", Spec::Id),
];

impl Spec {
    /// Reads an absolute path or `TAG=value`, the value perhaps in quotes. Links under `/dev/disk`
    /// are read as what they stand for: without udev nobody makes them. Labels may be written as in
    /// these links, which dracut makes of them. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = unquoted(text);
        if !text.starts_with('/') {
            let (tag, value) = text.split_once('=')?;
            let (_, make) = TAGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(tag))?;
            return Some(unquoted(value)).filter(|value| !value.is_empty()).map(|value| make(value.to_owned()));
        }
        for (folder, make) in LINKS {
            if let Some(name) = text.strip_prefix(folder).filter(|name| !name.is_empty() && !name.contains('/')) {
                return Some(make(decoded(name)));
            }
        }
        Some(Self::Path(text.to_owned()))
    }

    /// Reads what a user gave as an argument: a path may be relative there.
    pub fn argument(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|| Self::Path(text.to_owned()))
    }

    fn uuid(text: String) -> Self {
        Self::Uuid(text.to_ascii_lowercase())
    }

    fn part_uuid(text: String) -> Self {
        Self::PartUuid(text.to_ascii_lowercase())
    }

    /// Whether both name the same device; `None` where only a look at the devices can tell.
    pub fn same(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::LuksUuid(start), Self::Uuid(whole)) | (Self::Uuid(whole), Self::LuksUuid(start)) => {
                whole.starts_with(start.as_str()).then_some(true)
            }
            // One device has many paths, and several links by ID.
            (Self::Path(_), Self::Path(_)) | (Self::Id(_), Self::Id(_)) => (self == other).then_some(true),
            (Self::LuksUuid(one), Self::LuksUuid(two)) => {
                Some(one.starts_with(two.as_str()) || two.starts_with(one.as_str()))
            }
            _ if core::mem::discriminant(self) == core::mem::discriminant(other) => Some(self == other),
            _ => None,
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Uuid(value) => write!(f, "UUID={value}"),
            Self::LuksUuid(value) => write!(f, "UUID={value}…"),
            Self::Label(value) => write!(f, "LABEL={value}"),
            Self::PartUuid(value) => write!(f, "PARTUUID={value}"),
            Self::PartLabel(value) => write!(f, "PARTLABEL={value}"),
            Self::Id(value) => write!(f, "ID={value}"),
        }
    }
}

/// A value without the quotes around it.
pub fn unquoted(text: &str) -> &str {
    ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(text)
}

/// Takes back udev's `\xNN` in the names of links. What is no text stays as it is written.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("\\x") {
        let (before, escape) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        let digits = escape.get(2..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let taken = match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                4
            }
            None => {
                bytes.extend_from_slice(b"\\x");
                2
            }
        };
        rest = escape.get(taken..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let path = |text: &str| Some(Spec::Path(text.into()));
        let cases = [
            ("/dev/sda2", path("/dev/sda2")),
            ("\"/dev/sda2\"", path("/dev/sda2")),
            ("/dev/disk/by-path/pci-0000", path("/dev/disk/by-path/pci-0000")),
            ("/dev/disk/by-uuid/", path("/dev/disk/by-uuid/")),
            ("UUID=ABCD-12", Some(Spec::Uuid("abcd-12".into()))),
            ("UUID=\"abcd\"", Some(Spec::Uuid("abcd".into()))),
            ("\"UUID=abcd\"", Some(Spec::Uuid("abcd".into()))),
            ("uuid='abcd'", Some(Spec::Uuid("abcd".into()))),
            ("/dev/disk/by-uuid/ABCD-12", Some(Spec::Uuid("abcd-12".into()))),
            ("LABEL=My Disk", Some(Spec::Label("My Disk".into()))),
            ("LABEL=My\\x20Disk", Some(Spec::Label("My Disk".into()))),
            ("PARTLABEL=a\\x2fb", Some(Spec::PartLabel("a/b".into()))),
            ("/dev/disk/by-label/a\\x5cx20", Some(Spec::Label("a\\x20".into()))),
            ("/dev/disk/by-label/My\\x20Disk\\x2f", Some(Spec::Label("My Disk/".into()))),
            ("/dev/disk/by-label/a\\xzz\\x", Some(Spec::Label("a\\xzz\\x".into()))),
            ("/dev/disk/by-label/\\xc3\\xa9", Some(Spec::Label("é".into()))),
            ("/dev/disk/by-label/\\xff", Some(Spec::Label("\\xff".into()))),
            ("PARTUUID=0A0B-01", Some(Spec::PartUuid("0a0b-01".into()))),
            ("/dev/disk/by-partuuid/0A0B-01", Some(Spec::PartUuid("0a0b-01".into()))),
            ("PARTLABEL=EFI", Some(Spec::PartLabel("EFI".into()))),
            ("/dev/disk/by-partlabel/EFI", Some(Spec::PartLabel("EFI".into()))),
            ("ID=nvme-x", Some(Spec::Id("nvme-x".into()))),
            ("/dev/disk/by-id/nvme-x", Some(Spec::Id("nvme-x".into()))),
            ("UUID=", None),
            ("UUID=\"\"", None),
            ("SERIAL=1", None),
            ("sda2", None),
            ("none", None),
            ("", None),
            ("\"", None),
        ];
        for (text, spec) in cases {
            assert_eq!(Spec::parse(text), spec, "{text}");
        }
        assert_eq!(Spec::argument("image"), Spec::Path("image".into()));
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["/dev/sda2", "UUID=ab-12", "LABEL=a b", "PARTUUID=ab-01", "PARTLABEL=x", "ID=wwn-0x5"] {
            assert_eq!(Spec::parse(text).map(|spec| spec.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn sameness_is_known_or_not() {
        let spec = |text: &str| Spec::parse(text).unwrap();
        let start = Spec::LuksUuid("abc".into());
        let cases = [
            (spec("UUID=AB"), spec("UUID=ab"), Some(true)),
            (spec("UUID=ab"), spec("UUID=cd"), Some(false)),
            (spec("/dev/a"), spec("/dev/a"), Some(true)),
            (spec("/dev/a"), spec("/dev/b"), None),
            (spec("UUID=ab"), spec("/dev/b"), None),
            (start.clone(), spec("UUID=abcd"), Some(true)),
            (spec("UUID=xbcd"), start.clone(), None),
            (start.clone(), start, Some(true)),
        ];
        for (one, two, same) in cases {
            assert_eq!(one.same(&two), same, "{one} {two}");
        }
    }
}
