//! Sets as Elias–Fano sequences of the crate `sux`: which pages have no summary.

use super::SummariesError;
use crate::bits::content::{Content, Mode, header_of};
use crate::bits::sux_list::SuxList;
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use epserde::ser::Serialize;
use std::io::BufWriter;
use std::path::Path;
use sux::dict::elias_fano::{EfSeqDict, EliasFanoBuilder};
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

/// A sequence of the same type as another, mapped, and where its parts are.
fn open(path: &Path, like: &impl Serialize) -> Result<(Content<u8>, SuxList), SummariesError> {
    let content = Content::<u8>::read(path, Mode::Map)?;
    let bytes = content.as_ref();
    let list = header_of(like)
        .filter(|header| bytes.starts_with(header))
        .and_then(|header| SuxList::find(bytes, header.len()));
    let list = list.ok_or_else(|| refuse(path))?;
    Ok((content, list))
}

fn refuse(path: &Path) -> SummariesError {
    SummariesError::Format(format!(
        "{}: expected an Elias–Fano sequence; the file is damaged or cut off, build the part again",
        path.display()
    ))
}

/// A set of numbers with rank and select.
pub struct Set(EfSeqDict<u64>);

impl Set {
    /// Takes numbers ascending and once each, below `end`.
    pub fn new(numbers: &[u64], end: u64) -> Result<Self, SummariesError> {
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            let message = "numbers: expected each once".to_owned();
            return Err(SummariesError::Arrays(message));
        }
        let built = builder(numbers, end.saturating_sub(1))?;
        Ok(Self(built.build_with_seq_and_dict()))
    }

    /// Reads a whole set, since the crate's ranks do not check untrusted bits.
    pub fn open(path: &Path) -> Result<Self, SummariesError> {
        let (content, list) = open(path, &builder(&[0], 0)?.build_with_seq_and_dict())?;
        let numbers: Option<Vec<u64>> = (0..list.count())
            .map(|place| list.get(content.as_ref(), place))
            .collect();
        let numbers = numbers.ok_or_else(|| refuse(path))?;
        Self::new(&numbers, list.last().saturating_add(1)).map_err(|_| refuse(path))
    }

    pub fn write(&self, path: &Path) -> Result<(), SummariesError> {
        store(&self.0, path)
    }

    pub fn len(&self) -> usize {
        SliceByValue::len(&self.0)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of its numbers are below a number.
    pub fn rank(&self, number: u64) -> u64 {
        let found = self.0.succ(number).map(|(place, _)| place);
        found.unwrap_or_else(|| self.len()) as u64
    }

    /// The number that so many of its numbers are below.
    pub fn select(&self, rank: u64) -> Option<u64> {
        ((rank as usize) < self.len()).then(|| self.0.index_value(rank as usize))
    }

    pub fn contains(&self, number: u64) -> bool {
        self.0.contains(number)
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
