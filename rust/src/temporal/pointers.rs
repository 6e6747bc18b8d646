//! Where the labels of a node begin: an Elias–Fano list in the words of a file, and marks with ranks.
//!
//! `lows` are the `low_bits` lowest bits of each value one behind the other; in `highs` the bit (value >> low_bits) + i is
//! set for the i-th value; every 128th of these bits has in `samples` its place less its number, in 32 bits. Bits and
//! numbers are big-endian. Values that the words do not have come out as `u64::MAX`.

use super::codes::Cursor;

/// Values between two samples, and bits between two ranks.
const SAMPLE: usize = 128;
const RANKED: usize = 512;

#[inline]
fn word(words: &[u64], place: usize) -> u64 {
    words.get(place).map_or(0, |&word| u64::from_be(word))
}

/// A number of 32 bits, two in a word.
#[inline]
fn half(words: &[u64], place: usize) -> u64 {
    let pair = word(words, place / 2);
    if place.is_multiple_of(2) {
        pair >> 32
    } else {
        pair & 0xFFFF_FFFF
    }
}

/// The place from the top of the n-th bit that is set.
#[inline]
fn select(mut word: u64, mut nth: u32) -> u32 {
    let mut place = 0;
    for width in [32, 16, 8] {
        let upper = (word >> (64 - width)).count_ones();
        if nth >= upper {
            nth -= upper;
            word <<= width;
            place += width;
        }
    }
    for _ in 0..nth {
        word &= !(1 << 63 >> word.leading_zeros());
    }
    place + word.leading_zeros()
}

/// Values that never fall.
#[derive(Clone, Copy)]
pub struct Pointers<'a> {
    pub low_bits: u32,
    pub lows: &'a [u64],
    pub highs: &'a [u64],
    pub samples: &'a [u64],
}

impl Pointers<'_> {
    #[inline]
    pub fn get(&self, nth: usize) -> u64 {
        let sample = nth / SAMPLE;
        let from = half(self.samples, sample) + (sample * SAMPLE) as u64;
        let mut left = (nth % SAMPLE) as u32;
        let mut place = (from / 64) as usize;
        let mut bits = word(self.highs, place) & (u64::MAX >> (from % 64));
        loop {
            let ones = bits.count_ones();
            if left < ones {
                break;
            }
            left -= ones;
            place += 1;
            if place >= self.highs.len() {
                return u64::MAX;
            }
            bits = word(self.highs, place);
        }
        let high = (64 * place) as u64 + u64::from(select(bits, left));
        let low = Cursor::new(self.lows, nth as u64 * u64::from(self.low_bits)).read(self.low_bits);
        match high.checked_sub(nth as u64) {
            Some(high) => high << self.low_bits | low,
            None => u64::MAX,
        }
    }
}

/// Bits with the number of those set before every 512th of them, in 32 bits.
#[derive(Clone, Copy)]
pub struct Marks<'a> {
    pub bits: &'a [u64],
    pub ranks: &'a [u64],
}

impl Marks<'_> {
    #[inline]
    pub fn get(&self, place: usize) -> bool {
        word(self.bits, place / 64) << (place % 64) >> 63 == 1
    }

    /// How many are set before a place.
    #[inline]
    pub fn rank(&self, place: usize) -> usize {
        let whole: u32 = (place / RANKED * (RANKED / 64)..place / 64)
            .map(|place| word(self.bits, place).count_ones())
            .sum();
        let rest = word(self.bits, place / 64) >> 1 >> (63 - place % 64);
        (half(self.ranks, place / RANKED) + u64::from(whole + rest.count_ones())) as usize
    }
}
