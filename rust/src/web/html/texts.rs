//! Texts with their white space collapsed.

use super::{Link, Scan};

impl Scan {
    pub(super) fn clear(&mut self) {
        self.links.clear();
        self.heads.clear();
        for text in [
            &mut self.title,
            &mut self.text,
            &mut self.language,
            &mut self.targets,
            &mut self.anchors,
        ] {
            text.clear();
        }
        self.nesting.clear();
        self.tags.clear();
        self.outline.clear();
        (self.robots, self.refresh_delay, self.base) = (0, None, None);
    }

    /// What it keeps in memory for the next page.
    pub fn num_bytes(&self) -> usize {
        let texts = [&self.text, &self.targets, &self.anchors, &self.scratch];
        let links = self.links.capacity() * size_of::<Link>() + self.tags.capacity() * 4;
        texts.map(String::capacity).iter().sum::<usize>()
            + links
            + self.hashed.num_bytes()
            + self.outline.num_bytes()
    }
}

/// Appends a text with each run of white space as one blank, none after `floor` or a line feed.
pub fn collapse(out: &mut String, floor: usize, text: &str) {
    let is_space = |letter: char| letter.is_ascii_whitespace();
    let is_open = out.len() == floor || out.ends_with([' ', '\n']);
    if text.starts_with(is_space) && !is_open {
        out.push(' ');
    }
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        out.push_str(word);
        if words.peek().is_some() || text.ends_with(is_space) {
            out.push(' ');
        }
    }
}

pub fn trim_end(out: &mut String) {
    out.truncate(out.trim_end_matches([' ', '\n']).len());
}

pub fn break_line(out: &mut String) {
    trim_end(out);
    if !out.is_empty() {
        out.push('\n');
    }
}
