//! The best documents of a union of words and phrases (MaxScore, Turtle and Flood 1995), exactly.
//!
//! Words are ordered by what they score at most. Those at the end of the order that cannot bring an entry in by
//! themselves are looked into only where the others leave a chance. The others are merged in windows of entries, word by
//! word: the weighted frequencies of a word in all fields are added up, then saturated. What an entry gets so is what its
//! document scores; where it stands for several it is no less than any of them does, and they are scored one by one
//! (`evaluate`). Scores are always added in the same order, so that they do not depend on what was passed over.

use super::best::Takes;
use super::evaluate::{Blocks, Looking, Lookup};
use super::index::segment::Segment;
use super::query::Leaf;
use super::scoring::{Scoring, saturate};
use tantivy::TERMINATED;

/// Entries of a window.
const WINDOW: usize = 1 << 11;
/// A window is gone through as a whole where it has so many postings of a word, else posting by posting.
const DENSE: usize = WINDOW / 8;
/// Entries of a window that are compared with the threshold together.
const GROUP: usize = 16;
/// Room for rounding where sums are compared.
const ROOM: f32 = 1e-6;

/// Where a word stands.
enum Cursor {
    /// Its list in each field, with the weight of the field.
    Lists(Vec<(Blocks, f32)>),
    /// Entries of a phrase and how often each has it, weighted; and where it stands among them.
    Made(Vec<(u32, f32)>, usize),
}

impl Cursor {
    fn open(leaf: &Leaf<'_>, segment: &Segment, scoring: &Scoring<'_>) -> tantivy::Result<Self> {
        if leaf.texts.len() > 1 {
            return Ok(Self::Made(list_phrase(leaf, segment, scoring)?, 0));
        }
        let mut lists = Vec::with_capacity(leaf.fields.len());
        for &field in leaf.fields {
            if let Some(found) = scoring.own.list(field, &leaf.texts[0], segment)? {
                let list = Blocks::open(segment, field, &found)?;
                lists.push((list, scoring.weight(field)));
            }
        }
        Ok(Self::Lists(lists))
    }

    /// The share of entries that have it, at least.
    fn density(&self, num_entries: usize) -> f32 {
        let most = match self {
            Self::Lists(lists) => lists
                .iter()
                .map(|(list, _)| list.num_entries() as usize)
                .max(),
            Self::Made(entries, _) => Some(entries.len()),
        };
        most.unwrap_or(0) as f32 / num_entries.max(1) as f32
    }

    /// The entry that it stands at, `TERMINATED` behind the last.
    fn entry(&self) -> u32 {
        match self {
            Self::Lists(lists) => {
                let entries = lists.iter().map(|(list, _)| list.entry());
                entries.min().unwrap_or(TERMINATED)
            }
            Self::Made(entries, place) => entries.get(*place).map_or(TERMINATED, |own| own.0),
        }
    }

    /// Calls `each` for the postings before an entry.
    fn take_before(&mut self, end: u32, mut each: impl FnMut(u32, f32)) {
        match self {
            Self::Lists(lists) => {
                for (list, weight) in lists {
                    list.take_before(end, |entry, count| each(entry, *weight * count as f32));
                }
            }
            Self::Made(entries, place) => {
                while let Some(&(entry, x)) = entries.get(*place).filter(|own| own.0 < end) {
                    each(entry, x);
                    *place += 1;
                }
            }
        }
    }

    /// How often an entry has it, weighted; it is none before that of the last call.
    fn look(&mut self, wanted: u32) -> f32 {
        match self {
            Self::Lists(lists) => {
                let mut sum = 0.0;
                for (list, weight) in lists {
                    sum += *weight * list.count_at(wanted) as f32;
                }
                sum
            }
            Self::Made(entries, place) => {
                *place += entries[*place..].partition_point(|own| own.0 < wanted);
                let own = entries.get(*place).filter(|own| own.0 == wanted);
                own.map_or(0.0, |own| own.1)
            }
        }
    }
}

