//! The coding `contexts`: a summary against one before it, each number by the frequencies of its context.
//!
//! A summary is, in this order: the distance to the summary it refers to, 0 for none; for each term of that one, whether
//! this one has it too; the counts of these; the number of its other terms; for each of them its gap, in which terms of the
//! reference are not counted, and behind each but the first, and behind all, the count of the one before, whose context is
//! so known in time; the length less the sum of the counts. What a context is made of is said beside the function of its name; `docs/formats/summaries.md` says it for people who write a reader of their own.

mod read;

pub use read::decode;

use super::ans::{ESCAPE, ESCAPED, Encoder, NUM_SYMBOLS, TOTAL, Tables, split};
use super::{Rows, SummariesError};
use crate::collection::progress::Meter;

const DISTANCE: usize = 0;
const SIZE: usize = DISTANCE + 1;
const GAP: usize = SIZE + 2;
const COPIED: usize = GAP + 32 * 12;
const NEW: usize = COPIED + 10 * 16;
/// How many tables a model has, and how many choices between two.
pub const NUM_TABLES: usize = NEW + 16 * 12;
pub const NUM_FLAGS: usize = 16 * 4 * 8;
/// The largest distance to a reference.
pub const MAX_WINDOW: usize = NUM_SYMBOLS - 1;

/// Of whether a term of the reference is copied: how common it is, its count there, and whether the last three were
/// copied.
#[inline]
fn flag_context(class: u8, count: u32, history: usize) -> usize {
    (usize::from(class >> 4) * 4 + count.min(4) as usize - 1) * 8 + history
}

/// Of a gap: the place where it begins, on a log scale, and how many terms are to come. With it, how many of its lowest
/// bits are written as they are, so that the symbols tell apart what lies about the expected gap.
#[inline(always)]
fn gap_context(next: u32, left: u32, shifts: &[u8; 32]) -> (usize, u32) {
    let place = (next + 1).ilog2();
    let coming = (left + 1).ilog2().min(11);
    let shift = u32::from(shifts[place as usize & 31]).saturating_sub(coming);
    (GAP + (place * 12 + coming) as usize, shift)
}

/// Of the count of a copied term: its count in the reference, and its usual count.
#[inline]
fn copied_context(class: u8, count: u32) -> usize {
    const KNOWN: [u8; 34] = [
        0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
        8, 8, 8, 9,
    ];
    COPIED + usize::from(KNOWN[count.min(33) as usize]) * 16 + usize::from(class & 15)
}

/// Of the count of any other term: how many such terms there are, and its usual count.
#[inline]
fn new_context(class: u8, others: u32) -> usize {
    let size = (others + 1).ilog2().min(11) as usize;
    NEW + size * 16 + usize::from(class & 15)
}

/// What a coding of this kind needs to know of its archive.
pub struct Shape {
    /// How common each term is (high four bits) and its usual count (low four).
    pub classes: Vec<u8>,
    /// For each octave of the place where a gap begins: how many bits tell nothing where one term is to come.
    shifts: [u8; 32],
}

impl Shape {
    pub fn new(classes: Vec<u8>) -> Self {
        let octaves = (classes.len() as u32 + 1).ilog2();
        let shifts = std::array::from_fn(|place| {
            let spread = (octaves.saturating_sub(place as u32).max(1) + 1).ilog2();
            (place as u32 + spread).saturating_sub(4) as u8
        });
        Self { classes, shifts }
    }
}

/// Frequencies of each context.
pub struct Model {
    shape: Shape,
    tables: Tables,
    flags: Vec<u16>,
    /// How many references may follow one another.
    chain: usize,
}

impl Model {
    pub fn new(
        shape: Shape,
        sizes: &[u16],
        flags: &[u16],
        chain: usize,
    ) -> Result<Self, SummariesError> {
        let right =
            flags.len() == NUM_FLAGS && flags.iter().all(|&p| p > 0 && u32::from(p) < TOTAL);
        match Tables::new(sizes) {
            Some(tables) if tables.count() == NUM_TABLES && right => Ok(Self {
                shape,
                tables,
                flags: flags.to_vec(),
                chain,
            }),
            _ => Err(SummariesError::Arrays(format!(
                "model: expected {NUM_TABLES} tables whose sizes add up to {TOTAL}, and {NUM_FLAGS} choices"
            ))),
        }
    }
}

/// What is done with the parts of a summary: counted, or encoded.
trait Sink {
    fn symbol(&mut self, table: usize, symbol: usize);
    fn flag(&mut self, context: usize, yes: bool);
    fn bits(&mut self, number: u32, value: u64);

