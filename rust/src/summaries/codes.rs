//! The coding of SUM: a summary as a run of instantaneous codes of the crate `dsi-bitstream`, in bits, little-endian.
//!
//! Length; size; the gaps of the terms less 1, the first one as it is; then the counts. These come from the last term to
//! the first: its count less 1, then differences to the count before, through ν(x) = 2x for x ≥ 0 and 2|x| − 1 for x < 0.
//! Or, without differences, each count less 1 in the order of the terms.

use super::places::Places;
use super::{Decoded, Rows, SummariesError, gather};
use crate::bits::lookup::{Bits, Short, ShortReader};
use crate::collection::progress::Meter;
use dsi_bitstream::dispatch::FuncCodeReader;
use dsi_bitstream::prelude::{
    BitSeek, BitWrite, BufBitWriter, Codes, CodesStats, DynamicCodeWrite, LE, MemWordReader,
    MemWordWriterVec, StaticCodeRead,
};

/// Which code each kind of number has.
#[derive(Clone, Debug)]
pub struct Coding {
    /// Of lengths, sizes, gaps and counts.
    codes: [Codes; 4],
    /// Whether counts are coded backwards, as differences.
    differences: bool,
    pub num_terms: u32,
    gaps: Short,
    counts: Short,
}

impl Coding {
    pub fn new(codes: [Codes; 4], differences: bool, num_terms: u32) -> Self {
        let [_, _, gaps, counts] = codes;
        Self {
            codes,
            differences,
            num_terms,
            gaps: Short::new(gaps),
            counts: Short::new(counts),
        }
    }
}

fn nu(number: i64) -> u64 {
    if number >= 0 {
        2 * number as u64
    } else {
        2 * number.unsigned_abs() - 1
    }
}

fn nu_inverse(number: u64) -> i64 {
    if number & 1 == 0 {
        (number / 2) as i64
    } else {
        -((number / 2) as i64) - 1
    }
}

/// The bits of the rows as words of 64, and where each row ends in bits.
pub fn encode(
    rows: &Rows<'_>,
    coding: &Coding,
    meter: &Meter,
) -> Result<(Vec<u64>, Vec<u64>), SummariesError> {
    let failed =
        |error: &dyn std::fmt::Display| SummariesError::Arrays(format!("encoding: {error}"));
    let [length_code, size_code, gap_code, count_code] = coding.codes;
    let (mut words, mut ends, mut position) =
        (Vec::<u64>::new(), Vec::with_capacity(rows.len()), 0u64);
    let mut bits = BufBitWriter::<LE, _>::new(MemWordWriterVec::new(&mut words));
    let mut put = |code: Codes, number: u64| {
        let written = DynamicCodeWrite::write::<LE, _>(&code, &mut bits, number);
        written.map_err(|error| failed(&error))
    };
    for page in 0..rows.len() {
        if page % 1024 == 0 {
            meter.advance(1024.min(rows.len() - page) as u64)?;
        }
        let (terms, counts) = rows.row(page);
        position += put(length_code, rows.lengths[page].into())? as u64;
        position += put(size_code, terms.len() as u64)? as u64;
        let mut next = 0;
        for &term in terms {
            position += put(gap_code, (term - next).into())? as u64;
            next = term + 1;
        }
        let mut previous = None;
        for nth in 0..counts.len() {
            let number = if coding.differences {
                let count = i64::from(counts[counts.len() - 1 - nth]);
                let number = previous.map_or((count - 1) as u64, |previous| nu(count - previous));
                previous = Some(count);
                number
            } else {
                u64::from(counts[nth] - 1)
            };
            position += put(count_code, number)? as u64;
        }
        ends.push(position);
    }
    bits.flush().map_err(|error| failed(&error))?;
    drop(bits);
    Ok((words, ends))
}

/// Decodes the summaries of these numbers; `order` has for each term the number that its readers know it by.
pub fn decode(
    coding: &Coding,
    words: &[u32],
    places: &Places,
    ordinals: &[u64],
    order: &[u32],
    meter: &Meter,
) -> Result<Decoded, SummariesError> {
    if order.len() != coding.num_terms as usize {
        let message = "order: expected a number for each term".to_owned();
        return Err(SummariesError::Arrays(message));
    }
    let mut readers = Vec::new();
    for code in coding.codes {
        let reader = FuncCodeReader::<LE, Bits<'_>>::new(code);
        readers.push(reader.map_err(|error| SummariesError::Arrays(error.to_string()))?);
    }
    let state = || Bits::new(MemWordReader::new(words));
    gather(ordinals, meter, state, |bits, ordinal, found| {
        let read = places
            .get(ordinal)
            .and_then(|bounds| read_summary(coding, &readers, words, bits, bounds, order, found));
        read.ok_or(SummariesError::Damaged(ordinal))
    })
}

fn read_summary<'a>(
    coding: &Coding,
    readers: &[FuncCodeReader<LE, Bits<'a>>],
    words: &'a [u32],
    bits: &mut Bits<'a>,
    (begin, end): (u64, u64),
    order: &[u32],
    found: &mut Decoded,
) -> Option<()> {
    let [length_code, size_code, gap_code, count_code] = readers else {
        return None;
    };
    bits.set_bit_pos(begin).ok()?;
    let length = length_code.read(bits).ok()?.try_into().ok()?;
    let size = size_code.read(bits).ok()? as usize;
    // each term takes a bit at least
    if size as u64 > end.checked_sub(begin)? {
        return None;
    }
    let mut at = bits.bit_pos().ok()?;
    found.lengths.push(length);
    let base = found.terms.len();
    found.terms.resize(base + size, 0);
    found.counts.resize(base + size, 0);
    let gaps = ShortReader {
        short: &coding.gaps,
        long: gap_code,
        words,
    };
    let mut next = 0u64;
    for term in &mut found.terms[base..] {
        let rank = next.checked_add(gaps.read(&mut at, bits)?)?;
        *term = *order.get(rank as usize)?;
        next = rank + 1;
    }
    let numbers = ShortReader {
        short: &coding.counts,
        long: count_code,
        words,
    };
    let counts = &mut found.counts[base..];
    if coding.differences {
        let mut previous = 1i64;
        for (nth, count) in counts.iter_mut().rev().enumerate() {
            let number = numbers.read(&mut at, bits)?;
            previous = match nth {
                0 => i64::try_from(number).ok()?.checked_add(1)?,
                _ => previous.checked_add(nu_inverse(number))?,
            };
            *count = u32::try_from(previous).ok().filter(|&count| count > 0)?;
        }
    } else {
        for count in counts {
            let number = numbers.read(&mut at, bits)?;
            *count = u32::try_from(number).ok()?.checked_add(1)?;
        }
    }
    (at == end).then_some(())
}

/// Names of codes, and the bits that numbers take in each of them; `counts` says how often each number comes.
pub fn costs(numbers: &[u64], counts: &[u64]) -> Vec<(Codes, u64)> {
    let mut stats = CodesStats::<10, 10, 10, 10, 10>::default();
    for (&number, &count) in numbers.iter().zip(counts) {
        stats.update_many(number.min(u64::MAX - 1), count);
    }
    stats.get_codes()
}
