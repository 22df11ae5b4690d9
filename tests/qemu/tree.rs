//! Disks of dm-verity: a file system, the tree of its hashes behind it, and what corrects errors behind that.
//! The root hash, which is another one for each new disk, stands in the last sector.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use crate::failure::{Context, Failure, Result};
use crate::gpt;
use crate::tool::{Tools, run};

/// Stands for the root hash on the command line of a case.
pub(crate) const ROOT_HASH: &str = "ROOTHASH";

/// Where the hashes begin, and what corrects errors; where the root hash is.
pub(crate) const HASHES: usize = 16 << 20;
const FEC: usize = 17 << 20;
const END: usize = 18 << 20;
const SECTOR: usize = 512;
const BLOCK: usize = 4096;

/// Adds everything to a disk that ends with its file system.
pub(crate) fn grow(tools: &Tools, raw: &Path) -> Result<()> {
    let file = File::options().write(true).open(raw).context(format_args!("open {}", raw.display()))?;
    file.set_len(END as u64).context("grow the disk")?;
    let mut format = Command::new(tools.program("veritysetup"));
    format.arg("format").arg(format!("--hash-offset={HASHES}")).arg(format!("--data-blocks={}", HASHES / BLOCK));
    format.arg("--fec-device").arg(raw).arg(format!("--fec-offset={FEC}")).args([raw, raw]);
    let output = run(&mut format)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let hash = text.lines().find_map(|line| line.strip_prefix("Root hash:"));
    let hash = hash.ok_or_else(|| Failure(format!("veritysetup says no root hash: {text}")))?.trim();
    let mut sector = hash.as_bytes().to_vec();
    sector.resize(SECTOR, 0);
    file.write_all_at(&sector, END as u64).context("write the root hash")
}

/// The root hash of a disk, in hexadecimal digits.
pub(crate) fn root_hash(disk: &[u8]) -> Result<String> {
    let sector = disk.len().checked_sub(SECTOR).and_then(|from| disk.get(from..));
    let text = sector.and_then(|sector| sector.split(|byte| *byte == 0).next()).unwrap_or_default();
    match String::from_utf8_lossy(text) {
        text if text.len() == 64 => Ok(text.into_owned()),
        text => Err(Failure(format!("{text:?} is no root hash"))),
    }
}

/// The same volume on two partitions whose UUIDs tell that they belong to the root hash.
pub(crate) fn parted(disk: &[u8]) -> Result<Vec<u8>> {
    let text = root_hash(disk)?;
    let digits = |from: usize| u8::from_str_radix(text.get(from..from + 2).unwrap_or_default(), 16);
    let bytes: Vec<u8> =
        (0..text.len()).step_by(2).map(digits).collect::<std::result::Result<_, _>>().context("read the root hash")?;
    let (first, last) = (guid(&bytes[..16]), guid(&bytes[bytes.len() - 16..]));
    let (data, hashes) = (disk[..HASHES].to_vec(), disk[HASHES..FEC].to_vec());
    let mut parted = gpt::disk_of(&[(last, "hashes", &hashes), (first, "root", &data)]);
    parted.extend_from_slice(&disk[disk.len() - SECTOR..]);
    Ok(parted)
}

/// A UUID in the order of its digits as a partition table has it: its first three numbers are little-endian.
fn guid(uuid: &[u8]) -> [u8; 16] {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    order.map(|at| uuid[at])
}
