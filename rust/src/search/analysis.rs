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
    places: Vec<(usize, usize)>,
    folded: String,
    token: Token,
}

impl Analyzer {
    pub fn new(words: Arc<Words>, stemmer: Option<Stemmer>) -> Self {
        Self {
            words,
            stemmer,
            stems: HashMap::new(),
            places: Vec::new(),
            folded: String::new(),
            token: Token::default(),
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

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        self.words
            .for_each(text, |begin, end| places.push((begin, end)));
        self.places = places;
        self.token.position = usize::MAX;
        Stream {
            analyzer: self,
            text,
            next: 0,
        }
    }
}

/// The terms of a text one by one, as tantivy asks for them.
pub struct Stream<'a> {
    analyzer: &'a mut Analyzer,
    text: &'a str,
    next: usize,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some(&(begin, end)) = self.analyzer.places.get(self.next) else {
            return false;
        };
        let mut term = std::mem::take(&mut self.analyzer.token.text);
        self.analyzer.analyze(&self.text[begin..end], &mut term);
        let token = &mut self.analyzer.token;
        (token.offset_from, token.offset_to) = (begin, end);
        (token.position, token.position_length, token.text) = (self.next, 1, term);
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.analyzer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.analyzer.token
    }
}
