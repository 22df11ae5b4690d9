//! The kernel's messages about devices (netlink(7), NETLINK_KOBJECT_UEVENT).

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, socket};

use crate::model::uevent::News;

/// The group of the kernel's own messages; udev's are in the second one.
const KERNEL: u32 = 1;
/// Longer than any: `UEVENT_BUFFER_SIZE` of include/linux/kobject.h and a path.
const MESSAGE_MAX: usize = 8192;

/// Those that have not been read yet.
pub struct Uevents(OwnedFd);

impl Uevents {
    /// Hears of what happens from now on; `None` where the kernel has no sockets of this kind.
    pub fn listen() -> Option<Self> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let protocol = SockProtocol::NetlinkKObjectUEvent;
        let socket = socket(AddressFamily::Netlink, SockType::Datagram, flags, protocol).ok()?;
        bind(socket.as_raw_fd(), &NetlinkAddr::new(0, KERNEL)).ok()?;
        Some(Self(socket))
    }

    /// Reads all there are, and says what they were about, or may have been.
    pub fn tell(&self) -> News {
        let (mut message, mut news) = ([0; MESSAGE_MAX], News::default());
        loop {
            match recv(self.0.as_raw_fd(), &mut message, MsgFlags::empty()) {
                Ok(length) if length > 0 => news = news.with(message.get(..length).unwrap_or_default()),
                // Some were lost.
                Err(Errno::ENOBUFS) => news = News { plug: true, mapping: true },
                Err(Errno::EINTR) => {}
                Ok(_) | Err(_) => return news,
            }
        }
    }
}

impl AsFd for Uevents {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
