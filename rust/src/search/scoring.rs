//! BM25F (Robertson, Zaragoza and Taylor, CIKM 2004): the frequencies of a word in all fields are weighted and added before
//! they are saturated, and a document has one length.
//!
//! ```text
//! score(t, d) = idf(t) · (k₁ + 1) · x / (x + n(d))        x = Σ_f w_f · tf_f(t, d)
//! n(d) = k₁ · (1 − b + b · L(d) / mean L)                 L(d) = Σ_f v_f · |d_f|
//! idf(t) = ln(1 + (N − df + ½) / (df + ½))                df: documents with the term in any field
//! ```
//!
//! A phrase is scored as a word: x counts phrases, and its idf is the sum of those of its words.

use super::index::segment::Segment;
use super::query::{Own, Statistics};
use std::sync::{Arc, OnceLock};
use tantivy::fieldnorm::FieldNormReader;

pub const K1: f32 = 0.6;
pub const B: f32 = 0.8;

/// What a word of a field counts, and what it adds to the length of a document: w and v of the formula.
pub type Weights = (f32, f32);

/// The lengths of documents, as scores need them: n(d) of the formula.
pub struct Norms {
    /// What they were made for: weights of fields, documents, and words of each field.
    weights: Vec<Weights>,
    num_documents: u64,
    num_words: Vec<u64>,
    /// Of each field that counts for lengths what a document adds, by the code of its length.
    tables: Vec<(usize, [f32; 256])>,
    /// Of each segment the least of each entry's documents.
    least: Vec<OnceLock<Vec<f32>>>,
}

impl Norms {
    pub fn new(
        weights: &[Weights],
        num_documents: u64,
        num_words: &[u64],
        num_segments: usize,
    ) -> Self {
        let pairs = weights.iter().zip(num_words);
        let total: f64 = pairs
            .map(|(&(_, length), &words)| f64::from(length) * words as f64)
            .sum();
        let mean = total / num_documents.max(1) as f64;
        let mut tables = Vec::new();
        for (field, &(_, weight)) in weights.iter().enumerate() {
            if weight > 0.0 && mean > 0.0 {
                let table = std::array::from_fn(|code| {
                    let words = f64::from(FieldNormReader::id_to_fieldnorm(code as u8));
                    (f64::from(K1 * B) * f64::from(weight) * words / mean) as f32
                });
                tables.push((field, table));
            }
        }
        Self {
            weights: weights.to_vec(),
            num_documents,
            num_words: num_words.to_vec(),
            tables,
            least: (0..num_segments).map(|_| OnceLock::new()).collect(),
        }
    }

    pub fn is_for(&self, weights: &[Weights], num_documents: u64, num_words: &[u64]) -> bool {
        self.weights == weights
            && self.num_documents == num_documents
            && self.num_words == num_words
    }

    /// Calls `each` with that of every document of an entry, as they are listed.
    pub fn for_each(&self, segment: &Segment, entry: u32, mut each: impl FnMut(f32)) {
        // what all of them have in common, and what the field adds of which each has its own words
        let (mut common, mut own) = (K1 * (1.0 - B), None);
        for (field, table) in &self.tables {
            if *field == segment.shared() as usize {
                own = Some(table);
            } else {
                common += table[segment.entry_code(*field, entry) as usize];
            }
        }
        for listed in segment.listed(entry) {
            let added = own.map_or(0.0, |table| table[segment.own_code(listed) as usize]);
            each(common + added);
        }
    }

    /// Of each entry of a segment the least of its documents.
    pub fn least(&self, segment: &Segment) -> &[f32] {
        self.least[segment.place].get_or_init(|| {
            let entries = 0..segment.reader.max_doc();
            let least = entries.map(|entry| {
                let mut least = f32::MAX;
                self.for_each(segment, entry, |norm| least = least.min(norm));
                least
            });
            least.collect()
        })
    }
}

/// What scores are made of, for one query.
pub struct Scoring<'a> {
    pub own: &'a Own<'a>,
    /// Of all parts of the index; its own where there are none.
    pub statistics: Option<&'a Statistics>,
    pub norms: Arc<Norms>,
}

impl Scoring<'_> {
    /// What a field counts; 1 where a query names a field that has no weight.
    pub fn weight(&self, field: u32) -> f32 {
        let weights = self.norms.weights.get(field as usize);
        let weight = weights.map(|&(weight, _)| weight);
        weight.filter(|&weight| weight > 0.0).unwrap_or(1.0)
    }

    /// What some words score at most: the sum of idf · (k₁ + 1).
    pub fn most<T: AsRef<str>>(&self, texts: &[T]) -> tantivy::Result<f32> {
        let mut idf = 0.0f64;
        for text in texts {
            let text = text.as_ref();
            let (number, count) = match self.statistics {
                Some(given) => (given.num_documents, given.frequency(text)),
                None => (self.own.num_documents(), self.own.frequency(text)?),
            };
            let count = count.min(number);
            let odds = ((number - count) as f64 + 0.5) / (count as f64 + 0.5);
            idf += odds.ln_1p();
        }
        Ok((idf * f64::from(1.0 + K1)) as f32)
    }
}

/// What a word scores, given its weighted frequency.
pub fn saturate(most: f32, x: f32, norm: f32) -> f32 {
    most * (x / (x + norm))
}
