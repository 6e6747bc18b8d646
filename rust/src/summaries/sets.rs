//! Sets and places as Elias–Fano sequences of the crate `sux`: where summaries begin, which pages have none.

use super::SummariesError;
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use epserde::deser::{Deserialize, Flags, MemCase};
use epserde::ser::Serialize;
use std::io::BufWriter;
use std::path::Path;
use sux::dict::elias_fano::{EfSeq, EfSeqDict, EliasFanoBuilder};
use sux::traits::indexed_dict::{IndexedDict, Succ};
use value_traits::slices::SliceByValue;

fn builder(numbers: &[u64], most: u64) -> Result<EliasFanoBuilder<u64>, SummariesError> {
    let is_sorted = numbers.windows(2).all(|pair| pair[0] <= pair[1]);
    if !is_sorted || numbers.last().is_some_and(|&last| last > most) {
        return Err(SummariesError::Arrays(format!(
            "numbers: expected them ascending, up to {most}"
        )));
    }
    let mut found = EliasFanoBuilder::new(numbers.len(), most);
    numbers.iter().for_each(|&number| found.push(number));
    Ok(found)
}

/// Writes places in ascending order so that [`Places`] opens them.
pub fn write_places(path: &Path, places: &[u64]) -> Result<(), SummariesError> {
    let most = places.last().copied().unwrap_or(0);
    store(&builder(places, most)?.build_with_seq(), path)
}

fn store(sequence: &impl Serialize, path: &Path) -> Result<(), SummariesError> {
    let mut stream = BufWriter::new(Writer::create(path)?);
    // SAFETY: what epserde writes are the words of vectors, which have no padding
    let written = unsafe { sequence.serialize(&mut stream) };
    written.map_err(|error| {
        let error = std::io::Error::other(error.to_string());
        CollectionError::from_io(path, "write", error)
    })?;
    Ok(())
}

fn refuse(path: &Path, error: impl std::fmt::Display) -> SummariesError {
    SummariesError::Format(format!(
        "{}: this is no Elias–Fano sequence that can be read ({error}); build the part again",
        path.display()
    ))
}

fn readable(path: &Path) -> Result<(), SummariesError> {
    let opened = std::fs::File::open(path);
    opened.map_err(|error| CollectionError::from_io(path, "read", error))?;
    Ok(())
}

/// Where summaries begin, and behind them where the last one ends; mapped.
pub struct Places(MemCase<EfSeq<u64>>);

impl Places {
    pub fn open(path: &Path) -> Result<Self, SummariesError> {
        readable(path)?;
        // SAFETY: epserde compares the type's own hash in the header before it takes the bytes for one
        let found = unsafe { EfSeq::<u64>::mmap(path, Flags::empty()) };
        Ok(Self(found.map_err(|error| refuse(path, error))?))
    }

    pub fn len(&self) -> usize {
        SliceByValue::len(self.0.uncase())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a summary begins and ends.
    #[inline]
    pub fn get(&self, ordinal: u64) -> Option<(u64, u64)> {
        let places = self.0.uncase();
        let ordinal = ordinal as usize;
        (ordinal + 1 < SliceByValue::len(places))
            .then(|| (places.index_value(ordinal), places.index_value(ordinal + 1)))
    }
}

/// A set of numbers with rank and select.
pub enum Set {
    Built(Box<EfSeqDict<u64>>),
    Stored(MemCase<EfSeqDict<u64>>),
}

/// Both forms of a set have the same methods, and no common type.
macro_rules! with {
    ($set:expr, $found:ident => $answer:expr) => {
        match $set {
            Set::Built($found) => $answer,
            Set::Stored(stored) => {
                let $found = stored.uncase();
                $answer
            }
        }
    };
}

impl Set {
    /// Takes numbers ascending and once each, below `end`.
    pub fn new(numbers: &[u64], end: u64) -> Result<Self, SummariesError> {
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            let message = "numbers: expected each once".to_owned();
            return Err(SummariesError::Arrays(message));
        }
        let built = builder(numbers, end.saturating_sub(1))?;
        Ok(Self::Built(Box::new(built.build_with_seq_and_dict())))
    }

    pub fn open(path: &Path) -> Result<Self, SummariesError> {
        readable(path)?;
        // SAFETY: as for places
        let found = unsafe { EfSeqDict::<u64>::mmap(path, Flags::empty()) };
        Ok(Self::Stored(found.map_err(|error| refuse(path, error))?))
    }

    pub fn write(&self, path: &Path) -> Result<(), SummariesError> {
        match self {
            Self::Built(found) => store(&**found, path),
            Self::Stored(_) => Err(SummariesError::Arrays(
                "a set that is stored already is not written again".to_owned(),
            )),
        }
    }

    pub fn len(&self) -> usize {
        with!(self, found => SliceByValue::len(found))
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of its numbers are below a number.
    pub fn rank(&self, number: u64) -> u64 {
        let found = with!(self, found => found.succ(number).map(|(place, _)| place));
        found.unwrap_or_else(|| self.len()) as u64
    }

    /// The number that so many of its numbers are below.
    pub fn select(&self, rank: u64) -> Option<u64> {
        ((rank as usize) < self.len())
            .then(|| with!(self, found => found.index_value(rank as usize)))
    }

    pub fn contains(&self, number: u64) -> bool {
        with!(self, found => found.contains(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_select_and_membership_agree_with_a_plain_list() {
        for numbers in [
            vec![],
            vec![0],
            vec![3, 4, 9],
            (0..1000).step_by(7).collect(),
        ] {
            let set = Set::new(&numbers, 1000).unwrap();
            for number in 0..1000u64 {
                let below = numbers.iter().filter(|&&other| other < number).count();
                assert_eq!(set.rank(number), below as u64);
                assert_eq!(set.contains(number), numbers.contains(&number));
            }
            for (rank, &number) in numbers.iter().enumerate() {
                assert_eq!(set.select(rank as u64), Some(number));
            }
            assert_eq!(set.select(numbers.len() as u64), None);
        }
    }
}
