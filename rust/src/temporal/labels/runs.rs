//! The coding `runs`: the labels of a list as predicted, but for runs of arcs that have another mask.
//!
//! An arc can be there only when both its ends are: its label lies within the **bound** B, the labels of source and target
//! both (or all snapshots, where a graph does not keep to that). An arc that the reference list of the graph has too is
//! predicted to have B and its label there, a snapshot that the page of the reference was not in not being held against it;
//! any other arc is predicted to have B.
//!
//! A list with other labels is marked, and has in the stream, until its end: how many arcs are as predicted (a gap), then
//! how many (a run) have the label M AND B, each with its own B. M is the label of the first arc of the run where B is set;
//! elsewhere as it was before in this list, at first all set. A gap g is the number of bits of g + 1 less one by a code
//! of its own for the first one of a list, then the bits below the highest; or the end, which is not said behind the last
//! arc. A run likewise, its code also telling whether M stays as it was; if not, the first arc's label XOR its prediction
//! follows, squeezed onto the bits of B, by the code for the number of these.

use crate::bits::canonical::Books;
use crate::bits::cursor::{Cursor, Damage, Near};
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use std::cell::Cell;
use std::ops::Range;

/// Nodes between two looks at the meter.
const PERIOD: usize = 1 << 12;

/// What a gap's code says at the end of a list.
pub const END: u64 = 33;
/// Added to a run's code if M stays as it was.
pub const SAME: u64 = 64;
/// In place of the width of a symbol, if M stays as it was.
const UNCHANGED: u8 = 65;
/// The book of the first gap of a list, of others, of runs, and of labels with no bits in their bound.
const FIRST: usize = 0;
const LATER: usize = 1;
const RUN: usize = 2;
const SYMBOLS: usize = 3;
/// All books: of labels there is one for each number of bits.
pub const NUM_BOOKS: usize = SYMBOLS + 65;

/// A list with labels that another refers to; without one it is empty.
#[derive(Clone, Copy, Default)]
pub struct Reference<'a> {
    pub bound: u64,
    pub list: &'a [u32],
    pub labels: &'a [u64],
}

/// How many successors two lists have in common at their beginnings.
#[inline]
fn common(one: &[u32], other: &[u32]) -> usize {
    const WIDTH: usize = 8;
    let whole = one
        .chunks_exact(WIDTH)
        .zip(other.chunks_exact(WIDTH))
        .take_while(|(one, other)| one == other)
        .count()
        * WIDTH;
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

/// Predicts the labels of a list; `bounds` are those of all nodes.
pub fn predict(
    bounds: &[u64],
    bound: u64,
    list: &[u32],
    reference: Reference<'_>,
    labels: &mut [u64],
) {
    let (other, known) = (reference.list, reference.labels);
    // snapshots that only the target's label speaks of
    let unknown = bound & !reference.bound;
    let (mut place, mut there) = (0, 0);
    while place < list.len() {
        let target = list[place];
        while there < other.len() && other[there] < target {
            there += 1;
        }
        if there < other.len() && other[there] == target {
            let length = common(&list[place..], &other[there..]);
            let from = &known[there..there + length];
            let to = &mut labels[place..place + length];
            if unknown == 0 {
                for (label, &before) in to.iter_mut().zip(from) {
                    *label = before & bound;
                }
            } else {
                let targets = &list[place..place + length];
                for ((label, &before), &target) in to.iter_mut().zip(from).zip(targets) {
                    *label = bounds[target as usize] & (before & bound | unknown);
                }
            }
            place += length;
            there += length;
        } else {
            labels[place] = bounds[target as usize] & bound;
            place += 1;
        }
    }
}

/// The bits of `value` at those of `mask`, moved together.
fn squeeze(value: u64, mut mask: u64) -> u64 {
    let (mut found, mut place) = (0, 0);
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        found |= u64::from(value & lowest != 0) << place;
        place += 1;
        mask ^= lowest;
    }
    found
}

/// Bits that were squeezed, moved apart again.
fn spread(value: u64, mut mask: u64) -> u64 {
    // most are together already
    let lowest = mask & mask.wrapping_neg();
    if mask & mask.wrapping_add(lowest) == 0 {
        return lowest.wrapping_mul(value) & mask;
    }
    let (mut found, mut place) = (0, 0);
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        found |= lowest * (value >> place & 1);
        place += 1;
        mask ^= lowest;
    }
    found
}

