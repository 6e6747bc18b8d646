//! The elements and blocks of a page from which main content is chosen (STORE, Removing noise).
//!
//! One pass over the bytes by the states of the HTML standard; what kinds of elements there are, and which names are
//! those of noise, are tables that `webstrata.store.main_content.dom` hands over.

pub mod slope;

use crate::web::html::{Attributes, ends_name, find_comment_end, find_raw_end, push_decoded};
use encoding_rs::UTF_8;
use hashbrown::{HashMap, HashSet};
use memchr::memchr;

/// What an element is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its content is no markup, and no text of the page.
    Raw,
    /// Its content is no text of the page.
    Hidden,
    Void,
    Inline,
    /// Noise, as surely as the level tells.
    Noise(u8),
    /// Never noise by its attributes.
    Plain,
}

/// Tables that say what is noise and what is main content.
#[derive(Default)]
pub struct Rules {
    pub kinds: HashMap<String, Kind>,
    /// By name of an element, those that its start closes.
    pub closes: HashMap<String, Vec<String>>,
    /// Words of class and id with the level of noise.
    pub words: HashMap<String, u8>,
    /// The same for words that begin so.
    pub prefixes: Vec<(String, u8)>,
    /// Names that are noise only as a whole, or as several words.
    pub phrases: HashMap<String, u8>,
    /// Two words, one behind the other, of main content.
    pub main: Vec<(String, String)>,
    pub roles: HashSet<String>,
}

/// The elements that begin lines, by number; the first is the page.
#[derive(Default)]
pub struct Tree {
    pub parents: Vec<i64>,
    pub tags: Vec<String>,
    pub noise: Vec<u8>,
    pub marks: Vec<u8>,
    pub blocks: Vec<Block>,
}

pub struct Block {
    pub node: usize,
    pub text: String,
    /// Characters of it within links.
    pub linked: usize,
}

/// A tag, with the text that precedes it.
struct Token<'a> {
    text: &'a str,
    is_end: bool,
    name: String,
    attributes: usize,
}

impl Rules {
    fn kind(&self, name: &str) -> Option<Kind> {
        self.kinds.get(name).copied()
    }

    /// How surely an element is noise, and whether it says that it is main content.
    fn judge(&self, name: &str, attributes: Attributes<'_>) -> (u8, u8) {
        match self.kind(name) {
            Some(Kind::Noise(level)) => return (level, 0),
            Some(Kind::Plain) => return (0, 0),
            _ => (),
        }
        let mut names = String::new();
        for (key, value) in attributes {
            let is = |name: &str| key.eq_ignore_ascii_case(name.as_bytes());
            let value = || String::from_utf8_lossy(value);
            if is("class") || is("id") || is("itemprop") {
                names.push_str(&value());
                names.push(' ');
            } else if is("style") {
                if hides(&value().to_ascii_lowercase()) {
                    return (1, 0);
                }
            } else if is("hidden") || (is("aria-hidden") && value().eq_ignore_ascii_case("true")) {
                return (1, 0);
            } else if is("role") && self.roles.contains(&value().to_ascii_lowercase()) {
                return (2, 0);
            }
        }
        let names = split_camel(&names);
        if self.is_main(&names) {
            return (0, 1);
        }
        match self.find_noise(&names) {
            Some(level) if name != "article" => (level, 0),
            _ => (0, u8::from(name == "article")),
        }
    }

    fn is_main(&self, names: &str) -> bool {
        self.main.iter().any(|(first, second)| {
            let mut ends = names.match_indices(first.as_str());
            ends.any(|(at, _)| {
                let rest = &names[at + first.len()..];
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                rest.strip_prefix('_')
                    .unwrap_or(rest)
                    .starts_with(second.as_str())
            })
        })
    }

    /// The level of the first name or word that is one of noise.
    fn find_noise(&self, names: &str) -> Option<u8> {
        names.split_ascii_whitespace().find_map(|name| {
            let phrase = self.phrases.get(name).copied();
            phrase.or_else(|| {
                let mut words = name.split(['-', '_']).filter(|word| !word.is_empty());
                words.find_map(|word| {
                    let begins = |(prefix, level): &(String, u8)| {
                        word.starts_with(prefix.as_str()).then_some(*level)
                    };
                    self.words
                        .get(word)
                        .copied()
                        .or_else(|| self.prefixes.iter().find_map(begins))
                })
            })
        })
    }
}

