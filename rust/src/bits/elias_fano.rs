//! Elias–Fano lists: values that never fall, in about 2 + log₂(greatest / number) bits each.
//!
//! The `width` lowest bits of each value are stored one after another (`lows`); in `highs` the bit (value >> width) + i is
//! set for the i-th value. Value i is found by the position of the i-th one. A file also has samples, from which one looks
//! for it; each format has its own, so the caller says where to start.

use super::words::Words;

/// The two halves of a list.
#[derive(Clone, Copy, Debug)]
pub struct EliasFano<W> {
    pub width: u32,
    pub lows: W,
    pub highs: W,
}

impl<W: Words> EliasFano<W> {
    /// A value: its one is the one after `skipped` others from the bit `start` of the high halves on. None where there is
    /// no such one, or the list is damaged.
    #[inline]
    pub fn get(&self, index: u64, start: u64, skipped: u32) -> Option<u64> {
        self.value(index, self.find_one(start, skipped)?)
    }

    /// The value whose one is at a position.
    #[inline]
    pub fn value(&self, index: u64, one: u64) -> Option<u64> {
        let high = one.checked_sub(index)?;
        let low = self
            .lows
            .number(index.checked_mul(self.width.into())?, self.width)?;
        (high.leading_zeros() >= self.width).then_some(high << self.width | low)
    }

    /// The position of the one after `skipped` others from a bit on.
    #[inline]
    pub fn find_one(&self, start: u64, mut skipped: u32) -> Option<u64> {
        let mut index = (start / 64) as usize;
        let mut word = W::skip(self.highs.word(index)?, (start % 64) as u32);
        loop {
            let ones = word.count_ones();
            if skipped < ones {
                break;
            }
            skipped -= ones;
            index += 1;
            word = self.highs.word(index)?;
        }
        Some(64 * index as u64 + u64::from(W::select(word, skipped)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::words::{BigEndian, LittleEndian};
    use proptest::prelude::*;

    /// The bytes of both halves, the first bit of a byte being its lowest.
    fn halves(values: &[u64], width: u32) -> [Vec<u8>; 2] {
        let last = values.last().map_or(0, |&last| last >> width) as usize + values.len();
        let mut highs = vec![0; last.div_ceil(8)];
        let mut lows = vec![0; (values.len() * width as usize).div_ceil(8)];
        for (nth, &value) in values.iter().enumerate() {
            let one = (value >> width) as usize + nth;
            highs[one / 8] |= 1 << (one % 8);
            for bit in (0..width as usize).filter(|&bit| value >> bit & 1 == 1) {
                let position = nth * width as usize + bit;
                lows[position / 8] |= 1 << (position % 8);
            }
        }
        [lows, highs]
    }

    /// The same high halves with the first bit of a byte being its highest.
    fn big_endian(bytes: &[u8]) -> Vec<u64> {
        let mut bytes: Vec<u8> = bytes.iter().map(|byte| byte.reverse_bits()).collect();
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let (words, _) = bytes.as_chunks();
        words.iter().map(|&word| u64::from_ne_bytes(word)).collect()
    }

    proptest! {
        #[test]
        fn values_come_back_in_either_bit_order(mut values in prop::collection::vec(0u64..5000, 1..300), width in 0u32..12) {
            values.sort_unstable();
            let [lows, highs] = halves(&values, width);
            let list = EliasFano { width, lows: LittleEndian(&lows), highs: LittleEndian(&highs) };
            for (nth, &value) in values.iter().enumerate() {
                prop_assert_eq!(list.get(nth as u64, 0, nth as u32), Some(value));
            }
            prop_assert_eq!(list.get(values.len() as u64, 0, values.len() as u32), None);
            let plain: Vec<u64> = values.iter().map(|value| value >> width).collect();
            let highs = big_endian(&highs);
            let list = EliasFano { width: 0, lows: BigEndian(&[]), highs: BigEndian(&highs) };
            for (nth, &value) in plain.iter().enumerate() {
                prop_assert_eq!(list.get(nth as u64, 0, nth as u32), Some(value));
            }
        }

        #[test]
        fn damaged_halves_give_some_value_or_none(lows: Vec<u8>, highs: Vec<u8>, width in 0u32..64, index: u64, start: u64) {
            let list = EliasFano { width, lows: LittleEndian(&lows), highs: LittleEndian(&highs) };
            list.get(index, start, 5);
            list.get(index % 64, start % 256, 1);
        }
    }
}
