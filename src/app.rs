//! The one loop: wait, update, act, draw, present.

use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::DrawTarget;

use crate::error::Result;
use crate::model::frame::Frame;
use crate::model::prompt::event::{Action, Event, Events};
use crate::model::prompt::idle::{Idle, Light};
use crate::model::prompt::plan::{Panel, Plan};
use crate::model::prompt::platform::Platform;
use crate::model::prompt::session::Session;
use crate::model::prompt::view::{Sheet, View};
use crate::ui::picture;

/// Runs a session on a machine until it is over. The last frame is blank.
///
/// # Errors
/// What the session ended with, or what the machine failed with.
pub fn run(platform: &mut impl Platform, session: &mut Session) -> Result<()> {
    let idle = Idle::new(platform.idle(), platform.now_ms());
    let felt = session.presses();
    let mut screen = Screen { on: None, printed: String::new(), idle, light: Light::Full, lamp: Some(false), felt };
    let result = turn(platform, session, &mut screen);
    screen.blank(platform);
    result
}

fn turn(platform: &mut impl Platform, session: &mut Session, screen: &mut Screen) -> Result<()> {
    let mut events = Events::default();
    loop {
        screen.show(platform, session)?;
        let deadlines = [session.deadline_ms(), screen.idle.deadline_ms()];
        platform.wait(deadlines.into_iter().flatten().min(), &mut events)?;
        let now_ms = platform.now_ms();
        let mut end = None;
        events.drain(|event| {
            if end.is_some() {
                return;
            }
            if event == Event::Redraw {
                screen.anew(platform.panel().is_some());
            }
            if !screen.idle.update(now_ms, &event) {
                return;
            }
            if matches!(event, Event::Devices(_)) {
                // A keyboard that has just come does not know.
                screen.lamp = None;
            }
            end = match session.update(now_ms, event) {
                Some(Action::Finish(result)) => Some(result),
                Some(Action::Blank) => {
                    screen.idle.blank();
                    None
                }
                Some(action) => {
                    if action == Action::PowerOff {
                        // Some panels show the last picture for as long as they can.
                        screen.blank(platform);
                        screen.on = None;
                    }
                    let ends = action == Action::PowerOff;
                    let result = platform.act(action);
                    if ends {
                        session.stay();
                    }
                    result.err().map(Err)
                }
                None => None,
            };
            screen.feel(platform, session);
        });
        if let Some(result) = end {
            return result;
        }
    }
}

/// A whole picture of a session; `None` without a panel.
pub fn picture(session: &Session) -> Option<Frame> {
    let plan = session.plan()?;
    let mut frame = Frame::new(plan.size);
    let Ok(()) =
        picture::draw(&mut frame, session.style(), (plan, session.layout()), (&session.view(), session.typed()), None);
    Some(frame)
}

/// How the console asks.
const ASK: &str = "type the passphrase and press Enter";

