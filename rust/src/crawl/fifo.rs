//! Queues of short byte strings, one for each host, in memory that they share and that is there from the start.
//!
//! An arena is blocks of 256 bytes, `[next u32][bytes]`; a queue is a chain of blocks, its records `[length u32][bytes]`
//! written one behind the other across them. Blocks that were read go back. The memory that an arena is allowed is
//! touched when it is made: a crawl takes at its beginning what it will need, and does not grow into it.

const BLOCK: usize = 256;
const LINK: usize = 4;
/// Blocks in a piece of memory.
const SLAB: usize = 1 << 12;
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub struct Arena {
    slabs: Vec<Box<[u8]>>,
    free: Vec<u32>,
    used: usize,
}

impl Arena {
    /// One with room for so many bytes; it grows where more are needed.
    pub fn new(num_bytes: usize) -> Self {
        let mut arena = Self {
            slabs: Vec::new(),
            free: Vec::new(),
            used: 0,
        };
        while arena.slabs.len() * SLAB * BLOCK < num_bytes {
            arena.grow();
        }
        arena
    }

    fn grow(&mut self) {
        let first = (self.slabs.len() * SLAB) as u32;
        // not zeros, which the system gives without memory behind them
        self.slabs.push(vec![0xFF; SLAB * BLOCK].into());
        self.free.extend((first..first + SLAB as u32).rev());
    }

    fn take(&mut self) -> u32 {
        if self.free.is_empty() {
            self.grow();
        }
        self.used += 1;
        self.free.pop().unwrap_or(NONE)
    }

    fn give(&mut self, block: u32) {
        self.used -= 1;
        self.free.push(block);
    }

    /// Bytes of the blocks in use.
    pub fn num_bytes(&self) -> usize {
        self.used * BLOCK
    }

    fn block(&mut self, block: u32) -> &mut [u8] {
        let place = block as usize % SLAB * BLOCK;
        &mut self.slabs[block as usize / SLAB][place..place + BLOCK]
    }

    fn next(&mut self, block: u32) -> u32 {
        let mut link = [0; LINK];
        link.copy_from_slice(&self.block(block)[..LINK]);
        u32::from_le_bytes(link)
    }
}

/// Byte strings in the order in which they came; an empty one takes no block.
#[derive(Debug)]
pub struct Fifo {
    first: u32,
    last: u32,
    /// where the first block is read, and the last one written
    head: u16,
    tail: u16,
    len: u32,
    num_bytes: usize,
}

impl Default for Fifo {
    fn default() -> Self {
        Self {
            first: NONE,
            last: NONE,
            head: 0,
            tail: BLOCK as u16,
            len: 0,
            num_bytes: 0,
        }
    }
}

impl Fifo {
    pub fn push(&mut self, arena: &mut Arena, record: &[u8]) {
        self.write(arena, &(record.len() as u32).to_le_bytes());
        self.write(arena, record);
        self.len += 1;
    }

    fn write(&mut self, arena: &mut Arena, mut bytes: &[u8]) {
        self.num_bytes += bytes.len();
        while !bytes.is_empty() {
            if self.tail as usize == BLOCK {
                let fresh = arena.take();
                match self.last {
                    NONE => (self.first, self.head) = (fresh, LINK as u16),
                    last => arena.block(last)[..LINK].copy_from_slice(&fresh.to_le_bytes()),
                }
                (self.last, self.tail) = (fresh, LINK as u16);
            }
            let start = self.tail as usize;
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - start));
            arena.block(self.last)[start..start + now.len()].copy_from_slice(now);
            self.tail += now.len() as u16;
            bytes = later;
        }
    }

    /// Takes the oldest record; false if there is none.
    pub fn pop(&mut self, arena: &mut Arena, record: &mut Vec<u8>) -> bool {
        record.clear();
        if self.len == 0 {
            return false;
        }
        let mut length = [0; 4];
        self.read(arena, &mut length);
        record.resize(u32::from_le_bytes(length) as usize, 0);
        self.read(arena, record);
        self.len -= 1;
        if self.len == 0 {
            self.clear(arena);
        }
        true
    }

    fn read(&mut self, arena: &mut Arena, mut bytes: &mut [u8]) {
        self.num_bytes -= bytes.len();
        while !bytes.is_empty() {
            if self.head as usize == BLOCK {
                let next = arena.next(self.first);
                arena.give(std::mem::replace(&mut self.first, next));
                self.head = LINK as u16;
            }
            let start = self.head as usize;
            let (now, later) = bytes.split_at_mut(bytes.len().min(BLOCK - start));
            now.copy_from_slice(&arena.block(self.first)[start..start + now.len()]);
            self.head += now.len() as u16;
            bytes = later;
        }
    }

    /// Takes all records as they are, lengths and bytes.
    pub fn drain(&mut self, arena: &mut Arena, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.resize(self.num_bytes, 0);
        self.read(arena, bytes);
        self.clear(arena);
    }

    pub fn clear(&mut self, arena: &mut Arena) {
        while self.first != NONE {
            let block = self.first;
            self.first = match block == self.last {
                true => NONE,
                false => arena.next(block),
            };
            arena.give(block);
        }
        *self = Self::default();
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn len(&self) -> u64 {
        u64::from(self.len)
    }

    /// Bytes of the records and their lengths.
    pub fn num_bytes(&self) -> usize {
        self.num_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn queues_of_one_arena_are_queues(
            steps in prop::collection::vec((0usize..3, prop::option::of(0usize..700)), 0..300)
        ) {
            let mut arena = Arena::new(1);
            let mut queues: [Fifo; 3] = Default::default();
            let mut plain: [VecDeque<Vec<u8>>; 3] = Default::default();
            let mut record = Vec::new();
            for (number, (queue, size)) in steps.into_iter().enumerate() {
                match size {
                    Some(size) => {
                        let bytes = vec![number as u8; size];
                        queues[queue].push(&mut arena, &bytes);
                        plain[queue].push_back(bytes);
                    }
                    None => {
                        let found = queues[queue].pop(&mut arena, &mut record);
                        let expected = plain[queue].pop_front();
                        prop_assert_eq!(found.then_some(&record), expected.as_ref());
                    }
                }
                prop_assert_eq!(queues[queue].len(), plain[queue].len() as u64);
                let bytes: usize = plain[queue].iter().map(|record| record.len() + 4).sum();
                prop_assert_eq!(queues[queue].num_bytes(), bytes);
            }
            for (queue, plain) in queues.iter_mut().zip(&plain) {
                let mut expected = Vec::new();
                for record in plain {
                    expected.extend_from_slice(&(record.len() as u32).to_le_bytes());
                    expected.extend_from_slice(record);
                }
                queue.drain(&mut arena, &mut record);
                prop_assert_eq!(&record, &expected);
                prop_assert!(queue.is_empty());
            }
            prop_assert_eq!(arena.num_bytes(), 0);
        }
    }
}
