//! Words of a text by the rules of Unicode (UAX #29), and their hashes: what `webstrata.web.words` defines, in one pass.
//!
//! The classes of characters and the case folding come from Python's tables, so that both sides know the same letters.

use hashbrown::HashMap;

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
/// What only the table of bytes has.
const NOT_ASCII: u8 = 128;

pub const NUM_CODES: usize = 0x11_0000;

pub struct Words {
    classes: Vec<u8>,
    /// Classes by byte.
    ascii: [u8; 256],
    folds: HashMap<char, String>,
}

impl Words {
    /// Takes the class of every code point, and what those that change become when case is folded.
    pub fn new(mut classes: Vec<u8>, folds: impl IntoIterator<Item = (char, String)>) -> Self {
        classes.resize(NUM_CODES, 0);
        let mut ascii = [NOT_ASCII; 256];
        ascii[..128].copy_from_slice(&classes[..128]);
        Self {
            classes,
            ascii,
            folds: folds.into_iter().collect(),
        }
    }

    /// Calls `each` with where every word begins and ends.
    pub fn for_each(&self, text: &str, mut each: impl FnMut(usize, usize)) {
        let mut at = 0;
        while let Some((class, after)) = self.class(text, at) {
            let begin = at;
            if let Some(end) = self.plain_end(text.as_bytes(), at) {
                each(begin, end);
                // what ends such a word is in no other
                at = end + 1;
                continue;
            }
            match class & KIND {
                LETTER | NUMBER | KATAKANA => {
                    at = self.skip_joined(text, self.skip_run(text, at));
                    each(begin, at);
                }
                JOIN => {
                    at = self.skip_joined(text, at);
                    // joining characters alone are no word
                    let mut codes = text[begin..at].chars();
                    if codes.any(|code| self.classes[code as usize] & ALPHANUMERIC != 0) {
                        each(begin, at);
                    }
                }
                SINGLE => {
                    at = self.skip(text, after, |kind| kind == EXTEND);
                    each(begin, at);
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

    /// The end of a word that is ASCII letters and digits alone, in ASCII: most words, so that it is worth a way of its own.
    #[inline]
    fn plain_end(&self, bytes: &[u8], begin: usize) -> Option<usize> {
        let mut end = begin;
        loop {
            let length = num_alphanumeric(load(bytes, end)?);
            end += length;
            if length < 8 {
                break;
            }
        }
        let next = self.ascii[usize::from(*bytes.get(end)?)];
        // what may join two letters, or two digits, joins nothing here
        let is_end = next == 0
            || next & (KIND | NOT_ASCII) == 0
                && self.ascii[usize::from(*bytes.get(end + 1)?)] & (KIND | NOT_ASCII) == 0;
        (is_end && end > begin).then_some(end)
    }

    /// Adds the hashes of the words of a text, in their order.
    pub fn push_hashes(&self, text: &str, out: &mut Vec<u64>) {
        let mut folded = String::new();
        self.for_each(text, |begin, end| {
            out.push(self.hash(text, begin, end, &mut folded));
        });
    }

    /// The hash of a word, its case folded.
    #[inline]
    pub fn hash(&self, text: &str, begin: usize, end: usize, folded: &mut String) -> u64 {
        hash_plain(text.as_bytes(), begin, end).unwrap_or_else(|| {
            self.fold(&text[begin..end], folded);
            hash(folded.as_bytes())
        })
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

/// A 1 in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;

#[inline]
fn load(bytes: &[u8], at: usize) -> Option<u64> {
    let (block, _) = bytes.get(at..)?.split_first_chunk::<8>()?;
    Some(u64::from_le_bytes(*block))
}

/// The highest bit of each byte that is between two letters of ASCII, and is below 128.
#[inline]
const fn between(block: u64, first: u8, last: u8) -> u64 {
    let low = block & !(EACH << 7);
    let from = low + (0x80 - first as u64) * EACH;
    let above = low + (0x7f - last as u64) * EACH;
    from & !above & !block & EACH << 7
}

/// How many of the first bytes are letters and digits of ASCII.
#[inline]
const fn num_alphanumeric(block: u64) -> usize {
    let found = between(block | EACH << 5, b'a', b'z') | between(block, b'0', b'9');
    ((!found & EACH << 7).trailing_zeros() / 8) as usize
}

#[inline]
const fn to_lowercase(block: u64) -> u64 {
    block | between(block, b'A', b'Z') >> 2
}

/// The finalizer of MurmurHash3, one to one.
#[inline]
const fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// The hash of a folded word: mix(… mix(mix(ℓ ⊕ b₁) ⊕ b₂) …), with ℓ its bytes in number and b the numbers that are made
/// of eight of them each, the first one lowest, zeros behind the last. It differs for different words of up to eight.
fn hash(word: &[u8]) -> u64 {
    let mut found = word.len() as u64;
    for bytes in word.chunks(8) {
        let mut block = [0; 8];
        block[..bytes.len()].copy_from_slice(bytes);
        found = mix(found ^ u64::from_le_bytes(block));
    }
    found
}

/// The hash of a word of ASCII that does not stand at the end of the text, its case folded on the way.
#[inline]
fn hash_plain(text: &[u8], begin: usize, end: usize) -> Option<u64> {
    let mut found = (end - begin) as u64;
    for at in (begin..end).step_by(8) {
        let length = (end - at).min(8);
        let block = load(text, at)? & (u64::MAX >> (64 - 8 * length));
        if block & EACH << 7 != 0 {
            return None;
        }
        found = mix(found ^ to_lowercase(block));
    }
    Some(found)
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
        let text = "can't 3,2.a b_1 __ _x' a,b, c. 1,2 and so on";
        words().for_each(text, |begin, end| found.push(&text[begin..end]));
        let expected = "can't|3,2|a|b_1|_x|a|b|c|1,2|and|so|on";
        assert_eq!(found.join("|"), expected);
    }

    #[test]
    fn a_hash_is_that_of_the_folded_word_wherever_it_stands() {
        let words = words();
        let mut found = Vec::new();
        words.push_hashes("fish Fish, environments found fish", &mut found);
        let expected = [&b"fish"[..], b"fish", b"environments", b"found", b"fish"].map(hash);
        assert_eq!(found, expected);
        let mut folded = String::new();
        words.fold("É", &mut folded);
        assert_eq!(folded, "é");
    }

    #[test]
    fn bytes_are_told_apart_eight_at_a_time() {
        for byte in 0..=255_u8 {
            let block = u64::from_le_bytes([b'a', byte, b'Z', b' ', 0, 255, 1, 2]);
            let expected = if byte.is_ascii_alphanumeric() { 3 } else { 1 };
            assert_eq!(num_alphanumeric(block), expected, "{byte}");
            let lower = to_lowercase(block).to_le_bytes();
            assert_eq!(
                lower[..4],
                [b'a', byte.to_ascii_lowercase(), b'z', b' '],
                "{byte}"
            );
        }
    }
}
