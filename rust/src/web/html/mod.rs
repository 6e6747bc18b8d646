//! Links, title and directives of a page, in one pass over its bytes.
//!
//! The states are those of the tokenizer of the HTML standard; no tree is built. What a tree would know is guessed from
//! a short stack: whether a tag stands in SVG or MathML, and whether in a template. Charsets that write `<` as ASCII
//! does are read as they are, and only what is kept is decoded.

pub mod cues;
mod directives;
mod foreign;
mod headings;
pub mod kinds;
mod links;
pub mod names;
pub mod outline;
pub(in crate::web) mod references;
mod requisites;
mod texts;
mod tokens;

use super::charset::{self, Source};
use super::css;
use super::fingerprint::Fingerprint;
pub use directives::{NOARCHIVE, NOFOLLOW, NOINDEX, parse_robots_directives};
use encoding_rs::{Encoding, UTF_8};
use headings::Headings;
use memchr::memchr;
pub use names::Kind;
use names::{Attribute, Known, Tag};
use outline::Outline;
use references::decode;
pub use references::push_decoded;
use std::ops::Range;
use texts::{break_line, collapse, trim_end};
use tokens::find_script_end;
pub use tokens::{Attributes, ends_name, find_comment_end, find_raw_end};

/// What a scan looks for beside page links, title, directives and fingerprint.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wants<'a> {
    /// Images, scripts, styles and the like.
    pub resources: bool,
    /// The texts of links.
    pub anchors: bool,
    /// The text of the page.
    pub text: bool,
    /// Anything but the fingerprint, which takes time.
    pub no_fingerprint: bool,
    /// Names of `meta` beside `robots` whose directives count, in lower case.
    pub agents: &'a [String],
    /// The top-level domain of the host, for the guess of a charset; may be empty.
    pub tld: &'a str,
}

/// A link as it stands on a page; `Scan` has its texts.
#[derive(Debug, Clone)]
pub struct Link {
    pub kind: Kind,
    /// Bits `names::rel`: nofollow 1, ugc 2, sponsored 4.
    pub rel: u8,
    target: Range<usize>,
    anchor: Range<usize>,
}

/// What was found on a page; cleared and filled again by the next scan.
#[derive(Default)]
pub struct Scan {
    pub links: Vec<Link>,
    pub title: String,
    /// Visible text: blocks are lines, white space is collapsed.
    pub text: String,
    /// Bytes of the text before each tag, if it was wanted.
    pub tags: Vec<u32>,
    /// The `lang` of the root.
    pub language: String,
    /// Bits `NOINDEX`, `NOFOLLOW`, `NOARCHIVE`.
    pub robots: u8,
    /// Seconds of the first meta refresh.
    pub refresh_delay: Option<f64>,
    /// None where it was not wanted, or the page has little text.
    pub fingerprint: Option<u64>,
    pub encoding: Option<&'static Encoding>,
    pub source: Source,
    base: Option<Range<usize>>,
    targets: String,
    anchors: String,
    heads: Headings,
    /// Its elements and lines, if the text was wanted.
    pub outline: Outline,
    hashed: Fingerprint,
    nesting: Vec<u8>,
    known: Known,
    scratch: String,
}

impl Scan {
    /// The address as written, with references and charset decoded, without blanks around it.
    pub fn target(&self, link: &Link) -> &str {
        &self.targets[link.target.clone()]
    }

    pub fn anchor(&self, link: &Link) -> &str {
        &self.anchors[link.anchor.clone()]
    }

    /// The shape of the page, if its fingerprint was wanted (`web/fingerprint.rs`).
    pub fn shape(&mut self) -> u64 {
        self.hashed.shape()
    }

    /// Gives back what was hashed of a large page, once its shape is known.
    pub fn release(&mut self, largest: usize) {
        self.hashed.release(largest);
    }

    /// What the first `base` says.
    pub fn base(&self) -> Option<&str> {
        self.base.clone().map(|range| &self.targets[range])
    }

    /// Level and text of each heading, if the text was wanted.
    pub fn headings(&self) -> impl Iterator<Item = (u8, String)> + '_ {
        self.heads.iter(&self.text)
    }
}

/// Scans a page whose Content-Type has the label `charset`.
pub fn scan(body: &[u8], charset: Option<&str>, wants: &Wants<'_>, scan: &mut Scan) {
    scan.clear();
    scan.hashed.begin(!wants.no_fingerprint);
    let (encoding, source) = charset::detect(body, charset, wants.tld);
    (scan.encoding, scan.source) = (Some(encoding), source);
    let mark = Encoding::for_bom(body).map_or(0, |(_, length)| length);
    if encoding.is_ascii_compatible() {
        Scanner::new(&body[mark..], encoding, wants, scan).run();
    } else {
        let (text, _) = encoding.decode_without_bom_handling(&body[mark..]);
        Scanner::new(text.as_bytes(), UTF_8, wants, scan).run();
    }
    scan.fingerprint = scan.hashed.finish();
}

