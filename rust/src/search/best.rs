//! The best documents that were found so far, and what is needed to come in.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Who takes what was found.
pub trait Takes {
    /// What does not score more cannot come in.
    fn threshold(&self) -> f32;
    fn counts(&self, document: u32) -> bool;
    fn offer(&mut self, document: u32, score: f32);
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

/// The best so far.
pub struct Best<'a> {
    hits: BinaryHeap<Hit>,
    limit: usize,
    choice: &'a Choice<'a>,
}

impl<'a> Best<'a> {
    pub fn new(limit: usize, choice: &'a Choice<'a>) -> Self {
        Self {
            hits: BinaryHeap::with_capacity(limit.min(1 << 16) + 1),
            limit,
            choice,
        }
    }

    pub fn into_sorted_vec(self) -> Vec<Hit> {
        self.hits.into_sorted_vec()
    }
}

impl Takes for Best<'_> {
    fn counts(&self, document: u32) -> bool {
        self.choice.labels[document as usize] & self.choice.mask != 0
    }

    fn offer(&mut self, document: u32, text_score: f32) {
        let factors = self.choice.factors;
        let score = factors.map_or(text_score, |all| text_score * all[document as usize]);
        let hit = Hit {
            score,
            text_score,
            document,
        };
        if self.hits.len() < self.limit {
            self.hits.push(hit);
        } else if self.hits.peek().is_some_and(|worst| hit < *worst) {
            self.hits.pop();
            self.hits.push(hit);
        }
    }

    /// What does not score more for its text cannot come in, whatever its factor.
    fn threshold(&self) -> f32 {
        match self.hits.peek() {
            Some(worst) if self.hits.len() == self.limit => match self.choice.factors {
                // of equal ones the earlier counts, which may come later
                None => worst.score.next_down(),
                // a little room for rounding
                Some(_) => worst.score / self.choice.most * (1.0 - 1e-6),
            },
            _ => f32::MIN,
        }
    }
}
