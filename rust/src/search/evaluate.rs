//! What each document of an entry scores, exactly: which of the words that a clause asks for it has itself, and how often.

use super::index::segment::Segment;
use super::query::{Clause, Leaf};
use super::scoring::{Scoring, saturate};
use super::versions::Pieces;
use tantivy::postings::{BlockSegmentPostings, Postings, SegmentPostings, TermInfo};
use tantivy::query::Occur;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

/// What a document that does not match has in place of a score.
pub const NO_MATCH: f32 = f32::NAN;

/// The documents of an entry that is looked at.
pub struct Entry<'a> {
    pub number: u32,
    pub count: usize,
    /// Their runs; of one that is alone nothing.
    pub pieces: &'a Pieces,
    /// What scores need of their lengths.
    pub norms: &'a [f32],
}

/// What is kept from one entry to the next.
#[derive(Default)]
pub struct Looking {
    pieces: Pieces,
    norms: Vec<f32>,
}

impl Looking {
    /// The documents of an entry, with their runs where there are several.
    pub fn at(&mut self, segment: &Segment, number: u32, scoring: &Scoring<'_>) -> Entry<'_> {
        let listed = segment.listed(number);
        if listed.len() > 1 {
            segment.read_pieces(number, listed.len(), &mut self.pieces);
        }
        let norms = &mut self.norms;
        norms.clear();
        scoring
            .norms
            .for_each(segment, number, |norm| norms.push(norm));
        Entry {
            number,
            count: listed.len(),
            pieces: &self.pieces,
            norms: &self.norms,
        }
    }
}

/// A list of postings, read from entry to entry.
pub struct List(SegmentPostings);

impl List {
    pub fn open(
        segment: &Segment,
        field: u32,
        found: &TermInfo,
        positions: bool,
    ) -> tantivy::Result<Self> {
        let option = if positions {
            IndexRecordOption::WithFreqsAndPositions
        } else {
            IndexRecordOption::WithFreqs
        };
        let field = &segment.fields[field as usize];
        Ok(Self(field.read_postings_from_terminfo(found, option)?))
    }

    /// The entry that it stands at.
    pub fn entry(&self) -> u32 {
        self.0.doc()
    }

    pub fn advance(&mut self) -> u32 {
        self.0.advance()
    }

    pub fn seek(&mut self, entry: u32) -> u32 {
        self.0.seek(entry)
    }

    /// How often the entry has the term.
    pub fn count(&self) -> u32 {
        self.0.term_freq()
    }

    pub fn positions(&mut self, out: &mut Vec<u32>) {
        self.0.positions(out);
    }

    /// Whether the entry, which is none before that of the last call, has the term.
    pub fn reaches(&mut self, entry: u32) -> bool {
        if self.0.doc() < entry {
            self.0.seek(entry);
        }
        self.0.doc() == entry
    }
}

/// A list of postings that is read block by block, without positions: for loops over all of it.
pub struct Blocks {
    postings: BlockSegmentPostings,
    /// The place of the current entry in the block.
    at: usize,
}

impl Blocks {
    pub fn open(segment: &Segment, field: u32, found: &TermInfo) -> tantivy::Result<Self> {
        let field = &segment.fields[field as usize];
        let option = IndexRecordOption::WithFreqs;
        Ok(Self {
            postings: field.read_block_postings_from_terminfo(found, option)?,
            at: 0,
        })
    }

    /// The number of entries in the list.
    pub fn num_entries(&self) -> u32 {
        self.postings.doc_freq()
    }

    /// The current entry, `TERMINATED` after the last.
    pub fn entry(&self) -> u32 {
        let docs = self.postings.docs();
        docs.get(self.at).copied().unwrap_or(TERMINATED)
    }

    /// Calls `each` with every entry before `end` and how often it has the term.
    pub fn take_before(&mut self, end: u32, mut each: impl FnMut(u32, u32)) {
        loop {
            let docs = &self.postings.docs()[self.at..];
            let Some(&last) = docs.last() else {
                return;
            };
            let count = if last < end {
                docs.len()
            } else {
                docs.partition_point(|&entry| entry < end)
            };
            let freqs = &self.postings.freqs()[self.at..];
            for (&entry, &freq) in docs[..count].iter().zip(freqs) {
                each(entry, freq);
            }
            self.at += count;
            if last >= end {
                return;
            }
            self.postings.advance();
            self.at = 0;
        }
    }

