//! The journal: what a crawl must know to go on after any end.
//!
//! Frames one behind the other, each four bytes of length, four of a checksum (the lower half of XXH3 of what follows),
//! one that says what it is, and the rest: URLs that came to the frontier, as a batch holds them, the hash of one that
//! is done, the mark of a checkpoint, or the rules of a robots.txt with the time until which they hold. All other structures of the frontier follow from it. The URLs that a page led to
//! are written before the page is done, and a page is done before it is stored: what is stored never leads to nothing.

use super::Result;
use super::record::Batch;
use crate::collection::CollectionError;
use crate::collection::files::{Syncer, Writer};
use crate::web::robots::Robots;
use std::fs::OpenOptions;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// What a frame holds.
#[derive(Debug, PartialEq)]
pub enum Entry {
    Links(Batch),
    /// the hash of a URL with its last answer, and the checksum of its records if it is stored
    Done {
        hash: u64,
        sum: Option<u64>,
    },
    Mark(Mark),
    Robots(Rules),
}

/// Rules of a robots.txt, and until when they hold.
#[derive(Debug, PartialEq)]
pub struct Rules {
    pub origin: String,
    /// nanoseconds since 1970
    pub until: u64,
    /// `Config::agents_hash` of those for whom they are
    pub agents: u64,
    pub rules: Robots,
}

/// What was on the disk when a checkpoint was over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// bytes of the journal, and of the lines about captures
    pub journal: u64,
    pub captures: u64,
    /// the last file of records, and its bytes; files before it are whole
    pub name: String,
    pub length: u64,
}

const LINKS: u8 = 0;
const DONE: u8 = 1;
const STORED: u8 = 2;
const MARK: u8 = 3;
const ROBOTS: u8 = 4;
/// No frame of ours is longer.
const MAX_FRAME: usize = 1 << 30;

pub struct Journal {
    /// none for a crawl that cannot go on
    open: Option<(Writer, Arc<Syncer>)>,
    pending: Vec<u8>,
}

impl Journal {
    pub fn append(path: &Path) -> Result<Self> {
        let writer = Writer::append(path)?;
        let syncer = Arc::new(writer.syncer()?);
        Ok(Self {
            open: Some((writer, syncer)),
            pending: Vec::new(),
        })
    }

    /// One that keeps nothing.
    pub fn none() -> Self {
        Self {
            open: None,
            pending: Vec::new(),
        }
    }

    pub fn push_links(&mut self, batch: &Batch) {
        self.push(LINKS, batch.bytes());
    }

    /// Says that a URL is done, with the records that will be stored of it.
    pub fn push_done(&mut self, hash: u64, records: Option<&[u8]>) {
        match records {
            Some(records) => {
                let words = [hash.to_le_bytes(), xxh3_64(records).to_le_bytes()];
                self.push(STORED, words.as_flattened());
            }
            None => self.push(DONE, &hash.to_le_bytes()),
        }
    }

    pub fn push_mark(&mut self, mark: &Mark) {
        let mut content = Vec::new();
        for number in [mark.journal, mark.captures, mark.length] {
            content.extend_from_slice(&number.to_le_bytes());
        }
        content.extend_from_slice(mark.name.as_bytes());
        self.push(MARK, &content);
    }

    /// Keeps the rules of a host, so that a run that resumes need not fetch them again before they expire.
    pub fn push_robots(&mut self, origin: &str, until: u64, agents: u64, rules: &Robots) {
        let Ok(length) = u16::try_from(origin.len()) else {
            return;
        };
        let mut content = Vec::new();
        content.extend_from_slice(&until.to_le_bytes());
        content.extend_from_slice(&agents.to_le_bytes());
        content.extend_from_slice(&length.to_le_bytes());
        content.extend_from_slice(origin.as_bytes());
        rules.push_bytes(&mut content);
        self.push(ROBOTS, &content);
    }

    fn push(&mut self, kind: u8, content: &[u8]) {
        if self.open.is_none() {
            return;
        }
        let start = self.pending.len();
        self.pending.extend_from_slice(&[0; 8]);
        self.pending.push(kind);
        self.pending.extend_from_slice(content);
        let frame = &self.pending[start + 8..];
        let (length, sum) = (frame.len() as u32, xxh3_64(frame) as u32);
        self.pending[start..start + 4].copy_from_slice(&length.to_le_bytes());
        self.pending[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
    }

    /// Bytes that are not written yet.
    pub fn num_pending(&self) -> usize {
        self.pending.len()
    }

    /// Hands everything to the operating system: it survives the end of the process.
    pub fn write(&mut self) -> Result<()> {
        if let Some((writer, _)) = self.open.as_mut().filter(|_| !self.pending.is_empty()) {
            writer.put(&self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }

    /// What syncs it, from any thread, and how many bytes were written.
    pub fn syncer(&self) -> Option<(Arc<Syncer>, u64)> {
        let open = self.open.as_ref();
        open.map(|(writer, syncer)| (syncer.clone(), writer.position()))
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
        let Some(entry) = read_entry(frame[0], &frame[1..]) else {
            break;
        };
        take(entry)?;
        good += 8 + length as u64;
    }
    Ok(good)
}

/// None if these are no bytes of ours.
fn read_entry(kind: u8, content: &[u8]) -> Option<Entry> {
    let number = |place: usize| {
        let bytes = content.get(8 * place..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    };
    match (kind, content.len()) {
        (LINKS, _) => Some(Entry::Links(Batch::from_bytes(content.to_vec()))),
        (DONE, 8) => Some(Entry::Done {
            hash: number(0)?,
            sum: None,
        }),
        (STORED, 16) => Some(Entry::Done {
            hash: number(0)?,
            sum: Some(number(1)?),
        }),
        (MARK, 24..) => Some(Entry::Mark(Mark {
            journal: number(0)?,
            captures: number(1)?,
            length: number(2)?,
            name: String::from_utf8(content[24..].to_vec()).ok()?,
        })),
        (ROBOTS, 18..) => {
            let (length, rest) = content[16..].split_first_chunk()?;
            let (origin, rules) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
            Some(Entry::Robots(Rules {
                origin: String::from_utf8(origin.to_vec()).ok()?,
                until: number(0)?,
                agents: number(1)?,
                rules: Robots::from_bytes(rules)?,
            }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_were_written() {
        let text = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 7\nContent-Signal: search=yes\n";
        let rules = Robots::parse(text, &[b"webstrata"], 1 << 20, false);
        assert_eq!(rules.num_rules(), 2);
        let mut content = Vec::new();
        rules.push_bytes(&mut content);
        assert_eq!(Robots::from_bytes(&content), Some(rules));
        for length in 0..content.len() {
            assert_eq!(Robots::from_bytes(&content[..length]), None);
        }
    }
}
