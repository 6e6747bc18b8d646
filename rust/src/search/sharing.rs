//! Versions of a text that share their words: a sequence has the words of the first version and, behind them, what later
//! ones have besides; each version is a list of runs over it.
//!
//! Runs are found greedily: where the next `GRAM` words of a version stand in the sequence, as many as agree are a run;
//! words that stand nowhere are put at its end (after the fragments of He, Yan and Suel, CIKM 2009, without their graph).

use hashbrown::HashMap;

/// A place where no word stands, between two sections of a text.
pub const GAP: u32 = 0;
/// Fewer words that agree are no run: it takes more room than they do.
const GRAM: usize = 4;

/// Some words of a sequence, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub start: u32,
    pub length: u32,
}

impl Run {
    pub fn end(&self) -> u32 {
        self.start + self.length
    }
}

#[derive(Default)]
pub struct Sequence {
    words: Vec<u32>,
    /// Where some words begin that stand one behind the other; the first place of each.
    places: HashMap<[u32; GRAM], u32>,
    /// How many beginnings were looked at.
    num_placed: usize,
}

impl Sequence {
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Takes a version in, and says of which runs it consists.
    pub fn take_in(&mut self, version: &[u32]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        if self.words.is_empty() {
            self.words.extend_from_slice(version);
            push(&mut runs, 0, version.len());
            return runs;
        }
        self.find_places();
        let known = self.words.len();
        let mut next = 0;
        // where the sequence would go on if as many of its words were replaced as stand behind the last run
        let mut aligned = 0;
        while next < version.len() {
            let (start, length) = self.longest(&version[next..], aligned, known);
            if length >= GRAM || (length > 0 && next + length == version.len()) {
                push(&mut runs, start, length);
                next += length;
                aligned = start + length;
            } else {
                push(&mut runs, self.words.len(), 1);
                self.words.push(version[next]);
                next += 1;
                aligned += 1;
            }
        }
        runs
    }

    /// Forgets all behind the first so many words.
    pub fn cut(&mut self, length: usize) {
        self.words.truncate(length);
        self.num_placed = self.num_placed.min(length.saturating_sub(GRAM - 1));
    }

    fn find_places(&mut self) {
        let last = self.words.len().saturating_sub(GRAM - 1);
        for start in self.num_placed..last {
            let place = self.places.entry(gram(&self.words[start..]));
            let place = place.or_insert(start as u32);
            *place = (*place).min(start as u32);
        }
        self.num_placed = self.num_placed.max(last);
    }

    /// Where most words agree with the next ones of a version, and how many; among the first `known` of the sequence.
    fn longest(&self, version: &[u32], aligned: usize, known: usize) -> (usize, usize) {
        let agree = |start: usize| {
            let own = self.words[..known].get(start..).unwrap_or_default();
            own.iter()
                .zip(version)
                .take_while(|(one, other)| one == other)
                .count()
        };
        let straight = (aligned, agree(aligned));
        if version.len() < GRAM {
            return straight;
        }
        let Some(&start) = self.places.get(&gram(version)) else {
            return straight;
        };
        let found = (start as usize, agree(start as usize));
        if found.1 > straight.1 {
            found
        } else {
            straight
        }
    }
}

fn gram(words: &[u32]) -> [u32; GRAM] {
    std::array::from_fn(|place| words[place])
}

/// Adds words to runs, to the last one where they go on from it.
fn push(runs: &mut Vec<Run>, start: usize, length: usize) {
    match runs.last_mut() {
        Some(last) if last.end() as usize == start => last.length += length as u32,
        _ if length == 0 => {}
        _ => runs.push(Run {
            start: start as u32,
            length: length as u32,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(sequence: &Sequence, runs: &[Run]) -> Vec<u32> {
        runs.iter()
            .flat_map(|run| &sequence.words()[run.start as usize..run.end() as usize])
            .copied()
            .collect()
    }

    #[test]
    fn versions_are_spelt_by_their_runs() {
        let mut sequence = Sequence::default();
        let versions: [Vec<u32>; 5] = [
            (1..40).collect(),
            (1..20).chain([90, 91]).chain(20..40).collect(),
            (10..40).chain(1..10).collect(),
            vec![],
            (1..5).chain([7, 7, 7, 7, 7, 7]).chain(30..40).collect(),
        ];
        let runs: Vec<Vec<Run>> = versions.iter().map(|one| sequence.take_in(one)).collect();
        for (version, runs) in versions.iter().zip(&runs) {
            assert_eq!(&spell(&sequence, runs), version);
        }
        assert_eq!(sequence.words().len(), 39 + 2 + 6);
        assert_eq!(runs[1].len(), 3);
    }

    #[test]
    fn what_was_cut_is_found_no_more() {
        let mut sequence = Sequence::default();
        let first: Vec<u32> = (1..20).collect();
        sequence.take_in(&first);
        sequence.take_in(&(100..120).collect::<Vec<u32>>());
        sequence.find_places();
        sequence.cut(first.len());
        let version: Vec<u32> = (100..110).chain(5..15).collect();
        let runs = sequence.take_in(&version);
        assert_eq!(spell(&sequence, &runs), version);
    }
}
