//! Summaries of the coding `contexts`, decoded from bytes that nobody vouches for.

use super::{
    DISTANCE, ESCAPE, ESCAPED, Model, Reference, SIZE, Shape, copied_context, flag_context,
    gap_context, new_context,
};
use crate::collection::progress::Meter;
use crate::summaries::ans::Decoder;
use crate::summaries::places::Places;
use crate::summaries::{Decoded, SummariesError, gather};

/// A summary that was decoded, for others to refer to.
#[derive(Default)]
struct List {
    /// Its number in the archive; nothing before it is filled.
    ordinal: Option<u64>,
    length: u32,
    terms: Vec<u32>,
    counts: Vec<u32>,
    ages: Vec<u8>,
}

/// More than the largest distance, so that a summary and its reference never have the same slot.
const SLOTS: usize = 64;

/// What a thread keeps from summary to summary.
struct Reading {
    slots: Vec<List>,
    kept: Vec<bool>,
    /// Of the counts to be read.
    tables: Vec<u32>,
}

/// Decodes the summaries of these numbers; `order` has for each term the number that its readers know it by.
pub fn decode(
    model: &Model,
    stream: &[u8],
    places: &Places,
    ordinals: &[u64],
    order: &[u32],
    meter: &Meter,
) -> Result<Decoded, SummariesError> {
    if order.len() != model.shape.classes.len() {
        let message = "order: expected a number for each term".to_owned();
        return Err(SummariesError::Arrays(message));
    }
    let state = || Reading {
        slots: (0..SLOTS).map(|_| List::default()).collect(),
        kept: Vec::new(),
        tables: Vec::new(),
    };
    gather(ordinals, meter, state, |reading, ordinal, found| {
        fetch(model, stream, places, reading, ordinal, model.chain)
            .ok_or(SummariesError::Damaged(ordinal))?;
        let list = &reading.slots[ordinal as usize % SLOTS];
        found.lengths.push(list.length);
        found
            .terms
            .extend(list.terms.iter().map(|&term| order[term as usize]));
        found.counts.extend_from_slice(&list.counts);
        Ok(())
    })
}

