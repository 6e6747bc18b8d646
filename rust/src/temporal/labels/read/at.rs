//! The arcs of one snapshot, in order.

use super::super::runs::{self, AWAY, LOST, TAG_BITS};
use super::pack::pack;
use super::window::Window;
use super::{Labels, State};
use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use crate::graph::bvgraph::lists::Tags;
use crate::graph::bvgraph::pieces::Piece;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

/// Nodes whose numbers leave room for tags.
pub(super) const MOST_NODES: usize = 1 << (32 - TAG_BITS);

/// Room that is made for more targets than the next list has.
const ROOM: usize = 1 << 12;

/// Tags each target by whether it is there.
struct There<'a>(&'a [bool]);

impl Tags for There<'_> {
    const BITS: u32 = TAG_BITS;
    #[inline(always)]
    fn tag(&self, target: u32) -> u32 {
        target << TAG_BITS | (AWAY * u32::from(!self.0[target as usize]))
    }
}

impl Labels {
    /// The arcs of one snapshot, of which `bit` is set, of lists in the coding `runs`.
    ///
    /// An arc between nodes that are there is predicted to be there, unless the list referred to has it and says that it is
    /// not. A list has in common with the one referred to what it copies from it, and copies tags along: so what is
    /// predicted is there as soon as the list is, and no label is made. Nothing is of lists of nodes that are not there,
    /// whose labels are passed over.
    pub(super) fn read_at(
        &self,
        graph: &BvGraph,
        nodes: Range<usize>,
        state: &mut State<'_>,
        (bounds, bit): (&[u64], u64),
        piece: &mut Piece,
    ) -> Result<(), GraphError> {
        let there = &*self.there(bounds, bit);
        let tags = There(there);
        let mut window = Window::new(graph, &nodes, &mut piece.window.0);
        for node in window.first..nodes.start {
            let (begin, mut labels) = (window.targets.len(), Vec::new());
            window.begins.push(begin);
            let place = state.place(node);
            state.list(node, place, window.targets, &mut labels)?;
            for (target, label) in window.targets[begin..].iter_mut().zip(labels) {
                let is_lost = there[node] && there[*target as usize] && label & bit == 0;
                *target = tags.tag(*target) | (LOST * u32::from(is_lost));
            }
        }
        state.seek(nodes.start)?;
        let State { lists, reader, .. } = state;
        let (mut is_astray, mut number) = (false, piece.targets.len());
        for node in nodes {
            window.make_room();
            let (begin, reference) = window.next_tagged(graph, lists, node, &tags)?;
            let list = &mut window.targets[begin..];
            let is_marked = reader.marks.get(node);
            if !there[node] {
                // what refers to it learns nothing from it
                if reference.is_some() {
                    list.iter_mut().for_each(|target| *target &= !LOST);
                }
                is_astray |= is_marked;
            } else {
                if is_marked {
                    if is_astray {
                        reader.seek(node);
                    }
                    is_astray = false;
                    let own = (bounds, bounds[node], bit);
                    runs::correct_at(own, &self.books, &mut reader.cursor, list)
                        .and_then(|()| reader.check_end())
                        .map_err(|damage| self.damaged(node, damage))?;
                }
                if piece.targets.len() < number + list.len() {
                    piece.targets.resize(number + list.len() + ROOM, 0);
                }
                number += pack(list, &mut piece.targets[number..]);
            }
            piece.ends.push(number as u64);
        }
        piece.targets.truncate(number);
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
