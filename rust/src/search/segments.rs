//! One segment: pages with their versions in, files out. Whoever has several puts them together by their metadata, in
//! Python.
//!
//! A version joins an entry of its page whose other fields are the same, whose first version has much the same in the
//! field that only counts for it, and whose shared field does not become much longer than any of its versions is.

use super::analysis::{Analyzer, Lines};
use super::sharing::{GAP, Run, Sequence};
use super::versions::{EXTENSION, Gathered};
use super::{Kind, SearchError, WORDS, make_schema};
use crate::collection::files;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tantivy::directory::MmapDirectory;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::indexer::SingleSegmentIndexWriter;
use tantivy::schema::{Field, IndexRecordOption, TantivyDocument};
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager};
use tantivy::{DocSet, Index, SegmentReader, TERMINATED, TantivyError};

/// What the table of terms begins with; it grows.
const MEMORY: usize = 64 << 20;

/// Which versions of a page are alike enough for one entry.
#[derive(Clone, Copy)]
pub struct Sharing {
    /// How many times as long as its shortest version an entry may be: entries are looked for as if all were so.
    pub longest: f32,
    /// Which share of the words around main content two versions have in common at least.
    pub around: f64,
}

/// A version of a page: the number of its document, and for each field its values, each a text of its own.
pub struct Version<T> {
    pub document: u32,
    pub values: Vec<Vec<T>>,
}

pub struct Writer {
    folder: PathBuf,
    inner: SingleSegmentIndexWriter,
    analyzer: Analyzer,
    /// Without it every version has an entry of its own.
    sharing: Option<Sharing>,
    kinds: Vec<Kind>,
    gathered: Gathered,
    /// The terms of the page that is being added.
    terms: Terms,
    /// Of terms of the shared field in how many more documents than entries they are.
    more: HashMap<String, u32>,
    /// Of terms of each other field how many documents have them there, but neither in the shared field nor in an earlier
    /// one.
    first: Vec<HashMap<String, u32>>,
}

/// An entry that is being made.
struct Draft {
    /// The version that began it.
    first: usize,
    sequence: Sequence,
    num_words: u32,
    least: f32,
    members: Vec<(u32, u32, Vec<Run>)>,
    /// Words of the field of which only those of the first version count.
    around: HashSet<u64>,
}

impl Writer {
    /// A new segment in an empty folder.
    pub fn create(
        folder: &Path,
        fields: &[(String, String)],
        analyzer: Analyzer,
        sharing: Option<Sharing>,
    ) -> Result<Self, SearchError> {
        let (schema, kinds) = make_schema(fields)?;
        let tokenizers = TokenizerManager::default();
        tokenizers.register(WORDS, TextAnalyzer::from(Lines::default()));
        let refuse = |error| SearchError::new(folder, "write", error);
        let directory =
            MmapDirectory::open(folder).map_err(|error| refuse(TantivyError::from(error)))?;
        let inner = Index::builder()
            .schema(schema)
            .tokenizers(tokenizers)
            .single_segment_index_writer(directory, MEMORY)
            .map_err(refuse)?;
        let shared = kinds.iter().position(|kind| *kind == Kind::Versions);
        Ok(Self {
            folder: folder.to_owned(),
            inner,
            analyzer,
            sharing,
            gathered: Gathered::new(kinds.len(), shared.map_or(u32::MAX, |field| field as u32)),
            first: vec![HashMap::new(); kinds.len()],
            kinds,
            terms: Terms::default(),
            more: HashMap::new(),
        })
    }

