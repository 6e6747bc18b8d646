//! Vocabularies and running text.
//!
//! A language has its real function words (so that language detectors and stop lists work) and invented others: common
//! ones, and some for each topic. Words are drawn from one table per language and topic, in which a word has as many
//! places as its share asks for: function words 45%, common words 30%, words of the topic 25%, each by Zipf's law.
//! One word in 64 is a name of its own, so that the vocabulary goes on growing as real ones do.

use super::draw::{Stream, Zipf, hash};
use super::names::push_word;

const COMMON: usize = 2400;
const TOPICAL: usize = 600;
const PLACES: usize = 1 << 15;

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

const ENGLISH: &str = "the of and to a in is that for it was on are as with his they be at one have this from or had by \
    not but what all were when we there can an your which their said if do will each about how up out them then she many \
    some so these would other into has more her two like him see time could no make than first been its who now people my \
    made over did down only way find use may long little very after words called just where most know";
const GERMAN: &str = "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden \
    aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis \
    mehr durch man sein wurde sei hatte kann gegen vom können schon wenn habe seine ihre dann unter wir soll ich eines jahr \
    zwei diese dieser wieder keine uhr seiner worden will zwischen immer was sagte";
const FRENCH: &str = "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec \
    aux elle cette ont ses mais comme on tout nous sa fait été aussi leur bien peut ces y deux ou même où si autres entre \
    sans après être encore dont sous années très alors lui était tous avant non depuis faire temps moins ainsi années faut \
    leurs toujours rien contre quand moi";
const RUSSIAN: &str = "и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой ещё от так о \
    для ты же все тот мочь вы человек такой его сказать только или бы себя один как уже до время если сам когда другой вот \
    говорить наш мой знать стать при чтобы дело жизнь кто первый очень два день её новый рука даже во со раз где там под \
    можно ну какой после их работа без самый потом надо хотеть ли слово идти большой должен место иметь ничто";

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

    fn function_words(self) -> &'static str {
        match self {
            Self::English => ENGLISH,
            Self::German => GERMAN,
            Self::French => FRENCH,
            Self::Russian => RUSSIAN,
        }
    }

    fn syllables(self) -> &'static [&'static str] {
        match self {
            Self::English => &[
                "ba", "con", "der", "er", "fal", "ing", "ket", "lo", "man", "ner", "or", "pre",
                "qui", "ral", "ster", "ton", "un", "ver", "wick", "ly", "ment", "sho", "tra",
                "ble",
            ],
            Self::German => &[
                "ab", "be", "der", "ein", "für", "ge", "heit", "keit", "lich", "mög", "nis", "ung",
                "per", "rück", "sch", "stü", "tag", "über", "ver", "wer", "zu", "haus", "größ",
                "land",
            ],
            Self::French => &[
                "ain", "bé", "che", "dé", "eur", "fran", "gé", "ier", "jou", "lai", "mon", "né",
                "oire", "pré", "que", "ran", "sion", "tou", "uir", "ville", "ç a", "ment", "tra",
                "ble",
            ],
            Self::Russian => &[
                "ба", "во", "го", "да", "е", "жи", "за", "ин", "ко", "ли", "мо", "на", "о", "про",
                "ра", "ст", "тор", "ус", "фа", "ход", "цен", "чис", "ше", "ян",
            ],
        }
    }
}

/// The words of one language, with the drawing tables of its topics.
#[derive(Debug)]
struct Lexicon {
    text: Vec<u8>,
    spans: Vec<(u32, u8)>,
    tables: Vec<Vec<u16>>,
    first_topical: usize,
}

#[derive(Debug)]
pub struct Words {
    lexicons: Vec<Lexicon>,
    topical: Zipf,
}

impl Words {
    pub fn new(seed: u64, topics: u64) -> Self {
        let lexicons = LANGUAGES
            .iter()
            .map(|language| Lexicon::new(hash(seed, *language as u64), *language, topics as usize))
            .collect();
        Self {
            lexicons,
            topical: Zipf::new(TOPICAL as u64, 0.9),
        }
    }

    fn lexicon(&self, language: Language) -> &Lexicon {
        &self.lexicons[language as usize]
    }