/// Brings a summary, and those it refers to, into their slots.
fn fetch(
    model: &Model,
    stream: &[u8],
    places: &Places,
    reading: &mut Reading,
    ordinal: u64,
    chain: usize,
) -> Option<()> {
    let slot = ordinal as usize % SLOTS;
    if reading.slots[slot].ordinal == Some(ordinal) {
        return Some(());
    }
    let (begin, end) = places.get(ordinal)?;
    let mut decoder = Decoder::new(stream.get(begin as usize..end as usize)?)?;
    let distance = decoder.symbol(&model.tables[DISTANCE]) as u64;
    let mut list = std::mem::take(&mut reading.slots[slot]);
    list.ordinal = None;
    let none = List::default();
    let reference = if distance > 0 {
        let place = ordinal.checked_sub(distance)?;
        fetch(model, stream, places, reading, place, chain.checked_sub(1)?)?;
        &reading.slots[place as usize % SLOTS]
    } else {
        &none
    };
    let (kept, tables) = (&mut reading.kept, &mut reading.tables);
    let others = read_copied(model, &mut decoder, reference, kept, distance > 0)?;
    merge(
        model,
        &mut decoder,
        reference,
        kept,
        others,
        &mut list,
        tables,
    )?;
    list.counts.clear();
    let mut total = 0u32;
    list.counts.extend(tables.iter().map(|&table| {
        let count = read_number(model, &mut decoder, table as usize, 0).saturating_add(1);
        total = total.wrapping_add(count);
        count
    }));
    let (last, rest) = decoder.finish()?;
    list.length = total.wrapping_add(match (last, rest) {
        (0xffff, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        (0..0xffff, []) => last,
        _ => return None,
    });
    list.ordinal = Some(ordinal);
    reading.slots[slot] = list;
    Some(())
}

/// Which terms of the reference are copied, and how many others there are.
fn read_copied(
    model: &Model,
    decoder: &mut Decoder<'_>,
    reference: &List,
    kept: &mut Vec<bool>,
    refers: bool,
) -> Option<u32> {
    kept.clear();
    let mut history = 0;
    let all = reference.terms.iter().zip(&reference.counts);
    kept.extend(all.zip(&reference.ages).map(|((&term, &count), &age)| {
        let class = model.shape.classes[term as usize];
        let yes = decoder.flag(model.flags[flag_context(class, age, count, history)]);
        history = (history << 1 | usize::from(yes)) & 7;
        yes
    }));
    let others = read_number(model, decoder, SIZE + usize::from(refers), 0);
    (others as usize <= model.shape.classes.len()).then_some(others)
}

/// Reads the other terms, puts them and those that are copied in their order, and finds the table of each count.
fn merge(
    model: &Model,
    decoder: &mut Decoder<'_>,
    reference: &List,
    kept: &[bool],
    others: u32,
    list: &mut List,
    tables: &mut Vec<u32>,
) -> Option<()> {
    let Shape { classes, octaves } = &model.shape;
    let old = Reference {
        terms: &reference.terms,
        counts: &reference.counts[..reference.terms.len()],
        ages: &reference.ages[..reference.terms.len()],
    };
    let kept = &kept[..old.terms.len()];
    let most = others as usize + old.terms.len();
    list.terms.resize(most, 0);
    list.ages.resize(most, 0);
    tables.resize(most, 0);
    let (terms, ages, tables_now) = (&mut list.terms[..], &mut list.ages[..], &mut tables[..]);
    let (mut next, mut passed, mut end) = (0u32, 0, 0);
    // what is not copied is written too, and the next one over it: no branch has to guess
    let mut copy = |passed: usize, end: &mut usize, terms: &mut [u32], ages: &mut [u8]| {
        let term = old.terms[passed];
        terms[*end] = term;
        ages[*end] = (old.ages[passed] + 1).min(2);
        let class = classes[term as usize];
        tables_now[*end] = copied_context(class, old.counts[passed]) as u32;
        *end += usize::from(kept[passed]);
    };
    let mut new = Vec::with_capacity(others as usize);
    for left in (1..=others).rev() {
        let (table, shift) = gap_context(next, left, *octaves);
        let mut term = u64::from(next) + u64::from(read_number(model, decoder, table, shift));
        while passed < old.terms.len() && u64::from(old.terms[passed]) <= term {
            copy(passed, &mut end, terms, ages);
            passed += 1;
            term += 1;
        }
        if term >= classes.len() as u64 {
            return None;
        }
        terms[end] = term as u32;
        ages[end] = 0;
        new.push(end);
        end += 1;
        next = term as u32 + 1;
    }
    for passed in passed..old.terms.len() {
        copy(passed, &mut end, terms, ages);
    }
    for place in new {
        tables[place] = new_context(classes[list.terms[place] as usize], others) as u32;
    }
    list.terms.truncate(end);
    list.ages.truncate(end);
    tables.truncate(end);
    Some(())
}

#[inline]
fn read_number(model: &Model, decoder: &mut Decoder<'_>, table: usize, shift: u32) -> u32 {
    let symbol = decoder.symbol(&model.tables[table]) as u32;
    if symbol < 8 {
        symbol << shift | read_wide(decoder, shift)
    } else if symbol < ESCAPE as u32 {
        let octave = (symbol - 2) / 2;
        let base = (2 + (symbol & 1)) << (octave - 1);
        base << shift | read_wide(decoder, octave - 1 + shift)
    } else {
        let bits = decoder.bits(6).min(u32::BITS);
        let high = ESCAPED.saturating_add(read_wide(decoder, bits));
        // of damaged bytes it may be too much; a term that is too large is seen later
        let found = (u64::from(high) << shift) + u64::from(read_wide(decoder, shift));
        found.min(u64::from(u32::MAX)) as u32
    }
}

#[inline]
fn read_wide(decoder: &mut Decoder<'_>, number: u32) -> u32 {
    if number == 0 {
        return 0;
    }
    let low = decoder.bits(number.min(16));
    if number > 16 {
        decoder.bits(number - 16) << 16 | low
    } else {
        low
    }
}
