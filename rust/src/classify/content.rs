//! What is counted in the text of a page: words, popular ones among them, n-grams, compressed bytes.
//!
//! `webstrata.classify.features.pages` makes features of the counts; what each is stands there. Words are those of `web::words`,
//! known by the hashes of their folded forms.

use crate::web::words::Words;
use hashbrown::HashMap;
use libdeflater::{CompressionLvl, Compressor};
use rayon::prelude::*;

/// Lists of popular words: those of the corpus, those of queries.
pub const LISTS: usize = 2;
/// How long the lists are taken to be: each level has the words of those before it, and more.
pub const LEVELS: usize = 4;
/// A word of the other list alone.
const ABSENT: u8 = u8::MAX;
/// Words, words of the title, characters of words, bytes, compressed bytes; for each list what occurs, by level, and how
/// many different ones do; likelihood and entropy of n-grams.
pub const NUM_COUNTS: usize = 5 + 2 * LISTS * LEVELS + 2;
/// Odd, and without a pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// What pages are measured by.
pub struct Measures {
    /// The place of a word among those listed.
    places: HashMap<u64, u32>,
    /// In each list the level from which on a word counts.
    levels: Vec<[u8; LISTS]>,
    ngram: usize,
    compression: CompressionLvl,
}

/// What one thread needs.
pub(super) struct Scratch {
    folded: String,
    hashes: Vec<u64>,
    packed: Vec<u8>,
    compressor: Compressor,
    /// The page that a listed word was last seen in, counted from 1.
    seen: Vec<u32>,
    page: u32,
}

impl Measures {
    /// `compression` is a level of DEFLATE, as gzip counts them.
    pub fn new(words: &[u64], levels: &[u8], ngram: usize, compression: i32) -> Option<Self> {
        if levels.len() != words.len() * LISTS || ngram == 0 {
            return None;
        }
        let compression = CompressionLvl::new(compression).ok()?;
        let levels = levels.chunks_exact(LISTS).map(|pair| [pair[0], pair[1]]);
        let places = words.iter().zip(0..).map(|(&word, place)| (word, place));
        Some(Self {
            places: places.collect(),
            levels: levels.collect(),
            ngram,
            compression,
        })
    }

    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            folded: String::new(),
            hashes: Vec::new(),
            packed: Vec::new(),
            compressor: Compressor::new(self.compression),
            seen: vec![0; self.levels.len()],
            page: 0,
        }
    }

    /// The counts of each page, given title and text.
    pub fn measure(&self, words: &Words, pages: &[(&str, &str)]) -> Vec<f64> {
        let mut found = vec![0.0; pages.len() * NUM_COUNTS];
        let rows = found.par_chunks_exact_mut(NUM_COUNTS);
        rows.zip_eq(pages.par_iter())
            .with_min_len(16)
            .for_each_init(
                || self.scratch(),
                |scratch, (row, (title, text))| {
                    self.count_page(words, title, text, scratch, row);
                    scratch.measure_ngrams(self.ngram, row);
                },
            );
        found
    }

    /// All counts of a page but those of n-grams; the hashes of its words are left in `scratch`.
    fn count_page(
        &self,
        words: &Words,
        title: &str,
        text: &str,
        scratch: &mut Scratch,
        row: &mut [f64],
    ) {
        scratch.page += 1;
        scratch.hashes.clear();
        let mut characters = 0;
        words.for_each(title, |_, _| row[1] += 1.0);
        words.for_each(text, |begin, end| {
            let bytes = &text.as_bytes()[begin..end];
            characters += bytes.iter().filter(|&&byte| byte as i8 >= -64).count();
            let hash = words.hash(text, begin, end, &mut scratch.folded);
            scratch.hashes.push(hash);
            let Some(&place) = self.places.get(&hash) else {
                return;
            };
            let stamp = &mut scratch.seen[place as usize];
            let is_new = *stamp != scratch.page;
            *stamp = scratch.page;
            for (list, &level) in self.levels[place as usize].iter().enumerate() {
                if level != ABSENT {
                    let at = 5 + 2 * LEVELS * list + usize::from(level).min(LEVELS - 1);
                    row[at] += 1.0;
                    row[at + LEVELS] += f64::from(u8::from(is_new));
                }
            }
        });
        row[0] = scratch.hashes.len() as f64;
        row[2] = characters as f64;
        row[3] = text.len() as f64;
        row[4] = scratch.compressed_size(text.as_bytes()) as f64;
    }

    /// The counts of a page, and the hashes of its words behind those that are there.
    pub(super) fn measure_one(
        &self,
        words: &Words,
        (title, text): (&str, &str),
        scratch: &mut Scratch,
        row: &mut [f64],
        hashes: &mut Vec<u64>,
    ) {
        self.count_page(words, title, text, scratch, row);
        hashes.extend_from_slice(&scratch.hashes);
        scratch.measure_ngrams(self.ngram, row);
    }
}

impl Scratch {
    fn compressed_size(&mut self, text: &[u8]) -> usize {
        let bound = self.compressor.zlib_compress_bound(text.len());
        if self.packed.len() < bound {
            self.packed.resize(bound, 0);
        }
        // it fails where the result does not fit, and the bound is large enough
        let size = self.compressor.zlib_compress(text, &mut self.packed);
        size.unwrap_or(text.len())
    }

    /// −1/k Σ ln p and −Σ p ln p over the k different n-grams, p the share of each; no numbers where there is none.
    fn measure_ngrams(&mut self, ngram: usize, row: &mut [f64]) {
        let told = &mut row[NUM_COUNTS - 2..];
        if self.hashes.len() < ngram {
            return told.fill(f64::NAN);
        }
        // each is put where its first word was
        let total = self.hashes.len() + 1 - ngram;
        for begin in 0..total {
            let words = &self.hashes[begin..begin + ngram];
            let combined = words.iter().fold(0_u64, |found, &word| {
                (found.rotate_left(29) ^ word).wrapping_mul(FACTOR)
            });
            self.hashes[begin] = combined;
        }
        self.hashes.truncate(total);
        self.hashes.sort_unstable();
        let (mut different, mut logs, mut entropy) = (0.0, 0.0, 0.0);
        // most n-grams occur as often as the one before: once
        let (mut occurs, mut share, mut log) = (0, 0.0, 0.0);
        for same in self.hashes.chunk_by(|one, other| one == other) {
            if same.len() != occurs {
                occurs = same.len();
                share = occurs as f64 / total as f64;
                log = share.ln();
            }
            different += 1.0;
            logs -= log;
            entropy -= share * log;
        }
        told.copy_from_slice(&[logs / different, entropy]);
    }
}

/// The number of words of each text.
pub fn count_words(words: &Words, texts: &[&str]) -> Vec<u32> {
    let count = |text: &&str| {
        let mut found = 0;
        words.for_each(text, |_, _| found += 1);
        found
    };
    texts.par_iter().with_min_len(256).map(count).collect()
}