/// The entries that have a phrase, and how often the document has it that has it most, weighted.
fn list_phrase(
    leaf: &Leaf<'_>,
    segment: &Segment,
    scoring: &Scoring<'_>,
) -> tantivy::Result<Vec<(u32, f32)>> {
    let mut lookup = Lookup::open(leaf, segment, scoring)?;
    let (mut looking, mut counts, mut found) = (Looking::default(), Vec::new(), Vec::new());
    loop {
        let number = lookup.find_next();
        if number == TERMINATED {
            return Ok(found);
        }
        let entry = looking.at(segment, number, scoring);
        counts.resize(entry.count, 0.0);
        lookup.add(&entry, &mut counts);
        let most = counts.iter().copied().fold(0.0, f32::max);
        if most > 0.0 {
            found.push((number, most));
        }
        lookup.pass(number);
    }
}

/// Offers every document of a segment that could come in.
pub fn search(
    leaves: &[Leaf<'_>],
    segment: &Segment,
    scoring: &Scoring<'_>,
    best: &mut impl Takes,
) -> tantivy::Result<()> {
    let mut order = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        order.push((scoring.most(leaf.texts)?, leaf));
    }
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let num_entries = segment.reader.max_doc() as usize;
    let mut words = Vec::with_capacity(order.len());
    for (most, leaf) in &order {
        let cursor = Cursor::open(leaf, segment, scoring)?;
        if cursor.entry() != TERMINATED {
            let is_dense = cursor.density(num_entries) * WINDOW as f32 > DENSE as f32;
            words.push((*most, is_dense, cursor));
        }
    }
    // what the words from one on score at most
    let mut rest = vec![0.0; words.len() + 1];
    for place in (0..words.len()).rev() {
        rest[place] = rest[place + 1] + words[place].0;
    }
    let norms = scoring.norms.least(segment);
    let mut window = Window::default();
    let mut exact = Exact::default();
    let mut floor = lowered(best.threshold());
    // words from this one on cannot bring an entry in by themselves
    let mut needed = words.len();
    loop {
        while needed > 0 && rest[needed - 1] <= floor {
            needed -= 1;
        }
        let entries = words[..needed].iter().map(|(.., cursor)| cursor.entry());
        let start = entries.min().unwrap_or(TERMINATED);
        if start == TERMINATED {
            return Ok(());
        }
        let stop = norms.len().min(start as usize + WINDOW);
        window.begin(start, &norms[start as usize..stop]);
        for (most, is_dense, cursor) in &mut words[..needed] {
            window.add(*most, *is_dense, cursor);
        }
        let mut failed = Ok(());
        let added = rest[needed];
        // what scores no more for the words of the window cannot come in
        let cut = |floor: f32| lowered(floor) - added * (1.0 + ROOM);
        window.for_each(cut(floor), |entry, norm, mut score| {
            for (place, (most, _, cursor)) in words[needed..].iter_mut().enumerate() {
                if score + rest[needed + place] <= floor {
                    return cut(floor);
                }
                let x = cursor.look(entry);
                if x > 0.0 {
                    score += saturate(*most, x, norm);
                }
            }
            if score <= floor || failed.is_err() {
                return cut(floor);
            }
            let listed = segment.listed(entry);
            if listed.len() == 1 {
                let document = segment.document(listed.start);
                if best.counts(document) {
                    best.offer(document, score);
                    floor = lowered(best.threshold());
                }
            } else if listed
                .clone()
                .any(|listed| best.counts(segment.document(listed)))
            {
                failed = exact.score(entry, segment, scoring, &order);
                for (listed, &score) in listed.zip(&exact.scores) {
                    let document = segment.document(listed);
                    if score > floor && score > 0.0 && best.counts(document) {
                        best.offer(document, score);
                    }
                }
                floor = lowered(best.threshold());
            }
            cut(floor)
        });
        failed?;
    }
}

fn lowered(threshold: f32) -> f32 {
    threshold - ROOM * threshold.abs()
}

/// Entries that stand one after the other, and what they score.
struct Window<'a> {
    start: u32,
    norms: &'a [f32],
    /// How often each has the word that is added.
    counts: Vec<f32>,
    scores: Vec<f32>,
    /// Which have a score, a bit each; not kept where `is_dense`.
    scored: Vec<u64>,
    is_dense: bool,
    touched: Vec<u16>,
}

impl Default for Window<'_> {
    fn default() -> Self {
        Self {
            start: 0,
            norms: &[],
            counts: vec![0.0; WINDOW],
            scores: vec![0.0; WINDOW],
            scored: vec![0; WINDOW / 64],
            is_dense: false,
            touched: Vec::with_capacity(WINDOW),
        }
    }
}

