//! BM25 as tantivy and Lucene have it, for words that are scored here.

use super::evaluate::{Norms, Weights};
use super::query::Own;
use super::segment::Segment;
use tantivy::Term;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::TermInfo;
use tantivy::query::Bm25StatisticsProvider;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// What scores are made of, for one query.
pub struct Scoring<'a> {
    pub own: &'a Own<'a>,
    pub statistics: &'a dyn Bm25StatisticsProvider,
    pub norms: &'a [Norms],
}

impl Weights for Scoring<'_> {
    fn weight(&self, terms: &[Term]) -> tantivy::Result<f32> {
        let number = self.statistics.total_num_docs()?;
        let mut idf = 0.0f32;
        for term in terms {
            let count = self.statistics.doc_freq(term)?;
            let odds = ((number - count) as f32 + 0.5) / (count as f32 + 0.5);
            idf += (1.0 + odds).ln();
        }
        Ok(idf * (1.0 + K1))
    }

    fn norms(&self, field: usize) -> &Norms {
        &self.norms[field]
    }

    fn list(&self, term: &Term, segment: &Segment) -> tantivy::Result<Option<TermInfo>> {
        self.own.list(term, segment.place)
    }
}

/// For each code of a length what BM25 has below the line beside the count.
pub fn make_norms(num_words: u64, num_documents: u64) -> Norms {
    let mean = num_words as f32 / num_documents as f32;
    std::array::from_fn(|code| {
        let length = FieldNormReader::id_to_fieldnorm(code as u8);
        K1 * (1.0 - B + B * length as f32 / mean)
    })
}
