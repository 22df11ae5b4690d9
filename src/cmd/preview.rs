//! `fbunlock preview`: draws any screen into a PNG file, and tells where its keys are.

mod keys;
mod stage;

use std::io::Write;
use std::path::{Path, PathBuf};

use embedded_graphics::prelude::{OriginDimensions, Point, Size};
use embedded_graphics::primitives::Rectangle;

use crate::app;
use crate::cmd::unlock::layout;
use crate::error::{Error, Exit, Result};
use crate::model::boot::LAYOUTS_DIR;
use crate::model::frame::Frame;
use crate::model::prompt::battery::Battery;
use crate::model::prompt::event::Event;
use crate::model::prompt::plan::Panel;
use crate::model::prompt::secret::{CAPACITY, Secret};
use crate::model::prompt::session::{Config, Question, Session};
use crate::model::scanout::turn::{Rotation, Turn};
use crate::model::theme::Wish;
use crate::sys::{logo, output};

pub use keys::keys;
use stage::Stage;
pub use stage::{STATES, State};

/// Pixels of a side, at most: more than any panel has.
const SIDE_MAX: u32 = 16384;

/// What `preview` was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Pixels of the panel.
    pub size: Size,
    /// By how much the picture is turned on it.
    pub rotation: Rotation,
    /// The colours.
    pub theme: Wish,
    /// A layout by name or file.
    pub layout: String,
    /// The picture above the title.
    pub logo: Option<PathBuf>,
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
            logo: None,
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
        match std::io::stdout().write_all(keys(&session, turn(options)).as_bytes()) {
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
/// [`Exit::Parameters`] for a layout or a logo that cannot be used, [`Exit::NoDisplay`] for a panel without room.
pub fn session(options: &Options) -> Result<Session> {
    let (layouts, warnings) = layout::catalogue(core::slice::from_ref(&options.layout), Path::new(LAYOUTS_DIR))?;
    if let Some(warning) = warnings.into_iter().next() {
        return Err(warning);
    }
    let (volume, device) = (options.device.clone(), options.device.clone());
    let config = Config { question: Question { volume, device, ..Question::default() }, ..Config::default() };
    // A secret wants memory that stays. Nothing secret is in it.
    let secret = Secret::new(Box::leak(Box::new([0; CAPACITY])));
    let logo = options.logo.as_deref().map(logo::load).transpose()?;
    let mut session = Session::new(config, layouts, secret, 0).in_theme(options.theme).under_logo(logo);
    session.set_panel(Panel { size: turn(options).size(), millimetres: (0, 0) })?;
    let mut stage = Stage::new(session);
    stage.tell(Event::Battery(options.battery));
    stage.play(options.state);
    Ok(stage.end())
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

#[cfg(test)]
mod tests;
