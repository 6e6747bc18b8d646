//! Pages as HTML, and their main content as text.

use super::Web;
use super::address::Guise;
use super::draw::{Stream, below, falls, hash, purpose, unit};
use super::events::Kind;
use super::host::{Host, LinkStyle, UrlStyle};
use super::layout::folder_of;
use super::links::{Area, Link};
use super::names::push_word;
use super::words::Language;

const PARAGRAPH: usize = 60;

/// A page asked for: where it is, and as whom it was asked.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub host: &'a Host,
    pub index: u64,
    pub guise: Guise,
    pub month: u32,
    /// Whether the client looks like a browser; cloaking hosts show it something else.
    pub is_browser: bool,
}

/// What a writer of main content produces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Text,
}

impl Web {
    /// Appends `count` words of the title of a page.
    pub fn push_title(&self, out: &mut Vec<u8>, host: &Host, index: u64, month: u32, count: usize) {
        let index = self.original(host, index);
        if let Some((number, _)) = self.event_of(host, index, month) {
            out.extend_from_slice(self.events[number].name.as_bytes());
            return;
        }
        let mut stream = Stream::new(self.page_key(host, index, month), purpose::TITLE);
        let topic = self.page_topic(host, index);
        for place in 0..count {
            if place > 0 {
                out.push(b' ');
            }
            self.words
                .push_topical(out, host.language, topic, stream.draw());
        }
    }

    /// The topic of a page: its host's, for most.
    pub fn page_topic(&self, host: &Host, index: u64) -> u64 {
        let index = self.near_original(host, self.original(host, index));
        let draw = hash(self.place_key(host, index), purpose::WORDS);
        if index == 0 || index >= host.size || !host.grew() || falls(draw, 0.85) {
            host.topic
        } else {
            below(hash(draw, 1), self.spec.topics)
        }
    }

    /// Whether the page asks not to be indexed.
    pub fn is_noindex(&self, host: &Host, index: u64) -> bool {
        let index = self.original(host, index);
        index % super::layout::FOLDER_PAGES > 2
            && index < host.size
            && falls(
                hash(self.place_key(host, index), purpose::HAZARD),
                // 13 of 16 places can be asked to stay out of an index
                self.spec.noindex_share * 16.0 / 13.0,
            )
    }

    /// The page as it goes over the wire, in UTF-8.
    pub fn push_html(&self, out: &mut Vec<u8>, view: View<'_>, links: &[Link]) {
        let View { host, month, .. } = view;
        let content = self.original(host, view.index);
        let key = self.page_key(host, content, month);
        out.extend_from_slice(b"<!DOCTYPE html>\n<html lang=\"");
        out.extend_from_slice(host.language.code().as_bytes());
        out.extend_from_slice(b"\">\n<head>\n");
        if host.charset == "utf-8" {
            out.extend_from_slice(b"<meta charset=\"utf-8\">\n");
        } else {
            out.extend_from_slice(
                b"<meta http-equiv=\"Content-Type\" content=\"text/html; charset=",
            );
            out.extend_from_slice(host.charset.as_bytes());
            out.extend_from_slice(b"\">\n");
        }
        out.extend_from_slice(b"<title>");
        self.push_title(out, host, content, month, 3);
        out.extend_from_slice(b"</title>\n<meta name=\"description\" content=\"");
        self.push_title(out, host, content, month, 6);
        out.extend_from_slice(b"\">\n");
        if self.is_noindex(host, content) {
            out.extend_from_slice(b"<meta name=\"robots\" content=\"noindex\">\n");
        }
        if host.has_canonical && content < host.size {
            out.extend_from_slice(b"<link rel=\"canonical\" href=\"");
            let begin = out.len();
            self.push_url(out, host, content, Guise::Page, month);
            escape_from(out, begin);
            out.extend_from_slice(b"\">\n");
        }
        if host.link_style == LinkStyle::Based {
            out.extend_from_slice(b"<base href=\"");
            out.extend_from_slice(self.scheme());
            self.push_host_name(out, host, false);
            out.extend_from_slice(b"/\">\n");
        }
        out.extend_from_slice(&self.theme.head);
        self.push_host_name(out, host, false);
        out.extend_from_slice(b"</p>\n<ul class=\"nav\">\n");
        self.push_list(out, view, links, Area::Navigation);
        out.extend_from_slice(b"</ul>\n</header>\n<p class=\"crumbs\">");
        for link in links.iter().filter(|link| link.area == Area::Breadcrumbs) {
            self.push_anchor(out, view, link, Form::Html);
            out.extend_from_slice(b" / ");
        }
        out.extend_from_slice(b"</p>\n");
        let volatile = hash(
            hash(key ^ purpose::VOLATILE, u64::from(month)),
            guise_number(view.guise),
        );
        if host.is_volatile {
            out.extend_from_slice(b"<div class=\"ad\"><p>Advertisement ");
            push_decimal(out, volatile % 100_000);
            out.extend_from_slice(b"</p></div>\n");
        }
        out.extend_from_slice(&self.theme.main);
        self.push_main(out, view, links, Form::Html);
        out.extend_from_slice(&self.theme.main_end);
        out.extend_from_slice(b"<aside class=\"sidebar\">\n<ul>\n");
        self.push_list(out, view, links, Area::SideBar);
        out.extend_from_slice(b"</ul>\n</aside>\n<footer class=\"site-footer\">\n<ul>\n");
        self.push_list(out, view, links, Area::Footer);
        out.extend_from_slice(b"</ul>\n<p>");
        if host.is_volatile {
            out.extend_from_slice(b"2026-");
            push_decimal(out, 10 + volatile % 90);
            out.extend_from_slice(b": visitor ");
            push_decimal(out, volatile >> 40);
            out.extend_from_slice(b". ");
        }
        out.extend_from_slice(b"All rights reserved by ");
        self.push_host_name(out, host, false);
        out.extend_from_slice(b".</p>\n</footer>\n</div>\n</body>\n</html>\n");
    }

