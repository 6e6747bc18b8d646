//! Asymmetric numeral systems, the variant with ranges: symbols of known frequencies in close to their entropy.
//!
//! A state x of 32 bits is kept at 2¹⁶ or more. To decode a symbol, the lowest 10 bits of x tell the slot, and the slot
//! the symbol: the one whose range [start, start + size) it is in. Then x becomes size · ⌊x / 2¹⁰⌋ + slot − start, and 16
//! bits more are read where that is below 2¹⁶. The encoder does the same backwards, from the last symbol to the first, and
//! may begin with any state from 2¹⁶ to 2¹⁷: 16 bits that cost nothing, which the decoder has in the end.
//!
//! Bits that are as likely as not have no use for a state. They lie at the other end of the bytes, the first of them
//! last, so that they are read beside the symbols and not in turn with them.

/// Frequencies add up to 2 to this power.
pub const SCALE: u32 = 10;
pub const TOTAL: u32 = 1 << SCALE;
pub const NUM_SYMBOLS: usize = 16;
const LOW: u32 = 1 << 16;
/// As the last number: it is in the bits.
const MANY: u32 = LOW - 1;

/// The symbol of a number, and how many bits follow it: 0 to 7 have one each, then come halves of octaves; the last is for
/// 96 and more, whose bits are written with their number before them.
#[inline]
pub fn split(number: u32) -> (usize, u32) {
    match number {
        0..8 => (number as usize, 0),
        8..ESCAPED => {
            let octave = number.ilog2();
            let half = number >> (octave - 1) & 1;
            ((2 + 2 * octave + half) as usize, octave - 1)
        }
        _ => (ESCAPE, 0),
    }
}

/// The smallest number of a symbol, and how many bits follow it.
fn join(symbol: u32) -> (u32, u32) {
    if symbol < 8 {
        return (symbol, 0);
    }
    let bits = symbol / 2 - 2;
    ((2 + (symbol & 1)) << bits, bits)
}

pub const ESCAPE: usize = NUM_SYMBOLS - 1;
pub const ESCAPED: u32 = 96;

/// What a slot tells, in one word, the lowest bits first: the size of its range (11 bits), its place there (10), the
/// smallest number of the symbol (7) and the bits that follow it (4; [`ESCAPED_BITS`] for the last symbol).
type Entry = u32;
const PLACE: u32 = 11;
const NUMBER: u32 = 21;
const BITS: u32 = 28;
const ESCAPED_BITS: u32 = 15;

/// Tables one behind the other: the ranges of symbols, and what each slot tells.
pub struct Tables {
    entries: Vec<Entry>,
    /// Start and size.
    ranges: Vec<(u16, u16)>,
}

impl Tables {
    /// Takes the sizes of ranges, which must add up to [`TOTAL`] in each table.
    pub fn new(sizes: &[u16]) -> Option<Self> {
        let (mut entries, mut ranges) = (Vec::with_capacity(sizes.len() << 6), Vec::new());
        for sizes in sizes.chunks(NUM_SYMBOLS) {
            if sizes.iter().map(|&size| u32::from(size)).sum::<u32>() != TOTAL {
                return None;
            }
            let base = entries.len();
            for (symbol, &size) in sizes.iter().enumerate() {
                ranges.push(((entries.len() - base) as u16, size));
                let (number, bits) = match symbol {
                    ESCAPE => (0, ESCAPED_BITS),
                    _ => join(symbol as u32),
                };
                let known = bits << BITS | number << NUMBER | u32::from(size);
                entries.extend((0..u32::from(size)).map(|place| known | place << PLACE));
            }
        }
        (ranges.len() % NUM_SYMBOLS == 0).then_some(Self { entries, ranges })
    }

    pub fn count(&self) -> usize {
        self.ranges.len() / NUM_SYMBOLS
    }
}