fn hides(style: &str) -> bool {
    [("display", "none"), ("visibility", "hidden")]
        .iter()
        .any(|(key, value)| {
            let mut found = style.match_indices(key);
            found.any(|(at, _)| {
                let rest = style[at + key.len()..].trim_start();
                rest.strip_prefix(':')
                    .is_some_and(|rest| rest.trim_start().starts_with(value))
            })
        })
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

/// All tags that are not within raw text, and the text behind the last one.
fn tokenize<'a>(page: &'a str, rules: &Rules) -> (Vec<Token<'a>>, &'a str) {
    let body = page.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut text) = (0, 0);
    while let Some(open) = memchr(b'<', &body[at..]).map(|found| at + found) {
        let end = match &body[open + 1..] {
            [b'!', b'-', b'-', ..] => find_comment_end(body, open + 4),
            [b'!' | b'?', rest @ ..] => memchr(b'>', rest).map(|length| open + length + 3),
            [b'/', letter, ..] | [letter, ..]
                if letter.is_ascii_alphabetic()
                    && (body[open + 1] == b'/' || *letter == body[open + 1]) =>
            {
                let is_end = body[open + 1] == b'/';
                let from = open + 1 + usize::from(is_end);
                let rest = &body[from..];
                let length = rest
                    .iter()
                    .position(|byte| ends_name(*byte))
                    .unwrap_or(rest.len());
                let name = String::from_utf8_lossy(&rest[..length]).to_ascii_lowercase();
                let mut attributes = Attributes::new(body, from + length);
                attributes.skip_all();
                let mut end = attributes.end;
                let is_raw = !is_end && rules.kind(&name) == Some(Kind::Raw);
                if let (true, Some(from)) = (is_raw, end) {
                    let inner = find_raw_end(body, from, name.as_bytes());
                    end = memchr(b'>', &body[inner..]).map(|length| inner + length + 1);
                }
                let token = Token {
                    text: &page[text..open],
                    is_end,
                    name: if is_raw { String::new() } else { name },
                    attributes: from + length,
                };
                tokens.push(token);
                text = end.unwrap_or(body.len());
                end
            }
            _ => {
                at = open + 1;
                continue;
            }
        };
        at = end.unwrap_or(body.len());
        if text < at {
            // a comment or a declaration: what precedes it is text of its own
            tokens.push(Token {
                text: &page[text..open],
                is_end: false,
                name: String::new(),
                attributes: at,
            });
            text = at;
        }
    }
    (tokens, &page[text..])
}

struct Reader<'a> {
    rules: &'a Rules,
    tree: Tree,
    stack: Vec<usize>,
    open: HashMap<String, usize>,
    words: String,
    linked: usize,
    in_link: bool,
}

/// The tree of a page. An end tag closes what is open up to its start, and one without a start is ignored.
pub fn read_tree(page: &str, rules: &Rules) -> Tree {
    let (tokens, rest) = tokenize(page, rules);
    let mut last_ends = HashMap::new();
    for (place, token) in tokens.iter().enumerate() {
        if token.is_end && rules.kind(&token.name) == Some(Kind::Hidden) {
            last_ends.insert(token.name.as_str(), place);
        }
    }
    let mut reader = Reader {
        rules,
        tree: Tree::default(),
        stack: Vec::new(),
        open: HashMap::new(),
        words: String::new(),
        linked: 0,
        in_link: false,
    };
    reader.push("html", 0, 0);
    let mut hidden = None;
    for (place, token) in tokens.iter().enumerate() {
        if let Some(name) = hidden {
            if token.is_end && token.name == name {
                hidden = None;
            }
            continue;
        }
        reader.text(token.text);
        if token.name.is_empty() {
            continue;
        }
        let kind = rules.kind(&token.name);
        if token.is_end {
            reader.end(&token.name, kind);
        } else if kind == Some(Kind::Hidden) && last_ends.get(token.name.as_str()) > Some(&place) {
            hidden = Some(token.name.as_str());
        } else {
            reader.start(
                &token.name,
                kind,
                Attributes::new(page.as_bytes(), token.attributes),
            );
        }
    }
    if hidden.is_none() {
        reader.text(rest);
    }
    reader.flush();
    reader.tree
}

impl Reader<'_> {
    fn push(&mut self, name: &str, noise: u8, mark: u8) {
        let parent = self.stack.last().map_or(-1, |&node| node as i64);
        self.stack.push(self.tree.parents.len());
        self.tree.parents.push(parent);
        self.tree.tags.push(name.to_owned());
        self.tree.noise.push(noise);
        self.tree.marks.push(mark);
        *self.open.entry_ref(name).or_insert(0) += 1;
    }

    fn pop(&mut self) {
        self.flush();
        if let Some(node) = self.stack.pop()
            && let Some(count) = self.open.get_mut(&self.tree.tags[node])
        {
            *count -= 1;
        }
    }

    fn top(&self) -> &str {
        self.stack.last().map_or("", |&node| &self.tree.tags[node])
    }

    fn text(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let begin = self.words.len();
        push_decoded(&mut self.words, text.as_bytes(), UTF_8, false);
        if self.in_link {
            self.linked += self.words[begin..].trim().chars().count();
        }
    }

    fn flush(&mut self) {
        if self.words.is_empty() {
            return;
        }
        let mut text = String::with_capacity(self.words.len());
        for word in self.words.split_whitespace() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
        self.words.clear();
        if !text.is_empty() {
            let length = text.chars().count();
            self.tree.blocks.push(Block {
                node: self.stack.last().copied().unwrap_or(0),
                text,
                linked: self.linked.min(length),
            });
        }
        self.linked = 0;
    }

    fn end(&mut self, name: &str, kind: Option<Kind>) {
        if name == "a" {
            self.in_link = false;
        } else if kind != Some(Kind::Inline) && self.open.get(name).is_some_and(|&count| count > 0)
        {
            while self.stack.len() > 1 && self.top() != name {
                self.pop();
            }
            if self.stack.len() > 1 {
                self.pop();
            }
        }
    }

    fn start(&mut self, name: &str, kind: Option<Kind>, attributes: Attributes<'_>) {
        match kind {
            Some(Kind::Inline) => self.in_link |= name == "a",
            Some(Kind::Void) if name == "br" => self.words.push(' '),
            Some(Kind::Void) if name == "hr" => self.flush(),
            Some(Kind::Void) => (),
            _ => {
                if self.top() == "p" {
                    self.pop();
                }
                let rules = self.rules;
                for closed in rules.closes.get(name).map_or(&[][..], |closed| closed) {
                    if self.stack.len() > 1 && self.top() == closed {
                        self.pop();
                    }
                }
                self.flush();
                let (noise, mark) = rules.judge(name, attributes);
                self.push(name, noise, mark);
            }
        }
    }
}
