//! Vocabularies and running text.
//!
//! A language has its real function words (so that language detectors and stop lists work) and invented others: common
//! ones, and some for each topic. Words are drawn from one table per language, in which a word has as many places as
//! its share asks for: function words 45%, common words 30%, words of the topic 25%, each by Zipf's law. The table has
//! the words of the first topic; those of the others stand at a fixed distance.
//! One place in 32 is for names that are in no lexicon, so that the vocabulary goes on growing as real ones do.
//!
//! A web may also take part of its text from a stock: pieces of a few sentences for each topic, written beforehand and put
//! together at random. That is faster, and makes a server that answers faster than any client asks.
//!
//! Writing words is most of what a page costs. So a word is kept in a slot of fixed size, with the blank that goes
//! before it: copying a whole slot and cutting off what is too much is faster than copying just the word.

use super::draw::{Stream, hash};
use super::names::push_word;

const COMMON: usize = 6000;
const TOPICAL: usize = 900;
const PLACES: usize = 1 << 15;
/// Pieces of the stock of a topic, and the words of each.
const PIECES: u64 = 256;
const PIECE: usize = 20;
/// In a table, a place for a name.
const NAME: u16 = u16::MAX;
/// Places in the table of the words of a topic alone.
const TOPICAL_PLACES: usize = 1 << 13;
/// Bytes of a slot: a blank, the longest word (four syllables of three Cyrillic letters) and a length.
const SLOT: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    German,
    French,
    Russian,
}

pub const LANGUAGES: [Language; 4] = [
    Language::English,
    Language::German,
    Language::French,
    Language::Russian,
];

/// What the words of a language are made from.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// The words that every text has, the most frequent first.
    pub function_words: Vec<String>,
    /// What invented words are put together from.
    pub syllables: Vec<String>,
}

impl Language {
    pub fn of_suffix(suffix: &str) -> Self {
        match suffix {
            "de" => Self::German,
            "fr" => Self::French,
            "ru" => Self::Russian,
            _ => Self::English,
        }
    }

    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Russian => "ru",
        }
    }

    /// The charset of a host: UTF-8, or what was usual before.
    pub fn charset(self, legacy: bool) -> &'static str {
        match (legacy, self) {
            (false, _) => "utf-8",
            (true, Self::English) => "iso-8859-1",
            (true, Self::German | Self::French) => "windows-1252",
            (true, Self::Russian) => "windows-1251",
        }
    }
}

/// A blank and a word; the last byte is the length of the two.
#[derive(Debug)]
#[repr(align(32))]
struct Slot([u8; SLOT]);

impl Slot {
    fn new(word: &[u8]) -> Self {
        let mut text = [b' '; SLOT];
        text[1..=word.len()].copy_from_slice(word);
        text[SLOT - 1] = 1 + word.len() as u8;
        Self(text)
    }

    /// A word that is in no lexicon.
    #[cold]
    fn name(draw: u64) -> Self {
        let mut word = Vec::with_capacity(6);
        push_word(&mut word, draw);
        Self::new(&word)
    }

    #[inline]
    fn len(&self) -> usize {
        usize::from(self.0[SLOT - 1])
    }

    /// Appends the word alone.
    #[inline]
    fn push(&self, out: &mut Vec<u8>) {
        let end = out.len() + self.len() - 1;
        out.extend_from_slice(&self.0[1..]);
        out.truncate(end);
    }
}

/// The words of one language (function words, common ones, those of each topic), and the table to draw them from.
#[derive(Debug)]
struct Lexicon {
    words: Vec<Slot>,
    table: Vec<u16>,
    first_topical: usize,
}

#[derive(Debug)]
pub struct Words {
    lexicons: Vec<Lexicon>,
    /// Ranks of the words of a topic, each as often as it comes.
    topical: Vec<u16>,
    /// For each language and topic, where there is a stock at all.
    stock: Vec<Vec<Vec<u8>>>,
    topics: u64,
}

impl Words {
    /// Words of all languages, from their vocabularies in the order of [`LANGUAGES`].
    pub fn new(seed: u64, topics: u64, vocabularies: &[Vocabulary; 4]) -> Self {
        let lexicons = (0..)
            .zip(vocabularies)
            .map(|(number, words)| Lexicon::new(hash(seed, number), words, topics as usize))
            .collect();
        let mut topical = Vec::with_capacity(TOPICAL_PLACES);
        fill(&mut topical, TOPICAL_PLACES, 0, TOPICAL, 1.0, 0.9);
        topical.resize(TOPICAL_PLACES, 0);
        Self {
            lexicons,
            topical,
            stock: Vec::new(),
            topics,
        }
    }

