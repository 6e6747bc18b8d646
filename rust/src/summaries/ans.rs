//! Asymmetric numeral systems, the variant with ranges: symbols of known frequencies in close to their entropy.
//!
//! A state x of 32 bits is kept at 2¹⁶ or more. To decode a symbol, the lowest 12 bits of x tell the slot, and the slot
//! the symbol: the one whose range [start, start + size) it is in. Then x becomes size · ⌊x / 2¹²⌋ + slot − start, and 16
//! bits more are read where that is below 2¹⁶. A number of n ≤ 16 bits that are as likely as not is a symbol of size 1
//! among 2ⁿ slots. The encoder does the same backwards, from the last symbol to the first, and may begin with any state
//! from 2¹⁶ to 2¹⁷: 16 bits that cost nothing, which the decoder has in the end.

/// Frequencies add up to 2 to this power.
pub const SCALE: u32 = 12;
pub const TOTAL: u32 = 1 << SCALE;
pub const NUM_SYMBOLS: usize = 16;
const LOW: u32 = 1 << 16;

/// Where the range of each symbol begins, and how large it is; as large as a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Table {
    starts: [i16; NUM_SYMBOLS],
    sizes: [u16; NUM_SYMBOLS],
}

impl Table {
    /// Takes the sizes of ranges, which must add up to [`TOTAL`].
    pub fn new(sizes: &[u16]) -> Option<Self> {
        let sizes: [u16; NUM_SYMBOLS] = sizes.try_into().ok()?;
        let mut starts = [0; NUM_SYMBOLS];
        let mut end = 0u32;
        for (start, &size) in starts.iter_mut().zip(&sizes) {
            *start = end.min(TOTAL) as i16;
            end += u32::from(size);
        }
        (end == TOTAL).then_some(Self { starts, sizes })
    }

    #[inline]
    fn find(&self, slot: i16) -> usize {
        // all at once, without a branch: as many symbols as begin at the slot or before
        let found: i16 = self
            .starts
            .iter()
            .map(|&start| i16::from(start <= slot))
            .sum();
        (found - 1) as usize & (NUM_SYMBOLS - 1)
    }
}

pub struct Decoder<'a> {
    state: u32,
    rest: &'a [u8],
    /// Whether more was read than there is.
    short: bool,
}

impl<'a> Decoder<'a> {
    pub fn new(data: &'a [u8]) -> Option<Self> {
        let (state, rest) = data.split_first_chunk::<4>()?;
        let state = u32::from_le_bytes(*state);
        Some(Self {
            state,
            rest,
            short: state < LOW,
        })
    }

    #[inline]
    fn refill(&mut self) {
        if self.state < LOW {
            match self.rest.split_first_chunk::<2>() {
                Some((word, rest)) => {
                    self.state = self.state << 16 | u32::from(u16::from_le_bytes(*word));
                    self.rest = rest;
                }
                None => {
                    self.state |= LOW;
                    self.short = true;
                }
            }
        }
    }

    #[inline]
    pub fn symbol(&mut self, table: &Table) -> usize {
        let slot = self.state & (TOTAL - 1);
        let symbol = table.find(slot as i16);
        self.state = u32::from(table.sizes[symbol]) * (self.state >> SCALE) + slot
            - table.starts[symbol] as u32;
        self.refill();
        symbol
    }

    /// A choice whose yes has the first `size` slots, more than 0 and less than all.
    #[inline]
    pub fn flag(&mut self, size: u16) -> bool {
        let (slot, size) = (self.state & (TOTAL - 1), u32::from(size));
        let (above, yes) = (self.state >> SCALE, slot < size);
        self.state = if yes {
            size * above + slot
        } else {
            (TOTAL - size) * above + slot - size
        };
        self.refill();
        yes
    }

    /// A number of up to 16 bits.
    #[inline]
    pub fn bits(&mut self, number: u32) -> u32 {
        let found = self.state & ((1 << number) - 1);
        self.state >>= number;
        self.refill();
        found
    }

    /// The 16 bits that the encoder began with, and what is left of the data; nothing if the data are damaged.
    pub fn finish(self) -> Option<(u32, &'a [u8])> {
        (!self.short && self.state < 2 * LOW).then_some((self.state - LOW, self.rest))
    }
}

/// What is to be encoded, in the order in which it will be decoded.
#[derive(Default)]
pub struct Encoder {
    /// Start and size of a range, and the bits of the scale that it is part of.
    steps: Vec<(u16, u16, u8)>,
    words: Vec<u16>,
}

impl Encoder {
    pub fn symbol(&mut self, table: &Table, symbol: usize) {
        self.steps.push((
            table.starts[symbol] as u16,
            table.sizes[symbol],
            SCALE as u8,
        ));
    }

    pub fn flag(&mut self, size: u16, yes: bool) {
        let step = if yes {
            (0, size)
        } else {
            (size, TOTAL as u16 - size)
        };
        self.steps.push((step.0, step.1, SCALE as u8));
    }

    pub fn bits(&mut self, number: u32, value: u32) {
        self.steps.push((value as u16, 1, number as u8));
    }

    /// Appends everything to `out`, with 16 bits that the decoder has in the end, and begins anew.
    pub fn finish(&mut self, last: u16, out: &mut Vec<u8>) {
        let mut state = LOW | u32::from(last);
        for &(start, size, scale) in self.steps.iter().rev() {
            let size = u32::from(size.max(1));
            if u64::from(state) >= u64::from(size) << (32 - u32::from(scale)) {
                self.words.push(state as u16);
                state >>= 16;
            }
            state = (state / size << scale) + state % size + u32::from(start);
        }
        out.extend_from_slice(&state.to_le_bytes());
        out.extend(self.words.iter().rev().flat_map(|word| word.to_le_bytes()));
        self.steps.clear();
        self.words.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back_and_damage_is_seen() {
        let mut sizes = [0; NUM_SYMBOLS];
        (sizes[0], sizes[3], sizes[15]) = (4000, 95, 1);
        let table = Table::new(&sizes).unwrap();
        let mut encoder = Encoder::default();
        for step in 0..1000u32 {
            encoder.symbol(&table, [0, 3, 0, 15][step as usize % 4]);
            encoder.flag(4095, step % 7 != 0);
            encoder.bits(step % 17, step & ((1 << (step % 17)) - 1));
        }
        let mut data = Vec::new();
        encoder.finish(65_535, &mut data);
        let mut decoder = Decoder::new(&data).unwrap();
        for step in 0..1000u32 {
            assert_eq!(decoder.symbol(&table), [0, 3, 0, 15][step as usize % 4]);
            assert_eq!(decoder.flag(4095), step % 7 != 0);
            assert_eq!(decoder.bits(step % 17), step & ((1 << (step % 17)) - 1));
        }
        assert_eq!(decoder.finish(), Some((65_535, &[][..])));
        let mut decoder = Decoder::new(&data[..data.len() / 2]).unwrap();
        for _ in 0..1000 {
            decoder.symbol(&table);
            decoder.bits(16);
        }
        assert_eq!(decoder.finish(), None);
        assert!(Table::new(&[1; NUM_SYMBOLS]).is_none());
    }
}
