//! The headings of a page, as places in its text.

use std::ops::Range;

/// Where the text of each heading stands; the level is that of its tag.
#[derive(Default)]
pub struct Headings {
    found: Vec<(u8, Range<usize>)>,
    is_open: bool,
}

/// What `h1` to `h6` are.
pub fn level(name: &[u8]) -> Option<u8> {
    match name {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

impl Headings {
    pub fn clear(&mut self) {
        self.found.clear();
        self.is_open = false;
    }

    /// Begins a heading where the text has `at` bytes; one that was not closed ends there.
    pub fn open(&mut self, level: u8, at: usize) {
        self.close(at);
        self.found.push((level, at..at));
        self.is_open = true;
    }

    pub fn close(&mut self, at: usize) {
        if std::mem::take(&mut self.is_open)
            && let Some((_, range)) = self.found.last_mut()
        {
            range.end = at;
        }
    }

    /// Level and words of each heading that has some.
    pub fn iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (u8, String)> + 'a {
        self.found.iter().filter_map(move |(level, range)| {
            // the end of the text is trimmed once it is whole
            let range = range.start.min(text.len())..range.end.min(text.len());
            let words: Vec<&str> = text.get(range)?.split_whitespace().collect();
            (!words.is_empty()).then(|| (*level, words.join(" ")))
        })
    }
}
