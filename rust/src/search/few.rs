//! The best documents of a union of terms whose lists are short: all lists side by side, entry by entry.
//!
//! Where lists are long, what tantivy passes over pays (block-max WAND); where they are short, what it prepares for that
//! costs more than the lists do. Here those with little weight are only looked into where the others leave a chance
//! (MaxScore, Turtle and Flood 1995). What the words of the shared field add is known by itself, so what documents of an
//! entry score is found without opening a list again.

use super::best::Takes;
use super::evaluate::{List, Norms, Weights, bm25};
use super::segment::Segment;
use super::versions::Pieces;
use tantivy::schema::Field;
use tantivy::{TERMINATED, Term};

/// Lists of so many entries together are short.
pub const FEW: u64 = 1 << 12;

struct Cursor<'a> {
    list: List,
    field: usize,
    is_shared: bool,
    weight: f32,
    norms: &'a Norms,
}

/// How many entries the lists of some terms have in a segment.
pub fn count_entries(
    terms: &[(u32, &str, f32)],
    segment: &Segment,
    weights: &dyn Weights,
) -> tantivy::Result<u64> {
    let mut total = 0;
    for &(number, text, _) in terms {
        let term = Term::from_field_text(Field::from_field_id(number), text);
        let found = weights.list(&term, segment)?;
        total += found.map_or(0, |found| u64::from(found.doc_freq));
    }
    Ok(total)
}

/// Offers every document that could come in.
pub fn search(
    terms: &[(u32, &str, f32)],
    segment: &Segment,
    weights: &dyn Weights,
    best: &mut impl Takes,
) -> tantivy::Result<()> {
    let slack = segment.slack();
    let mut order = Vec::with_capacity(terms.len());
    for &(number, text, boost) in terms {
        let term = Term::from_field_text(Field::from_field_id(number), text);
        if let Some(found) = weights.list(&term, segment)? {
            let is_shared = segment.shared() == Some(number);
            let weight = weights.weight(std::slice::from_ref(&term))? * boost;
            // no count is so high that a word scores its weight
            let most = if is_shared { weight * slack } else { weight };
            order.push((most, is_shared, weight, term, found));
        }
    }
    order.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let mut cursors = Vec::with_capacity(order.len());
    let mut entries = Vec::with_capacity(order.len());
    // what the first so many lists add at most
    let mut sums = Vec::with_capacity(order.len());
    let mut sum = 0.0;
    for (most, is_shared, weight, term, found) in &order {
        let list = List::open(segment, term, found, *is_shared)?;
        entries.push(list.entry());
        sum += most;
        sums.push(sum);
        let field = term.field().field_id() as usize;
        cursors.push(Cursor {
            list,
            field,
            is_shared: *is_shared,
            weight: *weight,
            norms: weights.norms(field),
        });
    }
    let mut shares = Shares::default();
    let mut threshold = best.threshold();
    // lists before it cannot bring an entry in by themselves
    let mut first = 0;
    loop {
        while first < sums.len() && sums[first] <= threshold {
            first += 1;
        }
        let entry = entries[first..].iter().copied().min();
        let Some(entry) = entry.filter(|&entry| entry != TERMINATED) else {
            return Ok(());
        };
        // of words that all versions have, and of the shared field
        let (mut rest, mut own) = (0.0, 0.0);
        let mut add = |cursor: &Cursor<'_>| {
            let code = segment.entry_code(cursor.field, entry);
            let score = bm25(cursor.weight, cursor.norms, code, cursor.list.count());
            *(if cursor.is_shared {
                &mut own
            } else {
                &mut rest
            }) += score;
            rest + own * slack
        };
        let mut total = 0.0;
        for (cursor, at) in cursors[first..].iter().zip(&entries[first..]) {
            if *at == entry {
                total = add(cursor);
            }
        }
        let mut hopes = true;
        for place in (0..first).rev() {
            if total + sums[place] <= threshold {
                hopes = false;
                break;
            }
            if entries[place] < entry {
                entries[place] = cursors[place].list.seek(entry);
            }
            if entries[place] == entry {
                total = add(&cursors[place]);
            }
        }
        if hopes && total > threshold {
            let listed = segment.listed(entry);
            if listed.len() == 1 {
                let document = segment.document(listed.start);
                if best.counts(document) {
                    best.offer(document, rest + own);
                    threshold = best.threshold();
                }
            } else if listed
                .clone()
                .any(|listed| best.counts(segment.document(listed)))
            {
                shares.score(segment, entry, &mut cursors, &entries);
                for (listed, own) in listed.zip(&shares.scores) {
                    let document = segment.document(listed);
                    if rest + own > 0.0 && best.counts(document) {
                        best.offer(document, rest + own);
                    }
                }
                threshold = best.threshold();
            }
        }
        for (cursor, at) in cursors[first..].iter_mut().zip(&mut entries[first..]) {
            if *at == entry {
                *at = cursor.list.advance();
            }
        }
    }
}

/// What the documents of an entry score in the shared field.
#[derive(Default)]
struct Shares {
    pieces: Pieces,
    positions: Vec<u32>,
    scores: Vec<f32>,
}

impl Shares {
    fn score(
        &mut self,
        segment: &Segment,
        entry: u32,
        cursors: &mut [Cursor<'_>],
        entries: &[u32],
    ) {
        let listed = segment.listed(entry);
        segment.read_pieces(entry, listed.len(), &mut self.pieces);
        self.scores.clear();
        self.scores.resize(listed.len(), 0.0);
        for (cursor, at) in cursors.iter_mut().zip(entries) {
            if !cursor.is_shared || *at != entry {
                continue;
            }
            cursor.list.positions(&mut self.positions);
            for (place, score) in self.scores.iter_mut().enumerate() {
                let count = self.pieces.count(place, &self.positions);
                let code = segment.code(cursor.field, entry, listed.start + place);
                *score += bm25(cursor.weight, cursor.norms, code, count);
            }
        }
    }
}