struct Scanner<'a> {
    body: &'a [u8],
    encoding: &'static Encoding,
    wants: &'a Wants<'a>,
    scan: &'a mut Scan,
    /// The link whose text is being read.
    open_anchor: Option<usize>,
    num_templates: usize,
    /// Within a style or script of SVG, which are tokenized as other elements are.
    is_muted: bool,
    /// Within a style of SVG.
    is_style: bool,
    has_title: bool,
}

impl<'a> Scanner<'a> {
    fn new(
        body: &'a [u8],
        encoding: &'static Encoding,
        wants: &'a Wants<'a>,
        scan: &'a mut Scan,
    ) -> Self {
        Scanner {
            body,
            encoding,
            wants,
            scan,
            open_anchor: None,
            num_templates: 0,
            is_muted: false,
            is_style: false,
            has_title: false,
        }
    }

    fn run(&mut self) {
        let body = self.body;
        let (mut at, mut text) = (0, 0);
        while let Some(open) = memchr(b'<', &body[at..]).map(|found| at + found) {
            let rest = &body[open + 1..];
            let end = match rest {
                [letter, ..] if letter.is_ascii_alphabetic() => {
                    self.push_text(&body[text..open], true);
                    self.start_tag(open + 1)
                }
                [b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                    self.push_text(&body[text..open], true);
                    self.end_tag(open + 2)
                }
                [b'!', b'-', b'-', ..] => {
                    self.push_text(&body[text..open], true);
                    find_comment_end(body, open + 4)
                }
                [b'!', inner @ ..] if self.is_foreign() && inner.starts_with(b"[CDATA[") => {
                    self.push_text(&body[text..open], true);
                    let from = open + 9;
                    let length = memchr::memmem::find(&body[from..], b"]]>");
                    let end = length.map_or(body.len(), |length| from + length);
                    self.push_text(&body[from..end], false);
                    length.map(|_| end + 3)
                }
                [b'!' | b'?', ..] | [b'/', _, ..] => {
                    self.push_text(&body[text..open], true);
                    memchr(b'>', rest).map(|length| open + length + 2)
                }
                _ => {
                    at = open + 1;
                    continue;
                }
            };
            at = end.unwrap_or(body.len());
            text = at;
        }
        self.push_text(&body[text..], true);
        self.close_anchor();
        trim_end(&mut self.scan.text);
        self.scan.outline.flush(self.scan.text.len() + 1);
        self.scan.heads.close(self.scan.text.len());
    }

