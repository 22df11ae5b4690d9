//! What a picture costs: `valgrind --tool=callgrind` of this program, once for each of its words.
//!
//! ```text
//! cargo bench --bench picture --no-run
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/deps/picture-* full
//! ```
//! `full` draws a whole 1080x2400 prompt, `key` a key going down and up, `copy` converts a frame to
//! XRGB8888 and `copy565` to RGB565; `none` does what all of them do before.

use embedded_graphics::prelude::Size;
use fbunlock::model::frame::Frame;
use fbunlock::model::pixel::{Format, RGB565, XRGB8888};
use fbunlock::model::prompt::layout::{Layout, US};
use fbunlock::model::prompt::plan::{Panel, Plan};
use fbunlock::model::prompt::view::{Shift, Tone, View};
use fbunlock::ui::picture;
use fbunlock::ui::theme::DARK;

const SIZE: Size = Size::new(1080, 2400);

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    let Ok(layout) = Layout::parse("us", US) else { return };
    let Ok(plan) = Plan::new(Panel { size: SIZE, millimetres: (0, 0) }, &layout) else { return };
    let mut frame = Frame::new(SIZE);
    let view = View {
        title: "Unlock /dev/mmcblk0p2".into(),
        message: String::new(),
        tone: Tone::Calm,
        layer: 0,
        shift: Shift::Off,
        pressed: None,
        characters: 5,
        ready: true,
        enabled: true,
        working: None,
    };
    let mut draw = |view: &View, shown: Option<&View>| {
        let Ok(()) = picture::draw(&mut frame, &DARK, (&plan, &layout), view, shown);
        std::hint::black_box(frame.take_damage());
    };
    match word.as_str() {
        "full" => draw(&view, None),
        "key" => {
            let pressed = View { pressed: Some(12), ..view.clone() };
            let typed = View { characters: 6, ..view.clone() };
            draw(&pressed, Some(&view));
            draw(&typed, Some(&pressed));
        }
        "copy" => copy(&frame, XRGB8888),
        "copy565" => copy(&frame, RGB565),
        _ => {}
    }
}

fn copy(frame: &Frame, format: Format) {
    let mut row = vec![0; format.row_bytes(SIZE.width as usize).unwrap_or(0)];
    for y in 0..SIZE.height as usize {
        format.put(frame.row(0, y, SIZE.width as usize), &mut row, 0);
        std::hint::black_box(&mut row);
    }
}
