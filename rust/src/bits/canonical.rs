//! Canonical codes, decoded by table: symbols by length of their code, then by value; codes count up.

use super::cursor::{Cursor, Damage, Near};

/// Longest code, and bits that are looked up at once.
const MAX_LENGTH: u8 = 48;
const TABLE_BITS: u32 = 7;
/// An entry of a table for codes that are longer than it, or none.
const LONGER: u32 = u32::MAX;

/// Codes of one length: the first of them, left-aligned, and its symbol.
struct Group {
    length: u32,
    first: u64,
    symbol: usize,
    end: usize,
}

/// One canonical code.
struct Book {
    table: usize,
    bits: u32,
    groups: Vec<Group>,
}

/// Many codes with their symbols.
pub struct Books {
    books: Vec<Book>,
    /// Of all tables: the place of a symbol above six bits of length.
    entries: Vec<u32>,
    symbols: Vec<u64>,
}

impl Books {
    /// As many symbols as `counts` say for each book, with the lengths of their codes in order. The only symbol of a
    /// book has length 0.
    pub fn new(counts: &[u32], lengths: &[u8], symbols: Vec<u64>) -> Result<Self, Damage> {
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if total != lengths.len() as u64 || lengths.len() != symbols.len() || total >= 1 << 26 {
            return Err("the codebooks have other numbers of lengths and symbols than they say");
        }
        let (mut books, mut entries) = (Vec::with_capacity(counts.len()), Vec::new());
        let mut begin = 0;
        for &count in counts {
            let end = begin + count as usize;
            books.push(Book::new(begin, &lengths[begin..end], &mut entries)?);
            begin = end;
        }
        Ok(Self {
            books,
            entries,
            symbols,
        })
    }

    pub fn len(&self) -> usize {
        self.books.len()
    }

    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
    }

    /// The next symbol by a book, which must be one of these.
    #[inline(always)]
    pub fn decode(&self, book: usize, near: &mut Near<'_, '_>) -> Result<u64, Damage> {
        let book = &self.books[book];
        near.need(TABLE_BITS);
        let entry = self.entries[book.table + (near.bits >> 1 >> (63 - book.bits)) as usize];
        if entry == LONGER {
            return self.decode_long(book, near);
        }
        near.skip(entry & 63);
        Ok(self.symbols[(entry >> 6) as usize])
    }

    /// The next symbol, whose code is longer than the table knows.
    #[cold]
    fn decode_long(&self, book: &Book, near: &mut Near<'_, '_>) -> Result<u64, Damage> {
        near.need(MAX_LENGTH.into());
        let bits = near.bits;
        let group = book.groups.iter().rfind(|group| group.first <= bits);
        let Some(group) = group else {
            return Err("there is no code for a symbol");
        };
        let symbol = group.symbol + ((bits - group.first) >> (64 - group.length)) as usize;
        if symbol >= group.end {
            return Err("bits are not a code of a symbol");
        }
        near.skip(group.length);
        Ok(self.symbols[symbol])
    }

    /// The next symbols by a book, as many as there is room for.
    pub fn decode_all(
        &self,
        number: usize,
        cursor: &mut Cursor<'_>,
        found: &mut [u64],
    ) -> Result<(), Damage> {
        let book = &self.books[number];
        let table = &self.entries[book.table..book.table + (1 << book.bits)];
        if let ([entry], 0) = (table, book.bits)
            && *entry != LONGER
        {
            found.fill(self.symbols[(entry >> 6) as usize]);
            return Ok(());
        }
        // a code of one zero stands first in its book, and often many times in a row
        let most = (table[0] != LONGER && table[0] & 63 == 1)
            .then(|| self.symbols[(table[0] >> 6) as usize]);
        let mut place = 0;
        while place < found.len() {
            // as many as are whole in one look at the stream
            let (mut bits, mut left) = (cursor.peek(), 64);
            while left >= book.bits && place < found.len() {
                if let Some(symbol) = most {
                    let zeros = bits.leading_zeros().min(left);
                    let end = found.len().min(place + zeros as usize);
                    found[place..end].fill(symbol);
                    let taken = (end - place) as u32;
                    bits = bits.checked_shl(taken).unwrap_or(0);
                    left -= taken;
                    place = end;
                    if left < book.bits || place == found.len() {
                        break;
                    }
                }
                let entry = table[(bits >> 1 >> (63 - book.bits)) as usize];
                if entry == LONGER {
                    break;
                }
                bits <<= entry & 63;
                left -= entry & 63;
                found[place] = self.symbols[(entry >> 6) as usize];
                place += 1;
            }
            cursor.skip(64 - left);
            if left == 64 && place < found.len() {
                let mut near = Near::new(cursor);
                found[place] = self.decode(number, &mut near)?;
                near.finish();
                place += 1;
            }
        }
        Ok(())
    }
}

impl Book {
    fn new(begin: usize, lengths: &[u8], entries: &mut Vec<u32>) -> Result<Self, Damage> {
        let longest = lengths.last().copied().unwrap_or(0);
        let wrong = "lengths of codes are not those of a code";
        let is_single = lengths.len() == 1;
        if !lengths.is_sorted()
            || longest > MAX_LENGTH
            || lengths
                .first()
                .is_some_and(|&least| (least == 0) != is_single)
        {
            return Err(wrong);
        }
        let bits = TABLE_BITS.min(longest.into());
        let table = entries.len();
        entries.resize(table + (1 << bits), LONGER);
        let mut groups: Vec<Group> = Vec::new();
        // left-aligned in 64 bits; one more than that after the last code of a complete one
        let mut code = 0u128;
        for (place, &length) in lengths.iter().enumerate() {
            let (symbol, length) = (begin + place, u32::from(length));
            let end = code + (1u128 << (64 - length));
            if end > 1 << 64 {
                return Err(wrong);
            }
            if length <= bits {
                let shift = 64 - bits;
                let (from, to) = ((code >> shift) as usize, (end >> shift) as usize);
                entries[table + from..table + to].fill((symbol as u32) << 6 | length);
            } else if let Some(group) = groups.last_mut().filter(|group| group.length == length) {
                group.end = symbol + 1;
            } else {
                groups.push(Group {
                    length,
                    first: code as u64,
                    symbol,
                    end: symbol + 1,
                });
            }
            code = end;
        }
        Ok(Self {
            table,
            bits,
            groups,
        })
    }
}