/// Reads a part of a stream: symbols from its beginning on, bits from its end back.
#[derive(Clone, Copy)]
pub struct Decoder<'a> {
    state: u32,
    stream: &'a [u8],
    /// The next bytes of the state.
    at: usize,
    /// Where the bits end that are not read yet.
    tail: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(stream: &'a [u8], begin: usize, end: usize) -> Option<Self> {
        let state = stream.get(begin..end)?.first_chunk::<4>()?;
        let state = u32::from_le_bytes(*state);
        (state >= LOW).then_some(Self {
            state,
            stream,
            at: begin + 4,
            tail: 8 * end,
        })
    }

    /// Takes 16 bits more where they are wanted; it often is and often not, so that a branch would guess wrong.
    #[inline(always)]
    fn refill(&mut self) {
        // zeros behind the end, which is noticed in the end
        let next = match self.stream.get(self.at..self.at + 2) {
            Some(&[low, high]) => u32::from(u16::from_le_bytes([low, high])),
            _ => 0,
        };
        let wanted = self.state < LOW;
        let more = self.state << 16 | next;
        self.state = if wanted { more } else { self.state };
        self.at += 2 * usize::from(wanted);
    }

    /// A number whose lowest bits, `shift` of them, tell nothing.
    #[inline(always)]
    pub fn number(&mut self, tables: &Tables, table: usize, shift: u32) -> u32 {
        let entry = tables.entries[table << SCALE | (self.state & (TOTAL - 1)) as usize];
        let (size, place) = (entry & (2 * TOTAL - 1), entry >> PLACE & (TOTAL - 1));
        self.state = size * (self.state >> SCALE) + place;
        self.refill();
        let bits = entry >> BITS;
        if bits == ESCAPED_BITS {
            let found;
            (found, self.tail) = read_escaped(self.stream, self.tail, shift);
            return found;
        }
        ((entry >> NUMBER & 127) << shift).wrapping_add(self.bits(bits + shift))
    }

    /// A choice whose yes has the first `size` slots, more than 0 and less than all.
    #[inline(always)]
    pub fn flag(&mut self, size: u16) -> bool {
        let (slot, size) = (self.state & (TOTAL - 1), u32::from(size));
        let yes = slot < size;
        // one formula for both, so that no branch has to guess
        let (start, size) = if yes { (0, size) } else { (size, TOTAL - size) };
        self.state = size * (self.state >> SCALE) + slot - start;
        self.refill();
        yes
    }

    #[inline(always)]
    fn bits(&mut self, number: u32) -> u32 {
        let found = read_bits(self.stream, self.tail, number);
        self.tail = self.tail.wrapping_sub(number as usize);
        found
    }

    /// The number that the encoder ended with; nothing if the data are damaged.
    pub fn finish(mut self) -> Option<u32> {
        let last = self.state.checked_sub(LOW).filter(|&last| last < LOW)?;
        let found = if last == MANY { self.bits(32) } else { last };
        (self.at == self.tail / 8).then_some(found)
    }
}

// No reference to a decoder is given away, so that it stays in registers.

/// The lowest 32 of up to 56 bits that end at a place.
#[inline(always)]
fn read_bits(stream: &[u8], tail: usize, number: u32) -> u32 {
    let end = tail.div_ceil(8);
    let word = match stream.get(end.wrapping_sub(8)..end) {
        Some(word) => u64::from_le_bytes(word.try_into().unwrap_or_default()),
        None => read_first(stream, end),
    };
    let found = word << (tail.wrapping_neg() & 7);
    (found >> 1 >> (63 - number)) as u32
}

/// The bytes before a place where they are fewer than 8, with zeros before them.
#[cold]
#[inline(never)]
fn read_first(stream: &[u8], end: usize) -> u64 {
    let known = stream.get(..end).unwrap_or(&[]).iter().rev().take(8);
    known
        .zip((0..8).rev())
        .fold(0, |word, (&byte, nth)| word | u64::from(byte) << (8 * nth))
}

/// A number of [`ESCAPED`] and more, and where the bits before it end.
#[cold]
#[inline(never)]
fn read_escaped(stream: &[u8], tail: usize, shift: u32) -> (u32, usize) {
    let mut decoder = Decoder {
        state: LOW,
        stream,
        at: 0,
        tail,
    };
    let bits = decoder.bits(6).min(u32::BITS);
    let high = u64::from(decoder.bits(bits)) + u64::from(ESCAPED);
    // of damaged bytes it may be too much; a term that is too large is seen later
    let found = (high << shift) + u64::from(decoder.bits(shift));
    (found.min(u64::from(u32::MAX)) as u32, decoder.tail)
}

