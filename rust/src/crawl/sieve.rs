//! The sieve: a queue with memory (BUBING, 3.1; Mercator). What is enqueued comes out once ever, in first-seen order.
//!
//! Elements are known by 64 bits. A hash that comes in is kept in an array, its record in a queue on disk. A flush sorts
//! the array, looks all its hashes up in what is known, and lets the records go whose hashes are new. What is known:
//! the newest hashes in memory, all others in files `known-N`, sorted hashes of 8 bytes. Each file has at least twice
//! as many as all newer ones together: a new one swallows those that are too small for that. Files are only ever
//! written whole. After an error a sieve is of no further use.

use super::queue::{self, DiskQueue};
use crate::collection::Result;
use crate::collection::faults::crash_point;
use crate::collection::files::Writer;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Known hashes that stay in memory, at most.
const MAX_RECENT: usize = 1 << 16;
/// Hashes read at once, in order; when searching.
const BLOCK: u64 = 1 << 13;
const PAGE: u64 = 1 << 9;
/// Bytes of the two buffers of the waiting records.
const BUFFER: usize = 1 << 20;

/// The hash by which the frontier knows a URL.
pub fn hash(url: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(url)
}

#[derive(Debug)]
pub struct Sieve {
    folder: PathBuf,
    capacity: usize,
    /// Hashes since the last flush and their places among the records.
    pending: Vec<(u64, u32)>,
    records: DiskQueue,
    recent: Vec<u64>,
    runs: Vec<Run>,
    next_run: u64,
    last_flush_seconds: f64,
}

impl Sieve {
    /// An empty sieve with its files in `folder`, which is full with `capacity` hashes (16 bytes each).
    pub fn create(folder: &Path, capacity: usize) -> Result<Self> {
        // written once, so that the memory is there from the start
        let mut pending = vec![(1, 1); capacity.clamp(1, 1 << 27)];
        pending.clear();
        Ok(Self {
            folder: folder.to_path_buf(),
            capacity: capacity.clamp(1, u32::MAX as usize),
            pending,
            records: DiskQueue::create(folder, "pending", BUFFER)?,
            recent: Vec::new(),
            runs: Vec::new(),
            next_run: 0,
            last_flush_seconds: 0.0,
        })
    }

    /// Takes in what may be known; flush when the sieve is full.
    pub fn enqueue(&mut self, hash: u64, record: &[u8]) -> Result<()> {
        self.pending.push((hash, self.pending.len() as u32));
        self.records.push(record)
    }

    pub fn is_full(&self) -> bool {
        self.pending.len() >= self.capacity
    }

    pub fn num_pending(&self) -> usize {
        self.pending.len()
    }

    pub fn num_known(&self) -> u64 {
        self.recent.len() as u64 + self.runs.iter().map(|run| run.len).sum::<u64>()
    }

    pub fn num_runs(&self) -> usize {
        self.runs.len()
    }

    pub fn last_flush_seconds(&self) -> f64 {
        self.last_flush_seconds
    }

    /// Gives each record whose hash never came in before to `release`, in the order of their coming; returns how many.
    pub fn flush(&mut self, release: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<u64> {
        let started = Instant::now();
        let num_records = self.pending.len();
        let mut pending = std::mem::take(&mut self.pending);
        // by hash, then by place: of equal hashes the first is kept
        pending.sort_unstable();
        pending.dedup_by_key(|&mut (hash, _)| hash);
        let mut at = 0;
        pending.retain(|&(hash, _)| {
            at += self.recent[at..].partition_point(|&known| known < hash);
            self.recent.get(at) != Some(&hash)
        });
        for run in &self.runs {
            run.remove_known(&mut pending)?;
        }
        let mut is_new = vec![0u64; num_records.div_ceil(64)];
        for &(_, place) in &pending {
            is_new[place as usize / 64] |= 1 << (place % 64);
        }
        self.learn(&pending)?;
        let num_new = pending.len() as u64;
        pending.clear();
        self.pending = pending;
        let mut record = Vec::new();
        for place in 0..num_records {
            self.records.pop(&mut record)?;
            if is_new[place / 64] >> (place % 64) & 1 == 1 {
                release(&record)?;
            }
        }
        self.last_flush_seconds = started.elapsed().as_secs_f64();
        Ok(num_new)
    }

    /// Adds sorted hashes, none of them known.
    fn learn(&mut self, new: &[(u64, u32)]) -> Result<()> {
        self.recent.extend(new.iter().map(|&(hash, _)| hash));
        // two sorted halves, which this sort finds and merges
        self.recent.sort();
        if self.recent.len() <= MAX_RECENT.min(self.capacity) {
            return Ok(());
        }
        let mut len = self.recent.len() as u64;
        let mut kept = self.runs.len();
        while kept > 0 && self.runs[kept - 1].len < 2 * len {
            kept -= 1;
            len += self.runs[kept].len;
        }
        let path = self.folder.join(format!("known-{}", self.next_run));
        self.next_run += 1;
        let mut sources = vec![Cursor::new(None, std::mem::take(&mut self.recent))];
        for run in &self.runs[kept..] {
            sources.push(Cursor::new(Some(run), Vec::new()));
        }
        crash_point("crawl.sieve-merging");
        merge(&path, sources)?;
        crash_point("crawl.sieve-merged");
        for run in self.runs.drain(kept..) {
            queue::delete(&run.path)?;
        }
        let file = queue::open(&path)?;
        self.runs.push(Run { path, file, len });
        Ok(())
    }
}

/// A file of sorted hashes.
#[derive(Debug)]
struct Run {
    path: PathBuf,
    file: File,
    len: u64,
}

impl Run {
    /// Reads up to `count` hashes from number `place` on.
    fn read(
        &self,
        place: u64,
        count: u64,
        hashes: &mut Vec<u64>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        bytes.resize(count.min(self.len - place) as usize * 8, 0);
        queue::read_at(&self.file, &self.path, bytes, place * 8)?;
        hashes.clear();
        let words = bytes.as_chunks::<8>().0;
        hashes.extend(words.iter().map(|&word| u64::from_le_bytes(word)));
        Ok(())
    }

