//! The flags of `preview`.

use lexopt::prelude::*;

use super::Command;
use super::word::{color, parsed, path, theme, value, wrong};
use crate::error::Result;
use crate::model::prompt::battery::Battery;

/// Reads them.
pub(super) fn parse(parser: &mut lexopt::Parser) -> Result<Command> {
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

fn battery(word: &str) -> Option<Battery> {
    let (digits, charging) = word.strip_suffix('+').map_or((word, false), |digits| (digits, true));
    let percent = digits.parse().ok().filter(|percent| *percent <= 100 && !digits.starts_with('+'))?;
    Some(Battery { percent, charging })
}