    /// Adds the versions of a page, the earliest first.
    pub fn add<T: AsRef<str> + PartialEq>(
        &mut self,
        versions: &[Version<T>],
    ) -> Result<(), SearchError> {
        for version in versions {
            if version.values.len() != self.kinds.len() {
                return Err(SearchError::Arguments(format!(
                    "documents: expected the values of {} fields, got those of {}",
                    self.kinds.len(),
                    version.values.len()
                )));
            }
        }
        let shared = self.kinds.iter().position(|kind| *kind == Kind::Versions);
        self.terms.clear();
        let mut lines: HashMap<&str, Range<usize>> = HashMap::new();
        let mut drafts: Vec<Draft> = Vec::new();
        for (place, version) in versions.iter().enumerate() {
            let texts = shared.map_or(&[][..], |field| &version.values[field]);
            let words = self.terms.read(&mut self.analyzer, texts, &mut lines);
            let num_words = words.iter().filter(|&&word| word != GAP).count() as u32;
            let around = if versions.len() > 1 {
                self.words_around(version)
            } else {
                HashSet::new()
            };
            let joins = self.sharing.is_some_and(|sharing| {
                drafts.iter_mut().rev().any(|draft| {
                    self.is_alike(&versions[draft.first], version)
                        && is_nearly(&draft.around, &around, sharing.around)
                        && draft.take_in(version.document, &words, num_words, sharing.longest)
                })
            });
            if !joins {
                let mut draft = Draft {
                    first: place,
                    sequence: Sequence::default(),
                    num_words: 0,
                    least: f32::MAX,
                    members: Vec::new(),
                    around,
                };
                draft.take_in(version.document, &words, num_words, f32::MAX);
                drafts.push(draft);
            }
        }
        for draft in &drafts {
            let counts = self.count_more(draft);
            self.write(draft, &versions[draft.first], counts)?;
        }
        Ok(())
    }

    /// Of each term how many documents of an entry have it in the shared field; notes in how many more than the entry.
    fn count_more(&mut self, draft: &Draft) -> Vec<u32> {
        let words = draft.sequence.words();
        // the last document that has a term, and how many have it
        let mut seen = vec![(0, 0u32); self.terms.len() + 1];
        for (number, (_, _, runs)) in draft.members.iter().enumerate() {
            let all = runs
                .iter()
                .flat_map(|run| &words[run.start as usize..run.end() as usize]);
            for &word in all {
                let (last, count) = &mut seen[word as usize];
                if *last != number + 1 {
                    (*last, *count) = (number + 1, *count + 1);
                }
            }
        }
        for (word, &(_, count)) in seen.iter().enumerate().skip(1) {
            if count > 1 {
                let term = self.terms.get(word as u32);
                *self.more.entry_ref(term).or_default() += count - 1;
            }
        }
        seen.into_iter().map(|(_, count)| count).collect()
    }

    /// Hashes of the words that stand in fields of which only those of the first version count.
    fn words_around<T: AsRef<str>>(&self, version: &Version<T>) -> HashSet<u64> {
        let fields = self.kinds.iter().zip(&version.values);
        fields
            .filter(|(kind, _)| **kind == Kind::First)
            .flat_map(|(_, texts)| texts)
            .flat_map(|text| text.as_ref().split_whitespace())
            .map(|word| xxhash_rust::xxh3::xxh3_64(word.as_bytes()))
            .collect()
    }

    /// Whether two versions have the same in all fields of which an entry has one.
    fn is_alike<T: PartialEq>(&self, one: &Version<T>, other: &Version<T>) -> bool {
        let fields = self.kinds.iter().zip(one.values.iter().zip(&other.values));
        let mut common = fields.filter(|(kind, _)| !matches!(kind, Kind::Versions | Kind::First));
        common.all(|(_, (own, others))| own == others)
    }

