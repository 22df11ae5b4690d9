//! The command line, parsed in two steps: words into a [`Command`], then the command is run.
//!
//! Flags carry cryptsetup's names where cryptsetup has the thing.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use lexopt::prelude::*;

use crate::cmd;
use crate::error::{Error, Exit, Result, printable};
use crate::model::boot::Boot;
use crate::model::scanout::selection::Selection;
use crate::model::scanout::{orientation, refresh};
use crate::model::theme::Wish;
use crate::model::volume::policy::Choice;

const USAGE: &str = "\
fbunlock asks for a disk passphrase on the framebuffer and opens the disk.

usage: fbunlock unlock --device DEVICE --name NAME [options]
       fbunlock init
       fbunlock image --modules-dir DIR --output FILE [options]   (build host)
       fbunlock preview [options] [OUT.png]                       (build host)

unlock:
  --device DEVICE            block device or image file that holds the volume
  --name NAME                name of the mapping under /dev/mapper
  --test-passphrase          check the passphrase only; opens nothing
  -d, --key-file FILE        read the passphrase from FILE (- for standard input),
                             byte for byte: a newline at its end is a part of it
  -r, --readonly             open the mapping read-only
  --allow-discards           let discards through to the device
  --perf-no_read_workqueue[=on|off|auto]
  --perf-no_write_workqueue[=on|off|auto]
                             go past dm-crypt's work queues (auto: on disks that do
                             not rotate, with kernels that can)
  -T, --tries N              wrong passphrases allowed, 0 for no limit (3)
  -t, --timeout SECONDS      give up after SECONDS without an answer (never)
  --device-timeout SECONDS   wait so long for the device to appear (10)
  --framebuffer auto|all|DEVICE
                             draw on DEVICE, on the one with a panel, or on that one
                             and its picture on all others (auto)
  --rotate auto|0|90|180|270 turn the picture so far clockwise, and touches with it
                             (auto: as the kernel's console or the device tree says)
  --refresh auto|on|off      set the mode anew for each picture, for panels that show
                             no picture or an old one (auto: drivers that need it)
  --display-timeout SECONDS  wait so long for a display where there is no console (10)
  --dim-after SECONDS        dim the backlight when nothing is typed, 0 for never (60)
  --blank-after SECONDS      the same, and switch the display off (0)
  --theme THEME              auto, dark, light, contrast or mono (auto)
  --color NAME=#RRGGBB       change a colour of the theme; may be repeated. NAME is
                             background, keyboard, key, key_other, accent, pressed,
                             text, text_accent, text_pressed, text_dim, alarm, field
                             or border
  --logo FILE                show a picture above the title: QOI or BMP

Devices are named by their path.

init is PID 1 of the initramfs that image writes. It mounts, loads modules, unlocks as the
config and the kernel command line say (fbunlock.KEY=VALUE, root=, rootfstype=,
rootflags=, init=, ro, rw), mounts the root read-only, and becomes its init.

image:
  --modules-dir DIR          the kernel's /lib/modules/VERSION, of any architecture
  --output FILE              where the image goes (uncompressed newc cpio)
  --binary FILE              the static fbunlock to put in (this one)
  --module NAME              add a module and what it needs; may be repeated
  --no-default-modules       only what --module names
  --logo FILE                put this picture in; shown as for unlock
  --config FILE              `key = value` lines; the flags below overrule them
  --KEY VALUE                device, name, key-file, tries, timeout, device-timeout,
                             framebuffer, rotate, refresh, display-timeout, dim-after,
                             blank-after, theme (as for unlock, at boot), color.NAME
                             (#RRGGBB), root, rootfstype, rootflags, init, on-failure
                             (retry, wait, poweroff or reboot)
  --KEY[=VALUE]              readonly, allow-discards, perf-no_read_workqueue,
                             perf-no_write_workqueue (as for unlock), rw, ro

preview draws a screen into OUT.png:
  --size WxH                 pixels of the panel (720x1440)
  --rotate 0|90|180|270      turn the picture so far clockwise (0)
  --theme THEME, --color NAME=#RRGGBB, --logo FILE
                             as for unlock
  --layout NAME              the keyboard's layout (us)
  --state STATE              waiting, prompt, typing, pressed, shift, caps, digits,
                             symbols, unlocking, slow, wrong, again, memory, no-input
                             or broken (prompt)
  --device NAME              what the volume is called
  --battery PERCENT[+]       show a battery, with + one that is charged
  --keys                     print each key's layer, label and place in the panel's
                             pixels as JSON

exit status: 0 opened, 1 wrong parameters, 2 wrong passphrase, 3 out of memory,
4 wrong or missing device, 5 exists or busy, 6 cancelled, 7 timed out,
8 no display and no console
";

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
        Some(Value(word)) if word == "unlock" => unlock(&mut parser),
        Some(Value(word)) if word == "init" => Ok(Command::Init),
        #[cfg(feature = "host")]
        Some(Value(word)) if word == "image" => image(&mut parser),
        #[cfg(feature = "host")]
        Some(Value(word)) if word == "preview" => preview(&mut parser),
        #[cfg(not(feature = "host"))]
        Some(Value(word)) if word == "image" || word == "preview" => {
            let word = word.display();
            Err(wrong(format!("this is the build for an initramfs, and `{word}` is in the one for the host").into()))
        }
        Some(word) => Err(wrong(word.unexpected())),
        None => Err(wrong("no command given".into())),
    }
}

