//! Words of a text by the rules of Unicode (UAX #29), and their hashes: what `webstrata.web.words` defines, in one pass.
//!
//! The classes of characters and the case folding come from Python's tables, so that both sides know the same letters.

use blake2::digest::consts::U8;
use blake2::{Blake2b, Digest};
use hashbrown::HashMap;
use std::sync::Mutex;

const KIND: u8 = 7;
const LETTER: u8 = 1;
const NUMBER: u8 = 2;
const KATAKANA: u8 = 3;
const SINGLE: u8 = 4;
const EXTEND: u8 = 5;
const JOIN: u8 = 6;
const MID_LETTER: u8 = 8;
const MID_NUMBER: u8 = 16;
const HEBREW: u8 = 32;
const ALPHANUMERIC: u8 = 64;

pub const NUM_CODES: usize = 0x11_0000;

pub struct Words {
    classes: Vec<u8>,
    /// Classes by byte; none where it is not ASCII.
    ascii: [u8; 256],
    folds: HashMap<char, String>,
    /// Memories of hashes that nobody uses now.
    idle: Mutex<Vec<Vec<Kept>>>,
}

impl Words {
    /// Takes the class of every code point, and what those that change become when case is folded.
    pub fn new(mut classes: Vec<u8>, folds: impl IntoIterator<Item = (char, String)>) -> Self {
        classes.resize(NUM_CODES, 0);
        let mut ascii = [0; 256];
        ascii[..128].copy_from_slice(&classes[..128]);
        Self {
            classes,
            ascii,
            folds: folds.into_iter().collect(),
            idle: Mutex::default(),
        }
    }

    /// Calls `each` with every word, as it is written.
    pub fn for_each<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str)) {
        let mut at = 0;
        while let Some((class, after)) = self.class(text, at) {
            let begin = at;
            match class & KIND {
                LETTER | NUMBER | KATAKANA => {
                    at = self.skip_joined(text, self.skip_run(text, at));
                    each(&text[begin..at]);
                }
                JOIN => {
                    at = self.skip_joined(text, at);
                    // joining characters alone are no word
                    let mut codes = text[begin..at].chars();
                    if codes.any(|code| self.classes[code as usize] & ALPHANUMERIC != 0) {
                        each(&text[begin..at]);
                    }
                }
                SINGLE => {
                    at = self.skip(text, after, |kind| kind == EXTEND);
                    each(&text[begin..at]);
                }
                _ => {
                    at = after;
                    let plain = text.as_bytes()[at..].iter();
                    at += plain
                        .take_while(|&&byte| {
                            byte < 0x80 && self.ascii[usize::from(byte)] & KIND == 0
                        })
                        .count();
                }
            }
        }
    }

    /// Writes the word with its case folded.
    pub fn fold(&self, word: &str, out: &mut String) {
        out.clear();
        if word.is_ascii() {
            out.push_str(word);
            out.make_ascii_lowercase();
            return;
        }
        for code in word.chars() {
            match self.folds.get(&code) {
                Some(folded) => out.push_str(folded),
                None => out.push(code),
            }
        }
    }

    /// The class of the character at a place, and the place behind it.
    #[inline]
    fn class(&self, text: &str, at: usize) -> Option<(u8, usize)> {
        let byte = *text.as_bytes().get(at)?;
        if byte < 0x80 {
            return Some((self.ascii[usize::from(byte)], at + 1));
        }
        let code = text[at..].chars().next()?;
        Some((self.classes[code as usize], at + code.len_utf8()))
    }

    #[inline]
    fn skip(&self, text: &str, mut at: usize, wanted: impl Fn(u8) -> bool) -> usize {
        while let Some((class, after)) = self.class(text, at) {
            if !wanted(class & KIND) {
                break;
            }
            at = after;
        }
        at
    }

    /// Passes over letters and numbers that stay together, or over Katakana; stays where there is neither.
    fn skip_run(&self, text: &str, begin: usize) -> usize {
        let mut at = begin;
        while let Some((class, _)) = self.class(text, at) {
            let kind = class & KIND;
            match kind {
                LETTER | NUMBER => {
                    let mut last = 0;
                    // most letters are ASCII, and none of those is Hebrew
                    let plain = text.as_bytes()[at..].iter();
                    at += plain
                        .take_while(|&&byte| self.ascii[usize::from(byte)] & KIND == kind)
                        .count();
                    while let Some((class, after)) = self.class(text, at) {
                        if class & KIND != kind && class & KIND != EXTEND {
                            break;
                        }
                        (last, at) = (class, after);
                    }
                    at = self.skip_mid(text, at, kind, last & HEBREW != 0);
                }
                KATAKANA if at == begin => {
                    return self.skip(text, at, |kind| kind == KATAKANA || kind == EXTEND);
                }
                _ => break,
            }
        }
        at
    }

    /// Passes over what stands between two letters, or two digits, and does not part them.
    fn skip_mid(&self, text: &str, at: usize, kind: u8, after_hebrew: bool) -> usize {
        let Some((class, after)) = self.class(text, at) else {
            return at;
        };
        let is_quote = after_hebrew && matches!(text.as_bytes()[at], b'\'' | b'"');
        let mid = if kind == LETTER {
            MID_LETTER
        } else {
            MID_NUMBER
        };
        if class & mid == 0 && !is_quote {
            return at;
        }
        let end = self.skip(text, after, |kind| kind == EXTEND);
        let next = self.class(text, end).map_or(0, |(class, _)| class);
        let joins = (class & mid != 0 && next & KIND == kind)
            || (is_quote && (text.as_bytes()[at] == b'\'' || next & HEBREW != 0));
        if joins { end } else { at }
    }

    /// Passes over joining characters and the runs behind them.
    fn skip_joined(&self, text: &str, mut at: usize) -> usize {
        while let Some((class, _)) = self.class(text, at) {
            if class & KIND != JOIN {
                break;
            }
            while let Some((class, after)) = self.class(text, at) {
                if class & KIND != JOIN {
                    break;
                }
                at = self.skip(text, after, |kind| kind == EXTEND);
            }
            at = self.skip_run(text, at);
        }
        at
    }
}

