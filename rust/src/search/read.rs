//! Segments opened for reading: the best documents of a query, terms, postings, lengths.
//!
//! tantivy finds entries; what their documents score is found here (see `versions`). Nothing is ever written: the folder
//! may be of somebody else, and its files are described by checksums.

use super::SearchError;
use super::best::{Best, Choice, Hit, Takes};
use super::evaluate::{Entry, NO_MATCH, Norms, Tree, Union};
use super::few;
use super::folder::ReadOnly;
use super::query::{Clause, Making, Own, Statistics};
use super::scoring::{Scoring, make_norms};
use super::segment::Segment;
use super::versions::Pieces;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight, EnableScoring, Weight};
use tantivy::schema::Field;
use tantivy::{DocId, Index, ReloadPolicy, Searcher, TantivyError, Term};

/// A document that scores less than this share of its entry is scored by itself: a difference has lost its last digits.
const PRECISE: f32 = 0.25;

pub struct Reader {
    folder: PathBuf,
    searcher: Searcher,
    pub(super) segments: Vec<Segment>,
    pub(super) num_documents: u32,
    num_fields: usize,
    /// The field of which versions have words of their own.
    shared: Option<u32>,
    /// Of each field.
    num_words: Vec<u64>,
    norms: Vec<Norms>,
    /// Of each document its segment, and its place among those listed there; found when it is needed.
    homes: OnceLock<Vec<(u32, u32)>>,
}

impl Reader {
    /// Opens the segments of a folder, which are named in the order of their documents where these have no numbers.
    pub fn open(folder: &Path, segments: &[String]) -> Result<Self, SearchError> {
        let refuse = |error| SearchError::new(folder, "read", error);
        let damaged = |problem: &str| {
            SearchError::Format(format!(
                "{}: {problem}; build it again with `webstrata index`",
                folder.display()
            ))
        };
        let directory = ReadOnly::open(folder).map_err(refuse)?;
        let index = Index::open(directory.clone()).map_err(refuse)?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(refuse)?;
        let searcher: Searcher = tantivy::IndexReader::searcher(&reader);
        let mut known = BTreeMap::new();
        for segment in searcher.segment_readers() {
            known.insert(segment.segment_id().uuid_string(), segment);
        }
        let mut opened: Vec<Segment> = Vec::with_capacity(segments.len());
        let mut total = 0usize;
        for name in segments {
            let found = known.remove(name);
            let found = found.ok_or_else(|| damaged(&format!("there is no segment {name}")))?;
            let segment =
                Segment::open(found, &directory, total as u32, opened.len()).map_err(refuse)?;
            total += segment.num_documents();
            opened.push(segment);
        }
        if !known.is_empty() {
            return Err(damaged("it has segments that nobody named"));
        }
        let num_documents =
            u32::try_from(total).map_err(|_| damaged("an index has at most 2^32 documents"))?;
        let numbers = |segment: &Segment| {
            let mut all = 0..segment.num_documents();
            all.all(|listed| segment.document(listed) < num_documents)
        };
        if !opened.iter().all(numbers) {
            return Err(damaged("a segment lists documents that are not there"));
        }
        let num_fields = searcher.schema().num_fields();
        let add = |field| opened.iter().map(|segment| segment.num_words(field)).sum();
        let num_words: Vec<u64> = (0..num_fields).map(add).collect();
        let norms = num_words.iter();
        let norms = norms.map(|words| make_norms(*words, u64::from(num_documents)));
        Ok(Self {
            folder: folder.to_owned(),
            norms: norms.collect(),
            shared: opened.iter().find_map(Segment::shared),
            searcher,
            segments: opened,
            num_documents,
            num_fields,
            num_words,
            homes: OnceLock::new(),
        })
    }

    pub fn num_documents(&self) -> u32 {
        self.num_documents
    }

    pub(super) fn refuse(&self, error: impl Into<TantivyError>) -> SearchError {
        SearchError::new(&self.folder, "read", error.into())
    }

    /// Words of each field.
    pub fn num_words(&self) -> &[u64] {
        &self.num_words
    }

    /// The documents of a segment, as they are listed.
    pub fn listed_documents(&self, segment: usize) -> Result<Vec<u32>, SearchError> {
        let segment = self.segments.get(segment).ok_or_else(|| {
            SearchError::Arguments(format!(
                "segment: expected less than {}",
                self.segments.len()
            ))
        })?;
        let all = 0..segment.num_documents();
        Ok(all.map(|listed| segment.document(listed)).collect())
    }

    pub(super) fn term(&self, field: u32, text: &str) -> Result<Term, SearchError> {
        if field as usize >= self.num_fields {
            let message = format!("field: expected less than {}, got {field}", self.num_fields);
            return Err(SearchError::Arguments(message));
        }
        Ok(Term::from_field_text(Field::from_field_id(field), text))
    }

