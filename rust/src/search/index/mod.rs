//! Segments opened for reading: the best documents of a query, terms, postings, lengths.
//!
//! Unions of words and phrases are merged here (`union`); for other clauses tantivy finds entries, and what their documents
//! score is found here (`evaluate`). Nothing is ever written: the folder may belong to somebody else, and its files are
//! described by checksums.

pub mod segment;

use super::SearchError;
use super::best::{Best, Choice, Hit, Takes};
use super::evaluate::{Looking, NO_MATCH, Tree};
use super::folder::ReadOnly;
use super::query::{Clause, Own, Statistics};
use super::scoring::{Norms, Scoring, Weights};
use super::union;
use segment::Segment;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tantivy::query::{EnableScoring, Weight};
use tantivy::schema::FieldType;
use tantivy::{Index, ReloadPolicy, Searcher, TantivyError};

pub struct Reader {
    folder: PathBuf,
    searcher: Searcher,
    pub(super) segments: Vec<Segment>,
    pub(super) num_documents: u32,
    /// Of each field.
    is_scored: Vec<bool>,
    /// The field of which versions have words of their own.
    shared: Option<u32>,
    /// Of each field.
    num_words: Vec<u64>,
    /// Those of the last query.
    norms: Mutex<Option<Arc<Norms>>>,
    /// Of each document its segment, and its place among those listed there; found when it is needed.
    homes: OnceLock<Vec<(u32, u32)>>,
}

