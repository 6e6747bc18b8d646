//! Which pages were there before, by their bytes, their fingerprints and their shapes.
//!
//! Two maps on disk lead from a digest and from a fingerprint to a place in `captures.log`, where each page that was new
//! has its digest (20 bytes), date (8), length of its URL (2) and URL. A third one counts pages by shape: under the shape
//! itself 32 bits of a hash of the origin that was first with it, and how many pages of that origin have it (32 bits);
//! under the shape mixed with the hash of another origin, how many pages of that one have it.

use super::Result;
use super::duplicates::DiskMap;
use super::messages::{Copies, Earlier, Question, Told};
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use crate::web::url;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const HEAD: usize = 30;

pub struct Known {
    digests: DiskMap,
    fingerprints: DiskMap,
    shapes: DiskMap,
    path: PathBuf,
    log: Writer,
    reader: File,
    pending: Vec<u8>,
}

impl Known {
    pub fn create(folder: &Path, cache_bytes: usize) -> Result<Self> {
        let path = folder.join("captures.log");
        let log = Writer::create(&path)?;
        let reader =
            File::open(&path).map_err(|error| CollectionError::from_io(&path, "read", error))?;
        Ok(Self {
            digests: DiskMap::create(&folder.join("digests.map"), cache_bytes / 3)?,
            fingerprints: DiskMap::create(&folder.join("fingerprints.map"), cache_bytes / 3)?,
            shapes: DiskMap::create(&folder.join("shapes.map"), cache_bytes / 3)?,
            path,
            log,
            reader,
            pending: Vec::new(),
        })
    }

    /// What a page repeats. It is counted by its shape, and if it repeats no other it is remembered, unless it is not to
    /// be stored: nothing may point to it then.
    pub fn ask(&mut self, question: &Question) -> Result<Told> {
        let Question {
            digest,
            fingerprint,
            shape,
            url,
            date,
            is_kept,
            ..
        } = question;
        Ok(Told {
            earlier: self.find(digest, *fingerprint, url, *date, *is_kept)?,
            copies: self.count(*shape, url::split(url).0)?,
        })
    }

    /// Counts a page of an origin; how many came before it.
    fn count(&mut self, shape: u64, origin: &str) -> Result<Copies> {
        let origin = xxh3_64(origin.as_bytes()) >> 32;
        let is_first = |value: u64| value >> 32 == origin;
        let found = self.shapes.change(shape, |old| match old {
            None => Some(origin << 32 | 1),
            Some(value) => is_first(value).then_some(value + 1),
        })?;
        let own = match found {
            None => 0,
            Some(value) if is_first(value) => value as u32,
            Some(_) => {
                let key = shape ^ (origin + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let more = |old: Option<u64>| Some(old.unwrap_or(0) + 1);
                self.shapes.change(key, more)?.unwrap_or(0) as u32
            }
        };
        Ok(Copies {
            is_known: found.is_some(),
            own,
        })
    }

    /// Remembers a page that was stored before.
    pub fn remember(
        &mut self,
        digest: &[u8; 20],
        fingerprint: Option<u64>,
        url: &str,
        date: u64,
    ) -> Result<()> {
        self.find(digest, fingerprint, url, date, true)?;
        Ok(())
    }

    fn find(
        &mut self,
        digest: &[u8; 20],
        fingerprint: Option<u64>,
        url: &str,
        date: u64,
        is_kept: bool,
    ) -> Result<Option<Earlier>> {
        let place = self.log.position() + self.pending.len() as u64;
        let value = is_kept.then_some(place);
        let [a, b, c, d, e, f, g, h, ..] = *digest;
        let key = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        if let Some(place) = self.digests.find(key, value)? {
            let (other, earlier) = self.read(place)?;
            // one of 2⁶⁴ others may begin with the same bytes
            if other == *digest {
                return Ok(Some(Earlier {
                    is_same: true,
                    ..earlier
                }));
            }
        }
        let same = match fingerprint {
            Some(fingerprint) => self.fingerprints.find(fingerprint, value)?,
            None => None,
        };
        if value.is_none() {
            return same.map(|place| Ok(self.read(place)?.1)).transpose();
        }
        // also a page that repeats another one is remembered by its bytes
        let url = &url.as_bytes()[..url.len().min(u16::MAX as usize)];
        self.pending.extend_from_slice(digest);
        self.pending.extend_from_slice(&date.to_le_bytes());
        self.pending
            .extend_from_slice(&(url.len() as u16).to_le_bytes());
        self.pending.extend_from_slice(url);
        if self.pending.len() > 1 << 16 {
            self.write()?;
        }
        same.map(|place| Ok(self.read(place)?.1)).transpose()
    }

    fn write(&mut self) -> Result<()> {
        self.log.put(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    fn read(&mut self, place: u64) -> Result<([u8; 20], Earlier)> {
        if place >= self.log.position() {
            self.write()?;
        }
        let explain = |error| CollectionError::from_io(&self.path, "read", error);
        let mut head = [0; HEAD];
        self.reader
            .read_exact_at(&mut head, place)
            .map_err(explain)?;
        let (digest, rest) = head.split_at(20);
        let (date, length) = rest.split_at(8);
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let mut url = vec![0; number(length) as usize];
        self.reader
            .read_exact_at(&mut url, place + HEAD as u64)
            .map_err(explain)?;
        let url = String::from_utf8_lossy(&url).into_owned();
        let earlier = Earlier {
            url,
            date: number(date),
            is_same: false,
        };
        Ok((digest.try_into().unwrap_or_default(), earlier))
    }
}
