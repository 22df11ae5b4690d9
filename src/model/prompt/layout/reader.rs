//! Reads the text of a layout, and of those that it includes.

use super::{Key, Layer, Layout, Press, Row, quarters, upper};
use crate::error::{Error, Exit, Result};

/// Keys across the widest row, at the most.
const COLUMNS_MAX: u32 = 16;
const ROWS_MAX: usize = 6;
const LAYERS_MAX: usize = 16;
/// Characters that have alternatives.
const HOLDS_MAX: usize = 512;
/// Alternatives of one character: two rows of them fit on any panel.
pub(super) const ALTERNATIVES_MAX: usize = 16;
const BYTES_MAX: usize = 64 * 1024;
/// An included file may include others, and those none.
const DEPTH_MAX: usize = 2;
const INCLUDES_MAX: usize = 16;
const TITLE_MAX: usize = 40;
const LABEL_MAX: usize = 8;
/// What no layer can be called: such a word means something else at some place.
const RESERVED: [&str; 9] = ["name", "layer", "hold", "include", "shift", "backspace", "space", "enter", "next"];

/// Gives the text of a layout by its name.
pub(super) type Find<'f, 'a> = &'f dyn Fn(&str) -> Option<&'a str>;

type Reason<T> = core::result::Result<T, String>;

/// A line of a file.
#[derive(Clone, Copy)]
struct Mark<'a> {
    file: &'a str,
    line: usize,
}

impl Mark<'_> {
    fn refuse(self, reason: &str) -> Error {
        Error::new(Exit::Parameters, format!("read layout {}, line {}", self.file, self.line), reason)
    }
}

/// What a layer's third word says.
#[derive(Clone, Copy)]
enum Shift<'a> {
    None,
    To(&'a str),
    /// Rows are those of this layer in upper case.
    Copy(&'a str),
}

/// Where rows go that are read.
#[derive(Clone, Copy)]
enum Target {
    /// To the layer of this index.
    Layer(usize),
    /// Nowhere: a file that counts more has this layer.
    Nowhere,
    /// Refused: no layer was declared.
    Outside,
    /// Refused: the layer is the copy of another.
    Copy,
}

/// A layer before names are looked up.
struct Draft<'a> {
    at: Mark<'a>,
    name: &'a str,
    label: &'a str,
    shift: Shift<'a>,
    rows: Vec<(Mark<'a>, &'a str)>,
    /// Which reading of a file it is from, and how deep below the first one that was included.
    reading: usize,
    depth: usize,
}

/// All that was read so far.
#[derive(Default)]
struct Reader<'a> {
    title: Option<&'a str>,
    layers: Vec<Draft<'a>>,
    holds: Vec<(char, Vec<char>)>,
    readings: usize,
}

/// Reads a layout; `file` is its name in messages.
pub(super) fn parse<'a>(file: &'a str, text: &'a str, find: Find<'_, 'a>) -> Result<Layout> {
    let mut reader = Reader::default();
    reader.read(file, text, find, 0)?;
    let name = file.strip_suffix(".layout").unwrap_or(file);
    let title = reader.title.unwrap_or(name).to_owned();
    let mut layers = Vec::new();
    for draft in &reader.layers {
        layers.push(reader.layer(draft)?);
    }
    let layout = Layout { name: name.to_owned(), title, layers, holds: reader.all_holds() };
    match (check(&layout), reader.layers.first()) {
        (Ok(()), _) => Ok(layout),
        (Err((layer, reason)), Some(first)) => Err(reader.layers.get(layer).unwrap_or(first).at.refuse(&reason)),
        (Err((_, reason)), None) => Err(Mark { file, line: text.lines().count() }.refuse(&reason)),
    }
}

impl<'a> Reader<'a> {
    fn read(&mut self, file: &'a str, text: &'a str, find: Find<'_, 'a>, depth: usize) -> Result<()> {
        if text.len() > BYTES_MAX {
            return Err(Mark { file, line: 1 }.refuse("larger than 64 KiB"));
        }
        let reading = self.readings;
        self.readings += 1;
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
        let (mut current, mut is_first) = (Target::Outside, true);
        for (text, line) in lines.filter(|(text, _)| !text.is_empty() && *text != "#" && !text.starts_with("# ")) {
            let at = Mark { file, line };
            let refuse = |reason: String| at.refuse(&reason);
            let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            match word {
                "name" if !is_first => return Err(at.refuse("`name` belongs on the first line")),
                "name" => self.name(rest.trim(), depth).map_err(refuse)?,
                "layer" => {
                    let draft = header(rest, at, reading, depth).map_err(refuse)?;
                    current = self.take(draft).map_err(refuse)?;
                }
                "hold" => self.hold(rest).map_err(refuse)?,
                "include" => {
                    current = Target::Outside;
                    let name = rest.trim();
                    let included = find(name).ok_or_else(|| at.refuse(&format!("there is no layout {name}")))?;
                    if depth == DEPTH_MAX || self.readings > INCLUDES_MAX {
                        return Err(at.refuse("too many includes within each other"));
                    }
                    self.read(name, included, find, depth + 1)?;
                }
                _ => self.row(current, (at, text)).map_err(refuse)?,
            }
            is_first = false;
        }
        Ok(())
    }

