//! Summaries of the coding `contexts`, decoded from bytes that nobody vouches for.

use super::{
    DISTANCE, ESCAPE, ESCAPED, Model, SIZE, copied_context, flag_context, gap_context, new_context,
};
use crate::collection::progress::Meter;
use crate::summaries::ans::Decoder;
use crate::summaries::sets::Places;
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
    known: Vec<u32>,
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
        known: Vec::new(),
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
    let (kept, known) = (&mut reading.kept, &mut reading.known);
    let others = read_copied(model, &mut decoder, reference, kept, distance > 0)?;
    merge(
        model,
        &mut decoder,
        reference,
        kept,
        others,
        &mut list,
        known,
    )?;
    let mut previous = 1;
    list.counts.clear();
    let mut total = 0u32;
    for (&term, &known) in list.terms.iter().zip(&*known) {
        let class = model.shape.classes[term as usize];
        let table = match known {
            0 => new_context(class, previous, others),
            _ => copied_context(class, known),
        };
        previous = read_number(model, &mut decoder, table).checked_add(1)?;
        total = total.wrapping_add(previous);
        list.counts.push(previous);
    }
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
    for ((&term, &count), &age) in reference
        .terms
        .iter()
        .zip(&reference.counts)
        .zip(&reference.ages)
    {
        let class = model.shape.classes[term as usize];
        let yes = decoder.flag(model.flags[flag_context(class, age, count, history)]);
        history = (history << 1 | usize::from(yes)) & 7;
        kept.push(yes);
    }
    let others = read_number(model, decoder, SIZE + usize::from(refers));
    (others as usize <= model.shape.classes.len()).then_some(others)
}

/// Reads the other terms, and puts them and those that are copied in their order.
fn merge(
    model: &Model,
    decoder: &mut Decoder<'_>,
    reference: &List,
    kept: &[bool],
    others: u32,
    list: &mut List,
    known: &mut Vec<u32>,
) -> Option<()> {
    let num_terms = model.shape.classes.len() as u64;
    let (terms, counts, ages) = (
        &reference.terms[..],
        &reference.counts[..],
        &reference.ages[..],
    );
    list.terms.clear();
    list.ages.clear();
    known.clear();
    let (mut next, mut passed) = (0u32, 0);
    let copy = |passed: usize, list: &mut List, known: &mut Vec<u32>| {
        if kept[passed] {
            list.terms.push(terms[passed]);
            list.ages.push((ages[passed] + 1).min(2));
            known.push(counts[passed]);
        }
    };
    for left in (1..=others).rev() {
        let (table, shift) = gap_context(next, left, model.shape.octaves);
        let gap = u64::from(read_number(model, decoder, table)) << shift;
        let mut term = u64::from(next) + gap + u64::from(read_wide(decoder, shift));
        while passed < terms.len() && u64::from(terms[passed]) <= term {
            copy(passed, list, known);
            passed += 1;
            term += 1;
        }
        if term >= num_terms {
            return None;
        }
        list.terms.push(term as u32);
        list.ages.push(0);
        known.push(0);
        next = term as u32 + 1;
    }
    for passed in passed..terms.len() {
        copy(passed, list, known);
    }
    Some(())
}

#[inline]
fn read_number(model: &Model, decoder: &mut Decoder<'_>, table: usize) -> u32 {
    let symbol = decoder.symbol(&model.tables[table]) as u32;
    if symbol < 8 {
        symbol
    } else if symbol < ESCAPE as u32 {
        let octave = (symbol - 2) / 2;
        let base = (2 + (symbol & 1)) << (octave - 1);
        base + decoder.bits(octave - 1)
    } else {
        let bits = decoder.bits(6).min(u32::BITS);
        ESCAPED.saturating_add(read_wide(decoder, bits))
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