    /// Takes the hashes that are in this run out of a sorted list, in one pass; jumps where the list is sparse.
    fn remove_known(&self, pending: &mut Vec<(u64, u32)>) -> Result<()> {
        let (mut block, mut bytes) = (Vec::new(), Vec::new());
        // the block ends before hash number `next`, and all before it are at most `last`
        let (mut next, mut last, mut at) = (0, 0, 0);
        let mut kept = 0;
        for index in 0..pending.len() {
            let hash = pending[index].0;
            while next < self.len && block.last().is_none_or(|&end| end < hash) {
                last = block.last().copied().unwrap_or(last);
                // where it would be if hashes were spread evenly
                let far = guess(hash - last, u64::MAX - last, self.len - next);
                let mut count = BLOCK;
                if far > 2 * BLOCK {
                    next = self.search(hash, (next, last), &mut block, &mut bytes)?;
                    count = PAGE;
                }
                self.read(next, count, &mut block, &mut bytes)?;
                next += block.len() as u64;
                at = 0;
            }
            // in a dense list the next one is near
            while at < block.len() && block[at] < hash {
                at += 1;
            }
            if block.get(at) != Some(&hash) {
                pending[kept] = pending[index];
                kept += 1;
            }
        }
        pending.truncate(kept);
        Ok(())
    }

    /// A place less than a page before the first hash that is not smaller than `hash`; `low` is the place to begin at
    /// and the hash before it.
    fn search(
        &self,
        hash: u64,
        low: (u64, u64),
        page: &mut Vec<u64>,
        bytes: &mut Vec<u8>,
    ) -> Result<u64> {
        let ((mut low, mut least), (mut high, mut most)) = (low, (self.len, u64::MAX));
        let mut tries = 0;
        while high - low > PAGE {
            // even spread finds the page in two or three reads; where it fails, halving does in a few more
            let guessed = match tries {
                0..4 => guess(hash - least, most - least, high - low),
                _ => (high - low) / 2,
            };
            tries += 1;
            let start = (low + guessed.saturating_sub(PAGE / 2)).min(high - PAGE);
            self.read(start, PAGE, page, bytes)?;
            let (first, end) = (page[0], page[page.len() - 1]);
            if hash <= first {
                (high, most) = (start + 1, first);
            } else if hash > end {
                (low, least) = (start + PAGE, end);
            } else {
                return Ok(start);
            }
        }
        Ok(low)
    }
}

/// `part` of `whole` of `len`.
fn guess(part: u64, whole: u64, len: u64) -> u64 {
    (u128::from(part) * u128::from(len) / (u128::from(whole) + 1)) as u64
}

/// Sorted hashes in order: a block in memory, then those of a run.
struct Cursor<'a> {
    run: Option<&'a Run>,
    block: Vec<u64>,
    bytes: Vec<u8>,
    at: usize,
    next: u64,
}

impl<'a> Cursor<'a> {
    fn new(run: Option<&'a Run>, block: Vec<u64>) -> Self {
        Self {
            run,
            block,
            bytes: Vec::new(),
            at: 0,
            next: 0,
        }
    }

    fn next(&mut self) -> Result<Option<u64>> {
        if self.at == self.block.len()
            && let Some(run) = self.run.filter(|run| self.next < run.len)
        {
            run.read(self.next, BLOCK, &mut self.block, &mut self.bytes)?;
            self.next += self.block.len() as u64;
            self.at = 0;
        }
        let hash = self.block.get(self.at).copied();
        self.at += usize::from(hash.is_some());
        Ok(hash)
    }
}

/// Writes the union of sorted sources that share nothing.
fn merge(path: &Path, mut sources: Vec<Cursor>) -> Result<()> {
    let mut writer = Writer::create(path)?;
    let mut out = Vec::with_capacity(BUFFER);
    let mut heads = Vec::new();
    for source in &mut sources {
        heads.push(source.next()?);
    }
    loop {
        // there are few, since each run is twice as large as those after it
        let first = (0..heads.len())
            .filter_map(|number| heads[number].map(|hash| (hash, number)))
            .min();
        if out.len() >= BUFFER || first.is_none() {
            writer.put(&out)?;
            out.clear();
        }
        let Some((hash, number)) = first else {
            return Ok(());
        };
        out.extend_from_slice(&hash.to_le_bytes());
        heads[number] = sources[number].next()?;
    }
}
