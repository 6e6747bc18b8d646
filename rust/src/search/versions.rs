//! `SEGMENT.versions`: which documents each entry of a segment stands for, and which of its words each of them has.
//!
//! An entry is what tantivy calls a document. It stands for versions of one page, which are the documents of ours. They
//! have all fields in common but one: of the *shared* field an entry has the words of its first version and those that
//! later ones have besides (see `sharing`), and a version is a list of runs over them. So how often a version has a word
//! and where follows from the word's positions in the entry.
//!
//! ```text
//! 0    8       "WSVERS", and the version of the format in 2 bytes
//! 8    4       entries, E
//! 12   4       documents, D
//! 16   4       fields, F
//! 20   4       number of the shared field
//! 24   8       0
//! 32   8 F     words of each field, of all documents
//!      4 (E+1) the first document of each entry, as they are listed
//!      4 (E+1) where its runs begin
//!      4 D     numbers of documents
//!      D       codes of their lengths in the shared field
//!      ...     of each field: 4 bytes for its terms, T; T bytes: in how many more documents than entries a term is, 255
//!              for more than 254; 4 bytes for how many these are; of each its place among the terms and the number, 4 + 4
//!      ...     the same once more, with how many documents have a term in this field, but neither in the shared one nor
//!              in an earlier one; no terms for the shared field and for fields that are not scored
//!      ...     runs: nothing for an entry of one document, which has all words; else of each document how many runs, and
//!              of each where it begins, less the end of the one before it (zigzag), and its words; as LEB128
//! ```

use super::sharing::Run;
use std::ops::Range;

pub const MAGIC: &[u8; 8] = b"WSVERS\x02\x00";
pub const EXTENSION: &str = "versions";
const HEADER: usize = 32;
const MANY: u8 = 255;

/// What is gathered while a segment is written.
pub struct Gathered {
    num_fields: usize,
    pub shared: u32,
    pub num_words: Vec<u64>,
    pub firsts: Vec<u32>,
    begins: Vec<u32>,
    pub documents: Vec<u32>,
    codes: Vec<u8>,
    runs: Vec<u8>,
}

impl Gathered {
    pub fn new(num_fields: usize, shared: u32) -> Self {
        Self {
            num_fields,
            shared,
            num_words: vec![0; num_fields],
            firsts: vec![0],
            begins: vec![0],
            documents: Vec::new(),
            codes: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Adds an entry; of each document its number, the code of its length and its runs.
    pub fn push<'a>(&mut self, documents: impl ExactSizeIterator<Item = (u32, u8, &'a [Run])>) {
        let is_alone = documents.len() == 1;
        for (document, code, runs) in documents {
            self.documents.push(document);
            self.codes.push(code);
            if is_alone {
                continue;
            }
            put(&mut self.runs, runs.len() as u64);
            let mut end = 0i64;
            for run in runs {
                let gap = i64::from(run.start) - end;
                put(&mut self.runs, ((gap << 1) ^ (gap >> 63)) as u64);
                put(&mut self.runs, u64::from(run.length));
                end = i64::from(run.end());
            }
        }
        self.firsts.push(self.documents.len() as u32);
        self.begins.push(self.runs.len() as u32);
    }

    pub fn memory(&self) -> usize {
        self.runs.len() + 5 * self.documents.len() + 8 * self.firsts.len()
    }