    /// How often an entry has the term; `wanted` must not decrease from call to call.
    pub fn count_at(&mut self, wanted: u32) -> u32 {
        if self.entry() < wanted {
            self.at = self.postings.seek(wanted);
        }
        if self.entry() == wanted {
            self.postings.freq(self.at)
        } else {
            0
        }
    }
}

/// One term or several one after the other, in one field.
struct Part {
    is_shared: bool,
    weight: f32,
    lists: Vec<List>,
    positions: Vec<Vec<u32>>,
    places: Vec<Vec<u32>>,
}

impl Part {
    /// None where the segment does not have all terms in the field.
    fn open(
        segment: &Segment,
        texts: &[String],
        field: u32,
        scoring: &Scoring<'_>,
    ) -> tantivy::Result<Option<Self>> {
        let is_shared = segment.shared() == field;
        let mut lists = Vec::with_capacity(texts.len());
        for text in texts {
            let Some(found) = scoring.own.list(field, text, segment)? else {
                return Ok(None);
            };
            let positions = is_shared || texts.len() > 1;
            lists.push(List::open(segment, field, &found, positions)?);
        }
        Ok(Some(Self {
            is_shared,
            weight: scoring.weight(field),
            positions: vec![Vec::new(); lists.len()],
            places: vec![Vec::new(); lists.len()],
            lists,
        }))
    }

    /// Adds to each document of an entry how often it has the words, weighted; whether the entry has them.
    fn add(&mut self, entry: &Entry<'_>, out: &mut [f32]) -> bool {
        if !self.lists.iter_mut().all(|list| list.reaches(entry.number)) {
            return false;
        }
        let is_alone = entry.count == 1 || !self.is_shared;
        if let [list] = &mut self.lists[..] {
            if is_alone {
                let x = self.weight * list.count() as f32;
                out.iter_mut().for_each(|sum| *sum += x);
                return true;
            }
            list.positions(&mut self.positions[0]);
            for (place, sum) in out.iter_mut().enumerate() {
                *sum += self.weight * entry.pieces.count(place, &self.positions[0]) as f32;
            }
            return true;
        }
        for (list, positions) in self.lists.iter_mut().zip(&mut self.positions) {
            list.positions(positions);
        }
        if is_alone {
            let x = self.weight * count_phrases(&self.positions) as f32;
            out.iter_mut().for_each(|sum| *sum += x);
            return true;
        }
        for (place, sum) in out.iter_mut().enumerate() {
            for (positions, places) in self.positions.iter().zip(&mut self.places) {
                places.clear();
                entry.pieces.place(place, positions, places);
            }
            *sum += self.weight * count_phrases(&self.places) as f32;
        }
        true
    }

    /// The next entry that has all terms, from the one on that it stands at.
    fn find_next(&mut self) -> u32 {
        let mut entry = self.lists[0].entry();
        loop {
            let mut last = entry;
            for list in &mut self.lists {
                if last == TERMINATED {
                    return last;
                }
                if list.entry() < last {
                    list.seek(last);
                }
                last = last.max(list.entry());
            }
            if last == entry {
                return last;
            }
            entry = last;
        }
    }
}

/// A word or a phrase with its lists in one segment: its weighted frequency is added over fields.
pub struct Lookup {
    parts: Vec<Part>,
}

impl Lookup {
    pub fn open(
        leaf: &Leaf<'_>,
        segment: &Segment,
        scoring: &Scoring<'_>,
    ) -> tantivy::Result<Self> {
        let mut parts = Vec::with_capacity(leaf.fields.len());
        for &field in leaf.fields {
            parts.extend(Part::open(segment, leaf.texts, field, scoring)?);
        }
        Ok(Self { parts })
    }

    /// How often each document of an entry has it, weighted; whether any may have it.
    pub fn add(&mut self, entry: &Entry<'_>, out: &mut [f32]) -> bool {
        out.fill(0.0);
        let mut found = false;
        for part in &mut self.parts {
            found |= part.add(entry, out);
        }
        found
    }

    /// The next entry that has all terms in one field, from those on that it stands at; `TERMINATED` behind the last.
    pub fn find_next(&mut self) -> u32 {
        let next = self.parts.iter_mut().map(Part::find_next);
        next.min().unwrap_or(TERMINATED)
    }

