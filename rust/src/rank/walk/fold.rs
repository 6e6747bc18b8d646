//! Delta-encoded adjacency lists: each list as its difference from the one before it.
//!
//! Pages that follow each other in row-key order are linked from almost the same pages, so the sum over a list is the
//! sum over the list before it, plus some nodes, minus some others: a third of the additions on a real graph. Nodes
//! are cut into chunks, and each list into its nodes inside the chunk (near) and outside it (far). A list is summed in
//! full where that is less work, and at the latest after twice as many additions as it is long, so that rounding stays
//! that of plain sums.
//!
//! Most near lists differ from the one before by four nodes or fewer. Each has a step of four places, used or not, so
//! that the processor never has to guess how many follow; the few longer ones store their number. Most far lists are
//! empty, as the one before was, and only those that differ are stored.
//!
//! Values of nodes lie in slots: those of a chunk, then a slot that is always 0, for unused places.

use super::{Arcs, Lists, sum};
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use rayon::prelude::*;
use std::ops::Range;

/// Nodes of a chunk. What they pass on stays in the processor's cache, and most arcs begin where they end.
pub const CHUNK: usize = 1 << 14;

/// Where the value of a node is.
#[inline]
pub fn slot(node: usize) -> usize {
    node + node / CHUNK
}

/// The values of a chunk by places, with one for every number that a place can have: nothing can be behind the end.
pub type Inside = [f64; 1 << 16];

/// Memory for the values of a chunk; what is behind them is never touched.
pub fn make_inside() -> Box<Inside> {
    let values = vec![0.0; 1 << 16].into_boxed_slice();
    values.try_into().expect("there are as many")
}

/// In place of how many nodes a list has lost: its sum begins at 0.
pub(super) const AFRESH: u32 = u32::MAX;
/// The same of a step, in its first place; then all four places are added.
pub(super) const FRESH_STEP: u16 = 1 << 15;
/// In the first place of a step: more nodes than it has room for.
pub(super) const LONG: u16 = u16::MAX;

/// The lists of the nodes of a chunk: first of those with arcs of their own, then of the others.
pub struct Chunk {
    /// Places in the chunk, in the order of lists.
    pub order: Vec<u16>,
    pub num_with_arcs: usize,
    /// Which of `order` link to themselves, with the weight of that arc: it is in no list.
    pub loops: Vec<(u32, f64)>,
    /// For each list two places that it has more, and two that it has less, than the one before.
    pub(super) steps: Vec<[u16; 4]>,
    /// What did not fit in a step.
    pub(super) near: Fold<u16>,
    pub(super) far: Far,
}

pub(super) enum Far {
    Lists {
        /// Which of `order` have other far lists than the one before them.
        heads: Vec<u32>,
        fold: Fold<u32>,
    },
    /// In place of lists the sums over them, where there is one pass only.
    Sums(Vec<f64>),
}

pub(super) struct Fold<N> {
    /// For each list how many nodes it has more, and how many less.
    pub(super) counts: Vec<[u32; 2]>,
    /// Those that it has more, then those less.
    pub(super) nodes: Vec<N>,
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
                Chunk::new(&lists, start, shares)
            })
        })
        .collect()
}

/// Puts the places of nodes with arcs first.
pub(super) fn arrange(shares: &[f64], order: &mut Vec<u16>, num_with_arcs: &mut usize) {
    let those = |idle: bool| {
        let places = (0..shares.len()).filter(move |&place| (shares[place] == 0.0) == idle);
        places.map(|place| place as u16)
    };
    order.clear();
    order.extend(those(false));
    *num_with_arcs = order.len();
    order.extend(those(true));
}

/// Which part of a list is in a chunk.
#[inline]
pub(super) fn find_inside(list: &[u32], start: usize, size: usize) -> Range<usize> {
    // most lists are all inside
    let is_before = |node: &u32| (*node as usize) < start;
    let is_behind = |node: &u32| *node as usize >= start + size;
    let begin = match list.first() {
        Some(first) if is_before(first) => list.partition_point(is_before),
        _ => 0,
    };
    let end = match list.last() {
        Some(last) if is_behind(last) => list.partition_point(|node| !is_behind(node)),
        _ => list.len(),
    };
    begin..end.max(begin)
}

#[inline]
pub(super) fn near_place(node: u32, start: usize) -> u16 {
    (node as usize).wrapping_sub(start) as u16
}

#[inline]
pub(super) fn far_slot(node: u32) -> u32 {
    slot(node as usize) as u32
}

impl Chunk {
    fn new(lists: &Lists<'_>, start: usize, shares: &[f64]) -> Self {
        let size = shares.len();
        let (mut order, mut num_with_arcs) = (Vec::with_capacity(size), 0);
        arrange(shares, &mut order, &mut num_with_arcs);
        let (mut near, mut far) = (Folder::default(), Folder::default());
        let (mut steps, mut heads, mut loops) = (Vec::new(), Vec::new(), Vec::new());
        steps.reserve_exact(size);
        for (nth, &place) in order.iter().enumerate() {
            let (list, weights) = lists.get(usize::from(place));
            let own = (start + usize::from(place)) as u32;
            let inside = find_inside(list, start, size);
            let mut rest = inside.clone();
            if let Ok(at) = list[inside.clone()].binary_search(&own) {
                let at = inside.start + at;
                loops.push((nth as u32, weights.map_or(1.0, |weights| weights[at])));
                near.add(inside.start..at, list, weights, |node| {
                    near_place(node, start)
                });
                rest.start = at + 1;
            }
            near.add(rest, list, weights, |node| near_place(node, start));
            far.add(0..inside.start, list, weights, far_slot);
            far.add(inside.end..list.len(), list, weights, far_slot);
            let difference = near.close();
            steps.push(near.step(difference, size as u16));
            let difference = far.close();
            if difference != Difference::None {
                heads.push(nth as u32);
                far.tell(difference);
            }
        }
        Self {
            num_with_arcs,
            order,
            loops,
            steps,
            near: near.fold,
            far: Far::Lists {
                heads,
                fold: far.fold,
            },
        }
    }