    fn name(&mut self, title: &'a str, depth: usize) -> Reason<()> {
        if title.is_empty() || title.chars().count() > TITLE_MAX || title.chars().any(char::is_control) {
            return Err(format!("`name` takes up to {TITLE_MAX} characters"));
        }
        if depth == 0 {
            self.title = Some(title);
        }
        Ok(())
    }

    /// Where the rows go that follow a header: nowhere, if a layer of that name is there already from
    /// a file that counts more. What includes counts more than what is included.
    fn take(&mut self, draft: Draft<'a>) -> Reason<Target> {
        let is_copy = matches!(draft.shift, Shift::Copy(_));
        let at = match self.layers.iter().position(|layer| layer.name == draft.name) {
            Some(at) => {
                let known = self.layers.get_mut(at).ok_or("no layer")?;
                if known.reading == draft.reading {
                    return Err(format!("layer {} is there twice", draft.name));
                }
                if known.depth <= draft.depth {
                    return Ok(Target::Nowhere);
                }
                *known = draft;
                at
            }
            None if self.layers.len() == LAYERS_MAX => return Err(format!("more than {LAYERS_MAX} layers")),
            None => {
                self.layers.push(draft);
                self.layers.len() - 1
            }
        };
        Ok(if is_copy { Target::Copy } else { Target::Layer(at) })
    }

    fn row(&mut self, into: Target, row: (Mark<'a>, &'a str)) -> Reason<()> {
        let layer = match into {
            Target::Layer(at) => self.layers.get_mut(at),
            Target::Nowhere => return Ok(()),
            Target::Outside => None,
            Target::Copy => return Err("a layer with `=` has no rows of its own".into()),
        };
        let layer = layer.ok_or("keys outside of a layer")?;
        if layer.rows.len() == ROWS_MAX {
            return Err(format!("more than {ROWS_MAX} rows"));
        }
        layer.rows.push(row);
        Ok(())
    }

    fn hold(&mut self, rest: &str) -> Reason<()> {
        let mut characters = Vec::new();
        for word in rest.split_whitespace() {
            characters.push(single(word).ok_or_else(|| format!("{word} is not one character"))?);
        }
        let Some((character, others)) = characters.split_first().filter(|(_, others)| !others.is_empty()) else {
            return Err("`hold` takes a character and its alternatives".into());
        };
        if others.len() > ALTERNATIVES_MAX {
            return Err(format!("more than {ALTERNATIVES_MAX} alternatives"));
        }
        let is_known = self.holds.iter().any(|(known, _)| known == character);
        if !is_known && self.holds.len() == HOLDS_MAX {
            return Err(format!("more than {HOLDS_MAX} characters with alternatives"));
        }
        add(&mut self.holds, *character, others.iter().copied());
        Ok(())
    }

    /// Alternatives of lower-case letters count for their upper-case ones as well.
    fn all_holds(&self) -> Vec<(char, Vec<char>)> {
        let mut all = self.holds.clone();
        for (character, others) in &self.holds {
            let high = upper(*character);
            if high != *character {
                add(&mut all, high, others.iter().map(|other| upper(*other)).filter(|other| !other.is_lowercase()));
            }
        }
        all
    }

    /// Looks names up.
    fn layer(&self, draft: &Draft<'a>) -> Result<Layer> {
        let find = |name: &str| self.layers.iter().position(|layer| layer.name == name);
        let known = |name: &str| find(name).ok_or_else(|| draft.at.refuse(&format!("there is no layer {name}")));
        let (source, shift) = match draft.shift {
            Shift::Copy(name) => {
                let at = known(name)?;
                let source = self.layers.get(at).filter(|source| !matches!(source.shift, Shift::Copy(_)));
                (source.ok_or_else(|| draft.at.refuse(&format!("{name} has no rows of its own")))?, Some(at))
            }
            Shift::To(name) => (draft, Some(known(name)?)),
            Shift::None => {
                let copies = |other: &Draft<'_>| matches!(other.shift, Shift::Copy(name) if name == draft.name);
                (draft, self.layers.iter().position(copies))
            }
        };
        let mut rows = Vec::new();
        for (at, text) in &source.rows {
            let mut row = row(text, &find).map_err(|reason| at.refuse(&reason))?;
            for key in row.keys.iter_mut().filter(|_| !core::ptr::eq(source, draft)) {
                if let Press::Character(character) = &mut key.press {
                    *character = upper(*character);
                }
            }
            rows.push(row);
        }
        Ok(Layer { name: draft.name.into(), label: draft.label.into(), shift, rows })
    }
}

/// Adds alternatives of `character`, each once, as long as there is room.
fn add(holds: &mut Vec<(char, Vec<char>)>, character: char, others: impl Iterator<Item = char>) {
    let others: Vec<char> = others.collect();
    let at = match holds.iter().position(|(known, _)| *known == character) {
        Some(at) => at,
        None if others.iter().all(|other| *other == character) => return,
        None => {
            holds.push((character, Vec::new()));
            holds.len() - 1
        }
    };
    if let Some((_, known)) = holds.get_mut(at) {
        for other in others {
            if other != character && !known.contains(&other) && known.len() < ALTERNATIVES_MAX {
                known.push(other);
            }
        }
    }
}

