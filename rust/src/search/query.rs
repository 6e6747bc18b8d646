//! Queries as Python builds them, and the statistics that they are scored by.

use super::SearchError;
use super::index::segment::Segment;
use hashbrown::HashMap;
use std::cell::RefCell;
use std::rc::Rc;
use tantivy::Term;
use tantivy::postings::TermInfo;
use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

/// What a document must be like, and what it scores if it is.
pub enum Clause {
    /// It has the term in one of these fields.
    Word(String, Vec<u32>),
    /// It has these terms one after the other in one of these fields.
    Phrase(Vec<String>, Vec<u32>),
    /// It has this value in a field that is not scored.
    Whole(u32, String),
    /// All of `Must`, none of `MustNot`, and one of `Should` where there is no `Must`; the sum of scores.
    Boolean(Vec<(Occur, Clause)>),
    /// As the clause, and scores 0.
    Filter(Box<Clause>),
    /// Every document.
    All,
}

/// A word or a phrase of a union.
#[derive(Clone, Copy)]
pub struct Leaf<'a> {
    pub texts: &'a [String],
    pub fields: &'a [u32],
}

impl Clause {
    /// A query that finds every entry with a document that the clause finds, and perhaps others. It has no scores.
    pub fn to_query(&self, own: &Own<'_>, shared: Option<u32>) -> Box<dyn Query> {
        self.to_known(own, shared)
            .unwrap_or_else(|| Box::new(EmptyQuery))
    }

    /// Refuses fields that are not there, and fields that are not of this kind.
    pub fn check(&self, is_scored: &[bool]) -> Result<(), SearchError> {
        let refuse = |field: &u32| {
            Err(SearchError::Arguments(format!(
                "query: field {field} of {} does not fit its clause",
                is_scored.len()
            )))
        };
        match self {
            Self::Word(_, fields) | Self::Phrase(_, fields) => {
                let wrong = |field: &&u32| !is_scored.get(**field as usize).is_some_and(|is| *is);
                if let Self::Phrase(texts, _) = self
                    && texts.len() < 2
                {
                    return Err(SearchError::Arguments(
                        "query: expected two terms or more in a phrase".to_owned(),
                    ));
                }
                fields.iter().find(wrong).map_or(Ok(()), refuse)
            }
            Self::Whole(field, _) if is_scored.get(*field as usize).is_none_or(|is| *is) => {
                refuse(field)
            }
            Self::Filter(clause) => clause.check(is_scored),
            Self::Boolean(clauses) => clauses
                .iter()
                .try_for_each(|(_, clause)| clause.check(is_scored)),
            Self::Whole(..) | Self::All => Ok(()),
        }
    }

    /// Whether documents that stand alone in their entry match just where the query finds the entry.
    pub fn is_exact(&self, shared: Option<u32>) -> bool {
        match self {
            Self::Word(..) | Self::Whole(..) | Self::All => true,
            Self::Phrase(..) => false,
            Self::Filter(clause) => clause.is_exact(shared),
            Self::Boolean(clauses) => clauses.iter().all(|(occur, clause)| match occur {
                Occur::MustNot => clause.can_exclude(shared),
                _ => clause.is_exact(shared),
            }),
        }
    }

    /// Whether an entry that its query finds has no document that the clause does not find.
    fn can_exclude(&self, shared: Option<u32>) -> bool {
        !self.is_about(shared) && self.is_exact(shared)
    }

    /// Whether it asks for words of a field.
    fn is_about(&self, wanted: Option<u32>) -> bool {
        match self {
            Self::Word(_, fields) | Self::Phrase(_, fields) => {
                wanted.is_some_and(|wanted| fields.contains(&wanted))
            }
            Self::Filter(clause) => clause.is_about(wanted),
            Self::Boolean(clauses) => clauses.iter().any(|(_, clause)| clause.is_about(wanted)),
            Self::Whole(..) | Self::All => false,
        }
    }

