//! The one error type and the exit codes.
//!
//! A message reads `open /dev/fb0: No such file or directory (ENOENT)`: a lower-case verb, its
//! object, the cause, and, where the user can do something about it, a second sentence that says so.

use std::fmt;

use nix::errno::Errno;

/// What a process ends with. The numbers are cryptsetup's where both have the case
/// (cryptsetup(8), RETURN CODES).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The volume is open, or the passphrase was printed.
    Success = 0,
    /// Wrong parameters or a broken config.
    Parameters = 1,
    /// Wrong passphrase, tries used up.
    Passphrase = 2,
    /// Not enough memory for the keyslot.
    Memory = 3,
    /// The device is missing, is not a volume, or is damaged.
    Device = 4,
    /// The volume's name exists already, or the device is in use.
    Busy = 5,
    /// Cancelled by the user or by a signal.
    Cancelled = 6,
    /// Nobody answered in time.
    TimedOut = 7,
    /// Neither a display nor a console to ask on.
    NoDisplay = 8,
}

impl Exit {
    /// The process exit status.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The exit that a process status stands for; `None` for numbers that fbunlock never gives.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Success,
            1 => Self::Parameters,
            2 => Self::Passphrase,
            3 => Self::Memory,
            4 => Self::Device,
            5 => Self::Busy,
            6 => Self::Cancelled,
            7 => Self::TimedOut,
            8 => Self::NoDisplay,
            _ => return None,
        })
    }
}

/// Why something failed: what was tried, the cause, and the exit code that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    exit: Exit,
    action: String,
    cause: Cause,
    hint: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Cause {
    Errno(Errno),
    Text(String),
    /// The action is the whole message.
    Told,
}

/// What every fallible function of the crate returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failed system call: `action` is verb and object, such as `open /dev/fb0`.
    pub fn os(exit: Exit, action: impl Into<String>, errno: Errno) -> Self {
        Self { exit, action: action.into(), cause: Cause::Errno(errno), hint: None }
    }

    /// A failed call of the standard library.
    pub fn io(exit: Exit, action: impl Into<String>, error: &std::io::Error) -> Self {
        let cause = match error.raw_os_error() {
            Some(number) => Cause::Errno(Errno::from_raw(number)),
            None => Cause::Text(error.to_string()),
        };
        Self { exit, action: action.into(), cause, hint: None }
    }

    /// Anything else that can be told in words.
    pub fn new(exit: Exit, action: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { exit, action: action.into(), cause: Cause::Text(cause.into()), hint: None }
    }

    /// An error whose message another process has put together.
    pub fn told(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, action: message.into(), cause: Cause::Told, hint: None }
    }

    /// Adds what the user can do about it: one sentence without a full stop.
    #[must_use]
    pub fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// The exit code that fits.
    pub const fn exit(&self) -> Exit {
        self.exit
    }

    /// The system's error number, where a system call failed.
    pub const fn errno(&self) -> Option<Errno> {
        match self.cause {
            Cause::Errno(errno) => Some(errno),
            Cause::Text(_) | Cause::Told => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Errno(errno) => write!(f, "{}: {}", self.action, meaning(*errno))?,
            Cause::Text(text) => write!(f, "{}: {text}", self.action)?,
            Cause::Told => f.write_str(&self.action)?,
        }
        match self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// An error number as `No such file or directory (ENOENT)`. The words are the C library's: its table is in
/// the program anyway, one more would be 10 kB.
pub fn meaning(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    let words = text.rsplit_once(" (os error").map_or(text.as_str(), |(words, _)| words);
    format!("{words} ({errno:?})")
}

/// A message without what a terminal would take for commands: names of devices may hold anything.
pub fn printable(message: &str) -> String {
    message.chars().map(|character| if character.is_control() { '?' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_action_cause_and_hint() {
        let error = Error::os(Exit::NoDisplay, "open /dev/fb0", Errno::ENOENT).hint("load a display driver");
        assert_eq!(error.to_string(), "open /dev/fb0: No such file or directory (ENOENT); load a display driver");
        assert_eq!(error.exit().code(), 8);
    }

    #[test]
    fn io_errors_keep_their_number() {
        let error = Error::io(Exit::Device, "read x", &std::io::Error::from_raw_os_error(5));
        assert_eq!(error.errno(), Some(Errno::EIO));
    }

    #[test]
    fn names_do_not_command_the_terminal() {
        assert_eq!(printable("unlock /dev/\x1b[2J\u{9b}31m\r\n\u{7}a€"), "unlock /dev/?[2J?31m???a€");
    }

    #[test]
    fn codes_go_both_ways() {
        for code in 0..=8 {
            assert_eq!(Exit::from_code(code).map(Exit::code), Some(code));
        }
        assert_eq!(Exit::from_code(9), None);
    }
}
