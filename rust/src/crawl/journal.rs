//! The journal: what a crawl must know to go on after any end.
//!
//! Frames one behind the other, each four bytes of length, four of a checksum (the lower half of XXH3 of what follows),
//! one that says what it is, and the rest: URLs that came to the frontier, as a batch holds them, or the hash of one that
//! is done. All other structures of the frontier follow from it. The URLs that a page led to are written before the page
//! is done, and a page is done before it is stored: what is stored never leads to nothing.

use super::Result;
use super::record::Batch;
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use std::fs::OpenOptions;
use std::io::{BufReader, Read};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// What a frame holds.
#[derive(Debug, PartialEq)]
pub enum Entry {
    Links(Batch),
    /// the hash of a URL with its last answer, and whether that is stored
    Done {
        hash: u64,
        is_stored: bool,
    },
}

const LINKS: u8 = 0;
const DONE: u8 = 1;
const STORED: u8 = 2;
/// No frame of ours is longer.
const MAX_FRAME: usize = 1 << 30;

pub struct Journal {
    writer: Writer,
    pending: Vec<u8>,
}

impl Journal {
    pub fn append(path: &Path) -> Result<Self> {
        Ok(Self {
            writer: Writer::append(path)?,
            pending: Vec::new(),
        })
    }

    pub fn push_links(&mut self, batch: &Batch) {
        self.push(LINKS, batch.bytes());
    }

    pub fn push_done(&mut self, hash: u64, is_stored: bool) {
        let kind = if is_stored { STORED } else { DONE };
        self.push(kind, &hash.to_le_bytes());
    }

    fn push(&mut self, kind: u8, content: &[u8]) {
        let start = self.pending.len();
        self.pending.extend_from_slice(&[0; 8]);
        self.pending.push(kind);
        self.pending.extend_from_slice(content);
        let frame = &self.pending[start + 8..];
        let (length, sum) = (frame.len() as u32, xxh3_64(frame) as u32);
        self.pending[start..start + 4].copy_from_slice(&length.to_le_bytes());
        self.pending[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
    }

    /// Hands everything to the operating system: it survives the end of the process.
    pub fn write(&mut self) -> Result<()> {
        if !self.pending.is_empty() {
            self.writer.put(&self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Returns when what was written would survive a power cut.
    pub fn sync(&self) -> Result<()> {
        Ok(self.writer.sync()?)
    }
}

/// Goes through a journal up to its end, or to the first frame that is not whole; how many bytes are good.
pub fn read(path: &Path, take: &mut dyn FnMut(Entry) -> Result<()>) -> Result<u64> {
    let explain = |error| CollectionError::from_io(path, "read", error);
    let file = OpenOptions::new().read(true).open(path).map_err(explain)?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let (mut good, mut frame) = (0, Vec::new());
    let mut head = [0; 8];
    while reader.read_exact(&mut head).is_ok() {
        let [a, b, c, d, rest @ ..] = head;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if !(1..=MAX_FRAME).contains(&length) {
            break;
        }
        frame.resize(length, 0);
        if reader.read_exact(&mut frame).is_err()
            || xxh3_64(&frame) as u32 != u32::from_le_bytes(rest)
        {
            break;
        }
        good += 8 + length as u64;
        let content = &frame[1..];
        match (frame[0], <[u8; 8]>::try_from(content)) {
            (LINKS, _) => take(Entry::Links(Batch::from_bytes(content.to_vec())))?,
            (kind @ (DONE | STORED), Ok(hash)) => take(Entry::Done {
                hash: u64::from_le_bytes(hash),
                is_stored: kind == STORED,
            })?,
            _ => break,
        }
    }
    Ok(good)
}
