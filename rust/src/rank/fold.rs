//! Lists told by what they have and the one before them has not.
//!
//! Pages that follow each other in row-key order are linked from almost the same pages, so that the sum over a list is
//! that over the list before it, plus some nodes, less some others: a third of the additions on a real graph. Nodes
//! are cut into chunks, and lists into what is in the chunk (near) and what is not (far). A list is summed afresh where
//! that is less work, and at the latest when sums have come along by twice as many additions as it is long, so that
//! rounding is that of plain sums.
//!
//! Most near lists differ from the one before by four nodes or fewer. Each has a step of four places, whichever of them
//! it needs, so that the processor never has to guess how many come; few are longer and tell their number. Most far
//! lists are empty as the one before was, and only those that differ are kept.
//!
//! Values of nodes lie in slots: a chunk's, and behind them a slot that is always 0, for places that are not needed.

use super::walk::{Arcs, Lists, sum};
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use rayon::prelude::*;

/// Nodes of a chunk. What they pass on stays in the processor's cache, and most arcs begin where they end.
pub const CHUNK: usize = 1 << 14;

/// Where the value of a node is.
#[inline]
pub fn slot(node: usize) -> usize {
    node + node / CHUNK
}

/// In place of how many nodes a list has lost: its sum begins at 0.
const AFRESH: u32 = u32::MAX;
/// The same of a step, in its first place; then all four places are added.
const FRESH_STEP: u16 = 1 << 15;
/// In the first place of a step: more nodes than it has room for.
const LONG: u16 = u16::MAX;

/// The lists of the nodes of a chunk: first of those with arcs of their own, then of the others.
pub struct Chunk {
    /// Places in the chunk, in the order of lists.
    pub order: Vec<u16>,
    pub num_with_arcs: usize,
    /// Which of `order` link to themselves, with the weight of that arc: it is in no list.
    pub loops: Vec<(u32, f64)>,
    /// For each list two places that it has more, and two that it has less, than the one before.
    steps: Vec<[u16; 4]>,
    /// What did not fit in a step.
    near: Fold<u16>,
    /// Which of `order` have other far lists than the one before them.
    heads: Vec<u32>,
    far: Fold<u32>,
}

struct Fold<N> {
    /// For each list how many nodes it has more, and how many less.
    counts: Vec<[u32; 2]>,
    /// Those that it has more, then those less.
    nodes: Vec<N>,
    /// Of each node, where arcs have weights.
    weights: Vec<f64>,
}

impl<N> Default for Fold<N> {
    fn default() -> Self {
        Self {
            counts: Vec::new(),
            nodes: Vec::new(),
            weights: Vec::new(),
        }
    }
}

/// Cuts a graph into chunks, where `shares` are 0 for nodes without arcs.
pub fn fold(arcs: &Arcs<'_>, shares: &[f64], meter: &Meter) -> Result<Vec<Chunk>, GraphError> {
    arcs.check(shares.len())?;
    let chunks = shares.par_chunks(CHUNK).enumerate();
    chunks
        .map(|(number, shares)| {
            let start = number * CHUNK;
            arcs.read(start..start + shares.len(), meter, |lists| {
                Chunk::new(&lists, start, shares, true)
            })
        })
        .collect()
}

impl Chunk {
    /// Cuts lists; what is kept for one pass only is not worth to be compared with the list before, but for being equal.
    pub fn new(lists: &Lists<'_>, start: usize, shares: &[f64], is_kept: bool) -> Self {
        let size = shares.len();
        let those = |idle: bool| (0..size).filter(move |&place| (shares[place] == 0.0) == idle);
        let order: Vec<u16> = those(false)
            .chain(those(true))
            .map(|place| place as u16)
            .collect();
        let (mut near, mut far) = (Folder::default(), Folder::default());
        let (mut steps, mut heads, mut loops) = (Vec::new(), Vec::new(), Vec::new());
        steps.reserve_exact(size);
        for (nth, &place) in order.iter().enumerate() {
            let (list, weights) = lists.get(usize::from(place));
            for (at, &node) in list.iter().enumerate() {
                let inside = (node as usize).wrapping_sub(start);
                let weight = weights.map(|weights| weights[at]);
                if inside >= size {
                    far.add(slot(node as usize) as u32, weight);
                    continue;
                }
                if inside == usize::from(place) {
                    loops.push((nth as u32, weight.unwrap_or(1.0)));
                    continue;
                }
                near.add(inside as u16, weight);
            }
            let difference = near.close(is_kept);
            steps.push(near.step(difference, size as u16));
            let difference = far.close(is_kept);
            if difference != Difference::None {
                heads.push(nth as u32);
                far.tell(difference);
            }
        }
        Self {
            num_with_arcs: those(false).count(),
            order,
            loops,
            steps,
            near: near.fold,
            heads,
            far: far.fold,
        }
    }