    /// Its words and phrases, if any of them is enough and their scores are added.
    pub fn as_union(&self) -> Option<Vec<Leaf<'_>>> {
        match self {
            Self::Word(text, fields) => Some(vec![Leaf {
                texts: std::slice::from_ref(text),
                fields,
            }]),
            Self::Phrase(texts, fields) => Some(vec![Leaf { texts, fields }]),
            Self::Boolean(clauses) => {
                let mut all = Vec::with_capacity(clauses.len());
                for (occur, clause) in clauses {
                    if *occur != Occur::Should {
                        return None;
                    }
                    all.extend(clause.as_union()?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// The query, or nothing where it cannot match.
    fn to_known(&self, own: &Own<'_>, shared: Option<u32>) -> Option<Box<dyn Query>> {
        let term = |field: u32, text: &str| -> Box<dyn Query> {
            let term = Term::from_field_text(Field::from_field_id(field), text);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic))
        };
        let join = |occur: Occur, mut all: Vec<Box<dyn Query>>| -> Option<Box<dyn Query>> {
            if all.len() < 2 {
                return all.pop();
            }
            let all = all.into_iter().map(|query| (occur, query)).collect();
            Some(Box::new(BooleanQuery::new(all)))
        };
        match self {
            Self::Word(text, fields) => {
                let known = fields.iter().filter(|field| own.has(**field, text));
                join(
                    Occur::Should,
                    known.map(|field| term(*field, text)).collect(),
                )
            }
            // words that stand apart in an entry may be neighbours in a version: all of them is what is asked for
            Self::Phrase(texts, fields) => {
                let known = fields
                    .iter()
                    .filter(|field| texts.iter().all(|text| own.has(**field, text)));
                let all = known.filter_map(|field| {
                    let words = texts.iter().map(|text| term(*field, text));
                    join(Occur::Must, words.collect())
                });
                join(Occur::Should, all.collect())
            }
            Self::Whole(field, text) => Some(term(*field, text)),
            // a prefix that no term has: no word at all, and not the complement of none
            Self::Boolean(clauses) if clauses.is_empty() => None,
            Self::Boolean(clauses) => {
                let mut made: Vec<(Occur, Box<dyn Query>)> = Vec::with_capacity(clauses.len());
                for (occur, clause) in clauses {
                    if *occur == Occur::MustNot && !clause.can_exclude(shared) {
                        // one version of an entry may have it, and another not
                        continue;
                    }
                    match (occur, clause.to_known(own, shared)) {
                        (_, Some(query)) => made.push((*occur, query)),
                        (Occur::Must, None) => return None,
                        _ => {}
                    }
                }
                if !made.iter().any(|(occur, _)| *occur != Occur::MustNot) {
                    if clauses.iter().any(|(occur, _)| *occur != Occur::MustNot) {
                        return None;
                    }
                    made.push((Occur::Must, Box::new(AllQuery)));
                }
                Some(Box::new(BooleanQuery::new(made)))
            }
            Self::Filter(clause) => clause.to_known(own, shared),
            Self::All => Some(Box::new(AllQuery)),
        }
    }
}

/// Statistics of all parts of an index together, as whoever knows all parts has added them up.
pub struct Statistics {
    pub num_documents: u64,
    /// Words of each field.
    pub num_words: Vec<u64>,
    /// How many documents have a term in any field.
    pub frequencies: HashMap<String, u64>,
}

impl Statistics {
    pub fn frequency(&self, text: &str) -> u64 {
        self.frequencies.get(text).copied().unwrap_or_default()
    }
}

/// The terms of an index by itself: each term of a query is looked up once.
pub struct Own<'a> {
    segments: &'a [Segment],
    num_documents: u64,
    looked_up: RefCell<Vec<Rc<Known>>>,
}

/// A term: how many documents have it in any field, and where its lists are in each segment.
struct Known {
    text: String,
    count: u64,
    lists: Vec<Vec<Option<TermInfo>>>,
}

impl<'a> Own<'a> {
    pub fn new(segments: &'a [Segment], num_documents: u64) -> Self {
        Self {
            segments,
            num_documents,
            looked_up: RefCell::default(),
        }
    }

    pub fn num_documents(&self) -> u64 {
        self.num_documents
    }

    /// How many documents have a term in any field.
    pub fn frequency(&self, text: &str) -> tantivy::Result<u64> {
        Ok(self.find(text)?.count)
    }

    /// Whether any document has a term in a field; what cannot be looked up is left in the query, which then says why.
    fn has(&self, field: u32, text: &str) -> bool {
        self.find(text).map_or(true, |known| {
            let mut lists = known.lists.iter();
            lists.any(|lists| lists[field as usize].is_some())
        })
    }

    /// Where the list of a term of a field is in a segment.
    pub fn list(
        &self,
        field: u32,
        text: &str,
        segment: &Segment,
    ) -> tantivy::Result<Option<TermInfo>> {
        Ok(self.find(text)?.lists[segment.place][field as usize].clone())
    }

    fn find(&self, text: &str) -> tantivy::Result<Rc<Known>> {
        // a query has a few terms, and they are asked for in the order in which they came
        let looked_up = self.looked_up.borrow();
        if let Some(known) = looked_up.iter().find(|known| known.text == text) {
            return Ok(Rc::clone(known));
        }
        drop(looked_up);
        let mut known = Known {
            text: text.to_owned(),
            count: 0,
            lists: Vec::with_capacity(self.segments.len()),
        };
        for segment in self.segments {
            let (lists, count) = segment.look_up(text)?;
            known.count += count;
            known.lists.push(lists);
        }
        let known = Rc::new(known);
        self.looked_up.borrow_mut().push(Rc::clone(&known));
        Ok(known)
    }
}
