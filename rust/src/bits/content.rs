//! The words of a file, in memory or mapped.

use crate::collection::CollectionError;
use epserde::ser::Serialize;
use std::path::Path;
use webgraph::utils::MmapHelper;

/// Where the words of an open file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In the file, which must not be changed meanwhile.
    Map,
    /// In memory.
    Load,
}

/// A number that files are made of.
pub trait Word: Sized {
    /// The words of bytes as they are in the file, the last one filled up with zeros.
    fn load(bytes: Vec<u8>) -> Vec<Self>;
}

impl Word for u8 {
    fn load(bytes: Vec<u8>) -> Vec<Self> {
        bytes
    }
}

impl Word for u32 {
    fn load(bytes: Vec<u8>) -> Vec<Self> {
        load_chunks(bytes, u32::from_ne_bytes)
    }
}

impl Word for u64 {
    fn load(bytes: Vec<u8>) -> Vec<Self> {
        load_chunks(bytes, u64::from_ne_bytes)
    }
}

fn load_chunks<const SIZE: usize, W>(mut bytes: Vec<u8>, word: fn([u8; SIZE]) -> W) -> Vec<W> {
    bytes.resize(bytes.len().next_multiple_of(SIZE), 0);
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().copied().map(word).collect()
}

/// The words of a file.
pub enum Content<W> {
    Mapped(MmapHelper<W>),
    Loaded(Vec<W>),
}

impl<W: Word> Content<W> {
    pub fn read(path: &Path, mode: Mode) -> Result<Self, CollectionError> {
        let failed = |error| CollectionError::from_io(path, "read", error);
        let length = std::fs::metadata(path).map_err(failed)?.len();
        // an empty file cannot be mapped
        if mode == Mode::Load || length == 0 {
            return Ok(Self::Loaded(W::load(std::fs::read(path).map_err(failed)?)));
        }
        MmapHelper::mmap(path, mmap_rs::MmapFlags::empty())
            .map(Self::Mapped)
            .map_err(|error| failed(std::io::Error::other(format!("{error:#}"))))
    }
}

/// The bytes at the beginning of a file that `epserde` writes: magic, version, and hashes and name of the type.
pub fn header_of(stored: &impl Serialize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // SAFETY: what epserde writes are the words of vectors, which have no padding
    unsafe { stored.serialize(&mut bytes).ok()? };
    // the name comes last, after its length
    let length = u64::from_le_bytes(bytes.get(77..85)?.try_into().ok()?);
    bytes.truncate(85 + length as usize);
    Some(bytes)
}

impl<W> AsRef<[W]> for Content<W> {
    fn as_ref(&self) -> &[W] {
        match self {
            Self::Mapped(words) => words.as_ref(),
            Self::Loaded(words) => words,
        }
    }
}
