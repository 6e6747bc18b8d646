//! An Elias–Fano list as the crate `sux` lays it out and `epserde` writes it, read from untrusted bytes.
//!
//! All numbers have 8 bytes, little-endian; arrays are padded to a multiple of 8 from the beginning of the file. A header
//! names the type; then come the number of values, their upper bound, the bits l of a low half, the first value and the
//! last; the low halves (their words, then l, a mask and their number); the high halves in unary (words and number of
//! bits); an inventory of the ones in these, 9 words for 2048 of them; and what spilled from it. The crate reads all of
//! this without a check; here each word is checked to be inside the file.

use super::elias_fano::EliasFano;
use super::words::{LittleEndian, Words};
use std::ops::Range;

/// Ones that an entry of the inventory stands for, as a power of 2.
const ONES: u32 = 11;
/// Words of an entry: a position, and 32 numbers of 16 bits, the positions of every 64th one from there.
const ENTRY: usize = 9;
/// From here on, the position of an entry marks ones so far apart that its numbers are others than these.
const WIDE: u64 = 1 << 63;

/// Where the parts of a list are in its file, in bytes.
#[derive(Clone, Debug)]
pub struct SuxList {
    length: usize,
    last: u64,
    width: u32,
    lows: Range<usize>,
    highs: Range<usize>,
    inventory: Range<usize>,
}

impl SuxList {
    /// The list after a header of so many bytes; none if its parts do not fit together.
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
            (*at <= bytes.len()).then_some(begin..*at)
        };
        let length = usize::try_from(number(&mut at)?).ok()?;
        number(&mut at)?;
        let width = u32::try_from(number(&mut at)?).ok()?;
        number(&mut at)?;
        let last = number(&mut at)?;
        let lows = words(&mut at)?;
        let (again, _, count) = (number(&mut at)?, number(&mut at)?, number(&mut at)?);
        let highs = words(&mut at)?;
        number(&mut at)?;
        let inventory = words(&mut at)?;
        let fits = width < 64
            && again == u64::from(width)
            && count == length as u64
            && length.checked_mul(width as usize)? <= 8 * lows.len()
            && length <= 8 * highs.len();
        let found = fits.then_some(Self {
            length,
            last,
            width,
            lows,
            highs,
            inventory,
        })?;
        let end = length.checked_sub(1);
        end.is_none_or(|end| found.get(bytes, end) == Some(last))
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
        let entry = (index < self.length).then_some(ENTRY * (index >> ONES))?;
        let inventory = LittleEndian(bytes.get(self.inventory.clone())?);
        let first = inventory.word(entry)?;
        let within = index as u32 & ((1 << ONES) - 1);
        let (start, skipped) = if first < WIDE {
            let four = inventory.word(entry + 1 + (within >> 8) as usize)?;
            let ahead = four >> (16 * (within >> 6 & 3)) & 0xFFFF;
            (first + ahead, within & 63)
        } else {
            // a list as long as thousands of others: so rare that all bits between are counted
            (first & (u64::MAX >> 2), within)
        };
        let list = EliasFano {
            width: self.width,
            lows: LittleEndian(bytes.get(self.lows.clone())?),
            highs: LittleEndian(bytes.get(self.highs.clone())?),
        };
        list.get(index as u64, start, skipped)
    }
}