/// What a marked list says: a row for each run, and one for an end that is said.
#[derive(Default)]
pub struct Runs {
    /// The nodes of marked lists.
    pub nodes: Vec<u32>,
    /// How many rows came before those of each.
    pub begins: Vec<u64>,
    pub gaps: Vec<u32>,
    /// 0 for the end.
    pub lengths: Vec<u32>,
    /// The number of bits of the bound of the first arc, or `UNCHANGED`.
    pub widths: Vec<u8>,
    pub symbols: Vec<u64>,
}

impl Runs {
    fn push(&mut self, gap: usize, length: usize, width: u8, symbol: u64) {
        self.gaps.push(gap as u32);
        self.lengths.push(length as u32);
        self.widths.push(width);
        self.symbols.push(symbol);
    }

    /// Appends what the list of a node says.
    pub fn find(
        &mut self,
        bounds: &[u64],
        node: u32,
        list: &[u32],
        labels: &[u64],
        predicted: &[u64],
    ) {
        let differs = |place: usize| labels[place] != predicted[place];
        let Some(last) = (0..list.len()).rfind(|&place| differs(place)) else {
            return;
        };
        self.nodes.push(node);
        self.begins.push(self.gaps.len() as u64);
        let source = bounds[node as usize];
        let bound = |place: usize| source & bounds[list[place] as usize];
        let (mut mask, mut place) = (u64::MAX, 0);
        while place <= last {
            let gap = (place..=last).take_while(|&at| !differs(at)).count();
            let begin = place + gap;
            let within = bound(begin);
            let (mut width, mut symbol) = (UNCHANGED, 0);
            if mask & within != labels[begin] {
                mask = mask & !within | labels[begin];
                width = within.count_ones() as u8;
                symbol = squeeze(labels[begin] ^ predicted[begin], within);
            }
            // a run goes on over arcs that are as predicted, if others of it follow
            let mut end = begin + 1;
            for (at, &label) in labels.iter().enumerate().take(last + 1).skip(begin + 1) {
                if mask & bound(at) != label {
                    break;
                }
                if differs(at) {
                    end = at + 1;
                }
            }
            self.push(gap, end - begin, width, symbol);
            place = end;
        }
        if place < list.len() {
            self.push(0, 0, 0, 0);
        }
    }
}

/// What the lists of a range of nodes say, read in order. `labels` are those of all arcs of the nodes from `before` on,
/// which are the lists that the first of the range may refer to.
pub fn find(
    graph: &BvGraph,
    bounds: &[u64],
    nodes: Range<usize>,
    before: usize,
    labels: &[u64],
    meter: &Meter,
) -> Result<Runs, GraphError> {
    if before > nodes.start || nodes.end > graph.num_nodes() {
        return Err(GraphError::Arrays(format!(
            "start and end: expected nodes from {before} to {}, got {nodes:?}",
            graph.num_nodes()
        )));
    }
    let (offsets, targets) = graph.rows(before..nodes.end, &Meter::new())?;
    if targets.len() != labels.len() || bounds.len() != graph.num_nodes() {
        return Err(GraphError::Arrays(format!(
            "labels: expected those of {} arcs and {} nodes, got {} and {}",
            targets.len(),
            graph.num_nodes(),
            labels.len(),
            bounds.len()
        )));
    }
    let range_of = |node: usize| {
        let place = node - before;
        offsets[place] as usize..offsets[place + 1] as usize
    };
    let mut lists = graph.lists();
    let (mut found, mut predicted) = (Runs::default(), Vec::new());
    for (nth, node) in nodes.enumerate() {
        if nth % PERIOD == 0 {
            meter.advance(PERIOD as u64)?;
        }
        let back = lists
            .reference(node as u64, graph.place(node))
            .map_err(|damage| graph.damaged((node, damage)))?;
        let range = range_of(node);
        let mut reference = Reference::default();
        if back > 0 {
            let other = node - back as usize;
            if other < before {
                return Err(GraphError::Arrays(format!(
                    "before: expected at most {other}, got {before}"
                )));
            }
            reference = Reference {
                bound: bounds[other],
                list: &targets[range_of(other)],
                labels: &labels[range_of(other)],
            };
        }
        let (list, labels) = (&targets[range.clone()], &labels[range]);
        predicted.resize(list.len(), 0);
        predict(bounds, bounds[node], list, reference, &mut predicted);
        found.find(bounds, node as u32, list, labels, &predicted);
    }
    Ok(found)
}