    fn push_list(&self, out: &mut Vec<u8>, view: View<'_>, links: &[Link], area: Area) {
        for link in links.iter().filter(|link| link.area == area) {
            out.extend_from_slice(&self.theme.item);
            self.push_anchor(out, view, link, Form::Html);
            out.extend_from_slice(&self.theme.item_end);
        }
    }

    fn push_anchor(&self, out: &mut Vec<u8>, view: View<'_>, link: &Link, form: Form) {
        let target = link.target;
        let other;
        let there = if target.slot == view.host.slot {
            view.host
        } else {
            other = self.host(target.slot, view.month);
            &other
        };
        if form == Form::Html {
            out.extend_from_slice(b"<a");
            out.extend_from_slice(&self.theme.link);
            out.extend_from_slice(b" href=\"");
            let begin = out.len();
            self.push_href(out, view, there, link);
            escape_from(out, begin);
            out.extend_from_slice(if link.nofollow {
                b"\" rel=\"nofollow\">"
            } else {
                b"\">"
            });
        }
        self.push_title(out, there, target.index, view.month, 2);
        if form == Form::Html {
            out.extend_from_slice(b"</a>");
        }
    }

    /// Writes a link as its host writes links.
    fn push_href(&self, out: &mut Vec<u8>, view: View<'_>, there: &Host, link: &Link) {
        let (host, target) = (view.host, link.target);
        let is_inner = target.slot == host.slot && target.guise != Guise::Mirror;
        if !is_inner || host.link_style == LinkStyle::Absolute {
            self.push_url(out, there, target.index, target.guise, view.month);
            return;
        }
        let begin = out.len();
        self.push_target(out, there, target.index, target.guise, view.month);
        let from = self.original(host, view.index);
        match host.link_style {
            LinkStyle::Based => {
                // relative to the root, where the base is
                let _ = out.remove(begin);
                if out.len() == begin || out[begin] == b'?' {
                    out.splice(begin..begin, *b"./");
                }
            }
            LinkStyle::Relative
                if matches!(target.guise, Guise::Page | Guise::Session(_))
                    && target.index < host.size
                    && from < host.size
                    && host.url_style != UrlStyle::Dynamic
                    && folder_of(target.index) == folder_of(from) =>
            {
                // what is left of the last slash is the folder; session identifiers have none
                let file = out.iter().rposition(|byte| *byte == b'/');
                out.drain(begin..=file.unwrap_or(begin));
                if out.len() == begin || out[begin] == b'?' {
                    out.splice(begin..begin, *b"./");
                }
            }
            _ => {}
        }
    }

    /// The main content of a page as text, a line per heading and paragraph.
    pub fn main_text(&self, view: View<'_>, links: &[Link]) -> String {
        let mut out = Vec::new();
        self.push_main(&mut out, view, links, Form::Text);
        String::from_utf8(out).expect("text is made of words in UTF-8")
    }