    fn own(&self) -> Own<'_> {
        let number = u64::from(self.num_documents);
        Own::new(&self.segments, number, &self.num_words)
    }

    /// In how many documents a term is.
    pub fn frequency(&self, field: u32, text: &str) -> Result<u64, SearchError> {
        let found = self.own().doc_freq(&self.term(field, text)?);
        found.map_err(|error| self.refuse(error))
    }

    /// How entries are found, by the given statistics.
    fn weigh(
        &self,
        clause: &Clause,
        own: &Own<'_>,
        statistics: &dyn Bm25StatisticsProvider,
        scores: bool,
    ) -> Result<Box<dyn Weight>, SearchError> {
        // what cannot be looked up is left in the query, which then says why
        let is_known = |term: &Term| own.doc_freq(term).map_or(true, |count| count > 0);
        let most = |terms: &[Term]| {
            Bm25Weight::for_terms(statistics, terms).map_or(f32::MAX, |weight| weight.max_score())
        };
        let query = clause.to_query(&Making {
            num_fields: self.num_fields,
            shared: self.shared,
            is_known: &is_known,
            most: &most,
        })?;
        let scoring = if scores {
            EnableScoring::enabled_from_statistics_provider(statistics, &self.searcher)
        } else {
            EnableScoring::disabled_from_searcher(&self.searcher)
        };
        query.weight(scoring).map_err(|error| self.refuse(error))
    }

    fn home(&self, document: u32) -> (u32, u32) {
        let homes = self.homes.get_or_init(|| {
            let mut found = vec![(0, 0); self.num_documents as usize];
            for (number, segment) in self.segments.iter().enumerate() {
                for listed in 0..segment.num_documents() {
                    let document = segment.document(listed) as usize;
                    found[document] = (number as u32, listed as u32);
                }
            }
            found
        });
        homes[document as usize]
    }

    /// What each of some documents, which ascend, scores for its text; 0 for one that does not match.
    pub fn score(&self, clause: &Clause, documents: &[u32]) -> Result<Vec<f32>, SearchError> {
        if !documents.is_sorted()
            || documents
                .last()
                .is_some_and(|&last| last >= self.num_documents)
        {
            return Err(SearchError::Arguments(format!(
                "documents: expected ascending numbers below {}",
                self.num_documents
            )));
        }
        let own = self.own();
        let scoring = Scoring {
            own: &own,
            statistics: &own,
            norms: &self.norms,
        };
        clause.check(self.num_fields)?;
        // lists are gone through once, in the order of entries
        let mut order: Vec<(u32, u32, usize)> = documents
            .iter()
            .enumerate()
            .map(|(place, &document)| {
                let (segment, listed) = self.home(document);
                (segment, listed, place)
            })
            .collect();
        order.sort_unstable();
        let mut scores = vec![0.0; documents.len()];
        let (mut pieces, mut found) = (Pieces::default(), Vec::new());
        let mut opened: Option<(u32, Tree<'_>)> = None;
        let mut last: Option<(u32, u32)> = None;
        for (number, listed, place) in order {
            let segment = &self.segments[number as usize];
            if opened.as_ref().is_none_or(|(known, _)| *known != number) {
                let tree = Tree::open(clause, segment, &scoring);
                opened = Some((number, tree.map_err(|error| self.refuse(error))?));
            }
            let entry = segment.entry_of(listed as usize);
            let first = segment.listed(entry).start;
            if last != Some((number, entry))
                && let Some((_, tree)) = &mut opened
            {
                let entry = look_at(segment, entry, &mut pieces);
                found.resize(entry.count, NO_MATCH);
                tree.score(&entry, &mut found);
            }
            last = Some((number, entry));
            let score = found[listed as usize - first];
            scores[place] = if score.is_nan() { 0.0 } else { score };
        }
        Ok(scores)
    }

    /// The best documents, the best first; of equal ones the earlier.
    pub fn search(
        &self,
        clause: &Clause,
        limit: usize,
        choice: &Choice<'_>,
        statistics: Option<&Statistics>,
    ) -> Result<Vec<Hit>, SearchError> {
        let enough = |length: usize| length >= self.num_documents as usize;
        if !enough(choice.labels.len()) || choice.factors.is_some_and(|all| !enough(all.len())) {
            return Err(SearchError::Arguments(format!(
                "labels, factors: expected one for each of {} documents",
                self.num_documents
            )));
        }
        let own = self.own();
        let norms: Vec<Norms>;
        let scoring = match statistics {
            Some(given) => {
                let words = (0..self.num_fields).map(|field| given.num_words.get(field).copied());
                norms = words
                    .map(|words| make_norms(words.unwrap_or_default(), given.num_documents))
                    .collect();
                Scoring {
                    own: &own,
                    statistics: given,
                    norms: &norms,
                }
            }
            None => Scoring {
                own: &own,
                statistics: &own,
                norms: &self.norms,
            },
        };
        let mut best = Best::new(limit, choice);
        let terms = clause.as_union();
        clause.check(self.num_fields)?;
        let mut weight: Option<Box<dyn Weight>> = None;
        for segment in &self.segments {
            let refuse = |error| self.refuse(error);
            if let Some(terms) = &terms
                && few::count_entries(terms, segment, &scoring).map_err(refuse)? <= few::FEW
            {
                few::search(terms, segment, &scoring, &mut best).map_err(refuse)?;
                continue;
            }
            let weight = match &weight {
                Some(weight) => weight,
                None => weight.insert(self.weigh(clause, &own, scoring.statistics, true)?),
            };
            self.search_segment(clause, segment, weight.as_ref(), &scoring, &mut best)
                .map_err(refuse)?;
        }
        Ok(best.into_sorted_vec())
    }

    fn search_segment(
        &self,
        clause: &Clause,
        segment: &Segment,
        weight: &dyn Weight,
        scoring: &Scoring<'_>,
        best: &mut Best<'_>,
    ) -> tantivy::Result<()> {
        let slack = segment.slack();
        let terms = clause.as_union();
        let is_exact = clause.is_exact(self.shared);
        let (mut union, mut tree): (Option<Union<'_>>, Option<Tree<'_>>) = (None, None);
        let (mut pieces, mut scores) = (Pieces::default(), Vec::new());
        let mut failed: Option<TantivyError> = None;
        let mut look = |number: DocId, whole: f32, best: &mut Best<'_>| -> tantivy::Result<()> {
            let listed = segment.listed(number);
            if listed.len() == 1 && is_exact {
                let document = segment.document(listed.start);
                if best.counts(document) {
                    best.offer(document, whole);
                }
                return Ok(());
            }
            let mut documents = listed.clone().map(|place| segment.document(place));
            if !documents.any(|document| best.counts(document)) {
                return Ok(());
            }
            let entry = look_at(segment, number, &mut pieces);
            scores.resize(listed.len(), NO_MATCH);
            let mut is_precise = false;
            if let Some(terms) = &terms {
                if union.is_none() {
                    union = Some(Union::open(terms, segment, scoring)?);
                }
                if let Some(union) = &mut union {
                    union.score(&entry, whole, &mut scores);
                }
                // those that cannot come in need no more digits
                let least = best.threshold();
                let room = 1e-4 * whole;
                is_precise = scores
                    .iter()
                    .all(|score| *score >= PRECISE * whole || score + room < least);
            }
            if !is_precise {
                if tree.is_none() {
                    tree = Some(Tree::open(clause, segment, scoring)?);
                }
                if let Some(tree) = &mut tree {
                    tree.score(&entry, &mut scores);
                }
            }
            for (listed, &score) in listed.zip(&scores) {
                let document = segment.document(listed);
                if !score.is_nan() && best.counts(document) {
                    best.offer(document, score);
                }
            }
            Ok(())
        };
        let begin = best.threshold() / slack;
        weight.for_each_pruning(begin, &segment.reader, &mut |number, whole| {
            if let Err(error) = look(number, whole, best) {
                failed = Some(error);
            }
            if failed.is_some() {
                return f32::MAX;
            }
            best.threshold() / slack
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// How many documents that count there are.
    pub fn count(&self, clause: &Clause, labels: &[u64], mask: u64) -> Result<u64, SearchError> {
        if labels.len() < self.num_documents as usize {
            return Err(SearchError::Arguments(
                "labels: expected one for each document".to_owned(),
            ));
        }
        let own = self.own();
        let weight = self.weigh(clause, &own, &own, false)?;
        let scoring = Scoring {
            own: &own,
            statistics: &own,
            norms: &self.norms,
        };
        let is_exact = clause.is_exact(self.shared);
        let mut total = 0;
        for segment in &self.segments {
            let counts = |listed: usize| labels[segment.document(listed) as usize] & mask != 0;
            let tree = Tree::open(clause, segment, &scoring);
            let mut tree = tree.map_err(|error| self.refuse(error))?;
            let (mut pieces, mut scores) = (Pieces::default(), Vec::new());
            let counted = weight.for_each_no_score(&segment.reader, &mut |entries| {
                for &number in entries {
                    let listed = segment.listed(number);
                    if listed.len() == 1 && is_exact {
                        total += u64::from(counts(listed.start));
                    } else if listed.clone().any(counts) {
                        let entry = look_at(segment, number, &mut pieces);
                        scores.resize(listed.len(), NO_MATCH);
                        tree.score(&entry, &mut scores);
                        let matching = listed.zip(&scores);
                        total += matching
                            .filter(|(listed, score)| !score.is_nan() && counts(*listed))
                            .count() as u64;
                    }
                }
            });
            counted.map_err(|error| self.refuse(error))?;
        }
        Ok(total)
    }
}

/// The documents of an entry, with their runs where there are several.
fn look_at<'a>(segment: &'a Segment, number: u32, pieces: &'a mut Pieces) -> Entry<'a> {
    let listed = segment.listed(number);
    if listed.len() > 1 {
        segment.read_pieces(number, listed.len(), pieces);
    }
    Entry {
        segment,
        number,
        first: listed.start,
        count: listed.len(),
        pieces,
    }
}
