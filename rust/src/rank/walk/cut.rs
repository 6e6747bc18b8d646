//! Compressed lists, cut into a chunk for one pass.
//!
//! They are decoded into memory that is used again. What a list has outside of the chunk does not change while the chunk
//! is swept, and is summed at once; what it has inside is kept for the sweeps. A list is not compared with the one before
//! it, but for being equal: that would take longer than it saves.

use super::fold::{AFRESH, Chunk, FRESH_STEP, Far, Fold, LONG, arrange, find_inside};
use super::fold::{far_slot, near_place};
use super::{Lists, sum};
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use crate::graph::bvgraph::pieces::Piece;
use std::sync::Mutex;

/// Memory for as many chunks as threads have in hand.
#[derive(Default)]
pub struct Pool(Mutex<Vec<Cut>>);

/// A chunk with what it is decoded into.
struct Cut {
    piece: Piece,
    chunk: Chunk,
    sums: Vec<f64>,
}

impl Pool {
    /// Hands over the chunk from `start` on, whose nodes have these shares and others these values; without the lists of
    /// nodes that have no arcs, unless `all` are wanted.
    pub fn visit<T>(
        &self,
        graph: &BvGraph,
        (start, shares): (usize, &[f64]),
        values: &[f64],
        all: bool,
        meter: &Meter,
        visit: impl FnOnce(&Chunk) -> T,
    ) -> Result<T, GraphError> {
        let taken = self.0.lock().ok().and_then(|mut free| free.pop());
        let mut cut = taken.unwrap_or_else(Cut::new);
        graph.read_again(start..start + shares.len(), &mut cut.piece, meter)?;
        cut.fill(start, shares, values, all);
        let found = visit(&cut.chunk);
        if let Ok(mut free) = self.0.lock() {
            free.push(cut);
        }
        Ok(found)
    }
}

impl Cut {
    fn new() -> Self {
        Self {
            piece: Piece::default(),
            chunk: Chunk {
                order: Vec::new(),
                num_with_arcs: 0,
                loops: Vec::new(),
                steps: Vec::new(),
                near: Fold::default(),
                far: Far::Sums(Vec::new()),
            },
            sums: Vec::new(),
        }
    }

    fn fill(&mut self, start: usize, shares: &[f64], values: &[f64], all: bool) {
        let (chunk, size) = (&mut self.chunk, shares.len());
        let lists = Lists::new(&self.piece.ends, &self.piece.targets[self.piece.skipped..]);
        let (steps, near, loops) = (&mut chunk.steps, &mut chunk.near, &mut chunk.loops);
        arrange(shares, &mut chunk.order, &mut chunk.num_with_arcs);
        let num_lists = if all { size } else { chunk.num_with_arcs };
        steps.clear();
        loops.clear();
        near.counts.clear();
        near.nodes.clear();
        self.sums.clear();
        let none = size as u16;
        let value = |node: u32| values[far_slot(node) as usize];
        let (mut last, mut outside): ([&[u32]; 3], f64) = ([&[]; 3], 0.0);
        let mut had_loop = false;
        for (nth, &place) in chunk.order[..num_lists].iter().enumerate() {
            let (list, _) = lists.get(usize::from(place));
            let range = find_inside(list, start, size);
            let parts = [
                &list[..range.start],
                &list[range.clone()],
                &list[range.end..],
            ];
            if parts[0] != last[0] || parts[2] != last[2] {
                outside = sum(parts[0], None, value) + sum(parts[2], None, value);
            }
            self.sums.push(outside);
            let inside = parts[1];
            let own = inside
                .binary_search(&((start + usize::from(place)) as u32))
                .ok();
            if own.is_none() && !had_loop && inside == last[1] {
                steps.push([none; 4]);
            } else {
                let (one, other) = inside.split_at(own.unwrap_or(inside.len()));
                let other = other.get(1..).unwrap_or_default();
                let places = one.iter().chain(other).map(|&node| near_place(node, start));
                let count = one.len() + other.len();
                if count <= 4 {
                    let mut step = [none; 4];
                    step.iter_mut()
                        .zip(places)
                        .for_each(|(to, place)| *to = place);
                    step[0] |= FRESH_STEP;
                    steps.push(step);
                } else {
                    near.nodes.extend(places);
                    near.counts.push([count as u32, AFRESH]);
                    steps.push([LONG, none, none, none]);
                }
            }
            if own.is_some() {
                loops.push((nth as u32, 1.0));
            }
            had_loop = own.is_some();
            last = parts;
        }
        if let Far::Sums(sums) = &mut chunk.far {
            std::mem::swap(sums, &mut self.sums);
        }
    }
}
