//! Where summaries end in a stream, read from bytes that nobody vouches for; `summaries/places.py` writes them.

use super::SummariesError;
use crate::graph::bvgraph::Mode;
use crate::graph::bvgraph::content::Content;
use crate::graph::bvgraph::places::select_in_word;
use std::path::Path;

/// Ones that an entry of the inventory stands for, as a power of 2.
const ONES: u32 = 10;

/// An Elias–Fano sequence, mapped: its inventory, high and low parts begin at these bytes.
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
        let content = Content::read(path, Mode::Map, |bytes| bytes)?;
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
        // so wide that a low part and what lies before it in its byte are one word
        let fits = is_whole && width < 57 && (count > 0 || last == 0);
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
        let Some(before) = before else {
            return Some((0, self.value(0, self.one_from(0, 0)?)?));
        };
        let one = self.select(before)?;
        let next = self.one_from(one + 1, 0)?;
        Some((self.value(before, one)?, self.value(ordinal, next)?))
    }

    fn value(&self, ordinal: u64, one: u64) -> Option<u64> {
        let high = one.checked_sub(ordinal)?;
        let bit = ordinal.checked_mul(u64::from(self.width))?;
        let low = self.word(self.low + usize::try_from(bit / 8).ok()?) >> (bit % 8);
        (high.leading_zeros() >= self.width)
            .then_some(high << self.width | low & ((1 << self.width) - 1))
    }

    /// The place of a one in the high parts.
    fn select(&self, rank: u64) -> Option<u64> {
        let entry = usize::try_from(rank >> ONES).ok()?;
        let from = if entry == 0 { 0 } else { self.word(8 * entry) };
        let within = rank & ((1 << ONES) - 1);
        self.one_from(from, within)
    }

    /// The place of the one that so many ones from a place on are before.
    #[inline]
    fn one_from(&self, from: u64, mut left: u64) -> Option<u64> {
        let mut at = self.high.checked_add(usize::try_from(from / 8).ok()?)?;
        let mut word = self.word(at) & (u64::MAX << (from % 8));
        loop {
            let ones = u64::from(word.count_ones());
            if left < ones {
                break;
            }
            left -= ones;
            at += 8;
            if at >= self.low {
                return None;
            }
            word = self.word(at);
        }
        let found = 8 * (at - self.high) as u64 + u64::from(select_in_word(word, left as u32));
        // the last word may reach into the low parts
        (found < 8 * (self.low - self.high) as u64).then_some(found)
    }

    /// 8 bytes from a place on; 0 for those that are not there.
    #[inline]
    fn word(&self, at: usize) -> u64 {
        let bytes = self.content.as_ref().get(at..).unwrap_or(&[]);
        match bytes.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)),
        }
    }
}
