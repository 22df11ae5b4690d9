//! dm-verity. The kernel takes any root hash, and finds out at the first read whether it is the right one. So it
//! is tried here before there is a mapping, and one block is read through the mapping before it is handed on.

use core::ffi::CStr;
use core::ptr;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc;

use super::handle::text;
use super::{Failure, Handle, Step, check, ffi};
use crate::model::volume::verity::policy::Savings;
use crate::model::volume::verity::{Corruption, Options};
use crate::sys::{block, diagnosis, dm};

// What veritysetup makes if it is told nothing (veritysetup(8)).
const ALGORITHM: &str = "sha256";
const BLOCK_SIZE: u32 = 4096;
const FEC_ROOTS: u32 = 2;

/// Bytes of the superblock (`struct verity_sb` in lib/verity/verity.c).
const SUPERBLOCK: u64 = 512;

/// Where the parts of a volume are; one device may be several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The data.
    pub data: PathBuf,
    /// The tree of hashes.
    pub hash: PathBuf,
    /// What helps to correct errors.
    pub fec: Option<PathBuf>,
}

/// A volume whose parameters are known.
pub struct Tree {
    handle: Handle,
    places: Places,
}

impl Tree {
    /// Reads the superblock, or takes all that it would say from the options. `is_whole` has every block checked by
    /// [`Tree::test`].
    ///
    /// # Errors
    /// [`Failure::NoTree`] where there is no superblock, or what reading failed with.
    pub fn load(places: Places, options: &Options, is_whole: bool) -> Result<Self, Failure> {
        let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(|_| Failure::Missing);
        let handle = Handle::new(&places.data, Some(&places.hash))?;
        let algorithm = text(options.algorithm.as_deref().unwrap_or(ALGORITHM))?;
        let fec = places.fec.as_deref().map(path).transpose()?;
        let uuid = options.uuid.as_deref().map(text).transpose()?;
        let salt = options.salt.as_deref().unwrap_or_default();
        let mut parameters = ffi::crypt_params_verity {
            fec_device: pointer(fec.as_deref()),
            data_block_size: options.data_block_size.unwrap_or(BLOCK_SIZE),
            hash_block_size: options.hash_block_size.unwrap_or(BLOCK_SIZE),
            data_size: options.data_blocks.unwrap_or(0),
            hash_area_offset: options.hash_offset.unwrap_or(0),
            fec_area_offset: options.fec_offset.unwrap_or(0),
            fec_roots: options.fec_roots.unwrap_or(FEC_ROOTS),
            flags: if is_whole { ffi::CRYPT_VERITY_CHECK_HASH } else { 0 },
            ..parameters(&algorithm, options.format.unwrap_or(1), salt)
        };
        let loaded = match options.superblock {
            Some(false) => format(&handle, uuid.as_deref(), &mut parameters),
            _ => {
                let parameters = ptr::from_mut(&mut parameters).cast();
                // SAFETY: the handle is the library's own; the structure and its strings live until the call
                // returns, and the library copies what it keeps.
                let result = unsafe { ffi::crypt_load(handle.raw(), ffi::CRYPT_VERITY.as_ptr().cast(), parameters) };
                check(Step::Load, result).map(|_| ())
            }
        };
        loaded.map_err(|failure| match failure {
            Failure::NotVolume if options.superblock != Some(false) => Failure::NoTree,
            Failure::NotVolume => Failure::Unsupported,
            other => other,
        })?;
        Ok(Self { handle, places })
    }

    /// Tries whether the root of the tree is what `root_hash` says; reads one block. With all checked at loading
    /// follows the rest of the tree, and the data.
    ///
    /// # Errors
    /// [`Failure::WrongRootHash`] if it is not, [`Failure::Corrupt`] for what is below the root, or what reading
    /// failed with.
    pub fn test(&self, root_hash: &[u8], is_whole: bool) -> Result<(), Failure> {
        let info = self.info();
        // SAFETY: the handle is loaded; the answer is a number.
        let bytes = unsafe { ffi::crypt_get_volume_key_size(self.handle.raw()) };
        if usize::try_from(bytes) != Ok(root_hash.len()) {
            return Err(Failure::WrongRootHash);
        }
        self.test_top(&info, root_hash)?;
        if !is_whole {
            return Ok(());
        }
        match verify(&self.handle, root_hash) {
            Err(Errno::EPERM | Errno::EFAULT) => Err(Failure::Corrupt),
            Err(Errno::EIO) if self.is_cut(&info) => Err(Failure::TooSmall),
            Err(errno) => Err(Failure::of(Step::Load, -(errno as i32))),
            Ok(()) => Ok(()),
        }
    }

