//! Where summaries end in a stream: an Elias–Fano list, little-endian, which `summaries/places.py` writes.
//!
//! The last value in 8 bytes, the position of every 1024th one of the high halves but the first in 8 bytes each, the high
//! halves, the low halves; read as untrusted bytes.

use super::SummariesError;
use crate::bits::content::{Content, Mode};
use crate::bits::elias_fano::EliasFano;
use crate::bits::words::{LittleEndian, Words};
use std::path::Path;

/// Ones that an entry of the inventory stands for, as a power of 2.
const ONES: u32 = 10;

/// The list, mapped: its high and low halves begin at these bytes.
pub struct Places {
    content: Content<u8>,
    count: u64,
    width: u32,
    high: usize,
    low: usize,
}

impl Places {
    /// Opens the ends of so many summaries.
    pub fn open(path: &Path, count: u64) -> Result<Self, SummariesError> {
        let content = Content::read(path, Mode::Map)?;
        Self::find(content, count).ok_or_else(|| {
            SummariesError::Format(format!(
                "{}: this does not say where {count} summaries end; the file is damaged, cut off or of another archive, build the part again",
                path.display()
            ))
        })
    }

    fn find(content: Content<u8>, count: u64) -> Option<Self> {
        let bytes = content.as_ref();
        let last = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
        let width = last
            .checked_div(count)
            .map_or(0, |mean| mean.checked_ilog2().unwrap_or(0));
        let entries = count.saturating_sub(1) >> ONES;
        let high = usize::try_from(entries.checked_mul(8)?.checked_add(8)?).ok()?;
        let ones = if count > 0 {
            count.checked_add(last >> width)?
        } else {
            0
        };
        let low = high.checked_add(usize::try_from(ones.div_ceil(8)).ok()?)?;
        let lows = usize::try_from(count.checked_mul(u64::from(width))?.div_ceil(8)).ok()?;
        let is_whole = low.checked_add(lows)? == bytes.len();
        let fits = is_whole && width < 64 && (count > 0 || last == 0);
        let found = fits.then_some(Self {
            content,
            count,
            width,
            high,
            low,
        })?;
        (count == 0 || found.get(count - 1)?.1 == last).then_some(found)
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where a summary begins and ends; nothing if there is no such one, or where the file is damaged.
    #[inline]
    pub fn get(&self, ordinal: u64) -> Option<(u64, u64)> {
        let before = (ordinal < self.count).then(|| ordinal.checked_sub(1))?;
        let bytes = self.content.as_ref();
        let list = EliasFano {
            width: self.width,
            lows: LittleEndian(bytes.get(self.low..)?),
            highs: LittleEndian(bytes.get(self.high..self.low)?),
        };
        let Some(before) = before else {
            return Some((0, list.get(0, 0, 0)?));
        };
        let entry = usize::try_from(before >> ONES).ok()?;
        let start = match entry {
            0 => 0,
            _ => LittleEndian(bytes.get(..self.high)?).word(entry)?,
        };
        let one = list.find_one(start, before as u32 & ((1 << ONES) - 1))?;
        let next = list.find_one(one + 1, 0)?;
        Some((list.value(before, one)?, list.value(ordinal, next)?))
    }
}
