//! What of lists is kept on the way from one to the next.

use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use crate::graph::bvgraph::lists::{Lists, Plain, Tags};
use std::ops::Range;

/// Lists that are kept besides those that may be referred to.
const KEPT: usize = 128;

/// Lists that are read in order: those that the first ones may refer to, then those that the next ones may. So few
/// are kept that they stay in the cache.
pub struct Window<'a> {
    width: usize,
    /// The node of the first list, and where each begins.
    pub first: usize,
    pub begins: Vec<usize>,
    pub targets: &'a mut Vec<u32>,
}

impl<'a> Window<'a> {
    pub fn new(graph: &BvGraph, nodes: &Range<usize>, targets: &'a mut Vec<u32>) -> Self {
        let width = graph.flags().compression_window;
        targets.clear();
        Self {
            width,
            first: nodes.start.saturating_sub(width),
            begins: Vec::with_capacity(width + KEPT + 1),
            targets,
        }
    }

    pub fn list_of(&self, node: usize) -> Range<usize> {
        let place = node - self.first;
        self.begins[place]..self.begins[place + 1]
    }

    /// Forgets what nobody refers to any more, now and then; how many arcs it had.
    pub fn make_room(&mut self) -> usize {
        if self.begins.len() < self.width + KEPT {
            return 0;
        }
        let left_out = self.begins.len() - self.width;
        let from = self.begins.get(left_out).copied();
        let from = from.unwrap_or(self.targets.len());
        self.targets.drain(..from);
        self.begins.drain(..left_out);
        self.begins.iter_mut().for_each(|begin| *begin -= from);
        self.first += left_out;
        from
    }

    /// Appends the next list; where it begins, and the node of the list that it refers to.
    pub fn next(
        &mut self,
        graph: &BvGraph,
        lists: &mut Lists<'_>,
        node: usize,
    ) -> Result<(usize, Option<usize>), GraphError> {
        self.next_tagged(graph, lists, node, &Plain)
    }

    /// The same in a window of lists with tags.
    pub fn next_tagged(
        &mut self,
        graph: &BvGraph,
        lists: &mut Lists<'_>,
        node: usize,
        tags: &impl Tags,
    ) -> Result<(usize, Option<usize>), GraphError> {
        let begin = self.targets.len();
        self.begins.push(begin);
        let (begins, first) = (&self.begins, self.first);
        let list_of = |node: u64| begins[node as usize - first]..begins[node as usize - first + 1];
        let back = lists
            .next_tagged(node as u64, list_of, tags, self.targets)
            .map_err(|damage| graph.damaged((node, damage)))?;
        Ok((begin, (back > 0).then(|| node - back as usize)))
    }
}
