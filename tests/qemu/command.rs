//! fbunlock run by hand inside a booted guest: a second disk brings the binary and a list, the
//! system inside the volume (`guest/src/command.rs`) runs it line by line and reports.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command as Program;

use crate::failure::{Context, Result, fail};
use crate::proof::Proof;
use crate::tool::{Tools, run};

/// Tells the guest where the list is.
pub(crate) const CMDLINE: &str = " proof.commands=/dev/vda";
/// Where the guest mounts it, read-only: `fbunlock`, `passphrase`, `wrong`, and headers of
/// [`SHORT`] bytes, `short-BYTES`.
const SHORT: [u64; 4] = [100, 4096, 20_000, 1 << 20];
const SIZE_MIB: u64 = 8;

/// One run of fbunlock and what it must come to.
#[derive(Clone, Copy)]
pub(crate) struct Command {
    pub(crate) words: &'static str,
    /// `console` for standard input on the serial line instead of /dev/null; `no-vt` without the
    /// nodes of virtual terminals; `half:NAME:UUID` with a mapping that an activation has left half-made.
    pub(crate) setting: &'static str,
    /// Done each time when a line of its output ends with `marker`, or one of several between `|`:
    /// `term`, `kill`, `kill-prompt`, `kill-worker`, `renew`, or `run:` and words for another fbunlock with `,`
    /// between.
    pub(crate) marker: &'static str,
    pub(crate) steps: &'static str,
    /// Exit code, or `signal 9`.
    pub(crate) exit: &'static str,
    /// Part of its output.
    pub(crate) says: &'static str,
    /// Not part of it, if not empty.
    pub(crate) never: &'static str,
    /// The optional parameters of the one mapping that is there then, as the kernel has them; `half` for one
    /// without a table; `None` if none may be there.
    pub(crate) table: Option<&'static str>,
    /// Parts of the last line about the volume's state.
    pub(crate) status: &'static [&'static str],
}

pub(crate) const COMMAND: Command =
    Command { words: "", setting: "", marker: "", steps: "", exit: "0", says: "", never: "", table: None, status: &[] };

/// What goes onto the disk.
pub(crate) struct Contents<'a> {
    pub(crate) binary: &'a Path,
    pub(crate) passphrase: &'a str,
    /// A volume whose header is cut off.
    pub(crate) volume: &'a Path,
}

/// Makes the disk in `folder` and gives QEMU's arguments for it.
pub(crate) fn disk(tools: &Tools, commands: &[Command], contents: &Contents, folder: &Path) -> Result<Vec<String>> {
    let (root, image) = (folder.join("commands"), folder.join("commands.img"));
    fs::create_dir_all(&root).context(format_args!("create {}", root.display()))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::write(&path, bytes).context(format_args!("write {}", path.display()))
    };
    let binary = root.join("fbunlock");
    fs::copy(contents.binary, &binary).context(format_args!("copy {}", contents.binary.display()))?;
    write("passphrase", contents.passphrase.as_bytes())?;
    write("wrong", b"wrong")?;
    for length in SHORT {
        let mut header = Vec::new();
        let volume = File::open(contents.volume).and_then(|file| file.take(length).read_to_end(&mut header));
        volume.context(format_args!("read {}", contents.volume.display()))?;
        write(&format!("short-{length}"), &header)?;
    }
    let line = |command: &Command| {
        let Command { setting, marker, steps, words, .. } = command;
        format!("{setting}\t{marker}\t{steps}\t{words}\n")
    };
    write("commands", commands.iter().map(line).collect::<String>().as_bytes())?;
    File::create(&image)
        .and_then(|file| file.set_len(SIZE_MIB << 20))
        .context(format_args!("create {}", image.display()))?;
    let mut make = Program::new(tools.program("mke2fs"));
    make.args(["-q", "-t", "ext4", "-O", "^has_journal", "-E", "root_owner=0:0", "-d"]).args([&root, &image]);
    run(&mut make)?;
    let drive = format!("if=none,id=commands,format=raw,readonly=on,file={}", image.display());
    Ok(["-drive", &drive, "-device", "virtio-blk-pci,drive=commands"].map(str::to_owned).into())
}

/// Each command came to what it must, gave the terminals back, and left no process.
pub(crate) fn check(commands: &[Command], proof: &Proof) -> Result<()> {
    let mut wrong = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        let about = |kind: &str| {
            let start = format!("run {number} {kind}");
            proof.lines.iter().filter_map(|line| line.strip_prefix(&start)).collect::<Vec<_>>().join("\n")
        };
        let (exit, said, after, meanwhile) = (about("exit="), about("says: "), about("after: "), about("meanwhile: "));
        let status = about("status: ");
        let steps = command.steps.split_whitespace().count();
        let up = if command.setting.contains("console") {
            "text keyboard=unicode console=raw"
        } else {
            "graphics keyboard=off console=cooked"
        };
        for (what, right) in [
            (format!("exit={exit}, expected {}", command.exit), exit == command.exit),
            (format!("did not say {:?}", command.says), said.contains(command.says)),
            (format!("said {:?}", command.never), command.never.is_empty() || !said.contains(command.never)),
            (format!("afterwards {after}"), after == "text keyboard=unicode console=cooked processes=none"),
            (
                format!("left the mappings {:?}", tables(&about)),
                tables(&about).as_deref() == Ok(command.table.unwrap_or("-")),
            ),
            (format!("left the status {status}"), has_status(command, said.as_str(), &status)),
            // Else there is nothing to be given back.
            (format!("at the prompt {meanwhile:?}"), meanwhile.lines().eq(std::iter::repeat_n(up, steps))),
        ] {
            if !right {
                wrong.push(format!("`fbunlock {}` {what}; it said:\n{said}", command.words));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { fail(wrong.join("\n")) }
}

/// The optional parameters of the one mapping; `-` if there is none.
fn tables(about: &dyn Fn(&str) -> String) -> core::result::Result<String, String> {
    let (tables, mappings) = (about("table: "), about("mapping: "));
    let words: Vec<&str> = tables.split(' ').collect();
    match (words.as_slice(), mappings.lines().count()) {
        ([""], 0) => Ok("-".to_owned()),
        ([""], 1) => Ok("half".to_owned()),
        // NAME: START LENGTH crypt CIPHER KEY IV DEVICE OFFSET [COUNT PARAMETER...]
        ([_, _, _, "crypt", _, _, _, _, _, rest @ ..], 1) if !tables.contains('\n') => {
            Ok(rest.get(1..).unwrap_or_default().join(" "))
        }
        _ => Err(format!("{mappings:?} {tables:?}")),
    }
}

/// Each line is JSON; what `--json` writes is what the file has; and it has what it must.
fn has_status(command: &Command, said: &str, status: &str) -> bool {
    let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok_and(|line| line.is_object());
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with('{')).collect();
    let is_same = !command.words.contains("--json") || told == status.lines().collect::<Vec<_>>();
    is_same && status.lines().all(is_json) && command.status.iter().all(|part| status.contains(part))
}
