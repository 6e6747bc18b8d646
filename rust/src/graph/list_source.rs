//! Lists of a graph, in memory or compressed, for the loops of the crates `webgraph` and `webgraph-algo`.
//!
//! These loops know nothing of the meter, of Ctrl-C or of damaged files. The graph that they are given does: it counts the
//! lists it returns, and returns empty ones after a cancellation or a damaged list, so that every loop ends soon.

use super::GraphError;
use super::bvgraph::{BvGraph, Rows};
use crate::collection::progress::Meter;
use lender::{Lend, Lender, Lending, check_covariance};
use std::sync::OnceLock;
use webgraph::traits::{
    NodeLabelsLender, RandomAccessGraph, RandomAccessLabeling, SequentialGraph, SequentialLabeling,
};

/// Nodes whose lists are decoded at a time when all are read in order.
const BLOCK: usize = 1 << 10;

/// Where the lists are: in memory, or compressed.
#[derive(Clone, Copy)]
pub enum ListSource<'a> {
    Rows(&'a [u64], &'a [u32]),
    Files(&'a BvGraph),
}

/// A graph as the crates see it.
pub struct MeteredGraph<'a> {
    source: ListSource<'a>,
    meter: &'a Meter,
    failure: OnceLock<GraphError>,
}

impl<'a> MeteredGraph<'a> {
    /// Refuses rows that are none.
    pub fn new(source: ListSource<'a>, meter: &'a Meter) -> Result<Self, GraphError> {
        if let ListSource::Rows(offsets, targets) = source {
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

    /// Fails if a list was damaged or the loop was cancelled; its result must not be used then.
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
    Borrowed(std::slice::Iter<'a, u32>),
    Owned(std::vec::IntoIter<u32>),
}

impl Iterator for List<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Borrowed(list) => list.next().map(|&target| target as usize),
            Self::Owned(list) => list.next().map(|target| target as usize),
        }
    }
}

/// The lists of a graph in order.
pub struct Lists<'a> {
    graph: &'a MeteredGraph<'a>,
    node: usize,
    /// The first node of a block that was decoded, and its rows.
    block: (usize, Rows),
}

impl SequentialLabeling for MeteredGraph<'_> {
    type Label = usize;
    type Lender<'b>
        = Lists<'b>
    where
        Self: 'b;

    fn num_nodes(&self) -> usize {
        match self.source {
            ListSource::Rows(offsets, _) => offsets.len() - 1,
            ListSource::Files(graph) => graph.num_nodes(),
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
        let (node, metered) = (self.node, self.graph);
        if node >= metered.num_nodes() {
            return None;
        }
        self.node += 1;
        let ListSource::Files(graph) = metered.source else {
            return Some((node, metered.successors(node)));
        };
        let place = node - self.block.0;
        if place + 1 >= self.block.1.0.len() && !metered.is_over(0) {
            self.block = (
                node,
                metered.found(graph.read_few(node..node + BLOCK, metered.meter)),
            );
        }
        let (first, (ends, targets)) = &self.block;
        let place = node - first;
        let row = match ends.get(place..place + 2) {
            Some(&[from, to]) => &targets[from as usize..to as usize],
            _ => &[],
        };
        Some((node, List::Borrowed(row.iter())))
    }
}

impl RandomAccessLabeling for MeteredGraph<'_> {
    type Labels<'b>
        = List<'b>
    where
        Self: 'b;

    fn num_arcs(&self) -> u64 {
        match self.source {
            ListSource::Rows(_, targets) => targets.len() as u64,
            ListSource::Files(graph) => graph.num_arcs(),
        }
    }

    fn outdegree(&self, node: usize) -> usize {
        match self.source {
            ListSource::Rows(offsets, _) => (offsets[node + 1] - offsets[node]) as usize,
            ListSource::Files(graph) => self.found(graph.outdegree(node as u32)) as usize,
        }
    }

    fn labels(&self, node: usize) -> <Self as RandomAccessLabeling>::Labels<'_> {
        if self.is_over(1) {
            return List::Borrowed([].iter());
        }
        match self.source {
            ListSource::Rows(offsets, targets) => {
                List::Borrowed(targets[offsets[node] as usize..offsets[node + 1] as usize].iter())
            }
            ListSource::Files(graph) => {
                List::Owned(self.found(graph.successors(node as u32)).into_iter())
            }
        }
    }
}

impl SequentialGraph for MeteredGraph<'_> {}
impl RandomAccessGraph for MeteredGraph<'_> {}
