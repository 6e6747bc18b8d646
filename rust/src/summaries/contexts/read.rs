//! Summaries of the coding `contexts`, decoded from bytes that nobody vouches for.

use super::{DISTANCE, Model, SIZE, Shape, copied_context, flag_context, gap_context, new_context};
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
}

/// More than the largest distance, so that a summary and its reference never have the same slot.
const SLOTS: usize = 64;

/// What a thread keeps from summary to summary.
struct Reading {
    slots: Vec<List>,
    copied: Copied,
}

/// What a summary has from its reference.
#[derive(Default)]
struct Copied {
    /// For each term of the reference whether it is there.
    kept: Vec<bool>,
    /// Of those that are; behind them is nothing that matters.
    counts: Vec<u32>,
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
        copied: Copied::default(),
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
    let mut decoder = Decoder::new(stream, begin as usize, end as usize)?;
    let distance = u64::from(decoder.number(&model.tables, DISTANCE, 0));
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
    decoder = read_copied(model, decoder, reference, &mut reading.copied);
    let table = SIZE + usize::from(distance > 0);
    let others = decoder.number(&model.tables, table, 0);
    if others as usize > model.shape.classes.len() {
        return None;
    }
    decoder = read_others(
        model,
        decoder,
        reference,
        &reading.copied,
        others,
        &mut list,
    )?;
    let counts = list.counts.iter();
    let total = counts.fold(0u32, |sum, &count| sum.wrapping_add(count));
    list.length = total.wrapping_add(decoder.finish()?);
    list.ordinal = Some(ordinal);
    reading.slots[slot] = list;
    Some(())
}

/// Which terms of the reference are copied, and their counts.
fn read_copied<'a>(
    model: &Model,
    mut decoder: Decoder<'a>,
    reference: &List,
    copied: &mut Copied,
) -> Decoder<'a> {
    let Copied { kept, counts } = copied;
    kept.clear();
    counts.resize(reference.terms.len(), 0);
    let (mut history, mut end) = (0, 0);
    let all = reference.terms.iter().zip(&reference.counts);
    kept.extend(all.map(|(&term, &count)| {
        let class = model.shape.classes[term as usize];
        let yes = decoder.flag(model.flags[flag_context(class, count, history)]);
        history = (history << 1 | usize::from(yes)) & 7;
        // what is not copied is written too, and the next one over it: no branch has to guess
        counts[end] = copied_context(class, count) as u32;
        end += usize::from(yes);
        yes
    }));
    for count in &mut counts[..end] {
        *count = read_count(model, &mut decoder, *count as usize);
    }
    decoder
}

/// Reads the other terms and their counts, and puts them and those that are copied in their order.
fn read_others<'a>(
    model: &Model,
    mut decoder: Decoder<'a>,
    reference: &List,
    copied: &Copied,
    others: u32,
    list: &mut List,
) -> Option<Decoder<'a>> {
    let Shape { classes, shifts } = &model.shape;
    let old = &reference.terms[..];
    let (kept, old_counts) = (&copied.kept[..old.len()], &copied.counts[..old.len()]);
    let most = others as usize + old.len();
    list.terms.resize(most, 0);
    list.counts.resize(most, 0);
    let (terms, counts) = (&mut list.terms[..most], &mut list.counts[..most]);
    let (mut next, mut passed, mut taken, mut end) = (0u32, 0, 0, 0);
    let table_of_counts = new_context(0, others);
    // the place and the table of the count that comes next
    let mut waiting = None;
    for left in (1..=others).rev() {
        let (table, shift) = gap_context(next, left, shifts);
        let gap = decoder.number(&model.tables, table, shift);
        let mut term = u64::from(next) + u64::from(gap);
        while passed < old.len() && u64::from(old[passed]) <= term {
            (terms[end], counts[end]) = (old[passed], old_counts[taken]);
            end += usize::from(kept[passed]);
            taken += usize::from(kept[passed]);
            passed += 1;
            term += 1;
        }
        let class = *classes.get(term as usize)?;
        if let Some((place, table)) = waiting {
            counts[place] = read_count(model, &mut decoder, table);
        }
        waiting = Some((end, table_of_counts + usize::from(class & 15)));
        terms[end] = term as u32;
        end += 1;
        next = term as u32 + 1;
    }
    if let Some((place, table)) = waiting {
        counts[place] = read_count(model, &mut decoder, table);
    }
    for passed in passed..old.len() {
        if kept[passed] {
            (terms[end], counts[end]) = (old[passed], old_counts[taken]);
            (end, taken) = (end + 1, taken + 1);
        }
    }
    list.terms.truncate(end);
    list.counts.truncate(end);
    Some(decoder)
}

#[inline(always)]
fn read_count(model: &Model, decoder: &mut Decoder<'_>, table: usize) -> u32 {
    decoder.number(&model.tables, table, 0).saturating_add(1)
}
