//! The folders in which framebuffers and input devices appear, watched by inotify(7).

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::input;

/// The watch.
pub struct Nodes(Inotify);

impl Nodes {
    /// Watches from now on; `None` without inotify: then those that are there at the start are all
    /// there are.
    pub fn watch() -> Option<Self> {
        let nodes = Self(Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?);
        nodes.add("/dev");
        nodes.add(input::FOLDER);
        Some(nodes)
    }

    /// Reads what happened: the names of nodes that went.
    pub fn gone(&self) -> Vec<OsString> {
        let seen = self.0.read_events().unwrap_or_default();
        // The folder may have come just now.
        self.add(input::FOLDER);
        let gone = seen.into_iter().filter(|event| event.mask.contains(AddWatchFlags::IN_DELETE));
        gone.filter_map(|event| event.name).collect()
    }

    fn add(&self, folder: &str) {
        let flags = AddWatchFlags::IN_CREATE | AddWatchFlags::IN_ATTRIB | AddWatchFlags::IN_DELETE;
        // ENOENT: the folder comes with the first device, and its own parent is watched.
        let _ = self.0.add_watch(folder, flags);
    }
}

impl AsFd for Nodes {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