    fn write<T: AsRef<str>>(
        &mut self,
        draft: &Draft,
        first: &Version<T>,
        // of each term how many documents have it in the fields that were gone through
        mut counts: Vec<u32>,
    ) -> Result<(), SearchError> {
        let mut document = TantivyDocument::default();
        let count = draft.members.len() as u64;
        let fields = self.kinds.iter().zip(&first.values).enumerate();
        for (number, (kind, texts)) in fields {
            let field = Field::from_field_id(number as u32);
            let num_words = &mut self.gathered.num_words[number];
            match kind {
                Kind::Whole => {
                    for text in texts {
                        document.add_text(field, text.as_ref());
                    }
                    *num_words += count * texts.len() as u64;
                }
                Kind::Versions => {
                    document.add_text(field, self.terms.spell(draft.sequence.words()));
                    let lengths = draft.members.iter();
                    *num_words += lengths.map(|member| u64::from(member.1)).sum::<u64>();
                }
                Kind::Positions | Kind::First => {
                    let (terms, found) = (&mut self.terms, &mut self.first[number]);
                    let members = draft.members.len() as u32;
                    for text in texts {
                        let mut lines = String::with_capacity(text.as_ref().len() + 16);
                        self.analyzer.for_each(text.as_ref(), |term, _, _| {
                            lines.push_str(term);
                            lines.push('\n');
                            *num_words += count;
                            let own = terms.number(term) as usize;
                            if counts.len() <= own {
                                counts.resize(own + 1, 0);
                            }
                            if counts[own] < members {
                                *found.entry_ref(term).or_default() += members - counts[own];
                                counts[own] = members;
                            }
                        });
                        document.add_text(field, lines);
                    }
                }
            }
        }
        let members = draft.members.iter().map(|(document, length, runs)| {
            let code = FieldNormReader::fieldnorm_to_id(*length);
            (*document, code, &runs[..])
        });
        self.gathered.push(members);
        self.inner
            .add_document(document)
            .map_err(|error| SearchError::new(&self.folder, "write", error))
    }

    /// What the documents take in memory by now.
    pub fn memory(&self) -> usize {
        self.inner.mem_usage() + self.gathered.memory()
    }

    /// Writes the segment.
    pub fn finish(self) -> Result<(), SearchError> {
        let Self {
            folder,
            inner,
            gathered,
            kinds,
            more: counted,
            first: counted_first,
            ..
        } = self;
        let refuse = |error| SearchError::new(&folder, "write", error);
        let index = inner.finalize().map_err(refuse)?;
        let mut found = index.searchable_segments().map_err(refuse)?;
        let segment = found
            .pop()
            .ok_or_else(|| SearchError::damaged(&folder, "it has no segment"))?;
        let path = folder.join(format!("{}.{EXTENSION}", segment.id().uuid_string()));
        let reader = SegmentReader::open(&segment).map_err(refuse)?;
        let (mut more, mut first) = (Vec::new(), Vec::new());
        for (number, kind) in kinds.iter().enumerate() {
            let field = Field::from_field_id(number as u32);
            let inverted = reader.inverted_index(field).map_err(refuse)?;
            let found = if *kind == Kind::Versions {
                take_counts(&inverted, &counted)
            } else {
                add_more(&inverted, &gathered.firsts)
            };
            more.push(found.map_err(refuse)?);
            first.push(match kind {
                Kind::Positions | Kind::First => {
                    take_counts(&inverted, &counted_first[number]).map_err(refuse)?
                }
                Kind::Versions | Kind::Whole => Vec::new(),
            });
        }
        let mut file = files::Writer::create(&path).map_err(SearchError::Collection)?;
        file.put(&gathered.to_bytes(&more, &first))
            .map_err(SearchError::Collection)
    }
}

/// Of each term of a field what was counted.
fn take_counts(
    inverted: &InvertedIndexReader,
    counted: &HashMap<String, u32>,
) -> tantivy::Result<Vec<u32>> {
    let mut found = Vec::with_capacity(inverted.terms().num_terms());
    let mut terms = inverted.terms().stream()?;
    while terms.advance() {
        let text = std::str::from_utf8(terms.key()).unwrap_or_default();
        found.push(counted.get(text).copied().unwrap_or_default());
    }
    Ok(found)
}

