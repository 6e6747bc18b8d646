//! What the workbench cannot hold: a FIFO of records for each host, on disk, with exact order.
//!
//! What comes in is staged in memory, host by host. When the stage is full, the largest batches are written, each as a
//! chunk, one behind the other at the end of the current segment, until half of the stage is free. A chunk is
//! `[next u64][host u32][bytes u32]` and records `[length u32][bytes]`; `next` is the place of the host's next chunk,
//! filled in when that one is written. A place is the number of a segment and an offset in it, 32 bits each. Memory
//! holds a few words for a host: where its first chunk is and how far it was read, and where its last one is.
//!
//! A segment is deleted when all its chunks have been read. While less than half of the bytes on disk are waiting, the
//! hosts that begin in the oldest segment are written anew at the end. Chunks of a host lie in the order of their
//! places, so these are all that the segment holds. After an error a virtualizer is of no further use.

use super::fifo::{Arena, Fifo};
use super::queue::{self, damaged, next_record, read_at, write_at};
use crate::collection::files::Writer;
use crate::collection::{CollectionError, Result};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

const HEADER: usize = 16;
/// The least that is read of a chunk at once.
const PIECE: usize = 1 << 12;
/// Below so many bytes, in stages, garbage is left alone.
const SMALL: u64 = 4;
/// Stages in a segment, and the most bytes.
const SEGMENT: u64 = 16;
/// Bytes of chunks that are written at once.
const AT_ONCE: usize = 1 << 20;
const MAX_SEGMENT: u64 = 1 << 30;

#[derive(Debug, Default)]
struct Host {
    /// Place of the first chunk and bytes of its records that were pulled; place of the last one.
    head: u64,
    head_at: u32,
    tail: u64,
    /// Records on disk; records in memory, behind them.
    num_written: u64,
    staged: Fifo,
}

#[derive(Debug)]
struct Segment {
    path: PathBuf,
    file: File,
    /// Bytes in all; of chunks not yet read to their end.
    bytes: u64,
    live: u64,
}

#[derive(Debug)]
pub struct Virtualizer {
    folder: PathBuf,
    staging: usize,
    stage: Arena,
    hosts: HashMap<u32, Host>,
    num_records: u64,
    segments: BTreeMap<u32, Segment>,
    writer: Option<Writer>,
    next_segment: u32,
}