    fn push_main(&self, out: &mut Vec<u8>, view: View<'_>, links: &[Link], form: Form) {
        let View { host, month, .. } = view;
        let content = self.original(host, view.index);
        let source = self.near_original(host, content);
        let key = self.page_key(host, source, month);
        let open = |out: &mut Vec<u8>, tag: &[u8]| {
            if form == Form::Html {
                out.extend_from_slice(tag);
            }
        };
        open(out, b"<h1>");
        self.push_title(out, host, content, month, 4);
        open(out, b"</h1>");
        out.push(b'\n');
        let spread = unit(hash(key, purpose::PARAGRAPH));
        let words = (self.spec.words * (0.4 + 1.2 * spread)) as usize;
        let paragraphs = words.div_ceil(PARAGRAPH).max(1);
        let version = self.page_version(host, source, month).count;
        let mut own = links
            .iter()
            .filter(|link| matches!(link.area, Area::Text | Area::Event))
            .peekable();
        let num_links = links
            .iter()
            .filter(|link| matches!(link.area, Area::Text | Area::Event))
            .count();
        let mut buffer = Vec::new();
        let look = self.look(host);
        for paragraph in 0..paragraphs {
            if paragraph > 0 && paragraph % 6 == 0 {
                open(out, b"<h2>");
                let mut stream = Stream::new(key ^ purpose::TITLE, paragraph as u64);
                self.words.push_topical(
                    out,
                    host.language,
                    self.page_topic(host, source),
                    stream.draw(),
                );
                open(out, b"</h2>");
                out.push(b'\n');
            }
            open(out, &self.theme.paragraph);
            let revision = (1..=u64::from(version))
                .filter(|number| is_touched(key, *number, paragraph, paragraphs))
                .count() as u64;
            let mut stream = Stream::new(
                key ^ purpose::PARAGRAPH,
                (paragraph as u64) << 16 | revision,
            );
            let count = PARAGRAPH
                .min(words.saturating_sub(paragraph * PARAGRAPH))
                .max(8);
            let topic = self.page_topic(host, source);
            let is_shown = !(host.is_cloaked && view.is_browser);
            if host.farm.is_some() && look.is_none() {
                self.push_spam(out, view, paragraph as u64, &mut stream, count);
            } else if let Some(look) = look.as_ref().filter(|_| is_shown && source == content) {
                let kind = (host.language, topic);
                self.push_stuffed(out, kind, look, &mut stream, count);
            } else if source != content {
                buffer.clear();
                self.push_paragraph(&mut buffer, host.language, topic, &mut stream, count);
                self.push_variation(
                    out,
                    &buffer,
                    host,
                    self.page_key(host, content, month) ^ paragraph as u64,
                );
            } else {
                self.push_paragraph(out, host.language, topic, &mut stream, count);
            }
            // links of the text are spread over its paragraphs, the last one takes the rest
            let until = if paragraph + 1 == paragraphs {
                num_links
            } else {
                num_links * (paragraph + 1) / paragraphs
            };
            let from = num_links * paragraph / paragraphs;
            for link in own.by_ref().take(until - from) {
                out.push(b' ');
                self.push_anchor(out, view, link, form);
            }
            open(out, b"</p>");
            out.push(b'\n');
        }
        self.push_events(out, host, content, month, form);
        let hides = look.map_or(host.farm.is_some(), |look| look.has_hidden);
        if hides && form == Form::Html {
            self.push_hidden(out, host, key);
        }
    }

    /// What a page says about events: those it mentions, and the one it is about.
    fn push_events(&self, out: &mut Vec<u8>, host: &Host, content: u64, month: u32, form: Form) {
        for (number, event) in self.events_on(host, content, month) {
            let times = if event.kind == Kind::Edits { 2 } else { 1 };
            for _ in 0..times {
                self.push_event(out, host, content, number, &event.words, form);
            }
        }
        if let Some((number, _)) = self.event_of(host, content, month) {
            let event = &self.events[number];
            for _ in 0..3 {
                self.push_event(out, host, content, number, &event.words, form);
            }
            if !event.mention.is_empty() {
                if form == Form::Html {
                    out.extend_from_slice(b"<p>");
                }
                out.extend_from_slice(event.mention.as_bytes());
                if form == Form::Html {
                    out.extend_from_slice(b"</p>");
                }
                out.push(b'\n');
            }
        }
    }

