//! A place in a stream of bits, big-endian: the first bit is the highest of the first byte.
//!
//! Nothing after the end is read: bits there are 0, and the caller compares the position with the end afterwards.

use super::words::{BigEndian, Words};

/// What is wrong with a stream; the caller adds the file and the node.
pub type Damage = &'static str;

/// A place in a stream.
pub struct Cursor<'a> {
    words: BigEndian<'a>,
    pub position: u64,
}

impl<'a> Cursor<'a> {
    /// The words are as they are in the file.
    pub fn new(words: &'a [u64], position: u64) -> Self {
        let words = BigEndian(words);
        Self { words, position }
    }

    #[inline]
    fn word(&self, index: u64) -> u64 {
        self.words.word(index as usize).unwrap_or(0)
    }

    /// The bits around a position, to bring them into the processor's cache.
    #[inline]
    pub fn look(&self, position: u64) -> u64 {
        self.word(position / 64)
    }

    /// The next 64 bits.
    #[inline]
    pub fn peek(&self) -> u64 {
        let (place, shift) = (self.position / 64, self.position % 64);
        self.word(place) << shift | self.word(place + 1) >> 1 >> (63 - shift)
    }

    /// The next `width` bits as a number.
    #[inline]
    pub fn read(&mut self, width: u32) -> u64 {
        let found = self.peek() >> 1 >> (63 - width.min(63));
        let found = if width == 64 { self.peek() } else { found };
        self.skip(width);
        found
    }

    #[inline]
    pub fn skip(&mut self, width: u32) {
        self.position = self.position.saturating_add(width.into());
    }
}

/// The next bits of a stream, from which several codes are taken per read.
pub struct Near<'a, 'b> {
    cursor: &'b mut Cursor<'a>,
    pub(super) bits: u64,
    left: u32,
}

impl<'a, 'b> Near<'a, 'b> {
    pub fn new(cursor: &'b mut Cursor<'a>) -> Self {
        let bits = cursor.peek();
        Self {
            cursor,
            bits,
            left: 64,
        }
    }

    /// Moves the cursor after what was taken.
    pub fn finish(self) {
        self.cursor.skip(64 - self.left);
    }

    #[inline]
    pub(super) fn need(&mut self, width: u32) {
        if self.left < width {
            self.cursor.skip(64 - self.left);
            self.bits = self.cursor.peek();
            self.left = 64;
        }
    }

    #[inline]
    pub(super) fn skip(&mut self, width: u32) {
        self.bits <<= width;
        self.left -= width;
    }

    /// The next bits as a number, at most 32.
    #[inline]
    pub fn read(&mut self, width: u32) -> u64 {
        self.need(width);
        let found = self.bits >> 1 >> (63 - width);
        self.skip(width);
        found
    }
}
