//! Two hashes of a page: the fingerprint, which tells duplicates, and the shape, which tells machine-made pages.
//!
//! **The fingerprint** is XXH3 (64 bits, seed 0) of this text (after BUBING, section 3.4):
//!
//! - each tag as `<name` or `</name` in lower case and a line feed, without attributes; after a `frame` or `iframe` its
//!   `src` as written and a line feed;
//! - between tags the text as written, digits included, with each run of ASCII white space as one blank, and none next
//!   to a tag.
//!
//! The scanner passes no comments, declarations, styles, programs and JSON; it passes the text of templates. A page with
//! fewer than [`LEAST_TEXT`] bytes of text, tags and sources not counted, has no fingerprint.
//!
//! **The shape** is XXH3 of the same text in which each run of digits and blanks that has a digit is one blank, or none
//! at the beginning or end of the text, after a line feed and before `<`. Digits of a tag name (`<h1`), of a character
//! reference (`&#228;`) and of a `src` stay. Every page has a shape. It is a signal of the crawl (traps, soft 404s,
//! parameters without meaning) and not stored.
//!
//! Nothing of the host goes into either, so that mirrors are found.

use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of text from which on equal fingerprints mean equal pages; `docs/decisions/html.md` has the measurements.
pub const LEAST_TEXT: usize = 256;

/// Letters before the digits of a name or reference that are looked at: no name with digits of HTML is longer.
const LONGEST_NAME: usize = 8;

/// Each byte as it is hashed.
const SHOWN: [u8; 256] = {
    let mut shown = [b' '; 256];
    let mut byte = 0_u8;
    loop {
        if !byte.is_ascii_whitespace() {
            shown[byte as usize] = byte;
        }
        if byte == 255 {
            break shown;
        }
        byte += 1;
    }
};

/// The text that is hashed; its buffers are reused from page to page.
#[derive(Default)]
pub struct Fingerprint {
    hashed: Vec<u8>,
    /// Bytes of text in it.
    num_text: usize,
    /// Where a `src` is in it.
    sources: Vec<Range<usize>>,
    /// The same without digits.
    shape: Vec<u8>,
    is_unwanted: bool,
}

impl Fingerprint {
    pub fn num_bytes(&self) -> usize {
        self.hashed.capacity() + self.shape.capacity()
    }

    /// Gives back the buffers of a large page, of which no other hash is wanted.
    pub fn release(&mut self, largest: usize) {
        if self.num_bytes() > largest {
            (self.hashed, self.shape) = Default::default();
        }
    }

    /// Begins with a page; if no hash of it is wanted, its text is left out.
    pub fn begin(&mut self, is_wanted: bool) {
        self.hashed.clear();
        self.sources.clear();
        self.num_text = 0;
        self.is_unwanted = !is_wanted;
    }

    /// Adds a tag and gives its name back in lower case.
    pub fn push_tag(&mut self, name: &[u8], is_end: bool) -> &[u8] {
        self.trim();
        self.hashed
            .extend_from_slice(if is_end { b"</" } else { b"<" });
        let begin = self.hashed.len();
        self.hashed.extend(name.iter().map(u8::to_ascii_lowercase));
        self.hashed.push(b'\n');
        &self.hashed[begin..begin + name.len()]
    }

    /// Adds what a frame shows, since a frameset has nothing else of its own.
    pub fn push_source(&mut self, source: &[u8]) {
        let begin = self.hashed.len();
        self.hashed.extend_from_slice(source);
        self.sources.push(begin..self.hashed.len());
        self.hashed.push(b'\n');
    }

    pub fn push_text(&mut self, text: &[u8]) {
        if self.is_unwanted {
            return;
        }
        let begin = self.hashed.len();
        let mut end = begin;
        let mut was_blank = matches!(self.hashed.last(), None | Some(b' ' | b'\n'));
        self.hashed.resize(end + text.len(), 0);
        // no branch: where a word ends cannot be predicted
        for &byte in text {
            let shown = SHOWN[usize::from(byte)];
            let is_blank = shown == b' ';
            self.hashed[end] = shown;
            end += usize::from(!(is_blank & was_blank));
            was_blank = is_blank;
        }
        self.hashed.truncate(end);
        self.num_text += end - begin;
    }

