//! Queries as Python builds them, and the statistics that they are scored by.

use super::SearchError;
use hashbrown::HashMap;
use std::cell::RefCell;
use tantivy::query::{
    AllQuery, Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur,
    PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

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

impl Clause {
    /// The query of tantivy, without the terms that no document has: each would cost a table of scores.
    pub fn to_query(
        &self,
        num_fields: usize,
        is_known: &dyn Fn(&Term) -> bool,
    ) -> Result<Box<dyn Query>, SearchError> {
        Ok(self
            .to_known(num_fields, is_known)?
            .unwrap_or_else(|| Box::new(EmptyQuery)))
    }

    /// The query, or nothing where it cannot match.
    fn to_known(
        &self,
        num_fields: usize,
        is_known: &dyn Fn(&Term) -> bool,
    ) -> Result<Option<Box<dyn Query>>, SearchError> {
        let find = |number: u32| {
            if (number as usize) < num_fields {
                return Ok(Field::from_field_id(number));
            }
            Err(SearchError::Arguments(format!(
                "query: expected a field below {num_fields}, got {number}"
            )))
        };
        let boosted = |query: Box<dyn Query>, boost: f32| -> Box<dyn Query> {
            if boost == 1.0 {
                query
            } else {
                Box::new(BoostQuery::new(query, boost))
            }
        };
        Ok(Some(match self {
            Self::Term(field, text, boost) => {
                let term = Term::from_field_text(find(*field)?, text);
                if !is_known(&term) {
                    return Ok(None);
                }
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                boosted(Box::new(query), *boost)
            }
            Self::Phrase(field, texts, boost) => {
                let field = find(*field)?;
                let terms: Vec<Term> = texts
                    .iter()
                    .map(|text| Term::from_field_text(field, text))
                    .collect();
                if terms.len() < 2 {
                    return Err(SearchError::Arguments(
                        "query: expected two terms or more in a phrase".to_owned(),
                    ));
                }
                boosted(Box::new(PhraseQuery::new(terms)), *boost)
            }
            Self::Boolean(clauses) => {
                let mut made = Vec::with_capacity(clauses.len());
                for (occur, clause) in clauses {
                    match (occur, clause.to_known(num_fields, is_known)?) {
                        (_, Some(query)) => made.push((*occur, query)),
                        (Occur::Must, None) => return Ok(None),
                        _ => {}
                    }
                }
                if made.is_empty() {
                    return Ok(None);
                }
                Box::new(BooleanQuery::new(made))
            }
            Self::Filter(clause) => match clause.to_known(num_fields, is_known)? {
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
    pub searcher: &'a Searcher,
    pub num_documents: u64,
    pub num_words: &'a [u64],
    looked_up: RefCell<Vec<(Term, u64)>>,
}

impl<'a> Own<'a> {
    pub fn new(searcher: &'a Searcher, num_documents: u64, num_words: &'a [u64]) -> Self {
        Self {
            searcher,
            num_documents,
            num_words,
            looked_up: RefCell::default(),
        }
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
        // a query has a few terms, and they are asked for in the order in which they came
        if let Some((_, count)) = self
            .looked_up
            .borrow()
            .iter()
            .find(|(each, _)| each == term)
        {
            return Ok(*count);
        }
        let count = self.searcher.doc_freq(term)?;
        self.looked_up.borrow_mut().push((term.clone(), count));
        Ok(count)
    }
}