impl Reader {
    /// Opens the segments of a folder.
    pub fn open(folder: &Path, segments: &[String]) -> Result<Self, SearchError> {
        let refuse = |error| SearchError::new(folder, "read", error);
        let damaged = |problem: &str| SearchError::damaged(folder, problem);
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
            let segment = Segment::open(found, &directory, opened.len()).map_err(refuse)?;
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
        let is_scored: Vec<bool> = searcher
            .schema()
            .fields()
            .map(|(_, entry)| match entry.field_type() {
                FieldType::Str(options) => options
                    .get_indexing_options()
                    .is_some_and(|indexing| indexing.fieldnorms()),
                _ => false,
            })
            .collect();
        let add = |field| opened.iter().map(|segment| segment.num_words(field)).sum();
        Ok(Self {
            folder: folder.to_owned(),
            shared: opened.first().map(Segment::shared),
            num_words: (0..is_scored.len()).map(add).collect(),
            is_scored,
            searcher,
            segments: opened,
            num_documents,
            norms: Mutex::new(None),
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

    pub(super) fn check_field(&self, field: u32) -> Result<usize, SearchError> {
        let number = field as usize;
        if number >= self.is_scored.len() {
            return Err(SearchError::Arguments(format!(
                "field: expected less than {}, got {field}",
                self.is_scored.len()
            )));
        }
        Ok(number)
    }

    fn own(&self) -> Own<'_> {
        Own::new(&self.segments, u64::from(self.num_documents))
    }

    /// How many documents have a term in any field.
    pub fn frequency(&self, text: &str) -> Result<u64, SearchError> {
        let found = self.own().frequency(text);
        found.map_err(|error| self.refuse(error))
    }

    /// What a query is scored by, given the weights of each field.
    fn scoring<'a>(
        &self,
        weights: &[Weights],
        own: &'a Own<'a>,
        statistics: Option<&'a Statistics>,
    ) -> Result<Scoring<'a>, SearchError> {
        let is_wrong = |&(word, length): &Weights| {
            let both = [word, length];
            both.iter()
                .any(|weight| !weight.is_finite() || *weight < 0.0)
        };
        if weights.len() != self.is_scored.len() || weights.iter().any(is_wrong) {
            return Err(SearchError::Arguments(format!(
                "weights: expected {} pairs of finite numbers, none below 0",
                self.is_scored.len()
            )));
        }
        let (number, words) = match statistics {
            Some(given) => (given.num_documents, &given.num_words),
            None => (own.num_documents(), &self.num_words),
        };
        let mut last = self.norms.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.as_ref();
        let norms = match known.filter(|norms| norms.is_for(weights, number, words)) {
            Some(norms) => Arc::clone(norms),
            None => {
                let norms = Norms::new(weights, number, words, self.segments.len());
                Arc::clone(last.insert(Arc::new(norms)))
            }
        };
        Ok(Scoring {
            own,
            statistics,
            norms,
        })
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
    pub fn score(
        &self,
        clause: &Clause,
        weights: &[Weights],
        documents: &[u32],
    ) -> Result<Vec<f32>, SearchError> {
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
        let scoring = self.scoring(weights, &own, None)?;
        clause.check(&self.is_scored)?;
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
        let (mut looking, mut found) = (Looking::default(), Vec::new());
        let mut opened: Option<(u32, Tree)> = None;
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
                let entry = looking.at(segment, entry, &scoring);
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
        weights: &[Weights],
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
        let scoring = self.scoring(weights, &own, statistics)?;
        clause.check(&self.is_scored)?;
        let mut best = Best::new(limit, choice);
        if let Some(leaves) = clause.as_union() {
            for segment in &self.segments {
                union::search(&leaves, segment, &scoring, &mut best)
                    .map_err(|error| self.refuse(error))?;
            }
            return Ok(best.into_sorted_vec());
        }
        let weight = self.weigh(clause, &own)?;
        for segment in &self.segments {
            let refuse = |error| self.refuse(error);
            let mut tree = Tree::open(clause, segment, &scoring).map_err(refuse)?;
            let (mut looking, mut scores) = (Looking::default(), Vec::new());
            let mut look = |number: u32| {
                let listed = segment.listed(number);
                let mut documents = listed.clone().map(|place| segment.document(place));
                if !documents.any(|document| best.counts(document)) {
                    return;
                }
                let entry = looking.at(segment, number, &scoring);
                scores.resize(listed.len(), NO_MATCH);
                tree.score(&entry, &mut scores);
                for (listed, &score) in listed.zip(&scores) {
                    let document = segment.document(listed);
                    if !score.is_nan() && best.counts(document) {
                        best.offer(document, score);
                    }
                }
            };
            weight
                .for_each_no_score(&segment.reader, &mut |entries| {
                    entries.iter().for_each(|&number| look(number));
                })
                .map_err(refuse)?;
        }
        Ok(best.into_sorted_vec())
    }

    /// How entries are found that may have a document of the clause.
    fn weigh(&self, clause: &Clause, own: &Own<'_>) -> Result<Box<dyn Weight>, SearchError> {
        let query = clause.to_query(own, self.shared);
        let scoring = EnableScoring::disabled_from_searcher(&self.searcher);
        query.weight(scoring).map_err(|error| self.refuse(error))
    }

    /// How many documents match for each mask, by going through the postings once. A document counts for a
    /// mask if its label has a bit of it.
    pub fn count(
        &self,
        clause: &Clause,
        weights: &[Weights],
        labels: &[u64],
        masks: &[u64],
    ) -> Result<Vec<u64>, SearchError> {
        if labels.len() < self.num_documents as usize {
            return Err(SearchError::Arguments(
                "labels: expected one for each document".to_owned(),
            ));
        }
        let own = self.own();
        let scoring = self.scoring(weights, &own, None)?;
        clause.check(&self.is_scored)?;
        let is_exact = clause.is_exact(self.shared);
        let weight = self.weigh(clause, &own)?;
        let any = masks.iter().fold(0, |all, mask| all | mask);
        let mut totals = vec![0; masks.len()];
        let mut add = |label: u64| {
            for (total, mask) in totals.iter_mut().zip(masks) {
                *total += u64::from(label & mask != 0);
            }
        };
        for segment in &self.segments {
            let refuse = |error| self.refuse(error);
            let label = |listed: usize| labels[segment.document(listed) as usize] & any;
            let mut tree = Tree::open(clause, segment, &scoring).map_err(refuse)?;
            let (mut looking, mut scores) = (Looking::default(), Vec::new());
            let counted = weight.for_each_no_score(&segment.reader, &mut |entries| {
                for &number in entries {
                    let listed = segment.listed(number);
                    if listed.len() == 1 && is_exact {
                        add(label(listed.start));
                    } else if listed.clone().any(|listed| label(listed) != 0) {
                        let entry = looking.at(segment, number, &scoring);
                        scores.resize(listed.len(), NO_MATCH);
                        tree.score(&entry, &mut scores);
                        let matching = listed.zip(&scores);
                        matching
                            .filter(|(_, score)| !score.is_nan())
                            .for_each(|(listed, _)| add(label(listed)));
                    }
                }
            });
            counted.map_err(refuse)?;
        }
        Ok(totals)
    }
}