    /// A number whose lowest bits, `shift` of them, tell nothing.
    fn number(&mut self, table: usize, shift: u32, number: u32) {
        let (symbol, bits) = split(number >> shift);
        self.symbol(table, symbol);
        if symbol == ESCAPE {
            let more = (number >> shift) - ESCAPED;
            let bits = u32::BITS - more.leading_zeros();
            self.bits(6, bits.into());
            self.bits(bits, more.into());
            self.bits(shift, low_bits(number, shift));
        } else {
            self.bits(bits + shift, low_bits(number, bits + shift));
        }
    }
}

#[inline]
fn low_bits(value: u32, number: u32) -> u64 {
    u64::from(value) & ((1 << number) - 1)
}

/// How often each symbol came in each context.
pub struct Tally {
    pub symbols: Vec<u64>,
    pub flags: Vec<u64>,
}

impl Sink for Tally {
    fn symbol(&mut self, table: usize, symbol: usize) {
        self.symbols[table * NUM_SYMBOLS + symbol] += 1;
    }

    fn flag(&mut self, context: usize, yes: bool) {
        self.flags[2 * context + usize::from(yes)] += 1;
    }

    fn bits(&mut self, _: u32, _: u64) {}
}

struct Writing<'a> {
    model: &'a Model,
    encoder: Encoder,
}

impl Sink for Writing<'_> {
    fn symbol(&mut self, table: usize, symbol: usize) {
        self.encoder.symbol(&self.model.tables, table, symbol);
    }

    fn flag(&mut self, context: usize, yes: bool) {
        self.encoder.flag(self.model.flags[context], yes);
    }

    fn bits(&mut self, number: u32, value: u64) {
        self.encoder.bits(number, value);
    }
}

/// Describes all rows to a sink, and calls `each` behind every one of them with its rest: length less counts.
fn describe<S: Sink>(
    rows: &Rows<'_>,
    distances: &[u8],
    shape: &Shape,
    sink: &mut S,
    meter: &Meter,
    mut each: impl FnMut(&mut S, u32),
) -> Result<(), SummariesError> {
    let mut known = Vec::new();
    for (page, &distance) in distances.iter().enumerate() {
        if page % 1024 == 0 {
            meter.advance(1024.min(rows.len() - page) as u64)?;
        }
        let row = rows.row(page);
        let reference = match distance {
            0 => (&[][..], &[][..]),
            _ => rows.row(page - usize::from(distance)),
        };
        sink.number(DISTANCE, 0, distance.into());
        let others = describe_copied(row, reference, &mut known, shape, sink);
        sink.number(SIZE + usize::from(distance > 0), 0, others);
        describe_others(row, reference.0, &known, others, shape, sink);
        let counts = row.1.iter();
        let total = counts.fold(0u32, |sum, &count| sum.wrapping_add(count));
        each(sink, rows.lengths[page].wrapping_sub(total));
    }
    Ok(())
}

/// Says which terms of the reference are there, and their counts; finds for each term the count in the reference, 0 where
/// it is not there, and counts these.
fn describe_copied(
    (terms, counts): (&[u32], &[u32]),
    reference: (&[u32], &[u32]),
    known: &mut Vec<u32>,
    shape: &Shape,
    sink: &mut impl Sink,
) -> u32 {
    known.clear();
    known.resize(terms.len(), 0);
    let (mut at, mut history, mut others) = (0, 0, terms.len() as u32);
    for (&term, &count) in reference.0.iter().zip(reference.1) {
        at += terms[at..]
            .iter()
            .take_while(|&&other| other < term)
            .count();
        let yes = terms.get(at) == Some(&term);
        let class = shape.classes[term as usize];
        sink.flag(flag_context(class, count, history), yes);
        history = (history << 1 | usize::from(yes)) & 7;
        if yes {
            known[at] = count;
            others -= 1;
        }
    }
    for ((&term, &count), &known) in terms.iter().zip(counts).zip(known.iter()) {
        if known > 0 {
            let table = copied_context(shape.classes[term as usize], known);
            sink.number(table, 0, count - 1);
        }
    }
    others
}

