//! The flags of `image`.

use lexopt::prelude::*;

use super::Command;
use super::word::{layouts, path, value, wrong};
use crate::cmd;
use crate::error::Result;

/// Reads them.
pub(super) fn parse(parser: &mut lexopt::Parser) -> Result<Command> {
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
            Long("layout") => options.layout.extend(layouts(parser)?),
            Long("keymap") => options.keymap = Some(path(parser)?),
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
