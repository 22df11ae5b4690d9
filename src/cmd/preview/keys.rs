//! Where the keys are, as JSON (RFC 8259).

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use crate::model::prompt::layout::{Layout, Press};
use crate::model::prompt::plan::{Place, Plan};
use crate::model::prompt::session::Session;
use crate::model::prompt::view::Sheet;
use crate::model::scanout::turn::Turn;

/// Every key of every layer and sheet as JSON: `touch` is where a finger counts, `face` what is drawn,
/// both in the panel's pixels. What can be pressed beside them is on the sheets `controls`, while
/// there are keys, and `hidden`, while there are none.
pub fn keys(session: &Session, turn: Turn) -> String {
    let Some(plan) = session.plan() else { return "[]\n".into() };
    let layout = session.layout();
    let layers =
        layout.layers().iter().zip(&plan.layers).map(|(layer, places)| ("layer", layer.name.as_str(), &places[..]));
    // Pages come one after the other, each with its own key that goes back.
    let pages = plan.layouts.iter().map(|page| ("sheet", "layouts", &page[..]));
    let sheets = [
        ("sheet", "power", plan.keys(Sheet::Power, 0)),
        ("sheet", "controls", plan.controls(Sheet::Keys)),
        ("sheet", "hidden", plan.controls(Sheet::Hidden)),
    ];
    let lines: Vec<String> = layers
        .chain(pages)
        .chain(sheets)
        .flat_map(|(kind, name, places)| places.iter().map(move |place| key((plan, layout), (kind, name), place, turn)))
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn key((plan, layout): (&Plan, &Layout), (part, name): (&str, &str), place: &Place, turn: Turn) -> String {
    let label = match place.press {
        Press::Character(' ') => "space".to_owned(),
        Press::Character(character) => character.to_string(),
        Press::Shift => "shift".into(),
        Press::Backspace => "backspace".into(),
        Press::Enter => "enter".into(),
        Press::Next => "next".into(),
        Press::Pick(number) => plan.names.get(number).cloned().unwrap_or_default(),
        Press::More => "more".into(),
        Press::Clear => "clear".into(),
        Press::Reveal => "reveal".into(),
        Press::Left => "left".into(),
        Press::Right => "right".into(),
        Press::Hide => "hide".into(),
        Press::Power => "power".into(),
        Press::PowerOff => "power off".into(),
        Press::Back => "back".into(),
        Press::Layer(to) => layout.layers().get(to).map_or(String::new(), |layer| layer.label.clone()),
    };
    let kind = match place.press {
        Press::Character(_) => "character",
        Press::Layer(_) => "layer",
        Press::Pick(_) => "layout",
        _ => "action",
    };
    let rectangle = |area| {
        let Rectangle { top_left: Point { x, y }, size: Size { width, height } } = turn.to_panel(area);
        format!("{{\"x\": {x}, \"y\": {y}, \"width\": {width}, \"height\": {height}}}")
    };
    let (name, label) = (quoted(name), quoted(&label));
    let (touch, face) = (rectangle(place.touch), rectangle(place.face));
    format!("  {{\"{part}\": {name}, \"label\": {label}, \"kind\": \"{kind}\", \"touch\": {touch}, \"face\": {face}}}")
}

/// A JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            control if control.is_control() => json.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}
