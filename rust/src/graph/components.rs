//! Components: the strong ones by Tarjan's algorithm of the crate `webgraph-algo`, the weak ones by joining trees.

use super::GraphError;
use super::list_source::MeteredGraph;
use dsi_progress_logger::no_logging;
use webgraph_algo::sccs;

/// The strong component of each node; the meter counts nodes.
pub fn strong(graph: MeteredGraph<'_>) -> Result<Vec<u32>, GraphError> {
    let found = sccs::tarjan(&graph, no_logging![]);
    graph.done()?;
    Ok(found.components().iter().map(|&c| c as u32).collect())
}

/// Joins the trees of nodes from `first` on, whose rows these are, with those of their successors. In a tree, parents
/// are smaller than children; a root is its own parent.
pub fn join(
    parents: &mut [u32],
    (offsets, targets): (&[u64], &[u32]),
    first: usize,
) -> Result<(), GraphError> {
    let refused = || {
        let message = "rows: expected those of nodes, with targets and parents that are nodes";
        GraphError::Arrays(message.to_owned())
    };
    for (node, bounds) in (first as u32..).zip(offsets.windows(2)) {
        let row = targets.get(bounds[0] as usize..bounds[1] as usize);
        let mut root = find(parents, node).ok_or_else(refused)?;
        for &target in row.ok_or_else(refused)? {
            let other = find(parents, target).ok_or_else(refused)?;
            let (low, high) = (root.min(other), root.max(other));
            parents[high as usize] = low;
            root = low;
        }
    }
    Ok(())
}

/// The root of a tree; the way there is halved for the next one.
fn find(parents: &mut [u32], mut node: u32) -> Option<u32> {
    loop {
        let parent = *parents.get(node as usize)?;
        let above = *parents.get(parent as usize)?;
        if parent == above {
            return Some(parent);
        }
        parents[node as usize] = above;
        node = above;
    }
}
