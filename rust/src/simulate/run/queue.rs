//! Pages that were found and not yet fetched, the best first: a heap that knows where each of its pages is.

/// A page in a queue: the larger key is better, of equal ones the page that was found earlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub key: f64,
    pub order: u32,
    pub node: u32,
}

impl Entry {
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        self.key > other.key || (self.key == other.key && self.order < other.order)
    }
}

/// One queue. `places` says of every node where in its queue it stands; several queues share it.
#[derive(Default)]
pub struct Queue(Vec<Entry>);

impl Queue {
    pub fn best(&self) -> Option<Entry> {
        self.0.first().copied()
    }

    pub fn key(&self, place: u32) -> f64 {
        self.0[place as usize].key
    }

    /// True if the page is the best now.
    pub fn push(&mut self, entry: Entry, places: &mut [u32]) -> bool {
        self.0.push(entry);
        self.rise(self.0.len() - 1, places) == 0
    }

    /// Gives a page another key; true if the best page, or its key, is another one now.
    pub fn change(&mut self, place: u32, key: f64, places: &mut [u32]) -> bool {
        let place = place as usize;
        let rises = key > self.0[place].key;
        self.0[place].key = key;
        if rises {
            self.rise(place, places) == 0
        } else {
            self.sink(place, places);
            place == 0
        }
    }

    pub fn pop(&mut self, places: &mut [u32]) -> Option<Entry> {
        let best = self.best()?;
        let last = self.0.pop()?;
        if !self.0.is_empty() {
            self.0[0] = last;
            self.sink(0, places);
        }
        Some(best)
    }

    /// Forgets all pages.
    pub fn clear(&mut self) {
        self.0 = Vec::new();
    }

    /// Gives all pages other keys, those excepted that come first in any case.
    pub fn change_all(&mut self, mut key: impl FnMut(u32) -> f64, places: &mut [u32]) {
        for entry in self.0.iter_mut().filter(|entry| entry.key < f64::INFINITY) {
            entry.key = key(entry.node);
        }
        for place in (0..self.0.len() / 2).rev() {
            self.sink(place, places);
        }
        for (place, entry) in self.0.iter().enumerate() {
            places[entry.node as usize] = place as u32;
        }
    }

    fn rise(&mut self, mut place: usize, places: &mut [u32]) -> usize {
        let entry = self.0[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if !entry.is_before(&self.0[parent]) {
                break;
            }
            self.put(place, self.0[parent], places);
            place = parent;
        }
        self.put(place, entry, places);
        place
    }

    fn sink(&mut self, mut place: usize, places: &mut [u32]) {
        let entry = self.0[place];
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.0.len() && self.0[child + 1].is_before(&self.0[child]) {
                child += 1;
            }
            if child >= self.0.len() || !self.0[child].is_before(&entry) {
                break;
            }
            self.put(place, self.0[child], places);
            place = child;
        }
        self.put(place, entry, places);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: Entry, places: &mut [u32]) {
        self.0[place] = entry;
        places[entry.node as usize] = place as u32;
    }
}
