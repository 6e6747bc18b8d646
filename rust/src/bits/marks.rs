//! Bits with ranks: which of many things are there, and how many of them come before one.

use super::words::{BigEndian, Words};

/// Bits between two ranks.
const RANKED: usize = 512;

/// Bits with the number of those set before every 512th of them, in 32 bits; big-endian, 0 after the end.
#[derive(Clone, Copy)]
pub struct Marks<'a> {
    pub bits: BigEndian<'a>,
    pub ranks: BigEndian<'a>,
}

impl Marks<'_> {
    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.bits.word(index).unwrap_or(0)
    }

    #[inline]
    pub fn get(&self, position: usize) -> bool {
        self.word(position / 64) << (position % 64) >> 63 == 1
    }

    /// How many are set before a position.
    #[inline]
    pub fn rank(&self, position: usize) -> usize {
        let whole: u32 = (position / RANKED * (RANKED / 64)..position / 64)
            .map(|index| self.word(index).count_ones())
            .sum();
        let rest = self.word(position / 64) >> 1 >> (63 - position % 64);
        let before = self.ranks.number(32 * (position / RANKED) as u64, 32);
        (before.unwrap_or(0) + u64::from(whole + rest.count_ones())) as usize
    }
}
