//! The folders in which framebuffers and input devices appear, watched by inotify(7).

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::input;

/// The watch.
pub struct Nodes {
    inotify: Inotify,
    input: PathBuf,
}

impl Nodes {
    /// Watches from now on; `None` without inotify: then those that are there at the start are all
    /// there are.
    pub fn watch() -> Option<Self> {
        Self::watch_in(Path::new("/dev"), Path::new(input::FOLDER))
    }

    fn watch_in(nodes: &Path, input: &Path) -> Option<Self> {
        let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?;
        let watch = Self { inotify, input: input.to_owned() };
        watch.add(nodes);
        watch.add(input);
        Some(watch)
    }

    /// Reads what happened: the names of nodes that went.
    pub fn gone(&self) -> Vec<OsString> {
        let seen = self.inotify.read_events().unwrap_or_default();
        // The folder may have come just now.
        self.add(&self.input);
        let gone = seen.into_iter().filter(|event| event.mask.contains(AddWatchFlags::IN_DELETE));
        gone.filter_map(|event| event.name).collect()
    }

    fn add(&self, folder: &Path) {
        let flags = AddWatchFlags::IN_CREATE | AddWatchFlags::IN_ATTRIB | AddWatchFlags::IN_DELETE;
        // ENOENT: the folder comes with the first device, and its own parent is watched.
        let _ = self.inotify.add_watch(folder, flags);
    }
}

impl AsFd for Nodes {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    use super::*;

    fn tells(nodes: &Nodes) -> bool {
        poll(&mut [PollFd::new(nodes.as_fd(), PollFlags::POLLIN)], PollTimeout::ZERO) == Ok(1)
    }

    #[test]
    fn a_folder_that_comes_with_the_first_device_is_watched_from_then_on() {
        let dev = std::env::temp_dir().join(format!("fbunlock-nodes-{}", std::process::id()));
        let input = dev.join("input");
        fs::create_dir_all(&dev).unwrap();
        let nodes = Nodes::watch_in(&dev, &input).unwrap();
        assert!(!tells(&nodes));
        fs::create_dir(&input).unwrap();
        assert!(tells(&nodes));
        assert!(nodes.gone().is_empty());
        fs::write(input.join("event0"), "").unwrap();
        assert!(tells(&nodes));
        assert!(nodes.gone().is_empty() && !tells(&nodes));
        fs::remove_file(input.join("event0")).unwrap();
        assert_eq!(nodes.gone(), ["event0"]);
        // The folder goes with the last device, and may come again.
        fs::remove_dir(&input).unwrap();
        nodes.gone();
        fs::create_dir(&input).unwrap();
        nodes.gone();
        fs::write(input.join("event1"), "").unwrap();
        assert!(tells(&nodes));
        fs::remove_dir_all(&dev).unwrap();
    }
}