    /// A paragraph of `count` words, from the stock or drawn.
    pub(super) fn push_paragraph(
        &self,
        out: &mut Vec<u8>,
        language: Language,
        topic: u64,
        stream: &mut Stream,
        count: usize,
    ) {
        if self.spec.stock_share > 0.0 && stream.falls(self.spec.stock_share) {
            self.words.push_stock(out, language, topic, stream, count);
        } else {
            self.words.push_text(out, language, topic, stream, count);
        }
    }

    /// A paragraph about an event: its two words among others.
    fn push_event(
        &self,
        out: &mut Vec<u8>,
        host: &Host,
        index: u64,
        number: usize,
        words: &[String; 2],
        form: Form,
    ) {
        if form == Form::Html {
            out.extend_from_slice(b"<p>");
        }
        let mut stream = Stream::new(self.event_draw(host, index, number), purpose::WORDS);
        for turn in 0..4 {
            out.extend_from_slice(words[0].as_bytes());
            out.push(b' ');
            out.extend_from_slice(words[1].as_bytes());
            out.push(b' ');
            self.words
                .push_text(out, host.language, host.topic, &mut stream, 8 + turn);
            out.push(b' ');
        }
        if form == Form::Html {
            out.extend_from_slice(b"</p>");
        }
        out.push(b'\n');
    }

    /// A paragraph in which each word is another one with probability 1 − similarity.
    fn push_variation(&self, out: &mut Vec<u8>, text: &[u8], host: &Host, key: u64) {
        let mut stream = Stream::new(key, purpose::NEAR);
        for (place, word) in text.split(|byte| *byte == b' ').enumerate() {
            if place > 0 {
                out.push(b' ');
            }
            if stream.falls(1.0 - self.spec.near_similarity) {
                self.words
                    .push_topical(out, host.language, host.topic, stream.draw());
                if word.ends_with(b".") {
                    out.push(b'.');
                }
            } else {
                out.extend_from_slice(word);
            }
        }
    }

    /// Spam: words of popular queries over and over, in turn with text copied from an ordinary page.
    fn push_spam(
        &self,
        out: &mut Vec<u8>,
        view: View<'_>,
        paragraph: u64,
        stream: &mut Stream,
        count: usize,
    ) {
        let host = view.host;
        if view.host.is_cloaked && view.is_browser {
            self.words
                .push_text(out, host.language, host.topic, stream, count);
        } else if paragraph % 2 == 1 {
            let slot = below(hash(host.key, paragraph), self.layout.hosts);
            let victim = self.host(slot, view.month);
            let key = self.page_key(&victim, 0, view.month);
            let mut copied = Stream::new(key ^ purpose::PARAGRAPH, paragraph << 16);
            self.push_paragraph(out, victim.language, victim.topic, &mut copied, count);
        } else {
            for place in 0..count {
                if place > 0 {
                    out.push(b' ');
                }
                if stream.falls(0.7) {
                    let query = self.query_rank(stream.unit());
                    self.push_query(out, query);
                } else {
                    self.words
                        .push_topical(out, host.language, host.topic, stream.draw());
                }
            }
        }
    }

    /// Text that no visitor sees.
    fn push_hidden(&self, out: &mut Vec<u8>, host: &Host, key: u64) {
        let mut stream = Stream::new(key, purpose::QUERY);
        out.extend_from_slice(b"<div style=\"display:none\">");
        for _ in 0..40 {
            let query = self.query_rank(stream.unit());
            self.push_query(out, query);
            out.push(b' ');
            if stream.falls(0.1) {
                push_word(out, hash(host.key, stream.draw()));
                out.push(b' ');
            }
        }
        out.extend_from_slice(b"</div>\n");
    }
}

/// Whether change `number` of a page touched a paragraph: three in ten, and at least one each time.
fn is_touched(key: u64, number: u64, paragraph: usize, paragraphs: usize) -> bool {
    let draw = hash(key ^ purpose::CHANGE, number);
    below(draw, paragraphs as u64) == paragraph as u64 || falls(hash(draw, paragraph as u64), 0.3)
}

fn guise_number(guise: Guise) -> u64 {
    match guise {
        Guise::Session(number) => u64::from(number),
        _ => 0,
    }
}

fn push_decimal(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(number.to_string().as_bytes());
}

/// Escapes what was appended since `begin` for an attribute; only `&` occurs in our addresses.
fn escape_from(out: &mut Vec<u8>, begin: usize) {
    if !out[begin..].contains(&b'&') {
        return;
    }
    let mut place = begin;
    while let Some(found) = out[place..].iter().position(|byte| *byte == b'&') {
        place += found + 1;
        out.splice(place..place, *b"amp;");
    }
}
