//! An exact map from 64 bits to 64 bits on disk, with flat memory: fingerprints of pages to the first that had them.
//!
//! The file is buckets of 4 KiB: `[count u64][0 u64]`, then pairs `[key u64][value u64]`, as many as the count says. A key
//! is in the bucket that the upper bits of its product with an odd constant name, or, while that one and those after
//! it are full, in the next (the first comes after the last). When 70% of all places are taken, a file with twice
//! the buckets is written in their order, beside, and takes the name. Buckets in use are kept in memory, each in the
//! one frame that its number names, and written when another needs the frame (write-back). After an error a map is
//! of no further use.

use super::queue::{damaged, read_at, write_at};
use crate::collection::{CollectionError, Result};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

const BUCKET: usize = 4096;
/// 64-bit words of a bucket; pairs in it.
const WORDS: usize = BUCKET / 8;
const PAIRS: usize = (WORDS - 2) / 2;

#[derive(Clone, Copy, Debug)]
struct Frame {
    bucket: u64,
    is_changed: bool,
}

const EMPTY: Frame = Frame {
    bucket: u64::MAX,
    is_changed: false,
};

type Words = [u64; WORDS];

#[derive(Debug)]
pub struct DiskMap {
    path: PathBuf,
    file: File,
    num_buckets: u64,
    frames: Vec<Frame>,
    /// what is in the frames
    memory: Vec<Words>,
    len: u64,
}

impl DiskMap {
    /// An empty map at `path`, with buckets in memory of `cache_bytes` (and never fewer than two).
    pub fn create(path: &Path, cache_bytes: usize) -> Result<Self> {
        // ones, so that the memory is there from the start
        let memory = vec![[1; WORDS]; (cache_bytes / BUCKET).max(2)];
        Self::with_buckets(path, memory, 2)
    }

    fn with_buckets(path: &Path, memory: Vec<Words>, num_buckets: u64) -> Result<Self> {
        let explain = |source| CollectionError::from_io(path, "write", source);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .map_err(explain)?;
        // buckets that were never written are zeros
        file.set_len(num_buckets * BUCKET as u64).map_err(explain)?;
        let num_frames = memory.len().min(num_buckets as usize);
        Ok(Self {
            path: path.to_path_buf(),
            file,
            num_buckets,
            frames: vec![EMPTY; num_frames],
            memory,
            len: 0,
        })
    }

    /// The value that the key has; if it has none, it gets this one.
    pub fn get_or_insert(&mut self, key: u64, value: u64) -> Result<Option<u64>> {
        self.find(key, Some(value))
    }

    /// The value that the key has; if it has none, it gets this one, if any.
    pub fn find(&mut self, key: u64, value: Option<u64>) -> Result<Option<u64>> {
        self.change(key, |old| value.filter(|_| old.is_none()))
    }

    /// The value that the key has; it gets the one that `change` makes of it, if any.
    pub fn change(
        &mut self,
        key: u64,
        change: impl FnOnce(Option<u64>) -> Option<u64>,
    ) -> Result<Option<u64>> {
        let mixed = u128::from(key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bucket = ((mixed * u128::from(self.num_buckets)) >> 64) as u64;
        loop {
            let number = self.load(bucket)?;
            let (head, pairs) = self.memory[number].split_at_mut(2);
            let count = head[0] as usize;
            let pairs = pairs.as_chunks_mut::<2>().0;
            if let Some(pair) = pairs[..count].iter_mut().find(|pair| pair[0] == key) {
                let old = pair[1];
                if let Some(value) = change(Some(old)) {
                    pair[1] = value;
                    self.frames[number].is_changed = true;
                }
                return Ok(Some(old));
            }
            if let Some(pair) = pairs.get_mut(count) {
                let Some(value) = change(None) else {
                    return Ok(None);
                };
                *pair = [key, value];
                head[0] += 1;
                self.frames[number].is_changed = true;
                self.len += 1;
                break;
            }
            bucket = (bucket + 1) % self.num_buckets;
        }
        if self.len * 10 > self.num_buckets * PAIRS as u64 * 7 {
            self.grow()?;
        }
        Ok(None)
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of the frame with a bucket in it.
    fn load(&mut self, bucket: u64) -> Result<usize> {
        let number = (bucket % self.frames.len() as u64) as usize;
        if self.frames[number].bucket != bucket {
            self.save(number)?;
            self.frames[number] = EMPTY;
            let mut words = [0; WORDS];
            self.read(bucket, &mut words)?;
            self.memory[number] = words;
            self.frames[number].bucket = bucket;
        }
        Ok(number)
    }

    fn read(&self, bucket: u64, words: &mut Words) -> Result<()> {
        let mut bytes = [0; BUCKET];
        read_at(&self.file, &self.path, &mut bytes, bucket * BUCKET as u64)?;
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        match words[0] as usize {
            0..=PAIRS => Ok(()),
            _ => Err(damaged(&self.path)),
        }
    }

    fn save(&mut self, number: usize) -> Result<()> {
        let frame = &mut self.frames[number];
        if !std::mem::replace(&mut frame.is_changed, false) {
            return Ok(());
        }
        let mut bytes = [0; BUCKET];
        for (word, bytes) in self.memory[number].iter().zip(bytes.as_chunks_mut::<8>().0) {
            *bytes = word.to_le_bytes();
        }
        let place = frame.bucket * BUCKET as u64;
        write_at(&self.file, &self.path, &bytes, place)
    }

    /// Doubles the buckets. Keys keep their order, so the new file is written almost from front to end.
    fn grow(&mut self) -> Result<()> {
        for number in 0..self.frames.len() {
            self.save(number)?;
        }
        let beside = self.path.with_extension("new");
        let memory = std::mem::take(&mut self.memory);
        let mut grown = Self::with_buckets(&beside, memory, self.num_buckets * 2)?;
        let mut words = [0; WORDS];
        for bucket in 0..self.num_buckets {
            self.read(bucket, &mut words)?;
            let count = words[0] as usize;
            for &[key, value] in &words[2..].as_chunks::<2>().0[..count] {
                grown.get_or_insert(key, value)?;
            }
        }
        std::fs::rename(&beside, &self.path)
            .map_err(|source| CollectionError::from_io(&self.path, "write", source))?;
        grown.path = std::mem::take(&mut self.path);
        *self = grown;
        Ok(())
    }
}
