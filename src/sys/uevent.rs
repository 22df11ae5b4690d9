//! The kernel's messages about devices (netlink(7), NETLINK_KOBJECT_UEVENT).

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, socket};

use crate::model::uevent::is_plug;

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

    /// Reads all there are: whether anything was plugged into a card, or may have been.
    pub fn tell_plug(&self) -> bool {
        let (mut message, mut is_told) = ([0; MESSAGE_MAX], false);
        loop {
            match recv(self.0.as_raw_fd(), &mut message, MsgFlags::empty()) {
                Ok(0) => return is_told,
                Ok(length) => is_told |= message.get(..length).is_some_and(is_plug),
                // Some were lost.
                Err(Errno::ENOBUFS) => is_told = true,
                Err(Errno::EINTR) => {}
                Err(_) => return is_told,
            }
        }
    }
}

impl AsFd for Uevents {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