    /// The library checks the root hash by itself only together with all of the data, however long that takes. But
    /// the block at the top of a tree is also a volume of one block, without any tree and of the same root hash: and
    /// that is checked at once.
    fn test_top(&self, info: &ffi::crypt_params_verity, root_hash: &[u8]) -> Result<(), Failure> {
        let has_superblock = info.flags & ffi::CRYPT_VERITY_NO_HEADER == 0;
        let hashes = info.hash_area_offset + if has_superblock { SUPERBLOCK } else { 0 };
        let (place, from, size) = match info.data_size {
            0 | 1 => (&self.places.data, 0, info.data_block_size),
            // The levels lie from the top down (lib/verity/verity_hash.c, `hash_levels`).
            _ => (&self.places.hash, hashes.next_multiple_of(info.hash_block_size.into()), info.hash_block_size),
        };
        let mut block = vec![0; size as usize];
        let read = File::open(place).and_then(|file| file.read_exact_at(&mut block, from));
        read.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Failure::TooSmall,
            _ => Failure::Unreadable,
        })?;
        let copy = memory_file(&block).map_err(|error| Failure::Other(-error.raw_os_error().unwrap_or(0)))?;
        let path = format!("/proc/self/fd/{}", copy.as_raw_fd());
        let handle = Handle::new(Path::new(&path), None)?;
        let path = text(&path)?;
        let mut parameters = ffi::crypt_params_verity {
            data_block_size: size,
            hash_block_size: size,
            data_size: 1,
            // Behind the data, where there is no tree.
            hash_area_offset: size.into(),
            flags: ffi::CRYPT_VERITY_CHECK_HASH,
            data_device: path.as_ptr(),
            fec_device: ptr::null(),
            ..*info
        };
        format(&handle, None, &mut parameters)?;
        match verify(&handle, root_hash) {
            Err(Errno::EPERM | Errno::EFAULT) => Err(Failure::WrongRootHash),
            Err(errno) => Err(Failure::of(Step::Load, -(errno as i32))),
            Ok(()) => Ok(()),
        }
    }

    /// Makes the mapping `name`, and reads a block of it.
    ///
    /// # Errors
    /// [`Failure::Corrupt`] if that block is not what the tree says: the mapping is gone again then.
    /// [`Failure::NeedsSignature`], [`Failure::BadSignature`], or what went wrong.
    pub fn activate(
        &self,
        name: &str,
        root_hash: &[u8],
        signature: Option<&[u8]>,
        (corruption, savings): (Corruption, Savings),
    ) -> Result<(), Failure> {
        let mapping = text(name)?;
        // SAFETY: the handle is loaded; name, root hash and signature live until the call returns, and the
        // library copies them.
        let result = unsafe {
            ffi::crypt_activate_by_signed_key(
                self.handle.raw(),
                mapping.as_ptr(),
                root_hash.as_ptr().cast(),
                root_hash.len(),
                signature.map_or(ptr::null(), |signature| signature.as_ptr().cast()),
                signature.map_or(0, <[u8]>::len),
                bits(corruption, savings),
            )
        };
        check(Step::Activate, result).map_err(|failure| self.explain(failure, signature.is_some()))?;
        self.prove(name)
    }

    /// Reads the first block through the mapping.
    fn prove(&self, name: &str) -> Result<(), Failure> {
        let mut block = vec![0; self.info().data_block_size as usize];
        let path = Path::new("/dev/mapper").join(name);
        let Err(error) = File::open(&path).and_then(|file| file.read_exact_at(&mut block, 0)) else { return Ok(()) };
        dm::remove(name);
        Err(match error.raw_os_error() {
            Some(libc::EIO) => Failure::Corrupt,
            other => Failure::Other(-other.unwrap_or(libc::EIO)),
        })
    }

    /// The volume's UUID; `None` where there is none.
    pub fn uuid(&self) -> Option<String> {
        // SAFETY: the handle is loaded; the string is the library's own and is copied here.
        unsafe { super::string(ffi::crypt_get_uuid(self.handle.raw())) }
    }

    fn info(&self) -> ffi::crypt_params_verity {
        let mut info = parameters(c"", 0, &[]);
        // SAFETY: the handle is loaded with this type; the strings that the library gives are the handle's.
        unsafe { ffi::crypt_get_verity_info(self.handle.raw(), &mut info) };
        info
    }

    /// Whether the data's device ends before the data does.
    fn is_cut(&self, info: &ffi::crypt_params_verity) -> bool {
        let wanted = info.data_size.saturating_mul(info.data_block_size.into());
        block::size(&self.places.data).is_some_and(|size| size < wanted)
    }

    fn is_claimed(&self) -> bool {
        [&self.places.data, &self.places.hash].into_iter().any(|device| block::is_claimed(device))
    }

    fn explain(&self, failure: Failure, is_signed: bool) -> Failure {
        const NO_KEY: i32 = -(Errno::ENOKEY as i32);
        match failure {
            Failure::Other(NO_KEY) if is_signed => Failure::BadSignature,
            Failure::Other(NO_KEY) => Failure::NeedsSignature,
            Failure::Busy | Failure::NoMapper | Failure::Other(_) => {
                let obstacle = diagnosis::verity(&[&self.places.data, &self.places.hash]);
                match obstacle {
                    Some(obstacle) => obstacle,
                    None if self.is_cut(&self.info()) => Failure::TooSmall,
                    None if is_signed && !diagnosis::has_keyring() => Failure::NoKeyring,
                    None if self.is_claimed() => Failure::Busy,
                    // The library has one number for all that the kernel can have against a table.
                    None if is_signed => Failure::BadSignature,
                    None => Failure::Refused,
                }
            }
            other => other,
        }
    }
}

