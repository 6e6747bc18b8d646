//! The arcs of one snapshot, in order.

use super::super::{runs, terms::pack};
use super::window::Window;
use super::{Labels, State};
use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use crate::graph::bvgraph::pieces::Piece;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

impl Labels {
    /// The arcs of one snapshot, of which `bit` is set, of lists in the coding `runs`.
    ///
    /// An arc between nodes that are there is predicted to be there, unless the list referred to has it and says that it is
    /// not. So all that is kept of a list is which arcs these are, mostly few; and nothing is of lists of nodes that are
    /// not there, whose labels are passed over.
    pub(super) fn read_at(
        &self,
        graph: &BvGraph,
        nodes: Range<usize>,
        state: &mut State<'_>,
        (bounds, bit): (&[u64], u64),
        piece: &mut Piece,
    ) -> Result<(), GraphError> {
        let there = &*self.there(bounds, bit);
        let mut window = Window::new(graph, &nodes, &mut piece.window.0);
        let ring = graph.flags().compression_window + 1;
        // for each list that may be referred to, the targets that are there without the arc
        let mut lost: Vec<Vec<u32>> = vec![Vec::new(); ring];
        for node in window.first..nodes.start {
            let (begin, mut labels) = (window.targets.len(), Vec::new());
            window.begins.push(begin);
            let place = state.place(node);
            state.list(node, place, window.targets, &mut labels)?;
            if there[node] {
                let arcs = window.targets[begin..].iter().zip(&labels);
                let without =
                    arcs.filter(|(target, label)| there[**target as usize] && *label & bit == 0);
                lost[node % ring].extend(without.map(|(&target, _)| target));
            }
        }
        state.seek(nodes.start)?;
        let State { lists, reader, .. } = state;
        let (mut is_astray, mut found, mut places) = (false, Vec::new(), Vec::new());
        for node in nodes {
            window.make_room();
            let (begin, reference) = window.next(graph, lists, node)?;
            let list = &window.targets[begin..];
            let is_marked = reader.marks.get(node);
            let mut without = std::mem::take(&mut lost[node % ring]);
            without.clear();
            if there[node] {
                places.clear();
                let mut place = 0;
                for &target in reference.map_or(&[][..], |other| &lost[other % ring]) {
                    place += list[place..].partition_point(|&successor| successor < target);
                    if list.get(place) == Some(&target) {
                        places.push(place);
                        without.push(target);
                    }
                }
                let start = piece.targets.len();
                piece.targets.extend_from_slice(list);
                let kept = &mut piece.targets[start..];
                let mut num_kept = 0;
                if !is_marked && places.is_empty() {
                    for &target in list {
                        kept[num_kept] = target;
                        num_kept += usize::from(there[target as usize]);
                    }
                } else {
                    found.clear();
                    found.extend(list.iter().map(|&target| there[target as usize]));
                    places.iter().for_each(|&place| found[place] = false);
                    if is_marked {
                        if is_astray {
                            reader.seek(node);
                        }
                        is_astray = false;
                        let (cursor, books) = (&mut reader.cursor, &self.books);
                        let own = (bounds, bounds[node], bit);
                        runs::correct_at(own, list, books, cursor, there, &mut found)
                            .and_then(|()| reader.check_end())
                            .map_err(|damage| self.damaged(node, damage))?;
                        without.clear();
                        let arcs = list.iter().zip(&found);
                        let absent =
                            arcs.filter(|(target, found)| !**found && there[**target as usize]);
                        without.extend(absent.map(|(&target, _)| target));
                    }
                    num_kept = pack(kept, &found, |is_there| is_there);
                }
                piece.targets.truncate(start + num_kept);
            } else {
                is_astray |= is_marked;
            }
            lost[node % ring] = without;
            piece.ends.push(piece.targets.len() as u64);
        }
        Ok(())
    }

    /// Which nodes were there at one time; kept for the next block of the same view.
    fn there(&self, bounds: &[u64], bit: u64) -> Arc<Vec<bool>> {
        let mut last = self
            .last_there
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.0 != bit {
            let found = bounds.iter().map(|bound| bound & bit != 0).collect();
            *last = (bit, Arc::new(found));
        }
        Arc::clone(&last.1)
    }
}