/// Of each term of another field, which all documents of an entry have that has it.
fn add_more(inverted: &InvertedIndexReader, firsts: &[u32]) -> tantivy::Result<Vec<u32>> {
    let mut found = Vec::with_capacity(inverted.terms().num_terms());
    let mut terms = inverted.terms().stream()?;
    while terms.advance() {
        let mut list =
            inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
        let mut more = 0;
        while list.doc() != TERMINATED {
            let entry = list.doc() as usize;
            more += firsts[entry + 1] - firsts[entry] - 1;
            list.advance();
        }
        found.push(more);
    }
    Ok(found)
}

fn length_of(num_words: u32) -> f32 {
    let code = FieldNormReader::fieldnorm_to_id(num_words);
    FieldNormReader::id_to_fieldnorm(code) as f32
}

/// Whether at least such a share of the words of each are words of the other.
fn is_nearly(one: &HashSet<u64>, other: &HashSet<u64>, share: f64) -> bool {
    one.intersection(other).count() as f64 >= share * one.len().max(other.len()) as f64
}

impl Draft {
    /// Takes a version in, unless it would make the entry too long for any of them.
    fn take_in(&mut self, document: u32, words: &[u32], num_words: u32, longest: f32) -> bool {
        let before = self.sequence.words().len();
        let runs = self.sequence.take_in(words);
        let added = self.sequence.words()[before..].iter();
        let total = self.num_words + added.filter(|&&word| word != GAP).count() as u32;
        // a version without words has no score that could be too low
        let own = if num_words > 0 {
            length_of(num_words)
        } else {
            f32::MAX
        };
        let least = self.least.min(own);
        if !self.members.is_empty() && length_of(total) > longest * least {
            self.sequence.cut(before);
            return false;
        }
        self.num_words = total;
        self.least = least;
        self.members.push((document, num_words, runs));
        true
    }
}

/// The terms of a page's versions, numbered from 1 on.
#[derive(Default)]
struct Terms {
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// All terms one behind the other, and where each ends.
    text: String,
    ends: Vec<usize>,
    /// Terms of lines that were read before.
    read: Vec<u32>,
}

impl Terms {
    fn clear(&mut self) {
        self.numbers.clear();
        self.text.clear();
        self.ends.clear();
        self.read.clear();
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, number: u32) -> &str {
        get(&self.text, &self.ends, number)
    }

    fn number(&mut self, term: &str) -> u32 {
        let Self {
            numbers,
            hasher,
            text,
            ends,
            ..
        } = self;
        let found = numbers.entry(
            hasher.hash_one(term),
            |&number| get(text, ends, number) == term,
            |&number| hasher.hash_one(get(text, ends, number)),
        );
        match found {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                let number = ends.len() as u32 + 1;
                place.insert(number);
                text.push_str(term);
                ends.push(text.len());
                number
            }
        }
    }

    /// The terms of some texts, one behind the other. Words never go on behind the end of a line, so a line that was read
    /// before has the same.
    fn read<'a, T: AsRef<str>>(
        &mut self,
        analyzer: &mut Analyzer,
        texts: &'a [T],
        lines: &mut HashMap<&'a str, Range<usize>>,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        for (place, text) in texts.iter().enumerate() {
            if place > 0 {
                found.push(GAP);
            }
            for line in text.as_ref().split('\n') {
                let range = lines.get(line).cloned().unwrap_or_else(|| {
                    let begin = self.read.len();
                    analyzer.for_each(line, |term, _, _| {
                        let number = self.number(term);
                        self.read.push(number);
                    });
                    lines.insert(line, begin..self.read.len());
                    begin..self.read.len()
                });
                found.extend_from_slice(&self.read[range]);
            }
        }
        found
    }

    /// A term a line, and an empty line where no word stands.
    fn spell(&self, words: &[u32]) -> String {
        let mut lines = String::with_capacity(8 * words.len());
        for &word in words {
            if word != GAP {
                lines.push_str(self.get(word));
            }
            lines.push('\n');
        }
        lines
    }
}

fn get<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let place = number as usize - 1;
    let begin = if place == 0 { 0 } else { ends[place - 1] };
    &text[begin..ends[place]]
}
