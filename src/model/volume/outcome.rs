//! What became of each volume, as JSON for other programs: one object a line.

use super::message::Opened;
use super::policy::Flags;
use crate::error::Exit;

/// Where a volume is on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Its turn has not come.
    #[default]
    Pending,
    /// Its device is looked for.
    Waiting,
    /// Somebody is asked for its passphrase.
    Asking,
    /// It is open.
    Opened(Opened),
    /// It is not, and nobody tries any more.
    Failed {
        /// What the program would end with.
        exit: Exit,
        /// Why.
        text: String,
    },
}

impl Outcome {
    const fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Waiting => "waiting",
            Self::Asking => "asking",
            Self::Opened(Opened { is_old: true, .. }) => "already open",
            Self::Opened(_) => "opened",
            Self::Failed { .. } => "failed",
        }
    }

    /// The line for the volume called `volume`, with a line end.
    pub fn line(&self, volume: &str) -> String {
        let mut line = format!("{{\"volume\":{},\"status\":{}", quoted(volume), quoted(self.word()));
        match self {
            Self::Opened(opened) => {
                line.push_str(&format!(",\"exit\":0,\"device\":{}", quoted(&opened.device)));
                if !opened.name.is_empty() {
                    line.push_str(&format!(",\"name\":{}", quoted(&opened.name)));
                    // What somebody else asked for, and why, is not known.
                    if !opened.is_old {
                        let (requested, reason) = (flags(opened.decision.flags), opened.decision.reason.to_string());
                        line.push_str(&format!(",\"requested\":{requested},\"reason\":{}", quoted(&reason)));
                    }
                    let effective = opened.effective.map_or_else(|| "null".into(), flags);
                    line.push_str(&format!(",\"effective\":{effective}"));
                }
            }
            Self::Failed { exit, text } => {
                line.push_str(&format!(",\"exit\":{},\"message\":{}", exit.code(), quoted(text)));
            }
            Self::Pending | Self::Waiting | Self::Asking => {}
        }
        line.push_str("}\n");
        line
    }
}

/// A list of words.
fn flags(flags: Flags) -> String {
    let text = flags.to_string();
    let words: Vec<String> = text.split(' ').filter(|word| *word != "none").map(quoted).collect();
    format!("[{}]", words.join(","))
}

/// A JSON string (RFC 8259, section 7).
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::policy::{Decision, Reason};
    use super::*;

    fn parsed(outcome: &Outcome, volume: &str) -> serde_json::Value {
        let line = outcome.line(volume);
        assert_eq!(line.find('\n'), Some(line.len() - 1));
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn an_opened_volume_tells_its_flags() {
        let flags = Flags { no_read_workqueue: true, ..Flags::default() };
        let decision = Decision { flags, reason: Reason::Asked };
        let (name, device) = ("root".into(), "/dev/vda2".into());
        let mut opened = Opened { decision, effective: None, name, device, is_old: false };
        let told = parsed(&Outcome::Opened(opened.clone()), "root");
        let expected = serde_json::json!({
            "volume": "root", "status": "opened", "exit": 0, "device": "/dev/vda2", "name": "root",
            "requested": ["no_read_workqueue"], "reason": "asked for", "effective": null,
        });
        assert_eq!(told, expected);
        (opened.is_old, opened.effective) = (true, Some(Flags::default()));
        let told = parsed(&Outcome::Opened(opened), "root");
        assert_eq!((&told["status"], &told["effective"]), (&"already open".into(), &serde_json::json!([])));
        // The one who opened it knows.
        assert!(told.get("requested").is_none() && told.get("reason").is_none());
    }

    #[test]
    fn any_text_is_kept() {
        let text = "a\"b\\c\nd\u{1}\u{df}\u{7f}";
        let told = parsed(&Outcome::Failed { exit: Exit::Memory, text: text.into() }, text);
        assert_eq!((&told["volume"], &told["message"], &told["exit"]), (&text.into(), &text.into(), &3.into()));
        assert_eq!(parsed(&Outcome::Asking, "x")["status"], "asking");
    }
}