fn unlock(parser: &mut lexopt::Parser) -> Result<Command> {
    let mut options = cmd::unlock::Options::default();
    while let Some(word) = parser.next().map_err(wrong)? {
        match word {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("device") => options.task.device = path(parser)?,
            Long("name") => options.task.name = value(parser)?,
            Long("test-passphrase") => options.task.test_passphrase = true,
            Short('d') | Long("key-file") => options.key_file = Some(path(parser)?),
            Short('r') | Long("readonly") => options.task.readonly = true,
            Long("allow-discards") => options.task.allow_discards = true,
            Long("perf-no_read_workqueue") => options.task.wish.read = choice(parser)?,
            Long("perf-no_write_workqueue") => options.task.wish.write = choice(parser)?,
            Short('T') | Long("tries") => options.tries = value(parser)?,
            Short('t') | Long("timeout") => options.timeout_s = value(parser)?,
            Long("device-timeout") => options.task.device_timeout_s = value(parser)?,
            Long("framebuffer") => {
                options.display.framebuffer = wish(parser, "auto, all or an absolute path", Selection::parse)?;
            }
            Long("rotate") => {
                options.display.rotate = wish(parser, "auto, 0, 90, 180 or 270", orientation::Wish::parse)?;
            }
            Long("refresh") => options.display.refresh = wish(parser, "auto, on or off", refresh::Wish::parse)?,
            Long("display-timeout") => options.display.timeout_s = value(parser)?,
            Long("dim-after") => options.dim_after_s = value(parser)?,
            Long("blank-after") => options.blank_after_s = value(parser)?,
            Long("theme") => theme(parser, &mut options.theme)?,
            Long("color") => color(parser, &mut options.theme)?,
            Long("logo") => options.logo = Some(path(parser)?),
            _ => return Err(wrong(word.unexpected())),
        }
    }
    if options.task.device.as_os_str().is_empty() {
        return Err(wrong("unlock needs --device DEVICE".into()));
    }
    if options.task.name.is_empty() && !options.task.test_passphrase {
        return Err(wrong("unlock needs --name NAME".into()));
    }
    // Found out by device-mapper otherwise, when the passphrase was typed.
    if !options.task.test_passphrase
        && let Err(refusal) = Boot::default().set("name", &options.task.name)
    {
        return Err(wrong(format!("--name {refusal}").into()));
    }
    Ok(Command::Unlock(Box::new(options)))
}

#[cfg(feature = "host")]
fn image(parser: &mut lexopt::Parser) -> Result<Command> {
    use crate::model::boot::{KEYS, SWITCHES};

    let mut options = cmd::image::Options::default();
    while let Some(word) = parser.next().map_err(wrong)? {
        match word {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("modules-dir") => options.modules_dir = path(parser)?,
            Long("binary") => options.binary = Some(path(parser)?),
            Long("module") => options.modules.push(value(parser)?),
            Long("no-default-modules") => options.no_default_modules = true,
            Long("logo") => options.logo = Some(path(parser)?),
            Long("config") => options.config = Some(path(parser)?),
            Long("output") => options.output = path(parser)?,
            Long(flag) => {
                let key = flag.replace('-', "_");
                let setting = if SWITCHES.contains(&key.as_str()) {
                    let value = parser.optional_value().unwrap_or_else(|| "yes".into());
                    value.into_string().map_err(|value| wrong(lexopt::Error::NonUnicodeValue(value)))?
                } else if KEYS.contains(&key.as_str()) {
                    value(parser)?
                } else {
                    return Err(wrong(word.unexpected()));
                };
                options.settings.push((key, setting));
            }
            _ => return Err(wrong(word.unexpected())),
        }
    }
    if options.modules_dir.as_os_str().is_empty() {
        return Err(wrong("image needs --modules-dir DIR".into()));
    }
    if options.output.as_os_str().is_empty() {
        return Err(wrong("image needs --output FILE".into()));
    }
    Ok(Command::Image(options))
}