/// What the console says of a view.
pub fn line(view: &View) -> String {
    let message = view.message.replace('\n', ". ");
    let asks = view.ready && view.sheet != Sheet::Power;
    let parts = [view.title.as_str(), message.as_str(), if asks { ASK } else { "" }];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// A panel in use: its shadow frame, and the view that it shows.
struct Surface {
    panel: Panel,
    frame: Frame,
    shown: Option<View>,
    /// Of the keyboard that is drawn.
    edition: u32,
}

impl Surface {
    /// Brings the panel up to date.
    fn show(&mut self, platform: &mut impl Platform, session: &Session, plan: &Plan, view: &View) -> Result<()> {
        let (style, scene, seen) = (session.style(), (plan, session.layout()), (view, session.typed()));
        if core::mem::replace(&mut self.edition, session.edition()) != session.edition() {
            self.shown = None;
        }
        if self.shown.is_none() && style.0.motion {
            // What is done already need not wait for the rest, but on paper, which takes its time for each.
            let [first @ .., last] = picture::parts(plan, view.sheet);
            for part in first {
                let Ok(()) = picture::draw_part(&mut self.frame, style, scene, seen, part);
                if platform.hasten(&self.frame, self.frame.damage()) {
                    self.frame.take_damage();
                }
            }
            let Ok(()) = picture::draw_part(&mut self.frame, style, scene, seen, last);
        } else {
            let Ok(()) = picture::draw(&mut self.frame, style, scene, seen, self.shown.as_ref());
        }
        self.shown = Some(view.clone());
        match self.frame.take_damage() {
            damage if damage.is_empty() => Ok(()),
            damage => platform.present(&self.frame, &damage),
        }
    }
}

/// What has been shown where.
struct Screen {
    on: Option<Surface>,
    /// Caps Lock's, as it was set; `None` if a keyboard does not know.
    lamp: Option<bool>,
    /// How many presses were felt.
    felt: u32,
    printed: String,
    idle: Idle,
    /// As it was set.
    light: Light,
}

impl Screen {
    /// What is shown is not to be relied on. Where the panel is gone, the console asks once more.
    fn anew(&mut self, has_panel: bool) {
        self.on = None;
        if !has_panel {
            self.printed.clear();
        }
    }

    /// Lets a key that went down be felt.
    fn feel(&mut self, platform: &mut impl Platform, session: &Session) {
        if core::mem::replace(&mut self.felt, session.presses()) != session.presses() {
            platform.pulse();
        }
    }

    /// Sets the light that is due. The dark shows nothing, and after it all is drawn anew.
    fn shine(&mut self, platform: &mut impl Platform, session: &mut Session) {
        let light = self.idle.light();
        let before = core::mem::replace(&mut self.light, light);
        if light == before {
            return;
        }
        if light == Light::Dark {
            self.blank(platform);
            session.look_away();
        }
        if before == Light::Dark {
            self.on = None;
        }
        platform.shine(light);
    }

    /// Brings panel, light and console up to date.
    fn show(&mut self, platform: &mut impl Platform, session: &mut Session) -> Result<()> {
        self.shine(platform, session);
        let panel = platform.panel();
        if self.on.as_ref().map(|surface| surface.panel) != panel {
            self.on = None;
            if let Some(panel) = panel {
                session.set_panel(panel)?;
                session.suit(platform.greys());
                let (frame, edition) = (platform.frame(panel.size), session.edition());
                self.on = Some(Surface { panel, frame, shown: None, edition });
                if self.light == Light::Dark {
                    // What was there before. Drawing may switch it on, so that comes first.
                    self.blank(platform);
                    platform.shine(Light::Dark);
                    session.look_away();
                }
            } else {
                session.look_away();
            }
        }
        let view = session.view();
        // The picture first: a slow line would hold it up.
        let shown = match (&mut self.on, session.plan()) {
            (Some(surface), Some(plan)) if self.light != Light::Dark => surface.show(platform, session, plan, &view),
            _ => Ok(()),
        };
        self.print(platform, &view);
        if self.lamp.replace(view.caps_lock) != Some(view.caps_lock) {
            platform.set_caps_lock(view.caps_lock);
        }
        shown
    }

    /// The console says the same in words, each change once. It asks again only after something else
    /// was said.
    fn print(&mut self, platform: &mut impl Platform, view: &View) {
        let line = line(view);
        if line != self.printed && !(view.message.is_empty() && self.printed.ends_with(ASK)) {
            platform.print(&line);
            self.printed = line;
        }
    }

    /// Shows nothing, on a panel that was not drawn on yet as well: there is what was there before.
    fn blank(&mut self, platform: &mut impl Platform) {
        let fresh = if self.on.is_none() { platform.panel().map(|panel| Frame::new(panel.size)) } else { None };
        if let Some(mut frame) = fresh {
            blank(platform, &mut frame);
        } else if let Some(surface) = &mut self.on {
            blank(platform, &mut surface.frame);
        }
    }
}

fn blank(platform: &mut impl Platform, frame: &mut Frame) {
    let Ok(()) = frame.clear(Rgb888::BLACK);
    let damage = frame.take_damage();
    // The session's own result counts; a panel that is gone shows nothing anyway.
    let _ = platform.present(frame, &damage);
}

#[cfg(test)]
mod tests;
