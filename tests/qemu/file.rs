//! Files that a case adds to the initramfs: tables, keys, headers. The kernel unpacks a second archive behind
//! the product's.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::case::{Case, Content};
use crate::cpio::Archive;
use crate::disk;
use crate::failure::{Context, Result};
use crate::tool::Tools;

/// Adds the case's files to an initramfs.
pub(crate) fn append(case: &Case, tools: &Tools, proof: &Path, image: &Path) -> Result<()> {
    if case.files.is_empty() {
        return Ok(());
    }
    let mut archive = Archive::default();
    for (path, content) in case.files {
        // One that is there already stays.
        if let Some((folder, _)) = path.rsplit_once('/') {
            archive.folder(folder);
        }
        match content {
            Content::Text(text) => archive.file(path, text.as_bytes()),
            Content::Disk(name) => {
                let disk = disk::recipe(name)?.image(tools, proof)?;
                archive.file(path, &fs::read(&disk).context(format_args!("read {}", disk.display()))?);
            }
        }
    }
    let file = fs::OpenOptions::new().append(true).open(image);
    file.and_then(|mut file| file.write_all(&archive.finish())).context(format_args!("append to {}", image.display()))
}
