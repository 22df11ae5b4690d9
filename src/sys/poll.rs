//! Waiting for many descriptors at once (epoll).

use std::os::fd::AsFd;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use crate::error::{Error, Exit, Result};

// The kernel packs `struct epoll_event` on x86-64 alone, so that it is as on i386, whose 64-bit numbers
// are not aligned (include/uapi/linux/eventpoll.h).
const _: () = {
    const PACKED: bool = cfg!(any(target_arch = "x86_64", target_arch = "x86"));
    assert!(size_of::<nix::libc::epoll_event>() == if PACKED { 12 } else { 16 });
};

/// Descriptors that are reported at once; the others are reported next time.
pub const READY_MAX: usize = 32;

/// A set of descriptors, each with a token.
pub struct Poll {
    epoll: Epoll,
}

impl Poll {
    /// An empty set.
    ///
    /// # Errors
    /// [`Exit::Memory`] when the kernel has no room for it.
    pub fn new() -> Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC);
        Ok(Self { epoll: epoll.map_err(|errno| Error::os(Exit::Memory, "create an epoll set", errno))? })
    }

    /// Watches a descriptor for input, hang-ups and errors. Closing it ends the watch.
    ///
    /// # Errors
    /// What epoll_ctl(2) says; a regular file cannot be watched.
    pub fn add(&self, fd: &impl AsFd, token: u64) -> Result<()> {
        let event = EpollEvent::new(EpollFlags::EPOLLIN, token);
        self.epoll.add(fd, event).map_err(|errno| Error::os(Exit::Memory, "watch a descriptor", errno))
    }

    /// Ends the watch of a descriptor that stays open.
    pub fn remove(&self, fd: &impl AsFd) {
        // Fails only if it was not watched.
        let _ = self.epoll.delete(fd);
    }

    /// Waits for at most `timeout_ms`, for ever without one, and tells the tokens of those ready.
    ///
    /// # Errors
    /// When waiting is not possible at all.
    pub fn wait(&self, timeout_ms: Option<u64>) -> Result<impl Iterator<Item = u64> + use<>> {
        let mut ready = [EpollEvent::empty(); READY_MAX];
        // A longer wait than fits is a wait that is repeated.
        let timeout = timeout_ms
            .map_or(EpollTimeout::NONE, |ms| EpollTimeout::try_from(ms.min(1 << 30)).unwrap_or(EpollTimeout::ZERO));
        let count = match self.epoll.wait(&mut ready, timeout) {
            Ok(count) => count,
            Err(Errno::EINTR) => 0,
            Err(errno) => return Err(Error::os(Exit::NoDisplay, "wait for input", errno)),
        };
        Ok(ready.into_iter().take(count).map(|event| event.data()))
    }
}
