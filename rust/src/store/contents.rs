//! What pages contain: text, headings, words, simhash, language, charset and links, of one pass over each payload.
//!
//! `webstrata.store.contents.parse` says the same of one page in Python. Rows come in any order and leave in theirs.

use crate::archive::warc::records::{Record, Unpacker};
use crate::store::duplicates::simhash::simhash;
use crate::store::main_content::slope::find_low_slopes;
use crate::store::main_content::{Finder, Rules};
use crate::web::html::{self, Scan, Wants};
use crate::web::words::Words;
use crate::web::{language, row_key, url};
use hashbrown::HashMap;
use regex::bytes::Regex;
use std::sync::{Arc, LazyLock};

/// Characters that tell the language.
const SAMPLE: usize = 1 << 10;
/// The bit of a link whose page asks not to follow any.
const PAGE_NOFOLLOW: u8 = 8;

static CHARSET: LazyLock<Regex> =
    LazyLock::new(|| header(r#"content-type:[^\r\n]*charset=["' ]*([\w.:-]+)"#));
static ROBOTS: LazyLock<Regex> = LazyLock::new(|| header(r"x-robots-tag:([^\r\n]*)"));
/// Headers of a body that must be decoded first.
static CODED: LazyLock<Regex> = LazyLock::new(|| header(r"(transfer|content)-encoding[ \t]*:"));

fn header(pattern: &str) -> Regex {
    Regex::new(&format!("(?im-u)^{pattern}")).expect("a pattern of ours")
}

fn find(head: &[u8], pattern: &Regex) -> Option<String> {
    let found = pattern.captures(head)?.get(1)?;
    let text: String = found
        .as_bytes()
        .iter()
        .map(|byte| char::from(*byte))
        .collect();
    Some(text.trim().to_owned())
}

/// A link: its target is a number of [`Parser::targets`].
#[derive(Debug, Clone, Copy)]
pub struct Link {
    pub target: u32,
    pub kind: u8,
    pub rel: u8,
    /// Where its text ends among the anchors of the page.
    pub end: u32,
}

/// What a page contains.
#[derive(Debug, Clone, Default)]
pub struct Content {
    pub title: String,
    pub text: String,
    /// Where main content begins and ends in it, in bytes.
    pub main: Vec<(u32, u32)>,
    /// Whether no main content was found, so that the whole text stands in.
    pub is_fallback: bool,
    pub headings: Vec<(u8, String)>,
    pub words: u32,
    pub simhash: u64,
    pub charset: Option<&'static str>,
    /// The language found in the text, three letters, and what the page says of itself.
    pub spoken: Option<&'static str>,
    pub declared: String,
    pub links: Vec<Link>,
    pub anchors: String,
    /// Links without a normal form.
    pub rejected: u32,
}

impl Content {
    /// Bytes that it takes in memory, about; each link counts with the row key of its target.
    pub fn size(&self) -> usize {
        let headings = self.headings.iter().map(|(_, text)| 32 + text.len());
        let texts = self.title.len() + self.text.len() + self.anchors.len();
        size_of::<Self>()
            + texts
            + headings.sum::<usize>()
            + 8 * self.main.len()
            + 96 * self.links.len()
    }
}

/// Bytes of a page that are parsed: its text and words may take 14 times as much, and few pages are as long.
pub const MAX_PARSED: usize = 16 << 20;
/// Bytes of any page that are parsed, and how many more than its record has in the file: no page of text is packed so
/// densely, and the texts of a shard are in memory at the same time.
const MIN_PARSED: usize = 1 << 20;
const MAX_GROWTH: usize = 100;

/// How many bytes of a page are parsed whose record has `stored` bytes in the file.
pub fn limit_parsed(stored: usize) -> usize {
    stored
        .saturating_mul(MAX_GROWTH)
        .clamp(MIN_PARSED, MAX_PARSED)
}

/// Row keys that links lead to, numbered as they come.
#[derive(Default)]
pub struct Targets {
    places: HashMap<Box<[u8]>, u32>,
}

impl Targets {
    pub fn place(&mut self, key: &[u8]) -> u32 {
        if let Some(place) = self.places.get(key) {
            return *place;
        }
        let place = self.places.len() as u32;
        self.places.insert(key.into(), place);
        place
    }

    /// All of them in the order of bytes, and for each number its place there.
    pub fn sorted(self) -> (Vec<Box<[u8]>>, Vec<u32>) {
        let mut keys: Vec<_> = self.places.into_iter().collect();
        keys.sort_unstable();
        let mut places = vec![0; keys.len()];
        for (place, (_, number)) in keys.iter().enumerate() {
            places[*number as usize] = place as u32;
        }
        (keys.into_iter().map(|(key, _)| key).collect(), places)
    }
}

/// Parses pages; one per thread.
pub struct Parser {
    pub targets: Targets,
    words: Arc<Words>,
    /// By which main content is found; by sections of low slope where there are none.
    rules: Option<Arc<Rules>>,
    finder: Finder,
    hashes: Vec<u64>,
    scan: Scan,
    unpacker: Unpacker,
    record: Vec<u8>,
    form: Vec<u8>,
    key: Vec<u8>,
    /// Targets as the pages of one base write them, and the numbers they have.
    written: HashMap<Box<str>, Option<u32>>,
    max_length: usize,
}

impl Parser {
    /// Addresses longer than `max_length` are no links.
    pub fn new(words: Arc<Words>, max_length: usize, rules: Option<Arc<Rules>>) -> Self {
        Self {
            targets: Targets::default(),
            words,
            rules,
            finder: Finder::default(),
            hashes: Vec::new(),
            scan: Scan::default(),
            unpacker: Unpacker::default(),
            record: Vec::new(),
            form: Vec::new(),
            key: Vec::new(),
            written: HashMap::new(),
            max_length,
        }
    }

    /// What the page in a record contains, given the bytes of its gzip member, or of the record itself; None where these
    /// are not in order, or the payload is encoded.
    pub fn read(&mut self, packed: &[u8], url: &str) -> Option<Content> {
        let mut data = std::mem::take(&mut self.record);
        let is_plain = packed.starts_with(b"WARC/");
        if is_plain {
            data.clear();
            data.extend_from_slice(packed);
        }
        let is_unpacked = is_plain || self.unpacker.unpack(packed, &mut data);
        let content = is_unpacked.then(|| {
            let (record, length) = Record::parse(&data)?;
            let (head, body) = record.message().filter(|_| length == data.len())?;
            (!CODED.is_match(head)).then_some(())?;
            let robots = find(head, &ROBOTS);
            let length = body.len().min(limit_parsed(packed.len()));
            Some(self.parse(
                &body[..length],
                url,
                find(head, &CHARSET).as_deref(),
                &robots.unwrap_or_default(),
            ))
        });
        self.record = data;
        content.flatten()
    }

    /// What a page contains, with the charset that its header tells and what the header asks of robots.
    pub fn parse(&mut self, body: &[u8], url: &str, label: Option<&str>, robots: &str) -> Content {
        let wants = Wants {
            anchors: true,
            text: true,
            tld: url::find_tld(url),
            ..Wants::default()
        };
        html::scan(
            &body[..body.len().min(MAX_PARSED)],
            label,
            &wants,
            &mut self.scan,
        );
        let directives = self.scan.robots | html::parse_robots_directives(robots, &[]);
        let of_page = if directives & html::NOFOLLOW == 0 {
            0
        } else {
            PAGE_NOFOLLOW
        };
        self.hashes.clear();
        self.words.push_hashes(&self.scan.text, &mut self.hashes);
        let text = &self.scan.text;
        let (main, is_fallback) = match &self.rules {
            Some(rules) => self.finder.find(&self.scan.outline, rules, text.len()),
            None => stand_in(find_low_slopes(text, &self.scan.tags), text.len()),
        };
        let mut content = Content {
            words: self.hashes.len() as u32,
            simhash: simhash(&self.hashes),
            title: self.scan.title.clone(),
            main,
            is_fallback,
            headings: self.scan.headings().collect(),
            charset: self.scan.encoding.map(|encoding| encoding.name()),
            spoken: detect_language(&self.scan.text),
            declared: self.scan.language.clone(),
            ..Content::default()
        };
        self.take_links(url, of_page, &mut content);
        content.text = self.scan.text.clone();
        content
    }

    fn take_links(&mut self, url: &str, of_page: u8, content: &mut Content) {
        let scan = &self.scan;
        let mut base = url;
        let mut named = Vec::new();
        if let Some(written) = scan.base()
            && url::normalize(written, Some(url), 1 << 20, &mut named).is_ok()
        {
            base = std::str::from_utf8(&named).unwrap_or(url);
        }
        self.written.clear();
        content.links.reserve_exact(scan.links.len());
        for link in &scan.links {
            let written = scan.target(link);
            // menus lead to the same place again and again, and so do the sections of a page
            let written = written.split_once('#').map_or(written, |(whole, _)| whole);
            // `#top` stays within the page (RFC 3986, 4.4), unless a <base> takes it elsewhere
            if written.is_empty() && base == url {
                continue;
            }
            let target = match self.written.get(written) {
                Some(known) => *known,
                None => {
                    let target =
                        url::normalize(written, Some(base), self.max_length, &mut self.form)
                            .ok()
                            .and_then(|()| std::str::from_utf8(&self.form).ok())
                            .map(|form| {
                                self.key.clear();
                                row_key::push_row_key(&mut self.key, form);
                                self.targets.place(&self.key)
                            });
                    self.written.insert(written.into(), target);
                    target
                }
            };
            let Some(target) = target else {
                content.rejected += 1;
                continue;
            };
            content.anchors.push_str(scan.anchor(link));
            content.links.push(Link {
                target,
                kind: link.kind as u8,
                rel: link.rel | of_page,
                end: content.anchors.len() as u32,
            });
        }
    }
}

/// Sections of a text of some length, or all of it where there are none; and whether that was so.
pub fn stand_in(found: Vec<(u32, u32)>, length: usize) -> (Vec<(u32, u32)>, bool) {
    if found.is_empty() && length > 0 {
        return (vec![(0, length as u32)], true);
    }
    (found, false)
}

/// The language of the middle of a text, where it can be told for sure; menus stand at its ends.
fn detect_language(text: &str) -> Option<&'static str> {
    let is_ascii = text.is_ascii();
    let num_letters = if is_ascii {
        text.len()
    } else {
        text.chars().count()
    };
    let first = num_letters.saturating_sub(SAMPLE) / 2;
    let sample = if is_ascii {
        &text[first..text.len().min(first + SAMPLE)]
    } else {
        let place = |text: &str, number| {
            text.char_indices()
                .nth(number)
                .map_or(text.len(), |(at, _)| at)
        };
        let rest = &text[place(text, first)..];
        &rest[..place(rest, SAMPLE)]
    };
    let found = language::detect(sample)?;
    found.is_reliable().then(|| found.lang().code())
}