impl Virtualizer {
    /// An empty one with its files in `folder`, and a stage of `staging_bytes`.
    pub fn create(folder: &Path, staging_bytes: usize) -> Result<Self> {
        queue::make_folder(folder)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            staging: staging_bytes.clamp(1, MAX_SEGMENT as usize),
            stage: Arena::new(staging_bytes),
            hosts: HashMap::new(),
            num_records: 0,
            segments: BTreeMap::new(),
            writer: None,
            next_segment: 0,
        })
    }

    pub fn push(&mut self, host: u32, record: &[u8]) -> Result<()> {
        let state = self.hosts.entry(host).or_default();
        state.staged.push(&mut self.stage, record);
        self.num_records += 1;
        if self.stage.num_bytes() > self.staging {
            self.write_stage()?;
            self.compact()?;
        }
        Ok(())
    }

    /// Gives the oldest records of a host to `take`, in order, until they are `max_bytes` or more or there are no more;
    /// returns how many.
    pub fn pull(
        &mut self,
        host: u32,
        max_bytes: usize,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<usize> {
        let Some(mut state) = self.hosts.remove(&host) else {
            return Ok(0);
        };
        let (mut given, mut bytes) = (0, 0);
        let mut piece = Vec::new();
        // of a long chunk only about as much is read as is asked for
        let mut window = max_bytes.saturating_mul(2).max(PIECE);
        while bytes < max_bytes && state.num_written > 0 {
            let (next, length) = self.read_header(host, state.head)?;
            let rest = length - state.head_at as usize;
            self.read_piece(&state, rest.min(window), &mut piece)?;
            let mut at = 0;
            while bytes < max_bytes
                && let Some(record) = next_record(&piece, &mut at)
            {
                take(record);
                bytes += record.len();
                given += 1;
                state.num_written -= 1;
            }
            state.head_at += at as u32;
            if at == rest {
                self.forget(state.head, length)?;
                (state.head, state.head_at) = (next, 0);
            } else if at == 0 && rest <= window {
                return Err(damaged(&self.path(state.head)));
            } else if at == 0 {
                window = window.saturating_mul(2);
            }
        }
        while bytes < max_bytes && state.staged.pop(&mut self.stage, &mut piece) {
            take(&piece);
            bytes += piece.len();
            given += 1;
        }
        self.num_records -= given as u64;
        if state.num_written > 0 || !state.staged.is_empty() {
            self.hosts.insert(host, state);
        }
        Ok(given)
    }

    pub fn len_of(&self, host: u32) -> u64 {
        self.hosts
            .get(&host)
            .map_or(0, |state| state.num_written + state.staged.len())
    }

    /// Hosts that have something waiting.
    pub fn num_hosts(&self) -> usize {
        self.hosts.len()
    }

    pub fn num_records(&self) -> u64 {
        self.num_records
    }

    /// Bytes of the files.
    pub fn num_bytes(&self) -> u64 {
        self.segments.values().map(|segment| segment.bytes).sum()
    }

    /// Forgets what is waiting for a host.
    pub fn drop_host(&mut self, host: u32) -> Result<()> {
        let Some(mut state) = self.hosts.remove(&host) else {
            return Ok(());
        };
        self.num_records -= state.num_written + state.staged.len();
        state.staged.clear(&mut self.stage);
        let mut chunk = (state.num_written > 0).then_some(state.head);
        while let Some(place) = chunk {
            let (next, bytes) = self.read_header(host, place)?;
            self.forget(place, bytes)?;
            chunk = (place != state.tail).then_some(next);
        }
        Ok(())
    }

    /// Writes the largest batches until half of the stage is free: large chunks are few reads later.
    fn write_stage(&mut self) -> Result<()> {
        let mut batches: Vec<(usize, u32)> = self
            .hosts
            .iter()
            .filter(|(_, state)| !state.staged.is_empty())
            .map(|(&host, state)| (state.staged.num_bytes(), host))
            .collect();
        batches.sort_unstable_by(|a, b| b.cmp(a));
        let mut out = Out::default();
        let mut batch = Vec::new();
        for (_, host) in batches {
            if self.stage.num_bytes() <= self.staging / 2 {
                break;
            }
            let Some(mut state) = self.hosts.remove(&host) else {
                continue;
            };
            let num_staged = state.staged.len();
            state.staged.drain(&mut self.stage, &mut batch);
            self.add_chunk(&mut out, host, &mut state, &batch)?;
            state.num_written += num_staged;
            self.hosts.insert(host, state);
            if out.bytes.len() >= AT_ONCE {
                self.write_out(std::mem::take(&mut out))?;
            }
        }
        self.write_out(out)
    }

    /// Puts a chunk at the end of what is written next.
    fn add_chunk(
        &mut self,
        out: &mut Out,
        host: u32,
        state: &mut Host,
        records: &[u8],
    ) -> Result<()> {
        if out.bytes.is_empty() {
            self.open_segment()?;
            out.place = self.end();
        }
        let place = out.place + out.bytes.len() as u64;
        match state.num_written {
            0 => (state.head, state.head_at) = (place, 0),
            _ => out.links.push((state.tail, place)),
        }
        state.tail = place;
        out.bytes.extend_from_slice(&[0; 8]);
        out.bytes.extend_from_slice(&host.to_le_bytes());
        out.bytes
            .extend_from_slice(&(records.len() as u32).to_le_bytes());
        out.bytes.extend_from_slice(records);
        Ok(())
    }

    fn write_out(&mut self, mut out: Out) -> Result<()> {
        if out.bytes.is_empty() {
            return Ok(());
        }
        // in the order of places; those of chunks that are here, in memory
        out.links.sort_unstable();
        let old = out.links.partition_point(|&(place, _)| place < out.place);
        for &(place, next) in &out.links[old..] {
            let at = (place - out.place) as usize;
            out.bytes[at..at + 8].copy_from_slice(&next.to_le_bytes());
        }
        for &(place, next) in &out.links[..old] {
            let (segment, offset) = self.find(place)?;
            write_at(&segment.file, &segment.path, &next.to_le_bytes(), offset)?;
        }
        if let (Some(writer), Some(mut segment)) = (&mut self.writer, self.segments.last_entry()) {
            writer.put(&out.bytes)?;
            segment.get_mut().bytes += out.bytes.len() as u64;
            segment.get_mut().live += out.bytes.len() as u64;
        }
        Ok(())
    }

    /// Makes the last segment one that has room.
    fn open_segment(&mut self) -> Result<()> {
        let room = (SEGMENT * self.staging as u64).min(MAX_SEGMENT);
        if let Some(last) = self.segments.last_entry() {
            if last.get().bytes < room {
                return Ok(());
            }
            if last.get().live == 0 {
                queue::delete(&last.remove().path)?;
            }
        }
        let number = self.next_segment;
        self.next_segment += 1;
        let path = self.path(u64::from(number) << 32);
        self.writer = Some(Writer::create(&path)?);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|source| CollectionError::from_io(&path, "read", source))?;
        let segment = Segment {
            path,
            file,
            bytes: 0,
            live: 0,
        };
        self.segments.insert(number, segment);
        Ok(())
    }

    /// Writes the hosts of the oldest segments anew while less than half of the bytes are waiting.
    fn compact(&mut self) -> Result<()> {
        loop {
            let live: u64 = self.segments.values().map(|segment| segment.live).sum();
            let oldest = match self.segments.first_key_value() {
                Some((&number, _)) if self.segments.len() > 1 => number,
                _ => return Ok(()),
            };
            if self.num_bytes() <= 2 * live + SMALL * self.staging as u64 {
                return Ok(());
            }
            let mut moved: Vec<(u64, u32)> = self
                .hosts
                .iter()
                .filter(|(_, state)| state.num_written > 0 && (state.head >> 32) as u32 == oldest)
                .map(|(&host, state)| (state.head, host))
                .collect();
            moved.sort_unstable();
            let mut out = Out::default();
            for (_, host) in moved {
                self.move_host(host, &mut out)?;
            }
            self.write_out(out)?;
            if self.segments.contains_key(&oldest) {
                return Err(damaged(&self.path(u64::from(oldest) << 32)));
            }
        }
    }

    /// Writes all chunks of a host anew.
    fn move_host(&mut self, host: u32, out: &mut Out) -> Result<()> {
        let Some(mut old) = self.hosts.remove(&host) else {
            return Ok(());
        };
        let mut state = Host {
            staged: std::mem::take(&mut old.staged),
            ..Host::default()
        };
        let mut chunk = Vec::new();
        loop {
            let (next, length) = self.read_header(host, old.head)?;
            self.read_piece(&old, length - old.head_at as usize, &mut chunk)?;
            self.add_chunk(out, host, &mut state, &chunk)?;
            state.num_written = old.num_written;
            self.forget(old.head, length)?;
            if out.bytes.len() >= AT_ONCE {
                self.write_out(std::mem::take(out))?;
            }
            if old.head == old.tail {
                break;
            }
            (old.head, old.head_at) = (next, 0);
        }
        self.hosts.insert(host, state);
        Ok(())
    }

    /// The next bytes of a host's first chunk.
    fn read_piece(&self, state: &Host, bytes: usize, piece: &mut Vec<u8>) -> Result<()> {
        let (segment, offset) = self.find(state.head)?;
        piece.resize(bytes, 0);
        let start = offset + HEADER as u64 + u64::from(state.head_at);
        read_at(&segment.file, &segment.path, piece, start)
    }

    /// The place of a chunk's successor and the bytes of its records.
    fn read_header(&self, host: u32, place: u64) -> Result<(u64, usize)> {
        let (segment, offset) = self.find(place)?;
        let mut header = [0; HEADER];
        read_at(&segment.file, &segment.path, &mut header, offset)?;
        let word = u128::from_le_bytes(header);
        let bytes = (word >> 96) as u64;
        if (word >> 64) as u32 != host || offset + HEADER as u64 + bytes > segment.bytes {
            return Err(damaged(&segment.path));
        }
        Ok((word as u64, bytes as usize))
    }

    /// A chunk with so many bytes of records is needed no more.
    fn forget(&mut self, place: u64, bytes: usize) -> Result<()> {
        let number = (place >> 32) as u32;
        let is_last = self.segments.keys().next_back() == Some(&number);
        let Some(segment) = self.segments.get_mut(&number) else {
            return Err(damaged(&self.path(place)));
        };
        segment.live = segment.live.saturating_sub((HEADER + bytes) as u64);
        if segment.live == 0
            && !is_last
            && let Some(segment) = self.segments.remove(&number)
        {
            queue::delete(&segment.path)?;
        }
        Ok(())
    }

    fn find(&self, place: u64) -> Result<(&Segment, u64)> {
        match self.segments.get(&((place >> 32) as u32)) {
            Some(segment) => Ok((segment, place & u64::from(u32::MAX))),
            None => Err(damaged(&self.path(place))),
        }
    }

    /// The place behind the last segment.
    fn end(&self) -> u64 {
        self.segments
            .last_key_value()
            .map_or(0, |(&number, segment)| {
                (u64::from(number) << 32) + segment.bytes
            })
    }

    fn path(&self, place: u64) -> PathBuf {
        self.folder.join(format!("hosts-{}", place >> 32))
    }
}

/// Chunks that will be written at a place, and links to them: of the chunk there, to the chunk here.
#[derive(Debug, Default)]
struct Out {
    place: u64,
    bytes: Vec<u8>,
    links: Vec<(u64, u64)>,
}