    /// The same words with a stock of text.
    pub fn with_stock(mut self, seed: u64) -> Self {
        for language in LANGUAGES {
            for topic in 0..self.topics {
                let mut stream = Stream::new(hash(seed, language as u64), topic);
                let pieces = (0..PIECES)
                    .map(|_| {
                        let mut piece = Vec::new();
                        self.push_text(&mut piece, language, topic, &mut stream, PIECE);
                        piece
                    })
                    .collect();
                self.stock.push(pieces);
            }
        }
        self
    }

    fn lexicon(&self, language: Language) -> &Lexicon {
        &self.lexicons[language as usize]
    }

    /// Appends a word of the topic; the more frequent ones come more often.
    #[inline]
    pub fn push_topical(&self, out: &mut Vec<u8>, language: Language, topic: u64, draw: u64) {
        let lexicon = self.lexicon(language);
        let rank = self.topical[(draw >> (64 - TOPICAL_PLACES.trailing_zeros())) as usize];
        lexicon.words[lexicon.first_topical + topic as usize * TOPICAL + usize::from(rank)]
            .push(out);
    }

    /// Appends `count` words of pieces from the stock, as long as whole pieces fit; the rest is drawn.
    pub fn push_stock(
        &self,
        out: &mut Vec<u8>,
        language: Language,
        topic: u64,
        stream: &mut Stream,
        mut count: usize,
    ) {
        let pieces = &self.stock[(language as u64 * self.topics + topic) as usize];
        while count >= PIECE {
            out.extend_from_slice(&pieces[stream.below(PIECES) as usize]);
            count -= PIECE;
            if count > 0 {
                out.push(b' ');
            }
        }
        self.push_text(out, language, topic, stream, count);
    }

    /// Appends `count` words of running text, with capitals and full stops; nothing before the first word.
    pub fn push_text(
        &self,
        out: &mut Vec<u8>,
        language: Language,
        topic: u64,
        stream: &mut Stream,
        count: usize,
    ) {
        if count == 0 {
            return;
        }
        let Lexicon {
            words,
            table,
            first_topical,
        } = self.lexicon(language);
        let distance = topic as usize * TOPICAL;
        // room for the longest words and as many full stops, cut to what was written in the end
        let begin = out.len();
        out.resize(begin + count * (SLOT + 1), 0);
        let room = &mut out[begin..];
        let (mut at, mut next_sentence, mut bits) = (0, 0, 0);
        for written in 0..count {
            if written % 4 == 0 {
                bits = stream.draw(); // enough for four words
            }
            let entry = table[bits as usize % PLACES];
            bits >>= PLACES.trailing_zeros();
            let is_first = written == next_sentence;
            if is_first {
                next_sentence += 6 + (bits & 15) as usize;
                if written > 0 {
                    room[at] = b'.';
                    at += 1;
                }
            }
            let name;
            let slot = if entry == NAME {
                name = Slot::name(stream.draw());
                &name
            } else {
                let word = usize::from(entry);
                &words[word + if word < *first_topical { 0 } else { distance }]
            };
            if let Some(place) = room[at..].first_chunk_mut() {
                *place = slot.0;
            }
            if is_first || entry == NAME {
                capitalize(&mut room[at + 1..]);
            }
            at += slot.len();
        }
        room[at] = b'.';
        out.truncate(begin + at + 1);
        out.remove(begin); // the blank before the first word
    }
}

/// Makes the first letter a capital, Cyrillic ones and those of Latin-1 too.
fn capitalize(word: &mut [u8]) {
    match word {
        [0xc3, second @ 0xa0..=0xbe, ..] => *second -= 0x20,
        [0xd0, second @ 0xb0..=0xbf, ..] => *second -= 0x20,
        [first @ 0xd1, second @ 0x80..=0x8f, ..] => {
            *first = 0xd0;
            *second += 0x20;
        }
        [first, ..] => first.make_ascii_uppercase(),
        [] => {}
    }
}

