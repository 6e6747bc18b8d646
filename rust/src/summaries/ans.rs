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

/// Slots are looked up in blocks of so many bits.
const BLOCK: u32 = 4;

/// The ranges of symbols, and the symbol that each block of slots begins with.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Table {
    /// The start of a range in the high half, its size in the low one.
    ranges: [u32; NUM_SYMBOLS],
    blocks: [u8; 1 << (SCALE - BLOCK)],
}

impl Table {
    /// Takes the sizes of ranges, which must add up to [`TOTAL`].
    pub fn new(sizes: &[u16]) -> Option<Self> {
        let sizes: [u16; NUM_SYMBOLS] = sizes.try_into().ok()?;
        if sizes.iter().map(|&size| u32::from(size)).sum::<u32>() != TOTAL {
            return None;
        }
        let (mut ranges, mut blocks) = ([0; NUM_SYMBOLS], [0; 1 << (SCALE - BLOCK)]);
        let mut end = 0;
        for (symbol, (range, &size)) in ranges.iter_mut().zip(&sizes).enumerate() {
            *range = end << 16 | u32::from(size);
            let begin = end.div_ceil(1 << BLOCK) as usize;
            end += u32::from(size);
            let behind = end.div_ceil(1 << BLOCK) as usize;
            blocks[begin..behind].fill(symbol as u8);
        }
        Some(Self { ranges, blocks })
    }

    fn range(&self, symbol: usize) -> (u16, u16) {
        let range = self.ranges[symbol];
        ((range >> 16) as u16, range as u16)
    }

    /// The symbol of a slot, with the place of the slot in its range and the size of that.
    #[inline]
    fn find(&self, slot: u32) -> (usize, u32, u32) {
        let mut symbol =
            usize::from(self.blocks[(slot >> BLOCK) as usize & (self.blocks.len() - 1)]);
        loop {
            let range = self.ranges[symbol & (NUM_SYMBOLS - 1)];
            let (place, size) = (slot - (range >> 16), range & 0xffff);
            // where ranges change within the block, the symbol is a later one
            if place < size {
                return (symbol, place, size);
            }
            symbol += 1;
        }
    }
}

pub struct Decoder<'a> {
    state: u32,
    data: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(data: &'a [u8]) -> Option<Self> {
        let (state, data) = data.split_first_chunk::<4>()?;
        let state = u32::from_le_bytes(*state);
        (state >= LOW).then_some(Self { state, data, at: 0 })
    }

    /// The next 16 bits; zeros behind the end, which is noticed in the end.
    #[inline]
    fn peek(&self) -> u32 {
        match self.data.get(self.at..) {
            Some(&[low, high, ..]) => u32::from(u16::from_le_bytes([low, high])),
            _ => 0,
        }
    }

    /// Where it is often wanted and often not, so that a branch would guess wrong.
    #[inline]
    fn refill(&mut self) {
        let wanted = self.state < LOW;
        let more = self.state << 16 | self.peek();
        self.state = if wanted { more } else { self.state };
        self.at += 2 * usize::from(wanted);
    }

    /// Where it is seldom wanted.
    #[inline]
    fn refill_seldom(&mut self) {
        if self.state < LOW {
            self.state = self.state << 16 | self.peek();
            self.at += 2;
        }
    }

    #[inline]
    pub fn symbol(&mut self, table: &Table) -> usize {
        let (symbol, place, size) = table.find(self.state & (TOTAL - 1));
        self.state = size * (self.state >> SCALE) + place;
        self.refill();
        symbol
    }

    /// A choice whose yes has the first `size` slots, more than 0 and less than all.
    #[inline]
    pub fn flag(&mut self, size: u16) -> bool {
        let (slot, size) = (self.state & (TOTAL - 1), u32::from(size));
        let yes = slot < size;
        // one formula for both, so that no branch has to guess
        let (start, size) = if yes { (0, size) } else { (size, TOTAL - size) };
        self.state = size * (self.state >> SCALE) + slot - start;
        self.refill_seldom();
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
        let rest = self.data.get(self.at..)?;
        (LOW..2 * LOW)
            .contains(&self.state)
            .then(|| (self.state - LOW, rest))
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
        let (start, size) = table.range(symbol);
        self.steps.push((start, size, SCALE as u8));
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
            state = ((state / size) << scale) + state % size + u32::from(start);
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
