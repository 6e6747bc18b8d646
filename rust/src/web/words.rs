//! Words of a text by the rules of Unicode (UAX #29), and the simhash of them.
//!
//! The rules are those of `webstrata.web.words`, which also makes the table of classes and that of folded letters from
//! Python's own data, so that both sides know the same letters. The simhash is that of `webstrata.store.simhash`.

use blake2::digest::consts::U8;
use blake2::{Blake2b, Digest};
use hashbrown::HashMap;

const KIND: u8 = 7;
const LETTER: u8 = 1;
const NUMBER: u8 = 2;
const KATAKANA: u8 = 3;
const SINGLE: u8 = 4;
const EXTEND: u8 = 5;
const MID_LETTER: u8 = 8;
const MID_NUMBER: u8 = 16;
const JOIN: u8 = 32;
const HEBREW: u8 = 64;
const ALPHANUMERIC: u8 = 128;

/// What is known of characters.
pub struct Words {
    /// For each code point its kind, one of the first five, and its flags; zeros behind the last are left out.
    classes: Vec<u8>,
    /// What a character becomes where case does not count, if that is not itself.
    folds: HashMap<char, String>,
}

impl Words {
    pub fn new(mut classes: Vec<u8>, folds: HashMap<char, String>) -> Self {
        classes.resize(classes.len().max(128), 0);
        Self { classes, folds }
    }

    /// Calls `found` with each word of a text, as it is written.
    pub fn each<'a>(&self, text: &'a str, mut found: impl FnMut(&'a str)) {
        let walk = Walk { words: self, text };
        let mut at = 0;
        while let Some((class, length)) = walk.look(at) {
            let begin = at;
            match class & KIND {
                LETTER | NUMBER | KATAKANA => at = walk.joined(walk.run(at)),
                SINGLE => at = walk.more(at + length),
                _ if class & JOIN != 0 => {
                    at = walk.joined(at);
                    if !walk.has(begin, at, ALPHANUMERIC) {
                        continue;
                    }
                }
                _ => {
                    at += length;
                    continue;
                }
            }
            found(&text[begin..at]);
        }
    }

    /// Replaces `out` by a word whose case does not count.
    fn fold(&self, word: &str, out: &mut String) {
        out.clear();
        if word.is_ascii() {
            out.push_str(word);
            out.make_ascii_lowercase();
            return;
        }
        for letter in word.chars() {
            match self.folds.get(&letter) {
                Some(folded) => out.push_str(folded),
                None => out.push(letter),
            }
        }
    }
}

struct Walk<'a> {
    words: &'a Words,
    text: &'a str,
}

impl Walk<'_> {
    /// The class of the character at `at`, and its bytes.
    fn look(&self, at: usize) -> Option<(u8, usize)> {
        let byte = *self.text.as_bytes().get(at)?;
        if byte < 128 {
            return Some((self.words.classes[usize::from(byte)], 1));
        }
        let letter = self.text[at..].chars().next()?;
        let class = self.words.classes.get(letter as usize);
        Some((class.copied().unwrap_or(0), letter.len_utf8()))
    }

    fn kind(&self, at: usize) -> u8 {
        self.look(at).map_or(0, |(class, _)| class & KIND)
    }

    fn has(&self, begin: usize, end: usize, flag: u8) -> bool {
        let mut at = begin;
        while at < end
            && let Some((class, length)) = self.look(at)
        {
            if class & flag != 0 {
                return true;
            }
            at += length;
        }
        false
    }

    /// Behind the marks that begin at `at`.
    fn more(&self, mut at: usize) -> usize {
        while let Some((class, length)) = self.look(at)
            && class & KIND == EXTEND
        {
            at += length;
        }
        at
    }

    /// Behind what `_` and its like join to a word.
    fn joined(&self, mut at: usize) -> usize {
        while let Some((class, length)) = self.look(at)
            && class & JOIN != 0
        {
            at = self.more(at + length);
            if matches!(self.kind(at), LETTER | NUMBER | KATAKANA) {
                at = self.run(at);
            }
        }
        at
    }

    /// Behind a run of letters and digits, or of Katakana.
    fn run(&self, mut at: usize) -> usize {
        let first = self.kind(at);
        if first == KATAKANA {
            return self.same(at, KATAKANA).0;
        }
        loop {
            let kind = self.kind(at);
            if kind != LETTER && kind != NUMBER {
                return at;
            }
            let last;
            (at, last) = self.same(at, kind);
            let Some((class, length)) = self.look(at) else {
                return at;
            };
            let middle = if kind == LETTER {
                MID_LETTER
            } else {
                MID_NUMBER
            };
            let behind = self.more(at + length);
            if class & middle != 0 && self.kind(behind) == kind {
                at = behind;
            } else if kind == LETTER && last & HEBREW != 0 {
                let is_hebrew = self
                    .look(behind)
                    .is_some_and(|(class, _)| class & HEBREW != 0);
                match self.text.as_bytes()[at] {
                    b'\'' => at = behind,
                    b'"' if is_hebrew => at = behind,
                    _ => {}
                }
            }
        }
    }

    /// Behind characters of one kind and their marks, and the class of the last character.
    fn same(&self, mut at: usize, kind: u8) -> (usize, u8) {
        let mut last = 0;
        while let Some((class, length)) = self.look(at)
            && (class & KIND == kind || class & KIND == EXTEND)
        {
            (at, last) = (at + length, class);
        }
        (at, last)
    }
}

/// Hashes of words that are kept; then it begins anew.
const CACHE: usize = 1 << 19;

/// Computes simhashes; one per thread, since it remembers the hashes of words.
#[derive(Default)]
pub struct Simhash {
    known: HashMap<Box<str>, u64>,
    folded: String,
}

impl Simhash {
    /// How many words a text has, and its simhash: of each bit, whether more than half of the words have it.
    pub fn of(&mut self, words: &Words, text: &str) -> (u32, u64) {
        // column i of the planes is a binary number: how many words have bit i
        let (mut planes, mut total) = ([0_u64; 32], 0);
        words.each(text, |word| {
            total += 1;
            let mut carry = self.hash(words, word);
            for plane in &mut planes {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
                if carry == 0 {
                    break;
                }
            }
        });
        let is_set = |bit: u32| {
            let digits = planes.iter().enumerate();
            let ones = digits.fold(0, |sum, (place, plane)| sum + ((plane >> bit & 1) << place));
            u64::from(2 * ones > u64::from(total)) << bit
        };
        (total, (0..64).map(is_set).sum())
    }

    fn hash(&mut self, words: &Words, word: &str) -> u64 {
        words.fold(word, &mut self.folded);
        if let Some(found) = self.known.get(self.folded.as_str()) {
            return *found;
        }
        let digest = Blake2b::<U8>::digest(self.folded.as_bytes());
        let found = u64::from_le_bytes(digest.into());
        if self.known.len() >= CACHE {
            self.known.clear();
        }
        self.known.insert(self.folded.as_str().into(), found);
        found
    }
}
