//! Orders of nodes that put together what links together, by the crates `webgraph` and `webgraph-algo`.

use super::GraphError;
use super::list_source::MeteredGraph;
use std::path::Path;
use webgraph::traits::SequentialLabeling;
use webgraph::utils::Granularity;
use webgraph::visits::breadth_first;
use webgraph_algo::llp;

/// The nodes in the order of breadth-first visits from the first node not yet seen; the meter counts nodes.
pub fn breadth_first(graph: MeteredGraph<'_>) -> Result<Vec<u32>, GraphError> {
    let order = breadth_first::Seq::new(&graph)
        .into_iter()
        .map(|event| event.node as u32)
        .collect();
    graph.done()?;
    Ok(order)
}

/// The rank of each node by layered label propagation on a symmetric graph without loops; `folder` is for its files.
pub fn layered_labels(
    graph: MeteredGraph<'_>,
    gammas: Vec<f64>,
    seed: u64,
    folder: &Path,
) -> Result<Vec<u32>, GraphError> {
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