/// Parameters of a hash, with nothing else said.
fn parameters(algorithm: &CStr, format: u32, salt: &[u8]) -> ffi::crypt_params_verity {
    ffi::crypt_params_verity {
        hash_name: algorithm.as_ptr(),
        data_device: ptr::null(),
        hash_device: ptr::null(),
        fec_device: ptr::null(),
        // Not null, even if it is empty: for null the library makes one up.
        salt: salt.as_ptr().cast(),
        salt_size: u32::try_from(salt.len()).unwrap_or(0),
        hash_type: format,
        data_block_size: 0,
        hash_block_size: 0,
        data_size: 0,
        hash_area_offset: 0,
        fec_area_offset: 0,
        fec_roots: 0,
        flags: 0,
    }
}

fn pointer(text: Option<&CStr>) -> *const core::ffi::c_char {
    text.map_or(ptr::null(), CStr::as_ptr)
}

/// Gives the handle parameters, where no superblock has any. Writes nothing.
fn format(handle: &Handle, uuid: Option<&CStr>, parameters: &mut ffi::crypt_params_verity) -> Result<(), Failure> {
    parameters.flags |= ffi::CRYPT_VERITY_NO_HEADER;
    // SAFETY: the handle is the library's own, the structure and its strings live until the call returns, and
    // the library copies them. Without header, and without being told to make hashes, it writes nothing.
    let formatted = unsafe {
        ffi::crypt_format(
            handle.raw(),
            ffi::CRYPT_VERITY.as_ptr().cast(),
            ptr::null(),
            ptr::null(),
            pointer(uuid),
            ptr::null(),
            0,
            ptr::from_mut(parameters).cast(),
        )
    };
    check(Step::Load, formatted).map(|_| ())
}

/// Has the library check data and hashes by itself, without device-mapper.
fn verify(handle: &Handle, root_hash: &[u8]) -> Result<(), Errno> {
    let (hash, length) = (root_hash.as_ptr().cast(), root_hash.len());
    // SAFETY: the handle is loaded, and the root hash lives until the call returns. Without a name there is no
    // mapping.
    let result = unsafe {
        ffi::crypt_activate_by_volume_key(handle.raw(), ptr::null(), hash, length, ffi::CRYPT_ACTIVATE_READONLY)
    };
    if result < 0 { Err(Errno::from_raw(-result)) } else { Ok(()) }
}

/// A file that is nowhere but in memory.
fn memory_file(bytes: &[u8]) -> std::io::Result<File> {
    use std::os::fd::FromRawFd;
    // SAFETY: the name is a string, and the flags are a number.
    let descriptor = unsafe { libc::memfd_create(c"block".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: made above, and owned by nobody else.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all_at(bytes, 0)?;
    Ok(file)
}

/// The library's bits.
fn bits(corruption: Corruption, savings: Savings) -> u32 {
    let corruption = match corruption {
        Corruption::Error => 0,
        Corruption::Ignore => ffi::CRYPT_ACTIVATE_IGNORE_CORRUPTION,
        Corruption::Restart => ffi::CRYPT_ACTIVATE_RESTART_ON_CORRUPTION,
        Corruption::Panic => ffi::CRYPT_ACTIVATE_PANIC_ON_CORRUPTION,
    };
    let wishes = [
        (savings.ignore_zero_blocks, ffi::CRYPT_ACTIVATE_IGNORE_ZERO_BLOCKS),
        (savings.check_at_most_once, ffi::CRYPT_ACTIVATE_CHECK_AT_MOST_ONCE),
        (savings.tasklet, ffi::CRYPT_ACTIVATE_TASKLETS),
    ];
    let wanted = wishes.iter().filter(|(is_wanted, _)| *is_wanted);
    wanted.fold(ffi::CRYPT_ACTIVATE_READONLY | corruption, |bits, (_, bit)| bits | bit)
}
