//! Near-duplicates by fingerprints of n-grams (STORE; Broder et al. 1997); `webstrata.store.duplicates.near` has the
//! formulas. Texts come in one buffer, as Arrow keeps them; all cores work, and a meter can stop them.

mod compare;

use crate::collection::Result;
use crate::collection::progress::Meter;
use crate::store::duplicates::simhash::simhash;
use crate::web::words::Words;
pub use compare::compare;
use hashbrown::HashMap;
use rayon::prelude::*;
use std::borrow::Cow;

/// Texts one behind the other; the i-th lies between the offsets i and i + 1.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    pub offsets: &'a [i64],
    pub bytes: &'a [u8],
}

impl<'a> Texts<'a> {
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A text; empty where the offsets make no sense, with marks where the bytes are no UTF-8.
    fn get(&self, place: usize) -> Cow<'a, str> {
        let range = self.offsets[place] as usize..self.offsets[place + 1] as usize;
        let bytes = self.bytes.get(range).unwrap_or_default();
        // goes over ASCII eight bytes at a time, which the other does not
        str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
    }
}

/// Which n-grams stand for a text.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    pub n: usize,
    pub p: u64,
    pub overlapping: bool,
    /// Whether simhashes are wanted too.
    pub simhash: bool,
}

/// x⁶⁴ · a over GF(2), reduced by x⁶⁴ + x⁴ + x³ + x + 1.
#[inline]
const fn times_x64(a: u64) -> u64 {
    let high = a >> 63 ^ a >> 61 ^ a >> 60;
    (a ^ a << 1 ^ a << 3 ^ a << 4) ^ (high ^ high << 1 ^ high << 3 ^ high << 4)
}

/// Replaces the hashes of words by the Rabin fingerprints of their n-grams; of all words, where they are fewer.
fn combine(hashes: &[u64], selection: Selection, grams: &mut Vec<u64>) {
    grams.clear();
    let n = selection.n.min(hashes.len());
    if n == 0 {
        return;
    }
    if selection.overlapping {
        let count = hashes.len() - n + 1;
        grams.extend_from_slice(&hashes[..count]);
        for place in 1..n {
            for (gram, next) in grams.iter_mut().zip(&hashes[place..]) {
                *gram = times_x64(*gram) ^ next;
            }
        }
    } else {
        let fold = |words: &[u64]| words.iter().fold(0, |gram, word| times_x64(gram) ^ word);
        grams.extend(hashes.chunks_exact(n).map(fold));
    }
}

/// Keeps what is 0 mod p, or the smallest where nothing is, sorted and each once.
fn select(grams: &mut Vec<u64>, p: u64) {
    // a mask takes a tenth of the time of a remainder, and one in p is not to be predicted: no branch
    let mask = if p.is_power_of_two() { p - 1 } else { 0 };
    let mut num_kept = 0;
    for place in 0..grams.len() {
        let gram = grams[place];
        grams.swap(place, num_kept);
        num_kept += usize::from(gram & mask == 0 && (mask != 0 || gram.is_multiple_of(p)));
    }
    if num_kept == 0
        && let Some(smallest) = grams.iter().min().copied()
    {
        grams[0] = smallest;
        num_kept = 1;
    }
    grams.truncate(num_kept);
    grams.sort_unstable();
    grams.dedup();
}

/// What a pass over texts gives for each: fingerprints between two offsets, words, simhash.
#[derive(Default)]
pub struct Signatures {
    pub offsets: Vec<u64>,
    pub fingerprints: Vec<u64>,
    pub num_words: Vec<u32>,
    pub simhashes: Vec<u64>,
}

/// Texts that a core takes at once.
const CHUNK: usize = 64;