    /// The file, given for each field in how many more documents than entries each of its terms is, and how many have it
    /// in this field first.
    pub fn to_bytes(&self, more: &[Vec<u32>], first: &[Vec<u32>]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let numbers = [
            self.firsts.len() as u32 - 1,
            self.documents.len() as u32,
            self.num_fields as u32,
            self.shared,
            0,
            0,
        ];
        let mut put_all = |numbers: &[u32]| {
            out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        };
        put_all(&numbers);
        for words in &self.num_words {
            put_all(&[*words as u32, (*words >> 32) as u32]);
        }
        put_all(&self.firsts);
        put_all(&self.begins);
        put_all(&self.documents);
        out.extend_from_slice(&self.codes);
        for field in more.iter().chain(first) {
            out.extend((field.len() as u32).to_le_bytes());
            out.extend(field.iter().map(|&more| more.min(u32::from(MANY)) as u8));
            let many: Vec<u32> = (0..field.len() as u32)
                .filter(|&term| field[term as usize] >= u32::from(MANY))
                .collect();
            out.extend((many.len() as u32).to_le_bytes());
            for term in many {
                out.extend(term.to_le_bytes());
                out.extend(field[term as usize].to_le_bytes());
            }
        }
        out.extend_from_slice(&self.runs);
        out
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Runs of all documents of an entry.
#[derive(Default)]
pub struct Pieces {
    runs: Vec<Run>,
    /// Where the runs of each document end.
    ends: Vec<usize>,
}

impl Pieces {
    pub fn of(&self, document: usize) -> &[Run] {
        let begin = if document == 0 {
            0
        } else {
            self.ends[document - 1]
        };
        &self.runs[begin..self.ends[document]]
    }

    /// How often a document has a word, given where the entry has it.
    pub fn count(&self, document: usize, positions: &[u32]) -> u32 {
        let count = |run: &Run| within(run, positions).len();
        self.of(document).iter().map(count).sum::<usize>() as u32
    }

    /// Where a document has a word, given where the entry has it.
    pub fn place(&self, document: usize, positions: &[u32], out: &mut Vec<u32>) {
        let mut before = 0;
        for run in self.of(document) {
            let inside = &positions[within(run, positions)];
            out.extend(inside.iter().map(|place| before + place - run.start));
            before += run.length;
        }
    }
}

/// Which of some positions lie in a run.
fn within(run: &Run, positions: &[u32]) -> Range<usize> {
    // a word comes a few times, seldom often
    let begin = if positions.len() < 16 {
        positions.iter().take_while(|&&at| at < run.start).count()
    } else {
        positions.partition_point(|&at| at < run.start)
    };
    let end = run.end();
    let inside = positions[begin..].iter().take_while(|&&at| at < end);
    begin..begin + inside.count()
}

/// The file, read where it lies.
pub struct Versions<B> {
    data: B,
    pub num_entries: usize,
    pub num_documents: usize,
    pub shared: u32,
    pub num_words: Vec<u64>,
    firsts: usize,
    begins: usize,
    documents: usize,
    codes: usize,
    /// Of each field, twice, where its terms begin, how many, and how many have many.
    terms: Vec<(usize, usize, usize)>,
    runs: usize,
}

impl<B: std::ops::Deref<Target = [u8]>> Versions<B> {
    /// Looks where everything is; what does not fit is said in a few words.
    pub fn new(data: B) -> Result<Self, &'static str> {
        if data.len() < HEADER || data[..6] != MAGIC[..6] {
            return Err("it has another beginning");
        }
        if data[6..8] != MAGIC[6..] {
            return Err("it has another format");
        }
        let number = |place: usize| read(&data, place);
        let [num_entries, num_documents, num_fields] =
            [8, 12, 16].map(|place| number(place) as usize);
        let shared = number(20);
        let firsts = HEADER + 8 * num_fields;
        let begins = firsts + 4 * (num_entries + 1);
        let documents = begins + 4 * (num_entries + 1);
        let codes = documents + 4 * num_documents;
        let mut place = codes + num_documents;
        if place > data.len() {
            return Err("it is too short");
        }
        let num_words = (0..num_fields)
            .map(|field| {
                let at = HEADER + 8 * field;
                u64::from(number(at)) | u64::from(number(at + 4)) << 32
            })
            .collect();
        let mut terms = Vec::with_capacity(2 * num_fields);
        for _ in 0..2 * num_fields {
            let count = data.get(place..place + 4).map(|_| number(place) as usize);
            let count = count.ok_or("it is too short")?;
            let many = place + 4 + count;
            let num_many = data.get(many..many + 4).map(|_| number(many) as usize);
            let num_many = num_many.ok_or("it is too short")?;
            terms.push((place + 4, count, num_many));
            place = many + 4 + 8 * num_many;
        }
        if place > data.len()
            || number(firsts + 4 * num_entries) as usize != num_documents
            || number(begins + 4 * num_entries) as usize != data.len() - place
        {
            return Err("its parts do not fit together");
        }
        let ascends = |begin: usize| {
            (0..num_entries).all(|entry| number(begin + 4 * entry) <= number(begin + 4 * entry + 4))
        };
        if !ascends(firsts) || !ascends(begins) {
            return Err("its parts do not fit together");
        }
        Ok(Self {
            num_entries,
            num_documents,
            shared,
            num_words,
            firsts,
            begins,
            documents,
            codes,
            terms,
            runs: place,
            data,
        })
    }

    /// Which of the listed documents are those of an entry.
    pub fn listed(&self, entry: u32) -> Range<usize> {
        let place = self.firsts + 4 * entry as usize;
        read(&self.data, place) as usize..read(&self.data, place + 4) as usize
    }

    /// The number of a listed document.
    pub fn document(&self, listed: usize) -> u32 {
        read(&self.data, self.documents + 4 * listed)
    }

    pub fn code(&self, listed: usize) -> u8 {
        self.data[self.codes + listed]
    }

    /// In how many more documents than entries a term of a field is, by its place among the terms.
    pub fn more(&self, field: usize, term: u64) -> u64 {
        self.number_of(field, term)
    }

    /// How many documents have a term in a field, but neither in the shared one nor in an earlier one.
    pub fn first(&self, field: usize, term: u64) -> u64 {
        self.number_of(self.num_words.len() + field, term)
    }

    fn number_of(&self, table: usize, term: u64) -> u64 {
        let Some(&(begin, count, num_many)) = self.terms.get(table) else {
            return 0;
        };
        let term = term as usize;
        if term >= count {
            return 0;
        }
        let few = self.data[begin + term];
        if few < MANY {
            return u64::from(few);
        }
        let many = begin + count + 4;
        let (mut low, mut high) = (0, num_many);
        while low < high {
            let middle = (low + high) / 2;
            match (read(&self.data, many + 8 * middle) as usize).cmp(&term) {
                std::cmp::Ordering::Equal => {
                    return u64::from(read(&self.data, many + 8 * middle + 4));
                }
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        u64::from(MANY)
    }

    /// The runs of the documents of an entry, of which there are several.
    pub fn read_runs(&self, entry: u32, count: usize, out: &mut Pieces) {
        out.runs.clear();
        out.ends.clear();
        let place = self.runs + read(&self.data, self.begins + 4 * entry as usize) as usize;
        let mut left = self.data.get(place..).unwrap_or_default().iter();
        let mut take = || {
            let (mut number, mut shift) = (0u64, 0);
            for &byte in left.by_ref() {
                number |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 || shift > 56 {
                    break;
                }
            }
            number
        };
        for _ in 0..count {
            let mut end = 0u32;
            for _ in 0..take() {
                let gap = take();
                let gap = (gap >> 1) as i64 ^ -((gap & 1) as i64);
                let start = end.wrapping_add(gap as u32);
                let run = Run {
                    start,
                    length: take() as u32,
                };
                if run.length == 0 {
                    break; // only a damaged file has it
                }
                end = run.start.saturating_add(run.length);
                out.runs.push(Run {
                    start,
                    length: end - start,
                });
            }
            out.ends.push(out.runs.len());
        }
    }
}

fn read(data: &[u8], place: usize) -> u32 {
    u32::from_le_bytes([
        data[place],
        data[place + 1],
        data[place + 2],
        data[place + 3],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_gathered_is_read() {
        let mut gathered = Gathered::new(2, 1);
        let run = |start, length| Run { start, length };
        let (one, other) = (vec![run(0, 300)], vec![run(200, 90), run(3, 7)]);
        gathered.push([(7, 9, &one[..])].into_iter());
        gathered.push([(0, 40, &one[..]), (5, 41, &other[..])].into_iter());
        let data = gathered.to_bytes(&[vec![3, 1000], vec![]], &[vec![2], vec![]]);
        let versions = Versions::new(&data[..]).unwrap();
        assert_eq!((versions.num_entries, versions.num_documents), (2, 3));
        assert_eq!(versions.listed(1), 1..3);
        assert_eq!((versions.document(2), versions.code(2)), (5, 41));
        assert_eq!([0, 1, 2].map(|term| versions.more(0, term)), [3, 1000, 0]);
        assert_eq!([0, 1].map(|term| versions.first(0, term)), [2, 0]);
        let mut pieces = Pieces::default();
        versions.read_runs(1, 2, &mut pieces);
        assert_eq!((pieces.of(0), pieces.of(1)), (&one[..], &other[..]));
        let positions = [1, 3, 9, 205, 289, 290];
        assert_eq!(
            (pieces.count(0, &positions), pieces.count(1, &positions)),
            (6, 4)
        );
        let mut places = Vec::new();
        pieces.place(1, &positions, &mut places);
        assert_eq!(places, [5, 89, 90, 96]);
    }

    #[test]
    fn what_is_damaged_is_refused_or_read_within_bounds() {
        let mut gathered = Gathered::new(1, 0);
        let runs = [Run {
            start: 0,
            length: 3,
        }];
        gathered.push([(0, 1, &runs[..]), (1, 1, &runs[..])].into_iter());
        let whole = gathered.to_bytes(&[vec![1]], &[vec![0]]);
        for length in 0..whole.len() {
            assert!(Versions::new(&whole[..length]).is_err());
        }
        for place in HEADER..whole.len() {
            let mut data = whole.clone();
            data[place] ^= 0xff;
            if let Ok(versions) = Versions::new(&data[..]) {
                versions.read_runs(0, 2, &mut Pieces::default());
            }
        }
    }
}