/// Puts into the predicted labels of a marked list what the stream says of them.
pub fn correct(
    bounds: &[u64],
    bound: u64,
    list: &[u32],
    books: &Books,
    cursor: &mut Cursor<'_>,
    labels: &mut [u64],
) -> Result<(), Damage> {
    let mut mask = u64::MAX;
    let bound_of = |place: usize| bound & bounds[list[place] as usize];
    read(bound_of, list.len(), books, cursor, |run, change| {
        if let Some((within, symbol)) = change {
            mask = mask & !within | (labels[run.start] & within ^ spread(symbol, within));
        }
        for (label, &target) in labels[run.clone()].iter_mut().zip(&list[run]) {
            *label = mask & bound & bounds[target as usize];
        }
    })
}

/// Tags below the targets of a list that is read for one snapshot: the target is not there, or it is without the arc.
pub const AWAY: u32 = 1;
pub const LOST: u32 = 2;
pub const TAG_BITS: u32 = 2;

/// The same for one snapshot, of which `bit` is set, in tags of targets; the list's node is there.
pub fn correct_at(
    (bounds, bound, bit): (&[u64], u64, u64),
    books: &Books,
    cursor: &mut Cursor<'_>,
    tagged: &mut [u32],
) -> Result<(), Damage> {
    let mut lost = 0;
    let length = tagged.len();
    let tagged = Cell::from_mut(tagged).as_slice_of_cells();
    let bound_of = |place: usize| bound & bounds[(tagged[place].get() >> TAG_BITS) as usize];
    read(bound_of, length, books, cursor, |run, change| {
        if let Some((within, symbol)) = change
            && within & bit != 0
        {
            let is_flipped = symbol >> (within & (bit - 1)).count_ones() & 1;
            lost = (tagged[run.start].get() & LOST) ^ (LOST * is_flipped as u32);
        }
        for target in &tagged[run] {
            target.set(target.get() & !LOST | lost);
        }
    })
}

/// The runs of a marked list. Where M is another one, its bits that do are given, and squeezed onto these which differ
/// from what is predicted of the first arc.
#[inline(always)]
fn read(
    bound_of: impl Fn(usize) -> u64,
    length: usize,
    books: &Books,
    cursor: &mut Cursor<'_>,
    mut visit: impl FnMut(Range<usize>, Option<(u64, u64)>),
) -> Result<(), Damage> {
    const LONG: Damage = "runs are longer than a list";
    let (mut place, mut book) = (0, FIRST);
    let mut near = Near::new(cursor);
    while place < length {
        let code = books.decode(book, &mut near)?;
        if code == END && book == LATER {
            break;
        }
        if code > 32 {
            return Err("a gap is too long");
        }
        let gap = (1 << code | near.read(code as u32)) - 1;
        let code = books.decode(RUN, &mut near)?;
        let (is_same, code) = (code >= SAME, code % SAME);
        if code > 32 {
            return Err("a run is too long");
        }
        let run = 1 << code | near.read(code as u32);
        let begin = place as u64 + gap;
        let end = begin + run;
        if end > length as u64 {
            return Err(LONG);
        }
        (place, book) = (end as usize, LATER);
        let begin = begin as usize;
        let mut change = None;
        if !is_same {
            let within = bound_of(begin);
            let width = within.count_ones();
            change = Some((within, books.decode(SYMBOLS + width as usize, &mut near)?));
        }
        visit(begin..place, change);
    }
    near.finish();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_squeezed_is_spread_again(value: u64, mask: u64) {
            let squeezed = squeeze(value, mask);
            prop_assert!(mask.count_ones() == 64 || squeezed >> mask.count_ones() == 0);
            prop_assert_eq!(spread(squeezed, mask), value & mask);
        }
    }
}
