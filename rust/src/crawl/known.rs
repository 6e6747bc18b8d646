//! Which pages were there before, by their bytes and by their fingerprints.
//!
//! Two maps on disk lead from a digest and from a fingerprint to a place in `captures.log`, where each page that was new
//! has its digest (20 bytes), date (8), length of its URL (2) and URL.

use super::Result;
use super::duplicates::DiskMap;
use super::messages::{Earlier, Question};
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const HEAD: usize = 30;

pub struct Known {
    digests: DiskMap,
    fingerprints: DiskMap,
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
            digests: DiskMap::create(&folder.join("digests.map"), cache_bytes / 2)?,
            fingerprints: DiskMap::create(&folder.join("fingerprints.map"), cache_bytes / 2)?,
            path,
            log,
            reader,
            pending: Vec::new(),
        })
    }

    /// The page that this one repeats; if there is none, it is remembered, unless it is not to be stored: nothing may
    /// point to it then.
    pub fn ask(&mut self, question: &Question) -> Result<Option<Earlier>> {
        let place = self.log.position() + self.pending.len() as u64;
        let value = question.is_kept.then_some(place);
        let [a, b, c, d, e, f, g, h, ..] = question.digest;
        let key = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        if let Some(place) = self.digests.find(key, value)? {
            let (digest, earlier) = self.read(place)?;
            // one of 2⁶⁴ others may begin with the same bytes
            if digest == question.digest {
                return Ok(Some(Earlier {
                    is_same: true,
                    ..earlier
                }));
            }
        }
        let same = match question.fingerprint {
            Some(fingerprint) => self.fingerprints.find(fingerprint, value)?,
            None => None,
        };
        if value.is_none() {
            return same.map(|place| Ok(self.read(place)?.1)).transpose();
        }
        // also a page that repeats another one is remembered by its bytes
        let url = &question.url.as_bytes()[..question.url.len().min(u16::MAX as usize)];
        self.pending.extend_from_slice(&question.digest);
        self.pending.extend_from_slice(&question.date.to_le_bytes());
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