/// Bytes of the longest word that is remembered.
const MAX_KEPT: usize = 23;
const NUM_KEPT: usize = 1 << 15;

/// A word, filled up with zeros, its length last, and its hash: half a cache line.
#[derive(Clone, Default)]
#[repr(align(32))]
struct Kept {
    word: [u64; 3],
    hash: u64,
}

fn pack(word: &[u8]) -> [u64; 3] {
    let mut bytes = [0; MAX_KEPT + 1];
    bytes[..word.len()].copy_from_slice(word);
    bytes[MAX_KEPT] = word.len() as u8;
    let (parts, _) = bytes.as_chunks::<8>();
    [parts[0], parts[1], parts[2]].map(u64::from_le_bytes)
}

/// Where a packed word is kept.
fn find_place([a, b, c]: [u64; 3]) -> usize {
    let mixed = (a ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd)
        ^ (b ^ c.rotate_left(32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 49) as usize % NUM_KEPT
}

/// Hashes of words: the first 64 bits of BLAKE2b of the folded word. Words are few and come often: what a word hashed to
/// is kept until another one needs its place, and for whoever hashes next.
pub struct WordHashes<'a> {
    words: &'a Words,
    kept: Vec<Kept>,
    folded: String,
}

impl<'a> WordHashes<'a> {
    pub fn new(words: &'a Words) -> Self {
        let idle = words.idle.lock().ok().and_then(|mut idle| idle.pop());
        Self {
            words,
            kept: idle.unwrap_or_else(|| vec![Kept::default(); NUM_KEPT]),
            folded: String::new(),
        }
    }

    /// Adds the hashes of the words of a text, in their order.
    pub fn push_hashes(&mut self, text: &str, out: &mut Vec<u64>) {
        let words = self.words;
        words.for_each(text, |word| out.push(self.hash(word)));
    }

    fn hash(&mut self, word: &str) -> u64 {
        let bytes = word.as_bytes();
        if bytes.len() > MAX_KEPT {
            return self.compute(word);
        }
        let packed = pack(bytes);
        let place = find_place(packed);
        if self.kept[place].word != packed {
            self.kept[place] = Kept {
                word: packed,
                hash: self.compute(word),
            };
        }
        self.kept[place].hash
    }

    fn compute(&mut self, word: &str) -> u64 {
        self.words.fold(word, &mut self.folded);
        u64::from_le_bytes(Blake2b::<U8>::digest(&self.folded).into())
    }
}

impl Drop for WordHashes<'_> {
    fn drop(&mut self) {
        if let Ok(mut idle) = self.words.idle.lock() {
            idle.push(std::mem::take(&mut self.kept));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        let mut classes = vec![0; 128];
        for byte in 0..128_u8 {
            classes[usize::from(byte)] = match byte {
                b'a'..=b'z' | b'A'..=b'Z' => LETTER | ALPHANUMERIC,
                b'0'..=b'9' => NUMBER | ALPHANUMERIC,
                b'_' => JOIN,
                b'\'' | b'.' => MID_LETTER | MID_NUMBER,
                b',' => MID_NUMBER,
                _ => 0,
            };
        }
        Words::new(classes, [('É', "é".to_owned())])
    }

    #[test]
    fn what_stands_between_letters_or_digits_joins_them() {
        let mut found = Vec::new();
        words().for_each("can't 3,2.a b_1 __ _x' a,b", |word| found.push(word));
        assert_eq!(found, ["can't", "3,2", "a", "b_1", "_x", "a", "b"]);
    }

    #[test]
    fn a_hash_is_that_of_the_folded_word_whether_kept_or_not() {
        let words = words();
        let mut hashes = WordHashes::new(&words);
        let mut found = Vec::new();
        hashes.push_hashes("fish Fish found fish", &mut found);
        assert_eq!(found[0], 0x5e47_3bcd_7a1b_9c70);
        assert_eq!(found[2], 0x4617_03cc_8f11_efc7);
        assert!(found[0] == found[1] && found[1] == found[3]);
        let mut folded = String::new();
        words.fold("É", &mut folded);
        assert_eq!(folded, "é");
    }
}
