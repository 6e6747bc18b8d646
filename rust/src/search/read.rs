//! Segments opened for reading: the best documents of a query, terms, postings, lengths.
//!
//! Documents have numbers from 0 on through all segments, in the order in which the caller names these. Nothing is ever
//! written: the folder may be of somebody else, and its files are described by checksums.

use super::SearchError;
use super::query::{Clause, Own, Statistics};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{DirectoryLock, FileHandle, Lock, MmapDirectory};
use tantivy::directory::{WatchCallback, WatchHandle, WritePtr};
use tantivy::postings::Postings;
use tantivy::query::{Bm25StatisticsProvider, EnableScoring, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Directory, DocId, SegmentReader};
use tantivy::{DocSet, Index, ReloadPolicy, Searcher, TERMINATED, TantivyError, Term};

pub struct Reader {
    folder: PathBuf,
    searcher: Searcher,
    /// Of each segment the number of its first document, ascending, and its place in the searcher.
    order: Vec<(u32, usize)>,
    num_documents: u32,
    num_fields: usize,
    /// Of each field.
    num_words: Vec<u64>,
}

/// A document with its score and the part of it that is text.
#[derive(Clone, Copy, PartialEq)]
pub struct Hit {
    pub score: f32,
    pub text_score: f32,
    pub document: u32,
}

impl Eq for Hit {}

impl Ord for Hit {
    /// The worst first: lower scores, and of equal ones the later document.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then(self.document.cmp(&other.document))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Which documents count, and what their text's score is multiplied by.
pub struct Choice<'a> {
    /// A document counts if its label and the mask have a bit in common.
    pub labels: &'a [u64],
    pub mask: u64,
    pub factors: Option<&'a [f32]>,
    /// No factor is above it.
    pub most: f32,
}

impl Reader {
    /// Opens the segments of a folder, which are named in the order of their documents.
    pub fn open(folder: &Path, segments: &[String]) -> Result<Self, SearchError> {
        let refuse = |error| SearchError::new(folder, "read", error);
        let directory = ReadOnly::open(folder).map_err(refuse)?;
        let index = Index::open(directory).map_err(refuse)?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(refuse)?;
        let searcher: Searcher = tantivy::IndexReader::searcher(&reader);
        let mut sizes = BTreeMap::new();
        for segment in searcher.segment_readers() {
            sizes.insert(segment.segment_id().uuid_string(), segment.max_doc());
        }
        let mut places = BTreeMap::new();
        let mut num_documents = 0u32;
        for name in segments {
            let size = sizes.get(name).ok_or_else(|| {
                SearchError::Format(format!(
                    "{}: there is no segment {name}; build it again with `webstrata index`",
                    folder.display()
                ))
            })?;
            places.insert(name.clone(), num_documents);
            num_documents = num_documents.checked_add(*size).ok_or_else(|| {
                SearchError::Format("an index has at most 2^32 documents".to_owned())
            })?;
        }
        let mut order = searcher
            .segment_readers()
            .iter()
            .enumerate()
            .map(|(place, segment)| {
                let first = places.get(&segment.segment_id().uuid_string())?;
                Some((*first, place))
            })
            .collect::<Option<Vec<(u32, usize)>>>()
            .ok_or_else(|| {
                SearchError::Format(format!(
                    "{}: it has segments that nobody named",
                    folder.display()
                ))
            })?;
        order.sort_unstable();
        let num_fields = searcher.schema().num_fields();
        let mut num_words = vec![0; num_fields];
        for (number, total) in num_words.iter_mut().enumerate() {
            for segment in searcher.segment_readers() {
                let inverted = segment.inverted_index(Field::from_field_id(number as u32));
                *total += inverted.map_err(refuse)?.total_num_tokens();
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            searcher,
            order,
            num_documents,
            num_fields,
            num_words,
        })
    }

    pub fn num_documents(&self) -> u32 {
        self.num_documents
    }

    fn refuse(&self, error: impl Into<TantivyError>) -> SearchError {
        SearchError::new(&self.folder, "read", error.into())
    }

