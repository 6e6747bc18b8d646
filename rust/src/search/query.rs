//! Queries as Python builds them, and the statistics that they are scored by.

use super::SearchError;
use hashbrown::HashMap;
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
    pub fn to_query(&self, num_fields: usize) -> Result<Box<dyn Query>, SearchError> {
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
        Ok(match self {
            Self::Term(field, text, boost) => {
                let term = Term::from_field_text(find(*field)?, text);
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
            Self::Boolean(clauses) if clauses.is_empty() => Box::new(EmptyQuery),
            Self::Boolean(clauses) => {
                let made = clauses
                    .iter()
                    .map(|(occur, clause)| Ok((*occur, clause.to_query(num_fields)?)));
                Box::new(BooleanQuery::new(made.collect::<Result<_, SearchError>>()?))
            }
            Self::Filter(clause) => {
                Box::new(ConstScoreQuery::new(clause.to_query(num_fields)?, 0.0))
            }
            Self::All => Box::new(AllQuery),
        })
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

/// The given statistics, or those of the index itself.
pub fn provider<'a>(
    given: Option<&'a Statistics>,
    own: &'a Searcher,
) -> &'a dyn Bm25StatisticsProvider {
    match given {
        Some(given) => given,
        None => own,
    }
}
