//! The URL cache in front of the sieve: the hashes met last, in a fixed number of bytes.
//!
//! Sets of eight hashes, each set a line of the processor's cache, in the order of their last use; a hash that comes in
//! pushes the last one of its set out. Hashes are kept whole, so a hash that never came in is never taken for one
//! that did; one that was pushed out is called new again, which costs the sieve a record.

const WAYS: usize = 8;
const LINE: usize = WAYS * 8;

#[derive(Debug)]
pub struct UrlCache {
    /// 0 is an empty place.
    slots: Vec<u64>,
    /// The first slot at the beginning of a line.
    start: usize,
    num_sets: usize,
    /// Whether the hash 0 came in.
    has_zero: bool,
}

impl UrlCache {
    /// A cache of `bytes`, at least one set; memory is taken as sets are used.
    pub fn new(bytes: usize) -> Self {
        let num_sets = (bytes / LINE).max(1);
        let slots = vec![0; (num_sets + 1) * WAYS];
        let start = slots.as_ptr().align_offset(LINE).min(WAYS);
        Self {
            slots,
            start,
            num_sets,
            has_zero: false,
        }
    }

    /// Forgets all of it.
    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.has_zero = false;
    }

    /// Takes a hash in, and tells whether it was not there.
    #[inline]
    pub fn insert(&mut self, hash: u64) -> bool {
        if hash == 0 {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        let first = self.find_set(hash);
        // of one length, so that all eight are compared at once
        let Some(line) = self.slots[first..].first_chunk_mut::<WAYS>() else {
            return true;
        };
        let is_here = |seen: u32, way: usize| seen | u32::from(line[way] == hash) << way;
        let place = (0..WAYS).fold(0, is_here).trailing_zeros() as usize;
        for way in (1..=place.min(WAYS - 1)).rev() {
            line[way] = line[way - 1];
        }
        line[0] = hash;
        place >= WAYS
    }

    /// How many hashes are to be touched at once.
    pub const GROUP: usize = 16;

    /// Has memory bring the sets of some hashes, all at once, so that taking them in waits once and not for each.
    pub fn touch(&self, hashes: &[u64]) {
        let sets = hashes.iter().map(|&hash| self.slots[self.find_set(hash)]);
        std::hint::black_box(sets.fold(0, |sum, slot| sum ^ slot));
    }

    /// The same as [`UrlCache::insert`] for many, in their order, and in half the time.
    pub fn insert_many(&mut self, hashes: &[u64], mut answer: impl FnMut(bool)) {
        for group in hashes.chunks(Self::GROUP) {
            self.touch(group);
            for &hash in group {
                answer(self.insert(hash));
            }
        }
    }

    fn find_set(&self, hash: u64) -> usize {
        // mixed once more, so that hashes that differ little are not all in one set
        let mixed = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let set = ((u128::from(mixed) * self.num_sets as u128) >> 64) as usize;
        self.start + set * WAYS
    }

    pub fn num_bytes(&self) -> usize {
        self.num_sets * LINE
    }
}
