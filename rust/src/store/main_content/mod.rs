//! Main content, chosen from the outline of a page: places in its text (STORE, Removing noise).
//!
//! `webstrata.store.main_content.dom` has the definition, in Python, and the tables that are handed over; all shares
//! are compared as whole numbers, so that both find the same.

pub mod slope;
mod tables;

use crate::web::html::names::key;
use crate::web::html::outline::{Block, Outline};
use hashbrown::HashMap;
use std::ops::Range;
use tables::Tables;

/// Noise that is left out on every page, on every page if it is small, and on pages of articles.
pub const ALWAYS: u8 = 3;
pub const SURE: u8 = 2;
pub const MAYBE: u8 = 1;
/// What an element says that it holds: the main content, content, an article.
pub const MAIN: u8 = 3;
pub const CONTENT: u8 = 2;
pub const POSTING: u8 = 1;

/// Bytes of the smallest content that is not doubted, of a paragraph, of running text, of a bar with links.
const MIN_CONTENT: u64 = 200;
const MIN_PARAGRAPH: u64 = 40;
const MIN_RUNNING: u64 = 80;
const MAX_BAR: u64 = 300;
/// Bytes of a caption.
const CAPTION: Range<u64> = 40..100;
/// Names that are remembered.
const MAX_KNOWN: usize = 1 << 14;

/// What an element is by its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kind {
    pub noise: u8,
    pub mark: u8,
    /// Whether what its attributes say is ignored.
    pub is_plain: bool,
    /// Whether it holds reference: code, definitions.
    pub is_reference: bool,
    /// Whether it is never the place of main content.
    pub is_inner: bool,
    pub is_title: bool,
    /// Whether it is a part of a table, a table itself, a row, a cell, or what layout does not need.
    pub is_grid: bool,
    pub is_table: bool,
    pub is_row: bool,
    pub is_cell: bool,
    pub is_head: bool,
    /// Whether an image and its caption stand in it.
    pub is_frame: bool,
}

/// Tables that say what is noise and what is main content.
#[derive(Default)]
pub struct Rules {
    pub kinds: HashMap<u64, Kind>,
    /// Words of class and id with the level of noise; 0 for those that are none.
    pub words: HashMap<String, u8>,
    /// The same for words that begin or end so.
    pub prefixes: Vec<(String, u8)>,
    pub suffixes: Vec<(String, u8)>,
    /// Names as a whole, and roles.
    pub phrases: HashMap<String, u8>,
    /// Two words, one after the other, with the mark.
    pub pairs: Vec<(String, String, u8)>,
    /// What names end with that are no noise.
    pub harmless: String,
    /// Whether visual cues of articles are used.
    pub is_visual: bool,
}

impl Rules {
    /// How surely an element is noise by what it says of itself, and what it says that it holds.
    pub fn judge(&self, names: &[u8]) -> (u8, u8) {
        let names = split_camel(&String::from_utf8_lossy(names));
        let tokens = || names.split_ascii_whitespace();
        let is_said =
            tokens().any(|token| token.starts_with('@') && self.phrases.get(token) == Some(&SURE));
        if is_said {
            return (SURE, 0);
        }
        if tokens().any(|token| token == "@main") {
            return (0, MAIN);
        }
        if let Some(mark) = self.find_mark(&names) {
            return (0, mark);
        }
        let mut doubted = tokens().filter(|token| !token.ends_with(&self.harmless));
        let level = doubted.find_map(|token| {
            let phrase = self.phrases.get(token).copied();
            phrase.or_else(|| {
                token
                    .split(['-', '_'])
                    .find_map(|word| self.find_word(word))
            })
        });
        (level.unwrap_or(0), 0)
    }

    fn find_mark(&self, names: &str) -> Option<u8> {
        let found = self.pairs.iter().find(|(first, second, _)| {
            names.match_indices(first.as_str()).any(|(at, _)| {
                let rest = &names[at + first.len()..];
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                let rest = rest.strip_prefix('_').unwrap_or(rest);
                rest.starts_with(second.as_str())
            })
        });
        found.map(|(_, _, mark)| *mark)
    }

