//! The elements of a page that begin lines, and the lines between their tags, as places in its text.
//!
//! The tree is not that of a browser: elements within lines are not in it, an end tag closes what is open up to its
//! start (looked for among the last [`MAX_DEPTH`] that are open), and one without a start is ignored. Elements without
//! content are not in it either; `br` breaks a line of the text and no block, `hr` ends a block. `small` and `font` end with the element around them.

use super::cues;
use super::names::{Attribute, key};

/// Open elements among which the start of an end tag is looked for: a bound for the time.
const MAX_DEPTH: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The number of the element around it; that of the root is its own.
    pub parent: u32,
    /// What its name is, as `names::key` writes it.
    pub name: u64,
    /// Where its names end: class, id and itemprop as written, `@role`, `@hidden` if it is not shown, visual cues.
    names_end: u32,
}

/// Text that stands by itself: a place in the text of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub node: u32,
    pub begin: u32,
    pub end: u32,
    /// Bytes of it within links.
    pub linked: u32,
    /// Bytes of it in small print: `small`, and `font` of a small size.
    pub small: u32,
    /// Images in it, and between it and the block before.
    pub images: u32,
    /// Whether it has a link to the next, the previous or an upper page.
    pub is_step: bool,
    /// Whether a line (`hr`) separates it from the block before.
    pub is_separated: bool,
}

/// An open `small` or `font`.
#[derive(Clone, Copy)]
struct Print {
    name: u64,
    is_small: bool,
    /// Elements that were open where it began; it ends with the last of them at the latest.
    depth: usize,
}

/// Cleared and filled again by the next scan.
#[derive(Default)]
pub struct Outline {
    pub nodes: Vec<Node>,
    pub blocks: Vec<Block>,
    names: Vec<u8>,
    stack: Vec<u32>,
    begin: usize,
    linked: usize,
    small: usize,
    images: u32,
    is_step: bool,
    is_separated: bool,
    prints: Vec<Print>,
    num_small: usize,
}

pub const SMALL: u64 = key(b"small");
pub const FONT: u64 = key(b"font");
const P: u64 = key(b"p");
const LI: u64 = key(b"li");
const DT: u64 = key(b"dt");
const DD: u64 = key(b"dd");
const TD: u64 = key(b"td");
const TH: u64 = key(b"th");
const TR: u64 = key(b"tr");
const OPTION: u64 = key(b"option");

/// By name of an element, those that its start closes where they are the last that was opened.
fn closed_by(name: u64) -> &'static [u64] {
    match name {
        LI => &[LI],
        DT | DD => &[DD, DT],
        TD | TH => &[TD, TH],
        TR => &[TD, TH, TR],
        OPTION => &[OPTION],
        _ => &[],
    }
}

fn hides(style: &[u8]) -> bool {
    let style = style.to_ascii_lowercase();
    [(&b"display"[..], &b"none"[..]), (b"visibility", b"hidden")]
        .iter()
        .any(|(property, value)| {
            memchr::memmem::find_iter(&style, property).any(|at| {
                let rest = style[at + property.len()..].trim_ascii_start();
                rest.strip_prefix(b":")
                    .is_some_and(|rest| rest.trim_ascii_start().starts_with(value))
            })
        })
}

