//! Queries as Python builds them, and the statistics that they are scored by.

use super::SearchError;
use super::segment::Segment;
use hashbrown::HashMap;
use std::cell::RefCell;
use tantivy::Term;
use tantivy::postings::TermInfo;
use tantivy::query::{
    AllQuery, Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur,
    PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

/// What a document must be like, and what it scores if it is.
pub enum Clause {
    /// It has the term in a field: BM25 times a weight.
    Term(u32, String, f32),
    /// It has these terms in a field, one behind the other.
    Phrase(u32, Vec<String>, f32),
    /// All of `Must`, none of `MustNot`, and one of `Should` where there is no `Must`; the sum of scores.
    Boolean(Vec<(Occur, Clause)>),
    /// As the clause, and scores 0.
    Filter(Box<Clause>),
    /// Every document.
    All,
}

/// What a query of tantivy is made with.
pub struct Making<'a> {
    pub num_fields: usize,
    /// The field of which versions have words of their own.
    pub shared: Option<u32>,
    /// Whether any document has a term.
    pub is_known: &'a dyn Fn(&Term) -> bool,
    /// What terms score at most that stand one behind the other.
    pub most: &'a dyn Fn(&[Term]) -> f32,
}

impl Making<'_> {
    fn field(&self, number: u32) -> Result<Field, SearchError> {
        if (number as usize) < self.num_fields {
            return Ok(Field::from_field_id(number));
        }
        Err(SearchError::Arguments(format!(
            "query: expected a field below {}, got {number}",
            self.num_fields
        )))
    }
}

fn boosted(query: Box<dyn Query>, boost: f32) -> Box<dyn Query> {
    if boost == 1.0 {
        query
    } else {
        Box::new(BoostQuery::new(query, boost))
    }
}

impl Clause {
    /// A query that finds every entry with a document that the clause finds, and perhaps others, and gives it no less,
    /// times the slack; without the terms that no document has, each of which would cost a table of scores.
    pub fn to_query(&self, making: &Making<'_>) -> Result<Box<dyn Query>, SearchError> {
        Ok(self
            .to_known(making)?
            .unwrap_or_else(|| Box::new(EmptyQuery)))
    }

    /// Refuses fields that are not there.
    pub fn check(&self, num_fields: usize) -> Result<(), SearchError> {
        match self {
            Self::Term(field, ..) | Self::Phrase(field, ..) if *field as usize >= num_fields => {
                Err(SearchError::Arguments(format!(
                    "query: expected a field below {num_fields}, got {field}"
                )))
            }
            Self::Filter(clause) => clause.check(num_fields),
            Self::Boolean(clauses) => clauses
                .iter()
                .try_for_each(|(_, clause)| clause.check(num_fields)),
            _ => Ok(()),
        }
    }

    /// Whether documents that stand alone in their entry score just what the query gives the entry.
    pub fn is_exact(&self, shared: Option<u32>) -> bool {
        match self {
            Self::Term(..) | Self::All => true,
            Self::Phrase(field, ..) => Some(*field) != shared,
            Self::Filter(clause) => clause.is_exact(shared),
            Self::Boolean(clauses) => clauses.iter().all(|(occur, clause)| match occur {
                Occur::MustNot => !clause.is_about(shared),
                _ => clause.is_exact(shared),
            }),
        }
    }

    /// Whether it asks for words of a field.
    fn is_about(&self, wanted: Option<u32>) -> bool {
        match self {
            Self::Term(field, ..) | Self::Phrase(field, ..) => Some(*field) == wanted,
            Self::Filter(clause) => clause.is_about(wanted),
            Self::Boolean(clauses) => clauses.iter().any(|(_, clause)| clause.is_about(wanted)),
            Self::All => false,
        }
    }

