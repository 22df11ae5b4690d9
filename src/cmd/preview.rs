//! `fbunlock preview`: draws any screen into a PNG file, and tells where its keys are.

use std::io::Write;
use std::path::{Path, PathBuf};

use embedded_graphics::prelude::{OriginDimensions, Point, Size};
use embedded_graphics::primitives::Rectangle;

use crate::app;
use crate::error::{Error, Exit, Result};
use crate::model::frame::Frame;
use crate::model::prompt::battery::Battery;
use crate::model::prompt::decoder::{Phase, Stroke};
use crate::model::prompt::event::Event;
use crate::model::prompt::layout::{Layout, Press, US};
use crate::model::prompt::plan::{Panel, Place};
use crate::model::prompt::secret::{CAPACITY, Secret};
use crate::model::prompt::session::{Config, Session};
use crate::model::scanout::turn::{Rotation, Turn};
use crate::model::theme::{DARK, Wish};
use crate::model::volume::failure::Failure;
use crate::model::volume::message::Report;
use crate::sys::output;

/// KEY_CAPSLOCK of include/uapi/linux/input-event-codes.h.
const KEY_CAPSLOCK: u16 = 58;
/// Pixels of a side, at most: more than any panel has.
const SIDE_MAX: u32 = 16384;

/// What a screen can be drawn in the middle of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The device is not there yet.
    Waiting,
    /// A passphrase can be typed.
    #[default]
    Prompt,
    /// Some of it is.
    Typing,
    /// A finger is on a key.
    Pressed,
    /// The next letter is upper case.
    Shift,
    /// All letters are, on the screen's keyboard and on another.
    Caps,
    /// Digits.
    Digits,
    /// The rarest characters.
    Symbols,
    /// The passphrase is tried.
    Unlocking,
    /// It has been for long.
    Slow,
    /// It was wrong.
    Wrong,
    /// It was wrong, and another one is typed.
    Again,
    /// There is not enough memory to try it.
    Memory,
    /// There is nothing to type with.
    NoInput,
    /// The device holds no volume: the prompt is about to end.
    Broken,
}

/// Every state by its name.
pub const STATES: [(&str, State); 15] = [
    ("waiting", State::Waiting),
    ("prompt", State::Prompt),
    ("typing", State::Typing),
    ("pressed", State::Pressed),
    ("shift", State::Shift),
    ("caps", State::Caps),
    ("digits", State::Digits),
    ("symbols", State::Symbols),
    ("unlocking", State::Unlocking),
    ("slow", State::Slow),
    ("wrong", State::Wrong),
    ("again", State::Again),
    ("memory", State::Memory),
    ("no-input", State::NoInput),
    ("broken", State::Broken),
];

/// What `preview` was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Pixels of the panel.
    pub size: Size,
    /// By how much the picture is turned on it.
    pub rotation: Rotation,
    /// The colours.
    pub theme: Wish,
    /// The name of a built-in layout.
    pub layout: String,
    /// What is going on.
    pub state: State,
    /// What the volume is called.
    pub device: String,
    /// The battery, if there is one.
    pub battery: Option<Battery>,
    /// Print where the keys are.
    pub keys: bool,
    /// Where the picture goes.
    pub output: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: Size::new(720, 1440),
            rotation: Rotation::Upright,
            theme: Wish::default(),
            layout: "us".into(),
            state: State::default(),
            device: "/dev/mmcblk0p2".into(),
            battery: None,
            keys: false,
            output: None,
        }
    }
}

