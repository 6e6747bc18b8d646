//! Words of texts to terms and their counts: folded, without stop words, stemmed.
//!
//! Each different word is stemmed once; a page is then a look-up a word. Terms are numbered as they come, and in the end
//! by their bytes.

use crate::web::words::Words;
use frostem::Stemmer;
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// What a word is that is no term.
const STOPPED: u32 = u32::MAX;

/// Counts terms page by page.
pub struct Counter {
    words: Arc<Words>,
    stemmer: Option<Stemmer>,
    stop_words: HashSet<String>,
    /// What term each word is.
    known: HashMap<Box<str>, u32>,
    terms: HashMap<Box<str>, u32>,
    document_counts: Vec<u32>,
    total_counts: Vec<u64>,
    /// Counts of the page at hand, by term.
    now: Vec<u32>,
    pub lengths: Vec<u32>,
    pub offsets: Vec<u64>,
    pub found: Vec<u32>,
    pub counts: Vec<u32>,
}

/// The terms of a counter in the order of their bytes.
pub struct Vocabulary {
    pub ends: Vec<i64>,
    pub bytes: Vec<u8>,
    pub document_counts: Vec<u32>,
    pub total_counts: Vec<u64>,
}

impl Counter {
    pub fn new(words: Arc<Words>, stemmer: Option<Stemmer>, stop_words: HashSet<String>) -> Self {
        Self {
            words,
            stemmer,
            stop_words,
            known: HashMap::new(),
            terms: HashMap::new(),
            document_counts: Vec::new(),
            total_counts: Vec::new(),
            now: Vec::new(),
            lengths: Vec::new(),
            offsets: vec![0],
            found: Vec::new(),
            counts: Vec::new(),
        }
    }

    pub fn num_terms(&self) -> usize {
        self.terms.len()
    }

    /// Counts the words of the next page.
    pub fn add(&mut self, text: &str) {
        let words = Arc::clone(&self.words);
        let (mut folded, mut length) = (String::new(), 0u32);
        let first = self.found.len();
        words.for_each(text, |begin, end| {
            length = length.saturating_add(1);
            words.fold(&text[begin..end], &mut folded);
            let term = match self.known.get(folded.as_str()) {
                Some(&term) => term,
                None => self.learn(&folded),
            };
            if term == STOPPED {
                return;
            }
            let count = &mut self.now[term as usize];
            if *count == 0 {
                self.found.push(term);
            }
            *count = count.saturating_add(1);
        });
        for &term in &self.found[first..] {
            let count = std::mem::take(&mut self.now[term as usize]);
            self.document_counts[term as usize] += 1;
            self.total_counts[term as usize] += u64::from(count);
            self.counts.push(count);
        }
        self.lengths.push(length);
        self.offsets.push(self.found.len() as u64);
    }

    fn learn(&mut self, word: &str) -> u32 {
        let mut term = STOPPED;
        if !self.stop_words.contains(word) {
            let stem = self.stemmer.map(|stemmer| stemmer.stem(word));
            let stem = stem.as_deref().unwrap_or(word);
            // a stemmer may leave nothing of a word
            let stem = if stem.is_empty() { word } else { stem };
            term = match self.terms.get(stem) {
                Some(&term) => term,
                None => {
                    let term = self.terms.len() as u32;
                    self.terms.insert(stem.into(), term);
                    self.document_counts.push(0);
                    self.total_counts.push(0);
                    self.now.push(0);
                    term
                }
            };
        }
        self.known.insert(word.into(), term);
        term
    }

    /// Numbers the terms by their bytes, in the rows too.
    pub fn finish(&mut self) -> Vocabulary {
        self.known.clear();
        let mut terms: Vec<(Box<str>, u32)> = std::mem::take(&mut self.terms).into_iter().collect();
        terms.sort_unstable();
        let mut places = vec![0; terms.len()];
        let mut vocabulary = Vocabulary {
            ends: vec![0],
            bytes: Vec::new(),
            document_counts: Vec::with_capacity(terms.len()),
            total_counts: Vec::with_capacity(terms.len()),
        };
        for (place, (term, number)) in terms.iter().enumerate() {
            places[*number as usize] = place as u32;
            vocabulary.bytes.extend_from_slice(term.as_bytes());
            vocabulary.ends.push(vocabulary.bytes.len() as i64);
            vocabulary
                .document_counts
                .push(self.document_counts[*number as usize]);
            vocabulary
                .total_counts
                .push(self.total_counts[*number as usize]);
        }
        self.found
            .iter_mut()
            .for_each(|term| *term = places[*term as usize]);
        self.document_counts.clear();
        self.total_counts.clear();
        self.now.clear();
        vocabulary
    }
}
