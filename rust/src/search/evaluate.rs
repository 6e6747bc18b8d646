//! What each document of an entry scores, exactly: which of the words that a clause asks for it has itself, and how often.

use super::query::Clause;
use super::segment::Segment;
use super::versions::Pieces;
use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::query::Occur;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, TERMINATED, Term};

/// BM25 by the codes of lengths: the part of a field that does not depend on the term.
pub type Norms = [f32; 256];

/// A weight for each term or phrase of a clause, and norms for each field.
pub trait Weights {
    fn weight(&self, terms: &[Term]) -> tantivy::Result<f32>;
    fn norms(&self, field: usize) -> &Norms;
    /// Where the list of a term is in a segment.
    fn list(&self, term: &Term, segment: &Segment) -> tantivy::Result<Option<TermInfo>>;
}

/// What a word scores that comes so often in a text of this length.
pub fn bm25(weight: f32, norms: &Norms, code: u8, count: u32) -> f32 {
    let count = count as f32;
    weight * (count / (count + norms[code as usize]))
}

/// What a document that does not match has in place of a score.
pub const NO_MATCH: f32 = f32::NAN;

/// The documents of an entry that is looked at.
pub struct Entry<'a> {
    pub segment: &'a Segment,
    pub number: u32,
    /// The first of them, as they are listed.
    pub first: usize,
    pub count: usize,
    /// Their runs; of one that is alone nothing.
    pub pieces: &'a Pieces,
}

/// A list of postings that goes on from entry to entry.
pub struct List(SegmentPostings);

impl List {
    pub fn open(
        segment: &Segment,
        term: &Term,
        found: &TermInfo,
        positions: bool,
    ) -> tantivy::Result<Self> {
        let option = if positions {
            IndexRecordOption::WithFreqsAndPositions
        } else {
            IndexRecordOption::WithFreqs
        };
        let field = &segment.fields[term.field().field_id() as usize];
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
    fn reaches(&mut self, entry: u32) -> bool {
        if self.0.doc() < entry {
            self.0.seek(entry);
        }
        self.0.doc() == entry
    }
}

/// One term or several one behind the other, in one field.
pub struct Leaf<'a> {
    field: usize,
    is_shared: bool,
    lists: Vec<List>,
    weight: f32,
    norms: &'a Norms,
    positions: Vec<Vec<u32>>,
    places: Vec<Vec<u32>>,
}

impl<'a> Leaf<'a> {
    /// None where the segment does not have all terms.
    pub fn open(
        segment: &Segment,
        terms: &[Term],
        boost: f32,
        weights: &'a dyn Weights,
    ) -> tantivy::Result<Option<Self>> {
        let number = terms[0].field().field_id();
        let is_shared = segment.shared() == Some(number);
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            let Some(found) = weights.list(term, segment)? else {
                return Ok(None);
            };
            let positions = is_shared || terms.len() > 1;
            lists.push(List::open(segment, term, &found, positions)?);
        }
        Ok(Some(Self {
            field: number as usize,
            is_shared,
            weight: weights.weight(terms)? * boost,
            norms: weights.norms(number as usize),
            positions: vec![Vec::new(); lists.len()],
            places: vec![Vec::new(); lists.len()],
            lists,
        }))
    }

    fn value(&self, code: u8, count: u32) -> f32 {
        bm25(self.weight, self.norms, code, count)
    }

    /// What each document scores, and what the entry as a whole would.
    pub fn score(&mut self, entry: &Entry<'_>, out: &mut [f32]) -> Option<f32> {
        out.fill(NO_MATCH);
        if !self.lists.iter_mut().all(|list| list.reaches(entry.number)) {
            return None;
        }
        let own = entry.segment.entry_code(self.field, entry.number);
        let is_alone = entry.count == 1 || !self.is_shared;
        if let [list] = &mut self.lists[..] {
            let whole = list.0.term_freq();
            let whole_score = bm25(self.weight, self.norms, own, whole);
            if is_alone {
                out.fill(whole_score);
                return Some(whole_score);
            }
            list.0.positions(&mut self.positions[0]);
            for (place, score) in out.iter_mut().enumerate() {
                let count = entry.pieces.count(place, &self.positions[0]);
                if count > 0 {
                    let listed = entry.first + place;
                    let code = entry.segment.code(self.field, entry.number, listed);
                    *score = self.value(code, count);
                }
            }
            return Some(whole_score);
        }
        for (list, positions) in self.lists.iter_mut().zip(&mut self.positions) {
            list.0.positions(positions);
        }
        if is_alone {
            let count = count_phrases(&self.positions);
            if count > 0 {
                out.fill(self.value(own, count));
            }
            return None;
        }
        for (place, score) in out.iter_mut().enumerate() {
            for (positions, places) in self.positions.iter().zip(&mut self.places) {
                places.clear();
                entry.pieces.place(place, positions, places);
            }
            let count = count_phrases(&self.places);
            if count > 0 {
                let listed = entry.first + place;
                let code = entry.segment.code(self.field, entry.number, listed);
                *score = self.value(code, count);
            }
        }
        None
    }
}