impl Lexicon {
    fn new(key: u64, vocabulary: &Vocabulary, topics: usize) -> Self {
        let mut lexicon = Self {
            words: Vec::new(),
            table: Vec::with_capacity(PLACES),
            first_topical: 0,
        };
        for word in &vocabulary.function_words {
            lexicon.words.push(Slot::new(word.as_bytes()));
        }
        let functions = lexicon.words.len();
        lexicon.first_topical = functions + COMMON;
        for number in 0..COMMON + topics * TOPICAL {
            lexicon.invent(hash(key, number as u64), &vocabulary.syllables);
        }
        let table = &mut lexicon.table;
        fill(table, PLACES, 0, functions, 0.45, 1.0);
        fill(table, PLACES, functions, COMMON, 0.30, 0.9);
        fill(
            table,
            PLACES,
            lexicon.first_topical,
            TOPICAL,
            0.25 - 1.0 / 32.0,
            0.9,
        );
        table.resize(PLACES, NAME);
        lexicon
    }

    /// Adds a word of two to four syllables.
    fn invent(&mut self, draw: u64, syllables: &[String]) {
        let count = 2 + (draw >> 60) as usize % 3;
        let word: String = (0..count)
            .map(|place| &*syllables[(draw >> (8 * place)) as usize % syllables.len()])
            .collect();
        self.words.push(Slot::new(word.as_bytes()));
    }
}

/// Gives `count` words from `first` on their places in a table of `places`: `share` of all, by Zipf's law with
/// exponent `s`.
fn fill(table: &mut Vec<u16>, places: usize, first: usize, count: usize, share: f64, s: f64) {
    let weights: Vec<f64> = (0..count)
        .map(|rank| libm::pow((rank + 1) as f64, -s))
        .collect();
    let total: f64 = weights.iter().sum();
    let begin = table.len() as f64;
    let mut sum = 0.0;
    for (rank, weight) in weights.iter().enumerate() {
        sum += weight;
        let end = (begin + share * places as f64 * sum / total) as usize;
        while table.len() < end.min(places) {
            table.push((first + rank) as u16);
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Vocabularies with nothing of any language.
    pub fn vocabularies() -> [Vocabulary; 4] {
        let split = |text: &str| text.split(' ').map(str::to_owned).collect();
        let one = Vocabulary {
            function_words: split("the of and to a in is that für été и не"),
            syllables: split("ba con der er fal ing ket lo man ner or pre für ба во"),
        };
        [one.clone(), one.clone(), one.clone(), one]
    }

    #[test]
    fn capitals_are_those_of_the_language() {
        for (word, capital) in [
            ("to", "To"),
            ("über", "Über"),
            ("été", "Été"),
            ("дом", "Дом"),
            ("ход", "Ход"),
            ("я", "Я"),
            ("ßa", "ßa"),
            ("", ""),
        ] {
            let mut bytes = word.as_bytes().to_vec();
            capitalize(&mut bytes);
            assert_eq!(std::str::from_utf8(&bytes), Ok(capital));
        }
    }

    #[test]
    fn text_has_the_words_asked_for() {
        let words = Words::new(7, 4, &vocabularies()).with_stock(7);
        for language in LANGUAGES {
            for count in [0, 1, 3, 4, 5, 97] {
                let mut out = Vec::new();
                words.push_text(&mut out, language, 2, &mut Stream::new(1, 2), count);
                let text = String::from_utf8(out).unwrap();
                assert_eq!(text.split_whitespace().count(), count, "{text}");
                let mut out = Vec::new();
                words.push_stock(&mut out, language, 2, &mut Stream::new(1, 2), count);
                let text = String::from_utf8(out).unwrap();
                assert_eq!(text.split_whitespace().count(), count, "{text}");
            }
        }
    }

    #[test]
    fn topics_have_words_of_their_own() {
        let words = Words::new(7, 2, &vocabularies());
        let gather = |topic| {
            let mut out = Vec::new();
            words.push_text(
                &mut out,
                Language::English,
                topic,
                &mut Stream::new(1, 9),
                4000,
            );
            let text = String::from_utf8(out).unwrap();
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<std::collections::HashSet<_>>()
        };
        let (one, other) = (gather(0), gather(1));
        let common = one.intersection(&other).count();
        assert!(
            common * 10 < one.len() * 9 && common * 10 > one.len() * 4,
            "{common} of {}",
            one.len()
        );
    }
}
