//! Where the labels of a node begin: an Elias–Fano list, big-endian, with the position of every 128th one.
//!
//! `samples` has the position of each of these ones less its number, in 32 bits. Values that the words do not have come
//! out as `u64::MAX`.

use crate::bits::elias_fano::EliasFano;
use crate::bits::words::{BigEndian, Words};

/// Values between two samples.
const SAMPLE: usize = 128;

#[derive(Clone, Copy)]
pub struct Pointers<'a> {
    pub list: EliasFano<BigEndian<'a>>,
    pub samples: BigEndian<'a>,
}

impl Pointers<'_> {
    #[inline]
    pub fn get(&self, nth: usize) -> u64 {
        self.find(nth).unwrap_or(u64::MAX)
    }

    #[inline]
    fn find(&self, nth: usize) -> Option<u64> {
        let sample = nth / SAMPLE;
        let start = self.samples.number(32 * sample as u64, 32)? + (sample * SAMPLE) as u64;
        self.list.get(nth as u64, start, (nth % SAMPLE) as u32)
    }
}
