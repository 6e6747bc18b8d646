//! Orders of nodes that put together what links together, by the crates `webgraph` and `webgraph-algo`.
//!
//! Their loops know neither meter nor Ctrl-C. The graph that is lent to them does: it counts the lists it gives away,
//! and gives empty ones once somebody cancelled, with which every loop soon ends.

use super::GraphError;
use crate::collection::CollectionError;
use crate::collection::progress::Meter;
use lender::{Lend, Lender, Lending, check_covariance};
use std::path::Path;
use webgraph::traits::{
    NodeLabelsLender, RandomAccessGraph, RandomAccessLabeling, SequentialGraph, SequentialLabeling,
};
use webgraph::utils::Granularity;
use webgraph::visits::breadth_first;
use webgraph_algo::llp;

/// Rows as the crates see them.
struct Lent<'a> {
    offsets: &'a [u64],
    targets: &'a [u32],
    meter: &'a Meter,
}

impl<'a> Lent<'a> {
    fn new(offsets: &'a [u64], targets: &'a [u32], meter: &'a Meter) -> Result<Self, GraphError> {
        let grows = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let num_nodes = offsets.len().saturating_sub(1);
        if !grows
            || offsets.first() != Some(&0)
            || offsets.last() != Some(&(targets.len() as u64))
            || targets.iter().any(|&target| target as usize >= num_nodes)
        {
            let message = "rows: expected offsets from 0 to the number of targets, and targets that are nodes";
            return Err(GraphError::Arrays(message.to_owned()));
        }
        Ok(Self {
            offsets,
            targets,
            meter,
        })
    }

    fn done(&self) -> Result<(), CollectionError> {
        self.meter.advance(0)
    }
}

impl SequentialLabeling for Lent<'_> {
    type Label = usize;
    type Lender<'b>
        = Lists<'b>
    where
        Self: 'b;

    fn num_nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    fn get_num_arcs(&self) -> Option<u64> {
        Some(self.targets.len() as u64)
    }

    fn iter_from(&self, from: usize) -> Self::Lender<'_> {
        Lists {
            graph: self,
            node: from,
        }
    }
}

/// The lists of a graph in order.
struct Lists<'a> {
    graph: &'a Lent<'a>,
    node: usize,
}

type List<'a> = std::iter::Map<std::slice::Iter<'a, u32>, fn(&u32) -> usize>;

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
        let node = self.node;
        self.node += 1;
        (node < self.graph.num_nodes()).then(|| (node, self.graph.successors(node)))
    }
}

impl RandomAccessLabeling for Lent<'_> {
    type Labels<'b>
        = List<'b>
    where
        Self: 'b;

    fn num_arcs(&self) -> u64 {
        self.targets.len() as u64
    }

    fn outdegree(&self, node: usize) -> usize {
        (self.offsets[node + 1] - self.offsets[node]) as usize
    }

    fn labels(&self, node: usize) -> <Self as RandomAccessLabeling>::Labels<'_> {
        let row = match self.meter.advance(1) {
            Ok(()) => &self.targets[self.offsets[node] as usize..self.offsets[node + 1] as usize],
            Err(_) => &[],
        };
        row.iter().map(|&target| target as usize)
    }
}

impl SequentialGraph for Lent<'_> {}
impl RandomAccessGraph for Lent<'_> {}

/// The nodes in the order of breadth-first visits from the first node not yet seen; the meter counts nodes.
pub fn breadth_first(
    offsets: &[u64],
    targets: &[u32],
    meter: &Meter,
) -> Result<Vec<u32>, GraphError> {
    let graph = Lent::new(offsets, targets, meter)?;
    let order = breadth_first::Seq::new(&graph)
        .into_iter()
        .map(|event| event.node as u32)
        .collect();
    graph.done()?;
    Ok(order)
}

/// The rank of each node by layered label propagation on a symmetric graph without loops; `folder` is for its files.
pub fn layered_labels(
    offsets: &[u64],
    targets: &[u32],
    gammas: Vec<f64>,
    seed: u64,
    folder: &Path,
    meter: &Meter,
) -> Result<Vec<u32>, GraphError> {
    let graph = Lent::new(offsets, targets, meter)?;
    let labels = llp::layered_label_propagation(
        &graph,
        &graph.build_dcf(),
        gammas,
        Granularity::Nodes(1000),
        seed,
        llp::preds::MinAvgImprov::default(),
        shuffle,
        folder,
    )
    .map_err(|error| GraphError::Format(format!("{}: {error:#}", folder.display())))?;
    graph.done()?;
    Ok(llp::labels_to_ranks(&labels)
        .iter()
        .map(|&rank| rank as u32)
        .collect())
}

/// A permutation of 0 … n - 1 without a table: x ↦ a x + b modulo n, a having no divisor in common with n.
fn shuffle(num_nodes: usize, a: u64, b: u64) -> impl Fn(u64) -> u64 {
    let divisor = |mut x: u64, mut y: u64| {
        while y > 0 {
            (x, y) = (y, x % y);
        }
        x
    };
    let n = num_nodes as u64;
    let a = (a % n..).find(|&a| divisor(a, n) == 1).unwrap_or(1);
    move |x| ((u128::from(a) * u128::from(x) + u128::from(b)) % u128::from(n)) as u64
}