    /// Its terms, if any of them is enough and their scores are added.
    pub fn as_union(&self) -> Option<Vec<(u32, &str, f32)>> {
        match self {
            Self::Term(field, text, boost) => Some(vec![(*field, text, *boost)]),
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
    fn to_known(&self, making: &Making<'_>) -> Result<Option<Box<dyn Query>>, SearchError> {
        Ok(Some(match self {
            Self::Term(field, text, boost) => {
                let term = Term::from_field_text(making.field(*field)?, text);
                if !(making.is_known)(&term) {
                    return Ok(None);
                }
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                boosted(Box::new(query), *boost)
            }
            Self::Phrase(number, texts, boost) => {
                let field = making.field(*number)?;
                let terms: Vec<Term> = texts
                    .iter()
                    .map(|text| Term::from_field_text(field, text))
                    .collect();
                if terms.len() < 2 {
                    return Err(SearchError::Arguments(
                        "query: expected two terms or more in a phrase".to_owned(),
                    ));
                }
                if !terms.iter().all(making.is_known) {
                    return Ok(None);
                }
                if Some(*number) != making.shared {
                    return Ok(Some(boosted(Box::new(PhraseQuery::new(terms)), *boost)));
                }
                // words that stand apart in an entry may be neighbours in a version: all of them is what is asked for
                let most = (making.most)(&terms) * boost;
                let all = terms.into_iter().map(|term| {
                    let query: Box<dyn Query> =
                        Box::new(TermQuery::new(term, IndexRecordOption::Basic));
                    (Occur::Must, query)
                });
                let all = BooleanQuery::new(all.collect());
                Box::new(ConstScoreQuery::new(Box::new(all), most))
            }
            Self::Boolean(clauses) => {
                let mut made = Vec::with_capacity(clauses.len());
                let mut is_dropped = false;
                for (occur, clause) in clauses {
                    if *occur == Occur::MustNot && clause.is_about(making.shared) {
                        // one version of an entry may have it, and another not
                        is_dropped = true;
                        continue;
                    }
                    match (occur, clause.to_known(making)?) {
                        (_, Some(query)) => made.push((*occur, query)),
                        (Occur::Must, None) => return Ok(None),
                        _ => {}
                    }
                }
                if !made.iter().any(|(occur, _)| *occur != Occur::MustNot) {
                    if !is_dropped || clauses.iter().any(|(occur, _)| *occur != Occur::MustNot) {
                        return Ok(None);
                    }
                    made.push((Occur::Must, Box::new(AllQuery)));
                }
                Box::new(BooleanQuery::new(made))
            }
            Self::Filter(clause) => match clause.to_known(making)? {
                Some(query) => Box::new(ConstScoreQuery::new(query, 0.0)),
                None => return Ok(None),
            },
            Self::All => Box::new(AllQuery),
        }))
    }
}

/// Statistics of all parts of an index together, as whoever knows all parts has added them up.
pub struct Statistics {
    pub num_documents: u64,
    /// Words of each field.
    pub num_words: Vec<u64>,
    /// In how many documents a term of a field is.
    pub frequencies: HashMap<(u32, String), u64>,
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let number = field.field_id() as usize;
        Ok(self.num_words.get(number).copied().unwrap_or_default())
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.num_documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let text = term.value().as_str().unwrap_or_default().to_owned();
        let found = self.frequencies.get(&(term.field().field_id(), text));
        Ok(found.copied().unwrap_or_default().min(self.num_documents))
    }
}

/// Statistics of an index by itself: its lengths are added up once, and each term of a query is looked up once.
pub struct Own<'a> {
    segments: &'a [Segment],
    num_documents: u64,
    num_words: &'a [u64],
    looked_up: RefCell<Vec<Known>>,
}

/// A term: in how many documents it is, and where its list is in each segment.
struct Known {
    term: Term,
    count: u64,
    lists: Vec<Option<TermInfo>>,
}

impl<'a> Own<'a> {
    pub fn new(segments: &'a [Segment], num_documents: u64, num_words: &'a [u64]) -> Self {
        Self {
            segments,
            num_documents,
            num_words,
            looked_up: RefCell::default(),
        }
    }

    /// Where the list of a term is in a segment.
    pub fn list(&self, term: &Term, segment: usize) -> tantivy::Result<Option<TermInfo>> {
        self.find(term, |known| known.lists[segment].clone())
    }

    fn find<T>(&self, term: &Term, tell: impl Fn(&Known) -> T) -> tantivy::Result<T> {
        // a query has a few terms, and they are asked for in the order in which they came
        if let Some(known) = self
            .looked_up
            .borrow()
            .iter()
            .find(|known| known.term == *term)
        {
            return Ok(tell(known));
        }
        let mut known = Known {
            term: term.clone(),
            count: 0,
            lists: Vec::with_capacity(self.segments.len()),
        };
        for segment in self.segments {
            let found = segment.look_up(term)?;
            known.count += found.as_ref().map_or(0, |(_, count)| *count);
            known.lists.push(found.map(|(list, _)| list));
        }
        let told = tell(&known);
        self.looked_up.borrow_mut().push(known);
        Ok(told)
    }
}

impl Bm25StatisticsProvider for Own<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let number = field.field_id() as usize;
        Ok(self.num_words.get(number).copied().unwrap_or_default())
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.num_documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.find(term, |known| known.count)
    }
}
