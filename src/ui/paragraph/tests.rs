//! Nothing is lost that there is room for, and what is lost is told.

use super::*;
use crate::model::prompt::layout::{Layout, Press, US};
use crate::model::prompt::plan::{Panel, Plan};
use crate::model::volume::failure::Failure;

fn room(width: u32, height: u32) -> Size {
    Size::new(width, height)
}

fn is_inside(paragraph: &Paragraph, room: Size) -> bool {
    paragraph.lines.len() as u32 * paragraph.face.pitch() <= room.height
        && paragraph.lines.iter().all(|line| paragraph.face.width(line) <= room.width)
}

/// All failures that can be told, with what a session adds.
fn failures() -> Vec<String> {
    let mut failures: Vec<String> = [
        Failure::WrongPassphrase,
        Failure::NoKeyslot,
        Failure::Memory { needed_kib: 0, free_kib: 0 },
        Failure::Memory { needed_kib: 4 << 20, free_kib: 300_000 },
        Failure::Missing,
        Failure::Vanished,
        Failure::NotVolume,
        Failure::Busy,
        Failure::Exists,
        Failure::NoMapper,
        Failure::Unsupported,
        Failure::Unreadable,
        Failure::Died { signal: 9 },
        Failure::Died { signal: 0 },
        Failure::Died { signal: 11 },
        Failure::NoWorker,
        Failure::Other(-71),
    ]
    .iter()
    .map(Failure::text)
    .collect();
    failures.push("Wrong passphrase. 12 tries left".into());
    failures.push("No touch screen, keyboard or pointer found. Connect one".into());
    failures.push("Waiting for /dev/disk/by-label/cryptroot\u{2026}".into());
    failures
}

#[test]
fn no_failure_is_cut_on_any_panel() {
    let layout = Layout::parse("us", US).unwrap();
    for (width, height) in
        [(160, 120), (160, 128), (176, 220), (240, 240), (320, 240), (240, 320), (480, 320), (800, 480), (720, 1440)]
    {
        let plan = Plan::new(Panel { size: Size::new(width, height), millimetres: (0, 0) }, &layout).unwrap();
        for text in failures() {
            let paragraph = Paragraph::wrapped(&text, plan.message.size, plan.message_height);
            assert!(is_inside(&paragraph, plan.message.size), "{width}x{height}: {paragraph:?}");
            let shown: String = paragraph.lines.concat();
            let letters = |text: &str| text.replace(' ', "");
            assert_eq!(letters(&shown), letters(&text), "{width}x{height}");
        }
    }
}

#[test]
fn lines_break_at_spaces() {
    let text = "some words that need more than a line";
    let paragraph = Paragraph::wrapped(text, room(150, 60), 60);
    assert!(paragraph.lines.len() > 1 && is_inside(&paragraph, room(150, 60)), "{paragraph:?}");
    assert_eq!(paragraph.lines.join(" "), text);
    let larger = Paragraph::wrapped(text, room(150, 120), 60);
    assert!(larger.face.height() > paragraph.face.height());
    assert_eq!(Paragraph::wrapped(text, room(9000, 300), 30).face, Face::fitting("", room(9000, 30)));
}

#[test]
fn lines_are_about_as_long() {
    let face = Face::fitting("", room(0, 30));
    let text = "Not enough memory: the keyslot needs 1.0 GiB, 292 MiB is free";
    let width = face.width("Not enough memory: the keyslot needs 1.0 GiB, 292 MiB is") + 1;
    assert_eq!(wrap(face, text, width, false).last(), Some("free"));
    let paragraph = Paragraph::wrapped(text, room(width, 60), 30);
    assert_eq!(paragraph.lines, ["Not enough memory: the keyslot", "needs 1.0 GiB, 292 MiB is free"]);
}

#[test]
fn line_ends_and_spaces_are_kept_where_they_matter() {
    let face = Face::fitting("", room(0, 30));
    let lines = |text, width: u32| wrap(face, text, width, false).collect::<Vec<_>>();
    assert_eq!(lines("one two  three", face.width("one two")), ["one two", "three"]);
    assert_eq!(lines("one\ntwo", 9000), ["one", "two"]);
    assert_eq!(lines("one\n\ntwo\n", 9000), ["one", "", "two", ""]);
    for text in ["", " ", "a  b ", " a"] {
        assert_eq!(lines(text, 9000), [text]);
    }
    assert_eq!(lines("unbreakable word", face.width("word")), ["unbreakable", "word"]);
    assert_eq!(lines("a unbreakable", face.width("word")), ["a", "unbreakable"]);
}