/// Draws, and prints the keys if asked to.
///
/// # Errors
/// [`Exit::Parameters`] with what does not fit, [`Exit::NoDisplay`] for a panel without room.
pub fn run(options: &Options) -> Result<()> {
    let session = session(options)?;
    if let Some(path) = &options.output {
        let image = Image::of(&session, options)?;
        output::replace(path, &image.png(path)?)?;
    }
    if options.keys {
        match std::io::stdout().write_all(keys(&session, options).as_bytes()) {
            // Whoever has read enough hangs up, which is no fault.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                return Err(Error::io(Exit::Parameters, "print the keys", &error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads `WxH`.
pub fn size(word: &str) -> Option<Size> {
    let (width, height) = word.split_once('x')?;
    let side = |text: &str| text.parse().ok().filter(|side| (1..=SIDE_MAX).contains(side) && !text.starts_with('+'));
    Some(Size::new(side(width)?, side(height)?))
}

fn turn(options: &Options) -> Turn {
    Turn::new(options.rotation, options.size)
}

/// A session that is in the state asked for.
///
/// # Errors
/// [`Exit::Parameters`] for an unknown layout, [`Exit::NoDisplay`] for a panel without room.
pub fn session(options: &Options) -> Result<Session> {
    let refuse = || Error::new(Exit::Parameters, format!("find layout {:?}", options.layout), "there is only us");
    let text = if options.layout == "us" { US } else { return Err(refuse()) };
    let layout = Layout::parse(&options.layout, text)?;
    let config = Config { volume: options.device.clone(), tries: 3, timeout_ms: 0, test: false };
    // A secret wants memory that stays. Nothing secret is in it.
    let secret = Secret::new(Box::leak(Box::new([0; CAPACITY])));
    let mut session = Session::new(config, layout, secret, 0).in_theme(options.theme.theme(DARK));
    session.set_panel(Panel { size: turn(options).size(), millimetres: (0, 0) })?;
    let mut stage = Stage { session, now_ms: 0 };
    stage.tell(Event::Battery(options.battery));
    stage.play(options.state);
    Ok(stage.session)
}

/// Tells a session what happens, at a pace that has no second meaning.
struct Stage {
    session: Session,
    now_ms: u64,
}

impl Stage {
    fn tell(&mut self, event: Event) {
        self.now_ms += 1000;
        // What it asks for is done by nobody.
        let _ = self.session.update(self.now_ms, event);
    }

    fn type_text(&mut self, text: &str) {
        text.chars().for_each(|character| self.tell(Event::Text(character)));
    }

    fn fail(&mut self, failure: Failure) {
        self.tell(Event::Report(Report::Failed(failure)));
    }

    /// Puts a finger on a key of the shown layer.
    fn press(&mut self, wanted: impl Fn(Press) -> bool) -> Option<Point> {
        let layer = self.session.view().layer;
        let place = self.session.plan()?.layers.get(layer)?.iter().find(|place| wanted(place.press))?;
        let at = place.face.center();
        self.tell(Event::Touch { contact: 0, phase: Phase::Down, at });
        Some(at)
    }

    fn tap(&mut self, wanted: impl Fn(Press) -> bool) {
        if let Some(at) = self.press(wanted) {
            // At once: two such taps of shift lock it.
            let _ = self.session.update(self.now_ms, Event::Touch { contact: 0, phase: Phase::Up, at });
        }
    }

    /// Goes to the layer of this name.
    fn show(&mut self, name: &str) {
        let layer = self.session.layout().find(name);
        self.tap(|press| matches!(press, Press::Layer(to) if Some(to) == layer));
    }

    fn play(&mut self, state: State) {
        if state == State::Waiting {
            return self.tell(Event::Tick);
        }
        if state == State::Broken {
            return self.fail(Failure::NotVolume);
        }
        self.tell(Event::Report(Report::Ready { memory_kib: 0 }));
        match state {
            State::Waiting | State::Prompt | State::Broken => {}
            State::Typing => self.type_text("correct horse"),
            State::Pressed => {
                self.type_text("correct");
                self.press(|press| press == Press::Character('h'));
            }
            State::Shift => self.tap(|press| press == Press::Shift),
            State::Caps => {
                self.tap(|press| press == Press::Shift);
                self.now_ms -= 1000;
                self.tap(|press| press == Press::Shift);
                self.tell(Event::Key { code: KEY_CAPSLOCK, stroke: Stroke::Press });
                self.type_text("correct");
            }
            State::Digits => self.show("digits"),
            State::Symbols => {
                self.show("digits");
                self.show("symbols");
            }
            State::Unlocking | State::Slow => {
                self.type_text("correct horse\n");
                self.now_ms += if state == State::Slow { 11_000 } else { 0 };
                self.tell(Event::Tick);
            }
            State::Wrong | State::Again => {
                self.type_text("horse\n");
                self.fail(Failure::WrongPassphrase);
                self.type_text(if state == State::Again { "corr" } else { "" });
            }
            State::Memory => {
                self.type_text("correct horse\n");
                self.fail(Failure::Memory { needed_kib: 1 << 20, free_kib: 300_000 });
            }
            State::NoInput => self.tell(Event::Devices { pointing: 0, keyboards: 0 }),
        }
    }
}

/// A picture in the pixels of a panel.
pub struct Image {
    /// Pixels of the panel.
    pub size: Size,
    /// Red, green and blue of each, row by row.
    pub rgb: Vec<u8>,
}

impl Image {
    /// What the panel shows of a session.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`] when the session has no panel.
    pub fn of(session: &Session, options: &Options) -> Result<Self> {
        let frame = app::picture(session).ok_or_else(|| Error::new(Exit::NoDisplay, "draw", "there is no panel"))?;
        Ok(Self::turned(&frame, turn(options)))
    }

    fn turned(frame: &Frame, turn: Turn) -> Self {
        let shown = turn.to_panel(Rectangle::new(Point::zero(), frame.size()));
        let pixel = |at| {
            let Point { x, y } = turn.to_frame(at);
            let pixel = frame.row(x.max(0) as usize, y.max(0) as usize, 1).first().copied().unwrap_or_default();
            let [_, red, green, blue] = pixel.to_be_bytes();
            [red, green, blue]
        };
        let places = shown.rows().flat_map(|y| shown.columns().map(move |x| Point::new(x, y)));
        Self { size: shown.size, rgb: places.flat_map(pixel).collect() }
    }

    /// The bytes of a PNG file; `path` is its name in messages.
    ///
    /// # Errors
    /// [`Exit::Parameters`].
    pub fn png(&self, path: &Path) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&self.rgb));
        match written {
            Ok(()) => Ok(bytes),
            Err(error) => Err(Error::new(Exit::Parameters, format!("draw {}", path.display()), error.to_string())),
        }
    }
}

/// Every key of every layer as JSON: `touch` is where a finger counts, `face` what is drawn, both
/// in the panel's pixels.
pub fn keys(session: &Session, options: &Options) -> String {
    let (layout, turn) = (session.layout(), turn(options));
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

/// A JSON string (RFC 8259).
fn quoted(text: &str) -> String {
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

#[cfg(test)]
mod tests;