#[cfg(feature = "host")]
fn preview(parser: &mut lexopt::Parser) -> Result<Command> {
    use crate::cmd::preview::{self, STATES};
    use crate::model::scanout::turn::Rotation;

    let mut options = preview::Options::default();
    while let Some(word) = parser.next().map_err(wrong)? {
        match word {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("size") => options.size = parsed(parser, "WIDTHxHEIGHT in pixels", preview::size)?,
            Long("rotate") => {
                let rotation = |word: &str| Rotation::from_degrees(word.parse().ok()?);
                options.rotation = parsed(parser, "0, 90, 180 or 270", rotation)?;
            }
            Long("theme") => theme(parser, &mut options.theme)?,
            Long("color") => color(parser, &mut options.theme)?,
            Long("logo") => options.logo = Some(path(parser)?),
            Long("layout") => options.layout = value(parser)?,
            Long("state") => {
                let names: Vec<&str> = STATES.iter().map(|(name, _)| *name).collect();
                let state = |word: &str| STATES.iter().find(|(name, _)| *name == word).map(|(_, state)| *state);
                options.state = parsed(parser, &format!("one of {}", names.join(", ")), state)?;
            }
            Long("device") => options.device = value(parser)?,
            Long("battery") => options.battery = Some(parsed(parser, "a percentage, perhaps with +", battery)?),
            Long("keys") => options.keys = true,
            Value(path) if options.output.is_none() => options.output = Some(path.into()),
            _ => return Err(wrong(word.unexpected())),
        }
    }
    if options.output.is_none() && !options.keys {
        return Err(wrong("preview needs OUT.png or --keys".into()));
    }
    Ok(Command::Preview(options))
}

#[cfg(feature = "host")]
fn battery(word: &str) -> Option<crate::model::prompt::battery::Battery> {
    let (digits, charging) = word.strip_suffix('+').map_or((word, false), |digits| (digits, true));
    let percent = digits.parse().ok().filter(|percent| *percent <= 100 && !digits.starts_with('+'))?;
    Some(crate::model::prompt::battery::Battery { percent, charging })
}

/// A value that must be one of some kind.
#[cfg(feature = "host")]
fn parsed<T>(parser: &mut lexopt::Parser, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let word: String = value(parser)?;
    parse(&word).ok_or_else(|| wrong(format!("{word:?} is not {wanted}").into()))
}

fn theme(parser: &mut lexopt::Parser, theme: &mut Wish) -> Result<()> {
    let name: String = value(parser)?;
    theme.set_base(&name).map_err(|wanted| wrong(format!("--theme {name:?} must be {wanted}").into()))
}

fn color(parser: &mut lexopt::Parser, theme: &mut Wish) -> Result<()> {
    let word: String = value(parser)?;
    let Some((name, color)) = word.split_once('=') else {
        return Err(wrong(format!("--color {word:?} must be NAME=#RRGGBB").into()));
    };
    theme.set_color(name, color).map_err(|wanted| wrong(format!("--color {word:?} must be {wanted}").into()))
}

fn path(parser: &mut lexopt::Parser) -> Result<PathBuf> {
    Ok(parser.value().map_err(wrong)?.into())
}

fn value<T: std::str::FromStr>(parser: &mut lexopt::Parser) -> Result<T>
where
    T::Err: Into<Box<dyn std::error::Error + Send + Sync + 'static>>,
{
    parser.value().and_then(|word| word.parse()).map_err(wrong)
}

/// One of several words.
fn wish<T>(parser: &mut lexopt::Parser, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let word: String = value(parser)?;
    parse(&word).ok_or_else(|| wrong(format!("{word:?} is not {wanted}").into()))
}

/// A flag that is on by being there, or is told what to be.
fn choice(parser: &mut lexopt::Parser) -> Result<Choice> {
    let Some(word) = parser.optional_value() else { return Ok(Choice::On) };
    match word.to_str() {
        Some("on") => Ok(Choice::On),
        Some("off") => Ok(Choice::Off),
        Some("auto") => Ok(Choice::Auto),
        _ => Err(wrong(format!("a flag is on, off or auto, not {}", word.display()).into())),
    }
}

fn wrong(error: lexopt::Error) -> Error {
    Error::new(Exit::Parameters, "command line", error.to_string()).hint("see fbunlock --help")
}

