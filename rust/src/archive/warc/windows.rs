//! Gzip files of records, one record per member, read a window at a time and unpacked on several cores.
//!
//! A window ends where the file ends, where a member is cut off by the end of the window, or where a member is damaged
//! or holds anything but one record. The next window begins with the first member that was not read.

use super::records::{Record, Unpacker, find_starts, unpack_at};
use crate::collection::{CollectionError, Result};
use rayon::prelude::*;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SIZE: usize = 8 << 20;
/// The longest member that is looked for.
const MAX_SIZE: usize = 256 << 20;
/// A member with at least this many possible starts after it in the window is damaged, not cut off.
const MAX_STARTS: usize = 9;

/// Where reading stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stop {
    /// Where the next window begins.
    pub next: u64,
    pub is_end: bool,
    /// Whether the bytes at `next` are damaged, or are not one record per member: another reader must continue.
    pub is_odd: bool,
}

/// A member that is one record, with what was made of it.
#[derive(Debug)]
pub struct Member<T> {
    pub offset: u64,
    pub length: u64,
    pub value: T,
}

/// Part of a file.
#[derive(Debug, Default)]
pub struct Window {
    pub bytes: Vec<u8>,
    pub start: u64,
    is_last: bool,
}

/// Reads a window from `start` on, larger ones as long as `look` gets nowhere, and what `look` made of it.
pub fn read_window<T>(
    path: &Path,
    start: u64,
    mut look: impl FnMut(&Window) -> (T, Stop),
) -> Result<(T, Stop, Window)> {
    let explain = |source: io::Error| CollectionError::from_io(path, "read", source);
    let file = File::open(path).map_err(explain)?;
    let rest = file
        .metadata()
        .map_err(explain)?
        .len()
        .saturating_sub(start);
    let mut size = SIZE;
    loop {
        let mut bytes = vec![0; rest.min(size as u64) as usize];
        file.read_exact_at(&mut bytes, start).map_err(explain)?;
        let window = Window {
            is_last: bytes.len() as u64 == rest,
            bytes,
            start,
        };
        let (found, mut stop) = look(&window);
        if stop.next > start || stop.is_odd || window.is_last || size >= MAX_SIZE {
            stop.is_odd |= stop.next == start && !stop.is_end;
            return Ok((found, stop, window));
        }
        size *= 4; // a record that is longer
    }
}

/// Unpacks the members of a window and applies `look` to their records; each thread has a state of its own.
pub fn unpack_window<S: Default, T: Send>(
    window: &Window,
    pool: &rayon::ThreadPool,
    look: impl Fn(&mut S, &Record) -> T + Sync,
) -> (Vec<Member<T>>, Stop) {
    let (bytes, start) = (&window.bytes[..], window.start);
    let starts: Vec<usize> = find_starts(bytes, 0).collect();
    if starts.first() != Some(&0) {
        let stop = Stop {
            next: start,
            is_end: bytes.is_empty(),
            is_odd: !bytes.is_empty(),
        };
        return (Vec::new(), stop);
    }
    let unpack = |state: &mut (Unpacker, Vec<u8>, S), place: usize| {
        let (unpacker, data, own) = state;
        let next = unpack_at(unpacker, bytes, &starts, place, window.is_last, data)?;
        let (record, length) = Record::parse(data)?;
        (length == data.len()).then(|| (next, look(own, &record)))
    };
    let found: Vec<Option<(usize, T)>> = pool.install(|| {
        (0..starts.len())
            .into_par_iter()
            .with_min_len(4)
            .map_init(Default::default, unpack)
            .collect()
    });
    let mut members = Vec::new();
    // the bytes of a start may stand within a member: what was made of such a place is left out
    let mut place = 0;
    for (at, one) in found.into_iter().enumerate() {
        if at != place {
            continue;
        }
        let offset = start + starts[at] as u64;
        let Some((next, value)) = one else {
            let stop = Stop {
                next: offset,
                is_end: false,
                is_odd: window.is_last || starts.len() - at >= MAX_STARTS,
            };
            return (members, stop);
        };
        let end = starts.get(next).copied().unwrap_or(bytes.len());
        members.push(Member {
            offset,
            length: (end - starts[at]) as u64,
            value,
        });
        place = next;
    }
    let stop = Stop {
        next: start + bytes.len() as u64,
        is_end: true,
        is_odd: false,
    };
    (members, stop)
}