    /// Copies the values of the chunk that begins with a node, with the 0 behind them.
    pub fn copy_inside(&self, start: usize, values: &[f64], inside: &mut Inside) {
        let size = self.order.len() + 1;
        inside[..size].copy_from_slice(&values[slot(start)..][..size]);
    }

    /// Goes through the first lists in order: their place, and the sum over what they have in the chunk of values that
    /// `act` may change, and finds changed in the lists that follow.
    #[inline(always)]
    pub fn each_near(
        &self,
        num_lists: usize,
        inside: &mut Inside,
        mut act: impl FnMut(u16, f64, &mut Inside),
    ) {
        let mut long = self.near.sums();
        let mut sum = 0.0;
        for (&place, &step) in self.order[..num_lists].iter().zip(&self.steps) {
            sum = if step[0] == LONG {
                long.next(|place| inside[usize::from(place)], sum)
            } else {
                take_step(step, sum, inside)
            };
            act(place, sum, inside);
        }
    }

    /// Sums over what lists have elsewhere, by slots.
    pub fn far(&self) -> FarSums<'_> {
        match &self.far {
            Far::Lists { heads, fold } => FarSums::Lists {
                heads: heads.iter().peekable(),
                nth: 0,
                sums: fold.sums(),
                sum: 0.0,
            },
            Far::Sums(sums) => FarSums::Made(sums.iter()),
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

/// The sum over a near list, made of that of the one before, `last`.
///
/// The first two places are added. The other two are subtracted, unless bit 15 of the first place (`FRESH_STEP`) is set:
/// then `last` does not count and all four are added. Both cases take the same instructions, since the processor could
/// not predict a branch: the bit becomes a mask that keeps or clears `last`, and its complement, moved to bit 63, flips
/// the sign of what is subtracted.
#[inline(always)]
fn take_step([first, second, third, fourth]: [u16; 4], last: f64, inside: &Inside) -> f64 {
    let value = |place: u16| inside[usize::from(place)];
    let keep = u64::from(first >> 15).wrapping_sub(1);
    let minus = u64::from(!first & FRESH_STEP) << 48;
    let less = value(third) + value(fourth);
    let less = f64::from_bits(less.to_bits() ^ minus);
    let last = f64::from_bits(last.to_bits() & keep);
    // the first place may hold the sum found just before: it is added last, so that the rest need not wait for it
    (last + (less + value(second))) + value(first & !FRESH_STEP)
}

/// Sums over one far list after the other.
pub enum FarSums<'a> {
    Lists {
        heads: std::iter::Peekable<std::slice::Iter<'a, u32>>,
        nth: u32,
        sums: Sums<'a, u32>,
        sum: f64,
    },
    Made(std::slice::Iter<'a, f64>),
}

impl FarSums<'_> {
    #[inline(always)]
    pub fn next(&mut self, values: &[f64]) -> f64 {
        match self {
            FarSums::Lists {
                heads,
                nth,
                sums,
                sum,
            } => {
                if heads.next_if(|&head| head == nth).is_some() {
                    *sum = sums.next(|slot| values[slot as usize], *sum);
                }
                *nth += 1;
                *sum
            }
            FarSums::Made(sums) => sums.next().copied().unwrap_or_default(),
        }
    }
}

pub struct Sums<'a, N> {
    counts: std::slice::Iter<'a, [u32; 2]>,
    nodes: &'a [N],
    weights: Option<&'a [f64]>,
}

impl<N: Copy> Sums<'_, N> {
    /// The sum over the next list, made of the last one.
    #[inline(never)]
    fn next(&mut self, value: impl Fn(N) -> f64 + Copy, last: f64) -> f64 {
        let &[more, less] = self.counts.next().unwrap_or(&[0, 0]);
        let (added, nodes) = self.nodes.split_at(more as usize);
        self.nodes = nodes;
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
    /// Takes over a range of a list.
    #[inline]
    fn add(
        &mut self,
        range: Range<usize>,
        list: &[u32],
        weights: Option<&[f64]>,
        place: impl Fn(u32) -> N,
    ) {
        self.list
            .extend(list[range.clone()].iter().map(|&node| place(node)));
        if let Some(weights) = weights {
            self.weights.extend_from_slice(&weights[range]);
        }
    }

    /// Compares the list with the one before, whose place it takes.
    fn close(&mut self) -> Difference {
        let found = self.differ();
        std::mem::swap(&mut self.list, &mut self.last);
        self.list.clear();
        found
    }

    fn differ(&mut self) -> Difference {
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
        let mut is_less = !has_weights && list.len().abs_diff(last.len()) < room;
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