fn describe_others(
    (terms, counts): (&[u32], &[u32]),
    reference: &[u32],
    known: &[u32],
    others: u32,
    shape: &Shape,
    sink: &mut impl Sink,
) {
    let (mut next, mut passed, mut left, mut waiting) = (0, 0, others, None);
    let all = terms.iter().zip(counts).zip(known);
    for ((&term, &count), _) in all.filter(|(_, known)| **known == 0) {
        let skipped = reference[passed..]
            .iter()
            .take_while(|&&other| other < term)
            .count();
        passed += skipped;
        let gap = term - next - skipped as u32;
        let (table, shift) = gap_context(next, left, &shape.shifts);
        sink.number(table, shift, gap);
        if let Some((table, count)) = waiting {
            sink.number(table, 0, count - 1);
        }
        waiting = Some((new_context(shape.classes[term as usize], others), count));
        (next, left) = (term + 1, left - 1);
    }
    if let Some((table, count)) = waiting {
        sink.number(table, 0, count - 1);
    }
}

/// Finds for each row the one before it that tells most about it: how far back, 0 for none.
pub fn choose(rows: &Rows<'_>, window: usize, chain: usize, classes: &[u8]) -> Vec<u8> {
    let window = window.min(MAX_WINDOW);
    let mut distances = vec![0u8; rows.len()];
    let mut depths = vec![0usize; rows.len()];
    // for each term the last row that has it, and its count there
    let mut seen = vec![(u32::MAX, 0u32); classes.len()];
    for page in 0..rows.len() {
        let (terms, counts) = rows.row(page);
        for (&term, &count) in terms.iter().zip(counts) {
            seen[term as usize] = (page as u32, count);
        }
        let mut best = 0.0;
        for distance in 1..=window.min(page) {
            let place = page - distance;
            let (others, their_counts) = rows.row(place);
            if depths[place] >= chain || others.is_empty() {
                continue;
            }
            let (mut common, mut equal, mut rarity) = (0u32, 0u32, 0u32);
            for (&term, &count) in others.iter().zip(their_counts) {
                let (last, known) = seen[term as usize];
                let yes = last == page as u32;
                common += u32::from(yes);
                equal += u32::from(yes && known == count);
                rarity += u32::from(yes) * u32::from(classes[term as usize] >> 4);
            }
            let saved = gain(common, equal, rarity, others.len() as u32);
            if saved > best {
                (best, distances[page], depths[page]) = (saved, distance as u8, depths[place] + 1);
            }
        }
    }
    distances
}

/// Bits that a reference may save: as many for a common term as it is rare, and 1 for an equal count, less what it takes to
/// say which terms are common. One that saves less than 1.5 bits for each of its terms is not worth their time, and such
/// guesses are often wrong.
fn gain(common: u32, equal: u32, rarity: u32, size: u32) -> f64 {
    let [common, equal, rarity, size] = [common, equal, rarity, size].map(f64::from);
    let entropy = |share: f64| {
        if share > 0.0 {
            -share * share.log2()
        } else {
            0.0
        }
    };
    let share = common / size;
    let said = 0.85 * (entropy(share) + entropy(1.0 - share));
    rarity + 0.5 * common + equal - (said + 1.5) * size - 4.0
}

fn check(rows: &Rows<'_>, distances: &[u8], shape: &Shape) -> Result<(), SummariesError> {
    let right = |(page, &distance): (usize, &u8)| usize::from(distance) <= page.min(MAX_WINDOW);
    if distances.len() != rows.len()
        || !distances.iter().enumerate().all(right)
        || rows
            .terms
            .iter()
            .any(|&term| term as usize >= shape.classes.len())
    {
        let message = "distances and classes: expected those of the rows".to_owned();
        return Err(SummariesError::Arrays(message));
    }
    Ok(())
}

/// Counts the symbols that rows consist of.
pub fn tally(
    rows: &Rows<'_>,
    distances: &[u8],
    shape: &Shape,
    meter: &Meter,
) -> Result<Tally, SummariesError> {
    check(rows, distances, shape)?;
    let mut found = Tally {
        symbols: vec![0; NUM_TABLES * NUM_SYMBOLS],
        flags: vec![0; 2 * NUM_FLAGS],
    };
    describe(rows, distances, shape, &mut found, meter, |_, _| ())?;
    Ok(found)
}

/// The rows encoded, and where each of them ends.
pub fn encode(
    rows: &Rows<'_>,
    distances: &[u8],
    model: &Model,
    meter: &Meter,
) -> Result<(Vec<u8>, Vec<u64>), SummariesError> {
    check(rows, distances, &model.shape)?;
    let (mut data, mut ends) = (Vec::new(), Vec::with_capacity(rows.len()));
    let mut writing = Writing {
        model,
        encoder: Encoder::default(),
    };
    let each = |writing: &mut Writing<'_>, rest: u32| {
        writing.encoder.finish(rest, &mut data);
        ends.push(data.len() as u64);
    };
    describe(rows, distances, &model.shape, &mut writing, meter, each)?;
    Ok((data, ends))
}