    /// The fingerprint; none where it was not wanted or the page has little text.
    pub fn finish(&mut self) -> Option<u64> {
        self.trim();
        (!self.is_unwanted && self.num_text >= LEAST_TEXT).then(|| xxh3_64(&self.hashed))
    }

    /// The shape of a page that is finished.
    pub fn shape(&mut self) -> u64 {
        let Self {
            hashed,
            sources,
            shape,
            ..
        } = self;
        shape.clear();
        let mut from = 0;
        for source in sources.iter() {
            push_without_digits(shape, &hashed[from..source.start]);
            shape.extend_from_slice(&hashed[source.clone()]);
            from = source.end;
        }
        push_without_digits(shape, &hashed[from..]);
        xxh3_64(shape)
    }

    fn trim(&mut self) {
        if self.hashed.last() == Some(&b' ') {
            self.hashed.pop();
            self.num_text -= 1;
        }
    }
}

fn push_without_digits(out: &mut Vec<u8>, text: &[u8]) {
    let mut from = 0;
    while let Some(at) = find_digit(&text[from..]).map(|at| from + at) {
        out.extend_from_slice(&text[from..at]);
        let is_run = |byte: &u8| byte.is_ascii_digit() || *byte == b' ';
        if is_name(&text[..at]) {
            let end = skip(text, at, u8::is_ascii_alphanumeric);
            out.extend_from_slice(&text[at..end]);
            from = end;
            continue;
        }
        if out.last() == Some(&b' ') {
            out.pop();
        }
        from = skip(text, at, is_run);
        let is_edge =
            matches!(out.last(), None | Some(b'\n')) || matches!(text.get(from), None | Some(b'<'));
        if !is_edge {
            out.push(b' ');
        }
    }
    out.extend_from_slice(&text[from..]);
}

/// Whether what comes belongs to the name of a tag or to a character reference.
fn is_name(before: &[u8]) -> bool {
    let tail = &before[before.len().saturating_sub(LONGEST_NAME)..];
    let letters = tail.iter().rev();
    let length = letters
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let before = &before[..before.len() - length];
    before.ends_with(b"&#") || length > 0 && (before.ends_with(b"<") || before.ends_with(b"</"))
}

fn skip(text: &[u8], from: usize, is_part: impl Fn(&u8) -> bool) -> usize {
    let length = text[from..].iter().position(|byte| !is_part(byte));
    length.map_or(text.len(), |length| from + length)
}

/// The place of the first digit; most pieces of a text have none, and are passed 32 bytes at a time.
fn find_digit(text: &[u8]) -> Option<usize> {
    let is_digit = |byte: &u8| byte.wrapping_sub(b'0') < 10;
    let (pieces, rest) = text.as_chunks::<32>();
    for (number, piece) in pieces.iter().enumerate() {
        let found = piece
            .iter()
            .fold(false, |found, byte| found | is_digit(byte));
        if found {
            return Some(number * 32 + piece.iter().position(is_digit)?);
        }
    }
    Some(text.len() - rest.len() + rest.iter().position(is_digit)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(text: &str) -> String {
        let mut out = Vec::new();
        push_without_digits(&mut out, text.as_bytes());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn runs_with_digits_are_blanks_but_in_names_and_references() {
        for (before, after) in [
            ("Visitor 17 of 2026", "Visitor of"),
            ("2026-06-01 a", "- - a"),
            ("<h1\nv2 b", "<h1\nv b"),
            ("</h2\n7 b", "</h2\nb"),
            ("a 7<p\n", "a<p\n"),
            ("a  b", "a  b"),
            ("&#228;&#xE4;7", "&#228;&#xE4;"),
            ("h1", "h"),
        ] {
            assert_eq!(shape(before), after, "{before}");
        }
    }

    proptest! {
        #[test]
        fn the_first_digit_is_found(text in "[a-c ]{0,70}[0-9]?[a-z0-9]{0,40}") {
            let plain = text.bytes().position(|byte| byte.is_ascii_digit());
            prop_assert_eq!(find_digit(text.as_bytes()), plain);
        }
    }
}
