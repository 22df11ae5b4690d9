//! What a picture costs on a panel of 1080x2400 pixels.
//!
//! ```text
//! cargo bench --bench picture              # each kind of work: time, and how often the plain copy's
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/deps/picture-* copy565
//! ```
//! With a word, that work is done once, after what all of them do before, which is what `none` does
//! alone. Where valgrind is installed, the table has the difference of the two in instructions.
//! Nothing here fails because something is slow.

use std::process::Command;
use std::time::Instant;

use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;
use fbunlock::model::frame::Frame;
use fbunlock::model::pixel::field::Field;
use fbunlock::model::prompt::layout::{Layout, US};
use fbunlock::model::prompt::plan::{Panel, Plan};
use fbunlock::model::prompt::view::{Spot, View};
use fbunlock::model::scanout::Scanout;
use fbunlock::model::scanout::description::Description;
use fbunlock::model::scanout::turn::Rotation;
use fbunlock::model::theme::DARK;
use fbunlock::ui::picture;

const SIZE: Size = Size::new(1080, 2400);
/// Runs of which the median is told.
const RUNS: usize = 15;

/// What is measured, and what it is.
const WORK: [(&str, &str); 14] = [
    ("copy", "whole frame to XRGB8888"),
    ("copy565", "whole frame to RGB565"),
    ("copyargb", "whole frame to ARGB8888"),
    ("copybgr", "whole frame to XBGR8888"),
    ("copy24", "whole frame to 24 bits"),
    ("copy30", "whole frame to 30 bits, by tables"),
    ("copy8", "whole frame to a palette"),
    ("copy1", "whole frame to one bit"),
    ("turn90", "whole frame to XRGB8888, turned by 90"),
    ("turn180", "whole frame to XRGB8888, turned by 180"),
    ("turn270565", "whole frame to RGB565, turned by 270"),
    ("full", "draw the whole prompt"),
    ("key", "draw a key going down and up"),
    ("present", "draw that key and copy it to XRGB8888"),
];

fn main() {
    let word = std::env::args().nth(1).filter(|word| !word.starts_with("--"));
    let Some(mut bench) = Bench::new() else { return };
    match word {
        Some(word) => bench.run(&word),
        None => table(&mut bench),
    }
}

fn table(bench: &mut Bench) {
    let before = instructions("none");
    let mut plain = None;
    println!("{:<12}{:>10}{:>9}{:>14}  what", "word", "ms", "ratio", "instructions");
    for (word, what) in WORK {
        let mut runs: Vec<f64> = (0..RUNS).map(|_| bench.time_ms(word)).collect();
        runs.sort_by(f64::total_cmp);
        let median = runs[RUNS / 2];
        let ratio = median / *plain.get_or_insert(median);
        let counted = instructions(word).zip(before).map(|(with, without)| with.saturating_sub(without));
        let counted = counted.map_or("-".into(), |count| count.to_string());
        println!("{word:<12}{median:>10.3}{ratio:>9.2}{counted:>14}  {what}");
    }
}

/// Instructions of this program doing one work, where valgrind can count them.
fn instructions(word: &str) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).arg(word);
    let output = valgrind.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.split_once("Collected :")?.1.split_whitespace().next()?.parse().ok()
}

/// A prompt on a panel.
struct Bench {
    layout: Layout,
    plan: Plan,
    view: View,
    frame: Frame,
    memory: Vec<u8>,
}

impl Bench {
    fn new() -> Option<Self> {
        let layout = Layout::parse("us", US).ok()?;
        let plan = Plan::new(Panel { size: SIZE, millimetres: (0, 0) }, &layout).ok()?;
        let view = View {
            title: "Unlock /dev/mmcblk0p2".into(),
            layout: "US".into(),
            characters: 5,
            ready: true,
            enabled: true,
            ..View::default()
        };
        // Written once, so that no run pays for its pages.
        let memory = vec![1; SIZE.width as usize * SIZE.height as usize * 4];
        let mut bench = Self { layout, plan, view, frame: Frame::new(SIZE), memory };
        bench.run("full");
        Some(bench)
    }

