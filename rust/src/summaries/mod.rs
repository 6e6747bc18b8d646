//! Archives of summaries: the words of pages counted, the counts coded and decoded.

pub mod ans;
pub mod codes;
pub mod contexts;
pub mod counting;
pub mod places;
pub mod sets;

use crate::collection::CollectionError;
use crate::collection::progress::Meter;
use rayon::prelude::*;
use std::fmt;

/// What can go wrong with an archive; `python/errors.rs` turns each case into an exception.
#[derive(Debug)]
pub enum SummariesError {
    /// Arrays that are no summaries: a mistake of the caller.
    Arrays(String),
    /// The summary of this number cannot be decoded.
    Damaged(u64),
    /// A file that is not what its name says.
    Format(String),
    /// Files, progress.
    Collection(CollectionError),
}

impl fmt::Display for SummariesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arrays(message) | Self::Format(message) => write!(f, "{message}"),
            Self::Damaged(ordinal) => write!(
                f,
                "summary {ordinal} of the archive cannot be decoded: the file is damaged or belongs to another archive; \
                 build the part again"
            ),
            Self::Collection(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SummariesError {}

impl From<CollectionError> for SummariesError {
    fn from(error: CollectionError) -> Self {
        Self::Collection(error)
    }
}

/// Summaries as rows: that of page i has the terms, ascending, and counts from `offsets[i]` to `offsets[i + 1]`.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub lengths: &'a [u32],
    pub offsets: &'a [u64],
    pub terms: &'a [u32],
    pub counts: &'a [u32],
}

impl<'a> Rows<'a> {
    /// Takes arrays for rows if they are.
    pub fn new(
        lengths: &'a [u32],
        offsets: &'a [u64],
        terms: &'a [u32],
        counts: &'a [u32],
        num_terms: u32,
    ) -> Result<Self, SummariesError> {
        let refuse = |message: &str| Err(SummariesError::Arrays(message.to_owned()));
        if offsets.len() != lengths.len() + 1 || terms.len() != counts.len() {
            return refuse(
                "rows: expected one offset more than lengths, and as many terms as counts",
            );
        }
        if offsets[0] != 0 || offsets.last() != Some(&(terms.len() as u64)) {
            return refuse("offsets: expected them to go from 0 to the number of terms");
        }
        if counts.contains(&0) {
            return refuse("counts: expected 1 or more");
        }
        for bounds in offsets.windows(2) {
            if bounds[0] > bounds[1] || bounds[1] > terms.len() as u64 {
                return refuse("offsets: expected them to grow");
            }
            let row = &terms[bounds[0] as usize..bounds[1] as usize];
            if row.windows(2).any(|pair| pair[0] >= pair[1])
                || row.last().is_some_and(|&last| last >= num_terms)
            {
                return refuse(
                    "terms: expected those of a row ascending, once each, below the number of terms",
                );
            }
        }
        Ok(Self {
            lengths,
            offsets,
            terms,
            counts,
        })
    }

    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Terms and counts of a row.
    pub fn row(&self, page: usize) -> (&'a [u32], &'a [u32]) {
        let bounds = self.offsets[page] as usize..self.offsets[page + 1] as usize;
        (&self.terms[bounds.clone()], &self.counts[bounds])
    }
}

/// Rows that were decoded.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Decoded {
    pub lengths: Vec<u32>,
    pub offsets: Vec<u64>,
    pub terms: Vec<u32>,
    pub counts: Vec<u32>,
}

/// Summaries that one thread decodes before it looks at the meter.
const PERIOD: usize = 1 << 8;

/// Decodes many summaries by threads, each with a state of its own, and puts them one behind the other.
fn gather<State>(
    ordinals: &[u64],
    meter: &Meter,
    state: impl Fn() -> State + Sync,
    decode: impl Fn(&mut State, u64, &mut Decoded) -> Result<(), SummariesError> + Sync,
) -> Result<Decoded, SummariesError> {
    let work = |ordinals: &[u64]| {
        let (mut state, mut found) = (state(), Decoded::default());
        for period in ordinals.chunks(PERIOD) {
            meter.advance(period.len() as u64)?;
            for &ordinal in period {
                decode(&mut state, ordinal, &mut found)?;
                found.offsets.push(found.terms.len() as u64);
            }
            // memory for all of them, by what the first ones took
            let rest = ordinals.len() - period.len();
            if found.lengths.len() == PERIOD && rest > 0 {
                let more = found.terms.len() * rest / PERIOD;
                found.terms.reserve(more);
                found.counts.reserve(more);
            }
        }
        Ok(found)
    };
    // one thread needs no pieces, which would be copied
    let pieces: Vec<Decoded> = if ordinals.len() <= PERIOD || rayon::current_num_threads() == 1 {
        vec![work(ordinals)?]
    } else {
        ordinals
            .par_chunks(
                ordinals
                    .len()
                    .div_ceil(4 * rayon::current_num_threads())
                    .max(PERIOD),
            )
            .map(work)
            .collect::<Result<_, SummariesError>>()?
    };
    let mut pieces = pieces.into_iter();
    let mut all = pieces.next().unwrap_or_default();
    all.offsets.insert(0, 0);
    for piece in pieces {
        let base = all.terms.len() as u64;
        all.lengths.extend_from_slice(&piece.lengths);
        all.offsets
            .extend(piece.offsets.iter().map(|end| base + end));
        all.terms.extend_from_slice(&piece.terms);
        all.counts.extend_from_slice(&piece.counts);
    }
    Ok(all)
}