/// The signatures of all texts; the meter counts texts.
pub fn sign(
    texts: Texts<'_>,
    words: &Words,
    selection: Selection,
    meter: &Meter,
) -> Result<Signatures> {
    let chunks: Vec<usize> = (0..texts.len()).step_by(CHUNK).collect();
    let pieces: Vec<Signatures> = chunks
        .into_par_iter()
        .with_min_len(texts.len() / CHUNK / 64)
        .map_init(
            Default::default,
            |(found, grams): &mut (Vec<_>, Vec<_>), first| {
                let mut piece = Signatures::default();
                for place in first..texts.len().min(first + CHUNK) {
                    found.clear();
                    words.push_hashes(&texts.get(place), found);
                    combine(found, selection, grams);
                    select(grams, selection.p);
                    piece.fingerprints.extend_from_slice(grams);
                    piece.offsets.push(piece.fingerprints.len() as u64);
                    piece.num_words.push(found.len() as u32);
                    if selection.simhash {
                        piece.simhashes.push(simhash(found));
                    }
                }
                meter.advance(piece.offsets.len() as u64)?;
                Ok(piece)
            },
        )
        .collect::<Result<_>>()?;
    let mut all = Signatures::default();
    all.offsets.push(0);
    all.fingerprints
        .reserve(pieces.iter().map(|piece| piece.fingerprints.len()).sum());
    for piece in pieces {
        let before = all.fingerprints.len() as u64;
        all.offsets
            .extend(piece.offsets.iter().map(|end| before + end));
        all.fingerprints.extend(piece.fingerprints);
        all.num_words.extend(piece.num_words);
        all.simhashes.extend(piece.simhashes);
    }
    Ok(all)
}

/// The fingerprints of the documents of one collection: those of the i-th lie between the offsets i and i + 1.
#[derive(Clone, Copy)]
pub struct Sets<'a> {
    pub offsets: &'a [u64],
    pub values: &'a [u64],
}

impl<'a> Sets<'a> {
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn get(&self, place: usize) -> &'a [u64] {
        let range = self.offsets[place] as usize..self.offsets[place + 1] as usize;
        self.values.get(range).unwrap_or_default()
    }
}

/// How pairs that share fingerprints are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// Documents with a fingerprint, above which it is frequent.
    pub limit: usize,
    /// Documents of a list of frequent fingerprints, above which each is paired with so many before it as `limit` says.
    pub frequent_limit: usize,
    /// Resemblance of pairs that are found by frequent fingerprints alone.
    pub sure: f64,
    /// Resemblance that pairs have at least.
    pub resemblance: f64,
    /// Of each pair one document at least has this number or a larger one.
    pub first_new: usize,
    /// Bytes for the inverted index.
    pub budget: usize,
}

/// Bytes of a posting: in the index, as a member of its list, and as what its document sees of that.
const POSTING: usize = size_of::<(u64, u32)>() + size_of::<u32>() + size_of::<(u32, u32)>();

type Pairs = Vec<(u32, u32)>;