    /// Sums over what lists have in the chunk, by places.
    pub fn near(&self) -> NearSums<'_> {
        NearSums {
            steps: self.steps.iter(),
            long: self.near.sums(),
            sum: 0.0,
        }
    }

    /// Sums over what lists have elsewhere, by slots.
    pub fn far(&self) -> FarSums<'_> {
        FarSums {
            heads: self.heads.iter().peekable(),
            nth: 0,
            sums: self.far.sums(),
            sum: 0.0,
        }
    }
}

impl<N> Fold<N> {
    fn sums(&self) -> Sums<'_, N> {
        Sums {
            counts: self.counts.iter(),
            nodes: &self.nodes,
            weights: (!self.weights.is_empty()).then_some(&self.weights),
        }
    }
}

/// Sums over one near list after the other.
pub struct NearSums<'a> {
    steps: std::slice::Iter<'a, [u16; 4]>,
    long: Sums<'a, u16>,
    sum: f64,
}

impl NearSums<'_> {
    /// The sum of values over the next list; behind the values of places there is a 0.
    #[inline(always)]
    pub fn next(&mut self, values: &[f64]) -> f64 {
        let Some(&[first, second, third, fourth]) = self.steps.next() else {
            return self.sum;
        };
        if first == LONG {
            self.sum = self.long.next(values, self.sum);
            return self.sum;
        }
        let value = |place: u16| values[usize::from(place)];
        // no branch: a fresh sum forgets the one before, and loses nothing
        let keep = u64::from(first >> 15).wrapping_sub(1);
        let minus = u64::from(!first & FRESH_STEP) << 48;
        let less = value(third) + value(fourth);
        let less = f64::from_bits(less.to_bits() ^ minus);
        let last = f64::from_bits(self.sum.to_bits() & keep);
        // the first place is what was found last, if it is there, and whoever waits for it comes last
        self.sum = (last + (less + value(second))) + value(first & !FRESH_STEP);
        self.sum
    }
}

/// Sums over one far list after the other.
pub struct FarSums<'a> {
    heads: std::iter::Peekable<std::slice::Iter<'a, u32>>,
    nth: u32,
    sums: Sums<'a, u32>,
    sum: f64,
}

impl FarSums<'_> {
    #[inline(always)]
    pub fn next(&mut self, values: &[f64]) -> f64 {
        if self.heads.next_if(|&&head| head == self.nth).is_some() {
            self.sum = self.sums.next(values, self.sum);
        }
        self.nth += 1;
        self.sum
    }
}

struct Sums<'a, N> {
    counts: std::slice::Iter<'a, [u32; 2]>,
    nodes: &'a [N],
    weights: Option<&'a [f64]>,
}

impl<N: Copy + Into<u64>> Sums<'_, N> {
    /// The sum over the next list, made of the last one.
    fn next(&mut self, values: &[f64], last: f64) -> f64 {
        let &[more, less] = self.counts.next().unwrap_or(&[0, 0]);
        let (added, nodes) = self.nodes.split_at(more as usize);
        self.nodes = nodes;
        let value = |node: usize| values[node];
        if less == AFRESH {
            let weights = self.weights.map(|weights| weights.split_at(added.len()));
            self.weights = weights.map(|(_, rest)| rest);
            return sum(added, weights.map(|(these, _)| these), value);
        }
        let (lost, nodes) = self.nodes.split_at(less as usize);
        self.nodes = nodes;
        last + (sum(added, None, value) - sum(lost, None, value))
    }
}

/// How a list is made of the one before it.
#[derive(Clone, Copy, PartialEq)]
enum Difference {
    None,
    /// By what `Folder` has in `more` and `less`.
    Small,
    Afresh,
}