/// What is to be encoded, in the order in which it will be decoded.
#[derive(Default)]
pub struct Encoder {
    /// Start and size of a range.
    steps: Vec<(u16, u16)>,
    words: Vec<u16>,
    /// Whole bytes of bits, the last of the summary first.
    bytes: Vec<u8>,
    /// Bits that are no whole byte yet, and their number.
    waiting: u64,
    num_waiting: u32,
}

impl Encoder {
    pub fn symbol(&mut self, tables: &Tables, table: usize, symbol: usize) {
        self.steps.push(tables.ranges[table * NUM_SYMBOLS + symbol]);
    }

    pub fn flag(&mut self, size: u16, yes: bool) {
        let no = (size, TOTAL as u16 - size);
        self.steps.push(if yes { (0, size) } else { no });
    }

    /// A value of up to 56 bits.
    pub fn bits(&mut self, number: u32, value: u64) {
        self.waiting = self.waiting << number | value;
        self.num_waiting += number;
        while self.num_waiting >= 8 {
            self.num_waiting -= 8;
            self.bytes.push((self.waiting >> self.num_waiting) as u8);
        }
    }

    /// Appends everything to `out`, with a number that the decoder has in the end, and begins anew.
    pub fn finish(&mut self, last: u32, out: &mut Vec<u8>) {
        if last >= MANY {
            self.bits(32, last.into());
        }
        let mut state = LOW | last.min(MANY);
        for &(start, size) in self.steps.iter().rev() {
            let size = u32::from(size.max(1));
            if u64::from(state) >= u64::from(size) << (32 - SCALE) {
                self.words.push(state as u16);
                state >>= 16;
            }
            state = ((state / size) << SCALE) + state % size + u32::from(start);
        }
        self.bits((8 - self.num_waiting % 8) % 8, 0);
        out.extend_from_slice(&state.to_le_bytes());
        out.extend(self.words.iter().rev().flat_map(|word| word.to_le_bytes()));
        out.extend(self.bytes.iter().rev());
        self.steps.clear();
        self.words.clear();
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back_and_damage_is_seen() {
        let mut sizes = [0; NUM_SYMBOLS];
        (sizes[0], sizes[9], sizes[15]) = (900, 123, 1);
        let tables = Tables::new(&sizes).unwrap();
        let mut encoder = Encoder::default();
        let number = |step: u32| [5, (14 << 5) + step % 32, 1 << 20][step as usize % 3];
        for step in 0..1000 {
            let symbol = [0, 9, 15][step as usize % 3];
            encoder.symbol(&tables, 0, symbol);
            if symbol == 15 {
                let more = (number(step) >> 5) - ESCAPED;
                encoder.bits(6, 15);
                encoder.bits(15, more.into());
                encoder.bits(5, 0);
            } else {
                let bits = 5 + join(symbol as u32).1;
                encoder.bits(bits, u64::from(number(step)) & ((1 << bits) - 1));
            }
            encoder.flag(1023, step % 7 != 0);
        }
        let mut data = vec![9];
        encoder.finish(3_000_000_000, &mut data);
        let read = |data: &[u8]| {
            let mut decoder = Decoder::new(data, 1, data.len()).unwrap();
            let found: Vec<_> = (0..1000)
                .map(|_| (decoder.number(&tables, 0, 5), decoder.flag(1023)))
                .collect();
            (found, decoder.finish())
        };
        let wanted: Vec<_> = (0..1000)
            .map(|step| (number(step), step % 7 != 0))
            .collect();
        assert_eq!(read(&data), (wanted, Some(3_000_000_000)));
        assert_eq!(read(&data[..data.len() / 2]).1, None);
        assert!(Tables::new(&[1; NUM_SYMBOLS]).is_none());
    }

    #[test]
    fn a_number_is_its_symbol_and_bits() {
        for number in 0..ESCAPED {
            let (symbol, bits) = split(number);
            let (least, same_bits) = join(symbol as u32);
            assert_eq!((least, bits), (number >> bits << bits, same_bits));
        }
        assert_eq!(split(ESCAPED), (ESCAPE, 0));
    }
}
