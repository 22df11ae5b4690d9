//! The terminal behind the picture, and whether it is ours: the kernel's console must not draw there.

use super::tty::Terminal;

/// It is opened when it is first needed.
#[derive(Default)]
pub struct Backdrop {
    terminal: Option<Terminal>,
    /// Whether the terminal is in graphics mode.
    is_entered: bool,
    /// Whether another terminal is in front, and its picture is not ours.
    is_behind: bool,
}

impl Backdrop {
    /// The terminal, once it was opened; its changes are to be watched.
    pub fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
    }

    /// Whether it was taken from the console and not given back.
    pub fn is_entered(&self) -> bool {
        self.is_entered
    }

    /// Whether another terminal was in front when that was last looked at.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Takes the screen from the console.
    pub fn enter(&mut self) {
        if self.terminal.is_none() {
            self.terminal = Terminal::open();
        }
        if let Some(terminal) = &self.terminal {
            terminal.enter();
        }
        self.is_entered = true;
    }

    /// Gives the screen back to the console.
    pub fn leave(&mut self) {
        if let Some(terminal) = self.terminal.as_ref().filter(|_| self.is_entered) {
            terminal.restore();
        }
        self.is_entered = false;
    }

    /// Keeps the console from drawing: somebody may have put the terminal back into text mode, or
    /// another one in front. True when the picture must be drawn anew.
    pub fn tend(&mut self) -> bool {
        let Some(terminal) = self.terminal.as_ref().filter(|_| self.is_entered) else { return false };
        let was_behind = core::mem::replace(&mut self.is_behind, !terminal.is_front());
        if self.is_behind || (!was_behind && terminal.is_graphics()) {
            return false;
        }
        terminal.enter();
        true
    }
}
