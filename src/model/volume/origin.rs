//! Where something about a volume was said, and what was wrong there.

use core::fmt;

/// One place that speaks of volumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program's own arguments.
    Argument,
    /// A word of the kernel command line, by its key.
    CommandLine(String),
    /// The config file.
    Config,
    /// A line of a table such as `/etc/crypttab`.
    Line {
        /// The file's path.
        file: String,
        /// Counted from 1.
        line: usize,
    },
}

impl Origin {
    /// A warning about what stands here.
    pub fn warning(&self, text: impl Into<String>) -> Warning {
        Warning { origin: self.clone(), text: text.into() }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument => f.write_str("arguments"),
            Self::CommandLine(key) => write!(f, "kernel command line: {}", key.escape_debug()),
            Self::Config => f.write_str("config"),
            Self::Line { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

/// Something that was passed over: told and never an error, for a typo must not lock anybody out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub origin: Origin,
    /// What, in words; foreign text in it is escaped.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_name_file_and_line() {
        let line = Origin::Line { file: "/etc/crypttab".into(), line: 7 };
        assert_eq!(line.warning("no device").to_string(), "/etc/crypttab:7: no device");
        let word = Origin::CommandLine("rd.luks\x1b".into());
        assert_eq!(word.warning("x").to_string(), "kernel command line: rd.luks\\u{1b}: x");
        assert_eq!(Origin::Argument.to_string(), "arguments");
        assert_eq!(Origin::Config.to_string(), "config");
    }
}