    /// Goes on behind an entry.
    pub fn pass(&mut self, entry: u32) {
        for part in &mut self.parts {
            if part.lists[0].entry() <= entry {
                part.lists[0].seek(entry + 1);
            }
        }
    }
}

/// How often words stand one after the other, given where each of them stands.
fn count_phrases(places: &[Vec<u32>]) -> u32 {
    let [first, others @ ..] = places else {
        return 0;
    };
    let begins = |start: &&u32| {
        let mut following = others.iter().zip(1..);
        following.all(|(all, step)| all.binary_search(&(**start + step)).is_ok())
    };
    first.iter().filter(begins).count() as u32
}

/// A clause with its lists in one segment.
pub enum Tree {
    /// Words and what they score at most.
    Leaf(Box<Lookup>, f32),
    Boolean(Vec<(Occur, Tree)>),
    Filter(Box<Tree>),
    Whole(Box<List>),
    All,
    Nothing,
}

impl Tree {
    pub fn open(
        clause: &Clause,
        segment: &Segment,
        scoring: &Scoring<'_>,
    ) -> tantivy::Result<Self> {
        Ok(match clause {
            Clause::Word(text, fields) => {
                let texts = std::slice::from_ref(text);
                Self::open_leaf(&Leaf { texts, fields }, segment, scoring)?
            }
            Clause::Phrase(texts, fields) => {
                Self::open_leaf(&Leaf { texts, fields }, segment, scoring)?
            }
            Clause::Whole(field, text) => match segment.list(*field, text)? {
                Some(found) => Self::Whole(Box::new(List::open(segment, *field, &found, false)?)),
                None => Self::Nothing,
            },
            Clause::Filter(inner) => Self::Filter(Box::new(Self::open(inner, segment, scoring)?)),
            Clause::All => Self::All,
            Clause::Boolean(clauses) => {
                let mut all = Vec::with_capacity(clauses.len());
                for (occur, inner) in clauses {
                    all.push((*occur, Self::open(inner, segment, scoring)?));
                }
                Self::Boolean(all)
            }
        })
    }

    fn open_leaf(
        leaf: &Leaf<'_>,
        segment: &Segment,
        scoring: &Scoring<'_>,
    ) -> tantivy::Result<Self> {
        let most = scoring.most(leaf.texts)?;
        Ok(Self::Leaf(
            Box::new(Lookup::open(leaf, segment, scoring)?),
            most,
        ))
    }

    /// What each document of an entry scores, `NO_MATCH` where it does not match.
    pub fn score(&mut self, entry: &Entry<'_>, out: &mut [f32]) {
        match self {
            Self::Nothing => out.fill(NO_MATCH),
            Self::All => out.fill(1.0),
            Self::Whole(list) => out.fill(if list.reaches(entry.number) {
                0.0
            } else {
                NO_MATCH
            }),
            Self::Leaf(words, most) => {
                words.add(entry, out);
                for (score, &norm) in out.iter_mut().zip(entry.norms) {
                    *score = if *score > 0.0 {
                        saturate(*most, *score, norm)
                    } else {
                        NO_MATCH
                    };
                }
            }
            Self::Filter(inner) => {
                inner.score(entry, out);
                for score in out {
                    if !score.is_nan() {
                        *score = 0.0;
                    }
                }
            }
            Self::Boolean(clauses) => {
                let needs = clauses.iter().any(|(occur, _)| *occur == Occur::Must);
                let mut own = vec![NO_MATCH; out.len()];
                // with something that must be there the rest may be missing
                out.fill(if needs { 0.0 } else { NO_MATCH });
                for (occur, inner) in clauses {
                    inner.score(entry, &mut own);
                    for (sum, score) in out.iter_mut().zip(&own) {
                        match occur {
                            Occur::Must => *sum += score,
                            Occur::MustNot if !score.is_nan() => *sum = f32::NEG_INFINITY,
                            Occur::Should if !score.is_nan() => {
                                *sum = if sum.is_nan() && !needs { 0.0 } else { *sum } + score;
                            }
                            _ => {}
                        }
                    }
                }
                for sum in out {
                    if *sum == f32::NEG_INFINITY {
                        *sum = NO_MATCH;
                    }
                }
            }
        }
    }
}

/// Documents of a term, given where its list is, with what of it each has.
pub fn for_each_document(
    segment: &Segment,
    field: u32,
    found: &TermInfo,
    positions: bool,
    mut each: impl FnMut(u32, u32, &[u32]),
) -> tantivy::Result<()> {
    let is_shared = segment.shared() == field;
    let List(mut list) = List::open(segment, field, found, positions || is_shared)?;
    let (mut whole, mut own, mut pieces) = (Vec::new(), Vec::new(), Pieces::default());
    while list.doc() != TERMINATED {
        let listed = segment.listed(list.doc());
        let is_alone = listed.len() == 1 || !is_shared;
        if positions || !is_alone {
            list.positions(&mut whole);
        }
        if !is_alone {
            segment.read_pieces(list.doc(), listed.len(), &mut pieces);
        }
        for (place, document) in listed.enumerate() {
            if is_alone {
                each(segment.document(document), list.term_freq(), &whole);
                continue;
            }
            own.clear();
            pieces.place(place, &whole, &mut own);
            if !own.is_empty() {
                each(segment.document(document), own.len() as u32, &own);
            }
        }
        list.advance();
    }
    Ok(())
}