impl<'a> Window<'a> {
    fn begin(&mut self, start: u32, norms: &'a [f32]) {
        (self.start, self.norms, self.is_dense) = (start, norms, false);
    }

    /// Adds what a word scores; `is_dense` where most windows have many postings of it.
    fn add(&mut self, most: f32, is_dense: bool, cursor: &mut Cursor) {
        let size = self.norms.len();
        let (start, counts, touched) = (self.start, &mut self.counts[..size], &mut self.touched);
        touched.clear();
        if is_dense {
            cursor.take_before(start + size as u32, |entry, x| {
                counts[(entry - start) as usize] += x;
            });
            self.add_all(most);
            return;
        }
        cursor.take_before(start + size as u32, |entry, x| {
            let place = (entry - start) as usize;
            if counts[place] == 0.0 {
                touched.push(place as u16);
            }
            counts[place] += x;
        });
        if touched.len() > DENSE {
            self.add_all(most);
            return;
        }
        let scores = &mut self.scores[..size];
        for &place in touched.iter() {
            let at = place as usize;
            self.scored[at / 64] |= 1 << (at % 64);
            scores[at] += saturate(most, counts[at], self.norms[at]);
            counts[at] = 0.0;
        }
    }

    /// Adds what a word scores to all entries, given how often each has it.
    fn add_all(&mut self, most: f32) {
        self.is_dense = true;
        let size = self.norms.len();
        let all = self.scores[..size].iter_mut().zip(&mut self.counts[..size]);
        for ((score, x), &norm) in all.zip(self.norms) {
            *score += saturate(most, *x, norm);
            *x = 0.0;
        }
    }

    /// Calls `each` with every entry that scores more than `cut`, its norm and its score, in order, and clears them;
    /// `each` returns the next `cut`.
    fn for_each(&mut self, mut cut: f32, mut each: impl FnMut(u32, f32, f32) -> f32) {
        if self.is_dense {
            self.scored.fill(0);
            let scores = &mut self.scores[..self.norms.len()];
            for (group, own) in scores.chunks(GROUP).enumerate() {
                // most groups have nothing: one comparison of all, which the compiler makes in registers
                let most = own.iter().fold(0.0, |most: f32, &score| most.max(score));
                if most <= cut.max(0.0) {
                    continue;
                }
                for (place, &score) in (group * GROUP..).zip(own) {
                    if score > cut.max(0.0) {
                        cut = each(self.start + place as u32, self.norms[place], score);
                    }
                }
            }
            scores.fill(0.0);
            return;
        }
        for (word, bits) in self.scored.iter_mut().enumerate() {
            let mut left = std::mem::take(bits);
            while left != 0 {
                let place = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let score = std::mem::take(&mut self.scores[place]);
                if score > cut {
                    cut = each(self.start + place as u32, self.norms[place], score);
                }
            }
        }
    }
}

/// Scores the documents of an entry that stands for several; opened when it is needed.
#[derive(Default)]
struct Exact {
    looking: Looking,
    words: Option<Vec<(f32, Lookup)>>,
    counts: Vec<f32>,
    /// 0 for a document without any of the words.
    scores: Vec<f32>,
}

impl Exact {
    fn score(
        &mut self,
        entry: u32,
        segment: &Segment,
        scoring: &Scoring<'_>,
        order: &[(f32, &Leaf<'_>)],
    ) -> tantivy::Result<()> {
        if self.words.is_none() {
            let mut words = Vec::with_capacity(order.len());
            for (most, leaf) in order {
                words.push((*most, Lookup::open(leaf, segment, scoring)?));
            }
            self.words = Some(words);
        }
        let entry = self.looking.at(segment, entry, scoring);
        self.counts.resize(entry.count, 0.0);
        self.scores.clear();
        self.scores.resize(entry.count, 0.0);
        for (most, lookup) in self.words.iter_mut().flatten() {
            if !lookup.add(&entry, &mut self.counts) {
                continue;
            }
            let counts = self.counts.iter().zip(entry.norms);
            for (score, (&x, &norm)) in self.scores.iter_mut().zip(counts) {
                *score += saturate(*most, x, norm);
            }
        }
        Ok(())
    }
}
