//! A FIFO of byte strings on disk, with bounded memory.
//!
//! Records `[length u32][bytes]` go into the tail, a buffer in memory. A full tail becomes the head if there is nothing
//! before it, so that a small queue never touches the disk; otherwise it is appended to the last of the segments
//! `NAME-0`, `NAME-1`, …, each a whole number of records. The head is filled from the first segment, which is deleted
//! when it has been read. After an error a queue is of no further use.

use crate::collection::files::Writer;
use crate::collection::space::patiently;
use crate::collection::{CollectionError, Result, faults};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Buffers in a segment.
const SEGMENT: u64 = 64;

#[derive(Debug)]
pub struct DiskQueue {
    folder: PathBuf,
    name: String,
    buffer: usize,
    head: Vec<u8>,
    head_at: usize,
    tail: Vec<u8>,
    /// Bytes in each segment; the number of the first.
    segments: VecDeque<u64>,
    first: u64,
    /// The first segment, and how far it was read; the last one.
    reader: Option<File>,
    read_at: u64,
    writer: Option<Writer>,
    len: u64,
}

impl DiskQueue {
    /// An empty queue whose segments will be files `name-…` of `folder`; it holds at most two buffers of `buffer` bytes
    /// and a record each in memory.
    pub fn create(folder: &Path, name: &str, buffer: usize) -> Result<Self> {
        make_folder(folder)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            name: name.to_owned(),
            buffer: buffer.max(1),
            head: Vec::new(),
            head_at: 0,
            tail: Vec::new(),
            segments: VecDeque::new(),
            first: 0,
            reader: None,
            read_at: 0,
            writer: None,
            len: 0,
        })
    }

    pub fn push(&mut self, record: &[u8]) -> Result<()> {
        push_record(&mut self.tail, record);
        self.len += 1;
        if self.tail.len() < self.buffer {
            return Ok(());
        }
        if self.segments.is_empty() && self.head_at == self.head.len() {
            self.turn();
            return Ok(());
        }
        if self
            .segments
            .back()
            .is_none_or(|&bytes| bytes >= SEGMENT * self.buffer as u64)
        {
            let number = self.first + self.segments.len() as u64;
            self.writer = Some(Writer::create(&self.path(number))?);
            self.segments.push_back(0);
        }
        if let (Some(writer), Some(bytes)) = (&mut self.writer, self.segments.back_mut()) {
            writer.put(&self.tail)?;
            *bytes += self.tail.len() as u64;
        }
        self.tail.clear();
        Ok(())
    }

    /// Replaces `record` with the oldest one; false if there is none.
    pub fn pop(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        if self.len == 0 {
            return Ok(false);
        }
        if !self.segments.is_empty() {
            self.fill()?;
        }
        if self.head_at == self.head.len() {
            self.turn();
        }
        let Some(found) = next_record(&self.head, &mut self.head_at) else {
            return Err(damaged(&self.path(self.first)));
        };
        record.clear();
        record.extend_from_slice(found);
        self.len -= 1;
        Ok(true)
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes sure that the head begins with a whole record, if it holds or can get one from the disk.
    fn fill(&mut self) -> Result<()> {
        loop {
            let rest = &self.head[self.head_at..];
            let needed = match rest.first_chunk() {
                Some(&length) => 4 + u32::from_le_bytes(length) as usize,
                None => 4,
            };
            if rest.len() >= needed {
                return Ok(());
            }
            let Some(&bytes) = self.segments.front() else {
                return Ok(());
            };
            let path = self.path(self.first);
            if self.read_at == bytes {
                if !rest.is_empty() {
                    return Err(damaged(&path));
                }
                self.reader = None;
                delete(&path)?;
                self.segments.pop_front();
                self.first += 1;
                self.read_at = 0;
                continue;
            }
            let missing = needed.max(self.buffer) - rest.len();
            let take = (missing as u64).min(bytes - self.read_at) as usize;
            self.head.drain(..self.head_at);
            self.head_at = 0;
            let start = self.head.len();
            self.head.resize(start + take, 0);
            let file = match &mut self.reader {
                Some(file) => file,
                none => none.insert(open(&path)?),
            };
            read_at(file, &path, &mut self.head[start..], self.read_at)?;
            self.read_at += take as u64;
        }
    }

    /// The tail becomes the head; only right when all before it has been taken.
    fn turn(&mut self) {
        self.head.clear();
        self.head_at = 0;
        std::mem::swap(&mut self.head, &mut self.tail);
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}-{number}", self.name))
    }
}

// ---- what all files of the frontier share

pub(super) fn push_record(buffer: &mut Vec<u8>, record: &[u8]) {
    buffer.extend_from_slice(&(record.len() as u32).to_le_bytes());
    buffer.extend_from_slice(record);
}

/// The record at `place`, which moves behind it; nothing if it is not there whole.
pub(super) fn next_record<'a>(buffer: &'a [u8], place: &mut usize) -> Option<&'a [u8]> {
    let (length, rest) = buffer.get(*place..)?.split_first_chunk()?;
    let record = rest.get(..u32::from_le_bytes(*length) as usize)?;
    *place += 4 + record.len();
    Some(record)
}

pub(super) fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|source| CollectionError::from_io(folder, "write", source))
}

pub(super) fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| CollectionError::from_io(path, "read", source))
}

pub(super) fn delete(path: &Path) -> Result<()> {
    std::fs::remove_file(path).map_err(|source| CollectionError::from_io(path, "delete", source))
}

pub(super) fn read_at(file: &File, path: &Path, buffer: &mut [u8], place: u64) -> Result<()> {
    file.read_exact_at(buffer, place)
        .map_err(|source| CollectionError::from_io(path, "read", source))
}

/// Writes in the middle of a file; fails on order as [`Writer`] does.
pub(super) fn write_at(file: &File, path: &Path, data: &[u8], place: u64) -> Result<()> {
    let outcome = patiently(path, data.len(), || {
        match faults::on_write(path, data.len()) {
            faults::Verdict::Pass => file.write_all_at(data, place),
            // who tries again writes all of it, at the same place
            faults::Verdict::Part(_) => Err(io::Error::from_raw_os_error(libc::ENOSPC)),
            faults::Verdict::Fail(errno) => Err(io::Error::from_raw_os_error(errno)),
            faults::Verdict::Tear { keep } => {
                let _ = file.write_all_at(&data[..keep], place);
                faults::die();
            }
        }
    });
    outcome.map_err(|source| CollectionError::from_io(path, "write", source))
}

pub(super) fn damaged(path: &Path) -> CollectionError {
    let source = io::Error::new(io::ErrorKind::InvalidData, "it is not what was written");
    CollectionError::from_io(path, "read", source)
}