    fn segments(&self) -> impl Iterator<Item = (u32, &SegmentReader)> {
        let readers = self.searcher.segment_readers();
        let order = self.order.iter();
        order.map(move |&(first, place)| (first, &readers[place]))
    }

    /// Words of each field.
    pub fn num_words(&self) -> &[u64] {
        &self.num_words
    }

    fn term(&self, field: u32, text: &str) -> Result<Term, SearchError> {
        if field as usize >= self.num_fields {
            let message = format!("field: expected less than {}, got {field}", self.num_fields);
            return Err(SearchError::Arguments(message));
        }
        Ok(Term::from_field_text(Field::from_field_id(field), text))
    }

    /// In how many documents a term is.
    pub fn frequency(&self, field: u32, text: &str) -> Result<u64, SearchError> {
        let found = self.searcher.doc_freq(&self.term(field, text)?);
        found.map_err(|error| self.refuse(error))
    }

    /// How a clause is scored, by the given statistics or by those of the index itself.
    fn weigh(
        &self,
        clause: &Clause,
        statistics: Option<&Statistics>,
    ) -> Result<Box<dyn Weight>, SearchError> {
        let own = Own::new(
            &self.searcher,
            u64::from(self.num_documents),
            &self.num_words,
        );
        // what cannot be looked up is left in the query, which then says why
        let is_known = |term: &Term| own.doc_freq(term).map_or(true, |count| count > 0);
        let query = clause.to_query(self.num_fields, &is_known)?;
        let provider: &dyn Bm25StatisticsProvider = match statistics {
            Some(given) => given,
            None => &own,
        };
        let scoring = EnableScoring::enabled_from_statistics_provider(provider, &self.searcher);
        query.weight(scoring).map_err(|error| self.refuse(error))
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
        let weight = self.weigh(clause, None)?;
        let mut scores = Vec::with_capacity(documents.len());
        for (first, segment) in self.segments() {
            let begin = scores.len();
            let end = documents.partition_point(|&document| document < first + segment.max_doc());
            if begin == end {
                continue;
            }
            let mut scorer = weight
                .scorer(segment, 1.0)
                .map_err(|error| self.refuse(error))?;
            for &document in &documents[begin..end] {
                let number = document - first;
                if scorer.doc() < number {
                    scorer.seek(number);
                }
                let is_there = scorer.doc() == number;
                scores.push(if is_there { scorer.score() } else { 0.0 });
            }
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
        let weight = self.weigh(clause, statistics)?;
        let mut best: BinaryHeap<Hit> = BinaryHeap::with_capacity(limit.min(1 << 16) + 1);
        let mut threshold = f32::MIN;
        for (first, segment) in self.segments() {
            let begin = threshold;
            let mut look = |number: DocId, text_score: f32| -> f32 {
                let document = first + number;
                let place = document as usize;
                if choice.labels[place] & choice.mask == 0 {
                    return threshold;
                }
                let score = choice
                    .factors
                    .map_or(text_score, |factors| text_score * factors[place]);
                let hit = Hit {
                    score,
                    text_score,
                    document,
                };
                if best.len() < limit {
                    best.push(hit);
                } else if best.peek().is_some_and(|worst| hit < *worst) {
                    best.pop();
                    best.push(hit);
                }
                if best.len() == limit
                    && let Some(worst) = best.peek()
                {
                    // what scores less for its text cannot come in, whatever its factor; a little room for rounding
                    threshold = match choice.factors {
                        None => worst.score,
                        Some(_) => worst.score / choice.most * (1.0 - 1e-6),
                    };
                }
                threshold
            };
            weight
                .for_each_pruning(begin, segment, &mut look)
                .map_err(|error| self.refuse(error))?;
        }
        Ok(best.into_sorted_vec())
    }

    /// How many documents that count there are.
    pub fn count(&self, clause: &Clause, labels: &[u64], mask: u64) -> Result<u64, SearchError> {
        if labels.len() < self.num_documents as usize {
            return Err(SearchError::Arguments(
                "labels: expected one for each document".to_owned(),
            ));
        }
        let query = clause.to_query(self.num_fields, &|_| true)?;
        let weight = query
            .weight(EnableScoring::disabled_from_searcher(&self.searcher))
            .map_err(|error| self.refuse(error))?;
        let mut total = 0;
        for (first, segment) in self.segments() {
            let labels = &labels[first as usize..];
            let counted = weight.for_each_no_score(segment, &mut |documents| {
                let is_counted = |number: &&DocId| labels[**number as usize] & mask != 0;
                total += documents.iter().filter(is_counted).count() as u64;
            });
            counted.map_err(|error| self.refuse(error))?;
        }
        Ok(total)
    }

    /// The documents that have a term, ascending, and how often each has it.
    pub fn postings(&self, field: u32, text: &str) -> Result<(Vec<u32>, Vec<u32>), SearchError> {
        let term = self.term(field, text)?;
        let (mut documents, mut counts) = (Vec::new(), Vec::new());
        for (first, segment) in self.segments() {
            let inverted = segment
                .inverted_index(term.field())
                .map_err(|error| self.refuse(error))?;
            let found = inverted
                .read_postings(&term, IndexRecordOption::WithFreqs)
                .map_err(|error| self.refuse(error))?;
            let Some(mut postings) = found else { continue };
            while postings.doc() != TERMINATED {
                documents.push(first + postings.doc());
                counts.push(postings.term_freq());
                postings.advance();
            }
        }
        Ok((documents, counts))
    }

    /// Where the words of a term stand: for each document that has it, in order, as many places as it has the term.
    pub fn positions(&self, field: u32, text: &str) -> Result<Vec<u32>, SearchError> {
        let term = self.term(field, text)?;
        let (mut found, mut own) = (Vec::new(), Vec::new());
        for (_, segment) in self.segments() {
            let inverted = segment
                .inverted_index(term.field())
                .map_err(|error| self.refuse(error))?;
            let postings = inverted
                .read_postings(&term, IndexRecordOption::WithFreqsAndPositions)
                .map_err(|error| self.refuse(error))?;
            let Some(mut postings) = postings else {
                continue;
            };
            while postings.doc() != TERMINATED {
                postings.positions(&mut own);
                found.extend_from_slice(&own);
                postings.advance();
            }
        }
        Ok(found)
    }

    /// The code of each document's length in a field; `LENGTHS` has what it stands for.
    pub fn length_codes(&self, field: u32) -> Result<Vec<u8>, SearchError> {
        let field = self.term(field, "")?.field();
        let mut found = vec![0; self.num_documents as usize];
        for (first, segment) in self.segments() {
            let lengths = segment
                .get_fieldnorms_reader(field)
                .map_err(|error| self.refuse(error))?;
            for number in 0..segment.max_doc() {
                found[(first + number) as usize] = lengths.fieldnorm_id(number);
            }
        }
        Ok(found)
    }

    /// The terms of a field that begin so, each with the number of documents that have it, in the order of bytes; at
    /// most `limit` of each segment.
    pub fn terms(
        &self,
        field: u32,
        prefix: &str,
        limit: usize,
    ) -> Result<BTreeMap<String, u64>, SearchError> {
        let field = self.term(field, "")?.field();
        let mut found = BTreeMap::new();
        for (_, segment) in self.segments() {
            let inverted = segment
                .inverted_index(field)
                .map_err(|error| self.refuse(error))?;
            let mut terms = inverted
                .terms()
                .range()
                .ge(prefix)
                .into_stream()
                .map_err(|error| self.refuse(error))?;
            let mut left = limit;
            while left > 0 && terms.advance() && terms.key().starts_with(prefix.as_bytes()) {
                left -= 1;
                if let Ok(text) = std::str::from_utf8(terms.key()) {
                    *found.entry(text.to_owned()).or_default() += u64::from(terms.value().doc_freq);
                }
            }
        }
        Ok(found)
    }
}

/// A folder that nothing is written to, no lock either.
#[derive(Clone, Debug)]
pub struct ReadOnly(MmapDirectory);

impl ReadOnly {
    pub fn open(folder: &Path) -> tantivy::Result<Self> {
        Ok(Self(MmapDirectory::open(folder)?))
    }
}

impl Directory for ReadOnly {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::FileDoesNotExist(path.to_owned()))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        // parts are never changed, and kept while they are open
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
