//! What the system inside the volume reported (tests/qemu/guest/src/bin/proof.rs), and the checks on it.

use crate::failure::{Result, fail};

/// Its lines, without the prefix.
pub(crate) struct Proof {
    pub(crate) lines: Vec<String>,
}

impl Proof {
    /// The report has exactly this line.
    pub(crate) fn is(&self, line: &str) -> Result<()> {
        match self.lines.iter().any(|other| other == line) {
            true => Ok(()),
            false => fail(format!("no line {line:?} in the report:\n{}", self.lines.join("\n"))),
        }
    }

    /// The one line that begins so.
    pub(crate) fn line(&self, start: &str) -> Result<&str> {
        match self.lines.iter().find(|line| line.starts_with(start)) {
            Some(line) => Ok(line),
            None => fail(format!("no line {start:?} in the report:\n{}", self.lines.join("\n"))),
        }
    }

    /// The mapping bypasses dm-crypt's work queues, or does not.
    pub(crate) fn bypasses_workqueues(&self, wanted: bool) -> Result<()> {
        let table = self.line("table ")?;
        for word in ["no_read_workqueue", "no_write_workqueue"] {
            if table.split(' ').any(|other| other == word) != wanted {
                let wanted = if wanted { "lacks" } else { "has" };
                return fail(format!("the mapping {wanted} {word}: {table}"));
            }
        }
        Ok(())
    }

    /// What holds after every good run: the mapping mounted as the command line asks, the terminal as
    /// it was, no kernel error, nothing of the initramfs left in memory.
    pub(crate) fn clean(&self) -> Result<()> {
        self.line("table root: 0 ")?;
        self.line("mounts / /dev/mapper/root ext4 ro,")?;
        self.is("tty mode text keyboard=unicode")?;
        self.is("serial line cooked")?;
        self.is("rootfs leftovers none")?;
        match self.lines.iter().find(|line| line.starts_with("kernel error")) {
            Some(line) => fail(line.as_str()),
            None => Ok(()),
        }
    }
}
