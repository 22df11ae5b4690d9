//! Values of flags: what they may be, and what is wrong with them.

use std::path::PathBuf;

use lexopt::ValueExt;

use crate::error::{Error, Exit, Result};
use crate::model::boot::setting;
use crate::model::theme::Wish;
use crate::model::volume::policy::Choice;

/// A value that must be one of some kind.
#[cfg(feature = "host")]
pub(super) fn parsed<T>(parser: &mut lexopt::Parser, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let word: String = value(parser)?;
    parse(&word).ok_or_else(|| wrong(format!("{word:?} is not {wanted}").into()))
}

pub(super) fn theme(parser: &mut lexopt::Parser, theme: &mut Wish) -> Result<()> {
    let name: String = value(parser)?;
    theme.set_base(&name).map_err(|wanted| wrong(format!("--theme {name:?} must be {wanted}").into()))
}

pub(super) fn color(parser: &mut lexopt::Parser, theme: &mut Wish) -> Result<()> {
    let word: String = value(parser)?;
    let Some((name, color)) = word.split_once('=') else {
        return Err(wrong(format!("--color {word:?} must be NAME=#RRGGBB").into()));
    };
    theme.set_color(name, color).map_err(|wanted| wrong(format!("--color {word:?} must be {wanted}").into()))
}

pub(super) fn path(parser: &mut lexopt::Parser) -> Result<PathBuf> {
    Ok(parser.value().map_err(wrong)?.into())
}

pub(super) fn value<T: std::str::FromStr>(parser: &mut lexopt::Parser) -> Result<T>
where
    T::Err: Into<Box<dyn std::error::Error + Send + Sync + 'static>>,
{
    parser.value().and_then(|word| word.parse()).map_err(wrong)
}

/// One of several words.
pub(super) fn wish<T>(parser: &mut lexopt::Parser, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let word: String = value(parser)?;
    parse(&word).ok_or_else(|| wrong(format!("{word:?} is not {wanted}").into()))
}

/// `yes`, which the flag alone says, or `no`.
pub(super) fn switch(parser: &mut lexopt::Parser) -> Result<bool> {
    let Some(word) = parser.optional_value() else { return Ok(true) };
    word.to_str().and_then(setting::switch).ok_or_else(|| wrong(format!("{word:?} is not yes or no").into()))
}

/// A flag that is on by being there, or is told what to be.
pub(super) fn choice(parser: &mut lexopt::Parser) -> Result<Choice> {
    let Some(word) = parser.optional_value() else { return Ok(Choice::On) };
    match word.to_str() {
        Some("on") => Ok(Choice::On),
        Some("off") => Ok(Choice::Off),
        Some("auto") => Ok(Choice::Auto),
        _ => Err(wrong(format!("a flag is on, off or auto, not {}", word.display()).into())),
    }
}

pub(super) fn wrong(error: lexopt::Error) -> Error {
    Error::new(Exit::Parameters, "command line", error.to_string()).hint("see fbunlock --help")
}

/// Names of layouts, and files of them, with commas between.
pub(super) fn layouts(parser: &mut lexopt::Parser) -> Result<Vec<String>> {
    let word: String = value(parser)?;
    let words: Vec<String> = word.split(',').map(str::to_owned).collect();
    if words.iter().any(String::is_empty) {
        return Err(wrong(format!("--layout {word:?} must be NAME or FILE, with commas between").into()));
    }
    Ok(words)
}