    /// Time of one run, in milliseconds.
    fn time_ms(&mut self, word: &str) -> f64 {
        let start = Instant::now();
        self.run(word);
        start.elapsed().as_secs_f64() * 1000.0
    }

    fn run(&mut self, word: &str) {
        match word {
            "full" => {
                self.draw(&self.view.clone(), None);
            }
            "key" => {
                self.key();
            }
            "present" => {
                let damage = self.key();
                self.copy(scanout(32, RGB, 0, Rotation::Upright), &damage);
            }
            "copy" => self.copy_all(32, RGB, 0, Rotation::Upright),
            "copy565" => self.copy_all(16, RGB565, 0, Rotation::Upright),
            "copyargb" => self.copy_all(32, RGB, 8, Rotation::Upright),
            "copybgr" => self.copy_all(32, [(0, 8), (8, 8), (16, 8)], 0, Rotation::Upright),
            "copy24" => self.copy_all(24, RGB, 0, Rotation::Upright),
            "copy30" => self.copy_all(32, [(20, 10), (10, 10), (0, 10)], 0, Rotation::Upright),
            "copy8" => self.copy_all(8, [(0, 8); 3], 0, Rotation::Upright),
            "copy1" => self.copy_all(1, [(0, 1); 3], 0, Rotation::Upright),
            "turn90" => self.copy_all(32, RGB, 0, Rotation::Clockwise),
            "turn270" => self.copy_all(32, RGB, 0, Rotation::Counterclockwise),
            "turn90565" => self.copy_all(16, RGB565, 0, Rotation::Clockwise),
            "turn180565" => self.copy_all(16, RGB565, 0, Rotation::UpsideDown),
            "turn180" => self.copy_all(32, RGB, 0, Rotation::UpsideDown),
            "turn270565" => self.copy_all(16, RGB565, 0, Rotation::Counterclockwise),
            _ => {}
        }
    }

    fn draw(&mut self, view: &View, shown: Option<&View>) -> Vec<Rectangle> {
        let Ok(()) = picture::draw(&mut self.frame, (&DARK, None), (&self.plan, &self.layout), view, shown);
        std::hint::black_box(self.frame.take_damage())
    }

    fn key(&mut self) -> Vec<Rectangle> {
        let pressed = View { pressed: Some(Spot::Key(12)), ..self.view.clone() };
        let typed = View { characters: 6, ..self.view.clone() };
        let mut damage = self.draw(&pressed, Some(&self.view.clone()));
        damage.extend(self.draw(&typed, Some(&pressed)));
        damage
    }

    fn copy_all(&mut self, bits: u32, colors: [(u32, u32); 3], alpha: u32, rotation: Rotation) {
        self.copy(scanout(bits, colors, alpha, rotation), &[Rectangle::new(Point::zero(), SIZE)]);
    }

    fn copy(&mut self, scanout: Option<Scanout>, damage: &[Rectangle]) {
        if let Some(scanout) = scanout {
            scanout.copy(&self.frame, damage, &mut self.memory);
            std::hint::black_box(&mut self.memory);
        }
    }
}

const RGB: [(u32, u32); 3] = [(16, 8), (8, 8), (0, 8)];
const RGB565: [(u32, u32); 3] = [(11, 5), (5, 6), (0, 5)];

/// A panel on which the frame is upright, with `alpha` bits above 24.
fn scanout(bits: u32, colors: [(u32, u32); 3], alpha: u32, rotation: Rotation) -> Option<Scanout> {
    let [red, green, blue] = colors.map(|(offset, length)| Field::new(offset, length));
    let Size { width, height } = if rotation.is_sideways() { Size::new(SIZE.height, SIZE.width) } else { SIZE };
    let description = Description {
        xres: width,
        yres: height,
        bits_per_pixel: bits,
        red,
        green,
        blue,
        transp: Field::new(24, alpha),
        // FB_VISUAL_PSEUDOCOLOR, FB_VISUAL_TRUECOLOR.
        visual: if bits <= 8 { 3 } else { 2 },
        ..Description::default()
    };
    description.choose(rotation).ok().map(|choice| choice.scanout)
}
