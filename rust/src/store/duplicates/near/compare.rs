//! What two texts have in common: the share of their words, and the cosine of their vectors of words.

use super::{CHUNK, Texts};
use crate::collection::Result;
use crate::collection::progress::Meter;
use crate::web::words::Words;
use rayon::prelude::*;
use std::hash::{BuildHasher, RandomState};

/// Numbers, each with how often it occurs, to be looked up.
struct Counts {
    slots: Vec<(u64, u32)>,
    /// Where there is something.
    places: Vec<u32>,
    shift: u32,
    /// Drawn, so that nobody can choose words that come to lie in one place.
    odd: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            places: Vec::new(),
            shift: 63,
            odd: RandomState::new().hash_one(0) | 1,
        }
    }
}

impl Counts {
    /// Makes room for so many different numbers, and forgets those there are.
    fn clear(&mut self, capacity: usize) {
        let size = (2 * capacity.max(1)).next_power_of_two();
        self.slots.clear();
        self.slots.resize(size, (0, 0));
        self.places.clear();
        self.shift = 64 - size.trailing_zeros();
    }

    #[inline]
    fn find(&self, number: u64) -> usize {
        let mut place = (number.wrapping_mul(self.odd) >> self.shift) as usize;
        loop {
            let (other, count) = self.slots[place];
            if other == number || count == 0 {
                return place;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn add(&mut self, number: u64, count: u32) {
        let place = self.find(number);
        if self.slots[place].1 == 0 {
            self.places.push(place as u32);
        }
        self.slots[place] = (number, self.slots[place].1 + count);
    }

    #[inline]
    fn get(&self, number: u64) -> u32 {
        self.slots[self.find(number)].1
    }

    fn entries(&self) -> impl Iterator<Item = (u64, u32)> {
        self.places.iter().map(|&place| self.slots[place as usize])
    }
}

/// The share of their words that each pair of texts has in common, and the cosine of their vectors of words; the meter
/// counts texts and pairs. Pairs are places among the texts.
pub fn compare(
    texts: Texts<'_>,
    pairs: &[(u32, u32)],
    words: &Words,
    meter: &Meter,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let mut is_asked = vec![false; texts.len()];
    for place in pairs.iter().flat_map(|&(a, b)| [a, b]) {
        if let Some(is_asked) = is_asked.get_mut(place as usize) {
            *is_asked = true;
        }
    }
    let vectors: Vec<Vector> = (0..texts.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .map_init(
            Default::default,
            |(found, counts): &mut (Vec<u64>, Counts), place| {
                found.clear();
                if is_asked[place] {
                    words.push_hashes(&texts.get(place), found);
                }
                counts.clear(found.len());
                found.iter().for_each(|&hash| counts.add(hash, 1));
                meter.advance(1)?;
                Ok(Vector {
                    entries: counts.entries().collect(),
                    sum: found.len() as u64,
                    square: counts
                        .entries()
                        .map(|(_, n)| u64::from(n) * u64::from(n))
                        .sum(),
                })
            },
        )
        .collect::<Result<_>>()?;
    let none = Vector::default();
    let vector = |place: u32| vectors.get(place as usize).unwrap_or(&none);
    let found: Vec<Vec<(f64, f64)>> = pairs
        .par_chunk_by(|one, two| one.0 == two.0)
        .map_init(Counts::default, |known, group| {
            let first = vector(group[0].0);
            known.clear(first.entries.len());
            first
                .entries
                .iter()
                .for_each(|&(hash, n)| known.add(hash, n));
            meter.advance(group.len() as u64)?;
            let others = group.iter().map(|&(_, b)| vector(b));
            Ok(others
                .map(|other| compare_vectors(first, known, other))
                .collect())
        })
        .collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().unzip())
}

/// How often each word occurs in a text, all of them, and the sum of the squares.
#[derive(Default)]
struct Vector {
    entries: Vec<(u64, u32)>,
    sum: u64,
    square: u64,
}

/// 2 Σ min(a, b) / (Σ a + Σ b), and a·b / √(a² b²); both 0 where one has no word.
fn compare_vectors(a: &Vector, known: &Counts, b: &Vector) -> (f64, f64) {
    let (mut same, mut product) = (0, 0);
    for &(hash, y) in &b.entries {
        let x = known.get(hash);
        same += u64::from(x.min(y));
        product += u64::from(x) * u64::from(y);
    }
    if a.sum == 0 || b.sum == 0 {
        return (0.0, 0.0);
    }
    (
        2.0 * same as f64 / (a.sum + b.sum) as f64,
        product as f64 / (a.square as f64 * b.square as f64).sqrt(),
    )
}