/// Writes one list after the other.
struct Folder<N> {
    fold: Fold<N>,
    list: Vec<N>,
    last: Vec<N>,
    more: Vec<N>,
    less: Vec<N>,
    weights: Vec<f64>,
    /// Additions since a sum began afresh.
    spent: usize,
}

impl<N> Default for Folder<N> {
    fn default() -> Self {
        Self {
            fold: Fold::default(),
            list: Vec::new(),
            last: Vec::new(),
            more: Vec::new(),
            less: Vec::new(),
            weights: Vec::new(),
            spent: 0,
        }
    }
}

impl<N: Copy + Ord> Folder<N> {
    #[inline]
    fn add(&mut self, node: N, weight: Option<f64>) {
        self.list.push(node);
        self.weights.extend(weight);
    }

    /// Compares the list with the one before, whose place it takes.
    fn close(&mut self, is_kept: bool) -> Difference {
        let found = self.differ(is_kept);
        std::mem::swap(&mut self.list, &mut self.last);
        self.list.clear();
        found
    }

    fn differ(&mut self, is_kept: bool) -> Difference {
        let (list, last) = (&self.list, &self.last);
        let has_weights = !self.weights.is_empty();
        if list == last && !has_weights {
            return Difference::None;
        }
        // a step has room for all of it
        if list.len() <= 4 {
            self.spent = 0;
            return Difference::Afresh;
        }
        let room = (2 * list.len()).saturating_sub(self.spent).min(list.len());
        self.more.clear();
        self.less.clear();
        let mut is_less = is_kept && !has_weights && list.len().abs_diff(last.len()) < room;
        if is_less {
            let head = count_equal(list.iter(), last.iter());
            let tail = count_equal(list[head..].iter().rev(), last[head..].iter().rev());
            let new = &list[head..list.len() - tail];
            let old = &last[head..last.len() - tail];
            let (mut one, mut other) = (0, 0);
            while is_less && (one < new.len() || other < old.len()) {
                if other == old.len() || (one < new.len() && new[one] < old[other]) {
                    self.more.push(new[one]);
                    one += 1;
                } else if one == new.len() || old[other] < new[one] {
                    self.less.push(old[other]);
                    other += 1;
                } else {
                    (one, other) = (one + 1, other + 1);
                }
                is_less = self.more.len() + self.less.len() < room;
            }
        }
        if is_less {
            self.spent += self.more.len() + self.less.len();
            return Difference::Small;
        }
        self.spent = 0;
        Difference::Afresh
    }

    /// Writes the list that was closed last.
    fn tell(&mut self, difference: Difference) {
        let fold = &mut self.fold;
        fold.weights.append(&mut self.weights);
        if difference == Difference::Afresh {
            fold.nodes.extend_from_slice(&self.last);
            fold.counts.push([self.last.len() as u32, AFRESH]);
            return;
        }
        fold.nodes.extend_from_slice(&self.more);
        fold.nodes.extend_from_slice(&self.less);
        let counts = [self.more.len() as u32, self.less.len() as u32];
        fold.counts.push(counts);
    }
}

impl Folder<u16> {
    /// The step to the list that was closed last; one that is too long is written beside.
    fn step(&mut self, difference: Difference, none: u16) -> [u16; 4] {
        let at = |list: &[u16], place: usize| list.get(place).copied().unwrap_or(none);
        let (more, less, last) = (&self.more, &self.less, &self.last);
        match difference {
            Difference::None => [none; 4],
            Difference::Small if more.len() <= 2 && less.len() <= 2 => {
                // what was found last is the larger one
                [at(more, 1), at(more, 0), at(less, 0), at(less, 1)]
            }
            Difference::Afresh if last.len() <= 4 && self.weights.is_empty() => {
                let first = at(last, 0) | FRESH_STEP;
                [first, at(last, 1), at(last, 2), at(last, 3)]
            }
            _ => {
                self.tell(difference);
                [LONG, none, none, none]
            }
        }
    }
}

fn count_equal<'a, N: PartialEq + 'a>(
    one: impl Iterator<Item = &'a N>,
    other: impl Iterator<Item = &'a N>,
) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}
