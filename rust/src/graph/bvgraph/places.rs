//! `.ef`: where lists begin, read from bytes that nobody vouches for. Archives of summaries have such lists, too.
//!
//! It is an Elias–Fano list of `sux`, as `epserde` writes it, all numbers of 8 bytes, little-endian, and arrays padded to
//! a multiple of 8 from the beginning of the file: a header that names the type; how many values there are, their upper
//! bound, the bits l of a low half, the first value and the last; the low halves (their words, then l, a mask and their
//! number); the high halves in unary (words and number of bits); an inventory of the ones in these, 9 words for 2048 of
//! them; and what spilled from it. The crate reads all of this without a look; here each word is looked for first.

/// Ones that an entry of the inventory stands for, as a power of 2.
const ONES: u32 = 11;
/// Words of an entry: a place, and 32 numbers of 16 bits, the places of every 64th one from there.
const ENTRY: usize = 9;
/// Bits of the place of an entry whose ones are so far apart that it has other numbers than these.
const WIDE: u64 = 1 << 63;

/// Words within the file.
#[derive(Clone, Copy, Debug)]
struct Words {
    begin: usize,
    length: usize,
}

impl Words {
    #[inline]
    fn get(self, bytes: &[u8], place: usize) -> Option<u64> {
        let at = self.begin + 8 * (place < self.length).then_some(place)?;
        Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
    }
}

/// Where the parts of the list are in the file.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    length: usize,
    last: u64,
    width: u32,
    low: Words,
    high: Words,
    inventory: Words,
}

impl Places {
    /// The list behind a header of so many bytes; none if its parts do not fit together.
    pub fn find(bytes: &[u8], header: usize) -> Option<Self> {
        let mut at = header;
        let number = |at: &mut usize| {
            let found = bytes.get(*at..at.checked_add(8)?)?;
            *at += 8;
            Some(u64::from_le_bytes(found.try_into().ok()?))
        };
        let words = |at: &mut usize| {
            let length = usize::try_from(number(at)?).ok()?;
            let begin = at.next_multiple_of(8);
            *at = begin.checked_add(length.checked_mul(8)?)?;
            (*at <= bytes.len()).then_some(Words { begin, length })
        };
        let length = usize::try_from(number(&mut at)?).ok()?;
        number(&mut at)?;
        let width = u32::try_from(number(&mut at)?).ok()?;
        number(&mut at)?;
        let last = number(&mut at)?;
        let low = words(&mut at)?;
        let (again, _, lows) = (number(&mut at)?, number(&mut at)?, number(&mut at)?);
        let high = words(&mut at)?;
        number(&mut at)?;
        let inventory = words(&mut at)?;
        let found = Self {
            length,
            last,
            width,
            low,
            high,
            inventory,
        };
        let fits = width < 64
            && again == u64::from(width)
            && lows == length as u64
            && length.checked_mul(width as usize)? <= low.length.checked_mul(64)?
            && length <= high.length.checked_mul(64)?;
        (fits
            && length
                .checked_sub(1)
                .is_none_or(|end| found.get(bytes, end) == Some(last)))
        .then_some(found)
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        self.length
    }

    /// The last value, 0 if there are none.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// A value; none if there is no such one, or where the list is damaged.
    #[inline]
    pub fn get(&self, bytes: &[u8], index: usize) -> Option<u64> {
        let high = self.select(bytes, index)?.checked_sub(index as u64)?;
        let bit = index * self.width as usize;
        let (place, shift) = (bit / 64, bit as u32 % 64);
        let mut low = 0;
        if self.width > 0 {
            low = self.low.get(bytes, place)? >> shift;
            if shift + self.width > 64 {
                low |= self.low.get(bytes, place + 1)? << (64 - shift);
            }
            low &= (1 << self.width) - 1;
        }
        (high.leading_zeros() >= self.width).then_some(high << self.width | low)
    }

    /// The place of a one in the high halves.
    #[inline]
    fn select(&self, bytes: &[u8], rank: usize) -> Option<u64> {
        let entry = (rank < self.length).then_some(ENTRY * (rank >> ONES))?;
        let first = self.inventory.get(bytes, entry)?;
        let within = rank as u32 & ((1 << ONES) - 1);
        let (from, mut left) = if first < WIDE {
            let four = self
                .inventory
                .get(bytes, entry + 1 + (within >> 8) as usize)?;
            let ahead = four >> (16 * (within >> 6 & 3)) & 0xFFFF;
            (first + ahead, within & 63)
        } else {
            // a list as long as thousands of others: so rare that one goes through what lies between
            (first & (u64::MAX >> 2), within)
        };
        let mut place = usize::try_from(from / 64).ok()?;
        let mut word = self.high.get(bytes, place)? & (u64::MAX << (from % 64));
        loop {
            let ones = word.count_ones();
            if left < ones {
                break;
            }
            left -= ones;
            place += 1;
            word = self.high.get(bytes, place)?;
        }
        Some(64 * place as u64 + u64::from(select_in_word(word, left)))
    }
}

/// The place of a one in a word that has it.
#[inline]
pub fn select_in_word(mut word: u64, mut rank: u32) -> u32 {
    let mut place = 0;
    for width in [32, 16, 8] {
        let ones = (word & ((1 << width) - 1)).count_ones();
        if rank >= ones {
            rank -= ones;
            word >>= width;
            place += width;
        }
    }
    for _ in 0..rank {
        word &= word - 1;
    }
    place + word.trailing_zeros()
}