#[test]
fn long_words_break_behind_joints_and_else_anywhere() {
    let face = Face::fitting("", room(0, 30));
    let lines = |text, width: &str| wrap(face, text, face.width(width), true).collect::<Vec<_>>();
    assert_eq!(lines("/dev/disk/by-label/root", "/dev/disk/by"), ["/dev/disk/", "by-label/", "root"]);
    assert_eq!(lines("Waiting for /dev/disk", "Waiting for"), ["Waiting for", "/dev/disk"]);
    assert_eq!(lines("aaaaaaaaaa", "aaaa"), ["aaaa", "aaaa", "aa"]);
    assert_eq!(lines("mmm", "i"), ["m", "m", "m"]);
    // A word stays whole in a face that is not much smaller.
    let paragraph = Paragraph::wrapped("partition-123", room(face.width("partition-1"), 90), 30);
    assert_eq!(paragraph.lines, ["partition-123"]);
}

#[test]
fn what_is_too_much_is_cut_at_the_end() {
    let paragraph = Paragraph::wrapped(&"word ".repeat(99), room(100, 30), 30);
    assert!(paragraph.lines.len() == 2 && paragraph.lines[1].ends_with(ELLIPSIS), "{paragraph:?}");
    assert!(is_inside(&paragraph, room(100, 30)));
    let paragraph = Paragraph::wrapped(&"unbreakable".repeat(20), room(100, 30), 30);
    assert!(paragraph.lines.len() == 2 && paragraph.lines[1].ends_with(ELLIPSIS), "{paragraph:?}");
    for (width, height) in [(0, 0), (1, 9), (9, 1), (40, 12)] {
        let paragraph = Paragraph::wrapped(&"word ".repeat(99), room(width, height), 30);
        assert!(paragraph.lines.len() == 1 && paragraph.lines[0].ends_with(ELLIPSIS), "{paragraph:?}");
    }
}

#[test]
fn a_long_title_shows_both_its_ends() {
    let title = "Unlock /dev/disk/by-partuuid/0f3a8b9c-6a5e-4f0e-9d3c-7b1f2d4e6a88";
    for (width, height) in [(144, 13), (216, 19), (648, 59), (1700, 60)] {
        let paragraph = Paragraph::line(title, room(width, height));
        let [line] = &paragraph.lines[..] else { panic!("{paragraph:?}") };
        assert!(paragraph.face.width(line) <= width && paragraph.face.height() <= height, "{line}");
        assert!(line.starts_with("Unlock") && line.ends_with("6a88"), "{line}");
        assert_eq!(line.contains(ELLIPSIS), line != title);
    }
    assert_eq!(Paragraph::line(title, room(1700, 60)).lines, [title]);
    let short = Paragraph::line("Unlock root", room(648, 59));
    assert_eq!((short.lines, short.face), (vec!["Unlock root".into()], Face::fitting("", room(648, 59))));
    for width in [0, 1, 9] {
        assert_eq!(Paragraph::line(title, room(width, 30)).lines, [ELLIPSIS]);
    }
}

#[test]
fn labels_fit_their_keys_on_every_panel() {
    let layout = Layout::parse("us", US).unwrap();
    let sides = [160, 176, 200, 240, 320, 480, 720, 1080, 1440, 2160, 3000, 4096];
    let sizes = sides.iter().flat_map(|width| sides.iter().map(move |height| room(*width, *height)));
    for size in sizes.chain([room(160, 120), room(160, 128), room(320, 120), room(4096, 120)]) {
        for part in [u32::MAX, 3, 6, 18] {
            let millimetres = (size.width / part, size.height / part);
            let plan = Plan::new(Panel { size, millimetres }, &layout).unwrap();
            for place in plan.layers.iter().flatten() {
                let label = match place.press {
                    Press::Character(character) => character.to_string(),
                    Press::Layer(layer) => layout.layers()[layer].label.clone(),
                    // Icons fill a key however small it is.
                    Press::Shift | Press::Backspace | Press::Enter => continue,
                };
                let (face, key) = (Face::fitting(&label, place.face.size), place.face.size);
                let fits = face.width(&label) <= key.width && face.height() <= key.height;
                assert!(fits, "{size} {millimetres:?}: {label:?} on {key}");
            }
        }
    }
}
