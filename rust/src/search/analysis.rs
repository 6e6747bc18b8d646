//! Words of a text as the index has them: folded, stemmed. Each different word is stemmed once.

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

    /// Puts the term of a word into `out`.
    fn analyze(&mut self, word: &str, out: &mut String) {
        out.clear();
        self.words.fold(word, &mut self.folded);
        let Some(stemmer) = self.stemmer else {
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
            self.analyze(&text[begin..end], &mut term);
            each(&term, begin, end);
        });
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
