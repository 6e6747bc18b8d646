//! A stream of bits, 64 at a time, in either bit order.

/// The words of a stream. Bits after its end are 0.
pub trait Words: Copy {
    /// A word; none if all of it is after the end.
    fn word(self, index: usize) -> Option<u64>;

    /// A word without its first bits, at most 63.
    fn skip(word: u64, count: u32) -> u64;

    /// The position in a word of the one with this rank; the word must have it.
    fn select(word: u64, rank: u32) -> u32;

    /// The number in `width` bits, at most 63, that begins at a position; none if a word of it is after the end.
    fn number(self, position: u64, width: u32) -> Option<u64>;
}

/// The first bit is the lowest of the first byte.
#[derive(Clone, Copy, Debug)]
pub struct LittleEndian<'a>(pub &'a [u8]);

/// The first bit is the highest of the first byte; the words are as they are in the file.
#[derive(Clone, Copy, Debug)]
pub struct BigEndian<'a>(pub &'a [u64]);

impl Words for LittleEndian<'_> {
    #[inline]
    fn word(self, index: usize) -> Option<u64> {
        let rest = self.0.get(8 * index..)?;
        match rest.first_chunk() {
            Some(word) => Some(u64::from_le_bytes(*word)),
            None => last_word(rest),
        }
    }

    #[inline]
    fn skip(word: u64, count: u32) -> u64 {
        word & (u64::MAX << count)
    }

    #[inline]
    fn select(mut word: u64, mut rank: u32) -> u32 {
        let mut position = 0;
        for width in [32, 16, 8] {
            let ones = (word & ((1 << width) - 1)).count_ones();
            if rank >= ones {
                rank -= ones;
                word >>= width;
                position += width;
            }
        }
        for _ in 0..rank {
            word &= word - 1;
        }
        position + word.trailing_zeros()
    }

    #[inline]
    fn number(self, position: u64, width: u32) -> Option<u64> {
        if width == 0 {
            return Some(0);
        }
        let (index, shift) = ((position / 64) as usize, (position % 64) as u32);
        let mut found = self.word(index)? >> shift;
        if shift + width > 64 {
            found |= self.word(index + 1)? << (64 - shift);
        }
        Some(found & ((1 << width) - 1))
    }
}

/// The word of fewer than 8 bytes.
#[cold]
fn last_word(bytes: &[u8]) -> Option<u64> {
    let word = |word, &byte| word << 8 | u64::from(byte);
    (!bytes.is_empty()).then(|| bytes.iter().rev().fold(0, word))
}

impl Words for BigEndian<'_> {
    #[inline]
    fn word(self, index: usize) -> Option<u64> {
        self.0.get(index).map(|&word| u64::from_be(word))
    }

    #[inline]
    fn skip(word: u64, count: u32) -> u64 {
        word & (u64::MAX >> count)
    }

    #[inline]
    fn select(word: u64, rank: u32) -> u32 {
        LittleEndian::select(word.reverse_bits(), rank)
    }

    #[inline]
    fn number(self, position: u64, width: u32) -> Option<u64> {
        if width == 0 {
            return Some(0);
        }
        let (index, shift) = ((position / 64) as usize, (position % 64) as u32);
        let mut found = self.word(index)? << shift;
        if shift + width > 64 {
            found |= self.word(index + 1)? >> (64 - shift);
        }
        Some(found >> (64 - width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bits of a stream, one by one.
    fn bits_of(bytes: &[u8], is_little: bool) -> Vec<bool> {
        let bit = |byte: u8, nth: u32| byte >> (if is_little { nth } else { 7 - nth }) & 1 == 1;
        let bits = |&byte: &u8| (0..8).map(move |nth| bit(byte, nth));
        bytes.iter().flat_map(bits).collect()
    }

    fn check(words: impl Words, bits: &[bool], is_little: bool) -> Result<(), TestCaseError> {
        let get = |position: usize| bits.get(position).copied().unwrap_or(false);
        prop_assert_eq!(words.word(bits.len().div_ceil(64)), None);
        for position in 0..bits.len() {
            for width in [0, 1, 7, 33, 63] {
                let range = position..position + width;
                let expected = range.clone().fold(0u64, |number, at| {
                    let bit = u64::from(get(at));
                    if is_little {
                        number | bit << (at - position)
                    } else {
                        number << 1 | bit
                    }
                });
                let is_inside = range.end <= bits.len().next_multiple_of(64);
                let expected = is_inside.then_some(expected);
                prop_assert_eq!(words.number(position as u64, width as u32), expected);
            }
        }
        Ok(())
    }

    fn check_select<W: Words>(word: u64, bit: impl Fn(u32) -> bool) {
        let ones: Vec<u32> = (0..64).filter(|&position| bit(position)).collect();
        for (rank, &position) in ones.iter().enumerate() {
            assert_eq!(W::select(word, rank as u32), position);
            assert_eq!(W::select(W::skip(word, position), 0), position);
        }
    }

    proptest! {
        #[test]
        fn numbers_and_ones_are_those_of_the_bits_one_by_one(bytes in prop::collection::vec(any::<u8>(), 0..40), word: u64) {
            check(LittleEndian(&bytes), &bits_of(&bytes, true), true)?;
            let (words, _) = bytes.as_chunks();
            let words: Vec<u64> = words.iter().map(|&word| u64::from_ne_bytes(word)).collect();
            check(BigEndian(&words), &bits_of(&bytes[..8 * words.len()], false), false)?;
            check_select::<LittleEndian<'_>>(word, |position| word >> position & 1 == 1);
            check_select::<BigEndian<'_>>(word, |position| word << position >> 63 == 1);
        }
    }
}
