//! Standard input and standard error as a prompt in words, for serial lines and machines without a
//! display.

use std::io::{IsTerminal, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{InputFlags, LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr};
use nix::unistd::read;
use zeroize::Zeroize;

use crate::error::printable;
use crate::model::prompt::terminal::Terminal;

/// Bytes read at once.
const CHUNK: usize = 16;
/// How long a line waits for room on the console. Behind a stopped line, or none at all, it is dropped:
/// nothing may hold the prompt up for ever.
const PRINT_MS: u16 = 300;

// The structure of the C library's own tcgetattr(3), the same in all of them on Linux.
const _: () = assert!(size_of::<nix::libc::termios>() == 60);

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

    /// Passes every key on at once and shows none. No key stops the output (one byte of noise on a
    /// serial line would), and none sends a signal.
    pub fn enter(&self) {
        if let Some(mut modes) = self.before.clone() {
            modes.local_flags &= !(LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ECHONL | LocalFlags::ISIG);
            modes.input_flags &= !(InputFlags::IXON | InputFlags::IXOFF);
            if let Some(least) = modes.control_chars.get_mut(SpecialCharacterIndices::VMIN as usize) {
                *least = 1;
            }
            // A terminal that cannot be set echoes; that is no reason not to ask.
            let _ = tcsetattr(std::io::stdin(), SetArg::TCSANOW, &modes);
        }
    }

    /// When [`Console::tend`] is to be called.
    pub fn due_ms(&self) -> Option<u64> {
        self.decoder.due_ms()
    }

    /// What only time tells: that Escape was pressed.
    pub fn tend(&mut self, now_ms: u64) -> Option<char> {
        self.decoder.tick(now_ms)
    }

    /// Reads what was typed; false when the line is gone.
    pub fn read(&mut self, now_ms: u64, emit: &mut dyn FnMut(char)) -> bool {
        let mut bytes = [0; CHUNK];
        let count = match read(std::io::stdin().as_raw_fd(), &mut bytes) {
            Err(Errno::EAGAIN | Errno::EINTR) => return true,
            result => result.unwrap_or(0),
        };
        bytes.iter().take(count).for_each(|byte| self.decoder.feed(now_ms, *byte, emit));
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
    // Without waiting for what is still to be sent: a stopped line would never send it.
    let _ = tcsetattr(std::io::stdin(), SetArg::TCSANOW, modes);
}

/// Prints a line on standard error. Nobody may be there to read it, which is no fault.
pub fn print(line: &str) {
    let stderr = std::io::stderr();
    let mut ready = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
    if poll(&mut ready, PollTimeout::from(PRINT_MS)).is_ok_and(|count| count > 0) {
        let _ = stderr.lock().write_all(format!("fbunlock: {}\n", printable(line)).as_bytes());
    }
}
