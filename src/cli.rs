//! The command line, parsed in two steps: words into a [`Command`], then the command is run.
//!
//! Flags carry cryptsetup's names where cryptsetup has the thing.

#[cfg(feature = "host")]
mod image;
#[cfg(feature = "host")]
mod preview;
mod unlock;
mod verity;
mod word;

use std::ffi::OsString;
use std::io::Write;

use lexopt::prelude::*;

use self::word::wrong;
use crate::cmd;
use crate::error::{Exit, Result, printable};

const USAGE: &str = include_str!("cli/usage.txt");

/// What the words of the command line mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Print the usage.
    Help,
    /// Print the version.
    Version,
    /// Open a volume.
    Unlock(Box<cmd::unlock::Options>),
    /// Be PID 1 of an initramfs.
    Init,
    /// Write an initramfs.
    #[cfg(feature = "host")]
    Image(cmd::image::Options),
    /// Draw a screen into a file.
    #[cfg(feature = "host")]
    Preview(cmd::preview::Options),
}

/// Runs the command that the process was started with; messages go to stderr.
pub fn main() -> Exit {
    let words: Vec<OsString> = std::env::args_os().collect();
    if cmd::init::is_here() && !is_command(&words) {
        cmd::init::run(words.get(1..).unwrap_or_default());
    }
    match parse(words).and_then(run) {
        Ok(()) => Exit::Success,
        Err(error) => {
            // `eprintln!` would end the process by a signal where nobody reads, and the exit status
            // tells the most.
            let _ = writeln!(std::io::stderr(), "fbunlock: {}", printable(&error.to_string()));
            error.exit()
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Help => say(USAGE),
        Command::Version => say(concat!("fbunlock ", env!("CARGO_PKG_VERSION"), "\n")),
        Command::Unlock(options) => cmd::unlock::run(&options)?,
        Command::Init => return Err(cmd::init::refusal()),
        #[cfg(feature = "host")]
        Command::Image(options) => cmd::image::run(&options)?,
        #[cfg(feature = "host")]
        Command::Preview(options) => cmd::preview::run(&options)?,
    }
    Ok(())
}

/// Prints what was asked for. Whoever has read enough of it hangs up, which is no fault.
fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Whether PID 1 was given a command (`rdinit=/fbunlock -- unlock …`) and is not to be init. The
/// kernel hands on the words of its own command line that it does not know (init/main.c,
/// `run_init_process`), so under the name `init` they are no commands of the user's.
fn is_command(words: &[OsString]) -> bool {
    const COMMANDS: [&str; 8] = ["unlock", "image", "preview", "help", "-h", "--help", "-V", "--version"];
    let named = |word: &OsString| std::path::Path::new(word).file_name() == Some("init".as_ref());
    let command = |word: &OsString| COMMANDS.iter().any(|command| word == command);
    !words.first().is_some_and(named) && words.get(1).is_some_and(command)
}

/// Reads the command line: the program's name first, then its words.
///
/// # Errors
/// [`Exit::Parameters`] with what is wrong and where to look.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command> {
    let mut parser = lexopt::Parser::from_iter(words);
    match parser.next().map_err(wrong)? {
        Some(Short('h') | Long("help")) => Ok(Command::Help),
        Some(Short('V') | Long("version")) => Ok(Command::Version),
        Some(Value(word)) if word == "help" => Ok(Command::Help),
        Some(Value(word)) if word == "unlock" => unlock::parse(&mut parser),
        Some(Value(word)) if word == "init" => Ok(Command::Init),
        #[cfg(feature = "host")]
        Some(Value(word)) if word == "image" => image::parse(&mut parser),
        #[cfg(feature = "host")]
        Some(Value(word)) if word == "preview" => preview::parse(&mut parser),
        #[cfg(not(feature = "host"))]
        Some(Value(word)) if word == "image" || word == "preview" => {
            let word = word.display();
            Err(wrong(format!("this is the build for an initramfs, and `{word}` is in the one for the host").into()))
        }
        Some(word) => Err(wrong(word.unexpected())),
        None => Err(wrong("no command given".into())),
    }
}

#[cfg(test)]
mod tests;
