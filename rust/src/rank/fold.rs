//! Lists told by what they have and the one before them has not.
//!
//! Pages that follow each other in row-key order are linked from almost the same pages, so that the sum over a list is
//! that over the list before it, plus some nodes, less some others: a third of the additions on a real graph. Nodes
//! are cut into chunks, and lists into what is in the chunk (near) and what is not (far). A list is summed afresh where
//! that is less work, and at the latest when sums have come along by twice as many additions as it is long, so that
//! rounding is that of plain sums.

use super::walk::{Arcs, Lists, sum};
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use rayon::prelude::*;

/// Nodes of a chunk. What they pass on stays in the processor's cache, and most arcs begin where they end.
pub const CHUNK: usize = 1 << 14;

/// In place of how many nodes a list has lost: its sum begins at 0.
const AFRESH: u32 = u32::MAX;

/// The lists of the nodes of a chunk: first of those with arcs of their own, then of the others.
pub struct Chunk {
    /// Places in the chunk, in the order of lists.
    pub order: Vec<u16>,
    pub num_with_arcs: usize,
    /// Which of `order` link to themselves, with the weight of that arc.
    pub loops: Vec<(u32, f64)>,
    near: Fold,
    far: Fold,
}

#[derive(Default)]
struct Fold {
    /// For each list how many nodes it has more, and how many less.
    counts: Vec<[u32; 2]>,
    /// Those that it has more, then those less.
    nodes: Vec<u32>,
    /// Of each node, where arcs have weights.
    weights: Vec<f64>,
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
        let mut loops = Vec::new();
        for (nth, &place) in order.iter().enumerate() {
            let (list, weights) = lists.get(usize::from(place));
            for (at, &node) in list.iter().enumerate() {
                let inside = (node as usize).wrapping_sub(start);
                let weight = weights.map(|weights| weights[at]);
                if inside >= size {
                    far.add(node, weight);
                    continue;
                }
                near.add(inside as u32, weight);
                if inside == usize::from(place) {
                    loops.push((nth as u32, weight.unwrap_or(1.0)));
                }
            }
            near.close(is_kept);
            far.close(is_kept);
        }
        Self {
            num_with_arcs: those(false).count(),
            order,
            loops,
            near: near.fold,
            far: far.fold,
        }
    }

    /// Sums over what lists have in the chunk, by places.
    pub fn near(&self) -> Sums<'_> {
        self.near.sums()
    }

    /// Sums over what lists have elsewhere.
    pub fn far(&self) -> Sums<'_> {
        self.far.sums()
    }
}

impl Fold {
    fn sums(&self) -> Sums<'_> {
        Sums {
            counts: self.counts.iter(),
            nodes: &self.nodes,
            weights: (!self.weights.is_empty()).then_some(&self.weights),
            sum: 0.0,
        }
    }
}

/// Sums over one list after the other.
pub struct Sums<'a> {
    counts: std::slice::Iter<'a, [u32; 2]>,
    nodes: &'a [u32],
    weights: Option<&'a [f64]>,
    /// The last one. Whoever changes the value of a node of that list changes it too.
    pub sum: f64,
}

impl Sums<'_> {
    /// The sum of values over the next list.
    #[inline(always)]
    pub fn next(&mut self, values: &[f64]) -> f64 {
        let &[more, less] = self.counts.next().unwrap_or(&[0, 0]);
        if (more, less) == (0, 0) {
            return self.sum;
        }
        let (added, nodes) = self.nodes.split_at(more as usize);
        self.nodes = nodes;
        if less == AFRESH {
            let weights = self.weights.map(|weights| weights.split_at(added.len()));
            self.weights = weights.map(|(_, rest)| rest);
            let value = |node: usize| values[node];
            self.sum = sum(added, weights.map(|(these, _)| these), value);
            return self.sum;
        }
        let (lost, nodes) = self.nodes.split_at(less as usize);
        self.nodes = nodes;
        for &node in added {
            self.sum += values[node as usize];
        }
        for &node in lost {
            self.sum -= values[node as usize];
        }
        self.sum
    }
}

/// Writes one list after the other.
#[derive(Default)]
struct Folder {
    fold: Fold,
    list: Vec<u32>,
    last: Vec<u32>,
    lost: Vec<u32>,
    /// Additions since a sum began afresh.
    spent: usize,
}

impl Folder {
    #[inline]
    fn add(&mut self, node: u32, weight: Option<f64>) {
        self.list.push(node);
        self.fold.weights.extend(weight);
    }

    fn close(&mut self, is_kept: bool) {
        let counts = self.differ(is_kept);
        self.fold.counts.push(counts);
        std::mem::swap(&mut self.list, &mut self.last);
        self.list.clear();
    }

    fn differ(&mut self, is_kept: bool) -> [u32; 2] {
        let (list, last, nodes) = (&self.list, &self.last, &mut self.fold.nodes);
        let has_weights = !self.fold.weights.is_empty();
        if list == last && !has_weights {
            return [0, 0];
        }
        let begin = nodes.len();
        let room = (2 * list.len()).saturating_sub(self.spent).min(list.len());
        self.lost.clear();
        let mut is_less = is_kept && !has_weights && list.len().abs_diff(last.len()) < room;
        let head = count_equal(list.iter(), last.iter());
        let tail = count_equal(list[head..].iter().rev(), last[head..].iter().rev());
        let (new, old) = (
            &list[head..list.len() - tail],
            &last[head..last.len() - tail],
        );
        let (mut one, mut other) = (0, 0);
        while is_less && (one < new.len() || other < old.len()) {
            if other == old.len() || (one < new.len() && new[one] < old[other]) {
                nodes.push(new[one]);
                one += 1;
            } else if one == new.len() || old[other] < new[one] {
                self.lost.push(old[other]);
                other += 1;
            } else {
                (one, other) = (one + 1, other + 1);
            }
            is_less = nodes.len() - begin + self.lost.len() < room;
        }
        if is_less {
            let more = nodes.len() - begin;
            nodes.extend_from_slice(&self.lost);
            self.spent += more + self.lost.len();
            return [more as u32, self.lost.len() as u32];
        }
        nodes.truncate(begin);
        nodes.extend_from_slice(list);
        self.spent = 0;
        [list.len() as u32, AFRESH]
    }
}

fn count_equal<'a>(
    one: impl Iterator<Item = &'a u32>,
    other: impl Iterator<Item = &'a u32>,
) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}
