//! The prompt's pictures, compared with PNG files in `tests/golden`.
//!
//! `UPDATE_GOLDEN=1 cargo test --test golden` writes them anew: look at each before you commit it.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs::File;
use std::path::{Path, PathBuf};

use embedded_graphics::prelude::Size;
use fbunlock::model::frame::Frame;
use fbunlock::model::prompt::decoder::Stroke;
use fbunlock::model::prompt::event::Event;
use fbunlock::model::prompt::layout::{Layout, US};
use fbunlock::model::prompt::plan::Panel;
use fbunlock::model::prompt::secret::Secret;
use fbunlock::model::prompt::session::{Config, Session};
use fbunlock::model::volume::failure::Failure;
use fbunlock::model::volume::message::Report;
use fbunlock::ui::picture;
use fbunlock::ui::theme::DARK;

const READY: Event = Event::Report(Report::Ready { memory_kib: 0 });

/// Draws what a session looks like after `events`, and compares it with `tests/golden/NAME.png`.
fn golden(name: &str, (width, height): (u32, u32), events: &[Event]) {
    let layout = Layout::parse("us", US).expect("the built-in layout");
    let config = Config { volume: "/dev/mmcblk0p2".into(), tries: 3, timeout_ms: 0, test: false };
    let secret = Secret::new(Box::leak(Box::new([0; 256])));
    let mut session = Session::new(config, layout, secret, 0);
    session.set_panel(Panel { size: Size::new(width, height), millimetres: (0, 0) }).expect("a panel of a usable size");
    for event in events {
        session.update(1000, event.clone());
    }
    let plan = session.plan().expect("a panel was set");
    let mut frame = Frame::new(plan.size);
    let Ok(()) = picture::draw(&mut frame, &DARK, (plan, session.layout()), &session.view(), None);

    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"));
    let drawn: Vec<u8> = frame.pixels().iter().flat_map(|pixel| pixel.to_be_bytes().into_iter().skip(1)).collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write(&path, (width, height), &drawn);
    }
    let differs = read(&path, (width, height)).iter().zip(&drawn).position(|(meant, drawn)| meant != drawn);
    if let Some(at) = differs {
        let seen = std::env::temp_dir().join(format!("fbunlock-{name}.png"));
        write(&seen, (width, height), &drawn);
        let (x, y) = (at / 3 % width as usize, at / 3 / width as usize);
        panic!("{name} differs at {x},{y}; what was drawn is in {}", seen.display());
    }
}

fn write(path: &Path, (width, height): (u32, u32), rgb: &[u8]) {
    let mut encoder = png::Encoder::new(File::create(path).expect("create a PNG"), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(rgb)).expect("write a PNG");
}

fn read(path: &Path, size: (u32, u32)) -> Vec<u8> {
    let file =
        File::open(path).unwrap_or_else(|error| panic!("open {}: {error}; UPDATE_GOLDEN=1 makes it", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("read a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a PNG of a usable size")];
    let info = reader.next_frame(&mut rgb).expect("read a PNG");
    assert_eq!((info.width, info.height), size, "{}", path.display());
    rgb.truncate(info.buffer_size());
    rgb
}

fn typed(text: &str) -> Vec<Event> {
    text.chars().map(Event::Text).collect()
}

#[test]
fn phone_waiting() {
    golden("phone-waiting", (720, 1440), &[Event::Tick]);
}

#[test]
fn phone_typing() {
    let events = [vec![READY], typed("correct horse")].concat();
    golden("phone-typing", (720, 1440), &events);
}

#[test]
fn monitor_after_a_wrong_passphrase() {
    let failed = Event::Report(Report::Failed(Failure::WrongPassphrase));
    golden("monitor-wrong", (1280, 800), &[vec![READY], typed("horse\n"), vec![failed]].concat());
}

#[test]
fn monitor_unlocking() {
    golden("monitor-unlocking", (1280, 800), &[vec![READY], typed("horse\n")].concat());
}

#[test]
fn handheld_without_room_for_more() {
    let memory = Failure::Memory { needed_kib: 1 << 20, free_kib: 300_000 };
    let key = Event::Key { code: 30, stroke: Stroke::Press };
    golden("handheld-memory", (240, 240), &[READY, key, Event::Text('\n'), Event::Report(Report::Failed(memory))]);
}

#[test]
fn smallest_panel() {
    golden("smallest", (160, 120), &[READY, Event::Devices { pointing: 0, keyboards: 0 }]);
}
