//! Text in an area: how large it can be, where its lines break, and what is left out if it must be.

use embedded_graphics::prelude::Size;

use super::direction::visual;
use super::font::Face;

const ELLIPSIS: &str = "\u{2026}";
/// Words that are too long for a line break behind these: paths and names.
const JOINTS: &str = "/-_.,:;=@";
/// Text may become so much smaller, in parts of ten, before words are broken or left out.
const SHRINK: u32 = 7;

/// Lines of text in one face.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The face of all lines.
    pub face: Face,
    /// The lines, each in the order in which it is drawn from the left.
    pub lines: Vec<String>,
}

impl Passage {
    /// `text` in lines, in the largest face no higher than `most` in which it fits into `room`.
    /// Words that are too long for a line are broken where that keeps the text large or whole. What
    /// is too much even for the smallest face is cut at the end.
    pub fn wrapped(text: &str, room: Size, most: u32) -> Self {
        let largest = |breaks: bool| {
            Face::largest(&|face| {
                face.height() <= most && fits(face, text, (room.width, room.height / face.pitch()), breaks)
            })
        };
        let (whole, broken) = (largest(false), largest(true));
        let lines = |face: Face, breaks: bool| {
            let width = balanced(face, text, room.width, breaks);
            lines(face, text, (width, u32::MAX), breaks).into_iter().map(visual).collect()
        };
        match (whole, broken) {
            (Some(whole), broken) if broken.is_none_or(|broken| whole.height() * 10 >= broken.height() * SHRINK) => {
                Self { face: whole, lines: lines(whole, false) }
            }
            (_, Some(broken)) => Self { face: broken, lines: lines(broken, true) },
            _ => Self::cut(text, room),
        }
    }

    /// As much as there is room for in the smallest face.
    fn cut(text: &str, room: Size) -> Self {
        let face = Face::SMALLEST;
        let most = (room.height / face.pitch().max(1)).max(1) as usize;
        let lines = lines(face, text, (room.width, most as u32 + 1), true);
        let mut lines: Vec<String> = lines.into_iter().map(String::from).collect();
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                last.push_str(ELLIPSIS);
            }
        }
        let lines = lines.iter().map(|line| visual(&clip(face, line, room.width))).collect();
        Self { face, lines }
    }

    /// `text` in one line. If it would become too small, its middle is left out: what a device is
    /// called begins with what it is and ends with which one.
    pub fn line(text: &str, room: Size) -> Self {
        let whole = Face::fitting("", room);
        let face = Face::fitting(text, room);
        let least = Face::largest(&|face| face.height() * 10 <= whole.height() * SHRINK).unwrap_or(Face::SMALLEST);
        let face = if face.height() < least.height() { least } else { face };
        Self { face, lines: vec![visual(&shortened(face, text, room.width))] }
    }
}

/// Breaks `text` at line ends and spaces into lines of at most `width` pixels, and tells each until
/// it is told that it was the last one. A longer word has its own line, or is broken.
fn wrap<'a>(face: Face, text: &'a str, width: u32, breaks: bool, tell: &mut dyn FnMut(&'a str) -> bool) {
    for paragraph in text.split('\n') {
        let mut rest = paragraph;
        while let Some(end) = overflow(face, rest, width, breaks) {
            let (line, after) = rest.split_at(end);
            if !tell(line.trim_end_matches(' ')) {
                return;
            }
            rest = after.trim_start_matches(' ');
        }
        if !tell(rest) {
            return;
        }
    }
}

/// The first lines of `text`, at most so many.
fn lines(face: Face, text: &str, (width, count): (u32, u32), breaks: bool) -> Vec<&str> {
    let mut lines = Vec::new();
    wrap(face, text, width, breaks, &mut |line| {
        lines.push(line);
        (lines.len() as u32) < count
    });
    lines
}

/// Whether `text` has at most `count` lines, all of which fit into `width`.
fn fits(face: Face, text: &str, (width, count): (u32, u32), breaks: bool) -> bool {
    let (mut seen, mut fits) = (0, true);
    wrap(face, text, width, breaks, &mut |line| {
        seen += 1;
        fits = seen <= count && face.width(line) <= width;
        fits
    });
    fits
}

/// The least width at which `text` has no more lines than at `width`: they are about as long then,
/// and no word stands alone in the last one.
fn balanced(face: Face, text: &str, width: u32, breaks: bool) -> u32 {
    let count = lines(face, text, (width, u32::MAX), breaks).len() as u32;
    let (mut over, mut least) = (0, width);
    while least - over > 1 {
        let middle = u32::midpoint(over, least);
        if fits(face, text, (middle, count), breaks) { least = middle } else { over = middle }
    }
    least
}

/// Where a line ends that `text` is too long for.
fn overflow(face: Face, text: &str, width: u32, breaks: bool) -> Option<usize> {
    let (mut space, mut joint) = (None, None);
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += Face::advance(character);
        if character == ' ' {
            if space.is_some_and(|space| text.get(space..at).is_some_and(|word| word.trim().is_empty())) {
                continue;
            }
            if face.pixels(used - Face::advance(' ')) > width && !breaks {
                return Some(space.unwrap_or(at))
                    .filter(|end| text.get(*end..).is_some_and(|rest| !rest.trim().is_empty()));
            }
            space = Some(at).filter(|at| *at > 0).or(space);
            continue;
        }
        if face.pixels(used) > width {
            if let Some(space) = space {
                return Some(space);
            }
            if breaks {
                // A character that is wider than the line has one of its own.
                let here = if at == 0 { character.len_utf8() } else { at };
                return Some(joint.unwrap_or(here)).filter(|end| *end < text.len());
            }
        }
        if JOINTS.contains(character) && at > 0 {
            joint = Some(at + character.len_utf8());
        }
    }
    None
}

/// The longest start of `text` that fits into `width`, with an ellipsis when it is cut.
fn clip(face: Face, text: &str, width: u32) -> String {
    if face.width(text) <= width {
        return text.into();
    }
    let mut used = Face::units(ELLIPSIS);
    let fits = |character: &char| {
        used += Face::advance(*character);
        face.pixels(used) <= width
    };
    let kept: String = text.trim_end_matches(ELLIPSIS).chars().take_while(fits).collect();
    kept.trim_end().to_owned() + ELLIPSIS
}

/// `text` without as much of its middle as is too long for `width`.
fn shortened(face: Face, text: &str, width: u32) -> String {
    if face.width(text) <= width {
        return text.into();
    }
    let mut rest = text.chars();
    let (mut start, mut end) = (String::new(), Vec::new());
    let (mut before, mut after) = (0, Face::units(ELLIPSIS));
    loop {
        // Both ends get as much of the width.
        let is_end = after <= before;
        let Some(character) = (if is_end { rest.next_back() } else { rest.next() }) else { break };
        let advance = Face::advance(character);
        if face.pixels(before + after + advance) > width {
            break;
        }
        if is_end {
            end.push(character);
            after += advance;
        } else {
            start.push(character);
            before += advance;
        }
    }
    let end: String = end.into_iter().rev().collect();
    format!("{}{ELLIPSIS}{}", start.trim_end(), end.trim_start())
}

#[cfg(test)]
mod tests;
