//! Words of a text as the index has them: split into parts, folded, stemmed. Each different word is stemmed once.
//!
//! UAX #29 keeps `foo_bar`, `node.js`, `don't` and `1.2.3` together; here their parts are terms of their own, one after
//! the other, so that `bar` finds `foo_bar` and `foo_bar` is a phrase. `++` after a word, and `#` after a single letter,
//! belong to the term: `c++`, `c#`.

use crate::web::words::Words;
use frostem::Stemmer;
use hashbrown::HashMap;
use std::sync::Arc;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Words that are remembered with their stems; what comes later is stemmed each time.
const REMEMBERED: usize = 1 << 20;

#[derive(Clone)]
pub struct Analyzer {
    words: Arc<Words>,
    stemmer: Option<Stemmer>,
    stems: HashMap<Box<str>, Box<str>>,
    folded: String,
}

impl Analyzer {
    pub fn new(words: Arc<Words>, stemmer: Option<Stemmer>) -> Self {
        Self {
            words,
            stemmer,
            stems: HashMap::new(),
            folded: String::new(),
        }
    }

    /// Puts the term of a word into `out`; a word with a suffix is not stemmed.
    fn analyze(&mut self, word: &str, suffix: &str, out: &mut String) {
        out.clear();
        self.words.fold(word, &mut self.folded);
        if !suffix.is_empty() {
            out.push_str(&self.folded);
            return out.push_str(suffix);
        }
        let Some(stemmer) = self.stemmer.filter(|_| self.folded.len() > 2) else {
            // as Porter leaves words of two letters
            return out.push_str(&self.folded);
        };
        if let Some(stem) = self.stems.get(self.folded.as_str()) {
            return out.push_str(stem);
        }
        let stem = stemmer.stem(&self.folded);
        // a stemmer may leave nothing of a word
        out.push_str(if stem.is_empty() { &self.folded } else { &stem });
        if self.stems.len() < REMEMBERED {
            self.stems
                .insert(self.folded.as_str().into(), out.as_str().into());
        }
    }

    /// Calls `each` with the term of every word, and with where the word begins and ends.
    pub fn for_each(&mut self, text: &str, mut each: impl FnMut(&str, usize, usize)) {
        let mut term = String::new();
        let words = Arc::clone(&self.words);
        words.for_each(text, |begin, end| {
            let suffix = suffix_of(text, begin, end);
            let mut start = begin;
            for part in text[begin..end].split(is_separator) {
                let stop = start + part.len();
                if !part.is_empty() {
                    let own = if stop == end { suffix } else { "" };
                    self.analyze(part, own, &mut term);
                    each(&term, start, stop + own.len());
                }
                start = stop + text[stop..end].chars().next().map_or(0, char::len_utf8);
            }
        });
    }
}

/// Whether a character joins two parts of what UAX #29 has as one word.
fn is_separator(letter: char) -> bool {
    match letter {
        '_' | '.' | '\'' | ':' | ',' | ';' => true,
        _ if letter.is_ascii() => false,
        _ => SEPARATORS.contains(letter),
    }
}

/// As in `webstrata.web.words`: what stands between letters, between digits, and what joins all.
const SEPARATORS: &str = "\u{2018}\u{2019}\u{2024}\u{fe52}\u{ff07}\u{ff0e}\u{b7}\u{387}\u{55f}\u{5f4}\u{2027}\u{fe13}\
\u{fe55}\u{ff1a}\u{37e}\u{589}\u{60c}\u{60d}\u{66c}\u{7f8}\u{2044}\u{fe10}\u{fe14}\u{fe50}\u{fe54}\u{ff0c}\u{ff1b}\
\u{202f}\u{203f}\u{2040}\u{2054}\u{fe33}\u{fe34}\u{fe4d}\u{fe4e}\u{fe4f}\u{ff3f}";

/// The `++` or `#` after a word that belongs to its term.
fn suffix_of(text: &str, begin: usize, end: usize) -> &str {
    let rest = &text.as_bytes()[end..];
    match rest {
        [b'+', b'+', after @ ..] if after.first() != Some(&b'+') => &text[end..end + 2],
        [b'#', after @ ..]
            if end - begin == 1
                && text.as_bytes()[begin].is_ascii_alphabetic()
                && !after
                    .first()
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'#') =>
        {
            &text[end..=end]
        }
        _ => "",
    }
}

/// Takes texts apart that were analyzed before: a term a line, and an empty line for a place where no word stands.
#[derive(Clone, Default)]
pub struct Lines {
    token: Token,
}

impl Tokenizer for Lines {
    type TokenStream<'a> = LineStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LineStream<'a> {
        self.token.reset();
        LineStream {
            token: &mut self.token,
            rest: text,
        }
    }
}

pub struct LineStream<'a> {
    token: &'a mut Token,
    rest: &'a str,
}

impl TokenStream for LineStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some((line, rest)) = self.rest.split_once('\n') {
            self.rest = rest;
            self.token.position = self.token.position.wrapping_add(1);
            if !line.is_empty() {
                self.token.text.clear();
                self.token.text.push_str(line);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
