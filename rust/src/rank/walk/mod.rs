//! The arcs that a surfer walks, read by who is at their end: rows in memory, or lists decoded as they are needed.

pub mod cut;
pub mod fold;

use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::list_source::ListSource;
use rayon::prelude::*;
use std::ops::Range;

/// Nodes that a thread takes at a time.
const CHUNK: usize = 1 << 11;

/// The lists of a graph, with a weight for each arc or 1 for all.
pub struct Arcs<'a> {
    pub source: ListSource<'a>,
    pub weights: Option<&'a [f64]>,
}

/// The lists of some nodes in order.
pub struct Lists<'a> {
    ends: &'a [u64],
    nodes: &'a [u32],
    weights: Option<&'a [f64]>,
}

impl<'a> Lists<'a> {
    pub fn new(ends: &'a [u64], nodes: &'a [u32]) -> Self {
        Self {
            ends,
            nodes,
            weights: None,
        }
    }

    /// The list at a place, with the weights of its arcs.
    #[inline]
    pub fn get(&self, place: usize) -> (&'a [u32], Option<&'a [f64]>) {
        let row = self.ends[place] as usize..self.ends[place + 1] as usize;
        (
            self.nodes.get(row.clone()).unwrap_or_default(),
            self.weights.map(|weights| &weights[row]),
        )
    }
}

impl Arcs<'_> {
    /// Refuses what is no graph of so many nodes.
    pub fn check(&self, num_nodes: usize) -> Result<(), GraphError> {
        let is_one = match self.source {
            ListSource::Rows(offsets, targets) => {
                offsets.len() == num_nodes + 1
                    && offsets.is_sorted()
                    && offsets.last() == Some(&(targets.len() as u64))
                    && targets
                        .par_chunks(1 << 16)
                        .all(|some| some.iter().all(|&node| (node as usize) < num_nodes))
                    && self.weights.is_none_or(|all| all.len() == targets.len())
            }
            // weights are found by the places of rows
            ListSource::Files(graph) => graph.num_nodes() == num_nodes && self.weights.is_none(),
        };
        if is_one {
            return Ok(());
        }
        Err(GraphError::Arrays(format!(
            "rows: expected those of a graph of {num_nodes} nodes, and a weight for each arc or none, got others"
        )))
    }

    /// Hands over the lists of a range of nodes.
    pub fn read<T>(
        &self,
        nodes: Range<usize>,
        meter: &Meter,
        visit: impl FnOnce(Lists<'_>) -> T,
    ) -> Result<T, GraphError> {
        match self.source {
            ListSource::Rows(offsets, targets) => {
                meter.advance(nodes.len() as u64)?;
                Ok(visit(Lists {
                    ends: &offsets[nodes.start..=nodes.end],
                    nodes: targets,
                    weights: self.weights,
                }))
            }
            ListSource::Files(graph) => {
                let (ends, targets) = graph.read_few(nodes, meter)?;
                Ok(visit(Lists::new(&ends, &targets)))
            }
        }
    }

    /// Each node gets the sum of what its list has, times the weights of arcs: a product with as many columns as
    /// `values` has numbers for a node.
    pub fn multiply(
        &self,
        values: &[f64],
        sums: &mut [f64],
        columns: usize,
        meter: &Meter,
    ) -> Result<(), GraphError> {
        let num_nodes = sums.len() / columns.max(1);
        self.check(num_nodes)?;
        if columns == 0 || values.len() != sums.len() || !sums.len().is_multiple_of(columns) {
            let message = format!(
                "values: expected {columns} for each of {num_nodes} nodes, got {}",
                values.len()
            );
            return Err(GraphError::Arrays(message));
        }
        sums.par_chunks_mut(CHUNK * columns)
            .enumerate()
            .try_for_each(|(chunk, sums)| {
                let start = chunk * CHUNK;
                let nodes = start..start + sums.len() / columns;
                self.read(nodes, meter, |lists| {
                    for (place, sums) in sums.chunks_exact_mut(columns).enumerate() {
                        let (list, weights) = lists.get(place);
                        if columns == 1 {
                            sums[0] = sum(list, weights, |node| values[node as usize]);
                            continue;
                        }
                        sums.fill(0.0);
                        for (nth, &node) in list.iter().enumerate() {
                            let weight = weights.map_or(1.0, |weights| weights[nth]);
                            let row = &values[node as usize * columns..][..columns];
                            for (sum, value) in sums.iter_mut().zip(row) {
                                *sum += weight * value;
                            }
                        }
                    }
                })
            })
    }
}

/// The sum of what the nodes of a list have, in an order that is always the same.
#[inline]
pub fn sum<N: Copy>(list: &[N], weights: Option<&[f64]>, value: impl Fn(N) -> f64) -> f64 {
    if let Some(weights) = weights {
        let pairs = list.iter().zip(weights);
        return pairs.map(|(&node, weight)| weight * value(node)).sum();
    }
    // four sums at once, since each addition waits for the one before it
    let mut sums = [0.0; 4];
    let quads = list.chunks_exact(4);
    let rest: f64 = quads.remainder().iter().map(|&node| value(node)).sum();
    for quad in quads {
        for (sum, &node) in sums.iter_mut().zip(quad) {
            *sum += value(node);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
