//! Writes a cpio archive of the kind "newc" (Documentation/driver-api/early-userspace/buffer-format.rst).
//!
//! Only for the harness' own probe: the product's initramfs is written by the product.

/// Files under construction.
#[derive(Default)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

impl Archive {
    /// Adds a folder; parents come first.
    pub(crate) fn folder(&mut self, path: &str) {
        self.entry(path, 0o040_755, &[]);
    }

    /// Adds a file that may be executed.
    pub(crate) fn file(&mut self, path: &str, content: &[u8]) {
        self.entry(path, 0o100_755, content);
    }

    /// The finished archive.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let (size, name) = (content.len(), path.len() + 1);
        // ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
        let header = format!(
            "070701{:08x}{mode:08x}{:08x}{:08x}{:08x}{:08x}{size:08x}{:08x}{:08x}{:08x}{:08x}{name:08x}{:08x}",
            self.entries, 0, 0, 1, 0, 0, 0, 0, 0, 0
        );
        self.bytes.extend_from_slice(header.as_bytes());
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}