impl Outline {
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.blocks.clear();
        self.names.clear();
        self.stack.clear();
        self.prints.clear();
        (self.begin, self.linked, self.small, self.num_small) = (0, 0, 0, 0);
        (self.images, self.is_step, self.is_separated) = (0, false, false);
        self.push(key(b"html")); // the page, whatever it begins with
    }

    pub fn num_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.names.capacity()
    }

    /// What an element says of itself.
    pub fn names(&self, node: usize) -> &[u8] {
        let begin = node
            .checked_sub(1)
            .map_or(0, |node| self.nodes[node].names_end);
        &self.names[begin as usize..self.nodes[node].names_end as usize]
    }

    /// Begins an element where the text has `at` bytes, the last of them a line feed.
    pub fn start(&mut self, name: u64, at: usize, values: &[Option<&[u8]>; Attribute::COUNT]) {
        if self.top() == P {
            self.pop(at);
        }
        for closed in closed_by(name) {
            if self.stack.len() > 1 && self.top() == *closed {
                self.pop(at);
            }
        }
        self.flush(at);
        let value = |which: Attribute| values[which as usize];
        for which in [Attribute::Class, Attribute::Id, Attribute::ItemProp] {
            if let Some(value) = value(which) {
                self.names.extend_from_slice(value);
                self.names.push(b' ');
            }
        }
        if let Some(role) = value(Attribute::Role) {
            self.names.push(b'@');
            self.names.extend_from_slice(role);
            self.names.push(b' ');
        }
        let is_hidden = value(Attribute::Hidden).is_some()
            || value(Attribute::AriaHidden)
                .is_some_and(|value| value.eq_ignore_ascii_case(b"true"))
            || value(Attribute::Style).is_some_and(hides);
        if is_hidden {
            self.names.extend_from_slice(b"@hidden ");
        }
        cues::push(
            &mut self.names,
            value(Attribute::Style),
            value(Attribute::BgColor),
        );
        self.push(name);
    }

    /// Ends an element.
    pub fn end(&mut self, name: u64, at: usize) {
        let first = self.stack.len().saturating_sub(MAX_DEPTH).max(1);
        let open = self.stack[first..]
            .iter()
            .rposition(|node| self.nodes[*node as usize].name == name);
        if let Some(place) = open {
            self.flush(at);
            self.stack.truncate(first + place);
            self.end_prints();
        }
    }

    /// Ends a block that goes from where the last one ended to where the text has `at` bytes.
    pub fn flush(&mut self, at: usize) {
        // a line feed that ends the text is no part of the block
        let end = at.saturating_sub(1).max(self.begin);
        if end > self.begin {
            self.blocks.push(Block {
                node: self.stack.last().copied().unwrap_or(0),
                begin: self.begin as u32,
                end: end as u32,
                linked: self.linked.min(end - self.begin) as u32,
                small: self.small.min(end - self.begin) as u32,
                images: self.images,
                is_step: self.is_step,
                is_separated: self.is_separated,
            });
            (self.images, self.is_separated) = (0, false);
        }
        (self.begin, self.linked, self.small, self.is_step) = (at, 0, 0, false);
    }

    /// Ends a block with a line.
    pub fn separate(&mut self, at: usize) {
        self.flush(at);
        self.is_separated = true;
    }

    pub fn add_image(&mut self) {
        self.images = self.images.saturating_add(1);
    }

    /// Begins a `small` or `font`, given the size of the latter.
    pub fn start_print(&mut self, name: u64, size: Option<&[u8]>) {
        let is_small = name == SMALL || size.is_some_and(cues::is_small_font);
        if self.prints.len() < MAX_DEPTH {
            self.num_small += usize::from(is_small);
            self.prints.push(Print {
                name,
                is_small,
                depth: self.stack.len(),
            });
        }
    }

    /// Ends the last `small` or `font` that is open.
    pub fn end_print(&mut self, name: u64) {
        if let Some(place) = self.prints.iter().rposition(|print| print.name == name) {
            let print = self.prints.remove(place);
            self.num_small -= usize::from(print.is_small);
        }
    }

    fn end_prints(&mut self) {
        while let Some(print) = self
            .prints
            .last()
            .filter(|print| print.depth > self.stack.len())
        {
            self.num_small -= usize::from(print.is_small);
            self.prints.pop();
        }
    }

    /// Takes note of a link, given its `rel` and `accesskey`.
    pub fn add_link(&mut self, rel: Option<&[u8]>, access_key: Option<&[u8]>) {
        const STEPS: [&[u8]; 8] = [
            b"next",
            b"prev",
            b"previous",
            b"up",
            b"contents",
            b"index",
            b"start",
            b"top",
        ];
        let leads = |token: &[u8]| STEPS.iter().any(|step| step.eq_ignore_ascii_case(token));
        self.is_step |= rel.is_some_and(|rel| rel.split(u8::is_ascii_whitespace).any(leads))
            || access_key.is_some_and(|key| key.len() == 1 && key[0].is_ascii_alphabetic());
    }

    /// Counts bytes of text, in a link or not.
    pub fn add_text(&mut self, length: usize, is_linked: bool) {
        if is_linked {
            self.linked += length;
        }
        if self.num_small > 0 {
            self.small += length;
        }
    }

    fn push(&mut self, name: u64) {
        let parent = self.stack.last().copied().unwrap_or(0);
        self.stack.push(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent,
            name,
            names_end: self.names.len() as u32,
        });
    }

    fn pop(&mut self, at: usize) {
        self.flush(at);
        self.stack.pop();
        self.end_prints();
    }

    fn top(&self) -> u64 {
        self.stack
            .last()
            .map_or(0, |node| self.nodes[*node as usize].name)
    }
}