/// How often words stand one behind the other, given where each of them stands.
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
pub enum Tree<'a> {
    Leaf(Box<Leaf<'a>>),
    Boolean(Vec<(Occur, Tree<'a>)>),
    Filter(Box<Tree<'a>>),
    All,
    Nothing,
}

impl<'a> Tree<'a> {
    pub fn open(
        clause: &Clause,
        segment: &Segment,
        weights: &'a dyn Weights,
    ) -> tantivy::Result<Self> {
        let leaf = |field: u32, texts: &[String], boost: f32| {
            let field = Field::from_field_id(field);
            let terms = texts.iter().map(|text| Term::from_field_text(field, text));
            let terms: Vec<Term> = terms.collect();
            let leaf = Leaf::open(segment, &terms, boost, weights)?;
            Ok(leaf.map_or(Self::Nothing, |leaf| Self::Leaf(Box::new(leaf))))
        };
        match clause {
            Clause::Term(field, text, boost) => leaf(*field, std::slice::from_ref(text), *boost),
            Clause::Phrase(field, texts, boost) => leaf(*field, texts, *boost),
            Clause::Filter(inner) => {
                Ok(Self::Filter(Box::new(Self::open(inner, segment, weights)?)))
            }
            Clause::All => Ok(Self::All),
            Clause::Boolean(clauses) => {
                let mut all = Vec::with_capacity(clauses.len());
                for (occur, inner) in clauses {
                    all.push((*occur, Self::open(inner, segment, weights)?));
                }
                Ok(Self::Boolean(all))
            }
        }
    }

    /// What each document of an entry scores, `NO_MATCH` where it does not match.
    pub fn score(&mut self, entry: &Entry<'_>, out: &mut [f32]) {
        match self {
            Self::Nothing => out.fill(NO_MATCH),
            Self::All => out.fill(1.0),
            Self::Leaf(leaf) => {
                leaf.score(entry, out);
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

/// Corrects what tantivy gave an entry for a union of terms: only words of the shared field differ between versions.
pub struct Union<'a> {
    leaves: Vec<Leaf<'a>>,
    own: Vec<f32>,
}

impl<'a> Union<'a> {
    pub fn open(
        terms: &[(u32, &str, f32)],
        segment: &Segment,
        weights: &'a dyn Weights,
    ) -> tantivy::Result<Self> {
        let mut leaves = Vec::new();
        for &(number, text, boost) in terms {
            if segment.shared() == Some(number) {
                let term = Term::from_field_text(Field::from_field_id(number), text);
                leaves.extend(Leaf::open(segment, &[term], boost, weights)?);
            }
        }
        Ok(Self {
            leaves,
            own: Vec::new(),
        })
    }

    /// What each document of an entry scores that scores `whole`; `NO_MATCH` where it does not match.
    pub fn score(&mut self, entry: &Entry<'_>, whole: f32, out: &mut [f32]) {
        self.own.resize(out.len(), 0.0);
        let mut rest = whole;
        out.fill(0.0);
        for leaf in &mut self.leaves {
            if let Some(score) = leaf.score(entry, &mut self.own) {
                rest -= score;
                for (sum, score) in out.iter_mut().zip(&self.own) {
                    if !score.is_nan() {
                        *sum += score;
                    }
                }
            }
        }
        // what is left of a difference is no score
        let rest = if rest > 1e-5 * whole { rest } else { 0.0 };
        for sum in out {
            *sum = if *sum + rest > 0.0 {
                *sum + rest
            } else {
                NO_MATCH
            };
        }
    }
}

/// Documents of a term, given where its list is, with what of it each has.
pub fn for_each_document(
    segment: &Segment,
    term: &Term,
    found: &TermInfo,
    positions: bool,
    mut each: impl FnMut(u32, u32, &[u32]),
) -> tantivy::Result<()> {
    let field = term.field().field_id();
    let is_shared = segment.shared() == Some(field);
    let List(mut list) = List::open(segment, term, found, positions || is_shared)?;
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
