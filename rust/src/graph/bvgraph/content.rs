//! What a file has in it, in memory or mapped.

use crate::collection::CollectionError;
use epserde::ser::Serialize;
use std::path::Path;
use webgraph::utils::MmapHelper;

/// Where the bits of an open graph are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In the file, which must stay as it is.
    Map,
    /// In memory.
    Load,
}

/// What a file has in it, number by number.
pub enum Content<W> {
    Mapped(MmapHelper<W>),
    Loaded(Vec<W>),
}

pub type Words = Content<u32>;

impl<W> Content<W> {
    pub fn read(
        path: &Path,
        mode: Mode,
        load: impl Fn(Vec<u8>) -> Vec<W>,
    ) -> Result<Self, CollectionError> {
        let failed = |error| CollectionError::from_io(path, "read", error);
        let length = std::fs::metadata(path).map_err(failed)?.len();
        // nobody maps nothing
        if mode == Mode::Load || length == 0 {
            return Ok(Self::Loaded(load(std::fs::read(path).map_err(failed)?)));
        }
        MmapHelper::mmap(path, mmap_rs::MmapFlags::empty())
            .map(Self::Mapped)
            .map_err(|error| failed(std::io::Error::other(format!("{error:#}"))))
    }
}

/// The bytes with which the file of something begins: magic, version, and hashes and name of its type.
pub fn header_of(stored: &impl Serialize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // SAFETY: what epserde writes are the words of vectors, which have no padding
    unsafe { stored.serialize(&mut bytes).ok()? };
    // the name comes last, behind its length
    let length = u64::from_le_bytes(bytes.get(77..85)?.try_into().ok()?);
    bytes.truncate(85 + length as usize);
    Some(bytes)
}

pub fn to_words(mut bytes: Vec<u8>) -> Vec<u32> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| u32::from_ne_bytes(word)).collect()
}

impl<W> AsRef<[W]> for Content<W> {
    fn as_ref(&self) -> &[W] {
        match self {
            Self::Mapped(words) => words.as_ref(),
            Self::Loaded(words) => words,
        }
    }
}
