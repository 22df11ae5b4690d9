//! Where the keys are, as JSON (RFC 8259).

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use crate::model::prompt::layout::{Layout, Press};
use crate::model::prompt::plan::Place;
use crate::model::prompt::session::Session;
use crate::model::scanout::turn::Turn;

/// Every key of every layer as JSON: `touch` is where a finger counts, `face` what is drawn, both
/// in the panel's pixels.
pub fn keys(session: &Session, turn: Turn) -> String {
    let layout = session.layout();
    let layers = session.plan().map_or(&[][..], |plan| &plan.layers);
    let named = layout.layers().iter().zip(layers);
    let lines: Vec<String> = named
        .flat_map(|(layer, places)| places.iter().map(move |place| key(layout, &layer.name, place, turn)))
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn key(layout: &Layout, layer: &str, place: &Place, turn: Turn) -> String {
    let label = match place.press {
        Press::Character(' ') => "space".to_owned(),
        Press::Character(character) => character.to_string(),
        Press::Shift => "shift".into(),
        Press::Backspace => "backspace".into(),
        Press::Enter => "enter".into(),
        Press::Next => "next".into(),
        Press::Pick(number) => format!("layout {number}"),
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
        _ => "action",
    };
    let rectangle = |area| {
        let Rectangle { top_left: Point { x, y }, size: Size { width, height } } = turn.to_panel(area);
        format!("{{\"x\": {x}, \"y\": {y}, \"width\": {width}, \"height\": {height}}}")
    };
    let (layer, label) = (quoted(layer), quoted(&label));
    let (touch, face) = (rectangle(place.touch), rectangle(place.face));
    format!("  {{\"layer\": {layer}, \"label\": {label}, \"kind\": \"{kind}\", \"touch\": {touch}, \"face\": {face}}}")
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