    /// Appends a word of the topic; the more frequent ones come more often.
    pub fn push_topical(&self, out: &mut Vec<u8>, language: Language, topic: u64, u: f64) {
        let lexicon = self.lexicon(language);
        let word = lexicon.first_topical + topic as usize * TOPICAL + self.topical.rank(u) as usize;
        out.extend_from_slice(lexicon.word(word));
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
        let lexicon = self.lexicon(language);
        let table = &lexicon.tables[topic as usize][..PLACES];
        let mut sentence_left = 0;
        let mut written = 0;
        while written < count {
            // four draws of 15 bits from one number; the last four bits decide about names
            let mut bits = stream.draw();
            let is_name_turn = bits >> 60 == 0;
            for place in 0..4.min(count - written) {
                let start_of_sentence = sentence_left == 0;
                if start_of_sentence {
                    if written > 0 {
                        out.extend_from_slice(b". ");
                    }
                    sentence_left = 6 + (bits >> 3 & 15) as usize;
                } else {
                    out.push(b' ');
                }
                sentence_left -= 1;
                let begin = out.len();
                if is_name_turn && place == 0 {
                    push_word(out, bits);
                    out[begin].make_ascii_uppercase();
                } else {
                    out.extend_from_slice(
                        lexicon.word(usize::from(table[(bits & 0x7fff) as usize])),
                    );
                    if start_of_sentence {
                        out[begin].make_ascii_uppercase();
                    }
                }
                bits >>= 15;
                written += 1;
            }
        }
        if count > 0 {
            out.push(b'.');
        }
    }
}

impl Lexicon {
    fn new(key: u64, language: Language, topics: usize) -> Self {
        let mut lexicon = Self {
            text: Vec::new(),
            spans: Vec::new(),
            tables: Vec::new(),
            first_topical: 0,
        };
        for word in language.function_words().split_whitespace() {
            lexicon.add(word.as_bytes());
        }
        let functions = lexicon.spans.len();
        lexicon.first_topical = functions + COMMON;
        for number in 0..COMMON + topics * TOPICAL {
            lexicon.invent(hash(key, number as u64), language.syllables());
        }
        for topic in 0..topics {
            let topical = lexicon.first_topical + topic * TOPICAL;
            let mut table = Vec::with_capacity(PLACES);
            fill(&mut table, 0, functions, 0.45, 1.0);
            fill(&mut table, functions, COMMON, 0.30, 0.9);
            fill(&mut table, topical, TOPICAL, 0.25, 0.9);
            table.resize(PLACES, 0);
            lexicon.tables.push(table);
        }
        lexicon
    }

    fn add(&mut self, word: &[u8]) {
        self.spans.push((self.text.len() as u32, word.len() as u8));
        self.text.extend_from_slice(word);
    }

    /// A word of two to four syllables, and the number of its draw where the syllables alone would be rare.
    fn invent(&mut self, draw: u64, syllables: &[&str]) {
        let mut word = Vec::new();
        let count = 2 + (draw >> 60) as usize % 3;
        for place in 0..count {
            let syllable = syllables[(draw >> (8 * place)) as usize % syllables.len()];
            word.extend(syllable.bytes().filter(|byte| *byte != b' '));
        }
        self.add(&word);
    }

    #[inline]
    fn word(&self, number: usize) -> &[u8] {
        let (begin, length) = self.spans[number];
        &self.text[begin as usize..begin as usize + usize::from(length)]
    }
}

/// Gives `count` words from `first` on their places in a table: `share` of all, by Zipf's law with exponent `s`.
fn fill(table: &mut Vec<u16>, first: usize, count: usize, share: f64, s: f64) {
    let weights: Vec<f64> = (0..count)
        .map(|rank| libm::pow((rank + 1) as f64, -s))
        .collect();
    let total: f64 = weights.iter().sum();
    let begin = table.len() as f64;
    let mut sum = 0.0;
    for (rank, weight) in weights.iter().enumerate() {
        sum += weight;
        let end = (begin + share * PLACES as f64 * sum / total) as usize;
        while table.len() < end.min(PLACES) {
            table.push((first + rank) as u16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_words_asked_for() {
        let words = Words::new(7, 4);
        for language in LANGUAGES {
            for count in [0, 1, 3, 4, 5, 97] {
                let mut out = Vec::new();
                words.push_text(&mut out, language, 2, &mut Stream::new(1, 2), count);
                let text = String::from_utf8(out).unwrap();
                assert_eq!(text.split_whitespace().count(), count, "{text}");
            }
        }
    }

    #[test]
    fn topics_have_words_of_their_own() {
        let words = Words::new(7, 2);
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