fn header<'a>(rest: &'a str, at: Mark<'a>, reading: usize, depth: usize) -> Reason<Draft<'a>> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (name, label, shift) = match *words.as_slice() {
        [name, label] => (name, label, Shift::None),
        [name, label, "=", source] => (name, label, Shift::Copy(source)),
        [name, label, partner] if partner != "=" => (name, label, Shift::To(partner)),
        _ => return Err("`layer` takes a name, a label and another layer or `= layer`".into()),
    };
    if RESERVED.contains(&name) || single(name).is_some() || name.contains(':') {
        return Err(format!("a layer cannot be called {name}"));
    }
    if label.chars().count() > LABEL_MAX || label.chars().any(char::is_control) {
        return Err(format!("a label has up to {LABEL_MAX} characters"));
    }
    Ok(Draft { at, name, label, shift, rows: Vec::new(), reading, depth })
}

fn row(text: &str, find: &dyn Fn(&str) -> Option<usize>) -> Reason<Row> {
    let mut words = text.split_whitespace().peekable();
    let optional = words.next_if_eq(&"?").is_some();
    let keys = words.map(|word| key(word, find)).collect::<Reason<Vec<Key>>>()?;
    if keys.is_empty() {
        return Err("a row without keys".into());
    }
    if quarters(&keys) > COLUMNS_MAX * 4 {
        return Err(format!("wider than {COLUMNS_MAX} columns"));
    }
    Ok(Row { optional, keys })
}

fn key(word: &str, find: &dyn Fn(&str) -> Option<usize>) -> Reason<Key> {
    let (name, quarters) = match word.rsplit_once(':') {
        Some((name, width)) if !name.is_empty() => {
            (name, width_quarters(width).ok_or_else(|| format!("{width} is no width: 0.5 to 10 in quarters"))?)
        }
        _ => (word, 4),
    };
    let press = match name {
        "space" => Press::Character(' '),
        "shift" => Press::Shift,
        "backspace" => Press::Backspace,
        "enter" => Press::Enter,
        "next" => Press::Next,
        _ => match (single(name), find(name)) {
            (Some(character), _) => Press::Character(character),
            (None, Some(layer)) => Press::Layer(layer),
            (None, None) => return Err(format!("{name} is neither a character, a key nor a layer")),
        },
    };
    Ok(Key { press, quarters })
}

/// A word of one character that can be typed.
fn single(word: &str) -> Option<char> {
    let mut characters = word.chars();
    characters.next().filter(|character| characters.next().is_none() && !character.is_control())
}

/// Reads a decimal number of columns such as `1.5`. The library's reader of floats has 13 KB of tables.
fn width_quarters(width: &str) -> Option<u32> {
    let (whole, part) = width.split_once('.').unwrap_or((width, ""));
    let part = match part.trim_end_matches('0') {
        "" => 0,
        "25" => 1,
        "5" => 2,
        "75" => 3,
        _ => return None,
    };
    let whole: u32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let quarters = whole.checked_mul(4)? + part;
    (2..=40).contains(&quarters).then_some(quarters)
}

/// A keyboard must be able to send what was typed, whatever the file says. Otherwise the layer that
/// cannot, and why.
fn check(layout: &Layout) -> core::result::Result<(), (usize, String)> {
    if layout.layers.is_empty() {
        return Err((0, "no layer".into()));
    }
    for (at, layer) in layout.layers.iter().enumerate() {
        let has = |press| layer.rows(false).flatten().any(|key| key.press == press);
        if !has(Press::Enter) || !has(Press::Backspace) {
            return Err((at, format!("layer {} needs the keys enter and backspace", layer.name)));
        }
        if layer.rows(true).flatten().any(|key| key.press == Press::Shift) && layer.shift.is_none() {
            return Err((at, format!("layer {} has shift and no layer that it leads to", layer.name)));
        }
    }
    let first = layout.layers.first().map_or("", |layer| layer.name.as_str());
    // A row that may be shown leads to where one that may not be does not lead back from.
    let is_end = |at: &usize| !reached(layout, *at, false).contains(&0);
    match reached(layout, 0, true).into_iter().find(is_end) {
        Some(at) => {
            let name = layout.layers.get(at).map_or("", |layer| layer.name.as_str());
            Err((at, format!("no key of layer {name} leads back to {first}")))
        }
        None => Ok(()),
    }
}

/// The layers that keys lead to from one, itself among them, with rows that need height or without.
fn reached(layout: &Layout, from: usize, optional: bool) -> Vec<usize> {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(at) = reached.get(next).copied() {
        next += 1;
        let Some(layer) = layout.layers.get(at) else { continue };
        for key in layer.rows(optional).flatten() {
            let to = match key.press {
                Press::Layer(to) => Some(to),
                Press::Shift => layer.shift,
                _ => None,
            };
            reached.extend(to.filter(|to| !reached.contains(to)));
        }
    }
    reached
}