/// Words and what they mean.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scanout::demand::Demand;
    use crate::model::scanout::turn::Rotation;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_kernels_words_are_no_commands() {
        for line in ["/init", "/init splash", "init unlock", "/fbunlock", "/fbunlock splash"] {
            assert!(!is_command(&words(line)), "{line}");
        }
        for line in ["/fbunlock unlock --device x", "fbunlock --help", "fbunlock -V"] {
            assert!(is_command(&words(line)), "{line}");
        }
        assert!(!is_command(&[]));
    }

    #[cfg(feature = "host")]
    #[test]
    fn image_takes_settings_as_flags() {
        let line = "fbunlock image --modules-dir m --output o --module a --module b --device /dev/x --rw";
        let Ok(Command::Image(options)) = parse(words(line)) else { panic!() };
        assert_eq!(options.modules, ["a", "b"]);
        let settings = [("device", "/dev/x"), ("rw", "yes")];
        assert_eq!(options.settings, settings.map(|(key, value)| (key.to_owned(), value.to_owned())));
        for line in ["image", "image --output o", "image --modules-dir m", "image --colour red"] {
            let error = parse(words(&format!("fbunlock {line}"))).unwrap_err();
            assert_eq!(error.exit(), Exit::Parameters);
        }
    }

    #[test]
    fn what_is_asked_of_the_display() {
        let unlock = |flags: &str| parse(words(&format!("fbunlock unlock --device x --name y {flags}")));
        let flags = "--framebuffer all --rotate 270 --refresh on --display-timeout 3 --dim-after 4 --blank-after 5";
        let Ok(Command::Unlock(options)) = unlock(flags) else { panic!() };
        let expected = Demand {
            framebuffer: Selection::All,
            rotate: orientation::Wish::Fixed(Rotation::Counterclockwise),
            refresh: refresh::Wish::On,
            timeout_s: 3,
        };
        assert_eq!(options.display, expected);
        assert_eq!((options.dim_after_s, options.blank_after_s), (4, 5));
        for wrong in ["--rotate 45", "--rotate left", "--refresh yes", "--framebuffer fb0", "--display-timeout -1"] {
            assert_eq!(unlock(wrong).unwrap_err().exit(), Exit::Parameters, "{wrong}");
        }
    }

    #[test]
    fn colours_are_chosen() {
        let unlock = |flags: &str| parse(words(&format!("fbunlock unlock --device x --name y {flags}")));
        let Ok(Command::Unlock(options)) = unlock("--color key=#102030 --theme light") else { panic!() };
        assert_eq!((options.theme.base(), options.theme.color("key").as_deref()), (Some("light"), Some("#102030")));
        for (flags, reason) in [
            ("--theme blue", "\"blue\" must be auto, dark"),
            ("--color key", "\"key\" must be NAME=#RRGGBB"),
            ("--color key=red", "must be a colour such as"),
            ("--color shadow=#000000", "must be one of background"),
        ] {
            let error = unlock(flags).unwrap_err();
            assert_eq!(error.exit(), Exit::Parameters);
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[cfg(feature = "host")]
    #[test]
    fn preview_takes_any_screen() {
        use crate::cmd::preview::State;
        use crate::model::scanout::turn::Rotation;

        let line =
            "fbunlock preview --size 480x800 --rotate 270 --theme mono --state no-input --battery 7+ --keys x.png";
        let Ok(Command::Preview(options)) = parse(words(line)) else { panic!() };
        assert_eq!((options.size.width, options.size.height, options.state), (480, 800, State::NoInput));
        assert_eq!((options.rotation, options.theme.base()), (Rotation::Counterclockwise, Some("mono")));
        assert_eq!(options.battery.map(|battery| (battery.percent, battery.charging)), Some((7, true)));
        assert_eq!((options.keys, options.output), (true, Some("x.png".into())));
        for (flags, reason) in [
            ("", "preview needs OUT.png or --keys"),
            ("a.png b.png", "unexpected argument \"b.png\""),
            ("a.png --size 5", "\"5\" is not WIDTHxHEIGHT"),
            ("a.png --rotate 45", "\"45\" is not 0, 90"),
            ("a.png --state asleep", "\"asleep\" is not one of waiting, prompt"),
            ("a.png --battery 101", "\"101\" is not a percentage"),
        ] {
            let error = parse(words(format!("fbunlock preview {flags}").trim())).unwrap_err();
            assert_eq!(error.exit(), Exit::Parameters);
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn names_that_cannot_be_mappings_are_refused() {
        for name in ["a/b", "..", &"n".repeat(128)] {
            let error = parse(words(&format!("fbunlock unlock --device x --name {name}"))).unwrap_err();
            assert_eq!(error.exit(), Exit::Parameters, "{name}");
        }
    }
}
