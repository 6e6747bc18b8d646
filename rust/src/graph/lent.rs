//! A graph lent to the loops of the crates `webgraph` and `webgraph-algo`.
//!
//! These know neither meter nor Ctrl-C nor damage. The graph that is lent to them does: it counts the lists it gives
//! away, and gives empty ones once somebody cancelled or a list is damaged, with which every loop soon ends.

use super::GraphError;
use super::bvgraph::{BvGraph, Rows};
use crate::collection::progress::Meter;
use lender::{Lend, Lender, Lending, check_covariance};
use std::sync::OnceLock;
use webgraph::traits::{
    NodeLabelsLender, RandomAccessGraph, RandomAccessLabeling, SequentialGraph, SequentialLabeling,
};

/// Nodes whose lists are decoded at a time by who goes through all of them.
const BLOCK: usize = 1 << 10;

/// Where the lists are: in memory, or compressed.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    Rows(&'a [u64], &'a [u32]),
    Files(&'a BvGraph),
}

/// A graph as the crates see it.
pub struct Lent<'a> {
    source: Source<'a>,
    meter: &'a Meter,
    failure: OnceLock<GraphError>,
}

impl<'a> Lent<'a> {
    /// Refuses rows that are none.
    pub fn new(source: Source<'a>, meter: &'a Meter) -> Result<Self, GraphError> {
        if let Source::Rows(offsets, targets) = source {
            let num_nodes = offsets.len().saturating_sub(1);
            if !offsets.is_sorted()
                || offsets.first() != Some(&0)
                || offsets.last() != Some(&(targets.len() as u64))
                || targets.iter().any(|&target| target as usize >= num_nodes)
            {
                let message = "rows: expected offsets from 0 to the number of targets, and targets that are nodes";
                return Err(GraphError::Arrays(message.to_owned()));
            }
        }
        Ok(Self {
            source,
            meter,
            failure: OnceLock::new(),
        })
    }

    /// What was lent was whole, and nobody cancelled; else the answer of the loop is of no use.
    pub fn done(self) -> Result<(), GraphError> {
        match self.failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(self.meter.advance(0)?),
        }
    }

    fn is_over(&self, amount: u64) -> bool {
        self.meter.advance(amount).is_err() || self.failure.get().is_some()
    }

    /// Nothing in place of what could not be decoded; the first failure is kept.
    fn found<T: Default>(&self, outcome: Result<T, GraphError>) -> T {
        outcome.unwrap_or_else(|error| {
            let _ = self.failure.set(error);
            T::default()
        })
    }
}

/// The successors of a node.
pub enum List<'a> {
    Lent(std::slice::Iter<'a, u32>),
    Given(std::vec::IntoIter<u32>),
}

impl Iterator for List<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Lent(list) => list.next().map(|&target| target as usize),
            Self::Given(list) => list.next().map(|target| target as usize),
        }
    }
}

/// The lists of a graph in order.
pub struct Lists<'a> {
    graph: &'a Lent<'a>,
    node: usize,
    /// The first node of a block that was decoded, and its rows.
    block: (usize, Rows),
}

impl SequentialLabeling for Lent<'_> {
    type Label = usize;
    type Lender<'b>
        = Lists<'b>
    where
        Self: 'b;

    fn num_nodes(&self) -> usize {
        match self.source {
            Source::Rows(offsets, _) => offsets.len() - 1,
            Source::Files(graph) => graph.num_nodes(),
        }
    }

    fn get_num_arcs(&self) -> Option<u64> {
        Some(self.num_arcs())
    }

    fn iter_from(&self, from: usize) -> Self::Lender<'_> {
        Lists {
            graph: self,
            node: from,
            block: (from, Rows::default()),
        }
    }
}

impl<'b> NodeLabelsLender<'b> for Lists<'_> {
    type Label = usize;
    type IntoIterator = List<'b>;
}

impl<'b> Lending<'b> for Lists<'_> {
    type Lend = (usize, List<'b>);
}

impl Lender for Lists<'_> {
    check_covariance!();

    fn next(&mut self) -> Option<Lend<'_, Self>> {
        let (node, lent) = (self.node, self.graph);
        if node >= lent.num_nodes() {
            return None;
        }
        self.node += 1;
        let Source::Files(graph) = lent.source else {
            return Some((node, lent.successors(node)));
        };
        let place = node - self.block.0;
        if place + 1 >= self.block.1.0.len() && !lent.is_over(0) {
            self.block = (
                node,
                lent.found(graph.read_few(node..node + BLOCK, lent.meter)),
            );
        }
        let (first, (ends, targets)) = &self.block;
        let place = node - first;
        let row = match ends.get(place..place + 2) {
            Some(&[from, to]) => &targets[from as usize..to as usize],
            _ => &[],
        };
        Some((node, List::Lent(row.iter())))
    }
}

impl RandomAccessLabeling for Lent<'_> {
    type Labels<'b>
        = List<'b>
    where
        Self: 'b;

    fn num_arcs(&self) -> u64 {
        match self.source {
            Source::Rows(_, targets) => targets.len() as u64,
            Source::Files(graph) => graph.num_arcs(),
        }
    }

    fn outdegree(&self, node: usize) -> usize {
        match self.source {
            Source::Rows(offsets, _) => (offsets[node + 1] - offsets[node]) as usize,
            Source::Files(graph) => self.found(graph.outdegree(node as u32)) as usize,
        }
    }

    fn labels(&self, node: usize) -> <Self as RandomAccessLabeling>::Labels<'_> {
        if self.is_over(1) {
            return List::Lent([].iter());
        }
        match self.source {
            Source::Rows(offsets, targets) => {
                List::Lent(targets[offsets[node] as usize..offsets[node + 1] as usize].iter())
            }
            Source::Files(graph) => {
                List::Given(self.found(graph.successors(node as u32)).into_iter())
            }
        }
    }
}

impl SequentialGraph for Lent<'_> {}
impl RandomAccessGraph for Lent<'_> {}