    /// Reads a tag from its name, and the content of elements that have no tags in theirs; None at the end of all.
    fn start_tag(&mut self, from: usize) -> Option<usize> {
        let name = self.body[from..].iter().position(|byte| ends_name(*byte))?;
        let name = from..from + name;
        let lower = self.scan.hashed.push_tag(&self.body[name.clone()], false);
        let meaning = self.scan.known.find(lower);
        let mut tag = meaning.tag;
        if self.wants.text && !meaning.is_inline {
            break_line(&mut self.scan.text);
            if let Some(level) = headings::level(lower).filter(|_| self.num_templates == 0) {
                self.scan.heads.open(level, self.scan.text.len());
            }
            if meaning.ends_block {
                self.scan.outline.separate(self.scan.text.len());
            }
        }
        if self.wants.text && !tag.is_raw() {
            self.scan.tags.push(self.scan.text.len() as u32);
        }
        let mut attributes = Attributes::new(self.body, name.end);
        let is_outlined = self.wants.text && meaning.begins_block && self.num_templates == 0;
        let is_print = self.wants.text
            && matches!(meaning.key, outline::SMALL | outline::FONT)
            && self.num_templates == 0;
        let has_requisites = self.wants.resources && self.num_templates == 0;
        let is_plain = !is_outlined && !is_print && !has_requisites;
        if tag == Tag::Other && self.scan.nesting.is_empty() && is_plain {
            attributes.skip_all();
            return attributes.end;
        }
        let is_breaking = !self.scan.nesting.is_empty() && meaning.is_breaking;
        let mut values: [Option<&[u8]>; Attribute::COUNT] = Default::default();
        for (name, value) in &mut attributes {
            if let Some(which) = Attribute::find(name) {
                values[which as usize].get_or_insert(value);
            }
        }
        let end = attributes.end?;
        if is_outlined {
            let at = self.scan.text.len();
            self.scan.outline.start(meaning.key, at, &values);
        } else if is_print {
            let size = values[Attribute::Size as usize];
            self.scan.outline.start_print(meaning.key, size);
        }
        if is_breaking {
            self.leave_foreign();
        }
        if has_requisites {
            self.take_requisites(meaning.key, &values, self.is_foreign());
        }
        if tag == Tag::Other && self.scan.nesting.is_empty() {
            return Some(end);
        }
        let is_closed = attributes.is_self_closing;
        if self.is_foreign() {
            if matches!(tag, Tag::Script | Tag::Style) {
                self.is_muted = !is_closed;
                self.is_style = tag == Tag::Style && !is_closed;
            }
            if !matches!(tag, Tag::A | Tag::Svg) {
                tag = Tag::Other;
            }
        }
        if let Some(point) = meaning
            .nesting
            .filter(|point| !is_closed && self.may_nest(*point))
        {
            self.scan.nesting.push(point);
        }
        if self.num_templates == 0 {
            self.take(tag, &values);
        }
        let is_inert = values[Attribute::ShadowRootMode as usize].is_none();
        if tag == Tag::Template && is_inert {
            self.num_templates += 1;
        }
        if matches!(tag, Tag::Frame | Tag::Iframe)
            && let Some(source) = values[Attribute::Src as usize]
        {
            self.scan.hashed.push_source(source);
        }
        let is_text = tag == Tag::Script && names::is_template(values[Attribute::Type as usize]);
        let is_css = tag == Tag::Style && requisites::is_css(values[Attribute::Type as usize]);
        let behind = self.take_content(tag, is_text, name, end);
        if is_css && has_requisites {
            self.take_css(&self.body[end..behind]);
        }
        Some(behind)
    }

    /// Goes to the end of an element without tags, or stays; a script may be text that is shown later.
    fn take_content(&mut self, tag: Tag, is_text: bool, name: Range<usize>, from: usize) -> usize {
        let body = self.body;
        let end = match tag {
            Tag::Script => find_script_end(body, from),
            Tag::Title | Tag::Textarea | Tag::Xmp | Tag::Iframe | Tag::Style | Tag::Raw => {
                find_raw_end(body, from, &body[name])
            }
            Tag::Plaintext => body.len(),
            _ => return from,
        };
        let content = &body[from..end];
        match tag {
            Tag::Title => {
                self.scan.hashed.push_text(content);
                if self.num_templates == 0 && !std::mem::replace(&mut self.has_title, true) {
                    let Scan { title, scratch, .. } = &mut *self.scan;
                    scratch.clear();
                    push_decoded(scratch, content, self.encoding, false);
                    collapse(title, 0, scratch);
                    trim_end(title);
                }
            }
            Tag::Textarea => self.push_text(content, true),
            Tag::Xmp | Tag::Plaintext => self.push_text(content, false),
            Tag::Script if is_text => self.scan.hashed.push_text(content),
            _ => {}
        }
        end
    }

    fn end_tag(&mut self, from: usize) -> Option<usize> {
        let name = self.body[from..].iter().position(|byte| ends_name(*byte))?;
        let name = from..from + name;
        let lower = self.scan.hashed.push_tag(&self.body[name.clone()], true);
        let meaning = self.scan.known.find(lower);
        let tag = meaning.tag;
        if self.wants.text && !meaning.is_inline {
            if headings::level(lower).is_some() && self.num_templates == 0 {
                self.scan.heads.close(self.scan.text.len());
            }
            break_line(&mut self.scan.text);
            if meaning.begins_block && self.num_templates == 0 {
                self.scan.outline.end(meaning.key, self.scan.text.len());
            }
        } else if self.wants.text
            && matches!(meaning.key, outline::SMALL | outline::FONT)
            && self.num_templates == 0
        {
            self.scan.outline.end_print(meaning.key);
        }
        if self.wants.text && !tag.is_raw() {
            self.scan.tags.push(self.scan.text.len() as u32);
        }
        if !self.scan.nesting.is_empty() {
            let nesting = &mut self.scan.nesting;
            if let Some(place) = nesting
                .iter()
                .rposition(|open| Some(*open) == meaning.nesting)
            {
                nesting.truncate(place);
            } else if meaning.is_breaking {
                self.leave_foreign();
            }
        }
        match tag {
            Tag::Script | Tag::Style => (self.is_muted, self.is_style) = (false, false),
            Tag::Template => self.num_templates = self.num_templates.saturating_sub(1),
            Tag::A if self.num_templates == 0 => self.close_anchor(),
            _ => {}
        }
        let mut attributes = Attributes::new(self.body, name.end);
        attributes.skip_all();
        attributes.end
    }