    /// The level of a word, if it is one of noise.
    fn find_word(&self, word: &str) -> Option<u8> {
        if let Some(level) = self.words.get(word) {
            return Some(*level).filter(|level| *level > 0);
        }
        let begins = self
            .prefixes
            .iter()
            .filter(|(prefix, _)| word.starts_with(prefix.as_str()));
        let ends = self
            .suffixes
            .iter()
            .filter(|(suffix, _)| word.ends_with(suffix.as_str()));
        begins.chain(ends).map(|(_, level)| *level).max()
    }
}

/// In lower case, with `-` where a capital follows a small letter.
fn split_camel(names: &str) -> String {
    let mut out = String::with_capacity(names.len() + 8);
    let mut was_small = false;
    for letter in names.chars() {
        if was_small && letter.is_ascii_uppercase() {
            out.push('-');
        }
        was_small = letter.is_ascii_lowercase();
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// Finds main content; one per thread.
#[derive(Default)]
pub struct Finder {
    known: HashMap<Box<[u8]>, (u8, u8)>,
    kinds: Vec<Kind>,
    /// The step at which an element is left out, 0 where it is not.
    gone: Vec<u8>,
    /// The last element within each.
    last: Vec<u32>,
    masses: Vec<u64>,
    sums: Vec<(u64, u64, bool)>,
    in_reference: Vec<bool>,
    tables: Tables,
    is_visual: bool,
}

fn length(block: &Block) -> u64 {
    u64::from(block.end - block.begin)
}

fn free(block: &Block) -> u64 {
    length(block) - u64::from(block.linked)
}

fn is_long(block: &Block, least: u64) -> bool {
    length(block) >= least && 2 * u64::from(block.linked) < length(block)
}

/// Leaves out what is behind the last line, if it is no more than a third.
fn end_at_line(blocks: &mut Vec<&Block>) {
    let total: u64 = blocks.iter().map(|block| length(block)).sum();
    let mut behind = 0;
    for place in (1..blocks.len()).rev() {
        behind += length(blocks[place]);
        if 3 * behind > total {
            return;
        }
        if blocks[place].is_separated {
            blocks.truncate(place);
            return;
        }
    }
}

impl Finder {
    /// Where main content begins and ends in the text, and whether the whole text stands in for it.
    pub fn find(
        &mut self,
        outline: &Outline,
        rules: &Rules,
        text: usize,
    ) -> (Vec<(u32, u32)>, bool) {
        self.is_visual = rules.is_visual;
        self.judge(outline, rules);
        let all: u64 = outline.blocks.iter().map(length).sum();
        let chosen = self.choose(outline, all);
        let size: u64 = chosen.iter().copied().map(length).sum();
        if size == 0 || size < MIN_CONTENT && size * 20 < all {
            let whole = (text > 0).then_some((0, text as u32));
            return (whole.into_iter().collect(), text > 0);
        }
        let mut places: Vec<(u32, u32)> = Vec::new();
        for block in chosen {
            match places.last_mut() {
                Some(last) if block.begin <= last.1 + 1 => last.1 = block.end,
                _ => places.push((block.begin, block.end)),
            }
        }
        (places, false)
    }

    /// What each element is, and which lie within each other.
    fn judge(&mut self, outline: &Outline, rules: &Rules) {
        let nodes = &outline.nodes;
        self.kinds.clear();
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
        for (number, node) in nodes.iter().enumerate() {
            let mut kind = rules.kinds.get(&node.name).copied().unwrap_or_default();
            let names = outline.names(number);
            if !kind.is_plain && !names.is_empty() {
                let (noise, mark) = match self.known.get(names) {
                    Some(known) => *known,
                    None => {
                        let judged = rules.judge(names);
                        self.known.insert(names.into(), judged);
                        judged
                    }
                };
                (kind.noise, kind.mark) = (noise, mark);
            }
            self.kinds.push(kind);
        }
        self.last.clear();
        self.last.extend(0..nodes.len() as u32);
        for number in (1..nodes.len()).rev() {
            let parent = nodes[number].parent as usize;
            self.last[parent] = self.last[parent].max(self.last[number]);
        }
        self.tables.find(outline, &self.kinds);
        self.in_reference.clear();
        for (number, node) in nodes.iter().enumerate() {
            let is_within = number > 0 && self.in_reference[node.parent as usize];
            self.in_reference
                .push(is_within || self.kinds[number].is_reference);
        }
        for number in 0..nodes.len() {
            let is_data = self.tables.is_data(number);
            // text that a table lays out may be running text
            self.in_reference[number] |= is_data || self.tables.has(number) && !self.is_visual;
            self.kinds[number].is_inner |= self.kinds[number].is_grid && is_data;
        }
        self.find_bars(outline);
    }

    /// Takes short elements with links to the next or previous page for noise.
    fn find_bars(&mut self, outline: &Outline) {
        if !outline.blocks.iter().any(|block| block.is_step) {
            return;
        }
        self.sums.clear();
        self.sums.resize(outline.nodes.len(), (0, 0, false));
        for block in &outline.blocks {
            let sum = &mut self.sums[block.node as usize];
            sum.0 += length(block);
            sum.1 += u64::from(block.linked);
            sum.2 |= block.is_step;
        }
        for number in (1..outline.nodes.len()).rev() {
            let (size, linked, is_step) = self.sums[number];
            let sum = &mut self.sums[outline.nodes[number].parent as usize];
            (sum.0, sum.1, sum.2) = (sum.0 + size, sum.1 + linked, sum.2 | is_step);
        }
        let all = self.sums[0].0;
        for (kind, (size, linked, is_step)) in self.kinds.iter_mut().zip(&self.sums).skip(1) {
            if *is_step && *size <= MAX_BAR && 3 * size <= all && 10 * linked >= 3 * size {
                kind.noise = kind.noise.max(SURE);
            }
        }
    }

    fn choose<'a>(&mut self, outline: &'a Outline, all: u64) -> Vec<&'a Block> {
        self.gone.clear();
        self.gone.resize(outline.nodes.len(), 0);
        self.leave_out(outline, 1, ALWAYS, (2, 1));
        self.leave_out(outline, 2, SURE, (9, 10));
        let main = self.find_main(outline, 2, (9, 10));
        let total = self.masses[0];
        let mut weighed = self.kinds.iter().zip(&self.masses);
        let has_posting = weighed.any(|(kind, mass)| kind.mark == POSTING && 5 * mass >= total);
        let found = self.blocks(outline, 2, main);
        if let Some(article) = self.choose_article(outline, &found, all, has_posting) {
            return article;
        }
        let size = |blocks: &[&Block]| blocks.iter().map(|block| length(block)).sum::<u64>();
        if size(&found) >= MIN_CONTENT {
            return found;
        }
        let main = self.find_main(outline, 1, (9, 10));
        let other = self.blocks(outline, 1, main);
        if 10 * size(&found) >= size(&other) {
            found
        } else {
            other
        }
    }

    /// The paragraphs of an article, if the page is one; `found` is what it would be if it were none.
    fn choose_article<'a>(
        &mut self,
        outline: &'a Outline,
        found: &[&Block],
        all: u64,
        has_posting: bool,
    ) -> Option<Vec<&'a Block>> {
        self.leave_out(outline, 3, MAYBE, (1, 2));
        let main = self.find_main(outline, 3, (3, 4));
        let mut blocks = self.blocks(outline, 3, main);
        let is_reference = |block: &Block| self.in_reference[block.node as usize];
        let (mut total, mut size, mut reference, mut running) = (0, 0, 0, 0);
        for block in &blocks {
            (total, size) = (total + free(block), size + length(block));
            if is_reference(block) {
                reference += free(block);
            } else if is_long(block, MIN_RUNNING) {
                running += free(block);
            }
        }
        let (found_free, found_size) = found.iter().fold((0, 0), |sums, block| {
            (sums.0 + free(block), sums.1 + length(block))
        });
        let is_article = 4 * running >= 3 * total
            && 10 * reference < total
            && (100 * size < 65 * all || has_posting)
            && 5 * found_free >= found_size;
        if !is_article {
            return None;
        }
        let is_paragraph = |block: &&Block| {
            let is_data = self.tables.is_data(block.node as usize);
            is_long(block, if is_data { 0 } else { MIN_PARAGRAPH })
        };
        let (first, last) = (
            blocks.iter().position(is_paragraph)?,
            blocks.iter().rposition(is_paragraph)?,
        );
        blocks.truncate(last + 1);
        blocks.drain(..first);
        blocks.retain(|block| {
            5 * u64::from(block.linked) <= 4 * length(block)
                && !self.kinds[block.node as usize].is_title
        });
        if self.is_visual {
            blocks.retain(|block| {
                let is_caption = block.images == 1 && CAPTION.contains(&length(block));
                !(is_caption && self.kinds[block.node as usize].is_frame)
            });
            end_at_line(&mut blocks);
        }
        (blocks.iter().map(|block| length(block)).sum::<u64>() >= MIN_CONTENT).then_some(blocks)
    }

    /// Leaves out noise of a level, in one step; what holds that share of the text is none, whatever its name.
    fn leave_out(&mut self, outline: &Outline, step: u8, level: u8, most: (u64, u64)) {
        self.weigh(outline, step - 1);
        let bound = most.0 * self.masses[0];
        for number in 1..outline.nodes.len() {
            if self.gone[number] == 0 {
                let around = self.gone[outline.nodes[number].parent as usize];
                self.gone[number] = if around > 0 {
                    around
                } else if self.kinds[number].noise == level && most.1 * self.masses[number] < bound
                {
                    step
                } else {
                    0
                };
            }
        }
    }

    fn is_there(&self, block: &Block, step: u8) -> bool {
        let gone = self.gone[block.node as usize];
        gone == 0 || gone > step
    }

    /// Weighs each element and all it contains: a byte of text 20, one in a link 1.
    fn weigh(&mut self, outline: &Outline, step: u8) {
        self.masses.clear();
        self.masses.resize(outline.nodes.len(), 0);
        for block in &outline.blocks {
            if self.is_there(block, step) {
                self.masses[block.node as usize] += 20 * free(block) + u64::from(block.linked);
            }
        }
        for number in (1..outline.nodes.len()).rev() {
            self.masses[outline.nodes[number].parent as usize] += self.masses[number];
        }
    }

    /// The number of the element that is the main content, given the share of the text that it must hold.
    fn find_main(&mut self, outline: &Outline, step: u8, least: (u64, u64)) -> usize {
        self.weigh(outline, step);
        let (masses, kinds) = (&self.masses, &self.kinds);
        let is_main =
            |number: &usize| kinds[*number].mark == MAIN && 10 * masses[*number] >= 3 * masses[0];
        let mut top = None;
        for number in (0..kinds.len()).filter(is_main) {
            if top.is_none_or(|top: usize| masses[number] > masses[top]) {
                top = Some(number);
            }
        }
        let root = top.unwrap_or(0);
        let inside = root..self.last[root] as usize + 1;
        let is_marked = |number: &usize| {
            matches!(kinds[*number].mark, CONTENT | POSTING)
                && 10 * masses[*number] > 4 * masses[root]
        };
        let marked = inside.clone().filter(is_marked);
        if let Some(largest) = marked.clone().map(|number| masses[number]).max() {
            // of those within each other the innermost that loses little
            return marked
                .filter(|number| 10 * masses[*number] >= 8 * largest)
                .max()
                .unwrap_or(root);
        }
        if top.is_some() {
            return root;
        }
        let mut best = inside
            .rev()
            .find(|number| least.1 * masses[*number] >= least.0 * masses[root])
            .unwrap_or(0);
        while best > 0 && kinds[best].is_inner {
            best = outline.nodes[best].parent as usize;
        }
        best
    }

    fn blocks<'a>(&self, outline: &'a Outline, step: u8, main: usize) -> Vec<&'a Block> {
        let inside = main as u32..=self.last[main];
        let blocks = outline.blocks.iter();
        blocks
            .filter(|block| inside.contains(&block.node) && self.is_there(block, step))
            .collect()
    }
}

/// The key of an element's name, for [`Rules::kinds`].
pub fn name_key(name: &str) -> u64 {
    key(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::html::{Scan, Wants, scan};

    #[test]
    fn noise_is_left_out_and_the_rest_is_one_section() {
        let mut rules = Rules::default();
        let kind = Kind {
            noise: SURE,
            is_plain: true,
            ..Kind::default()
        };
        rules.kinds.insert(name_key("nav"), kind);
        rules.harmless.push_str("embed");
        let wants = Wants {
            anchors: true,
            text: true,
            ..Wants::default()
        };
        let mut page = Scan::default();
        let body = b"<nav><a href=/>Home</a></nav><h1>fork</h1><p>Make a process.";
        scan(body, None, &wants, &mut page);
        let mut finder = Finder::default();
        let found = finder.find(&page.outline, &rules, page.text.len());
        assert_eq!(found, (vec![(5, 25)], false));
        scan(b"", None, &wants, &mut page);
        assert_eq!(finder.find(&page.outline, &rules, 0), (Vec::new(), false));
    }
}
