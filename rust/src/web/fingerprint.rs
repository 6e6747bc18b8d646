//! 64 bits that stay when only volatile parts of a page change (BUBING, section 4.5).
//!
//! Hashed is a text in which each tag is `<name` or `</name` and a line feed, and what stands between tags has each run
//! of ASCII digits and white space made one blank, none next to a tag. The scanner leaves out attributes, comments,
//! and what is no text of the page: scripts, styles. Nothing of the host goes in, so that mirrors are found.

use memchr::memchr;
use xxhash_rust::xxh3::xxh3_64;

/// Each byte as it is hashed.
const SHOWN: [u8; 256] = {
    let mut shown = [b' '; 256];
    let mut byte = 0_u8;
    loop {
        if !(byte.is_ascii_digit() || byte.is_ascii_whitespace()) {
            shown[byte as usize] = byte;
        }
        if byte == 255 {
            break shown;
        }
        byte += 1;
    }
};

/// The text that is hashed, kept from page to page for its room.
#[derive(Default)]
pub struct Fingerprint {
    hashed: Vec<u8>,
    /// Whether texts are left out: nobody wants to know.
    is_unwanted: bool,
}

impl Fingerprint {
    pub fn num_bytes(&self) -> usize {
        self.hashed.capacity()
    }

    /// Begins with a page, of which a fingerprint is wanted or not.
    pub fn begin(&mut self, is_wanted: bool) {
        self.hashed.clear();
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
        self.hashed.extend_from_slice(source);
        self.hashed.push(b'\n');
    }

    pub fn push_text(&mut self, mut text: &[u8]) {
        if self.is_unwanted {
            return;
        }
        // the digits of a character reference are a letter, which must count
        let mut from = 0;
        while let Some(at) = memchr(b'&', &text[from..]).map(|at| from + at) {
            from = at + 1;
            if text.get(from) == Some(&b'#') {
                let rest = &text[from + 1..];
                let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
                let end = from + 1 + length.unwrap_or(rest.len());
                self.push_plain(&text[..at]);
                self.hashed.extend_from_slice(&text[at..end]);
                (text, from) = (&text[end..], 0);
            }
        }
        self.push_plain(text);
    }

    fn push_plain(&mut self, text: &[u8]) {
        let mut end = self.hashed.len();
        let mut was_blank = matches!(self.hashed.last(), None | Some(b' ' | b'\n'));
        self.hashed.resize(end + text.len(), 0);
        // no branch: where a word ends is not to be predicted
        for &byte in text {
            let shown = SHOWN[usize::from(byte)];
            let is_blank = shown == b' ';
            self.hashed[end] = shown;
            end += usize::from(!(is_blank & was_blank));
            was_blank = is_blank;
        }
        self.hashed.truncate(end);
    }

    /// The fingerprint; 0 where it was not wanted.
    pub fn finish(&mut self) -> u64 {
        if self.is_unwanted {
            return 0;
        }
        self.trim();
        xxh3_64(&self.hashed)
    }

    fn trim(&mut self) {
        if self.hashed.last() == Some(&b' ') {
            self.hashed.pop();
        }
    }
}