    /// Keeps what a tag of the page says.
    fn take(&mut self, tag: Tag, values: &[Option<&[u8]>; Attribute::COUNT]) {
        let value = |which: Attribute| values[which as usize];
        let href = value(Attribute::Href);
        let source = value(Attribute::Src).filter(|source| !source.is_empty());
        let (kind, target) = match tag {
            Tag::A => {
                self.close_anchor();
                if self.wants.text {
                    self.scan
                        .outline
                        .add_link(value(Attribute::Rel), value(Attribute::AccessKey));
                }
                (Kind::Anchor, href.or(value(Attribute::XlinkHref)))
            }
            Tag::Area => (Kind::Area, href),
            Tag::Base if self.scan.base.is_none() => {
                if let Some(href) = href {
                    self.scan.base = Some(self.push_target(href));
                }
                return;
            }
            Tag::Frame => (Kind::Frame, source),
            Tag::Iframe => (Kind::Iframe, source),
            Tag::Img => {
                if self.wants.text {
                    self.scan.outline.add_image();
                }
                (Kind::Image, source)
            }
            Tag::Script => (Kind::Script, source),
            Tag::Embed => (Kind::Embed, source),
            Tag::Object => (Kind::Object, value(Attribute::Data)),
            Tag::Media => (Kind::Media, source),
            Tag::Link => match Kind::of_rel(value(Attribute::Rel).unwrap_or(b"")) {
                Some(kind) => (kind, href.filter(|href| !href.is_empty())),
                None => return,
            },
            Tag::Html if self.scan.language.is_empty() => {
                if let Some(language) = value(Attribute::Lang) {
                    let language = decode(language, self.encoding);
                    self.scan.language.push_str(language.trim());
                }
                return;
            }
            Tag::Meta => return self.take_meta(values),
            _ => return,
        };
        if (kind.is_page() || self.wants.resources)
            && let Some(target) = target
        {
            let rel = value(Attribute::Rel).map_or(0, names::rel);
            self.push_link(kind, rel, target);
        }
    }

    fn take_meta(&mut self, values: &[Option<&[u8]>; Attribute::COUNT]) {
        let value = |which: Attribute| values[which as usize];
        let Some(content) = value(Attribute::Content) else {
            return;
        };
        if let Some(name) = value(Attribute::Name) {
            let name = name.trim_ascii();
            let is_meant = |agent: &String| agent.as_bytes().eq_ignore_ascii_case(name);
            if name.eq_ignore_ascii_case(b"robots") || self.wants.agents.iter().any(is_meant) {
                self.scan.robots |= directives::parse(&decode(content, self.encoding));
            }
        }
        if value(Attribute::HttpEquiv).is_some_and(|name| name.eq_ignore_ascii_case(b"refresh")) {
            let mut text = String::new();
            push_decoded(&mut text, content, self.encoding, true);
            if let Some((delay, target)) = directives::parse_refresh(&text) {
                self.scan.refresh_delay.get_or_insert(delay);
                let begin = self.scan.targets.len();
                self.scan.targets.push_str(target);
                self.add_link(Kind::Refresh, 0, begin..begin + target.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_a_scan_found_before_leaves_no_trace(pieces in proptest::collection::vec("(</?(a|svg|title|template|p|script)( href=x| rel=nofollow)?>|<!--|&amp;|[a-z0-9 ]{1,5}|\\PC)", 0..30), at in 0_usize..30) {
            let (before, page) = pieces.split_at(at.min(pieces.len()));
            let wants = Wants { resources: true, anchors: true, text: true, ..Wants::default() };
            let (mut used, mut fresh) = (Scan::default(), Scan::default());
            scan(before.concat().as_bytes(), None, &wants, &mut used);
            scan(page.concat().as_bytes(), None, &wants, &mut used);
            scan(page.concat().as_bytes(), None, &wants, &mut fresh);
            let show = |scan: &Scan| {
                let links = scan.links.iter().map(|link| (link.kind, link.rel, scan.target(link).to_string(), scan.anchor(link).to_string()));
                (links.collect::<Vec<_>>(), scan.title.clone(), scan.text.clone(), scan.headings().collect::<Vec<_>>(), scan.base().map(str::to_string), scan.robots, scan.fingerprint)
            };
            prop_assert_eq!(show(&used), show(&fresh));
        }
    }
}
