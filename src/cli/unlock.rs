//! The flags of `unlock`.

use lexopt::prelude::*;

use super::Command;
use super::word::{choice, color, layouts, path, switch, theme, value, wish, wrong};
use crate::cmd;
use crate::error::Result;
use crate::model::boot::Boot;
use crate::model::prompt::showing::Showing;
use crate::model::scanout::selection::Selection;
use crate::model::scanout::{orientation, refresh};
use crate::model::volume::policy::Choice;

/// Reads them.
pub(super) fn parse(parser: &mut lexopt::Parser) -> Result<Command> {
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
            Long("power-off-after") => options.power_off_after_s = value(parser)?,
            Long("layout") => options.layout.extend(layouts(parser)?),
            Long("keyboard") => options.keyboard = wish(parser, "auto, show or hide", Showing::parse)?,
            Long("reveal") => options.reveal = switch(parser)?,
            Long("hide-length") => options.hide_length = switch(parser)?,
            Long("cancel") => options.cancel = switch(parser)?,
            Long("keymap") => options.keymap = Some(path(parser)?),
            Long("input") => {
                let rules: String = value(parser)?;
                let added = options.hardware.input.add(&rules);
                added.map_err(|wanted| wrong(format!("--input {rules:?} must be {wanted}").into()))?;
            }
            Long("haptics") => options.hardware.haptics = choice(parser)? == Choice::On,
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