/// Pairs of documents, numbered through all collections, that share a fingerprint and resemble each other, sorted.
///
/// First all lists of fingerprints that are not frequent. Then frequent ones: two sets of a resemblance of `sure` share
/// one of their rarest |A| − ⌈sure·|A|⌉ + 1 fingerprints, in any order that is the same for all (prefix filtering,
/// Chaudhuri et al. 2006), so only documents that have frequent ones among these are entered there, with no others.
///
/// The inverted index is made in as many passes as the budget asks for, each for a range of fingerprints. The meter
/// counts postings, twice.
pub fn sharing_pairs(collections: &[Sets<'_>], search: Search, meter: &Meter) -> Result<Pairs> {
    let total: usize = collections.iter().map(|sets| sets.values.len()).sum();
    // places in the index are numbers of 32 bits
    let most = (search.budget / POSTING).clamp(1 << 12, u32::MAX as usize);
    let num_passes = total.div_ceil(most).max(1) as u128;
    let bound = |pass: u128| (pass << 64).div_ceil(num_passes);
    let of_pass = |values: &[u64], pass: u128| {
        let place = |pass| values.partition_point(|&value| u128::from(value) < bound(pass));
        place(pass)..place(pass + 1)
    };
    let documents: Vec<&[u64]> = collections
        .iter()
        .flat_map(|sets| (0..sets.len()).map(|place| sets.get(place)))
        .collect();
    let by_value = |&(value, _): &(u64, u32)| (value >> BUCKET_SHIFT) as usize;
    let mut pairs = Vec::new();
    let mut frequent: HashMap<u64, u32> = HashMap::new();
    let mut num_rare = vec![0_u32; documents.len()];
    for pass in 0..num_passes {
        let in_pass = || {
            documents.iter().zip(0..).flat_map(|(values, document)| {
                let found = &values[of_pass(values, pass)];
                found.iter().map(move |&value| (value, document))
            })
        };
        let postings = sort_spread(in_pass, by_value);
        for list in lists(&postings) {
            if list.len() > search.limit {
                frequent.insert(list[0].0, list.len() as u32);
                continue;
            }
            list.iter()
                .for_each(|&(_, document)| num_rare[document as usize] += 1);
        }
        meter.advance(postings.len() as u64)?;
        let reach = |size| if size > search.limit { 0 } else { size };
        pairs.extend(pair_lists(&documents, postings, reach, search, meter)?);
    }
    for pass in 0..num_passes {
        let mut found: Vec<(u64, u32)> = Vec::new();
        let numbered = documents.par_iter().zip(0_u32..documents.len() as u32);
        found.par_extend(numbered.flat_map_iter(|(values, document)| {
            let num_rare = num_rare[document as usize];
            let mut found = rarest_frequent(values, num_rare, &frequent, search.sure);
            found.sort_unstable();
            let range = of_pass(&found, pass);
            found
                .drain(range)
                .map(move |value| (value, document))
                .collect::<Vec<_>>()
        }));
        let postings = sort_spread(|| found.iter().copied(), by_value);
        let is_long = |size| size > search.frequent_limit;
        let reach = |size| if is_long(size) { search.limit } else { size };
        pairs.extend(pair_lists(&documents, postings, reach, search, meter)?);
        meter.advance(total as u64 / num_passes as u64)?;
    }
    pairs.par_sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// The postings of each fingerprint.
fn lists(postings: &[(u64, u32)]) -> impl Iterator<Item = &[(u64, u32)]> {
    postings.chunk_by(|a, b| a.0 == b.0)
}

/// Pairs of documents that stand in a list and resemble each other: each with as many before it as `reach` says of a list
/// of this size. A document goes through its lists once and marks whom it met, so that no pair is looked at twice.
fn pair_lists(
    documents: &[&[u64]],
    postings: Vec<(u64, u32)>,
    reach: impl Fn(usize) -> usize,
    search: Search,
    meter: &Meter,
) -> Result<Pairs> {
    let for_each_range = |each: &mut dyn FnMut(usize, (u32, u32))| {
        let mut begin = 0;
        for list in lists(&postings) {
            let reach = reach(list.len());
            for (place, &(_, document)) in list.iter().enumerate().skip(1) {
                if reach > 0 && document as usize >= search.first_new {
                    let first = begin + place.saturating_sub(reach);
                    each(document as usize, (first as u32, (begin + place) as u32));
                }
            }
            begin += list.len();
        }
    };
    // which places of the index stand before each document in its lists, document by document
    let mut ends = vec![0_usize; documents.len() + 1];
    for_each_range(&mut |document, _| ends[document + 1] += 1);
    for document in 1..ends.len() {
        ends[document] += ends[document - 1];
    }
    let mut ranges = vec![(0, 0); ends[documents.len()]];
    for_each_range(&mut |document, range| {
        ranges[ends[document]] = range;
        ends[document] += 1;
    });
    let members: Vec<u32> = postings.iter().map(|posting| posting.1).collect();
    drop(postings);
    let size = documents.len().div_ceil(8 * rayon::current_num_threads());
    let found: Vec<Pairs> = (0..documents.len().div_ceil(size.max(1)))
        .into_par_iter()
        .map(|chunk| {
            let mut met = vec![u32::MAX; documents.len()];
            let mut kept = Vec::new();
            for b in chunk * size..documents.len().min((chunk + 1) * size) {
                let begin = if b == 0 { 0 } else { ends[b - 1] };
                for &(first, end) in &ranges[begin..ends[b]] {
                    for &a in &members[first as usize..end as usize] {
                        if std::mem::replace(&mut met[a as usize], b as u32) != b as u32
                            && resemble(documents[a as usize], documents[b], search.resemblance)
                        {
                            kept.push((a, b as u32));
                        }
                    }
                }
                meter.advance(0)?;
            }
            Ok(kept)
        })
        .collect::<Result<_>>()?;
    Ok(found.concat())
}

const NUM_BUCKETS: usize = 1 << 12;
const BUCKET_SHIFT: u32 = 64 - NUM_BUCKETS.trailing_zeros();

/// What an iterator gives, each time the same, sorted; first by buckets, which go up with the order and over which it is
/// spread evenly, so that each is sorted in the cache.
fn sort_spread<T: Copy + Default + Ord + Send, I: Iterator<Item = T>>(
    items: impl Fn() -> I,
    bucket: impl Fn(&T) -> usize,
) -> Vec<T> {
    let mut sizes = vec![0; NUM_BUCKETS];
    items().for_each(|item| sizes[bucket(&item)] += 1);
    let mut places = vec![0; NUM_BUCKETS];
    for number in 1..NUM_BUCKETS {
        places[number] = places[number - 1] + sizes[number - 1];
    }
    let mut spread = vec![T::default(); sizes.iter().sum()];
    items().for_each(|item| {
        let place = &mut places[bucket(&item)];
        spread[*place] = item;
        *place += 1;
    });
    let mut parts = Vec::with_capacity(NUM_BUCKETS);
    let mut rest = &mut spread[..];
    for size in sizes {
        let (part, after) = rest.split_at_mut(size);
        parts.push(part);
        rest = after;
    }
    parts.into_par_iter().for_each(<[T]>::sort_unstable);
    spread
}

/// The frequent ones among the rarest fingerprints of a document, as many as a pair of a resemblance needs.
fn rarest_frequent(
    values: &[u64],
    num_rare: u32,
    frequent: &HashMap<u64, u32>,
    sure: f64,
) -> Vec<u64> {
    let size = values.len() - (sure * values.len() as f64).ceil() as usize + 1;
    let wanted = size.saturating_sub(num_rare as usize);
    if values.is_empty() || wanted == 0 {
        return Vec::new();
    }
    let mut found: Vec<(u32, u64)> = values
        .iter()
        .filter_map(|&value| Some((*frequent.get(&value)?, value)))
        .collect();
    found.sort_unstable();
    found
        .into_iter()
        .take(wanted)
        .map(|(_, value)| value)
        .collect()
}

/// Fingerprints of two sets, both together, by which it is judged whether they resemble each other.
const SAMPLE: usize = 128;

/// Whether of the `SAMPLE` smallest fingerprints of A ∪ B a share of `least` or more is in A ∩ B, which is an estimate of
/// |A ∩ B| / |A ∪ B|, and that itself where they are no more (Broder 1997); it is 1 for two empty ones. Sets are sorted.
fn resemble(a: &[u64], b: &[u64], least: f64) -> bool {
    let (mut i, mut j, mut both) = (0, 0, 0);
    let enough = (least * SAMPLE as f64 - 1e-9).ceil() as usize;
    while i < a.len() && j < b.len() && i + j - both < SAMPLE && both < enough {
        let (left, right) = (a[i], b[j]);
        both += usize::from(left == right);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    let all = (a.len() + b.len() - both).min(SAMPLE);
    both >= enough || both as f64 >= least * all as f64 - 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_a_remainder_of_polynomials() {
        let mut grams = Vec::new();
        let selection = |overlapping| Selection {
            n: 2,
            p: 1,
            overlapping,
            simhash: false,
        };
        combine(&[1, 2, 3], selection(true), &mut grams);
        assert_eq!(grams, [0x19, 0x35]);
        combine(&[1, 2, 3, 4, 5], selection(false), &mut grams);
        assert_eq!(grams, [0x19, 0x29]);
        for n in 0..64 {
            assert_eq!(times_x64(1 << n), times_bit(n));
        }
    }

    /// x⁶⁴ · xⁿ, bit by bit.
    fn times_bit(n: u32) -> u64 {
        (0..n).fold(0b11011, |a: u64, _| {
            a << 1 ^ if a >> 63 == 1 { 0b11011 } else { 0 }
        })
    }

    #[test]
    fn what_is_0_mod_p_stands_for_a_text_or_else_the_smallest() {
        let mut grams = vec![938, 664, 463, 822, 492, 492];
        select(&mut grams, 4);
        assert_eq!(grams, [492, 664]);
        let mut grams = vec![7, 5];
        select(&mut grams, 4);
        assert_eq!(grams, [5]);
    }

    #[test]
    fn pairs_are_the_same_whatever_the_budget() {
        let values: Vec<u64> = (0..30_000)
            .map(|n: u64| (n * n + n / 7) % 997 * 0x9e37_79b9_7f4a_7c15)
            .collect();
        let mut values: Vec<Vec<u64>> = values.chunks(30).map(<[u64]>::to_vec).collect();
        values.iter_mut().for_each(|set| {
            set.sort_unstable();
            set.dedup();
        });
        let offsets: Vec<u64> = std::iter::once(0)
            .chain(values.iter().scan(0, |end, set| {
                *end += set.len() as u64;
                Some(*end)
            }))
            .collect();
        let values = values.concat();
        let sets = Sets {
            offsets: &offsets,
            values: &values,
        };
        let search = |budget| Search {
            limit: 8,
            frequent_limit: 100,
            sure: 0.8,
            resemblance: 0.1,
            first_new: 0,
            budget,
        };
        let large = sharing_pairs(&[sets], search(1 << 30), &Meter::new()).unwrap();
        let small = sharing_pairs(&[sets], search(1), &Meter::new()).unwrap();
        assert!(!large.is_empty() && large == small);
    }
}
