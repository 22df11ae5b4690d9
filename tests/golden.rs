//! What `fbunlock preview` draws, compared with PNG files in `tests/golden`.
//!
//! `UPDATE_GOLDEN=1 cargo test --test golden` writes them anew: look at each before you commit it.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fbunlock::cli::{self, Command};
use fbunlock::cmd::preview::{self, Image};

/// Bytes of all pictures, which everybody has to fetch.
const BYTES_MAX: u64 = 400_000;

/// Every picture: its name, and the words of the command line that draw it.
const PICTURES: [(&str, &str); 19] = [
    ("phone-waiting", "--size 360x720 --state waiting"),
    ("phone-pressed", "--size 360x720 --state pressed --battery 83"),
    ("phone-symbols", "--size 360x720 --state symbols --theme light"),
    ("phone-again", "--size 360x720 --state again --theme light --battery 9"),
    ("phone-caps", "--size 360x720 --state caps --theme contrast"),
    ("phone-slow", "--size 360x720 --state slow --battery 100+"),
    ("phone-paper", "--size 360x720 --state typing --theme mono --battery 42"),
    ("paper-pressed", "--size 480x640 --state pressed --theme mono"),
    ("paper-unlocking", "--size 480x640 --state unlocking --theme mono"),
    ("phone-logo", "--size 360x720 --logo tests/logo.qoi --battery 64"),
    ("paper-logo", "--size 360x720 --logo tests/logo.qoi --theme mono"),
    ("monitor-wrong", "--size 1280x800 --state wrong"),
    ("monitor-unlocking", "--size 1280x800 --state unlocking --theme light"),
    ("monitor-broken", "--size 800x480 --state broken --theme contrast"),
    ("turned-shift", "--size 480x800 --rotate 90 --state shift"),
    ("handheld-memory", "--size 240x240 --state memory"),
    ("handheld-pressed", "--size 240x240 --state pressed --theme light"),
    ("smallest", "--size 160x120 --state no-input"),
    ("colored", "--size 320x240 --color accent=#b8420f --color background=#2b1a12 --device root"),
];

/// What a command line draws.
fn draw(words: &str) -> Image {
    let words = format!("fbunlock preview x.png {words}");
    let Ok(Command::Preview(options)) = cli::parse(words.split(' ').map(Into::into)) else { panic!("{words}") };
    let session = preview::session(&options).expect("a panel of a usable size");
    Image::of(&session, &options).expect("a session with a panel")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn write(path: &Path, image: &Image) {
    fs::write(path, image.png(path).expect("encode a PNG")).expect("write a PNG");
}

/// Red, green and blue of each pixel.
fn read(path: &Path) -> ((u32, u32), Vec<u8>) {
    let file =
        File::open(path).unwrap_or_else(|error| panic!("open {}: {error}; UPDATE_GOLDEN=1 makes it", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("read a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a PNG of a usable size")];
    let info = reader.next_frame(&mut rgb).expect("read a PNG");
    rgb.truncate(info.buffer_size());
    ((info.width, info.height), rgb)
}

#[test]
fn pictures_are_as_they_were() {
    let mut differing = Vec::new();
    for (name, words) in PICTURES {
        let path = folder().join(format!("{name}.png"));
        let image = draw(words);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            write(&path, &image);
        }
        let (size, rgb) = read(&path);
        let drawn = (image.size.width, image.size.height);
        let at =
            if size == drawn { rgb.iter().zip(&image.rgb).position(|(meant, drawn)| meant != drawn) } else { Some(0) };
        if let Some(at) = at {
            let seen = std::env::temp_dir().join(format!("fbunlock-{name}.png"));
            write(&seen, &image);
            let (x, y) = (at / 3 % drawn.0 as usize, at / 3 / drawn.0 as usize);
            differing.push(format!("{name} differs at {x},{y}; what was drawn is in {}", seen.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn the_folder_holds_these_pictures_and_they_are_small() {
    let mut names: Vec<String> = Vec::new();
    let mut bytes = 0;
    for entry in fs::read_dir(folder()).expect("read the folder").flatten() {
        names.push(entry.file_name().to_string_lossy().trim_end_matches(".png").to_owned());
        bytes += entry.metadata().expect("a file").len();
    }
    names.sort();
    let mut known: Vec<&str> = PICTURES.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(names, known);
    assert!(bytes <= BYTES_MAX, "{bytes} bytes");
}
