//! Standard input and standard error as a prompt in words, for serial lines and machines without a
//! display.

use std::io::{IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{InputFlags, LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr};
use nix::unistd::read;
use std::os::fd::AsRawFd;
use zeroize::Zeroize;

use crate::model::prompt::terminal::Terminal;

/// Bytes read at once.
const CHUNK: usize = 16;
/// A control character that no key gives (`_POSIX_VDISABLE`).
const DISABLED: u8 = 0;
/// How long a line waits for a console that takes nothing: a slow one catches up meanwhile, and one
/// that nobody reads holds nobody up.
const PATIENCE_MS: u16 = 300;

/// A terminal on standard input. Dropping it gives back the settings that it had.
pub struct Console {
    decoder: Terminal,
    before: Option<Termios>,
}

impl Console {
    /// The console, where standard input is a terminal.
    pub fn open() -> Option<Self> {
        std::io::stdin().is_terminal().then(|| Self { decoder: Terminal::default(), before: Self::saved() })
    }

    /// How the terminal is set now, to be given back by [`restore`].
    pub fn saved() -> Option<Termios> {
        tcgetattr(std::io::stdin()).ok()
    }

    /// Passes every key on at once and shows none. No key stops the output (a stray ^S on a serial
    /// line), nor all of the processes at once (^Z).
    pub fn enter(&self) {
        if let Some(mut modes) = self.before.clone() {
            modes.input_flags &= !InputFlags::IXON;
            modes.local_flags &= !(LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ECHONL);
            let mut set = |index: SpecialCharacterIndices, value| {
                if let Some(place) = modes.control_chars.get_mut(index as usize) {
                    *place = value;
                }
            };
            set(SpecialCharacterIndices::VMIN, 1);
            set(SpecialCharacterIndices::VSUSP, DISABLED);
            apply(&modes);
        }
    }

    /// Reads what was typed; false when the line is gone.
    pub fn read(&mut self, emit: &mut dyn FnMut(char)) -> bool {
        let mut bytes = [0; CHUNK];
        let count = read(std::io::stdin().as_raw_fd(), &mut bytes).unwrap_or(0);
        for byte in bytes.iter().take(count) {
            if let Some(character) = self.decoder.feed(*byte) {
                emit(character);
            }
        }
        bytes.zeroize();
        count > 0
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        if let Some(modes) = &self.before {
            restore(modes);
        }
    }
}

impl AsFd for Console {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: standard input stays open as long as the process lives; nothing here closes it.
        unsafe { BorrowedFd::borrow_raw(0) }
    }
}

/// Gives the terminal the settings of [`Console::saved`].
pub fn restore(modes: &Termios) {
    apply(modes);
}

/// Sets the terminal now, and not when its output has drained: that would wait for ever on a line
/// that nobody reads. A terminal that cannot be set echoes; that is no reason not to ask.
fn apply(modes: &Termios) {
    let _ = tcsetattr(std::io::stdin(), SetArg::TCSANOW, modes);
}

/// Prints a line on standard error. Nobody may be there to read it, which is no fault; what is not
/// taken within [`PATIENCE_MS`] is lost.
pub fn print(line: &str) {
    let mut stderr = std::io::stderr();
    let ready = poll(&mut [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)], PollTimeout::from(PATIENCE_MS));
    if ready != Ok(0) {
        let _ = writeln!(stderr, "fbunlock: {line}");
    }
}
